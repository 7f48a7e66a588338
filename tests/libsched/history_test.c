/* The checker of histories on correct and wrong histories, and the queues on CPU threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define HISTORY_PROGRAM
#include "tests/libsched/history_suite.h"
#include "tests/common/rng.h"
#include "tests/common/host_memory.h"
#include "tests/common/testmain.h"

/* ---- the checker ---- */

enum { ALL = HISTORY_FIFO | HISTORY_FULL | HISTORY_PARTIAL | HISTORY_EMPTY, MADE = 3000, ROOM = 6 };

typedef struct made {
	history h;
	history_op op[MADE];
	history_item item[MADE * 4];
} made;

static void put(made *m, uint32_t start, uint32_t end, uint32_t first, uint8_t want, uint8_t got)
{
	const history_op o = { start, end, first, 1, want, got, 0 };

	m->op[m->h.ops++] = o;
}

static void take(made *m, uint32_t start, uint32_t end, uint8_t want, uint8_t got)
{
	const history_op o = { start, end, 0, 0, want, got, 0 };

	m->op[m->h.ops++] = o;
}

static void out(made *m, uint32_t item, uint32_t start, uint32_t end, uint32_t place)
{
	history_item *e = &m->item[item];

	e->times++;
	e->start = start;
	e->end = end;
	e->place = place;
}

/* Items 0 and 1, then 2, are pushed and popped in this order; 6 slots. */
static made *simple(void)
{
	made *m = (made *)calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->h.op = m->op;
	m->h.item = m->item;
	m->h.items = 8;
	m->h.limit = ROOM;
	m->h.ordered = 1;
	m->h.guarantees = ALL;
	m->h.alone_until = UINT32_MAX;
	put(m, 0, 1, 0, 2, 2);
	put(m, 2, 3, 2, 1, 1);
	take(m, 4, 5, 1, 1);
	out(m, 0, 4, 5, 0);
	take(m, 6, 7, 3, 2);
	out(m, 1, 6, 7, 0);
	out(m, 2, 6, 7, 1);
	return m;
}

/* Checks and frees. Returns whether exactly `fault` faults were found, all in one field. */
static int found(made *m, const uint64_t *field, const history_faults *f, uint64_t fault)
{
	history_faults *mine = (history_faults *)f;
	const uint64_t sum = history_check(&m->h, mine);

	free(m);
	return sum == fault && *field == fault;
}

static void the_checker_detects_wrong_items(void)
{
	history_faults f;
	made *m;

	CU_ASSERT_FATAL((m = simple()) != NULL);
	CU_ASSERT(found(m, &f.lost, &f, 0));
	CU_ASSERT(f.pushed == 3 && f.popped == 3 && f.alone == 4);

	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->item[1].times = 0;
	CU_ASSERT(found(m, &f.lost, &f, 1));

	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->item[2].times = 2;
	CU_ASSERT(found(m, &f.doubled, &f, 1));

	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->item[5].times = 1; /* no worker pushed it */
	CU_ASSERT(found(m, &f.invented, &f, 1));

	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->h.guarantees = 0;
	m->item[2].start = 0; /* its push is 2, 3 */
	m->item[2].end = 1;
	CU_ASSERT(found(m, &f.early, &f, 1));
}

static void the_checker_detects_wrong_orders(void)
{
	history_faults f;
	made *m;

	/* 2 is popped before 1, by consecutive pops */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	out(m, 2, 4, 5, 0);
	out(m, 0, 6, 7, 0);
	m->item[2].times = m->item[0].times = 1;
	CU_ASSERT(found(m, &f.overtaken, &f, 1));

	/* with overlapping pops this order is possible */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->op[2].end = 6;
	m->op[3].start = 5;
	out(m, 2, 4, 6, 0);
	out(m, 0, 5, 7, 0);
	out(m, 1, 5, 7, 1);
	m->item[2].times = m->item[0].times = m->item[1].times = 1;
	CU_ASSERT(found(m, &f.overtaken, &f, 0));

	/* two of one push, in two pops */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	out(m, 1, 4, 5, 0);
	out(m, 0, 6, 7, 0);
	m->item[0].times = m->item[1].times = 1;
	CU_ASSERT(found(m, &f.disordered, &f, 1));

	/* two of two pushes, in one pop */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->item[1].place = 1;
	m->item[2].place = 0;
	CU_ASSERT(found(m, &f.disordered, &f, 1));

	/* two of one push, in one pop */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->op[2].got = 2;
	m->op[2].want = 2;
	m->op[3].got = 1;
	out(m, 1, 4, 5, 0);
	m->item[0].place = 1;
	m->item[1].times = 1;
	m->op[3].want = 1;
	CU_ASSERT(found(m, &f.disordered, &f, 1));
}

static void the_checker_detects_wrong_results_of_empty_and_full_queues(void)
{
	history_faults f;
	made *m;

	/* a pop returns 0 while the queue holds three items */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->op[2].start = 6;
	m->op[2].end = 7;
	m->op[3].start = 8;
	m->op[3].end = 9;
	out(m, 0, 6, 7, 0);
	out(m, 1, 8, 9, 0);
	out(m, 2, 8, 9, 1);
	m->item[0].times = m->item[1].times = m->item[2].times = 1;
	take(m, 4, 5, 1, 0);
	CU_ASSERT(found(m, &f.false_empty, &f, 1));

	/* fewer items than the queue holds: a fault if the queue guarantees HISTORY_PARTIAL */
	for (int partial = 0; partial < 2; partial++) {
		CU_ASSERT_FATAL((m = simple()) != NULL);
		m->h.guarantees = partial ? ALL : ALL & ~HISTORY_PARTIAL;
		m->op[2].want = 2;
		CU_ASSERT(found(m, &f.false_empty, &f, (uint64_t)partial));
	}

	/* full with three free slots: a fault; full without a free slot: correct */
	for (uint32_t room = 3; room <= 6; room += 3) {
		CU_ASSERT_FATAL((m = simple()) != NULL);
		m->h.limit = room;
		for (size_t k = 2; k < 4; k++) {
			m->op[k].start += 2;
			m->op[k].end += 2;
		}
		for (size_t k = 0; k < 3; k++) {
			m->item[k].start += 2;
			m->item[k].end += 2;
		}
		put(m, 4, 5, 3, 2, 0);
		CU_ASSERT(found(m, &f.false_full, &f, room == 3 ? 0 : 1));
	}

	/* unless another operation overlaps */
	CU_ASSERT_FATAL((m = simple()) != NULL);
	m->op[2].end = 8; /* the first pop lasts long, and returns item 0 */
	m->item[0].end = 8;
	put(m, 5, 9, 3, 2, 0);
	CU_ASSERT(found(m, &f.false_full, &f, 0));
	CU_ASSERT(f.alone == 2);
}

/* An operation of a worker: it starts, takes effect at one instant, and ends. */
typedef struct pending {
	enum { IDLE, STARTED, EFFECTIVE } state;
	uint32_t start, push, first, want, got, item[4];
} pending;

typedef struct fifo {
	uint32_t item[MADE * 4], head, tail, next;
} fifo;

static void take_effect(pending *o, fifo *q)
{
	o->state = EFFECTIVE;
	o->first = q->next;
	for (o->got = 0; o->got < o->want; o->got++) {
		if (o->push ? q->tail - q->head == ROOM : q->tail == q->head)
			break;
		if (o->push)
			q->item[q->tail++] = q->next++;
		else
			o->item[o->got] = q->item[q->head++];
	}
}

/* Records the items that an effective operation has popped. */
static void record_popped(made *m, const pending *o, uint32_t end)
{
	for (uint32_t i = 0; !o->push && i < o->got; i++)
		out(m, o->item[i], o->start, end, i);
}

static void record_pushed(made *m, const pending *o, uint32_t end)
{
	if (o->push)
		put(m, o->start, end, o->first, (uint8_t)o->want, (uint8_t)o->got);
}

/* The history of a queue whose operations take effect between their start and end, with so many
 * workers at a time. */
static made *possible(uint32_t workers)
{
	pending op[8] = { { IDLE, 0, 0, 0, 0, 0, { 0 } } };
	fifo q = { { 0 }, 0, 0, 0 };
	made *m = simple();
	uint32_t clock = 0;

	if (!m)
		return NULL;
	memset(m->item, 0, sizeof(m->item));
	m->h.ops = 0;
	m->h.items = MADE * 4;
	while (m->h.ops < MADE - 8) {
		pending *o = &op[rng_below(workers)];

		if (o->state == IDLE) {
			o->state = STARTED;
			o->start = clock++;
			o->push = rng_below(2);
			o->want = 1 + rng_below(4);
		} else if (o->state == STARTED) {
			take_effect(o, &q);
		} else {
			o->state = IDLE;
			record_pushed(m, o, clock);
			if (!o->push)
				take(m, o->start, clock, (uint8_t)o->want, (uint8_t)o->got);
			record_popped(m, o, clock++);
		}
	}
	/* the other operations end, and the remaining items are popped */
	for (uint32_t k = 0; k < workers; k++) {
		if (op[k].state == EFFECTIVE) {
			record_pushed(m, &op[k], clock);
			record_popped(m, &op[k], clock);
		}
		if (op[k].state != IDLE && m->h.alone_until > op[k].start)
			m->h.alone_until = op[k].start;
		clock++;
	}
	for (; q.head < q.tail; q.head++, clock += 2)
		out(m, q.item[q.head], clock, clock + 1, 0);
	if (m->h.alone_until > clock)
		m->h.alone_until = clock;
	return m;
}

static void possible_histories_have_no_fault(void)
{
	for (uint32_t workers = 1; workers <= 8; workers++)
		for (int k = 0; k < 10; k++) {
			made *m = possible(workers);
			history_faults f;

			CU_ASSERT_FATAL(m != NULL);
			CU_ASSERT(history_check(&m->h, &f) == 0);
			CU_ASSERT(f.pushed == f.popped && f.pushed > 100);
			CU_ASSERT(workers > 3 || f.alone > 0);
			free(m);
		}
}

/* Exchanging two items that are far apart is never possible. */
static void the_checker_detects_exchanged_items(void)
{
	for (uint32_t workers = 1; workers <= 8; workers++) {
		made *m = possible(workers);
		history_faults f;
		history_item t;

		CU_ASSERT_FATAL(m != NULL);
		t = m->item[100];
		m->item[100] = m->item[400];
		m->item[400] = t;
		CU_ASSERT(m->item[100].times == 1 && m->item[400].times == 1);
		CU_ASSERT(history_check(&m->h, &f) > 0 && f.overtaken > 0);
		CU_ASSERT(f.lost + f.doubled + f.invented == 0);
		free(m);
	}
}

static CU_TestInfo checker_tests[] = { { "the checker detects wrong items",
					       the_checker_detects_wrong_items },
	{ "the checker detects wrong orders", the_checker_detects_wrong_orders },
	{ "the checker detects wrong results of empty and full queues",
		the_checker_detects_wrong_results_of_empty_and_full_queues },
	{ "possible histories have no fault", possible_histories_have_no_fault },
	{ "the checker detects exchanged items", the_checker_detects_exchanged_items },
	CU_TEST_INFO_NULL };

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 3, 8, 33, 64, 0 };
	CU_SuiteInfo suites[] = { TEST_SUITE("the checker", checker_tests),
		TEST_SUITE("histories on threads", history_tests), CU_SUITE_INFO_NULL };
	int rc;

	rc = test_open(&history_on.ctx, LSCHED_BACKEND_CPU, 64);
	if (rc)
		return rc;
	history_on.program = &history_cpu_program;
	history_on.spread = &spread_cpu_program;
	history_on.workers = workers;
	history_on.repeats = TEST_SANITIZED ? 1 : 2;
	history_on.ops = TEST_SANITIZED ? 2000 : 6000;
	history_on.alloc = host_alloc;
	history_on.release = free;
	history_on.read = host_read;
	rc = test_run(suites);
	lsched_close(&history_on.ctx);
	return rc;
}
