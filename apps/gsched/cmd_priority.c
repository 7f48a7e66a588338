/* gsched priority: how well the order of tasks follows their priorities. */
#include "apps/gsched/commands.h"
#include "apps/gsched/loads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inversions of v[0..n) against descending order, by merging; `room` is as long. */
static uint64_t inversions(uint32_t *v, uint32_t *room, uint32_t n)
{
	const uint32_t half = n / 2;
	uint64_t found;
	uint32_t a = 0, b = half;

	if (n < 2)
		return 0;
	found = inversions(v, room, half) + inversions(v + half, room, n - half);
	for (uint32_t k = 0; k < n; k++) {
		if (b == n || (a < half && v[a] >= v[b])) {
			room[k] = v[a++];
		} else {
			found += half - a; /* all that are left over there should come later */
			room[k] = v[b++];
		}
	}
	memcpy(v, room, n * sizeof(*v));
	return found;
}

static int before(
	gs_load *l, gs_device *d, uint32_t start, uint32_t workers, char *why, size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;

	(void)start;
	(void)workers;
	if (device_zero(d, c->next, sizeof(*c->next)) == 0)
		return 0;
	snprintf(why, why_bytes, "memory cannot be cleared");
	return -1;
}

/* Every turn was given to one task; and of all pairs of tasks, how many came in the order of their
 * priorities. */
static int after(gs_load *l, gs_device *d, uint32_t start, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;
	const uint32_t n = l->tasks;
	uint32_t *turn = malloc(n * sizeof(*turn)), *order = malloc(n * sizeof(*order));
	uint8_t *given = calloc(n, 1);
	uint32_t doubled = 0;
	int bad = !turn || !order || !given || device_read(d, turn, c->turn, n * sizeof(*turn));

	(void)start;
	(void)s;
	if (bad)
		snprintf(why, why_bytes, "the turns cannot be read");
	for (uint32_t k = 0; !bad && k < n; k++) {
		if (turn[k] >= n || given[turn[k]]++)
			doubled++;
		else
			order[turn[k]] = gsprio_priority(c, k);
	}
	if (doubled) {
		snprintf(why, why_bytes, "%" PRIu32 " tasks had no turn of their own", doubled);
		bad = 1;
	}
	if (!bad)
		l->accuracy =
			n > 1 ? 1 - (double)inversions(order, turn, n) / ((double)n * (n - 1) / 2)
			      : 1;
	free(given);
	free(order);
	free(turn);
	return bad ? -1 : 0;
}

static int make(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	gsprio_ctx *c = calloc(1, sizeof(*c));

	l->ctx = c;
	if (!c) {
		snprintf(msg, msg_bytes, "out of memory");
		return -1;
	}
	c->seed = load_hash(o->seed);
	c->length.law = (uint32_t)o->law;
	c->length.steps = o->work;
	c->length.seed = load_hash(o->seed ^ 0x5bd1e995u);
	l->name = "priority";
	l->cpu = &gsprio_cpu_program;
	l->cuda = LOAD_CUDA(gsprio_cuda_program);
	l->tasks = o->initial;
	l->expected = o->initial;
	l->before = before;
	l->after = after;
	c->next = device_alloc(d, 128, msg, msg_bytes);
	c->turn = c->next ? device_alloc(d, l->tasks * sizeof(*c->turn), msg, msg_bytes) : NULL;
	c->sink = c->turn ? device_alloc(d, sizeof(*c->sink), msg, msg_bytes) : NULL;
	return c->sink ? 0 : -1;
}

static void unmake(gs_load *l, gs_device *d)
{
	gsprio_ctx *c = l->ctx;

	if (c) {
		device_free(d, c->next);
		device_free(d, c->turn);
		device_free(d, c->sink);
	}
	free(c);
	l->ctx = NULL;
}

const load_maker priority_maker = { make, unmake };

int command_priority(const gs_options *o, logger *log)
{
	return command_measure(GS_PRIORITY, &priority_maker, o, log);
}
