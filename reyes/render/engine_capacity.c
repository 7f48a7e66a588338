/* Sizes of the arrays whose need is known only when the stages of a bucket have run. */
#include <config.h>
#include <string.h>
#include "reyes/render/engine_state.h"

/* Capacities of a first frame; small ones grow. */
static const reyes_i_capacity first_capacity = { 1u << 15, 1u << 21, 1u << 21, 1u << 16, 1u << 21,
	1u << 17 };

/* Makes room for a grid. */
static void fit_grid(reyes_i_capacity *c)
{
	c->colors = c->colors > 2048 ? c->colors : 2048;
	c->points = c->points > 2048 ? c->points : 2048;
	c->chunks = c->chunks > 64 ? c->chunks : 64;
}

void reyes_i_capacity_first(reyes_i_engine *e, const reyes_i_job *job)
{
	static const reyes_i_area none;
	reyes_i_capacity *c = &e->capacity;
	const uint64_t free_bytes = job->limit > job->fixed ? job->limit - job->fixed : 0;

	if (!c->grids)
		*c = first_capacity;
	if (!job->limit)
		return;
	/* not more than half, so that there is room for samples */
	while (c->grids > 64 && reyes_i_bucket_bytes(e, job, &none, c) > free_bytes / 2) {
		c->grids /= 2;
		c->colors /= 2;
		c->fragments /= 2;
		c->list /= 2;
		c->points /= 2;
		c->chunks /= 2;
	}
	fit_grid(c);
}

/* Returns n and a quarter more; 0 if that is too much for a counter. */
static uint32_t with_room(uint32_t n)
{
	return n < UINT32_MAX / 2 ? n + n / 4 : 0;
}

int reyes_i_capacity_needed(const reyes_i_job *job, reyes_i_capacity *c)
{
	const uint32_t *n = job->counters;
	const reyes_i_capacity before = *c;
	const uint32_t grids = n[REYES_I_N_GRIDS] > job->listed ? n[REYES_I_N_GRIDS] : job->listed;
	const uint32_t most = REYES_I_GRIDS_MAX - 1;

	if (grids > most)
		return 0;
	if (grids > c->grids)
		c->grids = with_room(grids) < most ? with_room(grids) : most;
	if (job->listed > c->list)
		c->list = with_room(job->listed);
	if (n[REYES_I_N_COLORS] > c->colors)
		c->colors = with_room(n[REYES_I_N_COLORS]);
	if (n[REYES_I_N_FRAGMENTS] > c->fragments)
		c->fragments = with_room(n[REYES_I_N_FRAGMENTS]);
	if (n[REYES_I_N_POINTS] > c->points)
		c->points = with_room(n[REYES_I_N_POINTS]);
	if (n[REYES_I_N_CHUNKS] > c->chunks)
		c->chunks = with_room(n[REYES_I_N_CHUNKS]);
	/* a counter that wrapped shows no need, and a need of 2^31 cannot be met */
	return c->colors && c->fragments && c->points && c->chunks &&
	       memcmp(&before, c, sizeof(before)) != 0;
}

static void reduce(uint32_t *capacity, uint32_t needed)
{
	const uint32_t least = needed > 64 ? needed : 64;

	if (least < *capacity)
		*capacity = least;
}

void reyes_i_capacity_least(const reyes_i_job *job, reyes_i_capacity *c)
{
	const uint32_t *n = job->counters;

	reduce(&c->grids, n[REYES_I_N_GRIDS] > job->listed ? n[REYES_I_N_GRIDS] : job->listed);
	reduce(&c->list, job->listed);
	reduce(&c->colors, n[REYES_I_N_COLORS]);
	/* their number depends on the schedule */
	if (n[REYES_I_N_FRAGMENTS] < UINT32_MAX / 2)
		reduce(&c->fragments, n[REYES_I_N_FRAGMENTS] + n[REYES_I_N_FRAGMENTS] / 4);
	reduce(&c->points, n[REYES_I_N_POINTS]);
	reduce(&c->chunks, n[REYES_I_N_CHUNKS]);
	fit_grid(c);
}
