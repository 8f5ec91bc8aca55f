/* SPDX-License-Identifier: MIT */
/*
 * Between the sources of the helpers: what vsplit_cleanup() and vsplit_cleanup_file() call to
 * give back what each of them made.
 */
#ifndef IGT_VSPLIT_CLEANUP_H
#define IGT_VSPLIT_CLEANUP_H

/* Kills the children that were not reaped. */
void vsplit_process_cleanup(void);
/* Ends the trace, if there is one. */
void vsplit_trace_cleanup(void);
/* All records. */
void vsplit_record_cleanup(void);
/* All buffers; their syncobjs go with the files. */
void vsplit_cs_cleanup(void);
/* The buffers of this file, which is still open. */
void vsplit_cs_forget(int fd);

#endif /* IGT_VSPLIT_CLEANUP_H */
