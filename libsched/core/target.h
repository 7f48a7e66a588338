/* The target: the definitions of the common source that depend on the language and the processor,
 * one header each. A new backend is a folder with such a header, a program.h (the entry points) and
 * an lsched_i_backend; one line in LSCHED_BACKENDS of <libsched/sched.h>, which generates its
 * enumerator, its name and its entry in core/backends.c; its include below; and its files in
 * libsched/local.mk.
 *
 * A target defines:
 *	LSCHED_WORKER_FN        qualifiers of a function that only workers run
 *	LSCHED_LANES            lanes of a worker: 32 (a warp) or 1 (a thread)
 *	lsched_lane_mask        integer type with a bit for each lane
 *	LSCHED_I_GPU            1: workers are warps, which the hardware schedules: a polling worker
 *	                        does not delay another one, and workers are not preempted
 *	LSCHED_I_IN_WORKER      1 where a LSCHED_FN body may call functions that only workers run
 *	LSCHED_I_TARGET_PROGRAM(name)  name of a program's descriptor
 *	LSCHED_I_TARGET_ENTRIES       template text with its entry points
 * Atomics: those of <libsched/task.h>, which documents them, also with the orders fnc, fna, fnb,
 * fnr, see "Store buffering" below, and
 *	lsched_i_fence_sc()  lsched_i_fence_rel()
 *	lsched_i_fence_sc_sys()  lsched_i_fence_ar_sys()  with the host: seq_cst; acquire and
 *	                                 release. Empty on the CPU, where the accesses have them
 *	lsched_i_local_add(p, v)         on memory of one worker's lanes, relaxed
 *	lsched_i_near_ld, lsched_i_near_st_if, lsched_i_far_st_if   64-bit words; GPUs only
 *	lsched_i_arrive(word, need)      counts an arrival at a word, with acquire and release;
 *	                                 nonzero for the last of `need`, at least 2, which leaves
 *	                                 the word at zero
 * Lanes; all lanes of a worker call them together:
 *	lsched_lane  lsched_sync_worker  lsched_bcast  lsched_ballot   see <libsched/task.h>
 *	lsched_i_shfl(v, lane)  lsched_i_shfl_up(v, distance)  lsched_i_shfl_down(v, distance)
 *	lsched_i_shfl_xor(v, mask)       another lane's value, 32 or 64 bits
 *	lsched_i_sum(v)                  sum of the lanes' values
 *	lsched_i_group_sync(barrier, threads)   barrier of the warps of one worker
 * Lanes of a subset; workers of more than one lane only:
 *	lsched_i_active()                the lanes that execute this call together: any of those
 *	                                 that come here
 *	lsched_i_match_of(mask, v)       the lanes of the mask with the same 64-bit value
 *	lsched_i_ballot_of(mask, predicate)  lsched_i_shfl_of(mask, v, lane)
 *	                                 as above; all lanes of the mask call them together
 * Time and waiting (any lane):
 *	lsched_now_ns()                  the same clock on all processors
 *	lsched_i_ticks()                 a faster clock of one worker, in unknown units
 *	lsched_i_processor(worker)       number of the SM, for traces
 *	lsched_i_relax(spins, workers)   backoff of a wait: for work, a lock, a slot, a barrier
 *	lsched_i_relax_critical(spins)   backoff where another worker is about to end the wait
 *	lsched_i_prefetch_for_write(p)
 *
 * Store buffering: two workers that each write one word and then read the word of the other need
 * sequential consistency, and so do two reads whose order matters relative to such a pair. Write
 * these accesses with the orders fnc, fna, fnb, with lsched_i_fence_sc() between the two. On the
 * CPU they are all seq_cst and the fence is empty, because ThreadSanitizer does not model fences.
 * On the GPU a seq_cst access is a fence.sc and a plain access, so a pair of them costs two fences
 * where one between them is enough: there fnc is relaxed, fna acquires, fnb acquires and releases.
 * Both workers need the fence: a fence.sc orders against another fence.sc only (Le et al., PPoPP
 * 2013, for work stealing).
 *
 * A release store whose address is still being loaded can be written as lsched_i_fence_rel() and a
 * store of order fnr: the fence then waits while the address is loaded, not after that. On the CPU
 * the store releases and the fence is empty. */
#ifndef LIBSCHED_CORE_TARGET_H
#define LIBSCHED_CORE_TARGET_H

#include <stdint.h>
#include <libsched/fn.h>
#include "libsched/core/bits.h"

#ifdef __CUDACC__
#include "libsched/cuda/target.cuh"
#else
#include "libsched/cpu/target.h"
#endif

#endif
