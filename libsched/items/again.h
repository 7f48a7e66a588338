/* Items whose bodies return LSCHED_AGAIN: they go back to their stack as its oldest items, and
 * their procedure is *blocked*: the worker runs other procedures first. When all its items are of
 * blocked procedures, it looks for others in its local chunks and the queue,
 * moves blocked items out of their way, and then runs the blocked ones again. So an item that waits
 * for room which the items of another procedure make is run after them, on whatever worker these
 * are.
 *
 * Turns in which no item finishes do not count as progress, so a run in which all items wait for
 * each other ends by the watchdog. Template text: engine.h includes it for programs whose bodies
 * may return LSCHED_AGAIN. */

/* Lowers the bottom of a stack by n, which may wrap; returns it. A loop, because an index that is
 * no constant would move the struct from registers to memory. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_lower_bottom)(
	LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t n)
{
	uint32_t bottom = 0;

	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		if (q == proc) {
			p->bottom[q] -= n;
			bottom = p->bottom[q];
		}
	}
	return bottom;
}

/* Puts back the items (v: words) of the lanes with nonzero `again`; n is their number. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_put_back)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p,
	uint32_t proc, uint32_t again, const uint32_t *v)
{
	const lsched_lane_mask mask = lsched_ballot(again != 0);
	const uint32_t n = lsched_popcount(mask);
	const uint32_t bottom = LSCHED_I_N(_items_lower_bottom)(p, proc, n);

	if (again)
		lsched_i_level_put(x, LSCHED_I_TABLE, proc,
			bottom + lsched_popcount(mask & LSCHED_I_LANES_BELOW()), v);
	p->again += n;
	p->blocked |= 1u << proc;
	lsched_sync_worker();
}

/* After the body of item v returned r (GPU: for the items of all lanes): puts it back if it is to
 * be run again. Of a warp or block item lane 0 does so. Returns r, or DONE for AGAIN. */
LSCHED_WORKER_FN lsched_result LSCHED_I_N(_items_repeat)(lsched_i_items *x,
	LSCHED_I_N(_items_loop) * p, uint32_t proc, lsched_result r, const uint32_t *v)
{
	if (LSCHED_I_UNLIKELY(lsched_ballot(r == LSCHED_AGAIN))) {
		LSCHED_I_N(_items_put_back)
		(x, p, proc, r == LSCHED_AGAIN && (x->threads == 1 || lsched_lane() == 0), v);
		if (r == LSCHED_AGAIN)
			r = LSCHED_DONE;
	}
	return r;
}

/* After a turn of n items: returns how many were put back. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_repeated)(LSCHED_I_N(_items_loop) * p, uint32_t n)
{
	const uint32_t again = p->again;

	p->again = 0;
	if (again != n)
		p->progress = 1;
	return again;
}
