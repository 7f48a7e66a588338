/* The encoder's output, on CPU threads, through its public interface. encode_api_test.c tests the
 * interface. */
#include "tests/h264intra/encode_common.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdio.h>

/* test_encode() sets the size. */
static h264i_options cpu_options(void)
{
	return test_cpu_options(0, 0);
}

/* ---- the same bytes for all threads, schemes and groups ---- */

static int same_stream(const test_stream *a, const test_stream *b)
{
	return a->bytes == b->bytes && a->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

static void test_same_bytes(void)
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
			CU_ASSERT_TRUE(same_stream(&want, &got));
			free(got.data);
		}
		free(want.data);
	}
	free(v.pixels);
}

/* ---- the ways a frame may lie in memory ---- */

/* Sends one frame and copies the packet's bytes; 0 on failure. sse may be NULL. */
static size_t encode_one(
	h264i_options o, const h264i_frame *f, uint8_t *out, size_t room, uint64_t sse[3])
{
	h264i_encoder *enc;
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	size_t n = 0;

	if (h264i_open(&enc, &o, NULL, 0) != H264I_OK)
		return 0;
	if (h264i_send_frame(enc, f) == H264I_OK && h264i_flush(enc) == H264I_OK &&
		h264i_receive_packet(enc, &pkt) == H264I_OK && pkt.data_bytes <= room) {
		n = pkt.data_bytes;
		memcpy(out, pkt.data, n);
		if (sse)
			memcpy(sse, pkt.sse, sizeof(pkt.sse));
	}
	h264i_close(&enc);
	return n;
}

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
	n = encode_one(o, &dense, want, ROOM, want_sse);
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
		CU_ASSERT_EQUAL(encode_one(o, &f, got, ROOM, sse), n);
		CU_ASSERT_EQUAL(memcmp(want, got, n), 0);
		CU_ASSERT_EQUAL(memcmp(want_sse, sse, sizeof(sse)), 0);
	}
	free(v.pixels);
}

/* ---- the byte stream ---- */

typedef struct {
	const uint8_t *data; /* from the header byte */
	size_t bytes;
} nal;

/* Cuts an Annex B stream; -1 if it is none, or holds what a NAL unit may not hold. */
static int cut(const uint8_t *p, size_t n, nal *out, int room)
{
	int count = 0;
	size_t i = 0;

	while (i < n) {
		size_t zeros = 0;

		while (i < n && p[i] == 0) {
			i++;
			zeros++;
		}
		if (zeros < 2 || zeros > 3 || i == n || p[i++] != 1 || count == room)
			return -1;
		out[count].data = p + i;
		while (i < n && !(i + 2 < n && !p[i] && !p[i + 1] && p[i + 2] <= 1) &&
			!(i + 3 < n && !p[i] && !p[i + 1] && !p[i + 2] && p[i + 3] == 1)) {
			/* 00 00 02 never; 00 00 03 only before 00..03 or the end (clause 7.4.1). */
			if (i + 3 < n && !p[i] && !p[i + 1] &&
				(p[i + 2] == 2 || (p[i + 2] == 3 && p[i + 3] > 3)))
				return -1;
			i++;
		}
		out[count].bytes = (size_t)(p + i - out[count].data);
		if (out[count].bytes < 2 || out[count].data[out[count].bytes - 1] == 0)
			return -1;
		count++;
	}
	return count;
}

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
		for (uint32_t i = 0; i < v.frames; i++) {
			h264i_frame f = test_frame(&v, i);

			CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
		}
		h264i_flush(enc);
		while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
			nal unit[16];
			int n = cut(pkt.data, pkt.data_bytes, unit, 16);

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

/* Consecutive pictures must differ in idr_pic_id (clause 7.4.3), or a decoder takes them for one;
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
			CU_ASSERT_EQUAL(s.stats.tasks, mbs + o.slices);
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
	for (uint32_t i = 0; i < v->frames; i++) {
		h264i_frame f = test_frame(v, i);

		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	}
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

/* ---- types and modes ---- */

static uint64_t sum_of(const uint64_t *n, int count)
{
	uint64_t sum = 0;

	for (int i = 0; i < count; i++)
		sum += n[i];
	return sum;
}

static void test_counts(void)
{
	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++) {
		test_video v = test_video_make(96, 64, 5, pattern);
		h264i_options o = cpu_options();
		const h264i_stats *n;
		test_stream s;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		o.stats = 1;
		o.qp = 10;
		o.slices = 2;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		n = &s.stats;
		CU_ASSERT_EQUAL(n->mb_i4x4 + n->mb_i16x16 + n->mb_pcm, 5 * 24);
		CU_ASSERT_EQUAL(sum_of(n->i4_mode, 9), 16 * n->mb_i4x4);
		CU_ASSERT_EQUAL(sum_of(n->i16_mode, 4), n->mb_i16x16);
		CU_ASSERT_EQUAL(sum_of(n->chroma_mode, 4), n->mb_i4x4 + n->mb_i16x16);
		CU_ASSERT_EQUAL(n->frames, 5);
		CU_ASSERT_EQUAL(n->bytes, s.bytes);
		CU_ASSERT_EQUAL(n->tasks, 5 * (24 + 2));
		CU_ASSERT_EQUAL(n->workers, 2);
		CU_ASSERT_EQUAL(n->backend, H264I_BACKEND_CPU);
		CU_ASSERT_TRUE(n->frames_in_flight >= 1);
		CU_ASSERT_TRUE(n->idle_share >= 0 && n->idle_share <= 1);
		CU_ASSERT_TRUE(n->device_name[0] != 0);
		free(s.data);
		free(v.pixels);
	}
}

static void test_all_modes_used(void)
{
	test_video v = test_video_make(288, 192, 4, TEST_NATURAL);
	h264i_stats sum;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	memset(&sum, 0, sizeof(sum));
	for (int qp = 12; qp <= 44; qp += 16) {
		h264i_options o = cpu_options();
		test_stream s;

		o.stats = 1;
		o.qp = qp;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		for (int i = 0; i < 9; i++)
			sum.i4_mode[i] += s.stats.i4_mode[i];
		for (int i = 0; i < 4; i++) {
			sum.i16_mode[i] += s.stats.i16_mode[i];
			sum.chroma_mode[i] += s.stats.chroma_mode[i];
		}
		free(s.data);
	}
	for (int i = 0; i < 9; i++)
		CU_ASSERT_TRUE(sum.i4_mode[i] * 200 >= sum_of(sum.i4_mode, 9));
	for (int i = 0; i < 4; i++) {
		CU_ASSERT_TRUE(sum.i16_mode[i] > 0);
		CU_ASSERT_TRUE(sum.chroma_mode[i] > 0);
	}
	free(v.pixels);
}

static uint64_t disabled_count(const h264i_stats *n, int bit)
{
	switch (bit) {
	case 17:
		return n->mb_i4x4;
	case 18:
		return n->mb_i16x16;
	default:
		return bit < 9    ? n->i4_mode[bit]
		       : bit < 13 ? n->i16_mode[bit - 9]
				  : n->chroma_mode[bit - 13];
	}
}

static void test_disabled(void)
{
	test_video v = test_video_make(288, 192, 2, TEST_NATURAL);
	h264i_options o = cpu_options();
	test_stream all;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.stats = 1;
	o.qp = 44;
	CU_ASSERT_EQUAL(test_encode(&v, o, &all), H264I_OK);
	for (int bit = 0; bit < 19; bit++) {
		int is_dc = bit == 2 || bit == 11 || bit == 13;
		test_stream s;

		o.disable_modes = 1u << bit;
		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		CU_ASSERT_TRUE(disabled_count(&all.stats, bit) > 0);
		if (is_dc)
			CU_ASSERT_TRUE(same_stream(&all, &s))
		else
			CU_ASSERT_EQUAL(disabled_count(&s.stats, bit), 0);
		free(s.data);
	}
	/* All that can go at once: DC alone stays. */
	o.disable_modes = 0x1ffff;
	{
		test_stream s;

		CU_ASSERT_EQUAL(test_encode(&v, o, &s), H264I_OK);
		CU_ASSERT_EQUAL(s.stats.i4_mode[2], 16 * s.stats.mb_i4x4);
		CU_ASSERT_EQUAL(s.stats.i16_mode[2], s.stats.mb_i16x16);
		CU_ASSERT_TRUE(s.bytes > all.bytes);
		free(s.data);
	}
	free(all.data);
	free(v.pixels);
}

/* ---- I_PCM ---- */

/* Without the emulation prevention bytes. */
static size_t unescape(const nal *in, uint8_t *out)
{
	size_t n = 0, zeros = 0;

	for (size_t i = 0; i < in->bytes; i++) {
		if (zeros >= 2 && in->data[i] == 3) {
			zeros = 0;
			continue;
		}
		zeros = in->data[i] ? 0 : zeros + 1;
		out[n++] = in->data[i];
	}
	return n;
}

/* One macroblock of noise at QP 0 is I_PCM; its samples end the slice, with 1 in place of 0. */
static void test_pcm_samples(void)
{
	static uint8_t packet[4096], rbsp[4096];
	h264i_options o = cpu_options();

	o.width = o.height = 16;
	o.qp = 0;
	for (int round = 0; round < 50; round++) {
		uint8_t pixels[384];
		h264i_frame f;
		test_video v = { 16, 16, 1, pixels };
		nal unit[3];
		size_t n;
		int wrong = 0;

		for (int i = 0; i < 384; i++) {
			pixels[i] = (uint8_t)rng();
			if (round & 1) /* many zeros, so many bytes to escape */
				pixels[i] = rng() & 1 ? 255 : 0;
		}
		f = test_frame(&v, 0);
		n = encode_one(o, &f, packet, sizeof(packet), NULL);
		CU_ASSERT_EQUAL_FATAL(cut(packet, n, unit, 3), 3);
		n = unescape(&unit[2], rbsp);
		CU_ASSERT_TRUE_FATAL(n > 385 && n < 395);
		CU_ASSERT_EQUAL(rbsp[n - 1], 0x80);
		for (int i = 0; i < 384; i++)
			wrong += rbsp[n - 385 + (size_t)i] != (pixels[i] ? pixels[i] : 1);
		CU_ASSERT_EQUAL(wrong, 0);
	}
}

static void test_pcm(void)
{
	test_video v = test_video_make(98, 66, 2, TEST_NOISE);
	h264i_options o = cpu_options();
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_encoder *enc;
	h264i_stats n = { .struct_bytes = sizeof(n) };
	uint32_t frame = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.width = v.width;
	o.height = v.height;
	o.qp = o.deblock = 0;
	o.recon = o.stats = 1;
	o.frames_in_flight = 2;
	enc = test_open_ok(&o);
	for (uint32_t i = 0; i < v.frames; i++) {
		h264i_frame f = test_frame(&v, i);

		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	}
	h264i_flush(enc);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK) {
		h264i_frame f = test_frame(&v, frame++);
		int wrong = 0;

		/* Whole macroblocks only: some at the border compress below the size of I_PCM. */
		for (uint32_t y = 0; y < 64; y++)
			for (uint32_t x = 0; x < 96; x++) {
				uint8_t s = f.plane[0][y * f.pitch_bytes[0] + x];

				wrong += pkt.recon[0][y * pkt.recon_pitch_bytes[0] + x] !=
					 (s ? s : 1);
			}
		CU_ASSERT_EQUAL(wrong, 0);
	}
	h264i_get_stats(enc, &n);
	CU_ASSERT_TRUE(n.mb_pcm >= 2 * 24);
	/* No macroblock is larger than I_PCM, so neither is the stream. */
	CU_ASSERT_TRUE(n.bytes <= 2 * (35 * (3088 / 8 + 8) + 64));
	h264i_close(&enc);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the bytes depend on no scheme, worker or frame in flight", test_same_bytes },
		{ "the bytes depend on no layout of the frame", test_layouts },
		{ "packets are whole access units in order", test_packets },
		{ "equal consecutive pictures differ in idr_pic_id", test_equal_pictures },
		{ "the smallest, longest and cropped pictures are encoded", test_sizes },
		{ "the error reported is that of the reconstruction", test_sse },
		{ "counts of types and modes add up", test_counts },
		{ "every mode is used", test_all_modes_used },
		{ "disabled modes are not used", test_disabled },
		{ "I_PCM samples are the source without zeros", test_pcm_samples },
		{ "noise at QP 0 becomes I_PCM", test_pcm },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "encode", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
