/* Producers and consumers, the same text for the CPU and the GPU suite. Flow: producers of many
 * items. Deluge: the same without back-pressure. Stages: a pipeline of three grains. The file that
 * includes this one defines ITEMS_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_FLOW_PROGRAMS_H
#define TESTS_LIBSCHED_FLOW_PROGRAMS_H

#include <libsched/items.h>
#include "tests/libsched/items_grain.h"

enum { FLOW_BAD_ITEM = 81, FLOW_BAD_ROOM };

/* ---- flow, deluge: producer i makes the numbers each * i .. each * (i + 1) - 1 ---- */

typedef struct flow_ctx {
	uint32_t each;
	uint32_t *runs; /* [producers * each]: consumed */
	uint32_t *live; /* [0]: numbers made and not consumed; [1]: the most of them */
} flow_ctx;

typedef struct flow_source {
	uint32_t next, end;
} flow_source;

typedef struct flow_number {
	uint32_t value, check[2];
} flow_number;

#define FLOW(Y, P)                                                            \
	Y(P, produce, lane, flow_source, flow_produce, LSCHED_TO(consume, 1)) \
	Y(P, consume, warp, flow_number, flow_consume, 0)
LSCHED_DECLARE_PROCEDURES(flow, FLOW);

/* The worst order: producers first. */
LSCHED_FN uint32_t flow_choose(const flow_ctx *c, const uint32_t *count)
{
	(void)c;
	return count[0] ? 0 : 1;
}

LSCHED_TASK_FN void flow_count(const flow_ctx *c, uint32_t n)
{
	const uint32_t now = lsched_add(&c->live[0], n, rlx, dev) + n;
	uint32_t most = lsched_ld(&c->live[1], rlx, dev);

	while ((int32_t)now > (int32_t)most && !lsched_cas(&c->live[1], &most, now, rlx, dev))
		;
}

LSCHED_TASK_FN void flow_root(flow *x, const flow_ctx *c, uint32_t i)
{
	const flow_source it = { i * c->each, (i + 1) * c->each };

	lsched_emit_to(x, produce, &it);
}

LSCHED_TASK_FN lsched_result flow_produce(
	flow *x, const flow_ctx *c, lsched_no_local *l, flow_source it)
{
	const uint32_t room = lsched_room(x, consume);
	const uint32_t left = it.end - it.next, n = left < room ? left : room;

	(void)l;
	if (room == 0)
		return lsched_items_fail(x, FLOW_BAD_ROOM);
	flow_count(c, n);
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t v = it.next++;
		const flow_number number = { v, { ~v, v * 5 } };

		lsched_emit_to(x, consume, &number);
	}
	if (it.next != it.end)
		lsched_continue(x, produce, &it);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result flow_consume(
	flow *x, const flow_ctx *c, lsched_no_local *l, flow_number it)
{
	(void)l;
	if (it.check[0] != ~it.value || it.check[1] != it.value * 5)
		return lsched_items_fail(x, FLOW_BAD_ITEM);
	if (lsched_thread(x) == 0) {
		(void)lsched_add(&c->runs[it.value], 1u, rlx, dev);
		flow_count(c, 0xffffffffu);
	}
	return LSCHED_DONE;
}

/* The same with one body and no back-pressure: procedure 0 emits eight numbers and itself. */
enum { DELUGE_AT_ONCE = 8 };
LSCHED_DECLARE_ITEMS(deluge_items, flow_source);

LSCHED_FN uint32_t deluge_root(const flow_ctx *c, uint32_t i, flow_source *it)
{
	it->next = i * c->each;
	it->end = (i + 1) * c->each;
	return 0;
}

LSCHED_TASK_FN lsched_result deluge_body(
	deluge_items *x, const flow_ctx *c, lsched_no_local *l, uint32_t proc, flow_source it)
{
	(void)l;
	if (proc == 1) {
		(void)lsched_add(&c->runs[it.next], 1u, rlx, dev);
		return LSCHED_DONE;
	}
	for (uint32_t k = 0; k < DELUGE_AT_ONCE && it.next != it.end; k++) {
		lsched_emit(x, 1, &it);
		it.next++;
	}
	if (it.next != it.end)
		lsched_emit(x, 0, &it);
	return LSCHED_DONE;
}

/* ---- stages: source i -> numbers, each of them -> three parts; the parts are counted ---- */

enum { STAGES_PARTS = 3 };

typedef struct stages_part {
	uint32_t value;
} stages_part;

#define STAGES(Y, P)                                                                         \
	Y(P, source, lane, flow_source, stages_source, LSCHED_TO(number, 2))                 \
	Y(P, number, ITEMS_BLOCK, flow_number, stages_number, LSCHED_TO(part, STAGES_PARTS)) \
	Y(P, part, warp, stages_part, stages_part_body, 0)
LSCHED_DECLARE_PROCEDURES(stages, STAGES);

LSCHED_TASK_FN void stages_root(stages *x, const flow_ctx *c, uint32_t i)
{
	const flow_source it = { i * c->each, (i + 1) * c->each };

	lsched_emit_to(x, source, &it);
}

LSCHED_TASK_FN lsched_result stages_source(
	stages *x, const flow_ctx *c, lsched_no_local *l, flow_source it)
{
	(void)l;
	for (uint32_t k = 0; k < 2 && it.next != it.end; k++) {
		const uint32_t v = it.next++;
		const flow_number number = { v, { ~v, v * 5 } };

		flow_count(c, 1);
		lsched_emit_to(x, number, &number);
	}
	if (it.next != it.end)
		lsched_continue(x, source, &it);
	return LSCHED_DONE;
}

/* The threads of the group emit one part each, in turn. */
LSCHED_TASK_FN lsched_result stages_number(
	stages *x, const flow_ctx *c, lsched_no_local *l, flow_number it)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);

	(void)l;
	if (it.check[0] != ~it.value || it.check[1] != it.value * 5)
		return lsched_items_fail(x, FLOW_BAD_ITEM);
	if (lsched_room(x, part) < STAGES_PARTS)
		return lsched_items_fail(x, FLOW_BAD_ROOM);
	for (uint32_t k = 0; k < STAGES_PARTS; k++) {
		const stages_part part = { it.value * STAGES_PARTS + k };

		if (t == (k * 40 + it.value) % n)
			lsched_emit_to(x, part, &part);
	}
	if (t == 0)
		flow_count(c, 0xffffffffu);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result stages_part_body(
	stages *x, const flow_ctx *c, lsched_no_local *l, stages_part it)
{
	(void)l;
	if (lsched_thread(x) == 0)
		(void)lsched_add(&c->runs[it.value], 1u, rlx, dev);
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_PROGRAMS
#define LSCHED_NAME           flow
#define LSCHED_CTX            flow_ctx
#define LSCHED_ITEMS          flow
#define LSCHED_PROCEDURES     FLOW
#define LSCHED_ROOT           flow_root
#define LSCHED_CHOOSE         flow_choose
#define LSCHED_CPU_LANES      32
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME                 deluge
#define LSCHED_CTX                  flow_ctx
#define LSCHED_ITEMS                deluge_items
#define LSCHED_ROOT                 deluge_root
#define LSCHED_BODY                 deluge_body
#define LSCHED_PROCS                2
#define LSCHED_MAX_SPAWN            (DELUGE_AT_ONCE + 1)
#define LSCHED_CHOOSE               flow_choose
#define LSCHED_CPU_LANES            32
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME       stages
#define LSCHED_CTX        flow_ctx
#define LSCHED_ITEMS      stages
#define LSCHED_PROCEDURES STAGES
#define LSCHED_ROOT       stages_root
#define LSCHED_CHOOSE_DOWNSTREAM
#define LSCHED_CPU_LANES      4
#define LSCHED_MIN_BATCH      16
#define LSCHED_BATCH_WAIT     2
#define LSCHED_GROUP_WARPS    ITEMS_GROUP_WARPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
