/* Output streams: bounded arrays to which bodies append elements, in any order. C11 and CUDA, the
 * same source; for items, tasks and kernels of the program's own.
 *
 *	typedef struct hit { uint32_t a, b; } hit;
 *	LSCHED_DECLARE_STREAM(hits, hit);
 *	typedef struct foo_ctx { hits out; ... } foo_ctx;
 *
 *	in a body:	const hit h = { a, b };
 *			hits_append(&c->out, &h, 1);
 *	on the host, or with lsched_run_once_with():
 *			lsched_stream_open(ctx, &foo.out.any, sizeof(hit), 100000);
 *			do {
 *				lsched_stream_clear(ctx, &foo.out.any);
 *				... lsched_run_start(run, &foo, ...) and lsched_run_finish
 *				lsched_stream_counts(ctx, &foo.out.any, &needed, NULL);
 *			} while (needed > foo.out.any.capacity &&
 *				lsched_stream_enlarge(ctx, &foo.out.any, needed) == LSCHED_OK);
 *
 * Elements without room are not stored, but counted: nothing is lost unnoticed, and the count is
 * the room that another execution needs. Places ascend in the order of the additions to the count,
 * so that the elements stored are 0 .. stored - 1 without a gap, also when the stream is full.
 *
 * Additions to one address bound the throughput: an H200 executes 1.2 to 1.4 G of them a second,
 * whatever they add. So all lanes of a warp that append to one stream at the same time share one
 * addition. For the best rate a body collects its elements, and calls the function once, at its
 * end, where its lanes have converged, with the number of them (0 is allowed); on a CPU, where a
 * worker has one lane, with some 64 elements. There is no staging area behind this: in fast memory
 * it would take room from the items' stacks, for additions that each serve some 30 elements as it
 * is, and elements in it would not be visible to items that run after a join.
 *
 * An element is written by plain stores. The host reads it after the end of the run, and an item
 * does where it comes after the append by the order of joins or of its creation. */
#ifndef LIBSCHED_STREAM_H
#define LIBSCHED_STREAM_H

#include <string.h>
#include <libsched/sched.h>
#include <libsched/task.h>

/* Returned by lsched_append() where there is no room. */
#define LSCHED_NO_PLACE UINT64_MAX

/* In the memory of the tasks, in cache lines of its own. */
typedef struct lsched_stream_state {
	uint64_t count; /* elements appended, with or without room */
	uint64_t end;   /* if count exceeds the capacity: elements stored */
	uint64_t pad[14];
} lsched_stream_state;

/* A stream: part of the program's context, by value. Bodies read the first three members. */
typedef struct lsched_stream {
	lsched_stream_state *state;
	void *elements; /* [capacity], memory of the tasks */
	uint64_t capacity;
	uint64_t high_water; /* largest count that lsched_stream_counts() has read */
	uint64_t element_bytes;
} lsched_stream;

/* Adds the n of each lane that calls it now to its count, with one addition for each count. Returns
 * the count before this lane's n. Any lanes, also with different counts and numbers. */
LSCHED_WORKER_FN uint64_t lsched_i_append_lanes(uint64_t *count, uint32_t n)
{
#if LSCHED_LANES > 1
	const lsched_lane_mask group = lsched_i_match_of(lsched_i_active(), (uint64_t)count);
	const uint32_t leader = lsched_i_lowest_bit(group);
	uint64_t below = 0, all = 0, first = 0;

	/* the sums, bit by bit: a vote serves any subset of lanes, a scan would need neighbours */
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < 32; k++) {
		lsched_lane_mask bits;

		if (!lsched_i_ballot_of(group, n >> k != 0))
			break;
		bits = lsched_i_ballot_of(group, n >> k & 1u);
		below += (uint64_t)lsched_popcount(bits & LSCHED_I_LANES_BELOW()) << k;
		all += (uint64_t)lsched_popcount(bits) << k;
	}
	if (lsched_lane() == leader && all)
		first = lsched_add(count, all, rlx, dev);
	return lsched_i_shfl_of(group, first, leader) + below;
#else
	return n ? lsched_add(count, (uint64_t)n, rlx, dev) : 0;
#endif
}

/* Nonzero: a body has appended to a stream that is not open. Each worker fails its run for it when
 * it leaves. */
#ifdef __CUDACC__
static __device__ uint32_t lsched_i_stream_closed;
#else
static uint32_t lsched_i_stream_closed;
#endif

/* Called by the generated code at the end of a worker. */
LSCHED_WORKER_FN void lsched_i_stream_check(lsched_worker *w)
{
	uint32_t one = 1;

	if (lsched_lane() == 0 && lsched_ld(&lsched_i_stream_closed, rlx, dev) &&
		lsched_cas(&lsched_i_stream_closed, &one, 0u, rlx, dev))
		lsched_i_fail(w, LSCHED_I_FAIL_STREAM, LSCHED_NONE, 0);
}

/* Reserves n neighbouring places for this lane and returns the first; LSCHED_NO_PLACE if not all of
 * them are below the capacity: they are counted, and nothing is to be stored. With n = 0 the result
 * has no meaning. Any lane, in divergent code; each lane receives places of its own. A stream that
 * is not open (zero bytes) has no place, and fails the run. */
LSCHED_WORKER_FN uint64_t lsched_append(const lsched_stream *s, uint32_t n)
{
	uint64_t first;

	if (LSCHED_I_UNLIKELY(!s->state)) {
		lsched_st(&lsched_i_stream_closed, 1u, rlx, dev);
		return LSCHED_NO_PLACE;
	}
	first = lsched_i_append_lanes(&s->state->count, n);
	if (first + n <= s->capacity)
		return first;
	/* one call only goes beyond the capacity from below; all later ones begin beyond it */
	if (first <= s->capacity && n)
		s->state->end = first;
	return LSCHED_NO_PLACE;
}

/* Declares the stream of a type of elements, and functions for bodies:
 *	element_type *NAME_elements(const NAME *s);
 *		the elements, for bodies that store them by themselves: place k of lsched_append()
 *	uint64_t NAME_append(const NAME *s, const element_type *e, uint32_t n);
 *		appends copies of n elements of this lane: as lsched_append() */
#define LSCHED_DECLARE_STREAM(stream_type, element_type)                     \
	typedef struct stream_type {                                         \
		lsched_stream any;                                           \
	} stream_type;                                                       \
	LSCHED_FN element_type *stream_type##_elements(const stream_type *s) \
	{                                                                    \
		return (element_type *)s->any.elements;                      \
	}                                                                    \
	LSCHED_WORKER_FN uint64_t stream_type##_append(                      \
		const stream_type *s, const element_type *e, uint32_t n)     \
	{                                                                    \
		const uint64_t first = lsched_append(&s->any, n);            \
                                                                             \
		for (uint32_t k = 0; first != LSCHED_NO_PLACE && k < n; k++) \
			stream_type##_elements(s)[first + k] = e[k];         \
		return first;                                                \
	}                                                                    \
	typedef element_type stream_type##_element

/* ---- host ---- */

/* Allocates a stream. Returns OK, or the error of lsched_mem_alloc(): then the stream is zero, and
 * closing it has no effect. */
static inline lsched_status lsched_stream_open(
	lsched_ctx *ctx, lsched_stream *s, size_t element_bytes, uint64_t capacity)
{
	void *state = NULL, *elements = NULL;
	lsched_status st;

	memset(s, 0, sizeof(*s));
	st = lsched_mem_alloc(ctx, &state, sizeof(lsched_stream_state));
	if (st == LSCHED_OK)
		st = lsched_mem_alloc_array(ctx, &elements,
			capacity <= SIZE_MAX ? (size_t)capacity : SIZE_MAX, element_bytes);
	if (st != LSCHED_OK) {
		lsched_mem_free(ctx, state);
		return st;
	}
	s->state = (lsched_stream_state *)state;
	s->elements = elements;
	s->capacity = capacity;
	s->element_bytes = element_bytes;
	return LSCHED_OK;
}

/* Frees its memory. A stream of zero bytes is ignored. */
static inline void lsched_stream_close(lsched_ctx *ctx, lsched_stream *s)
{
	lsched_mem_free(ctx, s->elements);
	lsched_mem_free(ctx, s->state);
	memset(s, 0, sizeof(*s));
}

/* Removes all elements; between executions. */
static inline lsched_status lsched_stream_clear(lsched_ctx *ctx, const lsched_stream *s)
{
	return lsched_mem_zero(ctx, s->state, sizeof(*s->state));
}

/* Reads, after an execution, how many elements were appended since the last clear, and how many of
 * them are stored: elements 0 .. *stored - 1, which lsched_mem_read() of s->elements copies. Both
 * are equal unless the capacity was exceeded. Either pointer may be NULL. */
static inline lsched_status lsched_stream_counts(
	lsched_ctx *ctx, lsched_stream *s, uint64_t *needed, uint64_t *stored)
{
	lsched_stream_state now;
	const lsched_status st = lsched_mem_read(ctx, &now, s->state, sizeof(now));

	if (st != LSCHED_OK)
		memset(&now, 0, sizeof(now));
	if (now.count > s->high_water)
		s->high_water = now.count;
	if (needed)
		*needed = now.count;
	if (stored)
		*stored = now.count <= s->capacity ? now.count : now.end;
	return st;
}

/* Replaces the elements by room for `capacity` of them, more or fewer. The contents are lost; clear
 * the stream before the next execution. After an error the capacity is 0. */
static inline lsched_status lsched_stream_enlarge(
	lsched_ctx *ctx, lsched_stream *s, uint64_t capacity)
{
	lsched_status st;

	lsched_mem_free(ctx, s->elements); /* first: both may not fit */
	s->elements = NULL;
	s->capacity = 0;
	st = lsched_mem_alloc_array(ctx, &s->elements,
		capacity <= SIZE_MAX ? (size_t)capacity : SIZE_MAX, (size_t)s->element_bytes);
	if (st == LSCHED_OK)
		s->capacity = capacity;
	return st;
}

#endif
