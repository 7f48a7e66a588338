/* Whole macroblocks at the suite's depth: the reconstruction is that of a decoder, and as near to
 * the source as the quantiser says. */
#include "tests/h264intra/depth_common.h"

#include <math.h>

#include "h264intra/core/qp.h"
#include "h264intra/cpu/encode_mb.h"
#include "h264intra/order/wavefront.h"

/* Not whole macroblocks. */
enum { W = 75, H = 43, MB_W = 5, MB_H = 3, MBS = MB_W * MB_H, CW = 38, CH = 22 };

static h264i_px source[W * H + 2 * CW * CH], recon[MBS * H264I_PCM_PX];
static h264i_mb mbs[MBS];
static h264i_levels levels[MBS];
static h264i_edge edges[MBS];
static h264i_qparams by_qp[QPS];
static h264i_cpu_rates rates[QPS];

/* Waves, flat parts, and noise of every strength: all types of macroblocks are chosen. */
static void make_source(void)
{
	for (int pl = 0; pl < 3; pl++) {
		h264i_px *at = source + (pl ? W * H + (pl - 1) * CW * CH : 0);
		int w = pl ? CW : W, h = pl ? CH : H;

		for (int i = 0; i < w * h; i++) {
			int x = i % w, y = i / w, kind = (x / 16 + 2 * (y / 16)) % 4;
			double wave = sin(x / (3. + pl)) * cos(y / 5.) * MOST / 4;
			int noise = kind == 3   ? rng_around(MOST)
				    : kind == 2 ? rng_around(MOST / 16)
						: 0;

			at[i] = (h264i_px)clip1(MOST / 2 + (kind ? (int)wave : 0) + noise);
		}
	}
}

static h264i_picture picture_of(int qp)
{
	h264i_picture p;

	memset(&p, 0, sizeof(p));
	p.mb = mbs;
	p.levels = levels;
	p.edge = edges;
	p.chroma_step = 1;
	p.qp = (uint32_t)qp;
	for (int k = 0; k < 3; k++) {
		p.src[k] = source + (k ? W * H + (k - 1) * CW * CH : 0);
		p.src_pitch[k] = k ? CW : W;
		p.recon[k] = recon + (k ? MBS * (256 + (k - 1) * 64) : 0);
		p.recon_pitch[k] = MB_W * (k ? 8 : 16);
	}
	return p;
}

static void encode(const h264i_picture *p, int qp, int syntax, int rd)
{
	const h264i_geom g = { W, H, MB_W, MB_H, 1 };
	h264i_wave_ctx c;

	h264i_i_qparams_init(&by_qp[qp], qp, 0);
	by_qp[qp].syntax = syntax;
	h264i_i_cpu_rates_init(&rates[qp], qp, NULL, NULL);
	c = h264i_wave_ctx_make(&g, by_qp);
	c.frames = 1;
	c.pic = p;
	c.rd = rd;
	for (uint32_t at = 0; at < MBS; at++)
		h264i_i_encode_mb(
			&h264i_i_dsp_scalar, &c, rd ? rates : NULL, p, at % MB_W, at / MB_W);
}

/* Mean squared error of macroblock `at` in plane k. */
static double error_of(const h264i_picture *p, int k, int at)
{
	int n = k ? 8 : 16, w = k ? CW : W, h = k ? CH : H;
	double sum = 0;

	for (int i = 0; i < n * n; i++) {
		int x = at % MB_W * n + i % n, y = at / MB_W * n + i / n;
		int sx = x < w ? x : w - 1, sy = y < h ? y : h - 1;
		int d = p->recon[k][y * (int)p->recon_pitch[k] + x] -
			p->src[k][sy * (int)p->src_pitch[k] + sx];

		sum += d * d;
	}
	return sum / (n * n);
}

/* Of a quantiser of step s with a dead zone of 5/8, 0.625 * 2^(qp / 6) the step; transform and
 * rounding to whole samples add little. */
static double bound_of(int qp)
{
	double error = .625 * .625 * exp2(qp / 6.);

	return error * error * 1.1 + .5;
}

void depth_encode(void)
{
	int far = 0, wrong = 0, seen[4] = { 0, 0, 0, 0 };

	for (int round = 0; round < 2 * QPS; round++) {
		int qp = round / 2, rd = round % 2 ? 4 : 0;
		h264i_picture p = picture_of(qp);
		int syntax = round % 4 < 2 ? H264I_SYNTAX_8X8 : H264I_SYNTAX_CAVLC;

		make_source();
		encode(&p, qp, syntax, rd);
		for (int at = 0; at < MBS; at++) {
			int pcm = mbs[at].type == H264I_MB_PCM;

			seen[mbs[at].flags & H264I_MB_T8X8 ? 3 : mbs[at].type]++;
			wrong += depth_decode(&p, MB_W, at);
			far += error_of(&p, 0, at) > (pcm ? 1 : bound_of(qp));
			/* Rate and distortion may leave out chroma. */
			for (int k = 1; k < 3 && !rd; k++)
				far += error_of(&p, k, at) >
				       (pcm ? 1 : bound_of(h264i_chroma_qp(qp, 0)));
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(far, 0);
	for (int type = 0; type < 4; type++)
		CU_ASSERT_TRUE(seen[type] > 10);
}
