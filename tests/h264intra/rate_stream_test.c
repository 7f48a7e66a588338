/* Rate control of whole streams: the same with any number of frames in flight; buffers, limits, two
 * passes. */
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/rate_common.h"
#include "tests/h264intra/rate_encode.h"

/* The same stream with any number of frames in flight; the buffer never runs dry. */
static void test_streams(void)
{
	test_video v = scenes();
	uint32_t again = 0;

	for (uint32_t n = 0; n < 6; n++) {
		h264i_options o = options_of(n == 5 ? H264I_RATE_QUALITY : H264I_RATE_BITRATE);
		static sent one, other;

		o.bitrate = n == 5 ? 0 : 2000;
		o.rate_delay = n == 3 ? 20 : 0;
		o.vbv_bufsize = n < 1 ? 0 : 150 * n;
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
			late_pictures(one.bits, v.frames, 100000, 150000.0 * n, 0.9 * 150000 * n),
			0);
	}
	CU_ASSERT_TRUE(again > 0); /* else the caps were not tested */
	free(v.pixels);
}

/* The pictures that are counted as beyond the limit are those that are late in the buffer, not
 * those above their share of it. */
static void test_late_pictures(void)
{
	test_video v = scenes();
	uint64_t late = 0;

	for (uint32_t n = 0; n < 6; n++) {
		h264i_options o = options_of(H264I_RATE_BITRATE);
		static sent s;

		o.bitrate = 100 + 150 * n;
		o.vbv_bufsize = o.vbv_maxrate = o.bitrate;
		o.vbv_init = 1;
		o.frames_in_flight = 1 + 3 * n;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &s), H264I_OK);
		CU_ASSERT_EQUAL(
			s.stats.over_limit, late_pictures(s.bits, v.frames, 40.0 * o.bitrate,
						    1000.0 * o.bitrate, 1000.0 * o.bitrate));
		late += s.stats.over_limit;
	}
	CU_ASSERT_TRUE(late > 0 && late < 6 * v.frames);
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
		o.crf = 12;
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

static void test_two_passes(void)
{
	test_video v = scenes();

	for (uint32_t n = 0; n < 4; n++) {
		h264i_options o = options_of(H264I_RATE_BITRATE);
		static sent s;
		double mean;

		o.width = v.width;
		o.height = v.height;
		o.qp = 24 + 3 * (int)n;
		o.bitrate = 1500;
		o.vbv_bufsize = n % 2 ? 1000 : 0;
		o.vbv_maxrate = n % 2 ? 3000 : 0;
		o.profile = (h264i_profile)(n % 3);
		mean = two_passes_timed(&v, o, NULL, &s) / v.frames;
		/* Noise falls faster with the QP than its detail; of video see
		 * tests/apps/gpuintra_rate_test.sh. */
		CU_ASSERT_TRUE(mean < 75000);
		if (n % 2) {
			CU_ASSERT_EQUAL(s.stats.over_limit, 0);
			CU_ASSERT_EQUAL(late_pictures(s.bits, v.frames, 120000, 1e6, 0.9e6), 0);
		} else {
			CU_ASSERT_TRUE(mean > 54000);
		}
	}
	free(v.pixels);
}

/* Random pictures of 16x16 samples, whose bits at QP 51 are near those of the buffer's rate. */
static void random_pictures(h264i_pass_picture *p, uint32_t (*detail)[52], size_t n)
{
	memset(p, 0, n * sizeof(*p));
	for (size_t i = 0; i < n; i++) {
		for (int qp = 0; qp < 52; qp++)
			detail[i][qp] = rng_below(4);
		detail[i][51] += rng_below(60);
		p[i].detail = detail[i];
		p[i].detail_count = 52;
		p[i].qp = (int)rng_below(52);
		p[i].bytes = 20 + rng_below(400);
	}
}

/* Returns how many pictures are late although they, or pictures since the buffer was full, have
 * another QP than the highest. plan_bytes are rounded down. */
static int late_needlessly(
	const h264i_pass_picture *p, size_t n, double fill, double size, double start)
{
	double level = start;
	int could = 0, needless = 0;

	for (size_t i = 0; i < n; i++) {
		double bits = 8.0 * (double)p[i].plan_bytes;

		could |= p[i].plan_qp < 51;
		needless += bits > level + 1 && could;
		level = (level > bits ? level - bits : 0) + fill;
		if (level >= size) {
			level = size;
			could = 0;
		}
	}
	return needless;
}

/* Buffers that cannot be kept, at all or in part: the time is linear in the pictures (quadratic
 * time reaches the limit of a test), and QPs are raised as far as it helps. */
static void test_late_plans(void)
{
	enum { PICTURES = 20000 };
	h264i_pass_picture *p = malloc(PICTURES * sizeof(*p));
	uint32_t(*detail)[52] = malloc(PICTURES * sizeof(*detail));

	CU_ASSERT_FATAL(p && detail);
	for (uint32_t n = 0; n < 6; n++) {
		h264i_options o = options_of(H264I_RATE_BITRATE);
		double fill;

		o.width = o.height = 16;
		o.bitrate = 1 + 6 * n;
		o.vbv_maxrate = o.bitrate;
		o.vbv_bufsize = n % 2 ? o.bitrate : 1;
		fill = 1000.0 * o.bitrate / 25;
		random_pictures(p, detail, PICTURES);
		CU_ASSERT_EQUAL_FATAL(h264i_plan_pictures(&o, p, PICTURES, NULL, 0), H264I_OK);
		CU_ASSERT_EQUAL(late_needlessly(p, PICTURES, fill, 1000.0 * o.vbv_bufsize,
					900.0 * o.vbv_bufsize),
			0);
	}
	free(p);
	free(detail);
}

/* The headers of a picture are in its predicted size at any QP: here nothing else is left of the
 * pictures at the QP that so low a rate needs. */
static void test_headers_in_plans(void)
{
	h264i_options o = options_of(H264I_RATE_BITRATE);
	static const uint32_t detail[] = { [10] = 1000000 };
	h264i_pass_picture p = { .qp = 10, .bytes = 2000, .detail = detail, .detail_count = 11 };
	const uint8_t *headers;
	h264i_encoder *enc;
	size_t bytes = 0;

	o.width = o.height = 64;
	o.backend = H264I_BACKEND_CPU;
	o.bitrate = 10;
	o.slices = 4;
	CU_ASSERT_EQUAL_FATAL(h264i_open(&enc, &o, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_headers(enc, &headers, &bytes), H264I_OK);
	h264i_close(&enc);
	CU_ASSERT_EQUAL_FATAL(h264i_plan_pictures(&o, &p, 1, NULL, 0), H264I_OK);
	CU_ASSERT_TRUE(p.plan_qp > 10);
	/* a start code of 4 bytes, a NAL unit's of 1 and 3 bits of header at least */
	CU_ASSERT_TRUE(p.plan_bytes >= bytes + o.slices * 6);
	CU_ASSERT_TRUE(p.plan_bytes < bytes + o.slices * 12);
}

static void test_bad_plans(void)
{
	h264i_options o = options_of(H264I_RATE_BITRATE);
	h264i_pass_picture p = { .qp = 20, .bytes = 1000 };
	char msg[200];

	o.width = o.height = 64;
	o.bitrate = 100;
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, &p, 1, NULL, 0), H264I_OK);
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, &p, 0, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(msg, "no pictures") != NULL);
	CU_ASSERT_EQUAL(h264i_plan_pictures(NULL, &p, 1, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, NULL, 1, msg, sizeof(msg)), H264I_ERR_ARG);
	p.qp = 52;
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, &p, 1, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_TRUE(strstr(msg, "QP 52") != NULL);
	p.qp = 20;
	p.bytes = 0;
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, &p, 1, msg, sizeof(msg)), H264I_ERR_ARG);
	p.bytes = (uint64_t)1 << 32;
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, &p, 1, msg, sizeof(msg)), H264I_ERR_ARG);
	p.bytes = 1000;
	o.rate_mode = H264I_RATE_QUALITY;
	CU_ASSERT_EQUAL(h264i_plan_pictures(&o, &p, 1, msg, sizeof(msg)), H264I_ERR_ARG);
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
	REFUSED((h264i_rate_control)4, (void)0);
	REFUSED(H264I_RATE_BITRATE, (void)0);
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vui.fps_num = 0));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vbv_maxrate = 2000));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vbv_maxrate = 500, o.vbv_bufsize = 100));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.vbv_bufsize = 100, o.vbv_init = 1.5));
	REFUSED(H264I_RATE_BITRATE, o.bitrate = UINT32_MAX);
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1000, o.rate_delay = 1025));
	REFUSED(H264I_RATE_BITRATE, (o.bitrate = 1, o.vui.fps_num = 1000000));
	REFUSED(H264I_RATE_FRAME, (o.bitrate = 4000000, o.vbv_maxrate = 1, o.vbv_bufsize = 1000,
					  o.vui.fps_num = 1000000));
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
		{ "streams do not depend on the frames in flight", test_streams },
		{ "late pictures are counted", test_late_pictures },
		{ "no picture exceeds the limit of its bytes", test_size_limit },
		{ "constant quality", test_quality },
		{ "two passes", test_two_passes },
		{ "plans for buffers that cannot be kept", test_late_plans },
		{ "plans count the headers of pictures", test_headers_in_plans },
		{ "bad plans are refused", test_bad_plans },
		{ "bad options are refused", test_bad_options },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("rate control of streams", tests);
}
