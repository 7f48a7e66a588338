/* Template include: makes an item program (<libsched/items.h>) out of macros, a root function and a
 * body, once in a .c file (NAME_cpu_program) and with the same text in a .cu file (NAME_cuda_program).
 * May be included several times in a file.
 *
 *	#include <libsched/items.h>
 *	#define SCHED_NAME  foo        prefix of all that is generated
 *	#define SCHED_CTX   foo_ctx    as in <libsched/generate.h>
 *	#define SCHED_ITEM  foo_item   plain data of 4, 8, .. 64 bytes
 *	#define SCHED_ROOT  foo_root   uint32_t foo_root(const foo_ctx *, uint32_t i, foo_item *item): makes
 *	                               root i = 0 .. tasks-1 of sched_run_start, returns its procedure
 *	#define SCHED_BODY  foo_body   sched_result foo_body(sched_items *, const foo_ctx *, foo_local *,
 *	                               uint32_t proc, foo_item item)
 * optional, with their defaults:
 *	#define SCHED_GRAIN lane       lane, warp or block: who runs an item together
 *	#define SCHED_GROUP_WARPS 1    block: warps of a worker, 2 to 16
 *	#define SCHED_PROCS 1          procedures, at most 8. Items of one are run together
 *	#define SCHED_MAX_SPAWN 2      items that one item makes at most
 *	#define SCHED_STACK            items of each procedure kept in fast memory: a power of two
 *	#define SCHED_MIN_BATCH 1      lane: a worker with fewer items than this looks for more ...
 *	#define SCHED_BATCH_WAIT 0     ... so many times, before it runs them all the same
 *	#define SCHED_JOINS            defined: the program forks and joins
 *	#define SCHED_REDUCE_SUM       or _MIN or _MAX: how values are reduced; unsigned
 *	#define SCHED_REDUCE foo_fn    or uint64_t foo_fn(uint64_t, uint64_t): associative, commutative, with
 *	                               neutral element 0
 *	#define SCHED_LOCAL foo_local  scratch of a worker, shared by its lanes
 *	#define SCHED_CPU_LANES 1      lane: on the CPU a worker takes so many items at once, at most 32
 *	SCHED_WARPS_PER_BLOCK, SCHED_MIN_BLOCKS, SCHED_PROGRAM_QUEUES as in <libsched/generate.h>
 *	#include <libsched/generate_items.h>
 *
 * Runs: scheme dynamic, any queue. max_tasks is the most roots of a start, queue_capacity the items in
 * all chunks, bin_size counts chunks of 32 items. In timelines an event is a batch, its task the number
 * of items. The order of items is not defined. */
#include <libsched/items.h>
#include "libsched/core/template.h"
#include "libsched/items/chunk.h"

#if !defined(SCHED_NAME) || !defined(SCHED_CTX) || !defined(SCHED_BODY) || !defined(SCHED_ITEM) || \
	!defined(SCHED_ROOT)
#error "define SCHED_NAME, SCHED_CTX, SCHED_ITEM, SCHED_ROOT and SCHED_BODY first"
#endif
#ifndef SCHED__GRAIN_lane
#define SCHED__GRAIN_lane  1
#define SCHED__GRAIN_warp  2
#define SCHED__GRAIN_block 3
#endif
#ifndef SCHED_GRAIN
#define SCHED_GRAIN lane
#endif
#if SCHED__CAT(SCHED__GRAIN_, SCHED_GRAIN) == 1
#define SCHED__IS_LANE 1
#elif SCHED__CAT(SCHED__GRAIN_, SCHED_GRAIN) == 2 || SCHED__CAT(SCHED__GRAIN_, SCHED_GRAIN) == 3
#define SCHED__IS_LANE 0
#else
#error "SCHED_GRAIN must be lane, warp or block"
#endif
#if SCHED__CAT(SCHED__GRAIN_, SCHED_GRAIN) == 3
#ifndef SCHED_GROUP_WARPS
#define SCHED_GROUP_WARPS 4
#endif
#else
#undef SCHED_GROUP_WARPS
#define SCHED_GROUP_WARPS 1
#endif
#ifndef SCHED_WARPS_PER_BLOCK
#define SCHED_WARPS_PER_BLOCK (SCHED_GROUP_WARPS > 1 ? 1 : 4)
#endif
#ifndef SCHED_MIN_BLOCKS
#define SCHED_MIN_BLOCKS 1
#endif
#ifndef SCHED_PROCS
#define SCHED_PROCS 1
#endif
#ifndef SCHED_MAX_SPAWN
#define SCHED_MAX_SPAWN 2
#endif
#ifndef SCHED_CPU_LANES
#define SCHED_CPU_LANES 1
#endif
#ifndef SCHED_MIN_BATCH
#define SCHED_MIN_BATCH 1u
#endif
#ifndef SCHED_BATCH_WAIT
#define SCHED_BATCH_WAIT 0u
#endif
#ifndef SCHED_STACK
#define SCHED__MOST ((SCHED__IS_LANE ? 32 : 1) * (SCHED_MAX_SPAWN + 1) + 32)
#define SCHED_STACK                        \
	(SCHED__MOST <= 64           ? 64  \
		: SCHED__MOST <= 128 ? 128 \
		: SCHED__MOST <= 256 ? 256 \
		: SCHED__MOST <= 512 ? 512 \
				     : 1024)
#endif
#ifdef SCHED_LOCAL
#define SCHED__USER_BYTES ((uint32_t)((sizeof(SCHED_LOCAL) + 15u) & ~(size_t)15u))
#else
#define SCHED_LOCAL       sched_no_local
#define SCHED__USER_BYTES 0u
#endif
#ifdef SCHED_JOINS
#define SCHED__HAS_JOINS 1u
#else
#define SCHED__HAS_JOINS 0u
#endif
#if defined(SCHED_REDUCE)
#define SCHED__REDUCE_OP SCHED__OP_USER
#define SCHED__REDUCE_FN SCHED_REDUCE
#else
#define SCHED__REDUCE_FN NULL
#if defined(SCHED_REDUCE_MIN)
#define SCHED__REDUCE_OP SCHED__OP_MIN
#elif defined(SCHED_REDUCE_MAX)
#define SCHED__REDUCE_OP SCHED__OP_MAX
#else
#define SCHED__REDUCE_OP SCHED__OP_SUM
#endif
#endif
#define SCHED__WORDS ((uint32_t)(sizeof(SCHED_ITEM) / sizeof(uint32_t)))
#define SCHED__LOCAL_BYTES                                     \
	((uint32_t)(SCHED__USER_BYTES + sizeof(sched__level) + \
		    sizeof(uint32_t) * SCHED_PROCS * SCHED__WORDS * (SCHED_STACK)))
#define SCHED__HELPERS  ((uint32_t)(SCHED_GROUP_WARPS - 1))
#define SCHED__HAS_RULE 0u
#define SCHED__IS_ITEMS 1u
/* who waits for company looks into the queue and goes on, which one who stands in line cannot */
#define SCHED__IN_LINE (SCHED_MIN_BATCH <= 1u)

SCHED__STATIC_ASSERT(sizeof(SCHED_CTX) <= SCHED__CTX_MAX_BYTES, "SCHED_CTX is too large");
SCHED__STATIC_ASSERT(sizeof(SCHED_ITEM) % 4 == 0 && sizeof(SCHED_ITEM) <= 64,
	"SCHED_ITEM must have 4, 8, .. 64 bytes");
SCHED__STATIC_ASSERT(
	SCHED_PROCS >= 1 && SCHED_PROCS <= SCHED__PROCS_MAX, "SCHED_PROCS must be 1..8");
SCHED__STATIC_ASSERT(
	SCHED_CPU_LANES >= 1 && SCHED_CPU_LANES <= 32, "SCHED_CPU_LANES must be 1..32");
SCHED__STATIC_ASSERT(SCHED_MIN_BATCH <= 32u, "SCHED_MIN_BATCH must be at most 32");
SCHED__STATIC_ASSERT(SCHED_GROUP_WARPS >= 1 && SCHED_GROUP_WARPS <= 16, "SCHED_GROUP_WARPS: 2..16");

#include "libsched/items/engine.h"

#ifndef SCHED_PROGRAM_QUEUES
#define SCHED_PROGRAM_QUEUES(Y, X) SCHED_QUEUES(Y, X)
#endif
#define SCHED__INSTANCES(X) SCHED_PROGRAM_QUEUES(SCHED__ITEMS, X)

#ifdef __CUDACC__
#include "libsched/cuda/program.cuh"
#else
#include "libsched/cpu/program.h"
#endif

#undef SCHED__INSTANCES
#undef SCHED__COUNT_FN
#undef SCHED__LOCAL_BYTES
#undef SCHED__USER_BYTES
#undef SCHED__HAS_RULE
#undef SCHED__HAS_JOINS
#undef SCHED__HELPERS
#undef SCHED__IS_ITEMS
#undef SCHED__IN_LINE
#undef SCHED__IS_LANE
#undef SCHED__WORDS
#undef SCHED__MOST
#undef SCHED__REDUCE_OP
#undef SCHED__REDUCE_FN
#undef SCHED_NAME
#undef SCHED_CTX
#undef SCHED_ITEM
#undef SCHED_ROOT
#undef SCHED_BODY
#undef SCHED_GRAIN
#undef SCHED_GROUP_WARPS
#undef SCHED_PROCS
#undef SCHED_MAX_SPAWN
#undef SCHED_STACK
#undef SCHED_MIN_BATCH
#undef SCHED_BATCH_WAIT
#undef SCHED_JOINS
#undef SCHED_REDUCE
#undef SCHED_REDUCE_SUM
#undef SCHED_REDUCE_MIN
#undef SCHED_REDUCE_MAX
#undef SCHED_LOCAL
#undef SCHED_CPU_LANES
#undef SCHED_WARPS_PER_BLOCK
#undef SCHED_MIN_BLOCKS
#undef SCHED_PROGRAM_QUEUES
