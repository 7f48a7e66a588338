/* Luma alone: frames of H264I_GRAY, and streams of 4:0:0. That decoders agree with the
 * reconstruction, bench/pairwise.py tests. */
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 82, HEIGHT = 66, FRAMES = 3, NV12_BYTES = WIDTH * HEIGHT * 3 / 2 };

/* Encodes the video, whose frames are given in `format`, with gaps between rows. */
static test_stream encode(
	const test_video *v, h264i_options o, h264i_format format, h264i_memory memory)
{
	h264i_encoder *enc = test_open_ok(&o);
	test_stream s = { 0 };
	h264i_packet p;
	uint8_t nv12[FRAMES][NV12_BYTES];

	h264i_packet_init(&p);
	for (uint32_t i = 0; i < v->frames; i++) {
		const uint8_t *y = v->pixels + i * test_frame_bytes(v);
		const uint8_t *cb = y + WIDTH * HEIGHT, *cr = cb + WIDTH * HEIGHT / 4;
		h264i_frame f;

		h264i_frame_init(&f);
		f.memory = memory;
		f.format = format;
		f.plane[0] = y;
		f.pitch_bytes[0] = WIDTH;
		if (format == H264I_I420) {
			f.plane[1] = cb;
			f.plane[2] = cr;
			f.pitch_bytes[1] = f.pitch_bytes[2] = WIDTH / 2;
		} else if (format == H264I_NV12) {
			for (int k = 0; k < WIDTH * HEIGHT / 4; k++) {
				nv12[i][2 * k] = cb[k];
				nv12[i][2 * k + 1] = cr[k];
			}
			f.plane[1] = nv12[i];
			f.pitch_bytes[1] = WIDTH;
		}
		CU_ASSERT_EQUAL(h264i_send_frame(enc, &f), H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	while (h264i_receive_packet(enc, &p) == H264I_OK) {
		CU_ASSERT_EQUAL(test_stream_take(&s, &p), 0);
		if (o.recon)
			CU_ASSERT_EQUAL(p.recon[1] == NULL, o.chroma == H264I_CHROMA_400);
		CU_ASSERT_TRUE(!o.chroma || (!p.sse[1] && !p.sse[2]));
		s.sse[0] += p.sse[0];
	}
	h264i_close(&enc);
	return s;
}

static h264i_options options(int n)
{
	h264i_options o = test_cpu_options(WIDTH, HEIGHT);

	o.profile = H264I_PROFILE_HIGH;
	o.frames_in_flight = FRAMES;
	o.qp = 7 * n % 52;
	o.cabac = n & 1;
	o.rd = o.trellis = n >> 1 & 1;
	o.aq_mode = n % 3;
	o.recon = 1;
	o.slices = 1 + (uint32_t)n % 3;
	return o;
}

/* Chroma of the frames does not matter to 4:0:0, nor does their format or memory. */
static void chroma_is_not_read(void)
{
	for (int n = 0; n < 8 * TEST_PATTERNS; n++) {
		test_video v = test_video_make(WIDTH, HEIGHT, FRAMES, n / 8);
		h264i_options o = options(n);
		test_stream gray, i420, nv12, pinned, with;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		with = encode(&v, o, H264I_I420, H264I_MEM_HOST);
		o.chroma = H264I_CHROMA_400;
		gray = encode(&v, o, H264I_GRAY, H264I_MEM_HOST);
		i420 = encode(&v, o, H264I_I420, H264I_MEM_HOST);
		nv12 = encode(&v, o, H264I_NV12, H264I_MEM_HOST);
		pinned = encode(&v, o, H264I_GRAY, H264I_MEM_HOST_PINNED);
		CU_ASSERT_TRUE(gray.bytes > 50 && gray.bytes < with.bytes);
		CU_ASSERT_TRUE(test_same_bytes(&gray, &i420));
		CU_ASSERT_TRUE(test_same_bytes(&gray, &nv12));
		CU_ASSERT_TRUE(test_same_bytes(&gray, &pinned));
		free(gray.data);
		free(i420.data);
		free(nv12.data);
		free(pinned.data);
		free(with.data);
		free(v.pixels);
	}
}

/* With H264I_CHROMA_420 such frames are those with a chroma of 128. */
static void gray_frames_are_neutral(void)
{
	for (int n = 0; n < 8; n++) {
		test_video v = test_video_make(WIDTH, HEIGHT, FRAMES, TEST_NATURAL);
		h264i_options o = options(n);
		test_stream gray, i420;

		CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
		for (uint32_t i = 0; i < FRAMES; i++)
			memset(v.pixels + i * test_frame_bytes(&v) + WIDTH * HEIGHT, 128,
				WIDTH * HEIGHT / 2);
		gray = encode(&v, o, H264I_GRAY, n & 4 ? H264I_MEM_HOST : H264I_MEM_HOST_PINNED);
		i420 = encode(&v, o, H264I_I420, H264I_MEM_HOST);
		CU_ASSERT_TRUE(test_same_bytes(&gray, &i420));
		free(gray.data);
		free(i420.data);
		free(v.pixels);
	}
}

static void other_profiles_are_refused(void)
{
	for (int p = H264I_PROFILE_BASELINE; p <= H264I_PROFILE_MAIN; p++) {
		h264i_options o = test_cpu_options(WIDTH, HEIGHT);
		h264i_encoder *enc = NULL;
		char msg[256];

		o.profile = (h264i_profile)p;
		o.chroma = H264I_CHROMA_400;
		CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
		CU_ASSERT_PTR_NOT_NULL(strstr(msg, "chroma i400 needs profile high"));
	}
}

/* A packet that is kept has a copy of the one plane. */
static void kept_packets_have_luma(void)
{
	test_video v = test_video_make(WIDTH, HEIGHT, 1, TEST_NATURAL);
	h264i_options o = options(3);
	h264i_packet p, kept;
	h264i_encoder *enc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	o.chroma = H264I_CHROMA_400;
	enc = test_open_ok(&o);
	test_send_all(enc, &v);
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	h264i_packet_init(&p);
	h264i_packet_init(&kept);
	CU_ASSERT_EQUAL_FATAL(h264i_receive_packet(enc, &p), H264I_OK);
	CU_ASSERT_EQUAL_FATAL(h264i_packet_ref(&kept, &p), H264I_OK);
	CU_ASSERT_PTR_NULL(kept.recon[1]);
	for (uint32_t y = 0; y < HEIGHT; y++)
		CU_ASSERT_EQUAL(memcmp(kept.recon[0] + y * kept.recon_pitch_bytes[0],
					p.recon[0] + y * p.recon_pitch_bytes[0], WIDTH),
			0);
	h264i_close(&enc);
	h264i_packet_unref(&kept);
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "4:0:0 does not read chroma", chroma_is_not_read },
		{ "gray frames in 4:2:0 have neutral chroma", gray_frames_are_neutral },
		{ "Baseline and Main are refused", other_profiles_are_refused },
		{ "packets that are kept have luma", kept_packets_have_luma },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("gray", tests);
}
