/* priority: the part of all pairs of tasks that run in the order of their priorities. */
#include "workloads/common/length.h"
#include "workloads/common/memory.h"
#include "workloads/priority/priority.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WL_PROGRAM(gsprio);

typedef struct priority_options {
	uint32_t initial;
	wl_length_options length;
} priority_options;

static const wl_param params[] = {
	{ .name = "initial",
		.letter = 'n',
		.kind = WL_UINT,
		.field = WL_FIELD(priority_options, initial),
		.min = 1,
		.max = 1 << 24,
		.preset = "5000",
		.metavar = "N",
		.help = "set the number of tasks; all are ready at the start" },
	WL_PARAMS_LENGTH(priority_options, "1000"),
	{ 0 },
};

/* Sorts v[0..n) in descending order by merging and returns its number of inversions. `merged` is
 * scratch memory of the same length. */
static uint64_t inversions(uint32_t *v, uint32_t *merged, uint32_t n)
{
	const uint32_t half = n / 2;
	uint64_t found;
	uint32_t a = 0, b = half;

	if (n < 2)
		return 0;
	found = inversions(v, merged, half) + inversions(v + half, merged, n - half);
	for (uint32_t k = 0; k < n; k++) {
		if (b == n || (a < half && v[a] >= v[b])) {
			merged[k] = v[a++];
		} else {
			found += half - a; /* the rest of the first half belongs behind it */
			merged[k] = v[b++];
		}
	}
	memcpy(v, merged, n * sizeof(*v));
	return found;
}

static int prepare(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;

	return wl_zero(d, c->next_rank, sizeof(*c->next_rank), why, why_bytes);
}

/* Checks that each rank belongs to exactly one task, and computes the accuracy. */
static int check(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;
	const uint32_t n = l->tasks;
	uint32_t *rank = wl_host_copy(d, c->rank, n * sizeof(*rank), why, why_bytes);
	uint32_t *order = rank ? wl_host_alloc(n * sizeof(*order), why, why_bytes) : NULL;
	uint8_t *used = order ? wl_host_alloc(n, why, why_bytes) : NULL;
	uint32_t invalid = 0;

	for (uint32_t k = 0; used && k < n; k++) {
		if (rank[k] >= n || used[rank[k]]++)
			invalid++;
		else
			order[rank[k]] = gsprio_priority(c, k);
	}
	if (invalid)
		snprintf(why, why_bytes, "%" PRIu32 " tasks have no rank of their own", invalid);
	else if (used)
		l->accuracy =
			n > 1 ? 1 - (double)inversions(order, rank, n) / ((double)n * (n - 1) / 2)
			      : 1;
	invalid |= !used;
	free(used);
	free(order);
	free(rank);
	return invalid ? -1 : 0;
}

static int create(wl_work *l, wl_device *d, const void *options, char *msg, size_t msg_bytes)
{
	const priority_options *o = options;
	gsprio_ctx *c = wl_own(d, sizeof(*c), msg, msg_bytes);

	l->ctx = c;
	if (!c)
		return -1;
	c->seed = wl_hash(o->length.seed);
	c->length = wl_length_make(&o->length, 0x5bd1e995u);
	WL_SET_PROGRAM(l, gsprio);
	l->tasks = o->initial;
	l->expected = o->initial;
	l->prepare = prepare;
	l->check = check;
	c->next_rank = wl_alloc(d, 128, msg, msg_bytes);
	c->rank = c->next_rank ? wl_alloc(d, l->tasks * sizeof(*c->rank), msg, msg_bytes) : NULL;
	c->sink = c->rank ? wl_alloc(d, sizeof(*c->sink), msg, msg_bytes) : NULL;
	return c->sink ? 0 : -1;
}

static const char *const cases[] = { "-n 1 -w 0", "-n 2", "-n 999 -w 100 --law uniform", NULL };

const wl_type wl_priority_type = {
	.name = "priority",
	.summary = "Measures whether tasks start in the order of their priorities.\n"
		   "The scheduling accuracy of Steinberger et al., \"Softshell\" (2012): the\n"
		   "percentage of pairs of tasks in the right order. A random order gives 50 %.",
	.example = "-n 20000 -w 2000 --queue prio,ring",
	.unit = "tasks",
	.queues = "prio,ring",
	.cases = cases,
	.accepts = WL_OVERFLOW,
	.params = params,
	.options_bytes = sizeof(priority_options),
	.create = create,
};
