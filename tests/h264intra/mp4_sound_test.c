/* Sounds in the files of the MP4 writer, read and decoded by FFmpeg. */
#include "tests/common/testmain.h"
#include "tests/h264intra/mp4_sounds.h"

#include <math.h>

/* The video has 10 pictures a second. FRAGMENT_MS: three of them. */
enum { VIDEO_RATE = 10, FRAGMENT_MS = 300, LAYOUTS = 4, LIVE = 3, ORDERS = 3 };

static test_clip clip;

typedef struct movie {
	const test_sound *sound[2];
	int sounds;
	int layout; /* LIVE: H264I_MP4_FRAGMENTED by write_header and end_fragment */
	int order;  /* 0: by time, 1: sounds first, 2: the video first */
	int64_t video_start, sound_start; /* ms, added to all times */
	h264i_mp4_brand brand;
} movie;

static int64_t sound_pts(const movie *v, int k, int i)
{
	const test_sound *s = v->sound[k];

	return s->packet[i]->pts + v->sound_start * s->track.rate / 1000;
}

static void write_sound(h264i_mp4 *mp4, const movie *v, int k, int *next, int64_t until_ms)
{
	const test_sound *s = v->sound[k];

	for (; *next < s->count; ++*next) {
		const AVPacket *p = s->packet[*next];

		if (sound_pts(v, k, *next) * 1000 >= until_ms * s->track.rate)
			return;
		CHECK(h264i_mp4_write_track(mp4, (uint32_t)k, p->data, (size_t)p->size,
			      sound_pts(v, k, *next), p->duration) == H264I_OK,
			"packet %d: %s", *next, h264i_mp4_last_error(mp4));
	}
}

static h264i_mp4_options movie_options(const movie *v)
{
	h264i_mp4_options o = test_mp4_options(&clip);

	o.layout = v->layout == LIVE ? H264I_MP4_FRAGMENTED : (h264i_mp4_layout)v->layout;
	o.brand = v->brand;
	o.vui.fps_num = VIDEO_RATE;
	o.vui.fps_den = 1;
	o.frames_expected = CLIP_FRAMES;
	o.fragment_frames = 0;
	o.fragment_ms = v->layout == LIVE ? 100000 : FRAGMENT_MS;
	o.time_base_num = 1;
	o.time_base_den = 1000;
	return o;
}

static void write_movie(test_file *f, const movie *v)
{
	const h264i_mp4_options o = movie_options(v);
	h264i_mp4_sink sink = test_file_sink(f);
	const int late = v->order == 2 && v->layout <= H264I_MP4_FRAGMENTED;
	int next[2] = { 0, 0 };
	size_t bytes = 0, late_bytes = 0;
	h264i_mp4 *mp4;
	char msg[256];

	CU_ASSERT_EQUAL_FATAL(h264i_mp4_open(&mp4, &o, &sink, msg, sizeof(msg)), H264I_OK);
	for (int k = 0; k < v->sounds; k++)
		CHECK(h264i_mp4_add_track(mp4, &v->sound[k]->track) == H264I_OK, "%s",
			h264i_mp4_last_error(mp4));
	if (v->layout == LIVE)
		CU_ASSERT_EQUAL(h264i_mp4_write_header(mp4), H264I_OK);
	for (int i = 0; i <= CLIP_FRAMES; i++) {
		h264i_packet p = clip.packet[i % CLIP_FRAMES];
		const size_t before = f->bytes;
		int64_t until = i == CLIP_FRAMES || v->order == 1 ? 1 << 20 : 0;

		p.pts = v->video_start + i * 1000 / VIDEO_RATE;
		if (v->order == 0)
			until = i == CLIP_FRAMES ? 1 << 20 : p.pts;
		for (int k = 0; k < v->sounds && until; k++)
			write_sound(mp4, v, k, &next[k], until);
		late_bytes += f->bytes - before;
		if (v->layout == LIVE && i && i % 3 == 0) {
			CU_ASSERT_EQUAL(h264i_mp4_end_fragment(mp4, 1000 / VIDEO_RATE), H264I_OK);
			CHECK(h264i_mp4_frames(mp4) == (uint64_t)i, "%d frames", i);
		}
		if (i < CLIP_FRAMES)
			CU_ASSERT_EQUAL(h264i_mp4_write(mp4, &p, 0), H264I_OK);
	}
	/* Late sounds do not collect in memory. */
	for (int i = 0; i < v->sound[0]->count; i++)
		bytes += (size_t)v->sound[0]->packet[i]->size;
	CHECK(!late || v->sound_start || v->video_start || late_bytes > bytes / 3,
		"%zu of %zu bytes before the end", late_bytes, bytes);
	CHECK(h264i_mp4_finish(mp4) == H264I_OK, "%s", h264i_mp4_last_error(mp4));
	CU_ASSERT_EQUAL(h264i_mp4_bytes(mp4), f->bytes);
	CHECK(!f->reads, "the reserve is too small for the index");
	h264i_mp4_close(&mp4);
}

/* Where a packet is in the file. */
typedef struct placed {
	int64_t at;
	double time;
	int track;
} placed;

static int compare_places(const void *a, const void *b)
{
	const int64_t left = ((const placed *)a)->at, right = ((const placed *)b)->at;

	return (left > right) - (left < right);
}

/* Video and sounds at one place of the file are not far from each other in time. */
static void check_places(placed *p, int count, int tracks)
{
	double last[3] = { 1e9, 1e9, 1e9 };
	int left[3] = { 0, 0, 0 };

	qsort(p, (size_t)count, sizeof(*p), compare_places);
	for (int i = 0; i < count; i++) {
		last[p[i].track] = fmin(last[p[i].track], p[i].time);
		left[p[i].track]++;
	}
	for (int i = 0; i < count; i++) {
		last[p[i].track] = p[i].time;
		left[p[i].track]--;
		for (int k = 0; k < tracks; k++)
			CHECK(!left[k] || p[i].time - last[k] < 0.5,
				"track %d at %.3f, %d at %.3f s", p[i].track, p[i].time, k,
				last[k]);
	}
}

/* Each packet and each time. */
static void check_packets(const test_file *f, const movie *v)
{
	static placed places[CLIP_FRAMES + 2 * SOUND_PACKETS_MAX];
	int count[3] = { 0, 0, 0 }, all = 0;
	reader r;

	CHECK(reader_open(&r, f->data, f->bytes) == 0, "FFmpeg cannot read it");
	CHECK((int)r.fmt->nb_streams == 1 + v->sounds, "%u streams", r.fmt->nb_streams);
	while (av_read_frame(r.fmt, r.packet) == 0) {
		const int k = r.packet->stream_index, i = count[k]++;
		const AVRational base = r.fmt->streams[k]->time_base;
		const int64_t shift = v->video_start < 0 ? -v->video_start : 0;
		const test_sound *s = k ? v->sound[k - 1] : NULL;
		const AVPacket *want = s ? s->packet[i] : NULL;
		int64_t pts = shift + v->video_start + i * 1000 / VIDEO_RATE;

		if (s)
			pts = sound_pts(v, k - 1, i) + shift * s->track.rate / 1000;
		CHECK(k ? i < s->count && want->size == r.packet->size &&
					memcmp(want->data, r.packet->data, (size_t)want->size) == 0
			: i < CLIP_FRAMES && is_sample(r.packet, &clip.packet[i]),
			"stream %d packet %d", k, i);
		CHECK(r.packet->pts ==
				av_rescale_q(pts, (AVRational){ 1, k ? base.den : 1000 }, base),
			"stream %d packet %d: pts %" PRId64 ", not %" PRId64, k, i,
			(int64_t)r.packet->pts, pts);
		places[all++] = (placed){ r.packet->pos, (double)r.packet->pts * av_q2d(base), k };
		av_packet_unref(r.packet);
	}
	CHECK(count[0] == CLIP_FRAMES, "%d pictures", count[0]);
	for (int k = 0; k < v->sounds; k++)
		CHECK(count[k + 1] == v->sound[k]->count, "%d packets", count[k + 1]);
	/* The first sound plays, the others can be chosen. */
	for (int k = 1; k <= v->sounds; k++)
		CHECK((r.fmt->streams[k]->disposition & AV_DISPOSITION_DEFAULT) == (k == 1),
			"track %d", k);
	reader_close(&r);
	if (v->order != 2 || v->layout == H264I_MP4_BUFFERED)
		check_places(places, all, 1 + v->sounds);
}

/* Decodes the packets of the encoder, with priming. */
static test_samples decode_sound(const test_sound *s, const AVCodecParameters *like)
{
	AVCodecContext *dec = test_decoder(like);
	test_samples out = { NULL, 0, 0 };

	for (int i = 0; i < s->count; i++) {
		AVPacket *p = av_packet_clone(s->packet[i]);

		av_packet_free_side_data(p);
		CU_ASSERT_EQUAL(avcodec_send_packet(dec, p), 0);
		test_take_frames(&out, dec);
		av_packet_free(&p);
	}
	avcodec_send_packet(dec, NULL);
	test_take_frames(&out, dec);
	avcodec_free_context(&dec);
	return out;
}

/* The description of the track, and after the edit list exactly the samples. FFmpeg does not apply
 * the edit lists of fragments: there the priming samples have negative times. */
static void check_decoded(const test_file *f, const movie *v)
{
	const int fragments = v->layout == H264I_MP4_FRAGMENTED || v->layout == LIVE;

	for (int k = 0; k < v->sounds; k++) {
		const test_sound *s = v->sound[k];
		const int channels = (int)s->track.channels;
		const AVCodecParameters *par;
		test_samples got = test_decode_file(f, k + 1), want;
		int64_t skip = (int64_t)s->track.priming * channels;
		AVDictionaryEntry *e;
		reader r;

		CU_ASSERT_EQUAL_FATAL(reader_open(&r, f->data, f->bytes), 0);
		par = r.fmt->streams[k + 1]->codecpar;
		/* The entry has half of a rate above 65,535, the config all of it. */
		CHECK(par->sample_rate << (s->track.rate > 65535) == (int)s->track.rate &&
				par->ch_layout.nb_channels == channels,
			"%d Hz, %d channels", par->sample_rate, par->ch_layout.nb_channels);
		e = av_dict_get(r.fmt->streams[k + 1]->metadata, "language", NULL, 0);
		CHECK(!s->track.language[0] || (e && strcmp(e->value, s->track.language) == 0),
			"language '%s'", e ? e->value : "none");
		want = decode_sound(s, par);
		/* FFmpeg's decoder of Opus omits the priming samples itself. */
		if (fragments || s->track.codec == H264I_MP4_OPUS)
			skip = 0;
		CHECK(want.count / channels >= s->samples, "%" PRId64 " samples", want.count);
		CHECK(got.count == want.count - skip &&
				memcmp(got.v, want.v + skip, (size_t)got.count * sizeof(float)) ==
					0,
			"%" PRId64 " of %" PRId64 " samples, the first %" PRId64 " skipped",
			got.count, want.count, skip);
		reader_close(&r);
		free(got.v);
		free(want.v);
	}
}

/* Each codec in each layout, whatever the order of the calls. */
static void test_codecs(void)
{
	static const struct {
		const char *encoder;
		h264i_mp4_codec codec;
		int rate, channels;
	} cases[] = { { "aac", H264I_MP4_AAC, 44100, 2 }, { "aac", H264I_MP4_AAC, 48000, 6 },
		{ "libopus", H264I_MP4_OPUS, 48000, 1 }, { "flac", H264I_MP4_FLAC, 96000, 2 } };

	test_clip_make(&clip);
	for (int c = 0; c < 4; c++) {
		static test_sound s;

		if (test_sound_make(&s, cases[c].encoder, cases[c].codec, cases[c].rate,
			    cases[c].channels, cases[c].rate * 13 / 10 + 5) != 0)
			continue;
		strcpy(s.track.language, "deu");
		/* That of Opus is in its config. */
		if (cases[c].codec == H264I_MP4_OPUS)
			s.track.priming = 0;
		for (int i = 0; i < 2 * LAYOUTS * ORDERS; i++) {
			movie v = { .sound = { &s }, .sounds = 1 };
			test_file f;

			v.brand = (h264i_mp4_brand)(i % 2);
			v.layout = i / 2 % LAYOUTS;
			v.order = i / 2 / LAYOUTS;
			if (v.brand == H264I_MP4_BRAND_MOV && cases[c].codec != H264I_MP4_AAC)
				continue;
			write_movie(&f, &v);
			check_packets(&f, &v);
			if (v.order == 0)
				check_decoded(&f, &v);
			free(f.data);
		}
		test_sound_free(&s);
	}
}

/* Two sounds; the video or the sounds begin later, or the video's times are negative. */
static void test_starts(void)
{
	static const int64_t starts[][2] = { { 0, 0 }, { 0, 700 }, { 700, 0 }, { 1500, 40 },
		{ -500, -500 }, { -500, 333 } };
	static test_sound s[2];

	test_clip_make(&clip);
	CU_ASSERT_EQUAL_FATAL(
		test_sound_make(&s[0], "aac", H264I_MP4_AAC, 48000, 2, 48000 * 13 / 10), 0);
	CU_ASSERT_EQUAL_FATAL(test_sound_make(&s[1], "flac", H264I_MP4_FLAC, 44100, 1, 44100), 0);
	for (int i = 0; i < 6 * LAYOUTS; i++) {
		movie v = { .sound = { &s[0], &s[1] }, .sounds = 2 };
		test_file f;

		v.layout = i % LAYOUTS;
		v.order = 2; /* of these some are only possible if the video is known */
		v.video_start = starts[i / LAYOUTS][0];
		v.sound_start = starts[i / LAYOUTS][1];
		write_movie(&f, &v);
		check_packets(&f, &v);
		free(f.data);
	}
	test_sound_free(&s[0]);
	test_sound_free(&s[1]);
}

static int close_clip(void)
{
	test_clip_free(&clip);
	return 0;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "FFmpeg reads each codec, sample by sample, in each layout", test_codecs },
		{ "video and sounds begin at any time", test_starts },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "mp4_sound", be_quiet, close_clip, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
