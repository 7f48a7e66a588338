/* Sounds, fragments and metadata of the MP4 writer without a reader: arguments, order of the calls,
 * failures of the sink and of allocations. */
#include "tests/common/check.h"
#include "tests/common/failing_alloc.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_common.h"

#include <limits.h>
#include <stdio.h>

static test_clip clip;

/* Allocations left until one fails. */
static long left = LONG_MAX;

static int fails_now(void)
{
	return left != LONG_MAX && left-- == 0;
}

static const uint8_t aac[] = { 0x12, 0x10 }; /* LC, 44,100 Hz, 2 channels */
static const uint8_t png[40] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
static const int16_t pcm[2 * 20000];

static h264i_mp4_track aac_track(void)
{
	h264i_mp4_track t;

	h264i_mp4_track_init(&t);
	t.codec = H264I_MP4_AAC;
	t.rate = 44100;
	t.channels = 2;
	t.config = aac;
	t.config_bytes = sizeof(aac);
	return t;
}

static h264i_mp4 *open_memory(h264i_mp4_layout layout, h264i_mp4_brand brand)
{
	h264i_mp4_options o;
	h264i_mp4 *mp4;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	o.layout = layout;
	o.brand = brand;
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open_memory(&mp4, &o, NULL, 0), H264I_OK);
	return mp4;
}

#define IS(call, status, text)                                                                   \
	do {                                                                                     \
		const h264i_status got = (call);                                                 \
		CHECK(got == (status) && strstr(h264i_mp4_last_error(mp4), text), "%s: %d '%s'", \
			#call, got, h264i_mp4_last_error(mp4));                                  \
	} while (0)

static void test_bad_tracks(void)
{
	static const uint8_t he[] = { 0x2b, 0x11, 0x88 }; /* SBR, 24,000 to 48,000 Hz */
	static const uint8_t given[] = { 0x17, 0x80, 0x56, 0x22, 0x10 }; /* 44,100 in 24 bits */
	uint8_t head[21] = "OpusHead\1\2\x38\1\x80\xbb", info[42] = "fLaC\x80\0\0\x22";
	h264i_mp4 *mp4 = open_memory(H264I_MP4_FRAGMENTED, H264I_MP4_BRAND_MP4);
	const h264i_mp4_track good = aac_track();
	h264i_mp4_track t;

#define TRACK(member, value, text)                                     \
	do {                                                           \
		t = good;                                              \
		t.member = (value);                                    \
		IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, text); \
	} while (0)
	TRACK(struct_bytes, 8, "h264i_mp4_track has no valid struct_bytes");
	TRACK(codec, (h264i_mp4_codec)4, "codec 4");
	TRACK(rate, 0, "rate 0");
	TRACK(rate, 700000, "rate 700000");
	TRACK(rate, 48000, "the config is of 44100 Hz");
	TRACK(channels, 0, "channels 0");
	TRACK(channels, 256, "channels 256");
	TRACK(channels, 3, "2 channels, the track of 44100 and 3");
	TRACK(priming, 65536, "65536 priming");
	TRACK(config, NULL, "AudioSpecificConfig");
	TRACK(config_bytes, 1, "AudioSpecificConfig");
	TRACK(config_bytes, SIZE_MAX, "AudioSpecificConfig");
	TRACK(config, (const uint8_t *)"\0\0", "AudioSpecificConfig");
	TRACK(language[0], 'X', "language 'X");
	TRACK(language[0], 'd', "language 'd'");
	t = good;
	memcpy(t.language, "deut", 4);
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "language 'deut'");
	IS(h264i_mp4_add_track(mp4, NULL), H264I_ERR_ARG, "NULL");
	t = good;
	t.codec = H264I_MP4_OPUS;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "Opus always has 48000");
	t.rate = 48000;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "no OpusHead");
	t.config = head;
	t.config_bytes = 19;
	t.priming = 100;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "priming 100, and a pre-skip of 312");
	t.priming = 0;
	t.channels = 1;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "2 channels, the track of 48000 and 1");
	t.channels = 2;
	head[18] = 1;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "no OpusHead");
	t = good;
	t.codec = H264I_MP4_FLAC;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "STREAMINFO");
	t.config = info;
	t.config_bytes = sizeof(info);
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "0 Hz and 1 channels");
	t.config = NULL;
	t.priming = 1;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "1 priming samples, at most 0");
	t.priming = 0;
	t.channels = 9;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "channels 9 1..8");
	t.channels = 2;
	t.codec = H264I_MP4_PCM;
	t.rate = 96000;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_ARG, "PCM has at most 65535");
	/* What is refused leaves nothing, and valid forms are accepted. */
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 0, 1), H264I_ERR_ARG, "track 0: 0 were added");
	t = good;
	t.rate = 48000;
	t.config = he;
	t.config_bytes = sizeof(he);
	IS(h264i_mp4_add_track(mp4, &t), H264I_OK, "");
	t = good;
	t.config = given;
	t.config_bytes = sizeof(given);
	IS(h264i_mp4_add_track(mp4, &t), H264I_OK, "");
	for (int i = 2; i < H264I_MP4_SOUNDS_MAX; i++)
		IS(h264i_mp4_add_track(mp4, &good), H264I_OK, "");
	IS(h264i_mp4_add_track(mp4, &good), H264I_ERR_LIMIT, "more than 16 sounds");
	CU_ASSERT_EQUAL(h264i_mp4_add_track(NULL, &good), H264I_ERR_ARG);
	h264i_mp4_close(&mp4);
	mp4 = open_memory(H264I_MP4_FRAGMENTED, H264I_MP4_BRAND_MOV);
	t = good;
	t.codec = H264I_MP4_FLAC;
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_UNSUPPORTED, "MOV has no Opus and FLAC");
	h264i_mp4_close(&mp4);
}

/* Adds an AAC and a PCM track with some packets; used to compare two files. */
static void add_sounds(h264i_mp4 *mp4)
{
	h264i_mp4_track t = aac_track();

	t.priming = 1024;
	IS(h264i_mp4_add_track(mp4, &t), H264I_OK, "");
	h264i_mp4_track_init(&t);
	t.codec = H264I_MP4_PCM;
	t.rate = 8000;
	t.channels = 1;
	IS(h264i_mp4_add_track(mp4, &t), H264I_OK, "");
}

static void refuse_packets(h264i_mp4 *mp4, int i)
{
	const int64_t far = INT64_MAX / 2 + 1;

	IS(h264i_mp4_write_track(mp4, 2, pcm, 4, 0, 1), H264I_ERR_ARG, "track 2: 2 were added");
	IS(h264i_mp4_write_track(mp4, UINT32_MAX, pcm, 4, 0, 1), H264I_ERR_ARG, "2 were added");
	IS(h264i_mp4_write_track(mp4, 0, NULL, 4, 0, 1), H264I_ERR_ARG, "at NULL");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 0, 0, 1), H264I_ERR_ARG, "0 bytes");
	IS(h264i_mp4_write_track(mp4, 0, pcm, SIZE_MAX, 90000, 1), H264I_ERR_ARG, "1..16777216");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 90000, 0), H264I_ERR_ARG, "duration 0");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 90000, -1), H264I_ERR_ARG, "duration -1");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, far, 1), H264I_ERR_ARG, "outside of what");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, INT64_MIN, 1), H264I_ERR_ARG,
		i ? "must increase" : "outside of what");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 90000, far), H264I_ERR_ARG, "outside of what");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 90000, INT64_C(1) << 32), H264I_ERR_ARG,
		"outside of what");
	IS(h264i_mp4_write_track(mp4, 1, pcm, 3, 0, 0), H264I_ERR_ARG, "samples of 2 bytes");
	IS(h264i_mp4_write_track(mp4, 1, pcm, SIZE_MAX - 1, 0, 0), H264I_ERR_ARG, "at most");
	IS(h264i_mp4_write_track(mp4, 1, pcm, 4, 0, 3), H264I_ERR_ARG, "their number or 0");
	if (i == 0) {
		IS(h264i_mp4_write_track(mp4, 0, pcm, 4, -1025, 1), H264I_ERR_ARG,
			"the sound begins at pts -1025 with 1024 priming");
		IS(h264i_mp4_write_track(mp4, 1, pcm, 4, -1, 0), H264I_ERR_ARG, "begins at pts -1");
		IS(h264i_mp4_write_track(mp4, 1, pcm, 4, INT64_MAX, 0), H264I_ERR_ARG, "begins at");
		IS(h264i_mp4_write_track(mp4, 1, pcm, 4, INT64_MIN, 0), H264I_ERR_ARG, "begins at");
	} else {
		IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 1024 * i - 2048, 1), H264I_ERR_ARG,
			"must increase");
		IS(h264i_mp4_write_track(mp4, 1, pcm, 4, 100 * i - 1, 0), H264I_ERR_ARG,
			"does not continue the samples until");
		IS(h264i_mp4_write_track(mp4, 1, pcm, 4, 100 * i + 1, 0), H264I_ERR_ARG, "zeros");
	}
	IS(h264i_mp4_end_fragment(mp4, -1), i ? H264I_ERR_ARG : H264I_OK, i ? "duration -1" : "");
	IS(h264i_mp4_end_fragment(mp4, far), i ? H264I_ERR_ARG : H264I_OK, "");
	IS(h264i_mp4_set_tag(mp4, NULL, "x"), H264I_ERR_ARG, "NULL");
	IS(h264i_mp4_set_tag(mp4, "x", NULL), H264I_ERR_ARG, "NULL");
	IS(h264i_mp4_set_tag(mp4, "", "x"), H264I_ERR_ARG, "key of 0 bytes");
	IS(h264i_mp4_set_tag(mp4, "x", "\xff"), H264I_ERR_ARG, "the value is not UTF-8");
	IS(h264i_mp4_set_tag(mp4, "\xc3", "x"), H264I_ERR_ARG, "must be UTF-8");
	IS(h264i_mp4_set_tag(mp4, "key", "again"), H264I_ERR_ARG, "'key' is set twice");
	IS(h264i_mp4_set_cover(mp4, NULL, 9), H264I_ERR_ARG, "neither a PNG nor a JPEG");
	IS(h264i_mp4_set_cover(mp4, png, 7), H264I_ERR_ARG, "7 bytes are neither");
	IS(h264i_mp4_set_cover(mp4, png, SIZE_MAX), H264I_ERR_LIMIT, "at most 67108864");
	IS(h264i_mp4_add_chapter(mp4, -1, "x"), H264I_ERR_ARG, "chapter at -1");
	IS(h264i_mp4_add_chapter(mp4, 5, "x"), H264I_ERR_ARG, "begin at 0 and increase");
	IS(h264i_mp4_add_chapter(mp4, 6, NULL), H264I_ERR_ARG, "UTF-8");
	IS(h264i_mp4_add_chapter(mp4, 6, "\xff"), H264I_ERR_ARG, "UTF-8");
	IS(h264i_mp4_add_chapter(mp4, INT64_MAX, "x"), H264I_ERR_LIMIT, "chapter at");
}

/* Calls that are refused leave the file as it would be without them. */
static void test_refused(void)
{
	uint8_t *bytes[2];
	size_t count[2];

	test_clip_make(&clip);
	for (int bad = 0; bad < 2; bad++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		h264i_mp4_sink sink;
		h264i_mp4 *mp4;
		test_file f;

		sink = test_file_sink(&f);
		CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
		add_sounds(mp4);
		IS(h264i_mp4_set_tag(mp4, "key", "value"), H264I_OK, "");
		IS(h264i_mp4_add_chapter(mp4, 5, "five"), H264I_OK, "");
		for (int i = 0; i < CLIP_FRAMES; i++) {
			if (bad)
				refuse_packets(mp4, i);
			IS(h264i_mp4_write(mp4, &clip.packet[i], 0), H264I_OK, "");
			IS(h264i_mp4_write_track(mp4, 0, pcm, 40, 1024 * i - 1024, 1024), H264I_OK,
				"");
			IS(h264i_mp4_write_track(mp4, 1, pcm, 200, 100 * i, 100), H264I_OK, "");
		}
		IS(h264i_mp4_finish(mp4), H264I_OK, "");
		h264i_mp4_close(&mp4);
		bytes[bad] = f.data;
		count[bad] = f.bytes;
	}
	CHECK(count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0,
		"%zu and %zu bytes", count[0], count[1]);
	free(bytes[0]);
	free(bytes[1]);
}

static void test_order(void)
{
	h264i_mp4 *mp4 = open_memory(H264I_MP4_FRAGMENTED, H264I_MP4_BRAND_MP4);
	const h264i_mp4_track t = aac_track();
	char title[300];
	h264i_packet p;

	IS(h264i_mp4_add_track(mp4, &t), H264I_OK, "");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 0, 10), H264I_OK, "");
	IS(h264i_mp4_finish(mp4), H264I_ERR_STATE, "no packet");
	p = clip.packet[0];
	p.pts = -1;
	IS(h264i_mp4_write(mp4, &p, 0), H264I_ERR_ARG, "write it before the first sound");
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_STATE, "after the header or a packet");
	IS(h264i_mp4_write_header(mp4), H264I_OK, "");
	IS(h264i_mp4_finish(mp4), H264I_ERR_STATE, "no packet");
	IS(h264i_mp4_add_track(mp4, &t), H264I_ERR_STATE, "after the header");
	IS(h264i_mp4_set_tag(mp4, "a", "b"), H264I_ERR_STATE, "metadata after the header");
	IS(h264i_mp4_set_cover(mp4, png, sizeof(png)), H264I_ERR_STATE, "after the header");
	IS(h264i_mp4_add_chapter(mp4, 0, ""), H264I_ERR_STATE, "after the header");
	IS(h264i_mp4_write(mp4, &clip.packet[0], 0), H264I_OK, "");
	IS(h264i_mp4_finish(mp4), H264I_OK, "");
	IS(h264i_mp4_finish(mp4), H264I_OK, "");
	IS(h264i_mp4_write_header(mp4), H264I_ERR_STATE, "after h264i_mp4_finish");
	IS(h264i_mp4_end_fragment(mp4, 1), H264I_ERR_STATE, "after h264i_mp4_finish");
	IS(h264i_mp4_write_track(mp4, 0, pcm, 4, 10, 10), H264I_ERR_STATE, "after");
	IS(h264i_mp4_set_tag(mp4, "a", "b"), H264I_ERR_STATE, "after h264i_mp4_finish");
	h264i_mp4_close(&mp4);
	mp4 = open_memory(H264I_MP4_COMPLETE, H264I_MP4_BRAND_MP4);
	IS(h264i_mp4_write_header(mp4), H264I_ERR_STATE, "H264I_MP4_BUFFERED");
	IS(h264i_mp4_end_fragment(mp4, 1), H264I_ERR_STATE, "H264I_MP4_BUFFERED");
	memset(title, 'x', 256);
	title[256] = '\0';
	IS(h264i_mp4_add_chapter(mp4, 0, title), H264I_ERR_ARG, "at most 255 bytes");
	for (int i = 0; i < 255; i++)
		IS(h264i_mp4_add_chapter(mp4, i, title + 1), H264I_OK, "");
	IS(h264i_mp4_add_chapter(mp4, 255, ""), H264I_ERR_LIMIT, "more than 255 chapters");
	h264i_mp4_close(&mp4);
	CU_ASSERT_EQUAL(h264i_mp4_write_header(NULL), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_end_fragment(NULL, 0), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_write_track(NULL, 0, pcm, 4, 0, 1), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_set_tag(NULL, "a", "b"), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_set_cover(NULL, png, 40), H264I_ERR_ARG);
	CU_ASSERT_EQUAL(h264i_mp4_add_chapter(NULL, 0, ""), H264I_ERR_ARG);
}

/* A file with everything. */
static h264i_status write_all(h264i_mp4 *mp4, int live)
{
	h264i_mp4_track t = aac_track();
	h264i_status s = h264i_mp4_add_track(mp4, &t);

	h264i_mp4_track_init(&t);
	t.codec = H264I_MP4_FLAC;
	t.rate = 48000;
	t.channels = 2;
	if (s == H264I_OK)
		s = h264i_mp4_add_track(mp4, &t);
	t.codec = H264I_MP4_PCM;
	t.rate = 8000;
	if (s == H264I_OK)
		s = h264i_mp4_add_track(mp4, &t);
	if (s == H264I_OK)
		s = h264i_mp4_set_tag(mp4, "key", "value");
	if (s == H264I_OK)
		s = h264i_mp4_set_cover(mp4, png, sizeof(png));
	if (s == H264I_OK)
		s = h264i_mp4_add_chapter(mp4, 0, "title");
	if (s == H264I_OK && live)
		s = h264i_mp4_write_header(mp4);
	for (int i = 0; i < CLIP_FRAMES && s == H264I_OK; i++) {
		s = h264i_mp4_write_track(mp4, 0, pcm, 400, i * 1024, 1024);
		if (s == H264I_OK)
			s = h264i_mp4_write_track(mp4, 1, pcm, 1600 * 4, i * 1600, 0);
		if (s == H264I_OK)
			s = h264i_mp4_write_track(mp4, 2, pcm, 1200 * 4, i * 1200, 0);
		if (s == H264I_OK)
			s = h264i_mp4_write(mp4, &clip.packet[i], 0);
		if (s == H264I_OK && live && i % 2)
			s = h264i_mp4_end_fragment(mp4, 1);
	}
	return s == H264I_OK ? h264i_mp4_finish(mp4) : s;
}

static const uint32_t reserves[] = { 0, 64 };

/* Options of case i of 8: the layouts, and fragments that the caller ends. */
static h264i_mp4_options case_options(int i)
{
	h264i_mp4_options o = test_mp4_options(&clip);

	o.layout = i % 4 == 3 ? H264I_MP4_FRAGMENTED : (h264i_mp4_layout)(i % 4);
	o.reserve_bytes = reserves[i / 4];
	return o;
}

static void test_sink_fails(void)
{
	test_clip_make(&clip);
	for (int i = 0; i < 8; i++) {
		const h264i_mp4_options o = case_options(i);
		long n = 0;

		for (int done = 0; !done; n++) {
			h264i_mp4 *mp4;
			h264i_status s;
			test_file f;
			const h264i_mp4_sink sink = test_file_sink(&f);

			f.fail_at = n;
			CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
			s = write_all(mp4, i % 4 == 3);
			done = f.calls <= n;
			CHECK(s == (done ? H264I_OK : H264I_ERR_IO), "call %ld: %d '%s'", n, s,
				h264i_mp4_last_error(mp4));
			if (!done)
				CHECK(h264i_mp4_end_fragment(mp4, 1) == s &&
						h264i_mp4_write_header(mp4) == s &&
						h264i_mp4_write_track(mp4, 0, pcm, 4, 1 << 20, 1) ==
							s &&
						h264i_mp4_set_tag(mp4, "a", "b") == s &&
						h264i_mp4_finish(mp4) == s && f.calls == n + 1,
					"the failure is not permanent");
			h264i_mp4_close(&mp4);
			free(f.data);
		}
		CHECK(n > 4, "case %d: %ld calls", i, n);
	}
}

static void test_no_memory(void)
{
	static uint8_t room[2 << 20];

	test_clip_make(&clip);
	for (int i = 0; i < 8; i++) {
		const h264i_mp4_options o = case_options(i);
		long n = 0;

		for (int done = 0; !done; n++) {
			char msg[256] = "";
			h264i_mp4 *mp4;
			h264i_status s;
			test_file f;
			const h264i_mp4_sink sink = test_file_sink(&f);

			f.data = room;
			f.room = sizeof(room);
			left = n;
			s = h264i_mp4_open(&mp4, &o, &sink, msg, sizeof(msg));
			if (s == H264I_OK)
				s = write_all(mp4, i % 4 == 3);
			done = left >= 0;
			left = LONG_MAX;
			CHECK(s == (done ? H264I_OK : H264I_ERR_NOMEM), "allocation %ld: %d '%s'",
				n, s, mp4 ? h264i_mp4_last_error(mp4) : msg);
			h264i_mp4_close(&mp4);
		}
		CHECK(n > 15, "%ld allocations", n);
	}
}

static int close_clip(void)
{
	test_clip_free(&clip);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "tracks out of range are refused with a reason", test_bad_tracks },
		{ "a call that is refused leaves no trace", test_refused },
		{ "calls in a wrong order are refused", test_order },
		{ "each call of the sink may fail", test_sink_fails },
		{ "each allocation may fail", test_no_memory },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4_calls", NULL, close_clip, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
