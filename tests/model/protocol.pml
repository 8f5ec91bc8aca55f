/* SPDX-License-Identifier: MIT */
/*
 * The protocol by which vsplit places, pages and runs split DMA buffers, as a
 * model for spin. README.md says what stands for which function of the driver.
 *
 * A world (-DWORLD=...) says who submits what. Switches, all off by default:
 *
 *   OWN_PAGING    a paging engine of its own, with handover of a program's steps
 *   SAVE_RESTORE  the render engine may change to another context at split points
 *   HANGS=n       n portions may hang, whichever they are
 *   FAULTS=n      n portions may fault, whichever they are
 *   KILL=mask     contexts whose client may be killed at any point
 *   LATE_FAIL     a submission may fail after planning, before the commit
 *   UNPLUG        the adapter may go away at any time
 *   EVICTOR=n     n evictions that no submission causes
 *   CPU=n         n accesses by the CPU, to any allocation
 *   EXPLICIT      submissions use explicit synchronisation
 *   FORCE_SPLIT   mask of contexts that take every split point
 *   CREDITS=n     the ring of the render engine holds n programs
 *   FINE          other processes may come between any two steps that carry out a plan
 *
 * M_... plants a bug; the models have to find each one: see "run".
 */

#include "worlds.pml"
#include "state.pml"
#include "memory.pml"
#include "program.pml"
#include "engines.pml"
#include "clients.pml"
