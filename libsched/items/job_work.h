/* Items of jobs for a worker: roots, chunks, the switch from one job to the next. Template text:
 * engine.h includes it for programs with LSCHED_JOBS.
 *
 * A worker without items dequeues a ticket or a chunk, and takes over its unit of the job. With a
 * ticket it draws roots, a batch at a time, until none is left or a more urgent job waits; in that
 * case it enqueues the ticket again, with the unit. It subtracts the unit when it has no items of
 * the job left, so its stacks and local chunks never have items of two jobs. */

/* The item of the queue is a ticket or a chunk. */
#define LSCHED_PRIORITY(c, item) ((void)(c), lsched_i_item_key(w->a, item))
#include "libsched/queue/prio_controller.h"

/* Adds what the threads of this warp have returned to the root to the value of their job. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_add_value)(lsched_i_items *x)
{
	lsched_i_job *j = lsched_i_job_current(x);
	uint64_t v = x->value;

	x->value = 0;
	if (!lsched_ballot(v != 0))
		return;
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2)
		v = lsched_i_op_pair(x, v, lsched_i_shfl_down(v, k));
	if (lsched_lane() == 0)
		lsched_i_op_into(x, &j->value, v);
}

/* The same for all warps of the worker; called by the first one. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_settle_value)(lsched_i_items *x)
{
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	if (lsched_lane() == 0)
		x->level->go = LSCHED_I_GO_SETTLE;
	lsched_i_group_sync(x->w->pair, x->threads_all);
#endif
	LSCHED_I_N(_jobs_add_value)(x);
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	lsched_i_group_sync(x->w->pair, x->threads_all);
#endif
}

/* A worker looks for more urgent work after every fourth turn; where turns take more ticks than
 * this (some us), after each. Looks after each turn cost a tree of short items a sixth of its
 * rate. */
#define LSCHED_I_JOBS_LONG_TICKS     4000u
#define LSCHED_I_JOBS_LOOKS(p, turn) ((turn) % 4 == 0 || (p)->each_turn)

/* Before the bodies of a turn. On a GPU the word is loaded here and used after them, unless they
 * are long: the load's latency is hidden. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_look_ahead)(
	const lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t turn)
{
	if (LSCHED_I_GPU && turn % 4 == 0 && !p->each_turn && lsched_lane() == 0)
		p->best = (uint32_t)lsched_ld(LSCHED_I_JOBS_BEST(x->w->a->state), rlx, dev);
}

/* After them: whether the worker is to pause its job, or to pass to a more urgent one. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_look)(
	const lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t turn)
{
	const uint32_t turns = p->each_turn ? 1u : 4u;
	uint32_t found = 0;

	if (!LSCHED_I_JOBS_LOOKS(p, turn))
		return 0;
	if (lsched_lane() == 0) {
		const uint32_t now = LSCHED_I_GPU ? (uint32_t)lsched_i_ticks() : 0;

		if (!LSCHED_I_GPU || p->each_turn)
			p->best = (uint32_t)lsched_ld(LSCHED_I_JOBS_BEST(x->w->a->state), rlx, dev);
		found = (p->best != 0 || x->level->yield != 0) |
			(now - p->looked > turns * LSCHED_I_JOBS_LONG_TICKS) << 1;
		p->looked = now;
	}
	found = lsched_bcast(found);
	p->each_turn = found >> 1;
	return found & 1u;
}

/* Sets the job that the worker's items belong to. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_set)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t job)
{
	p->job = job;
	lsched_sync_worker(); /* all lanes have read the job before */
	if (lsched_lane() == 0)
		x->level->job = job;
	lsched_sync_worker();
}

/* Enqueues a chunk of the worker's job for an idle worker. Returns 0 if the queue is full. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_push_chunk)(lsched_i_items *x, uint32_t chunk)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t job = x->level->job;
	lsched_i_job *j = lsched_i_job_record(a, job);

	if (lsched_lane() == 0) {
		lsched_i_job_add_units(j, 1u);
		lsched_st(&a->items_chunk_priority[chunk], job, rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_i_chunk_push(x, chunk, 0))
		return 1;
	if (lsched_lane() == 0) /* the worker's own unit remains */
		lsched_i_job_add_units(j, 0xffffffffu);
	return 0;
}

/* Whether an item of a more urgent job than `job` is first in the queue. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_better_waits)(const lsched_i_items *x, uint32_t job)
{
	return lsched_bcast(lsched_lane() == 0 ? lsched_i_jobs_better(x->w, job) : 0);
}

/* Pushes up to 32 roots of the worker's job on the empty stacks. Returns 0 if none is left, or the
 * job was cancelled. The worker that draws the last one, or finds none, has no ticket then. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_roots)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_job *j = lsched_i_job_current(&items->any);
	const uint32_t roots = j->roots, each = j->each;
	uint32_t first = roots, n;

	if (lsched_lane() == 0 && !(lsched_ld(&j->flags, rlx, dev) & LSCHED_I_JOB_CANCELLED)) {
		first = lsched_add(&j->next_root, each, rlx, dev);
		/* not of the later periods */
		if (first == 0 && lsched_ld(&j->start_ns, rlx, dev) == 0)
			lsched_st(&j->start_ns, lsched_now_ns(), rlx, dev);
	}
	first = lsched_bcast(first);
	p->ticket = first < roots && roots - first > each;
	if (first >= roots)
		return 0;
	n = p->ticket ? each : roots - first;
	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES)
		LSCHED_I_N(_items_root)(items, c, j->first + first + k);
	lsched_sync_worker();
	return n;
}

/* Enqueues the worker's ticket, with its unit. Returns 0 if the queue is full. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_return_ticket)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	LSCHED_I_N(_jobs_settle_value)(x);
	if (!lsched_i_jobs_push_one(x->w, lsched_i_ticket(p->job, 1u)))
		return 0;
	p->job = LSCHED_NONE;
	return 1;
}

/* A frame keeps a job whose items are stored: entries of the local chunks, on top of these. The
 * local chunks of the next job begin above it, at p->floor. */
enum { LSCHED_I_N(_jobs_frame_entries) = 3 };

/* Returns 0 if there is no room. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_push_frame)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	const uint32_t n = LSCHED_I_N(_jobs_frame_entries);

	if (LSCHED_I_LOCAL_CHUNKS(p) + n > x->w->a->items_local_chunk_slots)
		return 0;
	if (p->frames++ == 0)
		p->base = p->local_bottom;
	if (lsched_lane() == 0) {
		*lsched_i_local_chunk(x, p->local_top) = p->local_bottom;
		*lsched_i_local_chunk(x, p->local_top + 1u) = p->floor;
		*lsched_i_local_chunk(x, p->local_top + 2u) = p->job << 1 | p->ticket;
	}
	p->local_top += n;
	p->local_bottom = p->floor = p->local_top;
	lsched_sync_worker();
	return 1;
}

/* Returns to the job of the newest frame. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_pop_frame)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t bottom = 0, floor = 0, job = 0;

	p->local_top = p->floor - LSCHED_I_N(_jobs_frame_entries);
	if (lsched_lane() == 0) {
		bottom = *lsched_i_local_chunk(x, p->local_top);
		floor = *lsched_i_local_chunk(x, p->local_top + 1u);
		job = *lsched_i_local_chunk(x, p->local_top + 2u);
	}
	p->local_bottom = lsched_bcast(bottom);
	p->floor = lsched_bcast(floor);
	job = lsched_bcast(job);
	p->frames--;
	p->ticket = job & 1u;
	LSCHED_I_N(_jobs_set)(x, p, job >> 1);
}

/* The job of the newest frame. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_frame_job)(
	const lsched_i_items *x, const LSCHED_I_N(_items_loop) * p)
{
	return lsched_bcast(lsched_lane() == 0 ? *lsched_i_local_chunk(x, p->floor - 1u) >> 1 : 0);
}

/* The flags of a job, in all lanes. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_flags)(const lsched_i_items *x, uint32_t job)
{
	return lsched_bcast(
		lsched_lane() ? 0 : lsched_ld(&lsched_i_job_record(x->w->a, job)->flags, rlx, dev));
}

/* Whether the job is paused, and not cancelled. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_is_paused)(const lsched_i_items *x, uint32_t job)
{
	return (LSCHED_I_N(_jobs_flags)(x, job) & (LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_CANCELLED)) ==
	       LSCHED_I_JOB_PAUSED;
}

/* Parks an item of the queue, with its unit of the job; before its unit of the run is subtracted,
 * which the controller observes. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_park)(lsched_i_items *x, uint32_t job, uint32_t item)
{
	const lsched_i_args *a = x->w->a;

	lsched_sync_worker(); /* all lanes' writes are before the leader's release */
	if (lsched_lane() == 0) {
		if (item & LSCHED_I_TICKET)
			(void)lsched_add(
				&lsched_i_job_record(a, job)->parked_tickets, 1u, rlx, dev);
		else
			lsched_i_job_park(a, job, item);
		lsched_i_fence_rel();
	}
	lsched_sync_worker();
}

/* Takes over an item of the queue. Returns 1 if it has pushed items on the stacks. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_take)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t item)
{
	const uint32_t job = lsched_i_job_of_item(x->w->a, item);

	x->w->finished++;
	if (LSCHED_I_N(_jobs_is_paused)(x, job)) {
		LSCHED_I_N(_jobs_park)(x, job, item);
		if (p->frames) /* with frames an item is taken instead of the newest one */
			LSCHED_I_N(_jobs_pop_frame)(x, p);
		return 0;
	}
	LSCHED_I_N(_jobs_set)(x, p, job);
	p->ticket = (item & LSCHED_I_TICKET) != 0;
	if (p->ticket) {
		lsched_i_ticket_divide(x->w, job, lsched_i_ticket_count(item));
		return 0;
	}
#ifdef LSCHED_JOB_DISCARD
	if (LSCHED_I_N(_jobs_flags)(x, job) & LSCHED_I_JOB_CANCELLED) {
		if (lsched_lane() == 0)
			lsched_i_chunk_release(x->w->a, item);
		return 0;
	}
#endif
	lsched_i_chunk_unpack(x, LSCHED_I_TABLE, item);
	return 1;
}

#include "libsched/items/job_switch.h"
