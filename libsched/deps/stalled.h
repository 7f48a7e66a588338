/* Which task blocks a run: for the errors of the schemes whose tasks have flags.
 *
 * Template text: generate.h includes it for each program with a rule. */

/* One lane, after a stall: follows unfinished predecessors from `task`. Returns a task whose
 * predecessors have all finished, or a task that depends on itself. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_bottom)(
	const lsched_i_args *a, const LSCHED_CTX *c, uint32_t task)
{
	for (uint32_t steps = 0; steps < a->tasks; steps++) {
		uint32_t n = LSCHED_I_R(pred_count)(c, task), next = task;

		for (uint32_t k = 0; k < n && next == task; k++) {
			uint32_t p = LSCHED_I_R(pred)(c, task, k);

			if (lsched_ld(&a->task_words[p], acq, dev) != a->epoch)
				next = p;
		}
		if (next == task)
			break;
		task = next;
	}
	return task;
}

#ifdef LSCHED_MESSAGES
/* After a body that has failed: records the failure of a receive, if that ended it. The next
 * failure of the same task then has no effect. */
LSCHED_WORKER_FN void LSCHED_I_N(_message_failed)(
	lsched_worker *w, const LSCHED_CTX *c, uint32_t task)
{
	const uint32_t stalled = w->priv->message_stalled, from = w->priv->message_from;
	const lsched_i_args *a = w->a;

	if (stalled != LSCHED_I_PROGRESS && lsched_lane() == 0) {
		if (stalled == LSCHED_I_TIME_LIMIT)
			lsched_i_fail(w, LSCHED_I_FAIL_LIMIT, task, from);
		else if (w->has_flags && lsched_ld(&a->task_words[from], acq, dev) != a->epoch)
			lsched_i_fail(w, LSCHED_I_FAIL_WAIT, LSCHED_I_N(_bottom)(a, c, from), from);
		else
			lsched_i_fail(w, LSCHED_I_FAIL_MESSAGE, task, from);
	}
	lsched_sync_worker();
}
#endif
