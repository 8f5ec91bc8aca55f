/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The table of ioctls. A file includes it for each thing that it makes of the rows, after it has
 * defined the macro VSPLIT_IOCTL, which gets the arguments
 *
 *	(name, the same name in small letters, the function that calls it)
 *
 * Render nodes allow all of them; ESCAPE checks test mode and CAP_SYS_ADMIN by itself.
 */
VSPLIT_IOCTL(QUERY, query, vsplit_call_outside)
VSPLIT_IOCTL(GEM_CREATE, gem_create, vsplit_call)
VSPLIT_IOCTL(GEM_MMAP_OFFSET, gem_mmap_offset, vsplit_call)
VSPLIT_IOCTL(GEM_INFO, gem_info, vsplit_call)
VSPLIT_IOCTL(GEM_RUNS, gem_runs, vsplit_call_outside)
VSPLIT_IOCTL(GEM_LOCK, gem_lock, vsplit_call_outside)
VSPLIT_IOCTL(GEM_UNLOCK, gem_unlock, vsplit_call)
VSPLIT_IOCTL(GEM_PRIORITY, gem_priority, vsplit_call)
VSPLIT_IOCTL(GEM_SURFACE, gem_surface, vsplit_call_outside)
VSPLIT_IOCTL(CTX_CREATE, ctx_create, vsplit_call)
VSPLIT_IOCTL(CTX_DESTROY, ctx_destroy, vsplit_call)
VSPLIT_IOCTL(CTX_QUERY, ctx_query, vsplit_call)
VSPLIT_IOCTL(SUBMIT, submit, vsplit_call_outside)
VSPLIT_IOCTL(VA_BIND, va_bind, vsplit_call_outside)
VSPLIT_IOCTL(RECORD, record, vsplit_call_outside)
VSPLIT_IOCTL(ESCAPE, escape, vsplit_call)
VSPLIT_IOCTL(MAKE_RESIDENT, make_resident, vsplit_call_outside)
VSPLIT_IOCTL(EVICT, evict, vsplit_call_outside)
VSPLIT_IOCTL(RESIDENCY, residency, vsplit_call)
VSPLIT_IOCTL(RESERVE, reserve, vsplit_call)
VSPLIT_IOCTL(OFFER, offer, vsplit_call_outside)
VSPLIT_IOCTL(RECLAIM, reclaim, vsplit_call_outside)
VSPLIT_IOCTL(FENCE_CREATE, fence_create, vsplit_call)
VSPLIT_IOCTL(FENCE_DESTROY, fence_destroy, vsplit_call)
VSPLIT_IOCTL(FENCE_SIGNAL, fence_signal, vsplit_call)
VSPLIT_IOCTL(FENCE_WAIT, fence_wait, vsplit_call_outside)
VSPLIT_IOCTL(FENCE_EXPORT, fence_export, vsplit_call)
VSPLIT_IOCTL(FENCE_IMPORT, fence_import, vsplit_call)
VSPLIT_IOCTL(HWQ_CREATE, hwq_create, vsplit_call)
VSPLIT_IOCTL(HWQ_WAIT, hwq_wait, vsplit_call_outside)

#undef VSPLIT_IOCTL
