/* Rate control: the prediction of sizes against the quantiser, and plans against a buffer model of
 * Annex C that is written here. Whole streams: rate_stream_test.c. */
#include "h264intra/rate/rate.h"
#include "h264intra/transform/quant.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/rate_common.h"

/* The number of QPs that leave a coefficient is that of the quantiser, but for the rounding of its
 * factors. */
static void test_detail_of_coefficients(void)
{
	for (int pos = 0; pos < 3; pos++)
		for (uint32_t c = 0; c <= 255 * 16; c++) {
			int n = h264i_detail_qps(c, pos), real = 0;

			for (int qp = 0; qp < 52; qp++) {
				h264i_qparams q;

				h264i_i_qparams_init(&q, qp, 0);
				real += h264i_quantise((int)c, q.luma.mf[pos],
						(1 << q.luma.qbits) / 3, q.luma.qbits) != 0;
			}
			if (n < real - 1 || n > real + 1)
				CU_FAIL("a coefficient's QPs");
		}
	CU_PASS("4,081 coefficients at three positions");
}

static const h264i_rate_time picture_time = { 1, 2, ((uint64_t)1 << 32) / 25 + 1 };

static h264i_rate_settings settings_of(uint64_t mean, uint64_t buffer, uint32_t delay)
{
	h264i_rate_settings s = { 0 };

	s.mbs = s.sampled_mbs = 396;
	s.mb_bits = 5;
	s.nominal = picture_time;
	s.window = 4;
	s.mean_bits = mean << 8;
	s.second_bits = 25 * mean;
	s.buffer_bits = buffer << 8;
	s.fill_bits = buffer ? mean << 8 : 0;
	s.fill_second_bits = buffer ? s.second_bits : 0;
	s.start_bits = s.buffer_bits / 10 * 9;
	s.delay = delay;
	return s;
}

/* Detail whose coefficients fall by half every `half` QPs; of a scene of 30 pictures. */
static h264i_detail detail_of(uint32_t n)
{
	uint32_t scene = test_hash(n / 30 + 7), left = 2000 + scene % 20000;
	h264i_detail d;

	for (int qp = 0; qp < 52; qp++) {
		d.last[qp] = left / (4 + (scene >> 8) % 6);
		left -= d.last[qp];
	}
	return d;
}

/* The size of a picture: up to 1.6 times the model or its inverse, by the scene and by chance. */
static uint64_t size_of(const h264i_detail *d, uint32_t n, int qp)
{
	double left = 0, error = 0.7 + test_hash(n / 30) % 100 / 120.0;

	for (int k = qp; k < 52; k++)
		left += d->last[k];
	return (uint64_t)((396 * 5 + left * 28) * error * (0.9 + test_hash(n) % 100 / 500.0));
}

enum { PICTURES = 1500 };

/* Codes PICTURES pictures, whose sizes are told `lag` pictures late, at most the delay. */
static uint32_t run(const h264i_rate_settings *s, uint32_t lag, double *bits, int *qps)
{
	h264i_rate r;
	uint32_t done = 0, again = 0;

	CU_ASSERT_EQUAL_FATAL(h264i_i_rate_open(&r, s), 0);
	for (uint32_t n = 0; n < PICTURES; n++) {
		h264i_detail d = detail_of(n);
		h264i_rate_plan p;
		h264i_rate_tried tried;
		uint64_t size;
		int qp;

		for (; done + lag <= n; done++)
			h264i_i_rate_done_next(&r, (uint64_t)bits[done], qps[done]);
		p = h264i_i_rate_plan_next(&r, &d, &picture_time, 0, NULL);
		h264i_i_rate_try(&tried, &p);
		for (;; again++) {
			size = size_of(&d, n, p.qp);
			qp = h264i_i_rate_qp_again(s, &d, &tried, size, p.qp);
			if (qp == p.qp)
				break;
			p.qp = qp;
		}
		bits[n] = (double)size;
		qps[n] = p.qp;
	}
	h264i_i_rate_close(&r);
	return again;
}

static void test_buffer(void)
{
	static double bits[PICTURES], again[PICTURES];
	static int qps[PICTURES], other[PICTURES];

	for (uint32_t pictures = 1; pictures <= 128; pictures *= 2)
		for (uint64_t mean = 30000; mean <= 300000; mean *= 10) {
			uint32_t delay = pictures < 4 ? 1 : pictures / 2 < 32 ? pictures / 2 : 32;
			h264i_rate_settings s = settings_of(mean, pictures * mean, delay);

			run(&s, delay, bits, qps);
			CU_ASSERT_EQUAL(late_pictures(bits, PICTURES, (double)mean,
						(double)(pictures * mean), 0.9 * pictures * mean),
				0);
			CU_ASSERT_TRUE(mean_of(bits, 0, PICTURES) <
				       1.01 * mean + mean * pictures / 1500.0);
			/* No size is used before its turn. */
			run(&s, 1, again, other);
			CU_ASSERT_EQUAL(memcmp(bits, again, sizeof(bits)), 0);
		}
}

static void test_bit_rate(void)
{
	static double bits[PICTURES];
	static int qps[PICTURES];

	for (uint64_t mean = 20000; mean <= 320000; mean *= 2) {
		h264i_rate_settings s = settings_of(mean, 0, 32);

		run(&s, 32, bits, qps);
		CU_ASSERT_TRUE(mean_of(bits, 0, PICTURES) > 0.9 * mean);
		CU_ASSERT_TRUE(mean_of(bits, 0, PICTURES) < 1.1 * mean);
	}
}

/* Timestamps in milliseconds of 30 and of 30000/1001 frames/s, and one of each in a unit that has
 * both: every picture is 1/fps after the one before, and no error adds up. */
static void test_constant_clock(void)
{
	for (uint32_t n = 0; n < 3; n++) {
		h264i_clock c = { .unit_num = 1, .unit_den = n < 2 ? 1000 : 30000 };
		uint64_t ticks = 0;

		c.fps_num = n ? 30000 : 30;
		c.fps_den = n ? 1001 : 1;
		for (uint64_t i = 0; i < 100000; i++) {
			const uint64_t at =
				(2 * i * c.unit_den * c.fps_den + c.fps_num) / (2 * c.fps_num);
			h264i_rate_time t = h264i_i_clock_next(&c, (int64_t)(at + 77));

			if (t.frames != 1 || t.ticks != 2)
				CU_FAIL("a constant rate");
			ticks += t.ticks;
			if (i % 5000 == 0)
				CU_ASSERT_DOUBLE_EQUAL((double)h264i_i_clock_ns(&c),
					1e9 * (double)i * c.fps_den / c.fps_num, 1);
		}
		CU_ASSERT_EQUAL(ticks, 200000);
	}
}

/* Timestamps of no constant rate; two that do not increase; the largest ones. */
static void test_variable_clock(void)
{
	h264i_clock c = { .unit_num = 1, .unit_den = 90000, .fps_num = 25, .fps_den = 1 };
	int64_t at = INT64_MIN / 2;
	uint64_t span = 0, ticks = 0, ns = 0;
	h264i_rate_time t = h264i_i_clock_next(&c, at);

	CU_ASSERT_EQUAL(t.frames, 1);
	for (uint32_t i = 1; i < 10000; i++) {
		const uint32_t step = test_hash(i) % 20000;

		at += step;
		ns += step;
		t = h264i_i_clock_next(&c, at);
		span += t.span;
		ticks += t.ticks;
		CU_ASSERT_TRUE(t.ticks >= 1);
		CU_ASSERT_DOUBLE_EQUAL((double)t.span * 0x1p-32, step / 9e4, 2.5 / 9e4);
	}
	CU_ASSERT_DOUBLE_EQUAL((double)span * 0x1p-32, (double)ns / 9e4, 1.5 / 9e4);
	CU_ASSERT_DOUBLE_EQUAL((double)ticks / 50, (double)ns / 9e4, 0.1);
	t = h264i_i_clock_next(&c, at - 5);
	CU_ASSERT_TRUE(t.span == 0 && t.frames == 0 && t.ticks == 1);
	t = h264i_i_clock_next(&c, INT64_MAX);
	CU_ASSERT_EQUAL(t.span, H264I_SPAN_MAX);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "coefficients left by each QP are those of the quantiser",
			test_detail_of_coefficients },
		{ "no picture comes late, whatever the error of the prediction", test_buffer },
		{ "the mean size is that of the bit rate", test_bit_rate },
		{ "timestamps of a constant rate", test_constant_clock },
		{ "timestamps of a variable rate", test_variable_clock },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("rate control", tests);
}
