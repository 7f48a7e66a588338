/* RGB frames on the GPU: the streams equal those of the CPU for every layout, sample type, range,
 * matrix and chroma position, from device memory and from host memory. Odd sizes, SEI and restarts
 * as well. Skipped without a device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/rgb_common.h"

#ifdef HAVE_CUDA
#include "tests/h264intra/rgb_gpu.h"

enum { FRAMES = 5 };

typedef struct rgb_case {
	uint32_t width, height;
	enum rgb_layout layout;
	h264i_sample sample;
	h264i_rgb_range range;
	h264i_memory memory;
} rgb_case;

/* Encodes FRAMES pictures; out->sse holds the sums of the packets. */
static void encode_case(const rgb_case *c, h264i_options o, test_stream *out)
{
	size_t bytes = rgb_bytes(c->width, c->height, c->sample);
	uint8_t *host = calloc(FRAMES, bytes), *device = NULL;
	h264i_encoder *enc;
	h264i_packet pkt;

	memset(out, 0, sizeof(*out));
	CU_ASSERT_PTR_NOT_NULL_FATAL(host);
	o.width = c->width;
	o.height = c->height;
	o.odd_size = o.rgb = o.sse = 1;
	enc = test_open_ok(&o);
	h264i_packet_init(&pkt);
	if (c->memory == H264I_MEM_CUDA)
		device = device_alloc(FRAMES * bytes);
	for (uint32_t n = 0; n < FRAMES; n++) {
		uint8_t *base = (device ? device : host) + n * bytes;
		h264i_sei sei = { 5, (const uint8_t *)"0123456789abcdef text", 21 };
		h264i_frame f =
			rgb_frame(base, c->width, c->height, c->layout, c->sample, c->range);

		rgb_fill(&f, host + n * bytes, base, c->width, c->height, n);
		f.memory = c->memory;
		if (c->layout == RGB_BGRA) {
			f.alpha = f.plane[1]; /* values of all kinds */
			f.background[0] = 65535;
			f.background[2] = 30000;
		}
		f.sei = &sei;
		f.sei_count = n % 2;
		if (device)
			device_write(base, host + n * bytes, bytes);
		while (h264i_send_frame(enc, &f) == H264I_AGAIN)
			if (h264i_receive_packet(enc, &pkt) == H264I_OK)
				CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while (h264i_receive_packet(enc, &pkt) == H264I_OK)
		CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
	CU_ASSERT_EQUAL(out->frames, FRAMES);
	h264i_close(&enc);
	if (device)
		device_free(device);
	free(host);
}

/* 1 if the stream from host and from device memory equals the CPU's. */
static int same_on_both(rgb_case c, h264i_options o)
{
	test_stream cpu, gpu;
	int same = 1;

	c.memory = H264I_MEM_HOST;
	o.backend = H264I_BACKEND_CPU;
	encode_case(&c, o, &cpu);
	o.backend = H264I_BACKEND_CUDA;
	for (int k = 0; k < 3; k++) {
		static const h264i_memory memories[] = { H264I_MEM_CUDA, H264I_MEM_HOST,
			H264I_MEM_HOST_PINNED };

		c.memory = memories[k];
		encode_case(&c, o, &gpu);
		same = same && test_same_bytes(&cpu, &gpu) &&
		       !memcmp(cpu.sse, gpu.sse, sizeof(cpu.sse));
		free(gpu.data);
	}
	free(cpu.data);
	return same;
}

static void test_layouts(void)
{
	for (int i = 0; i < RGB_LAYOUTS * RGB_SAMPLES * RGB_RANGES; i++) {
		rgb_case c = { 97, 53, (enum rgb_layout)(i / (RGB_SAMPLES * RGB_RANGES)),
			(h264i_sample)(i / RGB_RANGES % RGB_SAMPLES),
			(h264i_rgb_range)(i % RGB_RANGES), H264I_MEM_HOST };
		h264i_options o = test_options(H264I_BACKEND_CPU, 97, 53);

		if (!rgb_has_range(c.sample, c.range))
			continue;
		o.frames_in_flight = i % 3 == 0 ? 1 : 0;
		o.aud = i % 2;
		CHECK(same_on_both(c, o), "layout %d sample %d range %d", c.layout, c.sample,
			c.range);
	}
}

static void test_matrices(void)
{
	static const int matrices[] = { 1, 5, 6, 9 };
	static const uint32_t sizes[][2] = { { 64, 48 }, { 65, 48 }, { 64, 49 }, { 17, 17 } };

	for (int i = 0; i < 4 * 2 * 6; i++) {
		rgb_case c = { sizes[i % 4][0], sizes[i % 4][1], RGB_PLANES, H264I_F32,
			H264I_RGB_UNIT, H264I_MEM_HOST };
		h264i_options o = test_options(H264I_BACKEND_CPU, c.width, c.height);

		o.vui.matrix = matrices[i % 4];
		o.vui.full_range = i / 4 % 2;
		o.vui.chroma_loc = i / 8;
		o.qp = 10 + i % 3 * 10;
		CHECK(same_on_both(c, o), "matrix %d full %d chroma_loc %d", o.vui.matrix,
			o.vui.full_range, o.vui.chroma_loc);
	}
}

/* NaN, infinities, numbers outside the range, subnormal numbers. */
static void test_odd_values(void)
{
	enum { W = 64, H = 32, BYTES = W * H * 3 * 8 };
	static uint8_t host[BYTES];
	uint8_t *device = device_alloc(BYTES), *packet = malloc(1 << 20), *other = malloc(1 << 20);

	CU_ASSERT_TRUE_FATAL(packet && other);
	for (int i = 0; i < (RGB_SAMPLES - 1) * RGB_RANGES; i++) {
		h264i_sample sample = (h264i_sample)(1 + i / RGB_RANGES);
		h264i_rgb_range range = (h264i_rgb_range)(i % RGB_RANGES);
		h264i_options o = test_options(H264I_BACKEND_CPU, W, H);
		h264i_frame f = rgb_frame(host, W, H, RGB_PLANES, sample, range);
		size_t a, b;

		if (!rgb_has_range(sample, range))
			continue;
		f.alpha = f.plane[1];
		for (uint32_t k = 0; k < BYTES; k++) /* all exponents appear */
			host[k] = (uint8_t)(test_hash(k + 7919 * (uint32_t)i) >> 13);
		o.rgb = 1;
		o.qp = 4;
		a = test_encode_one(o, &f, packet, 1 << 20, NULL);
		device_write(device, host, BYTES);
		for (int k = 0; k < 3; k++)
			f.plane[k] = device + (f.plane[k] - host);
		f.alpha = f.plane[1];
		f.memory = H264I_MEM_CUDA;
		o.backend = H264I_BACKEND_CUDA;
		b = test_encode_one(o, &f, other, 1 << 20, NULL);
		CHECK(a && a == b && !memcmp(packet, other, a),
			"sample %d range %d: %zu and %zu bytes", sample, range, a, b);
	}
	device_free(device);
	free(packet);
	free(other);
}

static void test_restart(void)
{
	test_video v = test_video_make(98, 66, 7, TEST_NATURAL);
	h264i_options o = test_options(H264I_BACKEND_CPU, 98, 66);
	h264i_encoder *enc;
	test_stream want;

	CU_ASSERT_EQUAL(test_encode(&v, o, &want), H264I_OK);
	o.backend = H264I_BACKEND_CUDA;
	o.frames_expected = 7;
	enc = test_open_ok(&o);
	for (int n = 0; n < 3; n++) {
		test_stream got = { .data = NULL };
		h264i_packet pkt;

		h264i_packet_init(&pkt);
		test_send_all(enc, &v);
		CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
		while (h264i_receive_packet(enc, &pkt) == H264I_OK)
			CU_ASSERT_EQUAL(test_stream_take(&got, &pkt), 0);
		CU_ASSERT_TRUE(test_same_bytes(&got, &want));
		CU_ASSERT_EQUAL(h264i_restart(enc), H264I_OK);
		free(got.data);
	}
	h264i_close(&enc);
	free(want.data);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "every layout and sample type", test_layouts },
		{ "every matrix, range and chroma position", test_matrices },
		{ "floats of all exponents", test_odd_values },
		{ "streams one after the other", test_restart },
		CU_TEST_INFO_NULL,
	};
	const int skip = test_skip_encoder_gpu();

	return skip ? skip : test_run_one("RGB on the GPU", tests);
}
#else
TEST_WITHOUT_CUDA
#endif
