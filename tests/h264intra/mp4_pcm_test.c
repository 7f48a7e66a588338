/* Sound that is given to the MP4 writer as samples: the library's FLAC, and PCM, read by FFmpeg. */
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_sounds.h"

static test_clip clip;

/* Sound by samples: PCM or FLAC of the library, given in parts of any size. */
static void write_samples(test_file *f, h264i_mp4_brand brand, h264i_mp4_layout layout,
	h264i_mp4_track t, const int16_t *pcm, size_t count)
{
	h264i_mp4_options o = test_mp4_options(&clip);
	const h264i_mp4_sink sink = test_file_sink(f);
	h264i_packet p = clip.packet[0];
	int64_t shown = -100;
	h264i_mp4 *mp4;
	size_t n;

	o.layout = layout;
	o.brand = brand;
	o.time_base_num = 1;
	o.time_base_den = 1000;
	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, NULL, 0), H264I_OK);
	CHECK(h264i_mp4_add_track(mp4, &t) == H264I_OK, "%s", h264i_mp4_last_error(mp4));
	for (size_t at = 0; at < count; at += n) {
		n = 1 + rng() % (count > 20000 ? 9000 : count);
		n = n < count - at ? n : count - at;
		p.pts = (int64_t)at * 1000 / t.rate;
		if (p.pts > shown + 40)
			CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &p, 0), H264I_OK);
		shown = p.pts > shown + 40 ? p.pts : shown;
		CHECK(h264i_mp4_write_track(mp4, 0, pcm + at * t.channels, n * t.channels * 2,
			      (int64_t)at, 0) == H264I_OK,
			"%s", h264i_mp4_last_error(mp4));
	}
	CHECK(h264i_mp4_finish(mp4) == H264I_OK, "%s", h264i_mp4_last_error(mp4));
	h264i_mp4_close(&mp4);
}

static void check_samples(const test_file *f, const int16_t *pcm, size_t values)
{
	test_samples got = test_decode_file(f, 1);
	size_t same = 0;

	while (same < values && same < (size_t)got.count && (float)pcm[same] == got.v[same])
		same++;
	CHECK(same == values && (size_t)got.count == values,
		"%zu of %zu values are equal, %" PRId64 " decoded", same, values, got.count);
	free(got.v);
}

static int16_t content(int kind, size_t i, uint32_t c)
{
	switch (kind) {
	case 0:
		return 0;
	case 1:
		return -32768;
	case 2:
		return (int16_t)(uint16_t)rng();
	case 3:
		return (i + c) % 2 ? 32767 : -32768;
	case 4:
		return (int16_t)(i * 7 % 20000); /* equal channels */
	case 5:
		return (int16_t)(i * i / 64 % 9000 + rng() % 16 + c); /* order 2, noise */
	default:
		return i % 5000 > 4000 ? (int16_t)(uint16_t)rng() : (int16_t)(c * 100);
	}
}

static void test_flac(void)
{
	static const size_t counts[] = { 1, 2, 5, 15, 100, 4095, 4096, 4097, 8192, 30000 };
	static int16_t pcm[30000 * 8];

	test_clip_make(&clip);
	for (int i = 0; i < 7 * 10; i++) {
		static const uint32_t channels[] = { 1, 2, 2, 8 };
		const int kind = i % 7;
		const size_t count = counts[i / 7];
		h264i_mp4_track t;
		test_file f;

		h264i_mp4_track_init(&t);
		t.codec = H264I_MP4_FLAC;
		t.rate = 48000;
		t.channels = channels[(i + i / 7) % 4];
		for (size_t k = 0; k < count * t.channels; k++)
			pcm[k] = content(kind, k / t.channels, (uint32_t)(k % t.channels));
		write_samples(&f, H264I_MP4_BRAND_MP4, (h264i_mp4_layout)(i % 3), t, pcm, count);
		check_samples(&f, pcm, count * t.channels);
		/* Each kind but noise is coded in less than half of the bytes. */
		if (count == 30000 && t.channels == 8)
			CHECK((kind == 2 || kind == 3) == (f.bytes > count * t.channels),
				"kind %d: %zu bytes", kind, f.bytes);
		free(f.data);
	}
}

/* An stts of the file has one run, of `count` samples of a tick. */
static int has_one_run(const test_file *f, uint32_t count)
{
	const uint8_t want[] = { 's', 't', 't', 's', 0, 0, 0, 0, 0, 0, 0, 1, (uint8_t)(count >> 24),
		(uint8_t)(count >> 16), (uint8_t)(count >> 8), (uint8_t)count, 0, 0, 0, 1 };

	for (size_t at = 0; at + sizeof(want) <= f->bytes; at++)
		if (memcmp(f->data + at, want, sizeof(want)) == 0)
			return 1;
	return 0;
}

/* sowt of MOV, which FFmpeg 5 decodes, and ipcm, whose samples it finds. */
static void test_pcm(void)
{
	static int16_t pcm[2 * 50000];

	test_clip_make(&clip);
	for (size_t i = 0; i < 2 * 50000; i++)
		pcm[i] = (int16_t)(uint16_t)rng();
	for (int i = 0; i < 6; i++) {
		h264i_mp4_track t;
		test_file f;
		size_t at = 0;
		reader r;

		h264i_mp4_track_init(&t);
		t.codec = H264I_MP4_PCM;
		t.rate = 44100;
		t.channels = 2;
		write_samples(
			&f, (h264i_mp4_brand)(i % 2), (h264i_mp4_layout)(i / 2), t, pcm, 50000);
		if (i % 2)
			check_samples(&f, pcm, 2 * 50000);
		CU_ASSERT_EQUAL_FATAL(reader_open(&r, f.data, f.bytes), 0);
		CHECK(i / 2 == H264I_MP4_FRAGMENTED ||
				(r.fmt->streams[1]->duration == 50000 && has_one_run(&f, 50000)),
			"duration %" PRId64, (int64_t)r.fmt->streams[1]->duration);
		while (av_read_frame(r.fmt, r.packet) == 0) {
			if (r.packet->stream_index == 1) {
				CHECK(at + (size_t)r.packet->size <= sizeof(pcm) &&
						memcmp((uint8_t *)pcm + at, r.packet->data,
							(size_t)r.packet->size) == 0,
					"at byte %zu", at);
				at += (size_t)r.packet->size;
			}
			av_packet_unref(r.packet);
		}
		CHECK(at == sizeof(pcm), "%zu bytes", at);
		reader_close(&r);
		free(f.data);
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
		{ "the library's FLAC is lossless", test_flac },
		{ "PCM has the samples that were given", test_pcm },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4_pcm", be_quiet, close_clip, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
