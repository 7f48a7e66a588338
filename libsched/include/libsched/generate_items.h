/* Template include: generates an item program (<libsched/items.h>) from macros, a root function and
 * a body, once in a C11 or C++17 file (NAME_cpu_program) and with the same text in a .cu file
 * (NAME_cuda_program). May be included several times in a file.
 *
 *	#include <libsched/items.h>
 *	#define LSCHED_NAME  foo        prefix of all generated names
 *	#define LSCHED_CTX   foo_ctx    as in <libsched/generate.h>
 *	#define LSCHED_ITEMS foo_items  from LSCHED_DECLARE_ITEMS(foo_items, foo_item);
 *	#define LSCHED_ROOT  foo_root   uint32_t foo_root(const foo_ctx *, uint32_t i,
 *	                               foo_item *item): writes root i = 0 .. tasks-1 of
 *	                               lsched_run_start, returns its procedure
 *	#define LSCHED_BODY  foo_body   lsched_result foo_body(foo_items *, const foo_ctx *,
 *	                               foo_local *, uint32_t proc, foo_item item)
 * or, for procedures with their own grain, type of items and outputs, instead of LSCHED_BODY,
 * LSCHED_GRAIN, LSCHED_PROCS and LSCHED_MAX_SPAWN:
 *	#define LSCHED_PROCEDURES TABLE
 *	#define LSCHED_ITEMS foo_items  from LSCHED_DECLARE_PROCEDURES(foo_items, TABLE);
 *	                               <libsched/items.h> explains the table
 *	#define LSCHED_ROOT  foo_root   void foo_root(foo_items *, const foo_ctx *, uint32_t i):
 *	                               emits root i, one item, by lsched_emit_to
 *	bodies, named in the table     lsched_result foo_split(foo_items *, const foo_ctx *,
 *	                               foo_local *, split_item item)
 *	#define LSCHED_GROUP_WARPS      required by a procedure of grain block
 * optional, with their defaults:
 *	#define LSCHED_GRAIN lane       threads that execute one item: lane, warp or block
 *	#define LSCHED_GROUP_WARPS 1    block: warps of a worker, 2 to 16
 *	#define LSCHED_PROCS 1          procedures, at most 8. A batch has items of one procedure
 *	#define LSCHED_PROC_NAMES(X) X(a) X(b)
 *	                               their names, for messages, timelines and statistics; default:
 *	                               numbers
 *	#define LSCHED_MAX_SPAWN 2      largest number of items that one item creates
 *	#define LSCHED_CHOOSE_DOWNSTREAM  the next turn runs the procedure with the highest number
 *	                               that has items in fast memory, so that consumers run before
 *	                               their producers; default: the one with the most items
 *	#define LSCHED_CHOOSE foo_fn    or uint32_t foo_fn(const foo_ctx *, const uint32_t *count):
 *	                               returns the procedure, from the items of each in fast memory;
 *	                               called by all lanes. One without items: the default
 *	#define LSCHED_STACK            items of each procedure kept in fast memory: a power of two;
 *	                               by default what a full turn emits and a chunk, with
 *	                               LSCHED_PROCEDURES for each procedure its own
 *	#define LSCHED_MIN_BATCH 1      lane, at most 32: procedures with as many items run first. A
 *	                               worker none of whose procedures has as many (a CPU worker:
 *	                               LSCHED_CPU_LANES, if these are fewer) takes further ones
 *	                               before it runs them: its own chunks, roots, chunks in the
 *	                               queue. Not with LSCHED_ITEM_PRIORITY under the queue prio
 *	#define LSCHED_BATCH_WAIT 0     ... for which it polls the queue up to this many times; with
 *	                               LSCHED_JOBS never
 *	#define LSCHED_AHEAD 0          block, without LSCHED_PROCEDURES: items for each 8 workers
 *	                               that wait in the queue before idle workers request them.
 *	                               Without them a worker keeps its items until its current one
 *	                               ends
 *	#define LSCHED_JOINS            defined: the program forks and joins
 *	#define LSCHED_REDUCE_SUM       or _MIN or _MAX: reduction of values; unsigned
 *	#define LSCHED_REDUCE foo_fn    or uint64_t foo_fn(uint64_t, uint64_t): associative,
 *	                               commutative, with neutral element 0
 *	#define LSCHED_LOCAL foo_local  scratch of a worker, shared by its lanes
 *	#define LSCHED_CPU_LANES 1      lane: items that a CPU worker dequeues at once, at most 32
 *	#define LSCHED_REPEATS          defined: bodies may return LSCHED_AGAIN
 *	#define LSCHED_ITEM_PRIORITY foo_priority
 *	                               used by the queue prio: LSCHED_FN uint32_t foo_priority(
 *	                               const foo_ctx *, uint32_t proc, const void *item); larger
 *	                               runs first
 *	#define LSCHED_JOBS             defined: the program executes the jobs of a service, see
 *	                               <libsched/jobs.h>. With LSCHED_PROCEDURES, without
 *	                               LSCHED_REPEATS and _ITEM_PRIORITY
 *	#define LSCHED_JOB_DISCARD      with LSCHED_JOBS: items hold no joins, so those of
 *	                               cancelled jobs are dropped without being run
 *	LSCHED_WARPS_PER_BLOCK, LSCHED_MIN_BLOCKS, LSCHED_PROGRAM_QUEUES as in libsched/generate.h;
 *	                               with LSCHED_JOBS and no block items LSCHED_MIN_BLOCKS is
 *	                               by default 24 warps of an SM: 80 registers, which the
 *	                               controller's code would exceed
 *	#include <libsched/generate_items.h>
 *
 * Back-pressure, with LSCHED_PROCEDURES: a full pool of chunks is no failure. A procedure whose
 * outputs have no room does not run; the worker runs fewer items a turn, or another procedure, or
 * waits until others have made room. lsched_run_options.procedure_capacity bounds the items of a
 * procedure in a run: at the bound no procedure with a lower number that emits to it runs. Emitting
 * to the own procedure or to lower numbers, and drawing roots, are not bounded by it: that could
 * stop the consumers. Workers count in batches, so the bound may be exceeded by 32 items and the
 * outputs of a turn for each worker. If all procedures emit to higher numbers only, a run ends with
 * any pool and any capacities. Otherwise the pool must hold the depth of the recursion; when all
 * workers wait for room, the run fails after timeout_ms with LSCHED_ERR_OVERFLOW, and the message
 * names procedure and capacity.
 *
 * Order with the queue prio and LSCHED_ITEM_PRIORITY (with other queues it has no effect): items
 * pass through the queue in chunks of at most one batch (LSCHED_CPU_LANES items on a CPU, 32 lane
 * items or one other item on a GPU) of one procedure, in the order in which they were created. A
 * chunk has the priority of its most urgent item when it is enqueued, and a place in the order that
 * <libsched/generate.h> states for items: with one worker and at most 256 chunks the most urgent
 * chunk is run first, always. Roots enter while the queue is less than half full. Without a free
 * chunk a worker runs the items that it has created at once, and while one of its procedures waits
 * for room or was put back (LSCHED_AGAIN), in the usual order. queue_capacity counts 32 items for
 * each chunk.
 *
 * lsched_run_options.never_keep: after each batch all items leave the worker's stacks through the
 * queue, for comparisons of queues, in chunks of at most one batch of one procedure (as above), so
 * that queue_capacity counts 32 items for each batch. Roots run where they are drawn. Without a
 * free chunk the policy FAIL fails the run; under INLINE, and with LSCHED_PROCEDURES, the worker
 * runs these items next (lsched_stats.inlined is not 0 then). Items stay, too, while a procedure of
 * the worker waits for room or was put back (LSCHED_AGAIN), and with LSCHED_PROCEDURES under dist
 * and, beyond a quarter of the pool or with a capacity, under the queues that work in rounds. With
 * LSCHED_PROCEDURES and LSCHED_REPEATS a run may end by timeout_ms under the queues with deques.
 *
 * Runs: scheme dynamic, any queue. max_tasks is the most roots of a start, queue_capacity the items
 * in all chunks, bin_size counts chunks of 32 items. In timelines an event is a batch, its task the
 * number of items. The order of items is not defined. */
#include <libsched/items.h>
#include "libsched/core/template.h"
#include "libsched/items/chunk.h"

#if !defined(LSCHED_NAME) || !defined(LSCHED_CTX) || !defined(LSCHED_ITEMS) || \
	!defined(LSCHED_ROOT) || (!defined(LSCHED_BODY) && !defined(LSCHED_PROCEDURES))
#error "define LSCHED_NAME, LSCHED_CTX, LSCHED_ITEMS, LSCHED_ROOT and LSCHED_BODY first"
#endif
#ifdef LSCHED_PROCEDURES
#define LSCHED_I_TABLE 1
#if defined(LSCHED_BODY) || defined(LSCHED_GRAIN) || defined(LSCHED_PROCS) || \
	defined(LSCHED_PROC_NAMES) || defined(LSCHED_MAX_SPAWN)
#error "LSCHED_PROCEDURES replaces LSCHED_BODY, _GRAIN, _PROCS, _PROC_NAMES and _MAX_SPAWN"
#endif
#else
#define LSCHED_I_TABLE 0
#endif
#ifndef LSCHED_I_GRAIN_lane
#define LSCHED_I_GRAIN_lane  1
#define LSCHED_I_GRAIN_warp  2
#define LSCHED_I_GRAIN_block 3
#endif
#ifndef LSCHED_GRAIN
#define LSCHED_GRAIN lane
#endif
#if LSCHED_I_CAT(LSCHED_I_GRAIN_, LSCHED_GRAIN) == 1
#define LSCHED_I_IS_LANE 1
#elif LSCHED_I_CAT(LSCHED_I_GRAIN_, LSCHED_GRAIN) == 2 || \
	LSCHED_I_CAT(LSCHED_I_GRAIN_, LSCHED_GRAIN) == 3
#define LSCHED_I_IS_LANE 0
#else
#error "LSCHED_GRAIN must be lane, warp or block"
#endif
#if LSCHED_I_TABLE
#ifndef LSCHED_GROUP_WARPS
#define LSCHED_GROUP_WARPS 1
#endif
#elif LSCHED_I_CAT(LSCHED_I_GRAIN_, LSCHED_GRAIN) == 3
#ifndef LSCHED_GROUP_WARPS
#define LSCHED_GROUP_WARPS 4
#endif
#else
#undef LSCHED_GROUP_WARPS
#define LSCHED_GROUP_WARPS 1
#endif
#ifndef LSCHED_WARPS_PER_BLOCK
#define LSCHED_WARPS_PER_BLOCK (LSCHED_GROUP_WARPS > 1 ? 1 : 4)
#endif
#if !defined(LSCHED_MIN_BLOCKS) && defined(LSCHED_JOBS) && LSCHED_GROUP_WARPS == 1
#define LSCHED_MIN_BLOCKS (24 / LSCHED_WARPS_PER_BLOCK) /* 80 registers */
#endif
#ifndef LSCHED_MIN_BLOCKS
#define LSCHED_MIN_BLOCKS 1
#endif
#if LSCHED_I_TABLE
#define LSCHED_PROCS ((uint32_t)LSCHED_I_CAT(LSCHED_ITEMS, _procs))
#elif !defined(LSCHED_PROCS)
#define LSCHED_PROCS 1
#endif
#ifndef LSCHED_MAX_SPAWN
#define LSCHED_MAX_SPAWN 2
#endif
#ifndef LSCHED_CPU_LANES
#define LSCHED_CPU_LANES 1
#endif
#ifndef LSCHED_AHEAD
#define LSCHED_AHEAD 0u
#endif
#ifndef LSCHED_MIN_BATCH
#define LSCHED_MIN_BATCH 1u
#endif
#ifndef LSCHED_BATCH_WAIT
#define LSCHED_BATCH_WAIT 0u
#endif
#if !defined(LSCHED_STACK) && !LSCHED_I_TABLE
#define LSCHED_I_MOST ((LSCHED_I_IS_LANE ? 32 : 1) * (LSCHED_MAX_SPAWN + 1) + 32)
#define LSCHED_STACK                         \
	(LSCHED_I_MOST <= 64           ? 64  \
		: LSCHED_I_MOST <= 128 ? 128 \
		: LSCHED_I_MOST <= 256 ? 256 \
		: LSCHED_I_MOST <= 512 ? 512 \
				       : 1024)
#endif
#ifdef LSCHED_LOCAL
#define LSCHED_I_USER_BYTES ((uint32_t)((sizeof(LSCHED_LOCAL) + 15u) & ~(size_t)15u))
#else
#define LSCHED_LOCAL        lsched_no_local
#define LSCHED_I_USER_BYTES 0u
#endif
#ifdef LSCHED_JOINS
#define LSCHED_I_HAS_JOINS 1u
#else
#define LSCHED_I_HAS_JOINS 0u
#endif
#if defined(LSCHED_REDUCE)
#define LSCHED_I_REDUCE_OP LSCHED_I_OP_USER
#define LSCHED_I_REDUCE_FN LSCHED_REDUCE
#else
#define LSCHED_I_REDUCE_FN NULL
#if defined(LSCHED_REDUCE_MIN)
#define LSCHED_I_REDUCE_OP LSCHED_I_OP_MIN
#elif defined(LSCHED_REDUCE_MAX)
#define LSCHED_I_REDUCE_OP LSCHED_I_OP_MAX
#else
#define LSCHED_I_REDUCE_OP LSCHED_I_OP_SUM
#endif
#endif
#if LSCHED_I_TABLE
#define LSCHED_I_ITEM_TYPE    LSCHED_I_N(_items_record)
#define LSCHED_I_STACKS_BYTES (sizeof(lsched_i_pressure) + sizeof(LSCHED_I_N(_items_stacks)))
#define LSCHED_I_OF_TABLE     LSCHED_I_N(_items_procedures), LSCHED_PROCS
/* a blocked worker polls the queue and continues; one waiting on a ticket cannot */
#define LSCHED_I_HAS_TICKET_WAIT 0u
#else
#define LSCHED_I_ITEM_TYPE    LSCHED_I_CAT(LSCHED_ITEMS, _item)
#define LSCHED_I_STACKS_BYTES (sizeof(uint32_t) * LSCHED_PROCS * LSCHED_I_WORDS * (LSCHED_STACK))
#ifdef LSCHED_PROC_NAMES
#define LSCHED_I_P_NAMED(name) { #name, LSCHED_I_NO_CAPACITY },
static const lsched_i_procedure LSCHED_I_N(
	_items_procedures)[] = { LSCHED_PROC_NAMES(LSCHED_I_P_NAMED) };
LSCHED_I_STATIC_ASSERT(
	sizeof(LSCHED_I_N(_items_procedures)) == LSCHED_PROCS * sizeof(lsched_i_procedure),
	"LSCHED_PROC_NAMES must have LSCHED_PROCS names");
#undef LSCHED_I_P_NAMED
#define LSCHED_I_OF_TABLE LSCHED_I_N(_items_procedures), LSCHED_PROCS
#else
#define LSCHED_I_OF_TABLE NULL, LSCHED_PROCS
#endif
/* the same with a worker accumulating a batch */
#define LSCHED_I_HAS_TICKET_WAIT (LSCHED_MIN_BATCH <= 1u)
#endif
#define LSCHED_I_WORDS ((uint32_t)(sizeof(LSCHED_I_ITEM_TYPE) / sizeof(uint32_t)))
#define LSCHED_I_LOCAL_BYTES \
	((uint32_t)(LSCHED_I_USER_BYTES + sizeof(lsched_i_level) + LSCHED_I_STACKS_BYTES))
#define LSCHED_I_HELPERS  ((uint32_t)(LSCHED_GROUP_WARPS - 1))
#define LSCHED_I_HAS_RULE 0u
#ifdef LSCHED_REPEATS
#define LSCHED_I_REPEATS 1
#else
#define LSCHED_I_REPEATS 0
#endif
#define LSCHED_I_MESSAGE_WORDS 0u

#define LSCHED_I_IS_ITEMS (1u | 2u * LSCHED_I_TABLE)
#ifdef LSCHED_ITEM_PRIORITY
#define LSCHED_I_HAS_PRIORITY 1u
#elif defined(LSCHED_JOBS)
#define LSCHED_I_HAS_PRIORITY LSCHED_I_IS_JOBS
#else
#define LSCHED_I_HAS_PRIORITY 0u
#endif

LSCHED_I_STATIC_ASSERT(sizeof(LSCHED_CTX) <= LSCHED_I_CTX_MAX_BYTES, "LSCHED_CTX is too large");
#if !LSCHED_I_TABLE
LSCHED_I_STATIC_ASSERT(sizeof(LSCHED_I_ITEM_TYPE) % 4 == 0 && sizeof(LSCHED_I_ITEM_TYPE) <= 64,
	"an item must have 4, 8, .. 64 bytes");
#ifndef __cplusplus /* C++ rejects a call with another pointer type; C compilers only warn */
LSCHED_I_STATIC_ASSERT(
	_Generic(LSCHED_ROOT, uint32_t (*)(const LSCHED_CTX *, uint32_t, LSCHED_I_ITEM_TYPE *) : 1,
		default : 0),
	"LSCHED_ROOT must be a uint32_t (const LSCHED_CTX *, uint32_t, item *) with the item of "
	"LSCHED_ITEMS");
LSCHED_I_STATIC_ASSERT(_Generic(LSCHED_BODY,
			       lsched_result (*)(LSCHED_ITEMS *, const LSCHED_CTX *, LSCHED_LOCAL *,
				       uint32_t, LSCHED_I_ITEM_TYPE) : 1,
			       default : 0),
	"LSCHED_BODY must be a lsched_result (LSCHED_ITEMS *, const LSCHED_CTX *, LSCHED_LOCAL *, "
	"uint32_t, item) with the item of LSCHED_ITEMS");
#endif
#endif
LSCHED_I_STATIC_ASSERT(
	LSCHED_PROCS >= 1 && LSCHED_PROCS <= LSCHED_I_PROCS_MAX, "LSCHED_PROCS must be 1..8");
LSCHED_I_STATIC_ASSERT(
	LSCHED_CPU_LANES >= 1 && LSCHED_CPU_LANES <= 32, "LSCHED_CPU_LANES must be 1..32");
LSCHED_I_STATIC_ASSERT(LSCHED_MIN_BATCH <= 32u, "LSCHED_MIN_BATCH must be at most 32");
LSCHED_I_STATIC_ASSERT(
	LSCHED_GROUP_WARPS >= 1 && LSCHED_GROUP_WARPS <= 16, "LSCHED_GROUP_WARPS: 2..16");

#ifdef LSCHED_JOBS
#if !LSCHED_I_TABLE
#error "LSCHED_JOBS needs LSCHED_PROCEDURES: a full pool of chunks must not end the service"
#endif
#if defined(LSCHED_REPEATS) || defined(LSCHED_ITEM_PRIORITY)
#error "LSCHED_JOBS excludes LSCHED_REPEATS and _ITEM_PRIORITY; remove them"
#endif
#ifdef LSCHED_PROGRAM_QUEUES
#error "LSCHED_JOBS has the queue prio only; remove LSCHED_PROGRAM_QUEUES"
#endif
#define LSCHED_PROGRAM_QUEUES LSCHED_I_JOBS_QUEUES
#elif defined(LSCHED_JOB_DISCARD)
#error "LSCHED_JOB_DISCARD needs LSCHED_JOBS"
#endif

#if defined(LSCHED_CHOOSE)
#define LSCHED_I_CHOICE 2
#elif defined(LSCHED_CHOOSE_DOWNSTREAM)
#define LSCHED_I_CHOICE 1
#else
#define LSCHED_I_CHOICE 0
#endif

#include "libsched/items/engine.h"

#ifndef LSCHED_PROGRAM_QUEUES
#define LSCHED_PROGRAM_QUEUES LSCHED_I_USUAL_QUEUES
#endif
#define LSCHED_I_INSTANCES(X) LSCHED_PROGRAM_QUEUES(LSCHED_I_ITEMS, X)

#include "libsched/core/instance.h"
#include LSCHED_I_TARGET_ENTRIES
#include "libsched/core/undefine.h"
