/* Additions to a stream's count by lanes of an emulated warp, any of them, to any of three counts:
 * places without gaps, and few additions. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int stream_lanes_left_out; /* items_lanes_test is skipped then */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
static uint32_t additions;
#undef __nv_atomic_fetch_add
#define __nv_atomic_fetch_add(p, v, order, scope) \
	(additions++, __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST))
#include <libsched/stream.h>
#include "tests/libsched/stream_lanes.h"

enum { COUNTS = 3 };

static uint64_t counts[COUNTS], place[LANES];
static stream_lanes_call call;

static void append(void *arg)
{
	const stream_lanes_call *c = (const stream_lanes_call *)arg;
	const uint32_t k = lsched_lane();

	lsched_sync_worker();
	if (c->active >> k & 1u)
		place[k] = lsched_i_append_lanes(&counts[c->count[k]], c->n[k]);
	lsched_sync_worker();
}

/* Whether each count was taken from its old value on by the lanes that appended to it, without a
 * gap. */
static int places_are_right(const uint64_t *before)
{
	for (uint32_t s = 0; s < COUNTS; s++) {
		uint64_t at = before[s];
		uint32_t left = call.active, moved = 1;

		while (moved) {
			moved = 0;
			for (uint32_t k = 0; k < LANES; k++)
				if ((left >> k & 1u) && call.count[k] == s && call.n[k] &&
					place[k] == at) {
					at += call.n[k];
					left &= ~(1u << k);
					moved = 1;
				}
		}
		for (uint32_t k = 0; k < LANES; k++)
			if ((left >> k & 1u) && call.count[k] == s && call.n[k])
				return 0;
		if (at != counts[s])
			return 0;
	}
	return 1;
}

int stream_lanes_append(const stream_lanes_call *c, uint32_t *used)
{
	uint64_t before[COUNTS];

	call = *c;
	for (uint32_t s = 0; s < COUNTS; s++)
		before[s] = counts[s];
	additions = 0;
	lanes_run(append, &call);
	*used = additions;
	return places_are_right(before);
}
#endif
