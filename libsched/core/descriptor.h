/* The end of <libsched/generate.h> for all targets: the numbers that the host reads from the rule,
 * and the members of the descriptor. Template text. */

#ifdef LSCHED_RULE
static uint32_t LSCHED_I_N(_count)(const void *ctx, int what, uint32_t wave)
{
	const LSCHED_CTX *c = (const LSCHED_CTX *)ctx;

	(void)c, (void)wave;
	switch (what) {
#if LSCHED_I_SCHEMES & 1
	case LSCHED_I_COUNT_ROOTS:
		return LSCHED_I_R(root_count)(c);
#endif
#if LSCHED_I_SCHEMES & 10
	case LSCHED_I_COUNT_CHAINS:
		return LSCHED_I_R(chain_count)(c);
#endif
#if LSCHED_I_SCHEMES & 4
	case LSCHED_I_COUNT_WAVES:
		return LSCHED_I_R(wave_count)(c);
	case LSCHED_I_COUNT_WAVE_SIZE:
		return LSCHED_I_R(wave_size)(c, wave);
#endif
	default:
		return 0;
	}
}
#define LSCHED_I_COUNT_FN LSCHED_I_N(_count)
#else
#define LSCHED_I_COUNT_FN NULL
#endif

#if LSCHED_I_IS_ITEMS
#define LSCHED_I_OF_ITEMS                                                          \
	LSCHED_I_WORDS, LSCHED_I_HAS_JOINS, LSCHED_I_REDUCE_OP, LSCHED_I_OF_TABLE, \
		LSCHED_I_HAS_PRIORITY
#else
#define LSCHED_I_OF_ITEMS 0, 0, 0, NULL, 0, 0
#endif
#ifndef LSCHED_I_KERNEL_HANDLE
#define LSCHED_I_KERNEL_HANDLE NULL
#endif
#define LSCHED_I_DESCRIPTOR(backend, table)                                                     \
	{                                                                                       \
		LSCHED_ABI, backend, LSCHED_I_STR(LSCHED_NAME), (uint32_t)sizeof(LSCHED_CTX),   \
			LSCHED_I_LOCAL_BYTES, LSCHED_WARPS_PER_BLOCK, LSCHED_I_HELPERS,         \
			LSCHED_I_HAS_RULE, (uint32_t)(sizeof(table) / sizeof(table[0])), table, \
			LSCHED_I_COUNT_FN, LSCHED_I_OF_ITEMS, LSCHED_I_KERNEL_HANDLE,           \
			LSCHED_I_MESSAGE_WORDS                                                  \
	}
