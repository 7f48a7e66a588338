/* Kept chunks of earlier starts (stop.h), drawn and unpacked. Template text: engine.h includes it
 * for programs with LSCHED_STOPS.
 *
 * A worker without items draws a kept chunk as it draws roots. A worker whose items are all blocked
 * draws kept chunks, too: their items may be those that make room, and the other workers may be
 * blocked as well. */

/* Returns the kept chunk of that number, which the worker has drawn. It takes over its unit of the
 * outstanding count. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_take_kept)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t number)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t chunk = a->stop_list[(a->stop_base + number) & a->stop_list_mask];

	p->kept_items -= a->items_chunk_headers[chunk] & 255u;
	x->w->finished++;
	return chunk;
}

/* Draws a kept chunk, but no root; returns it, or LSCHED_NONE. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_draw_kept)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	const lsched_i_args *a = x->w->a;
	uint32_t number = LSCHED_NONE;

	if (!a->stop_chunks || !p->more_roots)
		return LSCHED_NONE;
	if (lsched_lane() == 0) {
		uint32_t next = lsched_ld(&a->state->next_root.v, rlx, dev);

		while (next < a->stop_chunks && number == LSCHED_NONE)
			if (lsched_cas(&a->state->next_root.v, &next, next + 1u, rlx, dev))
				number = next;
	}
	number = lsched_bcast(number);
	return number == LSCHED_NONE ? LSCHED_NONE : LSCHED_I_N(_items_take_kept)(x, p, number);
}
