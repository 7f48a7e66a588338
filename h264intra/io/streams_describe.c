/* Copies what an input's header states about its streams, which then outlives the input. */
#include "h264intra/io/fits.h"
#include "h264intra/io/streams.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libavutil/mem.h>

/* 35 years, which every time base can represent. */
#define START_LIMIT_US (INT64_C(1) << 50)

/* Entries that describe the input's file, coding or length, not its contents. */
static int is_of_the_file(const char *key)
{
	static const char *const keys[] = { "encoder", "major_brand", "minor_version",
		"compatible_brands", "BPS", "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES",
		"_STATISTICS", "vendor_id", "rotate" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strncasecmp(key, keys[i], strlen(keys[i])) == 0)
			return 1;
	return 0;
}

static int copy_metadata(AVDictionary **to, const AVDictionary *from)
{
	const AVDictionaryEntry *t = NULL;

	while ((t = av_dict_get(from, "", t, AV_DICT_IGNORE_SUFFIX)) != NULL)
		if (!is_of_the_file(t->key) && av_dict_set(to, t->key, t->value, 0) < 0)
			return AVERROR(ENOMEM);
	return 0;
}

static int copy_stream(h264i_streams *s, const AVStream *from)
{
	AVStream *to = avformat_new_stream(s->desc, NULL);

	if (!to || h264i_i_fits_describe(to, from, NULL) < 0)
		return AVERROR(ENOMEM);
	s->from[to->index] = from->index;
	s->to[from->index] = to->index;
	av_dict_free(&to->metadata);
	if (copy_metadata(&to->metadata, from->metadata) < 0)
		return AVERROR(ENOMEM);
	/* av_read_frame delivers a cover picture once; the multiplexers of some containers need it
	 * for their header. */
	if (from->attached_pic.size > 0 &&
		av_packet_ref(&to->attached_pic, &from->attached_pic) < 0)
		return AVERROR(ENOMEM);
	return 0;
}

static int copy_chapters(AVFormatContext *to, const AVFormatContext *from, int64_t start_us)
{
	to->chapters = av_calloc(from->nb_chapters, sizeof(*to->chapters));
	if (from->nb_chapters > 0 && !to->chapters)
		return AVERROR(ENOMEM);
	for (unsigned i = 0; i < from->nb_chapters; i++) {
		const AVChapter *c = from->chapters[i];
		const int64_t start = av_rescale_q(start_us, AV_TIME_BASE_Q, c->time_base);
		AVChapter *copy;

		if (c->end <= start || c->start >= c->end || c->end > INT64_MAX / 2)
			continue; /* ends before the first picture, or is damaged */
		copy = av_mallocz(sizeof(*copy));
		if (!copy)
			return AVERROR(ENOMEM);
		to->chapters[to->nb_chapters++] = copy;
		copy->id = c->id;
		copy->time_base = c->time_base;
		copy->start = c->start > start ? c->start - start : 0;
		copy->end = c->end - start;
		if (av_dict_copy(&copy->metadata, c->metadata, 0) < 0)
			return AVERROR(ENOMEM);
	}
	return 0;
}

void h264i_i_streams_begin_at(h264i_streams *s, int64_t us)
{
	unsigned kept = 0;

	s->cut = 1;
	s->start_us += us;
	for (unsigned i = 0; s->desc && i < s->desc->nb_chapters; i++) {
		AVChapter *c = s->desc->chapters[i];
		const int64_t start = av_rescale_q(us, AV_TIME_BASE_Q, c->time_base);

		if (c->end <= start) {
			av_dict_free(&c->metadata);
			av_free(c);
			continue;
		}
		c->start = c->start > start ? c->start - start : 0;
		c->end -= start;
		s->desc->chapters[kept++] = c;
	}
	if (s->desc)
		s->desc->nb_chapters = kept;
}

/* Returns 1 for a stream that may be copied. Other video is left out, and so is what the
 * demultiplexer itself discards: the titles of chapters, which are copied as chapters. */
static int is_copied(const AVStream *st)
{
	if (st->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
		return (st->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
	return st->discard < AVDISCARD_ALL;
}

static int copy_views(h264i_streams *s, const AVStream *video)
{
	for (int i = 0; i < IO_VIEWS; i++) {
		size_t bytes;
		const uint8_t *data = io_get_side_data(video, io_view_types[i], &bytes);

		if (!data)
			continue;
		s->video_view[i] = malloc(bytes);
		if (!s->video_view[i])
			return AVERROR(ENOMEM);
		memcpy(s->video_view[i], data, bytes);
		s->video_view_bytes[i] = bytes;
	}
	return 0;
}

static int describe(h264i_streams *s, const AVFormatContext *fmt, const AVStream *video)
{
	const unsigned n = s->inputs = fmt->nb_streams;

	s->desc = avformat_alloc_context();
	s->from = malloc(n * sizeof(*s->from));
	s->to = malloc(n * sizeof(*s->to));
	s->dropped = calloc(n, 1);
	if (!s->desc || !s->from || !s->to || !s->dropped)
		return AVERROR(ENOMEM);
	for (unsigned i = 0; i < n; i++)
		s->to[i] = -1;
	for (unsigned i = 0; i < n; i++) {
		const AVStream *st = fmt->streams[i];

		if (st == video)
			continue;
		if (!is_copied(st)) {
			if (st->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
				h264i_i_notice(&s->notice, H264I_LOG_WARN,
					"stream %u (video, %s) is left out, because the output has "
					"one video",
					i, avcodec_get_name(st->codecpar->codec_id));
			continue;
		}
		if (copy_stream(s, st) < 0)
			return AVERROR(ENOMEM);
	}
	s->start_us = fmt->start_time != AV_NOPTS_VALUE ? fmt->start_time : 0;
	if (s->start_us < -START_LIMIT_US || s->start_us > START_LIMIT_US)
		s->start_us = 0; /* damaged */
	s->video_disposition = video->disposition;
	if (copy_views(s, video) < 0 || copy_metadata(&s->video_metadata, video->metadata) < 0 ||
		copy_metadata(&s->desc->metadata, fmt->metadata) < 0)
		return AVERROR(ENOMEM);
	return copy_chapters(s->desc, fmt, s->start_us);
}

int h264i_i_streams_describe(
	h264i_streams *s, const AVFormatContext *fmt, const AVStream *video, const io_notice *n)
{
	int e;

	if (s->desc)
		return 0;
	s->notice = *n;
	s->notice.name = s->name = strdup(n->name);
	e = s->name ? describe(s, fmt, video) : AVERROR(ENOMEM);
	if (e < 0)
		h264i_i_streams_forget(s);
	return e;
}

/* Entries of a video stream that most files have and that state nothing about it. */
static int is_plain(const AVDictionaryEntry *t)
{
	return strcasecmp(t->key, "handler_name") == 0 ||
	       (strcasecmp(t->key, "language") == 0 && strcmp(t->value, "und") == 0);
}

int h264i_i_streams_any(const h264i_streams *s)
{
	const AVDictionaryEntry *t = NULL;

	if (!s->desc)
		return 0;
	while ((t = av_dict_get(s->video_metadata, "", t, AV_DICT_IGNORE_SUFFIX)) != NULL)
		if (!is_plain(t))
			return 1;
	return s->desc->nb_streams > 0 || s->desc->nb_chapters > 0 ||
	       av_dict_count(s->desc->metadata) > 0;
}

void h264i_i_streams_forget(h264i_streams *s)
{
	avformat_free_context(s->desc);
	s->desc = NULL;
	av_dict_free(&s->video_metadata);
	free(s->from);
	free(s->to);
	free(s->dropped);
	free(s->name);
	for (int i = 0; i < IO_VIEWS; i++) {
		free(s->video_view[i]);
		s->video_view[i] = NULL;
	}
	s->from = s->to = NULL;
	s->dropped = NULL;
	s->name = NULL;
}
