/* Item programs of the tests that append to output streams: a forest whose node i appends 0 to 6
 * elements, all of them different, to one of three streams. The file that includes this one defines
 * ITEMS_STREAM_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_STREAM_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_STREAM_PROGRAMS_H

#include <libsched/items.h>
#include <libsched/stream.h>

enum { STREAMS = 3, STREAM_MOST = 6 };

typedef struct stream_hit {
	uint32_t node, k;
} stream_hit;
LSCHED_DECLARE_STREAM(stream_hits, stream_hit);

typedef struct stream_ctx {
	uint32_t nodes, roots;
	stream_hits out[STREAMS];
} stream_ctx;

typedef struct stream_item {
	uint32_t node;
} stream_item;
LSCHED_DECLARE_ITEMS(stream_items, stream_item);

LSCHED_FN uint32_t stream_of(uint32_t node)
{
	return node * 2654435761u >> 16 & 1u ? 0 : 1 + node % 2;
}

LSCHED_FN uint32_t stream_length(uint32_t node)
{
	return (node * 40503u >> 4) % (STREAM_MOST + 1);
}

LSCHED_FN uint32_t stream_root(const stream_ctx *c, uint32_t i, stream_item *it)
{
	(void)c;
	it->node = i;
	return 0;
}

LSCHED_TASK_FN void stream_children(stream_items *x, const stream_ctx *c, uint32_t node)
{
	for (uint32_t k = 0; k < 3; k++) {
		const uint64_t child = c->roots + UINT64_C(3) * node + k;
		const stream_item next = { (uint32_t)child };

		if (child < c->nodes)
			lsched_emit(x, 0, &next);
	}
}

/* Lanes diverge: some append one by one, some all at once, some by themselves. */
LSCHED_TASK_FN lsched_result stream_lane(
	stream_items *x, const stream_ctx *c, lsched_no_local *l, uint32_t proc, stream_item it)
{
	const stream_hits *out = &c->out[stream_of(it.node)];
	const uint32_t n = stream_length(it.node);
	stream_hit hit[STREAM_MOST];
	uint64_t at;

	(void)l;
	(void)proc;
	for (uint32_t k = 0; k < n; k++) {
		hit[k].node = it.node;
		hit[k].k = k;
	}
	if (it.node % 5 == 0) {
		for (uint32_t k = 0; k < n; k++)
			(void)stream_hits_append(out, &hit[k], 1);
	} else if (it.node % 5 == 1) {
		at = lsched_append(&out->any, n);
		for (uint32_t k = 0; at != LSCHED_NO_PLACE && k < n; k++)
			stream_hits_elements(out)[at + k] = hit[k];
	} else {
		(void)stream_hits_append(out, hit, n);
	}
	stream_children(x, c, it.node);
	return LSCHED_DONE;
}

/* The threads of the item append the elements. */
LSCHED_TASK_FN lsched_result stream_warp(
	stream_items *x, const stream_ctx *c, lsched_no_local *l, uint32_t proc, stream_item it)
{
	const uint32_t n = stream_length(it.node);

	(void)l;
	(void)proc;
	for (uint32_t k = lsched_thread(x); k < n; k += lsched_threads(x)) {
		const stream_hit hit = { it.node, k };

		(void)stream_hits_append(&c->out[stream_of(it.node)], &hit, 1);
	}
	if (lsched_thread(x) == 0)
		stream_children(x, c, it.node);
	return LSCHED_DONE;
}

#endif

#ifdef ITEMS_STREAM_PROGRAMS
#define LSCHED_NAME           slane
#define LSCHED_CTX            stream_ctx
#define LSCHED_ITEMS          stream_items
#define LSCHED_ROOT           stream_root
#define LSCHED_BODY           stream_lane
#define LSCHED_MAX_SPAWN      3
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME                 swarp
#define LSCHED_CTX                  stream_ctx
#define LSCHED_ITEMS                stream_items
#define LSCHED_ROOT                 stream_root
#define LSCHED_BODY                 stream_warp
#define LSCHED_GRAIN                warp
#define LSCHED_MAX_SPAWN            3
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>
#endif
