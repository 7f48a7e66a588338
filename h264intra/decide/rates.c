#include "h264intra/decide/rates.h"

/* (m, n) of each context, in the form of clause 9.3.1.1: the pairs that give the fewest bits to the
 * bins of eight clips, each coded by this encoder in High with rd 3 and trellis 1 at QP 8, 12, ...
 * 48, every clip and QP having the same weight (bench/train_rates.c). With a state for each QP the
 * same bins take 0.4 % fewer bits, with one for each clip and QP 4 %. */
/* clang-format off */
static const int8_t state_of_qp[H264I_CTX][2] = {
	/* mb_type */
	[3] = { 27, -31 }, { 5, 51 }, { 0, 100 }, { -26, 63 }, { -22, 82 }, { -34, 68 },
	{ -4, 56 }, { -8, 79 },
	/* mb_qp_delta */
	[60] = { 0, -14 }, { 0, 64 }, { 0, 64 }, { 0, 64 },
	/* intra_chroma_pred_mode */
	[64] = { -26, 92 }, { -7, 75 }, { -5, 76 }, { -3, 64 },
	/* prev_intra4x4_pred_mode_flag, rem_intra4x4_pred_mode */
	[68] = { 6, 52 }, { 1, 62 },
	/* coded_block_pattern */
	[73] = { -27, 127 }, { -8, 85 }, { -7, 85 }, { -4, 64 }, { -22, 93 }, { -12, 87 },
	{ -11, 86 }, { -18, 117 }, { -23, 75 }, { -6, 76 }, { -3, 73 }, { -10, 107 },
	/* coded_block_flag */
	[85] = { -9, 67 }, { -5, 73 }, { -5, 73 }, { -7, 84 }, { -4, 37 }, { -2, 56 },
	{ -3, 51 }, { -3, 69 }, { -2, 63 }, { -6, 79 }, { -7, 80 }, { -20, 123 }, { 0, 69 },
	{ 3, 71 }, { 3, 71 }, { -2, 99 }, { 0, 44 }, { -3, 69 }, { -1, 67 }, { -14, 108 },
	/* significant_coeff_flag */
	[105] = { -10, 104 }, { -2, 67 }, { -9, 95 }, { -4, 67 }, { -3, 60 }, { 6, 45 },
	{ 2, 55 }, { 4, 34 }, { 1, 43 }, { -5, 95 }, { -8, 75 }, { 2, 58 }, { 4, 59 },
	{ -4, 72 }, { 2, 76 }, { 0, 61 }, { 3, 71 }, { -6, 76 }, { 1, 60 }, { 11, 42 },
	{ -12, 44 }, { 11, 30 }, { 3, 58 }, { 5, 70 }, { -3, 76 }, { 15, 46 }, { -6, 39 },
	{ -48, 91 }, { 48, 49 }, { -8, 94 }, { -9, 85 }, { -5, 83 }, { -4, 69 }, { -6, 81 },
	{ -5, 78 }, { -10, 70 }, { -5, 76 }, { -3, 78 }, { -6, 76 }, { -7, 74 }, { 0, 76 },
	{ -4, 78 }, { -5, 77 }, { 3, 87 }, { 7, 82 }, { -4, 79 }, { 0, 99 }, { -1, 73 },
	{ 0, 78 }, { -9, 74 }, { 1, 66 }, { 3, 72 }, { -11, 72 }, { 3, 65 }, { 5, 64 },
	{ -12, 79 }, { -13, 74 }, { 3, 73 }, { -1, 77 }, { -7, 78 }, { 6, 81 },
	/* last_significant_coeff_flag */
	[166] = { 5, 55 }, { 8, 42 }, { 5, 57 }, { 9, 41 }, { 3, 57 }, { 13, 33 }, { 15, 42 },
	{ 21, 12 }, { 19, 15 }, { 5, 78 }, { 11, 49 }, { 21, 19 }, { 17, 36 }, { 11, 47 },
	{ 10, 56 }, { 4, 59 }, { 2, 68 }, { 8, 44 }, { 13, 39 }, { 13, 42 }, { 7, 60 },
	{ 21, 29 }, { 14, 36 }, { 2, 61 }, { 13, 57 }, { 17, 42 }, { 32, 24 }, { 9, 63 },
	{ 35, 65 }, { 20, 10 }, { 14, 18 }, { 11, 30 }, { 20, 7 }, { 12, 29 }, { 11, 36 },
	{ 12, 27 }, { 8, 38 }, { 14, 30 }, { 14, 31 }, { 17, 25 }, { 13, 36 }, { 9, 46 },
	{ 11, 42 }, { 12, 55 }, { 20, 28 }, { 8, 42 }, { 9, 56 }, { 9, 41 }, { 9, 47 },
	{ 11, 36 }, { 20, 22 }, { 15, 40 }, { 6, 46 }, { 22, 24 }, { 22, 28 }, { 2, 58 },
	{ 18, 29 }, { 23, 36 }, { 19, 46 }, { 16, 48 }, { 22, 54 },
	/* coeff_abs_level_minus1 */
	[227] = { -10, 82 }, { -25, 72 }, { -13, 58 }, { -12, 64 }, { -7, 61 }, { -17, 75 },
	{ -10, 71 }, { -9, 74 }, { -4, 74 }, { -9, 85 }, { -27, 112 }, { -19, 53 },
	{ -19, 63 }, { -18, 67 }, { -8, 53 }, { -25, 79 }, { -21, 82 }, { -25, 88 },
	{ -33, 101 }, { -21, 91 }, { -11, 89 }, { -19, 71 }, { -9, 60 }, { -7, 63 },
	{ -5, 65 }, { -17, 81 }, { -14, 84 }, { -13, 88 }, { -13, 91 }, { -18, 105 },
	{ -5, 85 }, { -17, 76 }, { -5, 63 }, { -1, 62 }, { 0, 61 }, { -9, 76 }, { -8, 84 },
	{ -12, 95 }, { -14, 107 }, { -9, 80 }, { -11, 53 }, { -3, 49 }, { -3, 54 }, { -3, 60 },
	{ -14, 73 }, { -10, 76 }, { -10, 80 }, { -8, 81 },
	/* transform_size_8x8_flag */
	[399] = { 23, 16 }, { 19, 40 }, { 16, 59 },
	/* significant_coeff_flag of 8x8 blocks */
	[402] = { -5, 90 }, { -9, 87 }, { -7, 88 }, { -6, 73 }, { -8, 78 }, { -5, 71 },
	{ -8, 73 }, { -5, 72 }, { -7, 71 }, { -9, 69 }, { -19, 74 }, { -9, 74 }, { -13, 78 },
	{ -15, 74 }, { -13, 75 },
	/* last_significant_coeff_flag of 8x8 blocks */
	[417] = { 21, 4 }, { 19, 9 }, { 19, 9 }, { 14, 20 }, { 18, 12 }, { 14, 25 },
	{ 16, 23 }, { 12, 36 }, { 12, 44 },
	/* coeff_abs_level_minus1 of 8x8 blocks */
	[426] = { -12, 87 }, { -21, 63 }, { -7, 48 }, { -5, 51 }, { -3, 54 }, { -12, 69 },
	{ -8, 72 }, { -6, 73 }, { -6, 76 }, { -14, 96 },
};

/* Bits of the less and of the more probable value by pStateIdx, in 1/256: of the probability
 * 0.5 * (0.0375)^(pStateIdx / 63) and of the rest. */
static const uint16_t less_probable[64] = {
	256, 275, 294, 314, 333, 352, 371, 391, 410, 429, 448, 468, 487, 506, 525, 545, 564,
	583, 602, 622, 641, 660, 679, 699, 718, 737, 756, 776, 795, 814, 833, 853, 872, 891,
	910, 930, 949, 968, 987, 1007, 1026, 1045, 1064, 1084, 1103, 1122, 1141, 1161, 1180,
	1199, 1218, 1238, 1257, 1276, 1295, 1315, 1334, 1353, 1372, 1392, 1411, 1430, 1449,
	1469,
};

static const uint16_t more_probable[64] = {
	256, 238, 221, 206, 192, 180, 168, 157, 148, 139, 130, 122, 115, 108, 102, 96, 90, 85,
	80, 76, 72, 68, 64, 60, 57, 54, 51, 48, 46, 43, 41, 39, 37, 35, 33, 31, 29, 28, 26, 25,
	24, 22, 21, 20, 19, 18, 17, 16, 15, 15, 14, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8, 7,
	7,
};
/* clang-format on */

/* 64 * 0.6 * 2^((qp - 12) / 3). In sweeps over eight clips, 0.4 to 0.85 for this factor and
 * 0.3 to 0.85 for that of quant_weight, 0.6 and 0.5 had the lowest BD-rate. Index: the QP of the
 * standard, as errors are those of 8 bits (h264i_rd_cost). */
static const uint32_t lambda64[52] = {
	2,
	3,
	4,
	5,
	6,
	8,
	10,
	12,
	15,
	19,
	24,
	30,
	38,
	48,
	61,
	77,
	97,
	122,
	154,
	194,
	244,
	307,
	387,
	488,
	614,
	774,
	975,
	1229,
	1548,
	1951,
	2458,
	3096,
	3901,
	4915,
	6193,
	7802,
	9830,
	12386,
	15605,
	19661,
	24771,
	31210,
	39322,
	49542,
	62419,
	78643,
	99084,
	124838,
	157286,
	198168,
	249677,
	314573,
};

/* h264i_rates.quant_luma: 16 / 256 * 2^16 * 0.5 * 2^((qp - 12) / 3) over the square of the step,
 * 0.625 * 2^(qp / 6), which is the same for every QP. Index: LOWER and by how much the QP of the
 * samples is lower than that of luma. */
enum { LOWER = 12 };
static const int32_t quant_weight[] = {
	20,
	26,
	33,
	41,
	52,
	65,
	82,
	103,
	130,
	164,
	206,
	260,
	328,
	413,
	520,
	655,
	826,
	1040,
	1311,
	1651,
	2081,
	2621,
	3303,
	4161,
	5243,
	6606,
	8323,
	10486,
	13211,
};

/* The weight of a bit falls with the square of the step; at most four times, so that products have
 * 32 bits. w: n weights of positions. */
static int32_t weighed(int32_t quant, const uint8_t *w, int n)
{
	int64_t squares = 0, result;

	for (int k = 0; k < n; k++)
		squares += w[k] * w[k];
	result = quant * (int64_t)n * H264I_WEIGHT_FLAT * H264I_WEIGHT_FLAT / squares;
	return (int32_t)(result > 4 * quant ? 4 * quant : result < 1 ? 1 : result);
}

void h264i_i_rates_init(
	h264i_rates *r, int qp, const h264i_weights *w, const int chroma_qp_offset[2])
{
	int slice_qp = qp < H264I_QP_OFFSET ? 0 : qp - H264I_QP_OFFSET;

	for (int i = 0; i < H264I_CTX; i++) {
		int pre = (state_of_qp[i][0] * slice_qp >> 4) + state_of_qp[i][1], mps, state;

		pre = pre < 1 ? 1 : pre > 126 ? 126 : pre;
		mps = pre > 63;
		state = mps ? pre - 64 : 63 - pre;
		r->bin[i][mps] = more_probable[state];
		r->bin[i][!mps] = less_probable[state];
	}
	r->lambda = lambda64[slice_qp];
	r->quant_luma = quant_weight[LOWER];
	if (w)
		r->quant_luma = weighed(r->quant_luma, w->luma4, 16);
	for (int c = 0; c < 2; c++) {
		int lower = qp - h264i_chroma_qp(qp, chroma_qp_offset ? chroma_qp_offset[c] : 0);

		r->quant_chroma[c] = quant_weight[LOWER + lower];
		if (w)
			r->quant_chroma[c] = weighed(r->quant_chroma[c], w->chroma4, 16);
	}
}
