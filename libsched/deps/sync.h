/* sync: all tasks of a wavefront, then a barrier; the baseline of the paper (Tzeng, Lloyd, Owens
 * 2012). On the GPU each wavefront is a launch; on the CPU the workers wait at a barrier.
 *
 * Template text: generate.h includes it for each program. */

#if !LSCHED_I_GPU
/* Waits for all workers; the last one to arrive opens the next wavefront. Returns 0 if the run has
 * failed. */
static inline uint32_t LSCHED_I_N(_barrier)(lsched_worker *w, uint32_t wave)
{
	const lsched_i_args *a = w->a;
	lsched_i_state *s = a->state;
	uint32_t generation = wave - a->sync_wave;
	uint64_t idle;

	lsched_i_flush_finished(w);
	if (lsched_add(&s->sync.arrivals.v, 1u, ar, dev) == a->workers - 1) {
		lsched_st(&s->sync.arrivals.v, 0u, rlx, dev);
		lsched_st(&s->next_root.v, 0u, rlx, dev);
		lsched_st(&s->sync.generation.v, generation + 1, rel, dev);
		return !lsched_i_failed(w);
	}
	idle = lsched_i_wait_begin(w);
	for (uint32_t spins = 0; lsched_ld(&s->sync.generation.v, acq, dev) == generation;
		spins++) {
		uint32_t stalled = lsched_i_clock_due(spins, 16u) ? lsched_i_watchdog(w)
								  : (uint32_t)LSCHED_I_PROGRESS;

		if (stalled != LSCHED_I_PROGRESS)
			lsched_i_fail(w, lsched_i_wait_failure(stalled, LSCHED_I_FAIL_BARRIER),
				LSCHED_NONE, wave);
		if (lsched_i_failed(w))
			break;
		lsched_i_relax(spins, a->workers);
	}
	lsched_i_wait_end(w, idle);
	return !lsched_i_failed(w);
}
#endif

LSCHED_WORKER_FN void LSCHED_I_N(_sync)(lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const lsched_i_args *a = w->a;

	for (uint32_t wave = a->sync_wave; wave < a->sync_wave_end; wave++) {
		const uint32_t size = LSCHED_I_R(wave_size)(c, wave);

		for (;;) {
			uint32_t i;

			if (!lsched_i_draw(w, &i))
				return;
			if (i >= size)
				break;
			if (!LSCHED_I_N(_run_task)(w, c, l, LSCHED_I_R(wave_task)(c, wave, i)))
				return;
			if (!lsched_i_task_finished(w))
				return;
		}
#if !LSCHED_I_GPU
		if (wave + 1 < a->sync_wave_end && !LSCHED_I_N(_barrier)(w, wave))
			return;
#endif
	}
}
