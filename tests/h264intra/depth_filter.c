/* The deblocking filter at the suite's depth against clause 8.7, written out. */
#include "tests/h264intra/depth_common.h"

#include "h264intra/filter/deblock.h"
#include "h264intra/filter/deblock_lane.h"

enum { ROUNDS = 40000, MB_W = 3, MB_H = 2, LUMA = 256 * MB_W * MB_H, CHROMA = LUMA / 4 };

/* Filters a line: p[0..3] and q[0..3] from the edge outwards, alpha', beta' and tc0' as in tables
 * 8-16 and 8-17 (clauses 8.7.2.2 to 8.7.2.4). */
static void filter_line(int p[4], int q[4], int alpha1, int beta1, int tc01, int bs, int chroma)
{
	const int alpha = alpha1 * (1 << (DEPTH - 8)), beta = beta1 * (1 << (DEPTH - 8));
	const int tc0 = tc01 * (1 << (DEPTH - 8));
	const int p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
	const int q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
	const int ap = abs(p2 - p0) < beta, aq = abs(q2 - q0) < beta;

	if (!(abs(p0 - q0) < alpha && abs(p1 - p0) < beta && abs(q1 - q0) < beta))
		return;
	if (bs < 4) {
		int tc = chroma ? tc0 + 1 : tc0 + ap + aq;
		int delta = clip3(-tc, tc, (((q0 - p0) * 4) + (p1 - q1) + 4) >> 3);

		p[0] = clip1(p0 + delta);
		q[0] = clip1(q0 - delta);
		if (!chroma && ap)
			p[1] = p1 + clip3(-tc0, tc0, (p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1);
		if (!chroma && aq)
			q[1] = q1 + clip3(-tc0, tc0, (q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1);
		return;
	}
	if (!chroma && ap && abs(p0 - q0) < (alpha >> 2) + 2) {
		p[0] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
		p[1] = (p2 + p1 + p0 + q0 + 2) >> 2;
		p[2] = (2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3;
	} else {
		p[0] = (2 * p1 + p0 + q1 + 2) >> 2;
	}
	if (!chroma && aq && abs(p0 - q0) < (alpha >> 2) + 2) {
		q[0] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
		q[1] = (p0 + q0 + q1 + q2 + 2) >> 2;
		q[2] = (2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3;
	} else {
		q[0] = (2 * q1 + q0 + p1 + 2) >> 2;
	}
}

/* Columns alpha', beta' and tc0' (bS 3) of tables 8-16 and 8-17 at some indices. */
static const int table[][4] = { { 0, 0, 0, 0 }, { 15, 0, 0, 0 }, { 16, 4, 2, 0 }, { 23, 10, 4, 1 },
	{ 27, 17, 6, 2 }, { 30, 25, 8, 2 }, { 33, 36, 9, 3 }, { 40, 80, 13, 7 },
	{ 45, 144, 15, 13 }, { 51, 255, 18, 25 } };

void depth_filter_line(void)
{
	const h264i_filter plain = { 1, 0, 0 };
	const h264i_strengths s = h264i_i_deblock_strengths(&plain, NULL);
	int wrong = 0, changed = 0, table_wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		const int *row = table[rng_below(sizeof(table) / sizeof(table[0]))];
		/* The mean of both QPs, which may be below 0, is index A; QPs are from -OFFSET. */
		int odd = (int)rng_below(2), qp = row[0] + OFFSET;
		h264i_thresholds t = h264i_thresholds_of(&s, qp - odd, qp);
		int base = (int)rng_below(MOST + 1), range = 1 + (int)rng_below(64 << (DEPTH - 8));
		int bs = 3 + (int)rng_below(2), chroma = (int)rng_below(2);
		int v[8], p[4], q[4];

		table_wrong += t.alpha != row[1] << (DEPTH - 8) ||
			       t.beta != row[2] << (DEPTH - 8) || t.tc0 != row[3] << (DEPTH - 8);
		for (int i = 0; i < 8; i++)
			v[i] = clip1(base + rng_around(range));
		for (int i = 0; i < 4; i++) {
			p[i] = v[3 - i];
			q[i] = v[4 + i];
		}
		if (chroma)
			h264i_line_chroma(v, t, bs == 4);
		else if (bs == 4)
			h264i_line_luma_border(v, t);
		else
			h264i_line_luma_inner(v, t);
		changed += v[3] != p[0];
		filter_line(p, q, row[1], row[2], row[3], bs, chroma);
		for (int i = 0; i < 4; i++)
			wrong += v[3 - i] != p[i] || v[4 + i] != q[i];
	}
	CU_ASSERT_EQUAL(table_wrong, 0);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(changed > ROUNDS / 20);
	/* Below QP 0 nothing is filtered, and of I_PCM the QP is 0. */
	for (int qp = 0; qp < OFFSET; qp++)
		CU_ASSERT_EQUAL(h264i_thresholds_of(&s, qp, qp).alpha, 0);
}

/* A picture by rows of macroblocks, and by lines on 16 lanes. */
void depth_filter_picture(void)
{
	static h264i_px one[LUMA + 2 * CHROMA], two[LUMA + 2 * CHROMA], three[LUMA + 2 * CHROMA];
	const h264i_filter plain = { 1, 0, 0 };
	const h264i_strengths s = h264i_i_deblock_strengths(&plain, NULL);
	const size_t pitch[3] = { 16 * MB_W, 8 * MB_W, 8 * MB_W };
	h264i_px *const plane[3] = { one, one + LUMA, one + LUMA + CHROMA };
	h264i_mb mb[MB_W * MB_H];
	h264i_picture p;

	memset(mb, 0, sizeof(mb));
	memset(&p, 0, sizeof(p));
	for (int i = 0; i < MB_W * MB_H; i++) {
		mb[i].qp = (uint8_t)(OFFSET + 30 + rng_below(22));
		mb[i].flags = i & 1 ? H264I_MB_T8X8 : 0;
	}
	mb[4].type = H264I_MB_PCM;
	for (int i = 0; i < LUMA + 2 * CHROMA; i++)
		three[i] = two[i] = one[i] = (h264i_px)(MOST / 2 + rng_around(8 << (DEPTH - 8)));
	h264i_i_deblock_frame(plane, pitch, MB_W, MB_H, mb, &s);
	p.mb = mb;
	for (int k = 0; k < 3; k++) {
		p.recon[k] = two + (k ? LUMA + (k - 1) * CHROMA : 0);
		p.recon_pitch[k] = (uint32_t)pitch[k];
	}
	for (uint32_t y = 0; y < MB_H; y++)
		for (uint32_t x = 0; x < MB_W; x++)
			for (int vertical = 1; vertical >= 0; vertical--)
				for (int lane = 0; lane < H264I_DEBLOCK_LANES; lane++)
					h264i_deblock_lane(&p, MB_W, x, y, vertical, lane, &s);
	CU_ASSERT_EQUAL(memcmp(one, two, sizeof(one)), 0);
	CU_ASSERT_NOT_EQUAL(memcmp(one, three, sizeof(one)), 0);
}
