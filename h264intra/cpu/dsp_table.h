/* The table of the functions in C: text of the includer, which defines mb_satd() and mb_satd8()
 * (cpu/dsp_predict.h), DSP_TABLE, the table, and DSP_NAME, its name. */
#include "h264intra/cpu/dsp_predict.h"
#include "h264intra/cpu/dsp_residual.h"

const h264i_dsp DSP_TABLE = {
	.name = DSP_NAME,
	.decide4 = decide4,
	.decide8 = decide8,
	.decide16 = decide16,
	.decide_chroma = decide_chroma,
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
	.choose_cavlc = choose_cavlc,
	.squared_error = squared_error,
	.detail = detail,
	.sum_levels = sum_levels,
};
