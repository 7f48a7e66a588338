/* The tables of the AVX2 and of the AVX-512 functions. */
#include "h264intra/cpu/dsp.h"

#ifdef __x86_64__
#include "h264intra/x86/avx512.h"

/* `isa` has functions of its own for blocks of luma and the choice of levels; the others are those
 * of AVX2. */
#define DSP(isa)                                                                                  \
	{                                                                                         \
		.name = #isa, .decide4 = h264i_i_decide4_##isa, .decide8 = h264i_i_decide8_##isa, \
		.decide16 = h264i_i_decide16_avx2, .decide_chroma = h264i_i_decide_chroma_avx2,   \
		.predict16 = h264i_i_predict16_avx2,                                              \
		.predict_chroma = h264i_i_predict_chroma_avx2, .load16 = h264i_i_load16_avx2,     \
		.load8 = h264i_i_load8_avx2, .load_pairs = h264i_i_load_pairs_avx2,               \
		.code4 = h264i_i_code4_avx2, .quantise4 = h264i_i_quantise4_avx2,                 \
		.reconstruct4 = h264i_i_reconstruct4_avx2, .quantise8 = h264i_i_quantise8_avx2,   \
		.reconstruct8 = h264i_i_reconstruct8_avx2, .divide8 = h264i_i_divide8_avx2,       \
		.real4 = h264i_i_real4_avx2, .real8 = h264i_i_real8_avx2,                         \
		.choose = h264i_i_choose_##isa, .choose_cavlc = h264i_i_choose_cavlc_avx2,        \
		.squared_error = h264i_i_squared_error_avx2, .detail = h264i_i_detail_avx2,       \
		.sum_levels = h264i_i_sum_levels_avx2,                                            \
	}

const h264i_dsp h264i_i_dsp_avx2 = DSP(avx2);
const h264i_dsp h264i_i_dsp_avx512 = DSP(avx512);

#endif
