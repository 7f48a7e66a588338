/* Adaptive quantisation against x264's formulas in floating point, and the differences of QPs. */
#include "h264intra/cpu/aq.h"
#include "h264intra/entropy/qp_delta.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 104, HEIGHT = 74, MB_W = 7, MB_H = 5, MBS = MB_W * MB_H };

static uint8_t source[WIDTH * HEIGHT * 3 / 2];

/* Macroblocks of random contrast. */
static void random_source(void)
{
	uint8_t *at = source;

	for (uint32_t pl = 0; pl < 3; pl++)
		for (uint32_t y = 0; y < (uint32_t)HEIGHT >> (pl > 0); y++)
			for (uint32_t x = 0; x < (uint32_t)WIDTH >> (pl > 0); x++) {
				uint32_t size = pl ? 8 : 16, n = x / size + MB_W * (y / size);

				*at++ = (uint8_t)(rng_below(256) >> n % 9);
			}
}

static h264i_picture picture_of(int nv12, uint8_t *pairs)
{
	h264i_picture p;

	memset(&p, 0, sizeof(p));
	p.src[0] = source;
	p.src[1] = source + WIDTH * HEIGHT;
	p.src[2] = p.src[1] + WIDTH * HEIGHT / 4;
	p.src_pitch[0] = WIDTH;
	p.src_pitch[1] = p.src_pitch[2] = WIDTH / 2;
	p.chroma_step = 1;
	if (!nv12)
		return p;
	for (int i = 0; i < WIDTH * HEIGHT / 4; i++) {
		pairs[2 * i] = p.src[1][i];
		pairs[2 * i + 1] = p.src[2][i];
	}
	p.src[1] = pairs;
	p.src[2] = pairs + 1;
	p.src_pitch[1] = p.src_pitch[2] = WIDTH;
	p.chroma_step = 2;
	return p;
}

/* x264's ac_energy_mb(), of a source extended to whole macroblocks. */
static double energy_at(uint32_t mx, uint32_t my)
{
	const uint8_t *plane = source;
	double energy = 0;

	for (uint32_t pl = 0; pl < 3; pl++) {
		uint32_t size = pl ? 8 : 16, w = WIDTH >> (pl > 0), h = HEIGHT >> (pl > 0);
		double sum = 0, squares = 0;

		for (uint32_t i = 0; i < size * size; i++) {
			uint32_t x = mx * size + i % size, y = my * size + i / size;
			double v = plane[(y < h ? y : h - 1) * w + (x < w ? x : w - 1)];

			sum += v;
			squares += v * v;
		}
		energy += ceil(squares - sum * sum / (size * size));
		plane += w * h;
	}
	return energy;
}

/* x264_adaptive_quant_frame() and x264_ratecontrol_mb_qp(): QPs before rounding. */
static void reference(int mode, double strength, int qp, double out[MBS])
{
	double mean = 0, square = 0;

	for (uint32_t i = 0; i < MBS; i++) {
		double e = energy_at(i % MB_W, i / MB_W);

		out[i] = mode == 1 ? log2(e > 1 ? e : 1) - 14.427 : pow(e + 1, 0.125);
		mean += out[i] / MBS;
		square += out[i] * out[i] / MBS;
	}
	strength *= mode == 1 ? 1.0397 : mean;
	mean = mode == 1 ? 0 : mean - 0.5 * (square - 14) / mean;
	for (uint32_t i = 0; i < MBS; i++) {
		out[i] = qp + strength * (out[i] - mean);
		out[i] = out[i] < 0 ? 0 : out[i] > 51 ? 51 : out[i];
	}
}

static void qps_are_those_of_the_formulas(void)
{
	static uint8_t pairs[WIDTH * HEIGHT / 2];
	const h264i_geom g = { WIDTH, HEIGHT, MB_W, MB_H, 1 };
	int wrong = 0, low = 0, high = 0;

	for (int round = 0; round < 400; round++) {
		int mode = 1 + round % 2, qp = (int)rng_below(52);
		double strength = rng_below(301) / 100.0, want[MBS];
		h264i_aq aq = { mode, (int32_t)(strength * 65536 + 0.5) };
		h264i_picture p;
		uint8_t got[MBS];
		uint32_t root[MBS];

		random_source();
		p = picture_of(round / 2 % 2, pairs);
		p.qp = (uint32_t)qp;
		h264i_i_aq_picture(&aq, &g, &p, got, root);
		reference(mode, strength, qp, want);
		for (int i = 0; i < MBS; i++) {
			wrong += fabs(got[i] - want[i]) > 0.51;
			low += got[i] < qp;
			high += got[i] > qp;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(low > 1000 && high > 1000);
}

static void logarithms_and_powers_are_exact_to_16_bits(void)
{
	double worst_log = 0, worst_root = 0;

	for (uint32_t v = 1; v < 1u << 31; v += v / 64 + 1) {
		double d = log2(v) - h264i_log2(v) / 65536.0;

		CU_ASSERT(d >= 0);
		worst_log = d > worst_log ? d : worst_log;
	}
	for (uint32_t v = 0; v < 1u << 23; v += v / 64 + 1) {
		double d = fabs(pow(v + 1.0, 0.125) - h264i_aq_root(v) / 65536.0);

		worst_root = d > worst_root ? d : worst_root;
	}
	CU_ASSERT(worst_log <= 1.0 / 65536);
	CU_ASSERT(worst_root < 8.0 / 65536);
	CU_ASSERT_EQUAL(h264i_exp2(0), 65536);
	CU_ASSERT_EQUAL(h264i_exp2(3 << 16), 8 * 65536);
}

/* Clause 7.4.5: decoders add the difference modulo 52. */
static void differences_of_qps_are_in_range(void)
{
	for (int before = 0; before < 52; before++)
		for (int qp = 0; qp < 52; qp++) {
			int d = h264i_qp_delta(qp, before);

			CU_ASSERT(d >= -26 && d <= 25);
			CU_ASSERT_EQUAL((before + d + 52) % 52, qp);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "QPs are those of the formulas", qps_are_those_of_the_formulas },
		{ "logarithms and powers are exact to 16 bits",
			logarithms_and_powers_are_exact_to_16_bits },
		{ "differences of QPs are in range", differences_of_qps_are_in_range },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("adaptive quantisation", tests);
}
