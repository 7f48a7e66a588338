/* Constants of a program with LSCHED_PROCEDURES: the stacks of its procedures in a worker's fast
 * memory, and what each procedure may emit. Template text. A line of the table is
 *	Y(P, name, grain, type, body, outputs)
 * where outputs is a sum of LSCHED_TO(target, n): n if the target's number is LSCHED_I_Q, else 0.
 * The largest of the procedures' values is the size of a union of arrays, because a macro cannot
 * take it. */

/* The number of a grain, which may be a macro. */
#define LSCHED_I_GRAIN_OF(grain)  LSCHED_I_CAT(LSCHED_I_GRAIN_, grain)
#define LSCHED_I_P_AT_ONCE(grain) (LSCHED_I_GRAIN_OF(grain) == 1 ? LSCHED_I_AT_ONCE_LANE : 1u)

/* Bytes, less one: items that a turn of a procedure adds to stack Q; that one item adds; that one
 * item of procedure Q emits to Q; that one item of a procedure with a lower number emits to Q. An
 * item adds itself if it is continued. */
#define LSCHED_I_P_MADE(P, name, grain, type, body, outputs) \
	unsigned char                                        \
		name[1u + LSCHED_I_P_AT_ONCE(grain) *        \
				  ((outputs + 0u) + (LSCHED_I_Q == P##_proc_##name ? 1u : 0u))];
#define LSCHED_I_P_ITEM(P, name, grain, type, body, outputs) \
	unsigned char name[1u + (outputs + 0u) + (LSCHED_I_Q == P##_proc_##name ? 1u : 0u)];
#define LSCHED_I_P_SELF(P, name, grain, type, body, outputs) \
	unsigned char name[1u + (LSCHED_I_Q == P##_proc_##name ? (outputs + 0u) : 0u)];
#define LSCHED_I_P_LOWER(P, name, grain, type, body, outputs) \
	unsigned char name[1u + (P##_proc_##name + 1u <= LSCHED_I_Q ? (outputs + 0u) : 0u)];

#define LSCHED_I_LARGER(a, b) ((a) > (b) ? (a) : (b))
#ifdef LSCHED_STACK
#define LSCHED_I_STACK_SIZE(most) (LSCHED_STACK)
#else
#define LSCHED_I_STACK_SIZE(most)       \
	((most) <= 64            ? 64   \
		: (most) <= 128  ? 128  \
		: (most) <= 256  ? 256  \
		: (most) <= 512  ? 512  \
		: (most) <= 1024 ? 1024 \
		: (most) <= 2048 ? 2048 \
		: (most) <= 4096 ? 4096 \
		: (most) <= 8192 ? 8192 \
				 : 16384)
#endif

/* Stack k: its smallest size, where one item of any procedure and an unpacked chunk fit beside the
 * outputs of one item of procedure k; and its size, where a full turn fits beside a chunk. */
#define LSCHED_I_SIZES(k)                                                                        \
	typedef struct LSCHED_I_N(_items_size##k) {                                              \
		union {                                                                          \
			LSCHED_PROCEDURES(LSCHED_I_P_MADE, LSCHED_ITEMS)                         \
		} turn;                                                                          \
		union {                                                                          \
			LSCHED_PROCEDURES(LSCHED_I_P_ITEM, LSCHED_ITEMS)                         \
		} item;                                                                          \
		union {                                                                          \
			LSCHED_PROCEDURES(LSCHED_I_P_SELF, LSCHED_ITEMS)                         \
		} self;                                                                          \
		union {                                                                          \
			LSCHED_PROCEDURES(LSCHED_I_P_LOWER, LSCHED_ITEMS)                        \
		} lower;                                                                         \
	} LSCHED_I_N(_items_size##k);                                                            \
	enum {                                                                                   \
		LSCHED_I_N(_items_least##k) =                                                    \
			LSCHED_I_LARGER(                                                         \
				(int)sizeof(((LSCHED_I_N(_items_size##k) *)0)->item) - 1, 32) +  \
			(int)sizeof(((LSCHED_I_N(_items_size##k) *)0)->self) - 1,                \
		LSCHED_I_N(_items_most##k) = LSCHED_I_LARGER(                                    \
			(int)sizeof(((LSCHED_I_N(_items_size##k) *)0)->turn) - 1 + 32,           \
			LSCHED_I_N(_items_least##k)),                                            \
		LSCHED_I_N(_items_stack##k) = LSCHED_I_STACK_SIZE(LSCHED_I_N(_items_most##k)),   \
		LSCHED_I_N(_items_lower##k) =                                                    \
			(int)sizeof(((LSCHED_I_N(_items_size##k) *)0)->lower) - 1                \
	};                                                                                       \
	LSCHED_I_STATIC_ASSERT(                                                                  \
		(LSCHED_I_N(_items_stack##k) & (LSCHED_I_N(_items_stack##k) - 1)) == 0 &&        \
			LSCHED_I_N(_items_stack##k) >= LSCHED_I_N(_items_least##k),              \
		"LSCHED_STACK must be a power of two with room for what an item emits, at most " \
		"some 16,000");

#define LSCHED_I_Q 0u
LSCHED_I_SIZES(0)
#undef LSCHED_I_Q
#define LSCHED_I_Q 1u
LSCHED_I_SIZES(1)
#undef LSCHED_I_Q
#define LSCHED_I_Q 2u
LSCHED_I_SIZES(2)
#undef LSCHED_I_Q
#define LSCHED_I_Q 3u
LSCHED_I_SIZES(3)
#undef LSCHED_I_Q
#define LSCHED_I_Q 4u
LSCHED_I_SIZES(4)
#undef LSCHED_I_Q
#define LSCHED_I_Q 5u
LSCHED_I_SIZES(5)
#undef LSCHED_I_Q
#define LSCHED_I_Q 6u
LSCHED_I_SIZES(6)
#undef LSCHED_I_Q
#define LSCHED_I_Q 7u
LSCHED_I_SIZES(7)
#undef LSCHED_I_Q

/* The constant NAME<value>k of procedure q. */
#define LSCHED_I_OF_PROC(q, value)                          \
	((q) == 0          ? (uint32_t)LSCHED_I_N(value##0) \
		: (q) == 1 ? (uint32_t)LSCHED_I_N(value##1) \
		: (q) == 2 ? (uint32_t)LSCHED_I_N(value##2) \
		: (q) == 3 ? (uint32_t)LSCHED_I_N(value##3) \
		: (q) == 4 ? (uint32_t)LSCHED_I_N(value##4) \
		: (q) == 5 ? (uint32_t)LSCHED_I_N(value##5) \
		: (q) == 6 ? (uint32_t)LSCHED_I_N(value##6) \
			   : (uint32_t)LSCHED_I_N(value##7))
#define LSCHED_I_STACK_CAP(q) LSCHED_I_OF_PROC(q, _items_stack)

/* The stacks, and the largest item. */
#define LSCHED_I_P_STACK(P, name, grain, type, body, outputs) \
	uint32_t name[LSCHED_I_STACK_CAP(P##_proc_##name) * (sizeof(type) / sizeof(uint32_t))];
typedef struct LSCHED_I_N(_items_stacks) {
	LSCHED_PROCEDURES(LSCHED_I_P_STACK, LSCHED_ITEMS)
} LSCHED_I_N(_items_stacks);
#define LSCHED_I_P_TYPE(P, name, grain, type, body, outputs) type name;
typedef union LSCHED_I_N(_items_record) {
	LSCHED_PROCEDURES(LSCHED_I_P_TYPE, LSCHED_ITEMS)
} LSCHED_I_N(_items_record);

/* For the host: names, and the least capacities. */
#define LSCHED_I_P_HOST(P, name, grain, type, body, outputs) \
	{ #name, LSCHED_I_OF_PROC(P##_proc_##name, _items_lower) },
static const lsched_i_procedure LSCHED_I_N(
	_items_procedures)[] = { LSCHED_PROCEDURES(LSCHED_I_P_HOST, LSCHED_ITEMS) };

/* Returns how many items an item of `proc` may emit to procedure q. */
#define LSCHED_I_Q q
#define LSCHED_I_P_MOST(P, name, grain, type, body, outputs) \
	case P##_proc_##name:                                \
		return outputs + 0u;
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_outputs)(uint32_t proc, uint32_t q)
{
	(void)q;
	switch (proc) {
		LSCHED_PROCEDURES(LSCHED_I_P_MOST, LSCHED_ITEMS)
	}
	return 0;
}
#undef LSCHED_I_Q

/* Returns how many items of `proc` a turn runs at most. */
#define LSCHED_I_P_AT_ONCE_CASE(P, name, grain, type, body, outputs) \
	case P##_proc_##name:                                        \
		return LSCHED_I_P_AT_ONCE(grain);
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_at_once)(uint32_t proc)
{
	switch (proc) {
		LSCHED_PROCEDURES(LSCHED_I_P_AT_ONCE_CASE, LSCHED_ITEMS)
	}
	return 1;
}

/* Returns whether lanes execute the items of `proc`. */
#define LSCHED_I_P_IS_LANE(P, name, grain, type, body, outputs) \
	case P##_proc_##name:                                   \
		return LSCHED_I_GRAIN_OF(grain) == 1;
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_is_lane)(uint32_t proc)
{
	switch (proc) {
		LSCHED_PROCEDURES(LSCHED_I_P_IS_LANE, LSCHED_ITEMS)
	}
	return 0;
}

#define LSCHED_I_P_SHAPE(P, name, grain, type, body, outputs)                             \
	x->proc_at[P##_proc_##name] =                                                     \
		(uint32_t)(offsetof(LSCHED_I_N(_items_stacks), name) / sizeof(uint32_t)); \
	x->proc_cap[P##_proc_##name] = LSCHED_I_STACK_CAP(P##_proc_##name);               \
	x->proc_words[P##_proc_##name] = (uint32_t)(sizeof(type) / sizeof(uint32_t));
LSCHED_WORKER_FN void LSCHED_I_N(_items_layout)(lsched_i_items *x)
{
	x->pressure = (lsched_i_pressure *)(x->level + 1);
	x->stack = (uint32_t *)(x->pressure + 1);
	x->cap = 0;
	x->words = LSCHED_I_WORDS;
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_I_PROCS_MAX; q++)
		x->proc_at[q] = x->proc_cap[q] = x->proc_words[q] = 0;
	LSCHED_PROCEDURES(LSCHED_I_P_SHAPE, LSCHED_ITEMS)
	x->thread = 0;
	x->threads = 1;
}
