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
#define HALVE(name) c->name /= 2;
		REYES_I_CAPACITIES(HALVE)
#undef HALVE
	}
	fit_grid(c);
}

/* Returns n and a quarter more; 0 if that is too much for a counter. */
static uint32_t with_room(uint32_t n)
{
	return n < UINT32_MAX / 2 ? n + n / 4 : 0;
}

/* What the last bucket needed, by its counters. */
static reyes_i_capacity needed(const reyes_i_job *job)
{
	const uint32_t *n = job->counters, grids = n[REYES_I_N_GRIDS];

	return (reyes_i_capacity){ .grids = grids > job->listed ? grids : job->listed,
		.colors = n[REYES_I_N_COLORS],
		.fragments = n[REYES_I_N_FRAGMENTS],
		.list = job->listed,
		.points = n[REYES_I_N_POINTS],
		.chunks = n[REYES_I_N_CHUNKS] };
}

int reyes_i_capacity_needed(const reyes_i_job *job, reyes_i_capacity *c)
{
	const reyes_i_capacity before = *c, need = needed(job);
	const uint32_t most = REYES_I_GRIDS_MAX - 1;

	if (need.grids > most)
		return 0;
#define ENLARGE(name)            \
	if (need.name > c->name) \
		c->name = with_room(need.name);
	REYES_I_CAPACITIES(ENLARGE)
#undef ENLARGE
	if (c->grids > most)
		c->grids = most;
	/* a counter that wrapped shows no need, and a need of 2^31 cannot be met */
	return c->colors && c->fragments && c->points && c->chunks &&
	       memcmp(&before, c, sizeof(before)) != 0;
}

void reyes_i_capacity_least(const reyes_i_job *job, reyes_i_capacity *c)
{
	reyes_i_capacity need = needed(job);

	/* their number depends on the schedule */
	need.fragments =
		need.fragments < UINT32_MAX / 2 ? need.fragments + need.fragments / 4 : UINT32_MAX;
#define REDUCE(name)                             \
	if (c->name > 64 && c->name > need.name) \
		c->name = need.name > 64 ? need.name : 64;
	REYES_I_CAPACITIES(REDUCE)
#undef REDUCE
	fit_grid(c);
}
