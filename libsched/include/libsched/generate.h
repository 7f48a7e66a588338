/* Template include: generates a program from macros and a task body, once in a C11 or C++17 file
 * (NAME_cpu_program) and with the same text in a .cu file (NAME_cuda_program). May be included
 * several times in a file.
 *
 *	#include <libsched/task.h>
 *	#define LSCHED_NAME  foo        prefix of all generated names
 *	#define LSCHED_CTX   foo_ctx    plain data, the same layout in C and CUDA, at most 2 KiB;
 *	                               copied at every start and read-only to the tasks
 *	#define LSCHED_BODY  foo_body   lsched_result foo_body(lsched_worker *, const foo_ctx *,
 *	                               foo_local *, uint32_t task); all lanes of a worker enter it
 *	#define LSCHED_LOCAL foo_local  optional: scratch of a worker, kept from task to task of a
 *	                               run (see lsched_prev), undefined before the first. CUDA:
 *	                               shared memory of the warp, 16-aligned; CPU: an object aligned
 *	                               to 64
 *	#define LSCHED_RULE  foorule    optional: prefix of the dependency rule. Without it the
 *	                               tasks are items 0..tasks-1 and spawned items (scheme dynamic
 *	                               only)
 *	#define LSCHED_ONLY_SCHEME dynamic
 *	                               optional, with a rule: the only scheme that a run can use:
 *	                               dynamic, static, sync or epoch. The rule needs the functions
 *	                               of that scheme only
 *	#define LSCHED_PRIORITY foo_priority
 *	                               optional, used by the queue prio: LSCHED_FN uint32_t
 *	                               foo_priority(const foo_ctx *, uint32_t item); larger runs
 *	                               first
 *	#define LSCHED_WORD_BODY foo_word  optional, with a rule: lsched_result foo_word(
 *	                               lsched_worker *, const foo_ctx *, foo_local *, uint32_t task,
 *	                               uint32_t *word), the body under the scheme epoch: it reads
 *	                               its predecessors' words by lsched_word() and passes *word,
 *	                               the same in all lanes, to its successors. At most 32
 *	                               predecessors a task
 *	#define LSCHED_MESSAGES 20      optional, with a rule: words of a task's message, 1..1024
 *	                               (lsched_send and lsched_receive in <libsched/task.h>).
 *	                               Under static such a program's tasks begin without a wait
 *	                               for their predecessors, and see no other writes of theirs
 *	                               than these words, except of tasks of their own chain.
 *	                               dynamic and sync are unchanged: all words have been sent.
 *	                               Not with LSCHED_WORD_BODY
 *	#define LSCHED_POPS             optional: bodies dequeue from the run's queue themselves
 *	                               (lsched_i_queue_pop_n; for tests and measurements of queues)
 *	#define LSCHED_WARPS_PER_BLOCK 4    optional, CUDA: workers of a block; under epoch as many
 *	                               consecutive chains pass words through shared memory
 *	#define LSCHED_MIN_BLOCKS      4    optional, CUDA: second argument of __launch_bounds__
 *	#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
 *	                               optional: the queues that a run of the program can use.
 *	                               LSCHED_QUEUES: all; lines of that table, as in
 *	                               LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring):
 *	                               these; default: ring, steal and prio. The body is compiled
 *	                               once for each
 *	#define LSCHED_HELPER foo_help  optional, CUDA: void foo_help(uint32_t pair, const
 *	                               foo_ctx *, foo_local *, uint32_t task, uint32_t prev), run by
 *	                               further warps of the worker concurrently with the body; prev
 *	                               is the body's lsched_prev. All call lsched_pair_sync(pair)
 *	                               equally often, at least once, in a task (the body with
 *	                               w->pair), and see what the others wrote before it. A body
 *	                               starts after the helpers have finished the previous task
 *	#define LSCHED_HELPER_WARPS 1       optional: number of these warps, 1..7; lsched_helper
 *	                               (pair) is the number of a warp among them
 *	#include <libsched/generate.h>
 *
 * The rule: LSCHED_FN functions of (const foo_ctx *c, ...), all uint32_t. They are also called on
 * the host, with the host's copy of the context: use its numbers and follow no pointer in
 * root_count, chain_count, wave_count and wave_size. P = LSCHED_RULE:
 *	P_pred_count(c, task)   P_pred(c, task, k)     predecessors of a task; sync: neither,
 *	                                               dynamic: no P_pred, without messages
 *	P_succ_count(c, task)   P_succ(c, task, k)     dynamic: successors; the first that becomes
 *	                                               ready stays with the worker
 *	P_root_count(c)         P_root(c, i)           dynamic: tasks without predecessors
 *	P_chain_count(c)        P_chain_head(c, i)     static, epoch: chains; the predecessors of a
 *	P_chain_next(c, task)                          task are earlier in its chain or in an
 *	                                               earlier chain; LSCHED_NONE ends a chain
 *	P_wave_count(c)         P_wave_size(c, wave)   sync: wavefronts; the predecessors of a task
 *	P_wave_task(c, wave, i)                        are in earlier wavefronts
 * Each task is in one chain and in one wavefront. <libsched/stencil.h> and <libsched/csr.h> have
 * the rules of grids and of graphs in memory.
 *
 * The priority function is called repeatedly while an item is queued, in any lane, so its result
 * may change: it may depend on memory that bodies write (with lsched_st, read with lsched_ld) and
 * on time. It must return, and must neither spawn nor wait. It may be called for an item that is
 * running or has finished: the data that it reads must stay valid. The writes of the item's spawner
 * before the spawn are visible.
 *
 * Order of items, with S = 128:
 * - One worker: while at most 2 S items are queued, all priorities are evaluated before each pop,
 *   which returns the largest, the oldest of equal ones. With more items it returns the largest too
 *   if priorities do not change; a change takes effect after at most S pops or S new items.
 * - With controllers: no worker pops before a pass has covered all roots (as many as fit into the
 *   queue), unless there are more than 65,536. Each pass moves the S best to the front, in order;
 *   items pushed meanwhile wait for the next pass. Until then an item may be popped before a better
 *   one, and near the front this always happens while workers pop faster than a window is sorted:
 *   as in the paper, running a less urgent item is better than waiting.
 * - Two or three CPU workers: each sorts as a single one does. Its next pass, after at most S pops
 *   or S new items, takes account of the other workers' pushes and pops.
 * - Only queued items are ordered. Roots enter while the queue is less than half full (all of them,
 *   where it cannot overflow; queue_capacity 0 gives room for all), and an item in the spill list
 *   (policy INLINE) runs at once. Without LSCHED_PRIORITY prio is a FIFO. */

#include <libsched/task.h>
#include "libsched/core/template.h"

#if !defined(LSCHED_NAME) || !defined(LSCHED_CTX) || !defined(LSCHED_BODY)
#error "define LSCHED_NAME, LSCHED_CTX and LSCHED_BODY before including <libsched/generate.h>"
#endif
#ifndef LSCHED_WARPS_PER_BLOCK
#define LSCHED_WARPS_PER_BLOCK 4
#endif
#ifndef LSCHED_MIN_BLOCKS
#define LSCHED_MIN_BLOCKS 1
#endif
#ifdef LSCHED_LOCAL
#define LSCHED_I_LOCAL_BYTES ((uint32_t)((sizeof(LSCHED_LOCAL) + 15u) & ~(size_t)15u))
#else
#define LSCHED_LOCAL         lsched_no_local
#define LSCHED_I_LOCAL_BYTES 0u
#endif
#ifdef LSCHED_HELPER
#ifndef LSCHED_HELPER_WARPS
#define LSCHED_HELPER_WARPS 1
#endif
#define LSCHED_I_HELPERS ((uint32_t)(LSCHED_HELPER_WARPS))
LSCHED_I_STATIC_ASSERT(
	LSCHED_HELPER_WARPS >= 1 && LSCHED_HELPER_WARPS <= 7, "LSCHED_HELPER_WARPS: 1..7");
#else
#define LSCHED_I_HELPERS 0u
#endif
#ifndef LSCHED_I_ONLY_dynamic
#define LSCHED_I_ONLY_dynamic 1
#define LSCHED_I_ONLY_static  2
#define LSCHED_I_ONLY_sync    4
#define LSCHED_I_ONLY_epoch   8
#endif
#ifdef LSCHED_RULE
#define LSCHED_I_HAS_RULE 1u
#ifdef LSCHED_ONLY_SCHEME
#define LSCHED_I_SCHEMES LSCHED_I_CAT(LSCHED_I_ONLY_, LSCHED_ONLY_SCHEME)
#if LSCHED_I_SCHEMES == 0
#error "LSCHED_ONLY_SCHEME must be dynamic, static, sync or epoch"
#endif
#if LSCHED_I_SCHEMES == 8 && !defined(LSCHED_WORD_BODY)
#error "LSCHED_ONLY_SCHEME epoch needs a LSCHED_WORD_BODY"
#endif
#else
#define LSCHED_I_SCHEMES 15
#endif
#else
#define LSCHED_I_HAS_RULE 0u
#define LSCHED_I_SCHEMES  1
#endif
#ifdef LSCHED_MESSAGES
#ifndef LSCHED_RULE
#error "LSCHED_MESSAGES needs a LSCHED_RULE: messages are sent along dependencies"
#endif
#ifdef LSCHED_WORD_BODY
#error "LSCHED_MESSAGES and LSCHED_WORD_BODY exclude each other; remove one of them"
#endif
#define LSCHED_I_MESSAGE_WORDS ((uint32_t)(LSCHED_MESSAGES))
LSCHED_I_STATIC_ASSERT(LSCHED_MESSAGES >= 1 && LSCHED_MESSAGES <= 1024, "LSCHED_MESSAGES: 1..1024");
#else
#define LSCHED_I_MESSAGE_WORDS 0u
#endif
#define LSCHED_I_IS_ITEMS 0u
#ifdef LSCHED_POPS
#define LSCHED_I_HAS_TICKET_WAIT 0u
#else
#define LSCHED_I_HAS_TICKET_WAIT 1u
#endif

LSCHED_I_STATIC_ASSERT(sizeof(LSCHED_CTX) <= LSCHED_I_CTX_MAX_BYTES, "LSCHED_CTX is too large");

#if LSCHED_I_SCHEMES & 10 || defined(LSCHED_MESSAGES)
#include "libsched/deps/stalled.h"
#endif

/* Runs one task; returns 0 when it failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_run_task)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t task)
{
	uint64_t start_ns = 0;
	uint32_t bad;
	lsched_result r;

	if (w->a->trace)
		start_ns = lsched_now_ns();
	if (w->a->current_task && lsched_lane() == 0)
		lsched_st(&w->a->current_task[w->index], task + 1, rlx, sys);
	lsched_sync_worker();
#if defined(LSCHED_HELPER) && LSCHED_I_GPU
	if (lsched_lane() == 0) {
		w->priv->helper_task = task;
		w->priv->helper_prev = w->prev;
	}
	lsched_pair_sync(w->pair);
#endif
	r = LSCHED_BODY(w, c, l, task);
	lsched_sync_worker();
	bad = lsched_ballot(r != LSCHED_DONE);
	if (bad) {
#ifdef LSCHED_MESSAGES
		LSCHED_I_N(_message_failed)(w, c, task);
#endif
		if ((bad & (0u - bad)) == 1u << lsched_lane())
			lsched_i_fail(w, LSCHED_I_FAIL_TASK, task, (uint32_t)w->fail_code);
		return 0;
	}
	if (w->a->trace && lsched_lane() == 0)
		lsched_i_trace_add(w, task, 0, start_ns);
	w->prev = task;
	return 1;
}

#if LSCHED_I_SCHEMES & 1
#include "libsched/deps/dynamic.h"
#endif
#if LSCHED_I_SCHEMES & 2
#include "libsched/deps/static.h"
#endif
#if LSCHED_I_SCHEMES & 4
#include "libsched/deps/sync.h"
#endif
#if LSCHED_I_SCHEMES & 8 && defined(LSCHED_WORD_BODY)
#include "libsched/deps/epoch.h"
#endif

/* Instances: one for every queue under dynamic, one each for the schemes that use no queue. */
#if LSCHED_I_SCHEMES & 8 && defined(LSCHED_WORD_BODY)
#define LSCHED_I_EPOCH_INSTANCE(X) X(EPOCH, _epoch, RING, epoch_any)
#else
#define LSCHED_I_EPOCH_INSTANCE(X)
#endif
#ifndef LSCHED_PROGRAM_QUEUES
#define LSCHED_PROGRAM_QUEUES LSCHED_I_USUAL_QUEUES
#endif
#if LSCHED_I_SCHEMES == 15
#define LSCHED_I_INSTANCES(X)                      \
	LSCHED_PROGRAM_QUEUES(LSCHED_I_DYNAMIC, X) \
	X(STATIC, _static, RING, static_any)       \
	X(SYNC, _sync, RING, sync_any) LSCHED_I_EPOCH_INSTANCE(X)
#elif LSCHED_I_SCHEMES == 1
#define LSCHED_I_INSTANCES(X) LSCHED_PROGRAM_QUEUES(LSCHED_I_DYNAMIC, X)
#elif LSCHED_I_SCHEMES == 2
#define LSCHED_I_INSTANCES(X) X(STATIC, _static, RING, static_any)
#elif LSCHED_I_SCHEMES == 4
#define LSCHED_I_INSTANCES(X) X(SYNC, _sync, RING, sync_any)
#else
#define LSCHED_I_INSTANCES(X) LSCHED_I_EPOCH_INSTANCE(X)
#endif

#include "libsched/core/instance.h"
#include LSCHED_I_TARGET_ENTRIES
#include "libsched/core/undefine.h"
