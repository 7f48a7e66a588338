/* gsched priority: the part of all pairs of tasks that run in the order of their priorities. */
#include "apps/gsched/commands.h"
#include "apps/gsched/load_host.h"
#include "apps/gsched/loads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int prepare(
	gs_load *l, gs_device *d, uint32_t execution, uint32_t workers, char *why, size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;

	(void)execution;
	(void)workers;
	return host_clear(d, c->next_rank, sizeof(*c->next_rank), why, why_bytes);
}

/* Checks that each rank belongs to exactly one task, and computes the accuracy. */
static int check(gs_load *l, gs_device *d, uint32_t execution, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	const gsprio_ctx *c = l->ctx;
	const uint32_t n = l->tasks;
	uint32_t *rank = host_copy(d, c->rank, n * sizeof(*rank), why, why_bytes);
	uint32_t *order = rank ? host_alloc(n * sizeof(*order), why, why_bytes) : NULL;
	uint8_t *used = order ? host_alloc(n, why, why_bytes) : NULL;
	uint32_t invalid = 0;

	(void)execution;
	(void)s;
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

static int create(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	gsprio_ctx *c = host_alloc(sizeof(*c), msg, msg_bytes);

	l->ctx = c;
	if (!c)
		return -1;
	c->seed = load_hash(o->seed);
	c->length = host_length(o, load_hash(o->seed ^ 0x5bd1e995u));
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
