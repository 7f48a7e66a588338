/* Rate control: the prediction of sizes against the quantiser, plans against a buffer model of
 * Annex C that is written here, and whole streams. */
#include "h264intra/rate/rate.h"
#include "h264intra/transform/quant.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

/* Buffer of a decoder, in bits. Returns the pictures that are not in it as a whole when they are
 * removed. */
static uint32_t late_pictures(
	const double *bits, uint32_t n, double fill, double size, double start)
{
	double level = start;
	uint32_t late = 0;

	for (uint32_t i = 0; i < n; i++) {
		late += bits[i] > level;
		level = level > bits[i] ? level - bits[i] : 0;
		level = level + fill < size ? level + fill : size;
	}
	return late;
}

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

static h264i_rate_settings settings_of(uint64_t mean, uint64_t buffer, uint32_t delay)
{
	h264i_rate_settings s = { 0 };

	s.mbs = s.sampled_mbs = 396;
	s.mb_bits = 5;
	s.window = 100;
	s.mean_bits = mean << 8;
	s.second_bits = 25 * mean;
	s.buffer_bits = buffer << 8;
	s.fill_bits = buffer ? mean << 8 : 0;
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
		uint64_t size;
		int qp;

		for (; done + lag <= n; done++)
			h264i_i_rate_done_next(&r, (uint64_t)bits[done], qps[done]);
		p = h264i_i_rate_plan_next(&r, &d, 0);
		for (;; again++) {
			size = size_of(&d, n, p.qp);
			qp = h264i_i_rate_qp_again(&r, &d, p.cap, size, p.qp);
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

static double mean_of(const double *bits, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t n = from; n < to; n++)
		sum += bits[n];
	return sum / (to - from);
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

/* Pictures of all patterns, each for ten frames. */
static test_video scenes(void)
{
	test_video v = { 128, 96, 80, NULL }, part;
	size_t bytes = test_frame_bytes(&v);

	v.pixels = malloc(v.frames * bytes);
	for (uint32_t f = 0; v.pixels && f < v.frames; f += 10) {
		part = test_video_make(v.width, v.height, 10, f / 10 % TEST_PATTERNS);
		if (part.pixels)
			memcpy(v.pixels + f * bytes, part.pixels, 10 * bytes);
		free(part.pixels);
	}
	return v;
}

typedef struct sent {
	double bits[80];
	int qp[80];
	uint32_t hash;
	h264i_stats stats;
} sent;

/* Encodes v; packets in *s. Returns H264I_OK or what h264i_open said. */
static h264i_status encode(const test_video *v, h264i_options o, sent *s)
{
	h264i_encoder *enc;
	h264i_packet p;
	h264i_frame f;
	h264i_status st;
	uint32_t in = 0, out = 0;

	memset(s, 0, sizeof(*s));
	o.width = v->width;
	o.height = v->height;
	o.backend = H264I_BACKEND_CPU;
	st = h264i_open(&enc, &o, NULL, 0);
	if (st != H264I_OK)
		return st;
	h264i_packet_init(&p);
	h264i_stats_init(&s->stats);
	while (out < v->frames) {
		h264i_frame_init(&f);
		f.plane[0] = v->pixels + (in % v->frames) * test_frame_bytes(v);
		f.plane[1] = f.plane[0] + v->width * v->height;
		f.plane[2] = f.plane[1] + v->width * v->height / 4;
		f.pitch_bytes[0] = v->width;
		f.pitch_bytes[1] = f.pitch_bytes[2] = v->width / 2;
		if (in < v->frames && h264i_send_frame(enc, &f) == H264I_OK && ++in == v->frames)
			h264i_flush(enc);
		while (h264i_receive_packet(enc, &p) == H264I_OK) {
			s->bits[out] = 8.0 * (double)p.data_bytes;
			s->qp[out++] = p.qp;
			for (size_t k = 0; k < p.data_bytes; k++)
				s->hash = test_hash(s->hash * 31 + p.data[k]);
		}
	}
	h264i_get_stats(enc, &s->stats);
	h264i_close(&enc);
	return H264I_OK;
}

static h264i_options options_of(h264i_rate_control mode)
{
	h264i_options o;

	h264i_options_init(&o);
	o.rate_mode = mode;
	o.vui.fps_num = 25;
	o.vui.fps_den = 1;
	o.threads = 2;
	return o;
}

/* The same stream with any number of frames in flight; the buffer never runs dry. */
static void test_streams(void)
{
	test_video v = scenes();
	uint32_t again = 0;

	for (uint32_t n = 0; n < 6; n++) {
		h264i_options o = options_of(n == 5 ? H264I_RATE_QUALITY : H264I_RATE_BITRATE);
		static sent one, other;

		o.bitrate = n == 5 ? 0 : 2000;
		o.vbv_maxrate = n < 2 ? 0 : 2500;
		o.vbv_bufsize = n < 1 ? 0 : 250 * n;
		o.vbv_maxrate = n < 1 ? 0 : 2500;
		o.crf = 18;
		o.profile = (h264i_profile)(n % 3);
		o.aq_mode = n == 4;
		o.frames_in_flight = 1;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &one), H264I_OK);
		o.frames_in_flight = 3 + 3 * n;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &other), H264I_OK);
		CU_ASSERT_EQUAL(one.hash, other.hash);
		CU_ASSERT_EQUAL(memcmp(one.qp, other.qp, sizeof(one.qp)), 0);
		again += (uint32_t)one.stats.coded_again;
		if (!n)
			continue;
		CU_ASSERT_EQUAL(one.stats.over_limit, 0);
		CU_ASSERT_EQUAL(
			late_pictures(one.bits, v.frames, 100000, 250000.0 * n, 0.9 * 250000 * n),
			0);
	}
	CU_ASSERT_TRUE(again > 0); /* else the caps were not tested */
	free(v.pixels);
}

/* A limit of a picture's bytes, in each mode; the quality of pictures below it does not change. */
static void test_size_limit(void)
{
	test_video v = scenes();

	for (int mode = H264I_RATE_QP; mode <= H264I_RATE_BITRATE; mode++) {
		h264i_options o = options_of((h264i_rate_control)mode);
		static sent free_size, limited;

		o.qp = 20;
		o.crf = 20;
		o.bitrate = 3000;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &free_size), H264I_OK);
		o.frame_bytes_max = 8000;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &limited), H264I_OK);
		CU_ASSERT_EQUAL(limited.stats.over_limit, 0);
		for (uint32_t n = 0; n < v.frames; n++) {
			CU_ASSERT_TRUE(limited.bits[n] <= 64000);
			if (mode == H264I_RATE_QP && free_size.bits[n] <= 32000)
				CU_ASSERT_EQUAL(limited.bits[n], free_size.bits[n]);
		}
		CU_ASSERT_TRUE(
			mean_of(free_size.bits, 0, v.frames) > mean_of(limited.bits, 0, v.frames));
	}
	free(v.pixels);
}

/* Finer with a lower factor; detailed pictures coarser than plain ones. */
static void test_quality(void)
{
	test_video v = scenes();
	double before = 1e18;

	for (double crf = 15; crf < 40; crf += 4.5) {
		h264i_options o = options_of(H264I_RATE_QUALITY);
		static sent s;
		double bits;

		o.crf = crf;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &s), H264I_OK);
		bits = mean_of(s.bits, 0, v.frames);
		CU_ASSERT_TRUE(bits < before);
		before = bits;
		CU_ASSERT_TRUE(s.qp[10] > s.qp[0]); /* noise; shapes */
		CU_ASSERT_TRUE(s.qp[30] < s.qp[0]); /* black */
		CU_ASSERT_EQUAL(s.qp[0], s.qp[40]); /* the same again */
	}
	free(v.pixels);
}

static void test_bad_options(void)
{
	test_video v = scenes();
	static sent s;
	h264i_options o;

#define REFUSED(mode, set)    \
	o = options_of(mode); \
	set;                  \
	CU_ASSERT_EQUAL(encode(&v, o, &s), H264I_ERR_ARG)
	REFUSED((h264i_rate_control)3, (void)0);
	REFUSED(H264I_RATE_BITRATE, (void)0);
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vui.fps_num = 0));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vbv_maxrate = 2000));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vbv_maxrate = 500, o.vbv_bufsize = 100));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vbv_bufsize = 100, o.vbv_init = 1.5));
	REFUSED(H264I_RATE_BITRATE, o.bitrate = UINT32_MAX);
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.rate_delay = 1025));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1, o.vui.fps_num = 1000000));
	REFUSED(H264I_RATE_QUALITY, o.crf = 51.5);
	REFUSED(H264I_RATE_QUALITY, o.crf = -1);
	REFUSED(H264I_RATE_QUALITY, o.vbv_bufsize = 1000);
	REFUSED(H264I_RATE_QP, (o.vbv_bufsize = 1000, o.vbv_maxrate = 1000));
#undef REFUSED
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "coefficients left by each QP are those of the quantiser",
			test_detail_of_coefficients },
		{ "no picture comes late, whatever the error of the prediction", test_buffer },
		{ "the mean size is that of the bit rate", test_bit_rate },
		{ "streams do not depend on the frames in flight", test_streams },
		{ "no picture exceeds the limit of its bytes", test_size_limit },
		{ "constant quality", test_quality },
		{ "bad options are refused", test_bad_options },
		CU_TEST_INFO_NULL,
	};

	CU_SuiteInfo suites[] = { { "rate control", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
