/* The end of generate.h on both sides: the host's questions to the rule, and the descriptor's fields.
 * Template text. */

#ifdef SCHED_RULE
static uint32_t SCHED__N(_count)(const void *ctx, int what, uint32_t wave)
{
	const SCHED_CTX *c = (const SCHED_CTX *)ctx;

	switch (what) {
	case SCHED__COUNT_ROOTS:
		return SCHED__R(root_count)(c);
	case SCHED__COUNT_CHAINS:
		return SCHED__R(chain_count)(c);
	case SCHED__COUNT_WAVES:
		return SCHED__R(wave_count)(c);
	default:
		return SCHED__R(wave_size)(c, wave);
	}
}
#define SCHED__COUNT_FN SCHED__N(_count)
#else
#define SCHED__COUNT_FN NULL
#endif

#if SCHED__IS_ITEMS
#define SCHED__OF_ITEMS SCHED__WORDS, SCHED__HAS_JOINS, SCHED__REDUCE_OP
#else
#define SCHED__OF_ITEMS 0, 0, 0
#endif
#define SCHED__DESCRIPTOR(backend, table)                                                     \
	{                                                                                     \
		SCHED_ABI, backend, SCHED__STR(SCHED_NAME), (uint32_t)sizeof(SCHED_CTX),      \
			SCHED__LOCAL_BYTES, SCHED_WARPS_PER_BLOCK, SCHED__HELPERS,            \
			SCHED__HAS_RULE, (uint32_t)(sizeof(table) / sizeof(table[0])), table, \
			SCHED__COUNT_FN, SCHED__OF_ITEMS                                      \
	}
