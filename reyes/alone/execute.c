/* Executions of split and dice alone. */
#include <stdio.h>
#include <string.h>
#include "libsched/core/say.h"
#include "reyes/alone/parts.h"

enum { ATTEMPTS = 4 };
/* Most places: 48 GiB of points. */
#define PLACES_MAX (1u << 31)

extern const lsched_program reyes_i_alone_grids_cpu_program;

static lsched_status start(reyes_i_alone *a, void *stream)
{
	const lsched_status st = lsched_run_start(a->run, &a->c, a->c.view.prim_count, stream);

	return reyes_i_alone_failed(a, st, NULL);
}

/* Ends the run. Explains a unit that has no word. */
static lsched_status finish(reyes_i_alone *a, reyes_i_alone_figures *g)
{
	lsched_status st;

	lsched_stats_init(&g->stats);
	st = lsched_run_finish(a->run, &g->stats);
	if (st == LSCHED_ERR_TASK_FAILED && a->o.form == REYES_I_ALONE_TASKS) {
		const uint32_t code = lsched_run_error_code(a->run);

		if (code == REYES_I_ALONE_TOO_FINE) {
			snprintf(a->error, sizeof(a->error),
				"a primitive needs more than %d halvings in a direction, for which "
				"the form tasks has no words; select another form, or a coarser "
				"shading rate",
				REYES_I_ALONE_LEVELS);
			return st;
		}
		if (code == REYES_I_ALONE_CROSSES) {
			snprintf(a->error, sizeof(a->error),
				"a primitive crosses the camera plane, for which the form tasks "
				"has no words; select another form");
			return st;
		}
	}
	return reyes_i_alone_failed(a, st, lsched_run_error(a->run));
}

static int has_deques(lsched_queue q)
{
	return q == LSCHED_QUEUE_DIST || q == LSCHED_QUEUE_STEAL || q == LSCHED_QUEUE_ABP ||
	       q == LSCHED_QUEUE_DONATE || q == LSCHED_QUEUE_BUFFER;
}

static lsched_status execute_cuda(reyes_i_alone *a, reyes_i_alone_figures *g, uint64_t *used)
{
	/* the host launches their rounds, on a stream of the context */
	const int rounds = lsched_i_queue_has((uint32_t)a->o.queue, LSCHED_I_CAP_ROUNDS) != 0;
	const int list = a->o.form == REYES_I_ALONE_LIST;
	lsched_status st, after;

	st = reyes_i_alone_cuda_failed(a, reyes_i_alone_cuda_begin(a->cuda, &a->c, rounds));
	if (st == LSCHED_OK)
		st = start(a, rounds ? NULL : reyes_i_alone_cuda_stream(a->cuda));
	if (st == LSCHED_OK && rounds)
		st = finish(a, g);
	if (st != LSCHED_OK)
		return st;
	st = reyes_i_alone_cuda_failed(a, reyes_i_alone_cuda_dice(a->cuda, &a->c, a->grids, list,
						  used, &g->split_ns, &g->dice_ns));
	after = rounds ? LSCHED_OK : finish(a, g);
	if (!list)
		g->dice_ns = 0;
	return st != LSCHED_OK ? st : after;
}

/* Dices the grids of the list on CPU threads. */
static lsched_status dice_cpu(reyes_i_alone *a, uint32_t grids)
{
	lsched_run_options ro;
	lsched_status st = LSCHED_OK;

	if (a->dice && grids > a->dice_room)
		lsched_run_destroy(&a->dice);
	if (!a->dice) {
		lsched_run_options_init(&ro);
		ro.max_tasks = a->dice_room = a->c.list_max;
		st = lsched_run_create(&a->dice, a->ctx, &reyes_i_alone_grids_cpu_program, &ro);
	}
	if (st == LSCHED_OK)
		st = lsched_run_start(a->dice, &a->c, grids, NULL);
	if (st != LSCHED_OK)
		return reyes_i_alone_failed(a, st, NULL);
	st = lsched_run_finish(a->dice, NULL);
	return reyes_i_alone_failed(a, st, lsched_run_error(a->dice));
}

static lsched_status execute_cpu(reyes_i_alone *a, reyes_i_alone_figures *g, uint64_t *used)
{
	const uint64_t begin = lsched_now_ns();
	lsched_status st = lsched_mem_zero(a->ctx, a->c.used, sizeof(*a->c.used));

	if (st == LSCHED_OK)
		st = start(a, NULL);
	if (st == LSCHED_OK)
		st = finish(a, g);
	if (st == LSCHED_OK)
		st = reyes_i_alone_failed(
			a, lsched_mem_read(a->ctx, used, a->c.used, sizeof(*used)), NULL);
	g->split_ns = lsched_now_ns() - begin;
	if (st == LSCHED_OK && a->o.form == REYES_I_ALONE_LIST &&
		(uint32_t)(*used >> REYES_I_ALONE_SHIFT) <= a->c.list_max)
		st = dice_cpu(a, (uint32_t)(*used >> REYES_I_ALONE_SHIFT));
	g->dice_ns = lsched_now_ns() - begin - g->split_ns;
	return st;
}

/* Computes the bytes of the queue. The queue of an item program has words for chunks of 32
 * items. */
static void measure_queue(const reyes_i_alone *a, reyes_i_alone_figures *g)
{
	const lsched_stats *s = &g->stats;
	const int common = a->o.queue == LSCHED_QUEUE_BUFFER;
	uint64_t most = s->queue_high_water, words = s->queue_capacity;
	const size_t chunk_bytes = 32 * sizeof(reyes_i_item);

	if (has_deques(a->o.queue)) {
		/* the mark of the common buffer, if it is higher than a deque can be */
		const uint64_t buffer = common && s->donated ? most : 0;

		most = s->workers * (most < a->bin_size ? most : a->bin_size) + buffer;
		words = (uint64_t)s->workers * a->bin_size + (common ? words : 0);
	}
	g->peak_bytes = most * sizeof(uint32_t);
	g->room_bytes = words * sizeof(uint32_t);
	if (a->o.form != REYES_I_ALONE_TASKS) {
		g->peak_bytes += most * chunk_bytes;
		g->room_bytes += (uint64_t)s->queue_capacity * chunk_bytes;
	}
}

lsched_status reyes_i_alone_execute(reyes_i_alone *a, reyes_i_alone_figures *g)
{
	for (uint32_t attempt = 1;; attempt++) {
		const uint64_t begin = lsched_now_ns();
		uint64_t used = 0, places;
		lsched_status st;

		memset(g, 0, sizeof(*g));
		st = a->cuda ? execute_cuda(a, g, &used) : execute_cpu(a, g, &used);
		g->total_ns = lsched_now_ns() - begin;
		if (st != LSCHED_OK)
			return st;
		a->grids = (uint32_t)(used >> REYES_I_ALONE_SHIFT);
		places = used & (((uint64_t)1 << REYES_I_ALONE_SHIFT) - 1);
		g->grids = a->grids;
		g->places = places;
		g->attempts = attempt;
		if (a->grids <= a->c.list_max && places <= a->c.points_max &&
			g->stats.tasks < REYES_I_ALONE_GRIDS_MAX) {
			measure_queue(a, g);
			return LSCHED_OK;
		}
		if (attempt == ATTEMPTS || places > PLACES_MAX ||
			g->stats.tasks >= REYES_I_ALONE_GRIDS_MAX)
			return lsched_i_say(LSCHED_ERR_NOMEM, a->error, sizeof(a->error),
				"%llu units of split with %llu points do not fit into memory; "
				"select a coarser shading rate",
				(unsigned long long)g->stats.tasks, (unsigned long long)places);
		st = reyes_i_alone_reserve(
			a, a->grids + a->grids / 8, (uint32_t)(places + places / 8));
		if (st != LSCHED_OK)
			return st;
	}
}
