/* One turn of a program with LSCHED_PROCEDURES: popping, and the body of the procedure with its
 * grain. Template text. */

#define LSCHED_I_P_CHECK(P, name, grain, type, body, outputs)                           \
	LSCHED_I_STATIC_ASSERT(sizeof(type) % 4 == 0 && sizeof(type) <= 64,             \
		"an item must have 4, 8, .. 64 bytes");                                 \
	LSCHED_I_STATIC_ASSERT(LSCHED_I_GRAIN_OF(grain) != 3 || LSCHED_GROUP_WARPS > 1, \
		"a procedure of grain block needs LSCHED_GROUP_WARPS, 2 to 16");
LSCHED_PROCEDURES(LSCHED_I_P_CHECK, LSCHED_ITEMS)
#ifndef __cplusplus /* C++ rejects a call with another type; C compilers only warn */
#define LSCHED_I_P_CHECK_BODY(P, name, grain, type, body, outputs)                          \
	LSCHED_I_STATIC_ASSERT(_Generic(body,                                               \
				       lsched_result(*)(LSCHED_ITEMS *, const LSCHED_CTX *, \
					       LSCHED_LOCAL *, type) : 1,                   \
				       default : 0),                                        \
		"the body of a procedure must be a lsched_result (LSCHED_ITEMS *, const "   \
		"LSCHED_CTX *, LSCHED_LOCAL *, type of its items)");
LSCHED_PROCEDURES(LSCHED_I_P_CHECK_BODY, LSCHED_ITEMS)
LSCHED_I_STATIC_ASSERT(
	_Generic(LSCHED_ROOT, void (*)(LSCHED_ITEMS *, const LSCHED_CTX *, uint32_t) : 1,
		default : 0),
	"LSCHED_ROOT must be a void (LSCHED_ITEMS *, const LSCHED_CTX *, uint32_t)");
#endif

/* The popped items of a thread: on a GPU one, so that there is no loop around the bodies. */
#if LSCHED_I_GPU
#define LSCHED_I_POPPED_MOST          1u
#define LSCHED_I_EACH_POPPED(k, n, r) for (uint32_t k = 0, k##_once = (n); k##_once; k##_once = 0)
#else
#define LSCHED_I_POPPED_MOST          LSCHED_CPU_LANES
#define LSCHED_I_EACH_POPPED(k, n, r) for (uint32_t k = 0; k < (n) && (r) == LSCHED_DONE; k++)
#endif

/* On a GPU all lanes put their items back together, after the body. */
#if LSCHED_I_REPEATS && !LSCHED_I_GPU
#define LSCHED_I_REPEAT_POPPED(proc, v) r = LSCHED_I_N(_items_repeat)(x, p, proc, r, v);
#else
#define LSCHED_I_REPEAT_POPPED(proc, v)
#endif

/* Pushes root i on its stack. One lane. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_root)(LSCHED_ITEMS *items, const LSCHED_CTX *c, uint32_t i)
{
	LSCHED_ROOT(items, c, i);
}

#define LSCHED_I_P_BODY(P, name, grain, type, body, outputs)                                   \
	LSCHED_WORKER_FN lsched_result LSCHED_I_N(_items_run_##name)(                          \
		LSCHED_ITEMS * items, const LSCHED_CTX *c, LSCHED_LOCAL *l, const uint32_t *v) \
	{                                                                                      \
		type item;                                                                     \
                                                                                               \
		items->any.proc = P##_proc_##name;                                             \
		memcpy(&item, v, sizeof(item));                                                \
		return body(items, c, l, item);                                                \
	}
LSCHED_PROCEDURES(LSCHED_I_P_BODY, LSCHED_ITEMS)

/* Sets the number of this thread among those that execute an item. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_set_grain)(lsched_i_items *x, uint32_t grain)
{
#if LSCHED_I_GPU
	x->thread = grain == 1 ? 0 : grain == 2 ? lsched_lane() : x->thread_all;
	x->threads = grain == 1 ? 1 : grain == 2 ? LSCHED_LANES : x->threads_all;
#else
	(void)x, (void)grain;
#endif
}

/* Pops n items of a procedure, before any of them emits one. Returns how many of them this thread
 * runs; v receives these. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_pop)(lsched_i_items *x, uint32_t proc, uint32_t grain,
	uint32_t first, uint32_t n, uint32_t v[][LSCHED_I_ITEM_WORDS_MAX])
{
	const lsched_i_stack s = lsched_i_stack_of(x, proc);

	LSCHED_I_N(_items_set_grain)(x, grain);
#if LSCHED_I_GPU
	const uint32_t k = grain == 1 ? lsched_lane() : 0;

	if (k < n)
		lsched_i_stack_get(&s, first + k, v[0]);
	lsched_sync_worker();
	if (lsched_lane() == 0)
		x->level->top[proc] = first;
#if LSCHED_GROUP_WARPS > 1
	if (grain == 3) {
		if (lsched_lane() == 0) {
			for (uint32_t j = 0; j < s.words; j++)
				x->level->item[j] = v[0][j];
			x->level->proc = proc;
			x->level->go = 1;
			x->level->bad = 0;
		}
		lsched_i_group_sync(x->w->pair, x->threads_all);
	}
#endif
	lsched_sync_worker();
	return k < n;
#else
	for (uint32_t k = 0; k < n; k++)
		lsched_i_stack_get(&s, first + k, v[k]);
	x->level->top[proc] = first;
	return n;
#endif
}

/* After the body of a block item: waits for the other warps. Returns their failure, or this one's
 * result. */
LSCHED_WORKER_FN lsched_result LSCHED_I_N(_items_join_group)(
	lsched_i_items *x, uint32_t grain, lsched_result r)
{
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	if (grain == 3) {
		lsched_i_group_sync(x->w->pair, x->threads_all);
		if (x->level->bad)
			return LSCHED_FAIL;
	}
#else
	(void)x, (void)grain;
#endif
	return r;
}

/* Pops and runs n items of a procedure. Returns the lanes that failed, one bit each. */
#define LSCHED_I_P_TURN(P, name, grain, type, body, outputs)                        \
	case P##_proc_##name:                                                       \
		mine = LSCHED_I_N(_items_pop)(                                      \
			x, P##_proc_##name, LSCHED_I_GRAIN_OF(grain), first, n, v); \
		LSCHED_I_EACH_POPPED(k, mine, r)                                    \
		{                                                                   \
			r = LSCHED_I_N(_items_run_##name)(items, c, l, v[k]);       \
			LSCHED_I_REPEAT_POPPED(P##_proc_##name, v[k])               \
		}                                                                   \
		r = LSCHED_I_N(_items_join_group)(x, LSCHED_I_GRAIN_OF(grain), r);  \
		break;
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_run)(LSCHED_ITEMS *items, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t first, uint32_t n)
{
	lsched_i_items *x = &items->any;
	lsched_result r = LSCHED_DONE;
	uint32_t mine, v[LSCHED_I_POPPED_MOST][LSCHED_I_ITEM_WORDS_MAX];

	switch (proc) {
		LSCHED_PROCEDURES(LSCHED_I_P_TURN, LSCHED_ITEMS)
	}
	lsched_sync_worker();
	(void)p;
#if LSCHED_I_REPEATS && LSCHED_I_GPU
	r = LSCHED_I_N(_items_repeat)(x, p, proc, r, v[0]);
#endif
	return lsched_ballot(r != LSCHED_DONE);
}

#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
/* Runs the block item of the first warp in another warp. */
#define LSCHED_I_P_HELP(P, name, grain, type, body, outputs)                                      \
	case P##_proc_##name:                                                                     \
		return LSCHED_I_GRAIN_OF(grain) == 3 ? LSCHED_I_N(_items_run_##name)(items, c, l, \
							       items->any.level->item)            \
						     : LSCHED_DONE;
LSCHED_WORKER_FN lsched_result LSCHED_I_N(_items_help_run)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	LSCHED_I_N(_items_set_grain)(&items->any, 3);
	switch (items->any.level->proc) {
		LSCHED_PROCEDURES(LSCHED_I_P_HELP, LSCHED_ITEMS)
	}
	return LSCHED_DONE;
}
#endif
