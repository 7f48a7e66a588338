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

static int prepare(
	gs_load *l, gs_device *d, uint32_t start, uint32_t workers, char *why, size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;

	(void)start;
	(void)workers;
	if (device_zero(d, c->next_rank, sizeof(*c->next_rank)) == 0)
		return 0;
	snprintf(why, why_bytes, "memory cannot be cleared");
	return -1;
}

/* Every rank was used to one task; and of all pairs of tasks, how many came in the order of their
 * priorities. */
static int check(gs_load *l, gs_device *d, uint32_t start, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;
	const uint32_t n = l->tasks;
	uint32_t *rank = malloc(n * sizeof(*rank)), *order = malloc(n * sizeof(*order));
	uint8_t *used = calloc(n, 1);
	uint32_t invalid = 0;
	int bad = !rank || !order || !used || device_read(d, rank, c->rank, n * sizeof(*rank));

	(void)start;
	(void)s;
	if (bad)
		snprintf(why, why_bytes, "the turns cannot be read");
	for (uint32_t k = 0; !bad && k < n; k++) {
		if (rank[k] >= n || used[rank[k]]++)
			invalid++;
		else
			order[rank[k]] = gsprio_priority(c, k);
	}
	if (invalid) {
		snprintf(why, why_bytes, "%" PRIu32 " tasks had no rank of their own", invalid);
		bad = 1;
	}
	if (!bad)
		l->accuracy =
			n > 1 ? 1 - (double)inversions(order, rank, n) / ((double)n * (n - 1) / 2)
			      : 1;
	free(used);
	free(order);
	free(rank);
	return bad ? -1 : 0;
}

static int create(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
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
	l->prepare = prepare;
	l->check = check;
	c->next_rank = device_alloc(d, 128, msg, msg_bytes);
	c->rank =
		c->next_rank ? device_alloc(d, l->tasks * sizeof(*c->rank), msg, msg_bytes) : NULL;
	c->sink = c->rank ? device_alloc(d, sizeof(*c->sink), msg, msg_bytes) : NULL;
	return c->sink ? 0 : -1;
}

static void destroy(gs_load *l, gs_device *d)
{
	gsprio_ctx *c = l->ctx;

	if (c) {
		device_free(d, c->next_rank);
		device_free(d, c->rank);
		device_free(d, c->sink);
	}
	free(c);
	l->ctx = NULL;
}

const gs_load_type priority_load_type = { create, destroy };

int command_priority(const gs_options *o, logger *log)
{
	return command_measure(GS_PRIORITY, &priority_load_type, o, log);
}
