/* SPDX-License-Identifier: MIT */
/*
 * Internal interface between the sources of the helpers: vsplit_cleanup() and vsplit_cleanup_file()
 * call these functions to give back what each source made.
 */
#ifndef IGT_VSPLIT_CLEANUP_H
#define IGT_VSPLIT_CLEANUP_H

/* Kills the children that were not reaped. */
void vsplit_process_cleanup(void);
/* Ends the trace, if there is one. */
void vsplit_trace_cleanup(void);
/* Frees all records. */
void vsplit_record_cleanup(void);
/* Frees all buffers; their syncobjs go with the files. */
void vsplit_cs_cleanup(void);
/* Frees the buffers of this file, which is still open. */
void vsplit_cs_forget(int fd);

#endif /* IGT_VSPLIT_CLEANUP_H */
