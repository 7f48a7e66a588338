/* Frames of YUY2, UYVY and P010: the conversion to NV12 against its formulas in double precision,
 * and streams of such frames against those of the converted ones. CPU only. */
#include "h264intra/rgb/yuv.h"
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/yuv_common.h"

#include <math.h>

enum { W = 53, H = 37, CW = (W + 1) / 2, CH = (H + 1) / 2 };

static const h264i_format formats[] = { H264I_YUY2, H264I_UYVY, H264I_P010 };

typedef struct nv12 {
	uint8_t y[H][W], c[CH][2 * CW];
} nv12;

static void convert(nv12 *out, const h264i_frame *f, int chroma_loc)
{
	const h264i_yuv v = h264i_i_yuv_of(f->format, chroma_loc);

	memset(out, 0, sizeof(*out));
	h264i_i_yuv_to_nv12(&v, f, W, H, out->y[0], W, out->c[0], 2 * CW);
}

/* Sample x of row y; k: 0 Y, 1 Cb, 2 Cr, in units of 8 bits. */
static double sample(const h264i_frame *f, int k, int x, int y)
{
	const uint8_t *row;

	y = y < 0 ? 0 : y < H ? y : H - 1;
	if (f->format == H264I_P010) {
		row = f->plane[k > 0] + (size_t)y * f->pitch_bytes[k > 0] +
		      2 * (k ? 2 * x + k - 1 : x);
		return (row[0] / 64 + row[1] * 4) / 4.0;
	}
	row = f->plane[0] + (size_t)y * f->pitch_bytes[0];
	if (f->format == H264I_UYVY)
		return row[k ? 4 * x + 2 * (k - 1) : 2 * x + 1];
	return row[k ? 4 * x + 2 * k - 1 : 2 * x];
}

/* The chroma of 4:2:0 at chroma_sample_loc_type `loc` (figure E-1), before rounding. */
static double chroma(const h264i_frame *f, int k, int x, int y, int loc)
{
	const int middle = 2 * y + (loc >= 4);

	if (f->format == H264I_P010)
		return sample(f, k, x, y);
	if (loc < 2)
		return (sample(f, k, x, 2 * y) + sample(f, k, x, 2 * y + 1)) / 2;
	return (sample(f, k, x, middle - 1) + 2 * sample(f, k, x, middle) +
		       sample(f, k, x, middle + 1)) /
	       4;
}

/* Halves are rounded up, and 255.5 and more to 255. */
static int is_rounded(double exact, uint8_t got)
{
	return got == (int)fmin(floor(exact + 0.5), 255);
}

static int follows(const nv12 *got, const h264i_frame *f, int loc)
{
	int right = 1;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			right &= is_rounded(sample(f, 0, x, y), got->y[y][x]);
	for (int y = 0; y < CH; y++)
		for (int x = 0; x < 2 * CW; x++)
			right &= is_rounded(
				chroma(f, 1 + x % 2, x / 2, y, loc < 0 ? 0 : loc), got->c[y][x]);
	return right;
}

static void test_formulas(void)
{
	static uint8_t memory[3][4 * (W + 10) * H];
	nv12 got;

	for (int i = 0; i < 3; i++) {
		h264i_frame f = yuv_frame(memory[i], W, H, formats[i]);

		CU_ASSERT_TRUE_FATAL(yuv_bytes(W, H, formats[i]) <= sizeof(memory[i]));
		yuv_fill(memory[i], sizeof(memory[i]), (uint32_t)i);
		for (int loc = -1; loc < 6; loc++) {
			convert(&got, &f, loc);
			CHECK(follows(&got, &f, loc), "format %d chroma_loc %d", formats[i], loc);
		}
	}
}

/* ---- streams ---- */

static h264i_options stream_options(int profile)
{
	h264i_options o = test_cpu_options(W, H);

	o.odd_size = 1;
	o.vui.chroma_loc = 2;
	o.profile = (h264i_profile)profile;
	o.chroma = profile == H264I_PROFILE_HIGH ? H264I_CHROMA_400 : H264I_CHROMA_420;
	return o;
}

/* Encodes three frames, whose memory is overwritten after each call if it is plain. */
static void encode_frames(h264i_options o, h264i_format format, h264i_memory memory,
	int convert_first, test_stream *out)
{
	const size_t bytes = yuv_bytes(W, H, format);
	uint8_t *samples = malloc(bytes);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_packet pkt;
	static nv12 planes;

	memset(out, 0, sizeof(*out));
	h264i_packet_init(&pkt);
	CU_ASSERT_PTR_NOT_NULL_FATAL(samples);
	for (uint32_t n = 0; n < 3; n++) {
		h264i_frame f = yuv_frame(samples, W, H, format);

		yuv_fill(samples, bytes, n);
		if (convert_first) {
			convert(&planes, &f, o.vui.chroma_loc);
			f.format = H264I_NV12;
			f.plane[0] = planes.y[0];
			f.plane[1] = planes.c[0];
			f.pitch_bytes[0] = W;
			f.pitch_bytes[1] = 2 * (size_t)CW;
		}
		f.memory = memory;
		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
		memset(samples, 0x77, bytes);
		CU_ASSERT_EQUAL(h264i_drain(enc), H264I_OK);
		while (h264i_receive_packet(enc, &pkt) == H264I_OK)
			CU_ASSERT_EQUAL(test_stream_take(out, &pkt), 0);
	}
	CU_ASSERT_EQUAL(out->frames, 3);
	h264i_close(&enc);
	free(samples);
}

static void test_streams(void)
{
	for (int i = 0; i < 6; i++) {
		const h264i_options o =
			stream_options(i < 3 ? H264I_PROFILE_BASELINE : H264I_PROFILE_HIGH);
		const h264i_format format = formats[i % 3];
		test_stream want, got, pinned;

		encode_frames(o, format, H264I_MEM_HOST, 1, &want);
		encode_frames(o, format, H264I_MEM_HOST, 0, &got);
		encode_frames(o, format, H264I_MEM_HOST_PINNED, 0, &pinned);
		CU_ASSERT_TRUE(want.bytes > 100);
		CHECK(test_same_bytes(&got, &want), "format %d", format);
		CHECK(test_same_bytes(&pinned, &want), "format %d, page-locked", format);
		free(want.data);
		free(got.data);
		free(pinned.data);
	}
}

static void refuse(h264i_encoder *enc, const h264i_frame *f, const char *word)
{
	CU_ASSERT_EQUAL(h264i_send_frame(enc, f), H264I_ERR_ARG);
	CHECK(strstr(h264i_last_error(enc), word), "%s: %s", word, h264i_last_error(enc));
}

static void test_refused(void)
{
	static uint8_t memory[64 * 64 * 4];
	h264i_options o = test_cpu_options(32, 32);
	h264i_encoder *enc = test_open_ok(&o);
	h264i_frame f = yuv_frame(memory, 32, 32, H264I_P010);

	f.format = (h264i_format)(H264I_P010 + 1);
	refuse(enc, &f, "format 7");
	f.format = H264I_P010;
	f.plane[1]++;
	refuse(enc, &f, "odd");
	f.plane[1]--;
	f.pitch_bytes[0]++;
	refuse(enc, &f, "odd");
	f.pitch_bytes[0] = 62;
	refuse(enc, &f, "64..");
	f = yuv_frame(memory, 32, 32, H264I_YUY2);
	f.pitch_bytes[0] = 63;
	refuse(enc, &f, "64..");
	f.plane[0] = NULL;
	refuse(enc, &f, "NULL");
	h264i_close(&enc);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "each format and chroma position follows the formulas", test_formulas },
		{ "a stream of such frames is that of the converted frames", test_streams },
		{ "wrong frames are refused", test_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("YUY2, UYVY, P010", tests);
}
