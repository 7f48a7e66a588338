/* RGB frames: the conversion to NV12 against the formulas of the standards in double precision, and
 * streams of RGB frames. CPU only. */
#include "h264intra/core/planes.h"
#include "h264intra/rgb/rgb.h"
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/rgb_common.h"

#include <float.h>

enum { W = 53, H = 37, CW = (W + 1) / 2, CH = (H + 1) / 2 };

typedef struct nv12 {
	uint8_t y[H][W], c[CH][2 * CW];
} nv12;

static h264i_vui vui_of(int matrix, int full_range, int chroma_loc)
{
	h264i_vui v;

	memset(&v, 0, sizeof(v));
	v.matrix = matrix;
	v.full_range = full_range;
	v.chroma_loc = chroma_loc;
	return v;
}

static int convert(nv12 *out, const h264i_frame *f, h264i_vui vui)
{
	h264i_rgb_matrix m;

	memset(out, 0, sizeof(*out));
	return h264i_i_rgb_set_matrix(&m, &vui) ||
	       h264i_i_rgb_to_nv12(&m, f, W, H, out->y[0], W, out->c[0], 2 * CW);
}

/* ---- the formulas ---- */

/* Luma coefficients: ITU-R BT.709-6 item 3.2, BT.601-7 section 2.5.1, BT.2020-2 table 4. */
static void coefficients(int matrix, double *kr, double *kb)
{
	*kr = matrix == 1 ? 0.2126 : matrix == 9 ? 0.2627 : 0.299;
	*kb = matrix == 1 ? 0.0722 : matrix == 9 ? 0.0593 : 0.114;
}

/* Y, Cb, Cr of R, G, B in 0..1 (ITU-T H.264 clause E.2.1, matrix_coefficients). */
static void reference(const double rgb[3], int matrix, int full, double out[3])
{
	double kr, kb, y;

	coefficients(matrix, &kr, &kb);
	y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
	out[0] = full ? 255 * y : 16 + 219 * y;
	out[1] = 128 + (full ? 255 : 224) * (rgb[2] - y) / (2 * (1 - kb));
	out[2] = 128 + (full ? 255 : 224) * (rgb[0] - y) / (2 * (1 - kr));
}

static double pixel(uint32_t k, int x, int y)
{
	x = x < 0 ? 0 : x >= W ? W - 1 : x;
	y = y < 0 ? 0 : y >= H ? H - 1 : y;
	return rgb_value(k, (uint32_t)x, (uint32_t)y, 0) / 255.0;
}

/* Linear interpolation filter of one direction around position 2 * at: `shift` 0 on the sample, 1
 * half a sample after it, 2 on the next one. */
static double tap(int shift, int i)
{
	static const double taps[3][4] = { { .25, .5, .25, 0 }, { 0, .5, .5, 0 },
		{ 0, .25, .5, .25 } };

	return taps[shift][i];
}

static void chroma_mean(int loc, int cx, int cy, double rgb[3])
{
	int horizontal = loc % 2 ? 1 : 0, vertical = loc < 2 ? 1 : loc < 4 ? 0 : 2;

	for (uint32_t k = 0; k < 3; k++) {
		rgb[k] = 0;
		for (int j = 0; j < 4; j++)
			for (int i = 0; i < 4; i++)
				rgb[k] += tap(vertical, j) * tap(horizontal, i) *
					  pixel(k, 2 * cx + i - 1, 2 * cy + j - 1);
	}
}

/* Largest distance of a sample from the formula, before rounding. */
static double worst_of(const nv12 *got, int matrix, int full, int loc)
{
	double worst = 0;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			double rgb[3] = { pixel(0, x, y), pixel(1, x, y), pixel(2, x, y) }, want[3];

			reference(rgb, matrix, full, want);
			worst = fmax(worst, fabs(want[0] - got->y[y][x]));
		}
	for (int y = 0; y < CH; y++)
		for (int x = 0; x < CW; x++) {
			double rgb[3], want[3];

			chroma_mean(loc, x, y, rgb);
			reference(rgb, matrix, full, want);
			for (int k = 1; k < 3; k++)
				worst = fmax(
					worst, fabs(fmin(want[k], 255) - got->c[y][2 * x + k - 1]));
		}
	return worst;
}

static void test_formulas(void)
{
	static const int matrices[] = { 1, 5, 6, 9 };
	uint8_t *memory = calloc(1, rgb_bytes(W, H, H264I_U8));
	h264i_frame f = rgb_frame(memory, W, H, RGB_INTERLEAVED, H264I_U8, H264I_RGB_UNIT);
	nv12 got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	rgb_fill(&f, memory, memory, W, H, 0);
	for (int i = 0; i < 4 * 2 * 6; i++) {
		int matrix = matrices[i % 4], full = i / 4 % 2, loc = i / 8;

		CU_ASSERT_EQUAL(convert(&got, &f, vui_of(matrix, full, loc)), 0);
		/* Half a unit of rounding, and less than 1/100 of the coefficients. */
		CHECK(worst_of(&got, matrix, full, loc) < 0.51, "matrix %d full %d loc %d: %f",
			matrix, full, loc, worst_of(&got, matrix, full, loc));
	}
	free(memory);
}

/* The corners of the cube, of which the standards state the values, and grey. */
static void test_corners(void)
{
	static const uint8_t known[][6] = { /* R G B, Y Cb Cr of BT.709, limited range */
		{ 255, 255, 255, 235, 128, 128 }, { 0, 0, 0, 16, 128, 128 },
		{ 255, 0, 0, 63, 102, 240 }, { 0, 255, 0, 173, 42, 26 },
		{ 0, 0, 255, 32, 240, 118 }, { 255, 255, 0, 219, 16, 138 },
		{ 0, 255, 255, 188, 154, 16 }, { 255, 0, 255, 78, 214, 230 }
	};
	uint8_t color[3];
	h264i_frame f;
	nv12 got;

	h264i_frame_init(&f);
	f.format = H264I_RGB;
	for (int k = 0; k < 3; k++)
		f.plane[k] = color + k; /* strides 0: one pixel for all */
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		memcpy(color, known[i], 3);
		CU_ASSERT_EQUAL(convert(&got, &f, vui_of(1, 0, 1)), 0);
		CHECK(got.y[H - 1][W - 1] == known[i][3] && got.c[0][0] == known[i][4] &&
				got.c[CH - 1][2 * CW - 1] == known[i][5],
			"color %zu: %d %d %d", i, got.y[0][0], got.c[0][0], got.c[0][1]);
	}
	for (int v = 0; v < 256; v++)
		for (int full = 0; full < 2; full++) {
			memset(color, v, 3);
			CU_ASSERT_EQUAL(convert(&got, &f, vui_of(9, full, v % 6)), 0);
			CU_ASSERT_EQUAL(got.y[0][0], full ? v : (int)(16.5 + v * 219 / 255.0));
			CU_ASSERT_EQUAL(got.c[3][6], 128);
			CU_ASSERT_EQUAL(got.c[3][7], 128);
		}
}

/* ---- layouts and samples ---- */

static void test_layouts(void)
{
	static nv12 want, got;
	uint8_t *memory = calloc(1, rgb_bytes(W, H, H264I_F64));

	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	for (int i = 0; i < RGB_LAYOUTS * RGB_SAMPLES * RGB_RANGES; i++) {
		h264i_sample sample = (h264i_sample)(i / RGB_RANGES % RGB_SAMPLES);
		h264i_rgb_range range = (h264i_rgb_range)(i % RGB_RANGES);
		enum rgb_layout layout = (enum rgb_layout)(i / (RGB_RANGES * RGB_SAMPLES));
		h264i_frame f = rgb_frame(memory, W, H, layout, sample, range);
		int worst = 0;

		if (!rgb_has_range(sample, range))
			continue;
		rgb_fill(&f, memory, memory, W, H, 0);
		CU_ASSERT_EQUAL(convert(i ? &got : &want, &f, vui_of(1, 0, 1)), 0);
		for (size_t at = 0; i && at < sizeof(want); at++) {
			int d = abs(((uint8_t *)&got)[at] - ((uint8_t *)&want)[at]);

			worst = d > worst ? d : worst;
		}
		/* 8 bits are exact in F32; F16 has 11 bits from 1/2 to 1, BF16 8 bits, of which
		 * signed values between -1 and 0 use one for the sign's half. */
		CHECK(worst <= (sample == H264I_BF16         ? 2
				       : sample == H264I_F16 ? 1
							     : 0),
			"layout %d sample %d range %d: %d", layout, sample, range, worst);
	}
	free(memory);
}

static void test_halves(void)
{
	for (uint32_t h = 0; h < 65536; h++) {
		int exponent = h >> 10 & 31, mantissa = h & 1023;
		double want =
			exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
		float got = h264i_rgb_float_of_half((uint16_t)h);

		want = h & 0x8000 ? -want : want;
		if (exponent == 31 && mantissa)
			CU_ASSERT_TRUE(got != got)
		else if (exponent == 31)
			CU_ASSERT_TRUE(h & 0x8000 ? got < -1 : got > 1)
		else
			CU_ASSERT_EQUAL((double)got, want);
	}
}

static void test_clipping(void)
{
	const float values[] = { -FLT_MAX, -INFINITY, -1e-30f, -0.0f, NAN, -NAN, 0, 1, 1.0001f, 300,
		FLT_MAX, INFINITY };

	const h264i_rgb_scale unit = { 0, 65535 }, both = { 1, 32767.5f };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CU_ASSERT_EQUAL(h264i_rgb_level(values[i], unit), i < 7 ? 0u : 65535u);
	CU_ASSERT_EQUAL(h264i_rgb_level(NAN, both), 0);
	CU_ASSERT_EQUAL(h264i_rgb_level(-1.5f, both), 0);
	CU_ASSERT_EQUAL(h264i_rgb_level(1.5f, both), 65535);
	CU_ASSERT_EQUAL(h264i_rgb_level(0, both), 32768); /* 32767.5: a tie, to even */
	for (uint32_t v = 0; v < 65536; v++) {
		CU_ASSERT_EQUAL(h264i_rgb_level((float)(v / 65535.0), unit), v);
		CU_ASSERT_EQUAL(h264i_rgb_level((float)(v / 32767.5 - 1), both), v);
	}
}

/* Alpha of 0, 1/3 and 1 over a background: the picture of components that are blended before. */
static void test_alpha(void)
{
	static const uint8_t alphas[] = { 0, 85, 255 };
	uint8_t *memory = calloc(1, rgb_bytes(W, H, H264I_U8));
	h264i_frame opaque = rgb_frame(memory, W, H, RGB_BGRA, H264I_U8, H264I_RGB_UNIT);
	h264i_frame f = opaque;
	static nv12 want, got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	f.alpha = memory + 3;
	for (int i = 0; i < 3; i++) {
		for (int at = 0; at < 4 * W * H; at++)
			memory[at] = at % 4 == 3 ? alphas[i] : (uint8_t)(at % 85 * 3);
		for (int k = 0; k < 3; k++)
			f.background[k] = (uint16_t)((33 + 60 * k) * 257);
		CU_ASSERT_EQUAL(convert(&got, &f, vui_of(1, 0, 0)), 0);
		for (int at = 0; at < 4 * W * H; at++) {
			int background = 33 + 60 * (2 - at % 4), a = alphas[i];

			if (at % 4 < 3) /* thirds are exact: the background is divisible by 3 */
				memory[at] =
					(uint8_t)((memory[at] * a + background * (255 - a)) / 255);
		}
		CU_ASSERT_EQUAL(convert(&want, &opaque, vui_of(1, 0, 0)), 0);
		CU_ASSERT_TRUE(!memcmp(&got, &want, sizeof(got)));
	}
	free(memory);
}

/* ---- streams ---- */

static h264i_options stream_options(int rgb)
{
	h264i_options o = test_cpu_options(W, H);

	o.odd_size = 1;
	o.rgb = rgb;
	if (!rgb) {
		o.vui.primaries = o.vui.transfer = o.vui.matrix = o.vui.chroma_loc = 1;
		o.vui.full_range = 0;
	}
	return o;
}

/* Encodes three frames made by `make`, whose memory is overwritten after each call. */
static void encode_frames(h264i_options o, h264i_memory memory, int convert_first, test_stream *out)
{
	uint8_t *pixels = malloc(rgb_bytes(W, H, H264I_F32));
	h264i_encoder *enc = test_open_ok(&o);
	h264i_packet pkt;
	static nv12 planes;

	memset(out, 0, sizeof(*out));
	h264i_packet_init(&pkt);
	CU_ASSERT_PTR_NOT_NULL_FATAL(pixels);
	for (uint32_t n = 0; n < 3; n++) {
		h264i_frame f = rgb_frame(pixels, W, H, RGB_PLANES, H264I_F32, H264I_RGB_UNIT);

		rgb_fill(&f, pixels, pixels, W, H, n);
		if (convert_first) {
			CU_ASSERT_EQUAL(convert(&planes, &f, o.vui), 0);
			f.format = H264I_NV12;
			f.plane[0] = planes.y[0];
			f.plane[1] = planes.c[0];
			f.pitch_bytes[0] = W;
			f.pitch_bytes[1] = 2 * (size_t)CW;
		}
		f.memory = memory;
		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
		memset(pixels, 0x77, rgb_bytes(W, H, H264I_F32));
		CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
		while (h264i_receive_packet(enc, &pkt) == H264I_OK)
			CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
	}
	CU_ASSERT_EQUAL(out->frames, 3);
	h264i_close(&enc);
	free(pixels);
}

/* The stream of RGB frames is that of the converted frames, and its SPS states the conversion. */
static void test_streams(void)
{
	test_stream want, got, pinned;

	encode_frames(stream_options(0), H264I_MEM_HOST, 1, &want);
	encode_frames(stream_options(1), H264I_MEM_HOST, 0, &got);
	encode_frames(stream_options(1), H264I_MEM_HOST_PINNED, 0, &pinned);
	CU_ASSERT_TRUE(want.bytes > 100);
	CU_ASSERT_TRUE(test_same_bytes(&got, &want));
	CU_ASSERT_TRUE(test_same_bytes(&pinned, &want));
	free(want.data);
	free(got.data);
	free(pinned.data);
}

static void refuse(h264i_encoder *enc, h264i_frame f, const char *word)
{
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_ERR_ARG);
	CHECK(strstr(h264i_last_error(enc), word), "%s: %s", word, h264i_last_error(enc));
}

static void test_refused(void)
{
	static uint8_t memory[64 * 64 * 12];
	h264i_options o = test_cpu_options(32, 32);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = rgb_frame(memory, 32, 32, RGB_PLANES, H264I_F32, H264I_RGB_UNIT), g;

	refuse(enc, f, "options.rgb");
	h264i_close(&enc);
	o.rgb = 1;
	enc = test_open_ok(&o);
	g = f;
	g.rgb.sample = (h264i_sample)6;
	refuse(enc, g, "sample 6");
	g = f;
	g.rgb.range = (h264i_rgb_range)-1;
	refuse(enc, g, "range -1");
	g = f;
	g.rgb.pixel_stride = 3;
	refuse(enc, g, "strides of 3");
	g = f;
	g.rgb.row_stride = INT64_MAX - 3;
	refuse(enc, g, "2^40");
	g = f;
	g.plane[1]++;
	refuse(enc, g, "not aligned");
	g = f;
	g.plane[2] = NULL;
	refuse(enc, g, "NULL");
	g = rgb_frame(memory, 32, 32, RGB_PLANES, H264I_U8, H264I_RGB_SIGNED);
	refuse(enc, g, "8 bits");
	g = rgb_frame(memory, 32, 32, RGB_PLANES, H264I_U16, H264I_RGB_SIGNED);
	refuse(enc, g, "16 bits");
	g = rgb_frame(memory, 32, 32, RGB_PLANES, H264I_F32, H264I_RGB_LIMITS);
	g.rgb_white = RGB_BLACK;
	refuse(enc, g, "rgb_white 64");
	g.rgb_white = INFINITY;
	refuse(enc, g, "rgb_white inf");
	g = f;
	g.alpha = memory + 2;
	refuse(enc, g, "alpha");
	CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	h264i_close(&enc);
	o.vui.matrix = 4;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, NULL, 0), H264I_ERR_ARG);
	o.vui.matrix = 1;
	o.vui.chroma_loc = 6;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, NULL, 0), H264I_ERR_ARG);
}

int main(void)
{
	CU_TestInfo conversion[] = {
		{ "every matrix, range and chroma position follows the formulas", test_formulas },
		{ "corners of the color cube and grey", test_corners },
		{ "every layout and sample type gives the same picture", test_layouts },
		{ "every binary16 becomes its float", test_halves },
		{ "values outside the range are clipped, NaN is black", test_clipping },
		{ "alpha blends the components with the background", test_alpha },
		CU_TEST_INFO_NULL,
	};
	CU_TestInfo streams[] = {
		{ "a stream of RGB frames is that of the converted frames", test_streams },
		{ "wrong RGB frames and options are refused", test_refused },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { TEST_SUITE("conversion", conversion),
		TEST_SUITE("streams", streams), CU_SUITE_INFO_NULL };

	return test_run(suites);
}
