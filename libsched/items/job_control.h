/* The controller of a member: the first worker to arrive. It reads the host's commands, admits
 * jobs, sorts the queue by their ranks, publishes the key of the best waiting item, checks time
 * limits and the progress of the run, and decides when the member leaves. It alone reads host
 * memory, because polls of all workers would saturate the bus. Template text: engine.h includes it
 * for programs with LSCHED_JOBS.
 *
 * Leaving and return. While a service is open the run has a unit of the outstanding count of its
 * own (a start has one task, which no worker runs). When nothing else is outstanding for the linger
 * time, the controller stores `leaving`, and reads the ring once more. The host stores a command,
 * then reads `leaving`: at least one of them observes the other. Without a command the controller
 * subtracts the unit, and all workers leave; the host then starts the member again, and the command
 * is still in the ring. models/jobs.pml has this protocol. A body that resumes another job does so
 * while its worker has a unit; the sweep before `leaving` enqueues that job. */

/* Interval of the sweeps over all jobs. */
#define LSCHED_I_JOBS_SWEEP_NS 100000u

/* Flags of jobs that their workers look for during the job. */
#ifdef LSCHED_JOB_DISCARD
#define LSCHED_I_JOBS_LOOK_FOR (LSCHED_I_JOB_PAUSED | LSCHED_I_JOB_CANCELLED)
#else
#define LSCHED_I_JOBS_LOOK_FOR LSCHED_I_JOB_PAUSED
#endif

/* The variables of a controller, the same in all lanes except those of the leader. */
typedef struct LSCHED_I_N(_jobs_controller) {
	uint32_t head;     /* commands read, */
	uint32_t told;     /* and how many the host has been told */
	uint32_t pushed;   /* a first ticket, since the last sort */
	uint32_t pass_end; /* of the next window of the pass over the queue */
	uint32_t ticket;   /* a first ticket that found the queue full; LSCHED_NONE: none */
	uint32_t quiet;    /* turns since something happened */
	uint32_t closing;  /* the host has sent CLOSE */
	uint32_t pauses;   /* some job has a flag that workers look for */
	uint32_t timed;    /* some job waits for its time */
	uint32_t resumed;  /* leader: jobs that bodies had resumed at the last turn */
	uint32_t turns;
	uint64_t order;
	uint64_t best;     /* leader: what it last stored to LSCHED_I_JOBS_BEST */
	uint64_t idle_ns;  /* leader: begin of this idle time; 0: not idle */
	uint64_t swept_ns; /* leader */
} LSCHED_I_N(_jobs_controller);

/* Enqueues the tickets of the job that was admitted last. No other command is read before. The last
 * one has the job's unit until all others are in the queue. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_push_first)(
	lsched_worker *w, LSCHED_I_N(_jobs_controller) * k)
{
	const uint32_t job = k->ticket & (LSCHED_I_JOBS_MAX - 1u);

	if (k->ticket == LSCHED_NONE)
		return;
	if (lsched_i_ticket_count(k->ticket) > 1u) {
		lsched_i_ticket_divide(w, job, lsched_i_ticket_count(k->ticket));
		k->ticket = lsched_i_ticket(job, 1u);
		k->pushed = 1;
	}
	if (!lsched_i_jobs_hand_over(w, k->ticket)) {
		if (!lsched_i_jobs_push_one(w, k->ticket))
			return;
		k->pushed = 1;
	}
	k->ticket = LSCHED_NONE;
}

/* The newest items that are sorted with the first ones at once. */
#define LSCHED_I_JOBS_NEW 32u

/* Sorts the next window of a pass from the last item of the queue to the first. In a queue of more
 * than one window the first items and the newest ones are one, after a first ticket was pushed: a
 * pass takes long, and the controller reads no commands meanwhile. Returns how many items were
 * moved. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_sort_window)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_I_N(_jobs_controller) * k, uint32_t head, uint32_t tail)
{
	const uint32_t length = tail - head;
	lsched_i_window v;

	if (k->pushed && length > LSCHED_I_PRIO_WINDOW) {
		v.first = head;
		v.first_n = LSCHED_I_PRIO_SEGMENT;
		v.second = tail - LSCHED_I_JOBS_NEW;
		v.n = LSCHED_I_PRIO_SEGMENT + LSCHED_I_JOBS_NEW;
	} else {
		/* one window, or the last pass is over, or the front is beyond its end */
		if (length <= LSCHED_I_PRIO_WINDOW || k->pass_end - head - 2u >= length)
			k->pass_end = tail;
		v.n = k->pass_end - head;
		v.n = v.n < LSCHED_I_PRIO_WINDOW ? v.n : LSCHED_I_PRIO_WINDOW;
		v.first = v.second = k->pass_end - v.n;
		v.first_n = v.n;
		k->pass_end = v.first == head ? head : k->pass_end - LSCHED_I_PRIO_SEGMENT;
	}
	k->pushed = 0;
	return LSCHED_I_N(_prio_sort)(w, c, &v);
}

/* Sorts a part of the queue; returns how many items were moved. Publishes the key of the first
 * one. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_sort)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_I_N(_jobs_controller) * k)
{
	const lsched_i_args *a = w->a;
	uint32_t head, tail, moved, n = 0, key = 0; /* the same in all lanes */

	LSCHED_I_N(_prio_ends)(a, &head, &tail);
	moved = (int32_t)(tail - head) > 1 ? LSCHED_I_N(_jobs_sort_window)(w, c, k, head, tail) : 0;
	if ((int32_t)(tail - head) > 0) {
		if (lsched_lane() == 0)
			head = lsched_ld(&a->state->queue[LSCHED_I_RING_HEAD].v, rlx, dev);
		head = lsched_bcast(head);
		n = lsched_i_jobs_front(a, head, &key);
	}
	if (lsched_lane() == 0) {
		uint64_t best = k->pauses ? LSCHED_I_JOBS_PAUSES : 0;

		if (n)
			best |= (uint64_t)(head + n) << 32 | key;
		if (best != k->best)
			lsched_st(LSCHED_I_JOBS_BEST(a->state), best, rlx, dev);
		k->best = best;
	}
	return moved;
}

/* Leader: tells the host how many commands were read. Relaxed: the store depends on the words of
 * the slots, which the host may write then. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_tell)(
	const lsched_i_args *a, LSCHED_I_N(_jobs_controller) * k)
{
	if (lsched_lane() == 0)
		lsched_st(&a->jobs_shared->head.v, k->head, rlx, sys);
	k->told = k->head;
}

/* Executes a command. When it is about a job, all posts before it have been sorted. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_command)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_I_N(_jobs_controller) * k, const lsched_i_command *command)
{
	const lsched_i_args *a = w->a;
	lsched_i_jobs_shared *s = a->jobs_shared;
	const uint32_t what = lsched_i_command_word(command, LSCHED_I_COMMAND_WHAT);

	if (what == LSCHED_I_COMMAND_CANCEL || what == LSCHED_I_COMMAND_CHANGE)
		(void)LSCHED_I_N(_jobs_sort)(w, c, k);
	switch (what) {
	case LSCHED_I_COMMAND_POST: {
		const uint32_t ticket =
			lsched_i_job_admit(w, command, k->order++, LSCHED_I_AT_ONCE);

		if (lsched_i_command_long(command, LSCHED_I_COMMAND_START) |
			lsched_i_command_long(command, LSCHED_I_COMMAND_PERIOD)) {
			k->timed = 1;
			k->swept_ns = 0; /* its time may have come */
		} else if (lsched_i_command_word(command, LSCHED_I_COMMAND_PAUSED)) {
			if (lsched_lane() == 0)
				lsched_st(&lsched_i_job_of_ticket(a, ticket)->parked_tickets, 1u,
					rlx, dev);
		} else {
			k->ticket = ticket;
		}
		break;
	}
	case LSCHED_I_COMMAND_CANCEL:
		lsched_i_job_cancel(w, command);
		k->pauses |= LSCHED_I_JOBS_LOOK_FOR & LSCHED_I_JOB_CANCELLED;
		break;
	case LSCHED_I_COMMAND_CHANGE:
		lsched_i_job_change(w, command);
		k->pauses |= lsched_i_command_word(command, LSCHED_I_COMMAND_PAUSED);
		break;
	case LSCHED_I_COMMAND_CLOCK:
		if (lsched_lane() == 0) {
			lsched_st(&s->clock_ns, lsched_now_ns(), rlx, sys);
			lsched_st(&s->clock_number, (uint64_t)(k->head + 1u), rel, sys);
		}
		break;
	case LSCHED_I_COMMAND_OFFSET: {
		const uint64_t offset = lsched_i_command_long(command, LSCHED_I_COMMAND_START);

		if (lsched_lane() == 0)
			lsched_st(&a->jobs->offset_ns, offset, rlx, dev);
		break;
	}
	default: /* CLOSE */
		k->closing = 1;
		(void)lsched_i_jobs_cancel_endless(a, 0u);
		break;
	}
	LSCHED_I_N(_jobs_push_first)(w, k);
	k->head++;
	if (lsched_lane() == 0)
		lsched_st(&a->jobs->head.v, k->head, rlx, dev);
	/* not each time, because a fence waits for stores to the host */
	if (k->head - k->told >= LSCHED_I_COMMAND_SLOTS / 4u)
		LSCHED_I_N(_jobs_tell)(a, k);
}

/* Leader: whether only the service's own unit of the run is left. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_is_idle)(
	lsched_worker *w, const LSCHED_I_N(_jobs_controller) * k)
{
	return k->ticket == LSCHED_NONE && lsched_i_outstanding(w) == 1u;
}

/* Leader: what the clock decides. Returns whether the member has been idle for the linger time. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_idle)(
	lsched_worker *w, LSCHED_I_N(_jobs_controller) * k, uint64_t now)
{
	const lsched_i_args *a = w->a;

	if (!LSCHED_I_N(_jobs_is_idle)(w, k)) {
		k->idle_ns = 0;
		return 0;
	}
	/* nothing is to progress: no watchdog fires */
	lsched_i_mark_finished(w, k->turns);
	if (k->idle_ns == 0)
		k->idle_ns = now;
	return !k->timed && (k->closing || now - k->idle_ns >= a->jobs_linger_us * UINT64_C(1000));
}

/* A sweep over all jobs. Returns whether nothing is left but paused jobs: nothing ran when it
 * began, nothing runs now, and what ran meanwhile has resumed no job. If the service is to close
 * then, paused jobs are cancelled, and so have to run. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_sweep)(
	lsched_worker *w, LSCHED_I_N(_jobs_controller) * k, uint64_t now)
{
	uint32_t *resumed = &w->a->jobs->resumed.v;
	uint32_t quiet = 0, before = 0;

	if (lsched_lane() == 0) {
		quiet = LSCHED_I_N(_jobs_is_idle)(w, k);
		before = lsched_ld(resumed, rlx, dev);
		lsched_i_fence_rel();
	}
	lsched_sync_worker();
	k->pauses = lsched_i_jobs_sweep(w, now, LSCHED_I_JOBS_LOOK_FOR, &k->timed);
	if (lsched_lane() == 0) {
		quiet = quiet && LSCHED_I_N(_jobs_is_idle)(w, k);
		lsched_i_fence_rel();
		quiet = quiet && lsched_ld(resumed, rlx, dev) == before;
	}
	quiet = lsched_bcast(quiet);
	if (!quiet || !k->closing || !lsched_i_jobs_cancel_endless(w->a, 1u))
		return quiet && !k->timed;
	k->pauses = lsched_i_jobs_sweep(w, now, LSCHED_I_JOBS_LOOK_FOR, &k->timed);
	return 0;
}

/* Leaves, unless a command has arrived, or a worker has parked an item of a job that is not paused
 * any more: it did so before it subtracted the item's unit of the run. Returns nonzero if the
 * member leaves. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_leave)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_I_N(_jobs_controller) * k, lsched_i_command *command, uint64_t now)
{
	lsched_i_jobs_shared *s = w->a->jobs_shared;

	if (!LSCHED_I_N(_jobs_sweep)(w, k, now))
		return 0;
	if (lsched_lane() == 0)
		lsched_st(&s->leaving.v, 1u, fnc, sys);
	lsched_sync_worker();
	lsched_i_fence_sc_sys();
	lsched_i_command_load(w->a, k->head, command);
	if (!lsched_i_command_complete(command, k->head)) {
		w->finished++; /* the service's unit, which the worker's end subtracts */
		lsched_i_flush_finished(w);
		return 1;
	}
	if (lsched_lane() == 0) {
		lsched_st(&s->leaving.v, 0u, rel, sys);
		k->idle_ns = 0;
	}
	LSCHED_I_N(_jobs_command)(w, c, k, command);
	return 0;
}

/* What the leader has found in a turn. */
typedef struct LSCHED_I_N(_jobs_found) {
	uint64_t now;
	uint32_t stop, stalled, sweep, idle;
	uint32_t watch; /* a step of the watchdog is over */
} LSCHED_I_N(_jobs_found);

/* Leader: clock, watchdog, and whether anything is left to do. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_observe)(
	lsched_worker *w, LSCHED_I_N(_jobs_controller) * k, LSCHED_I_N(_jobs_found) * f)
{
	const uint32_t resumed = lsched_ld(&w->a->jobs->resumed.v, rlx, dev);

	f->now = lsched_now_ns();
	lsched_st(&w->a->jobs->beat.v, k->turns, rlx, dev);
	f->stop = lsched_i_failed(w);
	f->sweep = f->now - k->swept_ns >= LSCHED_I_JOBS_SWEEP_NS || resumed != k->resumed;
	k->resumed = resumed;
	if (f->sweep)
		k->swept_ns = f->now;
	f->idle = LSCHED_I_N(_jobs_idle)(w, k, f->now);
	if (!f->stop && lsched_i_clock_due(k->turns, 16u))
		f->watch = w->priv->watch_timeout_ns &&
			   f->now - w->priv->watched_ns >=
				   lsched_i_watch_step_ns(w->priv->watch_timeout_ns);
}

/* A step of the watchdog, in all lanes: one takes 0.15 us for the marks of each worker, for which
 * urgent jobs would wait. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_watch)(lsched_worker *w, LSCHED_I_N(_jobs_found) * f)
{
	const lsched_i_args *a = w->a;
	const uint32_t words = LSCHED_I_MARK_WORDS(a), lane = lsched_lane();
	uint32_t sum;

	sum = lsched_i_sum(lsched_i_marks_sum(a->marks + (size_t)lane * words, words * LSCHED_LANES,
		(a->workers - lane + LSCHED_LANES - 1u) / LSCHED_LANES, 0,
		LSCHED_I_PROGRESS_WORDS));
	if (lane == 0) {
		sum += lsched_ld(&a->state->launches.v, rlx, dev);
		f->stalled = lsched_i_watchdog_of(w, &sum);
	}
}

/* The turns without a command: the sweep, and the end. Returns 0 when the controller leaves. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_upkeep)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_I_N(_jobs_controller) * k, LSCHED_I_N(_jobs_found) * f, lsched_i_command *command)
{
	uint32_t stalled;

	if (lsched_bcast(f->stop))
		return 0;
	if (lsched_bcast(f->watch))
		LSCHED_I_N(_jobs_watch)(w, f);
	stalled = lsched_bcast(f->stalled);
	if (k->told != k->head)
		LSCHED_I_N(_jobs_tell)(w->a, k);
	if (lsched_bcast(f->sweep))
		(void)LSCHED_I_N(_jobs_sweep)(w, k, lsched_i_shfl(f->now, 0));
	if (lsched_bcast(f->idle) &&
		LSCHED_I_N(_jobs_leave)(w, c, k, command, lsched_i_shfl(f->now, 0)))
		return 0;
	if (stalled != LSCHED_I_PROGRESS) {
		lsched_i_fail_stalled(w, stalled);
		return 0;
	}
	/* on a GPU the load of the command takes long enough */
	if (!LSCHED_I_GPU && !f->idle && k->quiet)
		lsched_i_jobs_relax(k->quiet, 0);
	return 1;
}

/* The loop of the controller. After a command the next one comes at once; but not for ever. It
 * loads one at a time: with four the rate is 1.3 times, but the registers of all workers are more
 * than 128, and so there are fewer workers. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_control)(lsched_worker *w, const LSCHED_CTX *c)
{
	const lsched_i_args *a = w->a;
	LSCHED_I_N(_jobs_controller) k;
	lsched_i_command command;
	uint32_t head = 0, got = 0;

	memset(&k, 0, sizeof(k));
	if (lsched_lane() == 0) {
		head = lsched_ld(&a->jobs->head.v, rlx, dev);
		(void)lsched_i_wait_begin(w);
	}
	k.head = k.told = lsched_bcast(head);
	k.order = k.head;
	k.ticket = LSCHED_NONE;
	k.best = UINT64_MAX;
	for (;; k.turns++) {
		LSCHED_I_N(_jobs_found) f = { 0, 0, LSCHED_I_PROGRESS, 0, 0, 0 };
		const uint32_t all = !got || k.turns % 16u == 0;
		uint32_t moved = 0;

		lsched_i_command_load(a, k.head, &command);
		/* while it is on its way */
		if (all || k.pushed)
			moved = LSCHED_I_N(_jobs_sort)(w, c, &k);
		LSCHED_I_N(_jobs_push_first)(w, &k);
		if (all && lsched_lane() == 0)
			LSCHED_I_N(_jobs_observe)(w, &k, &f);
		got = lsched_i_command_complete(&command, k.head) && k.ticket == LSCHED_NONE;
		if (got)
			LSCHED_I_N(_jobs_command)(w, c, &k, &command);
		k.quiet = got || moved ? 0 : k.quiet + 1u;
		f.idle &= !got;
		if (all && !LSCHED_I_N(_jobs_upkeep)(w, c, &k, &f, &command))
			return;
	}
}

/* At a worker's begin. Nonzero: it was the controller, until the member left or the run failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_controls)(lsched_worker *w, const LSCHED_CTX *c)
{
	uint32_t arrival = 0;

	if (lsched_lane() == 0)
		arrival = lsched_add(&w->a->state->prio.arrivals.v, 1u, rlx, dev);
	if (lsched_bcast(arrival))
		return 0;
	LSCHED_I_N(_jobs_control)(w, c);
	return 1;
}
