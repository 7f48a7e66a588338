/* The deblocking filter against clause 8.7, applied sample by sample. */
#include "h264intra/core/qp.h"
#include "h264intra/filter/deblock.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdlib.h>
#include <string.h>

enum { MB_W = 4, MB_H = 3, PITCH = 16 * MB_W + 24, ROWS = 16 * MB_H + 2, PLANE = PITCH * ROWS };
enum { ANY_QP = 52 };

typedef struct {
	uint8_t pixel[3][PLANE]; /* one row above and below, 24 bytes behind each row */
	h264i_mb mb[MB_W * MB_H];
	int offset[2]; /* chroma QP offsets of Cb and Cr */
} picture;

static void filter(picture *p)
{
	const h264i_strengths s = h264i_i_deblock_strengths(&(h264i_filter){ 1, 0, 0 }, p->offset);
	uint8_t *plane[3] = { p->pixel[0] + PITCH, p->pixel[1] + PITCH, p->pixel[2] + PITCH };
	size_t pitch[3] = { PITCH, PITCH, PITCH };

	h264i_i_deblock_frame(plane, pitch, MB_W, MB_H, p->mb, &s);
}

static int clip3(int low, int high, int v)
{
	return v < low ? low : v > high ? high : v;
}

/* Table 8-16 and the last column of 8-17 as {first index, value}: a value holds up to the next. */
static int table_value(const uint8_t (*t)[2], int index)
{
	int v = 0;

	for (; (*t)[0] != 255 && (*t)[0] <= index; t++)
		v = (*t)[1];
	return v;
}

static const uint8_t alpha_steps[][2] = { { 16, 4 }, { 18, 5 }, { 19, 6 }, { 20, 7 }, { 21, 8 },
	{ 22, 9 }, { 23, 10 }, { 24, 12 }, { 25, 13 }, { 26, 15 }, { 27, 17 }, { 28, 20 },
	{ 29, 22 }, { 30, 25 }, { 31, 28 }, { 32, 32 }, { 33, 36 }, { 34, 40 }, { 35, 45 },
	{ 36, 50 }, { 37, 56 }, { 38, 63 }, { 39, 71 }, { 40, 80 }, { 41, 90 }, { 42, 101 },
	{ 43, 113 }, { 44, 127 }, { 45, 144 }, { 46, 162 }, { 47, 182 }, { 48, 203 }, { 49, 226 },
	{ 50, 255 }, { 255, 0 } };
static const uint8_t beta_steps[][2] = { { 16, 2 }, { 19, 3 }, { 23, 4 }, { 26, 6 }, { 28, 7 },
	{ 30, 8 }, { 32, 9 }, { 34, 10 }, { 36, 11 }, { 38, 12 }, { 40, 13 }, { 42, 14 },
	{ 44, 15 }, { 46, 16 }, { 48, 17 }, { 50, 18 }, { 255, 0 } };
static const uint8_t tc0_steps[][2] = { { 17, 1 }, { 27, 2 }, { 31, 3 }, { 34, 4 }, { 37, 5 },
	{ 38, 6 }, { 40, 7 }, { 41, 8 }, { 42, 9 }, { 43, 10 }, { 44, 11 }, { 45, 13 }, { 46, 14 },
	{ 47, 16 }, { 48, 18 }, { 49, 20 }, { 50, 23 }, { 51, 25 }, { 255, 0 } };

static int table_8_15(int qp)
{
	static const int qpc[] = { 29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38,
		38, 38, 39, 39, 39, 39 };

	return qp < 30 ? qp : qpc[qp - 30];
}

/* Clause 8.7.2 for one set of eight samples around q0, `d` apart. */
static void samples(uint8_t *q0, ptrdiff_t d, int chroma, int offset, int bS, int qp_p, int qp_q)
{
	int p[4], q[4], np[3], nq[3], i, average, alpha, beta, ap, aq;

	for (i = 0; i < (chroma ? 2 : 4); i++) {
		p[i] = q0[-(i + 1) * d];
		q[i] = q0[i * d];
	}
	if (chroma) {
		qp_p = table_8_15(clip3(0, 51, qp_p + offset));
		qp_q = table_8_15(clip3(0, 51, qp_q + offset));
		p[2] = q[2] = p[3] = q[3] = 0;
	}
	average = (qp_p + qp_q + 1) / 2;
	alpha = table_value(alpha_steps, average);
	beta = table_value(beta_steps, average);
	if (abs(p[0] - q[0]) >= alpha || abs(p[1] - p[0]) >= beta || abs(q[1] - q[0]) >= beta)
		return;
	memcpy(np, p, sizeof(np));
	memcpy(nq, q, sizeof(nq));
	ap = abs(p[2] - p[0]);
	aq = abs(q[2] - q[0]);
	if (bS < 4) {
		int tc0 = table_value(tc0_steps, average), tc, delta;

		tc = chroma ? tc0 + 1 : tc0 + (ap < beta) + (aq < beta);
		delta = clip3(-tc, tc, (((q[0] - p[0]) * 4) + (p[1] - q[1]) + 4) >> 3);
		np[0] = clip3(0, 255, p[0] + delta);
		nq[0] = clip3(0, 255, q[0] - delta);
		if (!chroma && ap < beta)
			np[1] = p[1] +
				clip3(-tc0, tc0, (p[2] + ((p[0] + q[0] + 1) >> 1) - p[1] * 2) >> 1);
		if (!chroma && aq < beta)
			nq[1] = q[1] +
				clip3(-tc0, tc0, (q[2] + ((p[0] + q[0] + 1) >> 1) - q[1] * 2) >> 1);
	} else {
		int close = abs(p[0] - q[0]) < (alpha >> 2) + 2;

		if (!chroma && ap < beta && close) {
			np[0] = (p[2] + 2 * p[1] + 2 * p[0] + 2 * q[0] + q[1] + 4) >> 3;
			np[1] = (p[2] + p[1] + p[0] + q[0] + 2) >> 2;
			np[2] = (2 * p[3] + 3 * p[2] + p[1] + p[0] + q[0] + 4) >> 3;
		} else {
			np[0] = (2 * p[1] + p[0] + q[1] + 2) >> 2;
		}
		if (!chroma && aq < beta && close) {
			nq[0] = (p[1] + 2 * p[0] + 2 * q[0] + 2 * q[1] + q[2] + 4) >> 3;
			nq[1] = (p[0] + q[0] + q[1] + q[2] + 2) >> 2;
			nq[2] = (2 * q[3] + 3 * q[2] + q[1] + q[0] + p[0] + 4) >> 3;
		} else {
			nq[0] = (2 * q[1] + q[0] + p[1] + 2) >> 2;
		}
	}
	for (i = 0; i < (chroma ? 1 : 3); i++) {
		q0[-(i + 1) * d] = (uint8_t)np[i];
		q0[i * d] = (uint8_t)nq[i];
	}
}

/* qPp or qPq, clause 8.7.2.2. */
static int qp_of(const h264i_mb *mb)
{
	return mb->type == H264I_MB_PCM ? 0 : mb->qp;
}

/* The whole picture, macroblock by macroblock, pixel by pixel. */
static void reference(picture *p)
{
	int n, c, vertical, edge, k;

	for (n = 0; n < MB_W * MB_H; n++)
		for (c = 0; c < 3; c++)
			for (vertical = 1; vertical >= 0; vertical--)
				for (edge = 0; edge < (c ? 8 : 16); edge += 4) {
					int size = c ? 8 : 16, x = n % MB_W * size,
					    y = n / MB_W * size;
					int step = vertical ? 1 : MB_W, own, other;

					if (edge == 0 && (vertical ? x : y) == 0)
						continue;
					/* transform_size_8x8_flag: filterInternalEdgesFlag of
					 * luma at 4 and 12 (clause 8.7). */
					if (!c && edge % 8 && p->mb[n].flags & H264I_MB_T8X8)
						continue;
					own = qp_of(&p->mb[n]);
					other = edge ? own : qp_of(&p->mb[n - step]);
					for (k = 0; k < size; k++) {
						int px = x + (vertical ? edge : k);
						int py = y + (vertical ? k : edge);

						samples(&p->pixel[c][(py + 1) * PITCH + px],
							vertical ? 1 : PITCH, c > 0,
							c ? p->offset[c - 1] : 0, edge ? 3 : 4,
							other, own);
					}
				}
}

/* Noise of random strength around a random level in each 4x4 block, so that all decisions occur;
 * one plane in four is black and white, with differences up to the largest alpha. qp ANY_QP: each
 * macroblock has another. */
static void random_picture(picture *p, int qp, int pcm_share)
{
	int c, x, y, n, i;

	for (c = 0; c < 3; c++) {
		int base = (int)(rng() % 256), jump = 1 << rng() % 9, extreme = rng() % 4 == 0;

		for (y = 0; y < ROWS; y += 4)
			for (x = 0; x < PITCH; x += 4) {
				int level = base + (int)(rng() % (uint32_t)jump);
				int noise = 1 + (int)(rng() % 12);

				if (extreme) {
					level = rng() & 1 ? 254 : 0;
					noise = 2;
				}
				for (i = 0; i < 16; i++)
					if (y + i / 4 < ROWS)
						p->pixel[c][(y + i / 4) * PITCH + x + i % 4] =
							(uint8_t)clip3(0, 255,
								level + (int)(rng() %
										(uint32_t)noise));
			}
	}
	p->offset[0] = (int)(rng() % 25) - 12;
	p->offset[1] = (int)(rng() % 25) - 12;
	memset(p->mb, 0, sizeof(p->mb));
	for (n = 0; n < MB_W * MB_H; n++) {
		p->mb[n].type =
			(uint8_t)(rng() % 16 < (uint32_t)pcm_share ? H264I_MB_PCM : rng() % 2);
		if (p->mb[n].type == H264I_MB_I4X4 && rng() % 2)
			p->mb[n].flags = H264I_MB_T8X8;
		p->mb[n].qp = (uint8_t)(qp == ANY_QP ? rng() % 52 : (uint32_t)qp);
	}
}

static void pictures_are_filtered_by_the_formulas_of_the_standard(void)
{
	static picture in, a, b;
	int qp, round, changed = 0, wrong = 0;

	for (qp = 0; qp <= ANY_QP; qp++)
		for (round = 0; round < (qp == ANY_QP ? 500 : 24); round++) {
			random_picture(&in, qp, round % 3 ? 4 : 0);
			if (round % 4 == 0)
				in.offset[0] = in.offset[1] = 0;
			a = in;
			b = in;
			filter(&a);
			reference(&b);
			wrong += memcmp(&a, &b, sizeof(a)) != 0; /* what is outside included */
			changed += memcmp(&a, &in, sizeof(a)) != 0;
		}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(changed > 30 * 24 + 450);
}

static void macroblocks_of_low_qp_and_of_i_pcm_are_not_filtered(void)
{
	static picture in, a;
	int qp, wrong = 0;

	for (qp = 0; qp < 52; qp++) {
		random_picture(&in, qp, qp < 16 ? 4 : 16);
		in.offset[0] = in.offset[1] = 0;
		a = in;
		filter(&a);
		wrong += memcmp(&a, &in, sizeof(a)) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void set_qp(picture *p, int qp)
{
	int n;

	for (n = 0; n < MB_W * MB_H; n++)
		p->mb[n].qp = (uint8_t)qp;
}

static void flat_pictures_stay_unchanged_and_small_steps_are_smoothed(void)
{
	static picture in, a;
	int x, y;

	memset(&in, 0, sizeof(in));
	memset(in.pixel, 90, sizeof(in.pixel));
	set_qp(&in, 51);
	a = in;
	filter(&a);
	CU_ASSERT_EQUAL(memcmp(&a, &in, sizeof(a)), 0);
	for (y = 0; y < ROWS; y++) /* a step of 4 at the first macroblock edge of luma */
		for (x = 16; x < PITCH; x++)
			a.pixel[0][y * PITCH + x] = 94;
	set_qp(&a, 30);
	filter(&a);
	for (x = 13; x < 19; x++)
		CU_ASSERT(a.pixel[0][9 * PITCH + x] >= a.pixel[0][9 * PITCH + x - 1]);
	CU_ASSERT(a.pixel[0][9 * PITCH + 13] > 90 && a.pixel[0][9 * PITCH + 18] < 94);
}

static void rows_written_in_order_are_the_frame(void)
{
	static picture a, b;
	uint8_t *plane[3] = { b.pixel[0] + PITCH, b.pixel[1] + PITCH, b.pixel[2] + PITCH };
	size_t pitch[3] = { PITCH, PITCH, PITCH };
	int round, wrong = 0;

	for (round = 0; round < 50; round++) {
		h264i_strengths s;
		uint32_t y;

		random_picture(&a, round % 2 ? ANY_QP : 38, 2);
		s = h264i_i_deblock_strengths(&(h264i_filter){ 1, 0, 0 }, a.offset);
		b = a;
		filter(&a);
		for (y = 0; y < MB_H; y++) {
			int c, rows = 16 * (int)y + 13, chroma = 8 * (int)y + 7;

			h264i_i_deblock_rows(plane, pitch, MB_W, y, y + 1, b.mb, &s);
			/* Rows that are reported final do not change. */
			wrong += memcmp(b.pixel[0] + PITCH, a.pixel[0] + PITCH,
					 (size_t)(rows * PITCH)) != 0;
			for (c = 1; c < 3; c++)
				wrong += memcmp(b.pixel[c] + PITCH, a.pixel[c] + PITCH,
						 (size_t)(chroma * PITCH)) != 0;
		}
		wrong += memcmp(&a, &b, sizeof(a)) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void chroma_qp_is_that_of_table_8_15(void)
{
	int qp;

	for (qp = 0; qp < 52; qp++)
		CU_ASSERT_EQUAL(h264i_chroma_qp(qp, 0), table_8_15(qp));
}

int main(void)
{
	CU_TestInfo tests[] = { { "pictures are filtered by the formulas of the standard",
					pictures_are_filtered_by_the_formulas_of_the_standard },
		{ "macroblocks of low QP and of I_PCM are not filtered",
			macroblocks_of_low_qp_and_of_i_pcm_are_not_filtered },
		{ "flat pictures stay unchanged, and small steps are smoothed",
			flat_pictures_stay_unchanged_and_small_steps_are_smoothed },
		{ "rows written in order are the frame", rows_written_in_order_are_the_frame },
		{ "chroma QP is that of table 8-15", chroma_qp_is_that_of_table_8_15 },
		CU_TEST_INFO_NULL };

	return test_run_one("deblock", tests);
}
