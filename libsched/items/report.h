/* What a worker of an item program reports after a turn. Template text, part of engine.h. */

/* After a turn: publishes it as progress, if items have finished. At intervals: checks the time
 * limit of the run and reads the failure flag. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_report)(
	lsched_worker *w, LSCHED_I_N(_items_loop) * p, uint32_t turn)
{
	uint32_t stop = 0;

	if (LSCHED_I_PROGRESSED(p))
		lsched_i_mark_finished(w, turn);
	LSCHED_I_PROGRESS_CLEAR(p);
	if (turn % LSCHED_I_FLUSH_TASKS != 0 && !w->a->limit_ns &&
		!lsched_bcast(lsched_lane() == 0 ? lsched_i_interval_over(w) : 0))
		return 1;
	if (lsched_lane() == 0) {
		lsched_i_check_limit(w, LSCHED_NONE);
		stop = lsched_i_failed(w);
	}
	return !lsched_bcast(stop);
}
