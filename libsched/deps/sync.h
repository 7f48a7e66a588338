/* sync: all tasks of a wavefront, then a barrier; the baseline of the paper (Tzeng, Lloyd, Owens 2012).
 * On the GPU the barrier is the end of a launch, one wavefront each; on the CPU the workers meet.
 *
 * Template text: generate.h includes it for each program. */

#ifndef __CUDACC__
/* The last to arrive opens the next wavefront; 0 when the run has failed. */
static inline uint32_t SCHED__N(_barrier)(sched_worker *w, uint32_t wave)
{
	const sched__args *a = w->a;
	sched__state *s = a->state;
	uint32_t passed = wave - a->wave;
	uint64_t idle;

	sched__settle(w);
	if (sched_add(&s->arrived.v, 1u, ar, dev) == a->workers - 1) {
		sched_st(&s->arrived.v, 0u, rlx, dev);
		sched_st(&s->ticket.v, 0u, rlx, dev);
		sched_st(&s->passed.v, passed + 1, rel, dev);
		return !sched__failed(w);
	}
	idle = sched__wait_begin(w);
	for (uint32_t spins = 0; sched_ld(&s->passed.v, acq, dev) == passed; spins++) {
		uint32_t stalled = (spins & 15u) == 15u ? sched__watch(w) : SCHED__GOING;

		if (stalled != SCHED__GOING)
			sched__fail(w,
				stalled == SCHED__STALLED ? SCHED__FAIL_BARRIER : SCHED__FAIL_LIMIT,
				SCHED_NONE, wave);
		if (sched__failed(w))
			break;
		sched__relax(spins, a->workers);
	}
	sched__wait_end(w, idle);
	return !sched__failed(w);
}
#endif

SCHED_WORKER_FN void SCHED__N(_sync)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l)
{
	const sched__args *a = w->a;

	for (uint32_t wave = a->wave; wave < a->waves; wave++) {
		const uint32_t size = SCHED__R(wave_size)(c, wave);

		for (;;) {
			uint32_t i = 0, stop = 0;

			if (sched_lane() == 0) {
				i = sched_add(&a->state->ticket.v, 1u, rlx, dev);
				stop = sched__failed(w);
			}
			i = sched_bcast(i);
			if (sched_bcast(stop))
				return;
			if (i >= size)
				break;
			if (!SCHED__N(_run_task)(w, c, l, SCHED__R(wave_task)(c, wave, i)))
				return;
			if (!sched__ran_one(w))
				return;
		}
#ifndef __CUDACC__
		if (wave + 1 < a->waves && !SCHED__N(_barrier)(w, wave))
			return;
#endif
	}
}
