/* The code tables of CAVLC in device memory, and one of all masks: the bits of total_zeros and of
 * all run_before depend on nothing but on which levels are not 0. */
#ifndef H264INTRA_CUDA_CAVLC_RUNS_CUH
#define H264INTRA_CUDA_CAVLC_RUNS_CUH

#include "h264intra/decide/cavlc_rates.h"

#include <string.h>

typedef struct cavlc_device_tables {
	h264i_cavlc_tables code;
	/* Bit i of the index is set where level first + i is not 0. In a row of kinds with 15
	 * levels, that of all is not right: it has no bits. */
	uint8_t runs[1 << 16];
	uint8_t runs_dc[16];   /* of chroma DC */
	uint8_t token_six[68]; /* nC >= 8, as in code.token */
} cavlc_device_tables;

/* Bits of total_zeros and run_before of a block of `last` levels, of which those of `mask` are not
 * 0. */
static inline uint8_t cavlc_runs_of(const h264i_cavlc_tables *t, uint32_t mask, int last)
{
	uint32_t bits = 0;

	if (mask)
		h264i_emit_zeros(
			NULL, &bits, t, mask, lsched_popcount(mask), 0, last, last == 4 ? -1 : 0);
	return (uint8_t)bits;
}

static inline void cavlc_device_tables_init(cavlc_device_tables *t)
{
	t->code = h264i_i_cavlc;
	for (uint32_t mask = 0; mask < 1 << 16; mask++)
		t->runs[mask] = cavlc_runs_of(&t->code, mask, 16);
	for (uint32_t mask = 0; mask < 16; mask++)
		t->runs_dc[mask] = cavlc_runs_of(&t->code, mask, 4);
	memset(t->token_six, (6 - 1) << 4, sizeof(t->token_six));
}

#endif
