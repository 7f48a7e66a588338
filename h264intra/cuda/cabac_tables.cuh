/* Tables of CABAC in device memory, written by the host. */
#ifndef H264INTRA_CUDA_CABAC_TABLES_CUH
#define H264INTRA_CUDA_CABAC_TABLES_CUH

#include "h264intra/entropy/cabac_chunk.h"
#include "h264intra/entropy/cabac_tables.h"

enum { CABAC_STRING = 7 }; /* bins that a context takes in a step */

typedef struct cabac_tables {
	uint32_t lps[H264I_OP_WORDS + 3]; /* h264i_op_word(); 68 words, a multiple of 16 bytes */
	/* [state byte][1 << n | bins]: the state byte behind n bins, n <= CABAC_STRING, the first
	 * in bit 0 */
	uint8_t after[128][1 << (CABAC_STRING + 1)];
} cabac_tables;

/* The state byte behind one bin (clause 9.3.4.2.2.1). */
static inline uint8_t state_after(uint8_t state, int bin)
{
	static const uint8_t next_lps[64] = H264I_NEXT_LPS_INIT;
	int index = state >> 1, mps = state & 1;

	if (bin == mps)
		return (uint8_t)(index < 62 ? state + 2 : state);
	return (uint8_t)(next_lps[index] << 1 | (index ? mps : !mps));
}

static inline void cabac_tables_init(cabac_tables *t)
{
	static const uint32_t range_lps[64] = H264I_RANGE_LPS_INIT;

	for (int i = 0; i < H264I_OP_WORDS; i++)
		t->lps[i] = h264i_op_word(range_lps, i);
	for (int i = H264I_OP_WORDS; i < H264I_OP_WORDS + 3; i++)
		t->lps[i] = 0;
	for (int s = 0; s < 128; s++)
		for (int code = 0; code < 1 << (CABAC_STRING + 1); code++) {
			uint8_t state = (uint8_t)s;

			for (int bins = code; bins > 1; bins >>= 1)
				state = state_after(state, bins & 1);
			t->after[s][code] = state;
		}
}

#endif
