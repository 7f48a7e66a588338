/* One turn of a program with one body: room for what it emits, popping, running. Template text:
 * engine.h includes it for programs without LSCHED_PROCEDURES. */

#define LSCHED_I_STACK_CAP(proc) LSCHED_STACK
/* Whether the worker shares with the next round. */
#define LSCHED_I_SHARES_IN_ROUNDS(x, p) ((p)->local_top != (p)->local_bottom)
/* Counts the items of a turn; the items of one body need no count of their own. */
#define LSCHED_I_COUNT_TURN(x, p, proc, turn, n) ((void)0)

/* Items that a turn may emit, a chunk that may be unpacked, and a chunk that may be filled. */
LSCHED_I_STATIC_ASSERT(
	(LSCHED_STACK & (LSCHED_STACK - 1)) == 0 &&
		LSCHED_STACK >= LSCHED_I_AT_ONCE * (LSCHED_MAX_SPAWN + 1u) + LSCHED_I_CHUNK_ITEMS,
	"LSCHED_STACK must be a power of two with room for what a turn makes");

LSCHED_WORKER_FN void LSCHED_I_N(_items_layout)(lsched_i_items *x)
{
	x->stack = (uint32_t *)(x->level + 1);
	x->cap = LSCHED_STACK;
	x->words = LSCHED_I_WORDS;
#if LSCHED_I_GPU
	x->thread = LSCHED_I_IS_LANE ? 0 : x->thread_all;
	x->threads = LSCHED_I_IS_LANE ? 1 : x->threads_all;
#else
	x->thread = 0;
	x->threads = 1;
#endif
}

/* Pushes root i on its stack. One lane. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_root)(LSCHED_ITEMS *items, const LSCHED_CTX *c, uint32_t i)
{
	LSCHED_I_ITEM_TYPE item;
	const uint32_t proc = LSCHED_ROOT(c, i, &item);

	lsched_i_emit(&items->any, proc, &item, LSCHED_I_WORDS);
}

/* Makes room on a stack: moves its oldest items to a local chunk, or to the queue if the list of
 * local chunks is full. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_make_room)(lsched_i_items *x, uint32_t proc,
	uint32_t *bottom, uint32_t n, uint32_t own_bottom, uint32_t *own_top)
{
	const uint32_t chunk = lsched_i_chunk_fill(x, LSCHED_I_TABLE, proc, *bottom, n, 1);

	if (chunk == LSCHED_NONE) {
		if (lsched_lane() == 0)
			lsched_i_fail(x->w, LSCHED_I_FAIL_CHUNKS, LSCHED_NONE, 0);
		return 0;
	}
	*bottom += n;
	if (*own_top - own_bottom < x->w->a->items_local_chunk_slots) {
		if (lsched_lane() == 0)
			*lsched_i_local_chunk(x, *own_top) = chunk;
		++*own_top;
		return 1;
	}
	(void)lsched_i_chunk_push(x, chunk, 1);
	return !lsched_bcast(lsched_i_failed(x->w));
}

/* Makes room on every stack for all that n items of `proc` may emit. Returns 0 if the run has
 * failed. The return from inside the loops makes trees of items 4 to 20 % faster on an H200 than
 * one exit, but takes up to nine registers more: LSCHED_MIN_BLOCKS bounds them. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_reserve)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t n)
{
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		for (;;) {
			const uint32_t stay = x->level->top[q] - p->bottom[q] - (q == proc ? n : 0);

			if (stay + n * LSCHED_MAX_SPAWN <= LSCHED_STACK)
				break;
			if (!LSCHED_I_N(_items_make_room)(x, q, &p->bottom[q],
				    stay < LSCHED_I_CHUNK_ITEMS ? stay : LSCHED_I_CHUNK_ITEMS,
				    p->local_bottom, &p->local_top))
				return 0;
		}
	}
	return 1;
}

/* Items that a thread creates are those of its item, except in warp and block items of a GPU. */
#define LSCHED_I_MADE_BY_THREAD (LSCHED_I_IS_LANE || !LSCHED_I_GPU)

/* Runs the body on an item; fails if it created more items than declared. */
LSCHED_WORKER_FN lsched_result LSCHED_I_N(_items_body)(LSCHED_ITEMS *items, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, uint32_t proc, LSCHED_I_ITEM_TYPE item)
{
	lsched_i_items *x = &items->any;
	lsched_result r;

	x->proc = proc;
	x->made = 0;
	r = LSCHED_BODY(items, c, l, proc, item);
	if (LSCHED_I_MADE_BY_THREAD && LSCHED_I_UNLIKELY(x->made > LSCHED_MAX_SPAWN)) {
		lsched_i_fail(x->w, LSCHED_I_FAIL_SPAWN, proc, 0);
		return LSCHED_FAIL;
	}
	return r;
}

/* The sum of the stacks' ends: it grows by the items that all threads create. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_tops)(const lsched_i_items *x)
{
	uint32_t sum = 0;

	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		sum += x->level->top[q];
	return sum;
}

#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
/* Gives the popped item to the other warps of its block, which begin to run it. v: its words, read
 * by the leader. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_give)(lsched_i_items *x, uint32_t proc, const uint32_t *v)
{
	if (lsched_lane() == 0) {
		for (uint32_t j = 0; j < LSCHED_I_WORDS; j++)
			x->level->item[j] = v[j];
		x->level->proc = proc;
		x->level->go = 1;
		x->level->bad = 0;
	}
	lsched_i_group_sync(x->w->pair, x->threads_all);
}
#endif

/* Runs the popped items. Returns the lanes that failed, one bit each. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_run)(LSCHED_ITEMS *items, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t first, uint32_t n)
{
	lsched_i_items *x = &items->any;
	lsched_result r = LSCHED_DONE;
	LSCHED_I_ITEM_TYPE item;

#if LSCHED_I_IS_LANE && !LSCHED_I_GPU
	/* a CPU worker that runs several lanes: all pop their items before any of them emits
	 * one */
	uint32_t all[LSCHED_CPU_LANES][LSCHED_I_WORDS];

	for (uint32_t k = 0; k < n; k++)
		lsched_i_level_get(x, 0, proc, first + k, all[k]);
	x->level->top[proc] = first;
	(void)p;
	for (uint32_t k = 0; k < n && r == LSCHED_DONE; k++) {
		memcpy(&item, all[k], sizeof(item));
		r = LSCHED_I_N(_items_body)(items, c, l, proc, item);
#if LSCHED_I_REPEATS
		r = LSCHED_I_N(_items_repeat)(x, p, proc, r, all[k]);
#endif
	}
	return r != LSCHED_DONE;
#else
	const uint32_t k = LSCHED_I_IS_LANE ? lsched_lane() : 0;
	const uint32_t tops = LSCHED_I_MADE_BY_THREAD ? 0 : LSCHED_I_N(_items_tops)(x) - n;
	uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

	if (k < n) {
		lsched_i_level_get(x, 0, proc, first + k, v);
		memcpy(&item, v, sizeof(item));
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		x->level->top[proc] = first;
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	LSCHED_I_N(_items_give)(x, proc, v);
#endif
	lsched_sync_worker();
	if (k < n)
		r = LSCHED_I_N(_items_body)(items, c, l, proc, item);
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	lsched_i_group_sync(x->w->pair, x->threads_all);
	if (x->level->bad)
		r = LSCHED_FAIL;
#endif
	lsched_sync_worker();
	if (!LSCHED_I_MADE_BY_THREAD && LSCHED_I_N(_items_tops)(x) - tops > LSCHED_MAX_SPAWN) {
		if (lsched_lane() == 0)
			lsched_i_fail(x->w, LSCHED_I_FAIL_SPAWN, proc, 0);
		r = LSCHED_FAIL;
	}
	(void)p;
#if LSCHED_I_REPEATS
	r = LSCHED_I_N(_items_repeat)(x, p, proc, r, v);
#endif
	return lsched_ballot(r != LSCHED_DONE);
#endif
}

#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
/* Runs the item of the first warp in another warp. */
LSCHED_WORKER_FN lsched_result LSCHED_I_N(_items_help_run)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const lsched_i_level *level = items->any.level;
	LSCHED_I_ITEM_TYPE item;

	memcpy(&item, level->item, sizeof(item));
	return LSCHED_I_N(_items_body)(items, c, l, level->proc, item);
}
#endif
