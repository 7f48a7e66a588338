/* Intra prediction at the suite's depth against the equations of clause 8.3, written out. */
#include "tests/h264intra/depth_common.h"

#include "h264intra/decide/cost.h"
#include "h264intra/predict/edge8x8.h"

enum { ROUNDS = 2000 };

/* A picture of samples, in which a block of up to 16 x 16 has all its neighbours. */
static const h264i_px *picture(h264i_px all[20 * H264I_REC_PITCH])
{
	depth_samples(all, 20 * H264I_REC_PITCH);
	return all + 2 * H264I_REC_PITCH + 4;
}

static h264i_candidates candidates_of(int avail, uint32_t allowed)
{
	h264i_candidates cand = { avail, allowed, I4_DC, 1 };

	return cand;
}

void depth_predict4(void)
{
	h264i_px all[20 * H264I_REC_PITCH], src[16], pred[I4_MODES][16];
	uint32_t key[H264I_KEYS], fast[H264I_KEYS];
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		const h264i_px *at = picture(all);
		int avail = (int)rng_below(16);
		h264i_candidates cand = candidates_of(avail, h264i_i4_allowed(avail));
		around p = around_block(at, H264I_REC_PITCH, 4, avail);

		depth_samples(src, 16);
		h264i_i_dsp_vector.decide4(src, at, &cand, pred, fast);
		h264i_i_dsp_scalar.decide4(src, at, &cand, pred, key);
		wrong += memcmp(key, fast, sizeof(key)) != 0;
		for (int m = 0; m < I4_MODES; m++)
			for (int i = 0; cand.allowed >> m & 1 && i < 16; i++)
				wrong += pred[m][i] != pred_nxn(&p, 4, m, i & 3, i >> 2);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

void depth_predict8(void)
{
	h264i_px all[20 * H264I_REC_PITCH], src[64], pred[I4_MODES][64];
	uint32_t key[H264I_KEYS], fast[H264I_KEYS];
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		const h264i_px *at = picture(all);
		int avail = (int)rng_below(16);
		h264i_candidates cand = candidates_of(avail, h264i_i4_allowed(avail));
		around p = around_block(at, H264I_REC_PITCH, 8, avail), f = filtered(&p);

		depth_samples(src, 64);
		h264i_i_dsp_vector.decide8(src, at, &cand, pred, fast);
		h264i_i_dsp_scalar.decide8(src, at, &cand, pred, key);
		wrong += memcmp(key, fast, sizeof(key)) != 0;
		for (int m = 0; m < I4_MODES; m++)
			for (int i = 0; cand.allowed >> m & 1 && i < 64; i++)
				wrong += pred[m][i] != pred_nxn(&f, 8, m, i & 7, i >> 3);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Plane prediction of n x n samples (8-116 to 8-120; 8-144 to 8-148 with xCF = yCF = 0). */
int depth_plane_of(const around *p, int n, int x, int y)
{
	int h = 0, v = 0, half = n / 2, a, b, c, factor = n == 16 ? 5 : 34;

	for (int k = 0; k < half; k++) {
		h += (k + 1) * (top(p, half + k) - top(p, half - 2 - k));
		v += (k + 1) * (left(p, half + k) - left(p, half - 2 - k));
	}
	a = 16 * (left(p, n - 1) + top(p, n - 1));
	b = (factor * h + 32) >> 6;
	c = (factor * v + 32) >> 6;
	return clip1((a + b * (x - (half - 1)) + c * (y - (half - 1)) + 16) >> 5);
}

void depth_predict16(void)
{
	h264i_px all[20 * H264I_REC_PITCH], pred[16][16];
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		const h264i_px *at = picture(all) + 4; /* 16 wide in rows of 32 */
		int avail = (int)rng_below(16);
		around p = { .avail = avail };

		for (int x = -1; x < 16; x++)
			p.top[1 + x] = at[x - H264I_REC_PITCH];
		for (int y = -1; y < 16; y++)
			p.left[1 + y] = at[y * H264I_REC_PITCH - 1];
		for (int m = 0; m < I16_MODES; m++) {
			if (!(h264i_i16_allowed(avail, 0) >> m & 1))
				continue;
			h264i_i_dsp_scalar.predict16(pred, at, avail, m);
			for (int i = 0; i < 256; i++) {
				int x = i & 15, y = i >> 4, b = h264i_blk_at(x >> 2, y >> 2);
				int want = m == 0   ? top(&p, x)
					   : m == 1 ? left(&p, y)
					   : m == 2 ? pred_dc(&p, 16)
						    : depth_plane_of(&p, 16, x, y);

				wrong += pred[b][4 * (y & 3) + (x & 3)] != want;
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* The DC of the chroma block at (x0, y0) (clauses 8.3.4.1 to 8.3.4.3). */
int depth_chroma_dc_of(const around *p, int x0, int y0, int avail)
{
	int above = 0, beside = 0, has_up = avail & H264I_UP, has_left = avail & H264I_LEFT;

	for (int i = 0; i < 4; i++) {
		above += top(p, x0 + i);
		beside += left(p, y0 + i);
	}
	if (has_up && has_left && (x0 > 0) == (y0 > 0))
		return (above + beside + 4) >> 3;
	if (has_up && (!has_left || x0 > 0))
		return (above + 2) >> 2;
	return has_left ? (beside + 2) >> 2 : 1 << (DEPTH - 1);
}

void depth_predict_chroma(void)
{
	h264i_px pred[8][16];
	h264i_chroma_edge e;
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int avail = (int)rng_below(16);

		depth_samples(&e.top[0][0], 32);
		depth_samples(&e.left[0][0], 16);
		for (int m = 0; m < IC_MODES; m++) {
			if (!(h264i_chroma_allowed(avail, 0) >> m & 1))
				continue;
			h264i_i_dsp_scalar.predict_chroma(pred, &e, avail, m);
			for (int i = 0; i < 128; i++) {
				int pl = i >> 6, x = i & 7, y = i >> 3 & 7, want;
				around p = { .avail = avail };

				for (int k = -1; k < 8; k++) {
					p.top[1 + k] = e.top[pl][8 + k];
					p.left[1 + k] = k < 0 ? e.top[pl][7] : e.left[pl][k];
				}
				want = m == 0   ? depth_chroma_dc_of(&p, x & 4, y & 4, avail)
				       : m == 1 ? left(&p, y)
				       : m == 2 ? top(&p, x)
						: depth_plane_of(&p, 8, x, y);
				wrong += pred[4 * pl + (y >> 2) * 2 + (x >> 2)]
					     [4 * (y & 3) + (x & 3)] != want;
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}
