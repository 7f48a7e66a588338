/* The inner functions of the CPU backend, as a table: those that are worth vector instructions. The
 * scalar table is the specification; the others return the same values. tests/h264intra/dsp_test.c
 * compares them with random and extreme inputs.
 *
 * No function keeps state or allocates. A 4x4 block is 16 samples in raster order, an 8x8 block 64.
 * Pointers need no alignment, pitches are in samples. A key is (cost << 4 | mode), UINT32_MAX of a
 * mode that is not allowed; the rest of a list of keys is UINT32_MAX too. */
#ifndef H264INTRA_CPU_DSP_H
#define H264INTRA_CPU_DSP_H

#include "h264intra/decide/cavlc_rates.h"
#include "h264intra/rate/detail.h"

/* Samples of a macroblock are kept as a picture with borders: samples from one row to the next, and
 * from the start of a row to the macroblock. A row above is at the front, and functions may read up
 * to 8 samples beyond the samples that they are about. */
enum { H264I_REC_PITCH = 32, H264I_REC_X0 = 8 };

enum { H264I_KEYS = 16, H264I_DETAIL_COUNTS = 64 };

/* The modes that a block may use, and what their cost depends on. */
typedef struct h264i_candidates {
	int avail;        /* H264I_LEFT ... of the block, or of the macroblock */
	uint32_t allowed; /* bit m for mode m; none that needs a sample that is not available */
	int predicted;    /* predIntra4x4PredMode or predIntra8x8PredMode */
	int lambda;       /* h264i_qparams.lambda */
} h264i_candidates;

/* The reconstructed samples around the chroma blocks of a macroblock. */
typedef struct h264i_chroma_edge {
	h264i_px top[2][16]; /* [plane][7] is the corner, [8..15] the row above */
	h264i_px left[2][8];
} h264i_chroma_edge;

/* Rates of the bins of a kind of block at a QP (decide/rdoq.h), by position in the scan. Where 15
 * coefficients are coded, they are at 1 to 15. */
typedef struct h264i_scan_rates {
	h264i_block_rates block;
	/* [bin][context] of coeff_abs_level_minus1; contexts 0..9, the rest is for vector loads. */
	uint16_t abs[2][32];
	/* significant_coeff_flag of 0 and 1, last_significant_coeff_flag of 0 and 1. 0 for the last
	 * coefficient, which has none, and where there is no coefficient. */
	uint16_t zero[64], one[64], more[64], end[64];
} h264i_scan_rates;

/* cat: H264I_CAT_*; r stays in use (cpu/scan_rates.c). */
void h264i_i_scan_rates_init(h264i_scan_rates *s, const h264i_rates *r, int cat);

/* Sums of the levels of blocks. */
typedef struct h264i_level_sums {
	uint32_t coded_blocks, nonzero, abs_sum, abs_max;
} h264i_level_sums;

typedef struct h264i_dsp {
	const char *name;

	/* Predicts the 4x4 block at `rec` in all modes allowed: pred[mode]. key[]: the cost of each
	 * by SATD and the bits of the mode. Returns the lowest key. */
	uint32_t (*decide4)(const h264i_px src[16], const h264i_px *rec,
		const h264i_candidates *cand, h264i_px pred[I4_MODES][16],
		uint32_t key[H264I_KEYS]);
	/* The same of an 8x8 block. */
	uint32_t (*decide8)(const h264i_px src[64], const h264i_px *rec,
		const h264i_candidates *cand, h264i_px pred[I4_MODES][64],
		uint32_t key[H264I_KEYS]);
	/* The same of a macroblock in Intra16x16 and of its chroma, without the predictions. src:
	 * 4x4 blocks in the standard's order, of Cb before those of Cr. */
	uint32_t (*decide16)(const h264i_px src[16][16], const h264i_px *rec,
		const h264i_candidates *cand, uint32_t key[H264I_KEYS]);
	uint32_t (*decide_chroma)(const h264i_px src[8][16], const h264i_chroma_edge *e,
		const h264i_candidates *cand, uint32_t key[H264I_KEYS]);
	/* These predictions. The mode is one that the available samples allow. */
	void (*predict16)(h264i_px pred[16][16], const h264i_px *rec, int avail, int mode);
	void (*predict_chroma)(
		h264i_px pred[8][16], const h264i_chroma_edge *e, int avail, int mode);

	/* Copies the samples of 16 rows of 16, or of 8 rows of 8, to 4x4 blocks in the standard's
	 * order; of NV12 8 rows of 8 pairs, to the blocks of Cb and those of Cr. */
	void (*load16)(h264i_px block[16][16], const h264i_px *src, size_t pitch);
	void (*load8)(h264i_px block[4][16], const h264i_px *src, size_t pitch);
	void (*load_pairs)(h264i_px block[8][16], const h264i_px *src, size_t pitch);

	/* Codes and decodes a 4x4 block: quantise4() without dc_apart and reconstruct4(). Sets
	 * *exceeds to 1 where the latter returns 1. Returns the number of levels that are not 0. */
	int (*code4)(const h264i_px src[16], const h264i_px pred[16], const h264i_quant *q,
		int16_t level[16], h264i_px rec[16], int *exceeds);
	/* Transforms and quantises the residual of a 4x4 block to levels in scan order. With
	 * dc_apart the DC coefficient is coded in a block of DCs: level[0] is 0, and the
	 * coefficient goes to *dc. Returns the number of levels that are not 0. */
	int (*quantise4)(const h264i_px src[16], const h264i_px pred[16], const h264i_quant *q,
		int dc_apart, int16_t level[16], int32_t *dc);
	/* Adds the decoded residual to the prediction; dc replaces level[0], dequantised, if
	 * dc_apart. Returns 1 if a value inside the inverse transform exceeds H264I_IDCT_PEAK,
	 * else 0. */
	int (*reconstruct4)(const int16_t level[16], const h264i_quant *q, int dc_apart, int32_t dc,
		const h264i_px pred[16], h264i_px rec[16]);
	/* The same of an 8x8 block. */
	int (*quantise8)(const h264i_px src[64], const h264i_px pred[64], const h264i_quant8 *q,
		int16_t level[64]);
	int (*reconstruct8)(const int16_t level[64], const h264i_quant8 *q, const h264i_px pred[64],
		h264i_px rec[64]);
	/* Divides the levels of an 8x8 block into four blocks of every fourth one, and counts those
	 * that are not 0. */
	void (*divide8)(const int16_t level[64], int16_t part[4][16], uint8_t total[4]);

	/* Transforms a residual to real levels in 1/256 (h264i_real_level), signed, in scan order.
	 * *dc: the coefficient of real[0]. */
	void (*real4)(const h264i_px src[16], const h264i_px pred[16], const h264i_quant *q,
		int32_t real[16], int32_t *dc);
	void (*real8)(const h264i_px src[64], const h264i_px pred[64], const h264i_quant8 *q,
		int32_t real[64]);
	/* Chooses the levels of a block by rate and distortion in so many passes
	 * (h264i_quantise_pass). flag[]: rates of what says that all are 0, or not. Sets *rate to
	 * that of the block with its flag. Returns the number of levels that are not 0. real[] and
	 * level[] are by position in the scan, 16 of them or 64; where no coefficient is coded
	 * real[] is not used and level[] is set to 0. */
	int (*choose)(const h264i_scan_rates *r, const int32_t real[], const uint16_t flag[2],
		int32_t weight, int passes, int16_t level[], uint32_t *rate);
	/* The same by the bits of CAVLC (h264i_cavlc_quantise), of 16 levels or fewer. */
	int (*choose_cavlc)(const h264i_cavlc_kind *k, const int32_t real[16], int32_t weight,
		int passes, int16_t level[16], uint32_t *rate);
	/* The sum of the squared differences of n samples, a multiple of 16, at most 256. */
	uint32_t (*squared_error)(const h264i_px *a, const h264i_px *b, int n);

	/* Counts the coefficients of the sampled blocks of a macroblock (rate/detail.h) by how many
	 * QPs leave them: count[any][n], to be summed over the first index. src: the macroblock;
	 * has_left, has_up: there are samples of the picture beside and above it. */
	void (*detail)(const h264i_px *src, size_t pitch, int has_left, int has_up,
		uint32_t count[4][H264I_DETAIL_COUNTS]);

	/* Adds the levels of `blocks` blocks of 16. */
	void (*sum_levels)(const int16_t *level, int blocks, h264i_level_sums *s);
} h264i_dsp;

/* Instruction sets, in the order of h264i_i_dsp_table[]. */
typedef enum h264i_simd {
	H264I_SIMD_SCALAR, /* C, one sample at a time: the specification */
	H264I_SIMD_VECTOR, /* GNU C vectors for SATD, for any processor */
	H264I_SIMD_AVX2,
	H264I_SIMD_AVX512, /* with F, BW, CD, DQ, VL, VBMI, VPOPCNTDQ: Ice Lake, Zen 4 and later */
	H264I_SIMDS
} h264i_simd;

/* NULL where the compiler or the processor does not have the instructions. */
const h264i_dsp *h264i_i_dsp(h264i_simd simd);
/* The best one of this processor. */
const h264i_dsp *h264i_i_dsp_best(void);
/* The same for scaling matrices that are not flat: what quantises is in C, as in the scalar table,
 * because the vector functions have one constant for each position class. */
void h264i_i_dsp_weighed(h264i_dsp *d);

/* Tables by instruction set; those for x86-64 exist only there. */
extern const h264i_dsp h264i_i_dsp_scalar, h264i_i_dsp_vector, h264i_i_dsp_avx2, h264i_i_dsp_avx512;

#endif
