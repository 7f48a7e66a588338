/* Delimiters, SEI messages, odd sizes, restarts and streams of a known length. CPU only. */
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

enum { W = 66, H = 50, FRAMES = 5 };

/* The NAL units of an access unit: their types, and offsets behind the 4-byte start code. */
typedef struct units {
	int n, type[8];
	size_t at[9];
} units;

static units split(const h264i_packet *p)
{
	units u = { 0, { 0 }, { 0 } };

	for (size_t i = 0; i + 4 < p->data_bytes && u.n < 8; i++)
		if (!memcmp(p->data + i, "\0\0\0\1", 4)) {
			u.type[u.n] = p->data[i + 4] & 31;
			u.at[u.n++] = i + 4;
		}
	u.at[u.n] = p->data_bytes + 4;
	return u;
}

/* Encodes one frame, alone in the encoder. */
static void encode_frame(h264i_encoder *enc, const h264i_frame *f, h264i_packet *pkt)
{
	h264i_packet_init(pkt);
	CU_ASSERT_EQUAL_FATAL(h264i_send_frame(enc, f), H264I_OK);
	CU_ASSERT_EQUAL_FATAL(h264i_drain(enc), H264I_OK);
	CU_ASSERT_EQUAL_FATAL(h264i_receive_packet(enc, pkt), H264I_OK);
}

static void test_delimiter(void)
{
	test_video v = test_video_make(W, H, 1, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	h264i_frame f = test_frame(&v, 0);
	h264i_encoder *with, *without = test_open_ok(&o);
	h264i_packet a, b;
	const uint8_t *headers;
	size_t bytes;

	o.aud = 1;
	with = test_open_ok(&o);
	encode_frame(without, &f, &a);
	encode_frame(with, &f, &b);
	/* table 7-1: nal_unit_type 9; table 7-5: primary_pic_type 0, I slices */
	CU_ASSERT_EQUAL(memcmp(b.data, "\0\0\0\1\x09\x10", 6), 0);
	CU_ASSERT_EQUAL(b.data_bytes, a.data_bytes + 6);
	CU_ASSERT_EQUAL(b.headers_bytes, a.headers_bytes + 6);
	CU_ASSERT_EQUAL(memcmp(b.data + 6, a.data, a.data_bytes), 0);
	CU_ASSERT_EQUAL(h264i_headers(with, &headers, &bytes), H264I_OK);
	CU_ASSERT_EQUAL(bytes, a.headers_bytes);
	CU_ASSERT_EQUAL(memcmp(headers, a.data, bytes), 0);
	h264i_close(&with);
	h264i_close(&without);
	free(v.pixels);
}

/* Removes the emulation prevention bytes of a NAL unit. */
static size_t unescape(uint8_t *out, const uint8_t *in, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		if (!(i >= 2 && in[i] == 3 && !in[i - 1] && !in[i - 2]))
			out[n++] = in[i];
	return n;
}

/* Two messages, one of them with a long type, a long payload and bytes that look like start
 * codes. */
static void test_sei(void)
{
	enum { LONG = 1000 };
	test_video v = test_video_make(W, H, 1, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	uint8_t payload[LONG], got[LONG + 32];
	h264i_sei sei[2] = { { 4, (const uint8_t *)"\xb5\0\x31GA94", 7 }, { 600, payload, LONG } };
	h264i_frame f = test_frame(&v, 0), plain = f;
	h264i_encoder *enc;
	h264i_packet a, b;
	uint8_t *copy;
	size_t n;
	units u;

	for (int i = 0; i < LONG; i++)
		payload[i] = (uint8_t)(i % 7 < 5 ? 0 : i % 4);
	o.slices = 2;
	o.aud = 1;
	enc = test_open_ok(&o);
	encode_frame(enc, &plain, &a);
	copy = malloc(a.data_bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, a.data, a.data_bytes);
	f.sei = sei;
	f.sei_count = 2;
	h264i_packet_init(&b);
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &plain), H264I_OK); /* equal parity of the index */
	CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
	CU_ASSERT_EQUAL(h264i_receive_packet(enc, &b), H264I_OK);
	encode_frame(enc, &f, &b);
	u = split(&b);
	CU_ASSERT_EQUAL_FATAL(u.n, 6);
	CU_ASSERT_EQUAL(u.type[3], 6);
	CU_ASSERT_EQUAL(b.data[u.at[3]], 0x06); /* nal_ref_idc 0 */
	CU_ASSERT_EQUAL(u.at[3], b.headers_bytes + 4);
	n = unescape(got, b.data + u.at[3] + 1, u.at[4] - 4 - u.at[3] - 1);
	/* type 4, size 7; type 255 + 255 + 90, size 255 * 3 + 235 */
	CU_ASSERT_EQUAL(n, 2 + 7 + 3 + 4 + LONG + 1);
	CU_ASSERT_EQUAL(memcmp(got, "\x04\x07\xb5\0\x31GA94\xff\xff\x5a\xff\xff\xff\xeb", 16), 0);
	CU_ASSERT_EQUAL(memcmp(got + 16, payload, LONG), 0);
	CU_ASSERT_EQUAL(got[n - 1], 0x80);
	/* The rest is the packet without SEI. */
	CU_ASSERT_EQUAL(b.headers_bytes, a.headers_bytes);
	CU_ASSERT_EQUAL(memcmp(b.data, copy, a.headers_bytes), 0);
	n = b.data_bytes - (u.at[4] - 4);
	CU_ASSERT_EQUAL(n, a.data_bytes - a.headers_bytes);
	CU_ASSERT_EQUAL(memcmp(b.data + u.at[4] - 4, copy + a.headers_bytes, n), 0);
	free(copy);
	h264i_close(&enc);
	free(v.pixels);
}

static void test_sei_refused(void)
{
	test_video v = test_video_make(W, H, 1, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = test_frame(&v, 0);
	h264i_sei sei = { 5, NULL, 3 };
	h264i_packet pkt;

	f.sei_count = 1;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	f.sei = &sei;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	sei.data = v.pixels;
	sei.bytes = SIZE_MAX;
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(h264i_last_error(enc), "1048576"));
	sei.bytes = 0; /* an empty message is valid */
	encode_frame(enc, &f, &pkt);
	CU_ASSERT_EQUAL(split(&pkt).n, 4);
	h264i_close(&enc);
	free(v.pixels);
}

/* ---- odd sizes ---- */

static char warning[256];

static void keep_warning(void *opaque, h264i_log_level level, const char *text)
{
	(void)opaque;
	if (level == H264I_LOG_WARN)
		snprintf(warning, sizeof(warning), "%s", text);
}

/* The I420 or NV12 frame of w x h samples of the upper left of v, packed without padding. */
static h264i_frame crop(const test_video *v, uint32_t w, uint32_t h, int nv12, uint8_t *out)
{
	uint32_t cw = (w + 1) / 2, ch = (h + 1) / 2, step = nv12 ? 2 : 1;
	h264i_frame from = test_frame(v, 0), f = from;

	f.format = nv12 ? H264I_NV12 : H264I_I420;
	f.plane[0] = out;
	f.pitch_bytes[0] = w;
	for (uint32_t y = 0; y < h; y++, out += w)
		memcpy(out, from.plane[0] + y * from.pitch_bytes[0], w);
	for (int k = 1; k < 3; k++) {
		uint8_t *at = out + (nv12 ? k - 1 : (k - 1) * (int)(cw * ch));

		f.plane[k] = nv12 && k == 2 ? NULL : at;
		f.pitch_bytes[k] = step * cw;
		for (uint32_t y = 0; y < ch; y++)
			for (uint32_t x = 0; x < cw; x++, at += step)
				*at = from.plane[k][y * from.pitch_bytes[k] + x];
	}
	return f;
}

/* An odd picture has the stream of the even picture whose last column and row are repeated. */
static void test_odd_size(uint32_t w, uint32_t h, int nv12, h264i_memory memory)
{
	test_video v = test_video_make((w + 1) & ~1u, (h + 1) & ~1u, 1, TEST_NOISE);
	uint8_t *pixels = malloc(test_frame_bytes(&v)), *even = malloc(1 << 20),
		*odd = malloc(1 << 20);
	h264i_options o = test_cpu_options(v.width, v.height);
	uint64_t sse_even[3] = { 0 }, sse_odd[3] = { 0 };
	h264i_frame f = test_frame(&v, 0);
	size_t even_bytes, odd_bytes;

	CU_ASSERT_TRUE_FATAL(v.pixels && pixels && even && odd);
	o.qp = 40;
	o.sse = 1;
	for (uint32_t y = 0; y < h; y++) /* repeats the samples that the odd picture lacks */
		if (v.width > w)
			v.pixels[y * v.width + w] = v.pixels[y * v.width + w - 1];
	if (v.height > h)
		memcpy(v.pixels + h * v.width, v.pixels + (h - 1) * v.width, v.width);
	even_bytes = test_encode_one(o, &f, even, 1 << 20, sse_even);
	o.width = w;
	o.height = h;
	o.odd_size = 1;
	o.log = keep_warning;
	warning[0] = 0;
	f = crop(&v, w, h, nv12, pixels);
	f.memory = memory;
	odd_bytes = test_encode_one(o, &f, odd, 1 << 20, sse_odd);
	CHECK(even_bytes && even_bytes == odd_bytes && !memcmp(even, odd, even_bytes),
		"%ux%u: %zu and %zu bytes", w, h, even_bytes, odd_bytes);
	/* The error is that of the picture, without the repeated samples. */
	CU_ASSERT_TRUE(sse_odd[0] < sse_even[0] && sse_odd[0] > sse_even[0] / 2);
	CU_ASSERT_EQUAL(sse_odd[1], sse_even[1]);
	CU_ASSERT_PTR_NOT_NULL(strstr(warning, "padded to"));
	free(v.pixels);
	free(pixels);
	free(even);
	free(odd);
}

static void test_odd_sizes(void)
{
	h264i_options o = test_cpu_options(65, 50);
	char msg[256];
	h264i_encoder *enc;

	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "odd_size"));
	for (int i = 0; i < 4; i++) {
		h264i_memory memory = i / 2 ? H264I_MEM_HOST_PINNED : H264I_MEM_HOST;

		test_odd_size(65, 50, i % 2, memory);
		test_odd_size(66, 49, i % 2, memory);
		test_odd_size(17, 17, i % 2, memory);
		test_odd_size(63, 47, i % 2, memory);
	}
}

/* ---- restart, frames_expected ---- */

static h264i_status receive_all(h264i_encoder *enc, test_stream *out)
{
	h264i_packet pkt;
	h264i_status s;

	h264i_packet_init(&pkt);
	while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK)
		CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
	return s;
}

/* The second and third stream of an encoder are those of new encoders. Five frames: the last index
 * is even, so that idr_pic_id would repeat without the restart. */
static void test_restart(void)
{
	test_video v = test_video_make(W, H, FRAMES, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	h264i_encoder *enc;
	test_stream want;

	o.frames_in_flight = 3;
	CU_ASSERT_EQUAL(test_encode(&v, o, &want), H264I_OK);
	enc = test_open_ok(&o);
	CU_ASSERT_EQUAL(h264i_restart(NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_ERR_STATE);
	for (int n = 0; n < 3; n++) {
		test_stream got = { .data = NULL };

		for (uint32_t i = 0; i < FRAMES; i++) {
			h264i_frame f = test_frame(&v, i);
			h264i_packet pkt;

			h264i_packet_init(&pkt);
			while (h264i_send_frame(enc, &f) == H264I_AGAIN)
				if (h264i_receive_packet(enc, &pkt) == H264I_OK)
					CU_ASSERT_EQUAL(test_stream_take(&got, &pkt), 0);
		}
		CU_ASSERT_EQUAL(h264i_restart(enc), H264I_ERR_STATE);
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		CU_ASSERT_EQUAL(h264i_restart(enc), H264I_ERR_STATE);
		CU_ASSERT_EQUAL(receive_all(enc, &got), H264I_END);
		CU_ASSERT_TRUE(test_same_bytes(&got, &want));
		CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
		CU_ASSERT_EQUAL(h264i_restart(enc), H264I_ERR_STATE);
		free(got.data);
	}
	/* An empty stream, and one after it. */
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	CU_ASSERT_EQUAL(receive_all(enc, &want), H264I_END);
	CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
	h264i_close(&enc);
	free(want.data);
	free(v.pixels);
}

/* Parts of a video, each by an encoder of its own, joined are the stream of one encoder. */
static void test_first_index(void)
{
	test_video v = test_video_make(W, H, FRAMES, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	test_stream want, part;

	CU_ASSERT_EQUAL(test_encode(&v, o, &want), H264I_OK);
	for (uint32_t first = 1; first < FRAMES; first++) {
		test_video ahead = v, behind = v;
		size_t bytes;

		ahead.frames = first;
		behind.frames = FRAMES - first;
		behind.pixels += first * test_frame_bytes(&v);
		o.first_index = 0;
		CU_ASSERT_EQUAL(test_encode(&ahead, o, &part), H264I_OK);
		bytes = part.bytes;
		CU_ASSERT_TRUE_FATAL(bytes < want.bytes);
		CU_ASSERT_EQUAL(memcmp(part.data, want.data, bytes), 0);
		free(part.data);
		o.first_index = first;
		CU_ASSERT_EQUAL(test_encode(&behind, o, &part), H264I_OK);
		CU_ASSERT_EQUAL_FATAL(bytes + part.bytes, want.bytes);
		CU_ASSERT_EQUAL(memcmp(part.data, want.data + bytes, part.bytes), 0);
		free(part.data);
	}
	free(want.data);
	free(v.pixels);
}

static void test_expected(void)
{
	test_video v = test_video_make(W, H, FRAMES, TEST_NATURAL);
	h264i_options o = test_cpu_options(W, H);
	test_stream want, got;

	o.threads = 3;
	CU_ASSERT_EQUAL(test_encode(&v, o, &want), H264I_OK);
	/* Two a thread. */
	CU_ASSERT_EQUAL(want.stats.frames_in_flight, 6);
	for (uint32_t n = 1; n < 12; n += 2) { /* fewer than come, as many, more */
		o.frames_expected = n;
		CU_ASSERT_EQUAL(test_encode(&v, o, &got), H264I_OK);
		CU_ASSERT_TRUE(test_same_bytes(&got, &want));
		CU_ASSERT_EQUAL(got.stats.frames_in_flight, n < 6 ? n : 6);
		free(got.data);
	}
	free(want.data);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a delimiter begins each packet", test_delimiter },
		{ "SEI messages precede the slices of their picture", test_sei },
		{ "wrong SEI messages are refused", test_sei_refused },
		{ "an odd size is padded by repetition", test_odd_sizes },
		{ "an encoder makes streams one after the other", test_restart },
		{ "parts of a stream continue idr_pic_id", test_first_index },
		{ "the number of frames expected limits memory, not the stream", test_expected },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("extras", tests);
}
