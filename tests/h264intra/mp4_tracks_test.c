/* Fragments that the caller ends, metadata, and random movies of the MP4 writer, read by FFmpeg. */
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_sounds.h"

static test_clip clip;

static h264i_mp4 *open_file(test_file *f, const h264i_mp4_options *o)
{
	const h264i_mp4_sink sink = test_file_sink(f);
	h264i_mp4 *mp4;
	char msg[256];

	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, o, &sink, msg, sizeof(msg)), H264I_OK);
	return mp4;
}

/* Time of frame i: at a fixed rate, or variable. */
static int64_t frame_pts(int variable, int i)
{
	return variable ? i * 40 + i % 3 * 7 : i * 40;
}

/* Everything that was written is in the file after each end of a fragment, with the right times;
 * the file begins with an initialisation segment. */
static void test_live(void)
{
	test_clip_make(&clip);
	for (int i = 0; i < 3 * 2 * 2; i++) {
		static const int each[] = { 1, 3, 5 };
		h264i_mp4_options o = test_mp4_options(&clip);
		const int variable = i / 3 % 2;
		h264i_mp4 *mp4;
		size_t header_bytes;
		char want[40];
		test_file f;
		reader r;

		o.layout = i / 6 ? H264I_MP4_COMPLETE : H264I_MP4_FRAGMENTED;
		o.fragment_frames = 0;
		o.fragment_ms = 10000;
		o.time_base_num = 1;
		o.time_base_den = 1000;
		mp4 = open_file(&f, &o);
		for (int again = 0; again < 2; again++) {
			CU_ASSERT_EQUAL(h264i_mp4_write_header(mp4), H264I_OK);
			CU_ASSERT_EQUAL(h264i_mp4_end_fragment(mp4, 40), H264I_OK);
		}
		snprintf(want, sizeof(want), "ftyp %smoov ", i / 6 ? "free " : "");
		CHECK(strcmp(boxes(&f), want) == 0, "boxes %s", boxes(&f));
		header_bytes = f.bytes;
		CHECK(h264i_mp4_bytes(mp4) == header_bytes && !h264i_mp4_frames(mp4), "counts");
		for (int n = 0; n < CLIP_FRAMES; n++) {
			h264i_packet p = clip.packet[n];

			p.pts = frame_pts(variable, n);
			CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &p, 0), H264I_OK);
			if ((n + 1) % each[i % 3])
				continue;
			/* The duration of a live source is an estimate. */
			CU_ASSERT_EQUAL(h264i_mp4_end_fragment(mp4, 40), H264I_OK);
			CU_ASSERT_EQUAL(h264i_mp4_end_fragment(mp4, 40), H264I_OK);
			CHECK(readable(&clip, f.data, f.bytes) == n + 1, "%d of %d",
				readable(&clip, f.data, f.bytes), n + 1);
			CHECK(h264i_mp4_frames(mp4) == (uint64_t)n + 1, "frames");
		}
		CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
		h264i_mp4_close(&mp4);
		CHECK(readable(&clip, f.data, f.bytes) == CLIP_FRAMES, "case %d", i);
		CU_ASSERT_EQUAL_FATAL(reader_open(&r, f.data, f.bytes), 0);
		for (int n = 0; av_read_frame(r.fmt, r.packet) == 0; n++) {
			CHECK(r.packet->pts == frame_pts(variable, n), "frame %d: %" PRId64, n,
				(int64_t)r.packet->pts);
			av_packet_unref(r.packet);
		}
		reader_close(&r);
		free(f.data);
	}
}

/* The duration of the last sample of a fragment is that of the call, and with a whole index the
 * difference to the next one. */
static void test_durations(void)
{
	h264i_mp4_options o;
	h264i_packet p;
	h264i_mp4 *mp4;
	test_file f;
	reader r;

	test_clip_make(&clip);
	o = test_mp4_options(&clip);
	o.time_base_num = 1;
	o.time_base_den = 1000;
	mp4 = open_file(&f, &o);
	for (int i = 0; i < 3; i++) {
		p = clip.packet[i];
		p.pts = i * 100;
		CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &p, 0), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_end_fragment(mp4, i == 2 ? 55 : 33), H264I_OK);
	}
	CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
	h264i_mp4_close(&mp4);
	CU_ASSERT_EQUAL_FATAL(reader_open(&r, f.data, f.bytes), 0);
	CHECK(r.fmt->streams[0]->duration == 255, "%" PRId64, (int64_t)r.fmt->streams[0]->duration);
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL_FATAL(av_read_frame(r.fmt, r.packet), 0);
		CHECK(r.packet->duration == (i == 2 ? 55 : 100), "%d: %" PRId64, i,
			(int64_t)r.packet->duration);
		av_packet_unref(r.packet);
	}
	reader_close(&r);
	free(f.data);
}

static const uint8_t jpeg[] = { 0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4, 5 };
static const uint8_t png[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 1, 2, 3 };

static const char *tag_of(const AVDictionary *d, const char *key)
{
	const AVDictionaryEntry *e = av_dict_get(d, key, NULL, 0);

	return e ? e->value : "none";
}

static void check_metadata(const test_file *f, const char *large, int is_png)
{
	const AVChapter *c;
	const AVPacket *pic;
	reader r;

	CU_ASSERT_EQUAL_FATAL(reader_open(&r, f->data, f->bytes), 0);
	CHECK(strcmp(tag_of(r.fmt->metadata, "title"), "T\xc3\xa4st") == 0, "title '%s'",
		tag_of(r.fmt->metadata, "title"));
	CHECK(strcmp(tag_of(r.fmt->metadata, "prompt"), large) == 0, "prompt '%.20s'",
		tag_of(r.fmt->metadata, "prompt"));
	CHECK(strcmp(tag_of(r.fmt->metadata, "empty"), "") == 0, "empty");
	CU_ASSERT_EQUAL_FATAL(r.fmt->nb_chapters, 2);
	c = r.fmt->chapters[1];
	CHECK(c->start * av_q2d(c->time_base) == 0.25, "start %" PRId64, (int64_t)c->start);
	CHECK(strcmp(tag_of(c->metadata, "title"), "two") == 0, "'%s'",
		tag_of(c->metadata, "title"));
	CU_ASSERT_EQUAL_FATAL(r.fmt->nb_streams, 2);
	pic = &r.fmt->streams[1]->attached_pic;
	CHECK(r.fmt->streams[1]->codecpar->codec_id ==
			(is_png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG),
		"codec");
	CHECK(pic->size == (is_png ? (int)sizeof(png) : (int)sizeof(jpeg)) &&
			memcmp(pic->data, is_png ? png : jpeg, (size_t)pic->size) == 0,
		"%d bytes", pic->size);
	reader_close(&r);
}

/* Tags, cover and chapters in each layout, large ones, and with a reserve that is too small. */
static void test_metadata(void)
{
	static char large[300000];

	memset(large, 'x', sizeof(large) - 1);
	memcpy(large, "{\"prompt\": \"", 12);
	test_clip_make(&clip);
	for (int i = 0; i < 3 * 2 * 2; i++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		h264i_mp4 *mp4;
		test_file f;

		o.layout = (h264i_mp4_layout)(i % 3);
		o.brand = (h264i_mp4_brand)(i / 3 % 2);
		o.reserve_bytes = i / 6 ? 64 : 0;
		o.time_base_num = 1;
		o.time_base_den = 1000;
		mp4 = open_file(&f, &o);
		CU_ASSERT_EQUAL(h264i_mp4_set_tag(mp4, "title", "T\xc3\xa4st"), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_set_tag(mp4, "prompt", large), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_set_cover(mp4, png, sizeof(png)), H264I_OK);
		if (i % 2)
			CU_ASSERT_EQUAL(h264i_mp4_set_cover(mp4, jpeg, sizeof(jpeg)), H264I_OK);
		/* Metadata after the packets, where the layout allows it. */
		if (o.layout != H264I_MP4_FRAGMENTED)
			write_clip(mp4, &clip, NULL, 0);
		CU_ASSERT_EQUAL(h264i_mp4_set_tag(mp4, "empty", ""), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_add_chapter(mp4, 0, "one"), H264I_OK);
		CU_ASSERT_EQUAL(h264i_mp4_add_chapter(mp4, 250, "two"), H264I_OK);
		if (o.layout == H264I_MP4_FRAGMENTED)
			write_clip(mp4, &clip, NULL, 0);
		CU_ASSERT_EQUAL(h264i_mp4_finish(mp4), H264I_OK);
		h264i_mp4_close(&mp4);
		check_metadata(&f, large, i % 2 == 0);
		free(f.data);
	}
}

/* Up to three sounds of random packets, gaps and durations, calls in a random order. */
enum { RANDOM_PACKETS = 60, RANDOM_MOVIES = 600 };

typedef struct random_track {
	int64_t pts[RANDOM_PACKETS];
	uint8_t data[RANDOM_PACKETS][40];
	size_t bytes[RANDOM_PACKETS];
	int count, next, read;
	uint32_t rate;
} random_track;

static void make_random(random_track *t, int sound)
{
	static const uint32_t rates[] = { 8000, 11025, 22050, 32000, 44100, 48000 };
	int64_t pts = (int64_t)rng_below(2) * rng_below(3000);

	memset(t, 0, sizeof(*t));
	t->rate = sound ? rates[rng_below(6)] : 1000;
	t->count = 1 + (int)rng_below(sound ? RANDOM_PACKETS : CLIP_FRAMES);
	for (int i = 0; i < t->count; i++) {
		t->pts[i] = pts;
		pts += 1 + rng_below(rng_below(10) ? 200 : 9000);
		t->bytes[i] = 1 + rng_below(40);
		for (size_t k = 0; k < t->bytes[i]; k++)
			t->data[i][k] = (uint8_t)rng();
	}
}

static void add_random(h264i_mp4 *mp4, random_track *t)
{
	uint8_t info[34] = { 16, 0, 16, 0 };
	h264i_mp4_track o;

	info[10] = (uint8_t)(t->rate >> 12);
	info[11] = (uint8_t)(t->rate >> 4);
	info[12] = (uint8_t)(t->rate << 4);
	h264i_mp4_track_init(&o);
	o.codec = H264I_MP4_FLAC;
	o.rate = t->rate;
	o.channels = 1;
	o.config = info;
	o.config_bytes = sizeof(info);
	CHECK(h264i_mp4_add_track(mp4, &o) == H264I_OK, "%s", h264i_mp4_last_error(mp4));
}

static void write_random(h264i_mp4 *mp4, random_track *t, int tracks, int live)
{
	for (int left = 1; left;) {
		const int k = (int)rng_below((uint32_t)tracks);
		const int i = t[k].next;
		h264i_packet p = clip.packet[i % CLIP_FRAMES];

		left = 0;
		for (int j = 0; j < tracks; j++)
			left += t[j].count - t[j].next;
		if (i >= t[k].count)
			continue;
		t[k].next++;
		p.pts = t[k].pts[i];
		CHECK((k ? h264i_mp4_write_track(mp4, (uint32_t)k - 1, t[k].data[i], t[k].bytes[i],
				   p.pts, 1 + rng_below(50))
			 : h264i_mp4_write(mp4, &p, 0)) == H264I_OK,
			"%s", h264i_mp4_last_error(mp4));
		if (live && rng_below(8) == 0)
			CU_ASSERT_EQUAL(h264i_mp4_end_fragment(mp4, rng_below(100)), H264I_OK);
	}
	CHECK(h264i_mp4_finish(mp4) == H264I_OK, "%s", h264i_mp4_last_error(mp4));
}

static void check_random(const test_file *f, random_track *t, int tracks, int movie)
{
	reader r;

	CHECK(reader_open(&r, f->data, f->bytes) == 0, "movie %d", movie);
	CHECK((int)r.fmt->nb_streams == tracks, "%u streams", r.fmt->nb_streams);
	while (av_read_frame(r.fmt, r.packet) == 0) {
		const int k = r.packet->stream_index, i = t[k].read++;

		CHECK(i < t[k].count && r.packet->pts == t[k].pts[i],
			"movie %d: track %d packet %d: pts %" PRId64 ", not %" PRId64, movie, k, i,
			(int64_t)r.packet->pts, t[k].pts[i]);
		CHECK(k ? (size_t)r.packet->size == t[k].bytes[i] &&
					memcmp(r.packet->data, t[k].data[i], t[k].bytes[i]) == 0
			: is_sample(r.packet, &clip.packet[i]),
			"movie %d: track %d packet %d", movie, k, i);
		av_packet_unref(r.packet);
	}
	for (int k = 0; k < tracks; k++)
		CHECK(t[k].read == t[k].count, "movie %d: track %d: %d of %d packets", movie, k,
			t[k].read, t[k].count);
	reader_close(&r);
}

static void test_random(void)
{
	static random_track t[4];

	test_clip_make(&clip);
	for (int movie = 0; movie < RANDOM_MOVIES; movie++) {
		h264i_mp4_options o = test_mp4_options(&clip);
		const int tracks = 1 + (int)rng_below(4), live = rng_below(2) == 0;
		h264i_mp4 *mp4;
		test_file f;

		o.layout = (h264i_mp4_layout)(movie % 3);
		o.time_base_num = 1;
		o.time_base_den = 1000;
		o.fragment_ms = 1 + rng_below(900);
		o.fragment_frames = rng_below(4);
		o.reserve_bytes = rng_below(2) ? 0 : 64 + rng_below(2000);
		mp4 = open_file(&f, &o);
		for (int k = 0; k < tracks; k++) {
			make_random(&t[k], k);
			if (k)
				add_random(mp4, &t[k]);
		}
		write_random(mp4, t, tracks, live && o.layout != H264I_MP4_BUFFERED);
		h264i_mp4_close(&mp4);
		check_random(&f, t, tracks, movie);
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
		{ "the end of a fragment leaves nothing in memory", test_live },
		{ "the last sample of a fragment has its duration", test_durations },
		{ "FFmpeg reads tags, cover and chapters", test_metadata },
		{ "random movies have each packet at its time", test_random },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4_tracks", be_quiet, close_clip, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
