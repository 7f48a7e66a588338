/* The inner functions with SATD in GNU C vectors, for any processor. */
#include "h264intra/cpu/satd.h"

static uint32_t mb_satd(const uint8_t src[16], const uint8_t pred[16])
{
	h264i_v16 s, p;

	h264i_v16_load(&s, src);
	h264i_v16_load(&p, pred);
	return h264i_v16_satd(&s, &p);
}

static uint32_t mb_satd8(const uint8_t src[64], const uint8_t pred[64])
{
	return h264i_v16_satd8(src, pred);
}

#include "h264intra/cpu/dsp_predict.h"
#include "h264intra/cpu/dsp_residual.h"

const h264i_dsp h264i_i_dsp_vector = {
	.name = "vector",
	.judge4 = judge4,
	.judge8 = judge8,
	.judge16 = judge16,
	.judge_chroma = judge_chroma,
	.predict16 = predict16,
	.predict_chroma = predict_chroma,
	.load16 = load16,
	.load8 = load8,
	.load_pairs = load_pairs,
	.code4 = code4,
	.quantise4 = quantise4,
	.reconstruct4 = reconstruct4,
	.quantise8 = quantise8,
	.reconstruct8 = reconstruct8,
	.divide8 = divide8,
	.real4 = real4,
	.real8 = real8,
	.choose = choose,
	.squared_error = squared_error,
	.detail = detail,
	.sum_levels = sum_levels,
};
