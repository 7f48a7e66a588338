/* The encoder's output on CPU threads: bytes, packets, sizes, reconstruction. encode_modes_test.c
 * tests macroblock types and modes, encode_api_test.c and encode_calls_test.c the interface. */
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"
#include "tests/h264intra/nal_split.h"

/* test_encode() sets the size. */
static h264i_options cpu_options(void)
{
	return test_cpu_options(0, 0);
}

/* ---- the same bytes for all threads, schemes and groups ---- */

static void test_schemes(void)
{
	static const uint32_t counts[] = { 1, 2, 3, 8 }, slices[] = { 1, 2, 5 };
	test_video v = test_video_make(82, 80, 7, TEST_NATURAL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (int s = 0; s < 3; s++) {
		h264i_options o = cpu_options();
		test_stream want;

		o.slices = slices[s];
		o.threads = o.frames_in_flight = 1;
		CU_ASSERT_EQUAL(test_encode(&v, o, &want), H264I_OK);
		CU_ASSERT_EQUAL(want.frames, 7);
		for (int i = 0; i < 48; i++) {
			test_stream got;

			o.sched = (h264i_sched)(i % 3);
			o.threads = counts[i / 3 % 4];
			o.frames_in_flight = counts[i / 12];
			o.recon = i & 1;
			o.stats = i >> 1 & 1;
			o.trace = i >> 2 & 1;
			CU_ASSERT_EQUAL(test_encode(&v, o, &got), H264I_OK);
			CU_ASSERT_TRUE(test_same_bytes(&want, &got));
			free(got.data);
		}
		free(want.data);
	}
	free(v.pixels);
}

/* ---- memory layouts of a frame ---- */

enum { W = 50, H = 36, ROOM = 16384 };

static void test_layouts(void)
{
	static uint8_t want[ROOM], got[ROOM], planes[3][H * (W + 40)];
	test_video v = test_video_make(W, H, 1, TEST_NATURAL);
	h264i_options o = cpu_options();
	uint64_t want_sse[3] = { 0 }, sse[3] = { 0 };
	h264i_frame dense;
	size_t n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	dense = test_frame(&v, 0);
	o.width = W;
	o.height = H;
	o.slices = 2;
	o.qp = 18;
	o.recon = 1;
	n = test_encode_one(o, &dense, want, ROOM, want_sse);
	CU_ASSERT_TRUE(n > 0);
	for (int i = 0; i < 32; i++) {
		h264i_frame f = dense;
		uint32_t pad = (uint32_t)i % 8 * 5, at = (uint32_t)i % 3;

		f.format = i & 8 ? H264I_NV12 : H264I_I420;
		f.memory = i & 16 ? H264I_MEM_HOST_PINNED : H264I_MEM_HOST;
		memset(planes, 0xa5, sizeof(planes));
		for (int p = 0; p < 3; p++) {
			uint32_t w = p ? W / 2 : W, h = p ? H / 2 : H;
			int nv12 = p && f.format == H264I_NV12, step = nv12 ? 2 : 1;
			uint8_t *to = planes[nv12 ? 1 : p] + at;
			size_t pitch = (nv12 ? W : w) + pad;

			f.plane[p] = to;
			f.pitch_bytes[p] = pitch;
			for (uint32_t y = 0; y < h; y++)
				for (uint32_t x = 0; x < w; x++)
					to[y * pitch + x * (uint32_t)step + (nv12 && p == 2)] =
						dense.plane[p][y * w + x];
		}
		if (f.format == H264I_NV12) { /* not looked at */
			f.plane[2] = NULL;
			f.pitch_bytes[2] = 0;
		}
		CU_ASSERT_EQUAL(test_encode_one(o, &f, got, ROOM, sse), n);
		CU_ASSERT_EQUAL(memcmp(want, got, n), 0);
		CU_ASSERT_EQUAL(memcmp(want_sse, sse, sizeof(sse)), 0);
	}
	free(v.pixels);
}

/* ---- the byte stream ---- */

static void test_packets(void)
{
	static const uint32_t slice_counts[] = { 1, 3, 7 };
	test_video v = test_video_make(64, 112, 5, TEST_FLAT);

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (int s = 0; s < 3; s++) {
		h264i_options o = cpu_options();
		h264i_encoder *enc;
		h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
		const uint8_t *headers;
		size_t headers_bytes;
		uint32_t received = 0;

		o.width = v.width;
		o.height = v.height;
		o.slices = slice_counts[s];
		o.frames_in_flight = 8;
		o.qp = s * 20;
		enc = test_open_ok(&o);
		CU_ASSERT_EQUAL(h264i_headers(enc, &headers, &headers_bytes), H264I_OK);
		test_send_all(enc, &v);
		h264i_flush(enc);
		while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
			test_nal unit[16];
			int n = test_split_nals(pkt.data, pkt.data_bytes, unit, 16);

			CU_ASSERT_EQUAL_FATAL(n, (int)o.slices + 2);
			CU_ASSERT_EQUAL(unit[0].data[0], 0x67);
			CU_ASSERT_EQUAL(unit[0].data[1], 66);
			CU_ASSERT_EQUAL(unit[0].data[3], h264i_level(enc));
			CU_ASSERT_EQUAL(unit[1].data[0], 0x68);
			for (int i = 2; i < n; i++)
				CU_ASSERT_EQUAL(unit[i].data[0], 0x65);
			CU_ASSERT_EQUAL(pkt.headers_bytes, headers_bytes);
			CU_ASSERT_EQUAL(memcmp(pkt.data, headers, headers_bytes), 0);
			CU_ASSERT_EQUAL(memcmp(pkt.data, "\0\0\0\1", 4), 0);
			CU_ASSERT_EQUAL(pkt.index, received);
			CU_ASSERT_EQUAL(pkt.pts, 100 + (int64_t)received);
			CU_ASSERT_PTR_NULL(pkt.recon[0]);
			CU_ASSERT_EQUAL(pkt.sse[0], 0);
			received++;
		}
		CU_ASSERT_EQUAL(received, v.frames);
		h264i_close(&enc);
	}
	free(v.pixels);
}

/* Consecutive pictures must differ in idr_pic_id (clause 7.4.3), or a decoder treats them as one;
 * here it alternates between two values. */
static void test_equal_pictures(void)
{
	test_video v = test_video_make(48, 32, 1, TEST_NATURAL);
	h264i_options o = cpu_options();
	uint8_t seen[3][ROOM];
	size_t bytes[3] = { 0 };
	h264i_encoder *enc;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_frame f;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	f = test_frame(&v, 0);
	o.width = v.width;
	o.height = v.height;
	for (uint32_t flight = 1; flight <= 4; flight++) {
		uint32_t n = 0;

		o.frames_in_flight = flight;
		enc = test_open_ok(&o);
		while (n < 6) {
			h264i_send_frame(enc, &f);
			if (h264i_receive_packet(enc, &pkt) != H264I_OK)
				continue;
			CU_ASSERT_TRUE_FATAL(pkt.data_bytes <= ROOM);
			memcpy(seen[n % 3], pkt.data, pkt.data_bytes);
			bytes[n % 3] = pkt.data_bytes;
			if (n >= 2) {
				int same =
					memcmp(seen[n % 3], seen[(n + 1) % 3], pkt.data_bytes) == 0;
				int next =
					memcmp(seen[n % 3], seen[(n + 2) % 3], pkt.data_bytes) == 0;

				CU_ASSERT_TRUE(same && bytes[n % 3] == bytes[(n + 1) % 3]);
				CU_ASSERT_FALSE(next);
			}
			n++;
		}
		h264i_close(&enc);
	}
	free(v.pixels);
}

static void test_sizes(void)
{
	static const struct {
		uint32_t width, height, slices;
	} sizes[] = { { 16, 16, 1 }, { 18, 16, 1 }, { 16, 18, 2 }, { 16, 16880, 1055 },
		{ 16880, 16, 1 }, { 34, 50, 3 }, { 126, 30, 2 } };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		test_video v = test_video_make(sizes[i].width, sizes[i].height, 1, TEST_NATURAL);
		uint32_t mbs = (v.width + 15) / 16 * ((v.height + 15) / 16);
		h264i_options o = cpu_options();

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		o.slices = sizes[i].slices;
		o.stats = 1;
		for (int scheme = 0; scheme < 3; scheme++) {
			test_stream s;

			o.sched = (h264i_sched)scheme;
			CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
			CU_ASSERT_EQUAL(s.frames, 1);
			CU_ASSERT_EQUAL(s.stats.mb_i4x4 + s.stats.mb_i16x16 + s.stats.mb_pcm, mbs);
			/* One more a row, which codes its bits. */
			CU_ASSERT_EQUAL(s.stats.tasks, mbs + (v.height + 15) / 16);
			free(s.data);
		}
		free(v.pixels);
	}
}

/* ---- reconstruction ---- */

static uint64_t sse_of(const h264i_packet *pkt, const h264i_frame *f, int p, uint32_t w, uint32_t h)
{
	uint64_t sum = 0;

	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++) {
			int d = (int)f->plane[p][y * f->pitch_bytes[p] + x] -
				pkt->recon[p][y * pkt->recon_pitch_bytes[p] + x];

			sum += (uint64_t)(d * d);
		}
	return sum;
}

static void check_sse(const test_video *v, h264i_options o, uint64_t *luma)
{
	h264i_encoder *enc;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	uint32_t n = 0;

	o.width = v->width;
	o.height = v->height;
	o.recon = 1;
	o.frames_in_flight = 8;
	enc = test_open_ok(&o);
	test_send_all(enc, v);
	h264i_flush(enc);
	*luma = 0;
	while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
		h264i_frame f = test_frame(v, n++);

		for (int p = 0; p < 3; p++) {
			CU_ASSERT_EQUAL(pkt.sse[p],
				sse_of(&pkt, &f, p, v->width >> (p > 0), v->height >> (p > 0)));
			CU_ASSERT_TRUE(pkt.recon_pitch_bytes[p] >= v->width >> (p > 0));
		}
		*luma += pkt.sse[0];
	}
	CU_ASSERT_EQUAL(n, v->frames);
	h264i_close(&enc);
}

static void test_sse(void)
{
	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++) {
		test_video v = test_video_make(70, 54, 3, pattern);
		uint64_t before = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		for (int qp = 0; qp <= 51; qp += 17)
			for (int deblock = 0; deblock < 2; deblock++) {
				h264i_options o = cpu_options();
				uint64_t luma;

				o.qp = qp;
				o.deblock = deblock;
				check_sse(&v, o, &luma);
				if (pattern == TEST_NATURAL && qp > 0)
					CU_ASSERT_TRUE(luma > before / 2);
				/* At QP 0 a sample is off by one or two. */
				if (qp == 0)
					CU_ASSERT_TRUE(
						luma <= 4ull * v.width * v.height * v.frames);
				before = luma;
			}
		free(v.pixels);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the bytes depend on no scheme, worker or frame in flight", test_schemes },
		{ "the bytes depend on no layout of the frame", test_layouts },
		{ "packets are whole access units in order", test_packets },
		{ "equal consecutive pictures differ in idr_pic_id", test_equal_pictures },
		{ "the smallest, longest and cropped pictures are encoded", test_sizes },
		{ "the reported squared error is that of the reconstruction", test_sse },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode", tests);
}
