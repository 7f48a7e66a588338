/* Long streams: memory does not grow with the number of frames. With TEST_FULL=1 a day of video at
 * 25 frames/s with a bit rate, and two hours each with a QP and with constant quality. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

#include <malloc.h>
#include <stdio.h>

enum { SIZE = 32, CLIP = 16 };

/* Bytes that the process has allocated, where the C library counts them. */
static size_t allocated(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

/* Receives what is ready, after a flush all. Returns the number of packets. */
static uint32_t receive(h264i_encoder *enc, uint64_t *bytes)
{
	h264i_packet packet;
	uint32_t n = 0;

	h264i_packet_init(&packet);
	for (; h264i_receive_packet(enc, &packet) == H264I_OK; n++)
		*bytes += packet.data_bytes;
	return n;
}

static void encode_for_long(h264i_options o, uint32_t frames)
{
	test_video v = test_video_make(SIZE, SIZE, CLIP, TEST_NATURAL);
	size_t early = 0, late;
	h264i_encoder *enc = test_open_ok(&o);
	uint32_t packets = 0;
	uint64_t bytes = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (uint32_t i = 0; i < frames; i++) {
		h264i_frame f = test_frame(&v, i % CLIP);
		h264i_status st;

		while ((st = h264i_send_frame(enc, &f)) == H264I_AGAIN)
			packets += receive(enc, &bytes);
		CU_ASSERT_EQUAL_FATAL(st, H264I_OK);
		packets += receive(enc, &bytes);
		if (i == frames / 10)
			early = allocated();
	}
	late = allocated();
	CU_ASSERT_EQUAL(h264i_flush(enc), H264I_OK);
	packets += receive(enc, &bytes);
	CU_ASSERT_EQUAL(packets, frames);
	CU_ASSERT_TRUE(bytes > frames);
	/* Buffers of packets grow to the largest one; a byte a frame would be more. */
	if (late > early + 65536 + frames / 50)
		printf("\n  %zu bytes after a tenth of the frames, %zu after all\n", early, late);
	CU_ASSERT_TRUE(late <= early + 65536 + frames / 50);
	h264i_close(&enc);
	free(v.pixels);
}

static void test_rates(void)
{
	static const int modes[] = { H264I_RATE_QP, H264I_RATE_QUALITY, H264I_RATE_BITRATE };

	for (int i = 0; i < 3; i++) {
		int full = (modes[i] == H264I_RATE_BITRATE ? 24 : 2) * 3600 * 25;
		h264i_options o = test_cpu_options(SIZE, SIZE);

		o.profile = H264I_PROFILE_HIGH;
		o.threads = 1;
		o.rate_mode = modes[i];
		o.crf = 30;
		o.bitrate = 300;
		o.vbv_maxrate = o.vbv_bufsize = modes[i] == H264I_RATE_BITRATE ? 600 : 0;
		o.hrd = modes[i] == H264I_RATE_BITRATE;
		o.vui.fps_num = 25;
		o.vui.fps_den = 1;
		encode_for_long(o, (uint32_t)test_effort(full, 12000, 1500));
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "memory does not grow with the number of frames", test_rates },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("endurance", tests);
}
