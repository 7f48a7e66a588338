/* The bytes of files of the MP4 writer that have a video only. */
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_common.h"

#include <inttypes.h>

/* FNV-1a */
static uint64_t hash_of(const uint8_t *data, size_t bytes)
{
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ data[i]) * 1099511628211u;
	return h;
}

/* Options number c: layout, brand, times, sink, reserve and so on. */
static h264i_mp4_options known_options(int c, h264i_mp4_sink *sink, int *times)
{
	static const uint8_t headers[] = { 0, 0, 0, 1, 0x67, 66, 0, 30, 1, 2, 3, 0, 0, 0, 1, 0x68,
		1, 2 };
	static const uint32_t reserve[] = { 0, 64, 600 };
	h264i_mp4_options o;
	int k = c / 3 / 2 / 3 / 4;

	h264i_mp4_options_init(&o);
	o.width = 320;
	o.height = 180;
	o.headers = headers;
	o.headers_bytes = sizeof(headers);
	o.layout = (h264i_mp4_layout)(c % 3);
	o.brand = (h264i_mp4_brand)(c / 3 % 2);
	*times = c / 6 % 3;
	sink->pwrite = c / 18 % 4 > 0 ? sink->pwrite : NULL;
	sink->read = c / 18 % 4 > 1 ? sink->read : NULL;
	sink->truncate = c / 18 % 4 > 2 ? sink->truncate : NULL;
	sink->flush = NULL;
	o.reserve_bytes = reserve[k % 3];
	o.frames_expected = k / 3 % 2 ? 1000 : 0;
	o.fragment_frames = k / 6 % 2 ? 3 : 0;
	o.vui.fps_num = 25;
	o.vui.fps_den = 1;
	if (*times) {
		o.time_base_num = 1;
		o.time_base_den = 1000;
	}
	if (k / 6 % 2) {
		o.vui.primaries = 1;
		o.vui.sar_num = 4;
		o.vui.sar_den = 3;
	}
	return o;
}

/* The bytes of version 0.2.0 of files with a video only. */
static void test_bytes(void)
{
	static uint8_t data[1000];
	uint64_t all = 0;

	memset(data, 0x55, sizeof(data));
	memcpy(data, "\0\0\0\1\x65", 5);
	for (int c = 0; c < 3 * 2 * 3 * 4 * 3 * 2 * 2; c++) {
		h264i_mp4_options o;
		h264i_mp4_sink sink;
		h264i_mp4 *mp4;
		h264i_packet p;
		test_file f;
		int times;

		sink = test_file_sink(&f);
		o = known_options(c, &sink, &times);
		CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
		h264i_packet_init(&p);
		p.data = data;
		p.pts = times == 1 ? 1234 : times == 2 ? -300 : 0;
		for (int i = 0; i < 60; i++) {
			p.data_bytes = 100 + (size_t)(i * 37 % 900);
			CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &p, i == 59 ? 3 : 0), H264I_OK);
			p.pts += times ? 20 + i % 7 * 9 : 1;
		}
		CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
		h264i_mp4_close(&mp4);
		all = (all ^ hash_of(f.data, f.bytes)) * 1099511628211u;
		free(f.data);
	}
	CHECK(all == 0xd1bc25f6c9e66630u, "%016" PRIx64, all);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a file without sounds has the bytes that it always had", test_bytes },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("mp4_bytes", tests);
}
