/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The table of an adapter's options. A file includes it for each thing that it makes of the rows,
 * after it has defined the macros VSPLIT_PARAM and VSPLIT_OPTION, which get the arguments
 *
 *	(name, kind, default, min, max, description, member of struct vsplit_params)
 *
 * PARAM rows are module parameters only; OPTION rows are attributes of an adapter in
 * configfs, too, under the same name and with the same values.
 *
 * Kinds are those of enum vsplit_param_kind; VSPLIT_RIGHT_ of vsplit_params.c says which values
 * a user may write. Defaults are text, which the driver parses as it does a user's; min and max are
 * for numbers and sizes.
 */
VSPLIT_PARAM(adapters, u32, "1", 0, 16,
	     "adapters to make now; 0: only configfs makes them", adapters);
VSPLIT_PARAM(vram, size, "64M", 4096, VSPLIT_MAX_SEGMENT_SIZE,
	     "size of the memory segment vram", vram);
VSPLIT_PARAM(aperture, size, "64M", 0, VSPLIT_MAX_SEGMENT_SIZE,
	     "size of the aperture segment aperture; 0: none", aperture);
VSPLIT_PARAM(aperture_commit, size, "0", 0, VSPLIT_MAX_SEGMENT_SIZE,
	     "commit limit of the aperture segment; 0: its size", aperture_commit);
VSPLIT_PARAM(segments, segments, "none", 0, 0,
	     "instead of vram and aperture: NAME:memory|aperture:SIZE[:commit=SIZE][:cpu=all|none|SIZE][:ranges=N],...",
	     segments);

VSPLIT_OPTION(aperture_limit, size, "0", 0, VSPLIT_MAX_SEGMENT_SIZE,
	      "bytes that all aperture segments together may map; 0: as many as they can",
	      config.aperture_limit);
VSPLIT_OPTION(slots, u32, "64", 1, VSPLIT_MAX_SLOTS,
	      "rows of the resource table", config.slots);
VSPLIT_OPTION(engines, u32, "1", 1, VSPLIT_MAX_ENGINES,
	      "render engines", config.engines);
VSPLIT_OPTION(heads, u32, "1", 0, VSPLIT_MAX_HEADS,
	      "heads that show pictures; 0: the adapter has no display", config.heads);
VSPLIT_OPTION(fbdev, bool, "0", 0, 0,
	      "a framebuffer device, and with it the kernel's console, on the heads", config.fbdev);
VSPLIT_OPTION(timeout_ms, u32, "5000", 10, 3600000,
	      "a program without progress for as many milliseconds, or in the way of others, is a hang",
	      config.timeout_ms);
VSPLIT_OPTION(trim_period_ms, u32, "0", 0, 3600000,
	      "every so many milliseconds files are asked for what they have not used since; 0: never",
	      config.trim_period_ms);
VSPLIT_OPTION(clock, clock, "real", 0, 0,
	      "work takes the host's time, or what the model_ parameters declare",
	      config.clock);
VSPLIT_OPTION(model_command_ns, u32, "500", 0, 1000000000,
	      "model clock: nanoseconds of each command", config.model.command_ns);
VSPLIT_OPTION(model_bytes_per_us, u32, "16384", 1, 1073741824,
	      "model clock: bytes that commands touch in a microsecond, and moves inside memory",
	      config.model.bytes_per_us);
VSPLIT_OPTION(model_macs_per_us, u32, "65536", 1, 1073741824,
	      "model clock: multiply-accumulates in a microsecond",
	      config.model.macs_per_us);
VSPLIT_OPTION(model_paging_bytes_per_us, u32, "8192", 1, 1073741824,
	      "model clock: bytes paged in a microsecond, from or to system memory",
	      config.model.paging_bytes_per_us);
VSPLIT_OPTION(model_paging_op_ns, u32, "1000", 0, 1000000000,
	      "model clock: nanoseconds of each paging step, besides its bytes",
	      config.model.paging_op_ns);
VSPLIT_OPTION(preemption, preemption, "packet", 0, 0,
	      "where engines switch contexts: with slices of time between packets, at split points, or between programs alone",
	      config.preemption);
VSPLIT_OPTION(save_restore, save_restore, "unset", 0, 0,
	      "1: preemption=split-point, 0: preemption=none", config.preemption);
VSPLIT_OPTION(paging, paging, "own", 0, 0,
	      "paging has an engine of its own, or the same one that runs commands does it",
	      config.paging_own);
VSPLIT_OPTION(victims, victims, "next-use", 0, 0,
	      "at a split the least recently used leaves, or what the list needs last",
	      config.next_use);
VSPLIT_OPTION(splits, splits, "wddm", 0, 0,
	      "a buffer is cut where memory is low, or, if it has to be, also where that saves bytes or time",
	      config.planned);
VSPLIT_OPTION(look_ahead, bool, "0", 0, 0,
	      "look for other places and cuts before a list is refused because of the rows that it keeps",
	      config.look_ahead);
VSPLIT_OPTION(lenient, bool, "0", 0, 0,
	      "engine state lost at a split is garbage instead of a fault", config.lenient);
VSPLIT_OPTION(leak_detection, bool, "0", 0, 0,
	      "refuse a split that keeps rows of the resource table",
	      config.leak_detection);
VSPLIT_OPTION(contexts, contexts, "patch", 0, 0,
	      "kinds of contexts that there are; patch always is", config.contexts);
VSPLIT_OPTION(test, bool, "0", 0, 0,
	      "test mode: escapes and fault knobs, for root", config.test);

#undef VSPLIT_PARAM
#undef VSPLIT_OPTION
