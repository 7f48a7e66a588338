/* Choice of the procedure of a turn. Template text: engine.h includes it for each program. */

/* Whether a turn may run items of a procedure: not those whose items had no room lately, or
 * returned LSCHED_AGAIN. */
#if LSCHED_I_TABLE || LSCHED_I_REPEATS
#define LSCHED_I_RUNNABLE(p, proc) (~(p)->blocked >> (proc)&1u)
#else
#define LSCHED_I_RUNNABLE(p, proc) 1u
#endif

/* Selects the procedure of the next turn among those with items: the one with the most, the last of
 * equals; with LSCHED_CHOOSE_DOWNSTREAM the last one. With LSCHED_MIN_BATCH one that has a batch
 * comes before those that have none. Returns the number of its items, 0: there are none. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_choose)(
	const lsched_i_items *x, const LSCHED_I_N(_items_loop) * p, uint32_t *proc, uint32_t *first)
{
	uint32_t most = 0, batch = LSCHED_MIN_BATCH <= 1u; /* that of the selected one */

	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		const uint32_t top = x->level->top[q], count = top - p->bottom[q];
		const uint32_t whole = LSCHED_MIN_BATCH <= 1u || count >= LSCHED_I_BATCH_LEAST(q);

		if (count &&
			(whole == batch ? (LSCHED_I_CHOICE == 1 && whole) || count >= most
					: whole) &&
			LSCHED_I_RUNNABLE(p, q)) {
			batch = whole;
			most = count;
			*proc = q;
			*first = top;
		}
	}
	return most;
}

#if LSCHED_I_CHOICE == 2
/* The same by the program's function, if it returns a procedure with items. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_choose_by)(const lsched_i_items *x, const LSCHED_CTX *c,
	const LSCHED_I_N(_items_loop) * p, uint32_t *proc, uint32_t *first)
{
	const uint32_t most = LSCHED_I_N(_items_choose)(x, p, proc, first);
	uint32_t count[LSCHED_PROCS], chosen;

	if (most == 0)
		return 0;
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		count[q] = LSCHED_I_RUNNABLE(p, q) ? x->level->top[q] - p->bottom[q] : 0;
	chosen = LSCHED_CHOOSE(c, count);
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		if (q == chosen && count[q]) {
			*proc = q;
			*first = x->level->top[q];
			return count[q];
		}
	}
	return most;
}
#endif
