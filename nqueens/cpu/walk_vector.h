/* Template text: backtracking with several nodes in a vector. All nodes of one depth of a unit fill
 * the same row, so a vector needs one shift count only. Each depth has a list of nodes; the next
 * step expands the deepest list that fills a vector, so that vectors are nearly always full and the
 * lists stay short. A node without a free column in the next row is never stored, and the last two
 * rows are counted in one step without a loop (two_rows).
 *
 * Includer: WALK_NAME, WALK_TARGET (function attribute), WALK_LANES, WALK_VECTORS (vectors of a
 * step; at most 6, with at most NQ_I_VECTOR_MAX lanes in all), the type wv of 64-bit lanes, and
 *	wv_set1(x) wv_load(p) wv_store(p, v) wv_and wv_andnot(a, b): ~a & b  wv_or wv_or3 wv_sub
 *	wv_srl(v, k) wv_sll(v, k): k an integer
 *	wm, a mask of lanes as an integer; wv_nonzero(v), wv_zero(v), wv_not_ones(v): wm
 *	wv_keep(mask, v): zero in the other lanes
 *	wv_pack_store(p, mask, v): stores the masked lanes contiguously; may write all lanes */
#define WALK_CAT_(a, b) a##b
#define WALK_CAT(a, b)  WALK_CAT_(a, b)
#define WALK_STEP       (WALK_VECTORS * WALK_LANES)
#define WALK_FN         WALK_TARGET static inline __attribute__((always_inline))

typedef struct WALK_CAT(WALK_NAME, _rows) {
	uint32_t count, n;
	uint8_t order[NQ_MAX_N];
	uint64_t solutions;
} WALK_CAT(WALK_NAME, _rows);

/* Counts the last two rows of a vector of nodes. Two columns are left, so there are two placements;
 * in both the queens attack each other if the columns are as far apart as the rows. */
WALK_FN void WALK_CAT(WALK_NAME, _two_rows)(
	WALK_CAT(WALK_NAME, _rows) * r, wm lanes, wv cols, wv d1, wv d2, uint32_t ra, uint32_t rb)
{
	const uint32_t last = r->n - 1, apart = ra > rb ? ra - rb : rb - ra;
	const wv left = wv_andnot(cols, wv_set1(-1));
	const wv fa = wv_andnot(wv_or(wv_srl(d1, ra), wv_srl(d2, last - ra)), left);
	const wv fb = wv_andnot(wv_or(wv_srl(d1, rb), wv_srl(d2, last - rb)), left);
	const wv low = wv_and(left, wv_sub(wv_set1(0), left));
	const wv high = wv_andnot(low, left);
	const wm apart_ok = lanes & wv_zero(wv_and(left, wv_sll(left, apart)));
	const wm one = wv_nonzero(wv_and(fa, low)) & wv_nonzero(wv_and(fb, high)) & apart_ok;
	const wm two = wv_nonzero(wv_and(fa, high)) & wv_nonzero(wv_and(fb, low)) & apart_ok;

	r->solutions += (uint64_t)(__builtin_popcount(one) + __builtin_popcount(two));
}

/* Expands the nodes of `from` in `lanes`, one step, and appends their children to `to`. One loop
 * processes several vectors, because its exit branch mispredicts, at the cost of an iteration, and
 * because a step must not load what the previous one has just stored. */
WALK_FN void WALK_CAT(WALK_NAME, _expand)(WALK_CAT(WALK_NAME, _rows) * r, const nq_i_level *from,
	uint32_t first, uint64_t lanes, nq_i_level *to, uint32_t row, uint32_t next)
{
	const uint32_t last = r->n - 1;
	const wv ones = wv_set1(-1);
	uint32_t n = to->count;
	wv cols[WALK_VECTORS], d1[WALK_VECTORS], d2[WALK_VECTORS], open[WALK_VECTORS];
	wm some[WALK_VECTORS], any = 0;

#pragma GCC unroll 6
	for (uint32_t v = 0; v < WALK_VECTORS; v++) {
		const uint32_t at = first + v * WALK_LANES;

		cols[v] = wv_load(from->cols + at);
		d1[v] = wv_load(from->d1 + at);
		d2[v] = wv_load(from->d2 + at);
		open[v] = wv_andnot(
			wv_or3(cols[v], wv_srl(d1[v], row), wv_srl(d2[v], last - row)), ones);
		/* nodes that are not in this step have no free column */
		some[v] = (wm)(lanes >> (v * WALK_LANES)) & ((1u << WALK_LANES) - 1);
		open[v] = wv_keep(some[v], open[v]);
		some[v] = wv_nonzero(open[v]);
		any |= some[v];
	}
	while (any) {
		any = 0;
#pragma GCC unroll 6
		for (uint32_t v = 0; v < WALK_VECTORS; v++) {
			const wv bit = wv_and(open[v], wv_sub(wv_set1(0), open[v]));
			const wv c = wv_or(cols[v], bit), e1 = wv_or(d1[v], wv_sll(bit, row)),
				 e2 = wv_or(d2[v], wv_sll(bit, last - row));
			const wv shut = wv_or3(c, wv_srl(e1, next), wv_srl(e2, last - next));
			const wm alive = some[v] & wv_not_ones(shut);

			wv_pack_store(to->cols + n, alive, c);
			wv_pack_store(to->d1 + n, alive, e1);
			wv_pack_store(to->d2 + n, alive, e2);
			n += (uint32_t)__builtin_popcount(alive);
			open[v] = wv_andnot(bit, open[v]);
			some[v] = wv_nonzero(open[v]);
			any |= some[v];
		}
	}
	to->count = n;
}

/* Appends tasks with a free column in their first row to the list. */
WALK_FN void WALK_CAT(WALK_NAME, _feed)(
	WALK_CAT(WALK_NAME, _rows) * r, nq_i_level *l, const nq_task *tasks, uint32_t count)
{
	const uint64_t beyond = ~(uint64_t)nq_i_full(r->n);

	for (uint32_t i = 0; i < count; i++) {
		const nq_task *t = &tasks[i];

		if (!nq_i_free(t, r->n, r->order[0]))
			continue;
		l->cols[l->count] = t->cols | beyond;
		l->d1[l->count] = t->d1;
		l->d2[l->count] = t->d2;
		l->count++;
	}
}

/* Counts the last two rows of the nodes of `l` in `lanes`, one step. */
WALK_FN void WALK_CAT(WALK_NAME, _end)(WALK_CAT(WALK_NAME, _rows) * r, const nq_i_level *l,
	uint64_t lanes, uint32_t ra, uint32_t rb)
{
	for (uint32_t v = 0; v < WALK_VECTORS; v++) {
		const uint32_t at = l->count + v * WALK_LANES;

		WALK_CAT(WALK_NAME, _two_rows)
		(r, (wm)(lanes >> (v * WALK_LANES)) & ((1u << WALK_LANES) - 1),
			wv_load(l->cols + at), wv_load(l->d1 + at), wv_load(l->d2 + at), ra, rb);
	}
}

WALK_TARGET uint64_t WALK_NAME(nq_i_walk *w, const nq_task *tasks, uint32_t count, uint32_t n)
{
	WALK_CAT(WALK_NAME, _rows) r = { .n = n };
	const uint64_t all = (((uint64_t)1 << WALK_STEP) - 1);
	uint64_t nodes = 0;
	uint32_t depth = 0, deepest, steps = 0;

	r.count = count ? nq_i_row_order(tasks[0].rows, n, r.order) : 0;
	if (r.count < 2)
		return nq_i_walk_scalar(w, tasks, count, n);
	deepest = r.count - 2; /* boards here have two rows left */
	for (uint32_t i = 0; i < r.count; i++)
		w->levels[i].count = 0;
	for (;;) {
		nq_i_level *l;
		uint64_t lanes = all;
		uint32_t n_take = WALK_STEP;

		if ((++steps & 0xffffu) == 0 && w->stop &&
			__atomic_load_n(w->stop, __ATOMIC_RELAXED))
			return 0;
		/* no deeper level can fill a vector */
		while (depth > 0 && w->levels[depth].count < WALK_STEP)
			depth--;
		if (w->levels[depth].count < WALK_STEP) {
			if (count) {
				const uint32_t more = count < WALK_STEP ? count : WALK_STEP;

				WALK_CAT(WALK_NAME, _feed)(&r, &w->levels[0], tasks, more);
				tasks += more;
				count -= more;
				continue;
			}
			while (depth <= deepest && w->levels[depth].count == 0)
				depth++;
			if (depth > deepest)
				break;
			n_take = w->levels[depth].count;
			if (n_take > WALK_STEP)
				n_take = WALK_STEP;
			lanes = ((uint64_t)1 << n_take) - 1;
		}
		l = &w->levels[depth];
		l->count -= n_take;
		nodes += n_take;
		if (depth == deepest) {
			WALK_CAT(WALK_NAME, _end)(&r, l, lanes, r.order[depth], r.order[depth + 1]);
			continue;
		}
		WALK_CAT(WALK_NAME, _expand)
		(&r, l, l->count, lanes, &w->levels[depth + 1], r.order[depth], r.order[depth + 1]);
		depth++;
	}
	w->nodes += nodes;
	return r.solutions;
}

#undef WALK_STEP
#undef WALK_FN
#undef WALK_CAT
#undef WALK_CAT_
