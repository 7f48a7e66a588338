#include "h264intra/io/copy.h"
#include "h264intra/io/fits.h"

#include <stdlib.h>
#include <string.h>

#include <libavutil/mathematics.h>
#include <libavutil/mem.h>

struct io_copied {
	AVStream *stream;      /* of the output; NULL: left out, or without packets */
	int64_t last_dts;      /* in its time base */
	int64_t end;           /* of the last packet, in the input's time base */
	int64_t audio_samples; /* state of av_rescale_delta */
	int packets, raised, refused;
};

static int is_timecode(const AVStream *st)
{
	return st->codecpar->codec_type == AVMEDIA_TYPE_DATA &&
	       st->codecpar->codec_tag == MKTAG('t', 'm', 'c', 'd');
}

static int is_cover(const AVStream *st)
{
	return (st->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
}

static int is_format(const AVFormatContext *fmt, const char *name)
{
	return strcmp(fmt->oformat->name, name) == 0;
}

static void left_out(
	const h264i_streams *s, const AVStream *st, const AVFormatContext *fmt, const char *why)
{
	const char *type = av_get_media_type_string(st->codecpar->codec_type);
	const AVDictionaryEntry *language = av_dict_get(st->metadata, "language", NULL, 0);

	h264i_i_notice(&s->notice, H264I_LOG_WARN,
		"stream %d (%s, %s%s%s) is left out of the %s file: %s", s->from[st->index],
		is_cover(st) ? "cover picture"
		: type       ? type
			     : "unknown type",
		is_timecode(st) ? "timecode" : avcodec_get_name(st->codecpar->codec_id),
		language ? ", " : "", language ? language->value : "", fmt->oformat->name, why);
}

/* Matroska stores a cover picture as an attached file. Returns 0 or AVERROR. */
static int make_attachment(AVStream *to, const AVStream *from)
{
	const AVPacket *p = &from->attached_pic;
	const int is_png = from->codecpar->codec_id == AV_CODEC_ID_PNG;
	AVCodecParameters *par = to->codecpar;

	par->codec_type = AVMEDIA_TYPE_ATTACHMENT;
	par->codec_id = from->codecpar->codec_id;
	par->extradata = av_mallocz((size_t)p->size + AV_INPUT_BUFFER_PADDING_SIZE);
	if (!par->extradata)
		return AVERROR(ENOMEM);
	memcpy(par->extradata, p->data, (size_t)p->size);
	par->extradata_size = p->size;
	if (av_dict_set(&to->metadata, "filename", is_png ? "cover.png" : "cover.jpg", 0) < 0 ||
		av_dict_set(&to->metadata, "mimetype", is_png ? "image/png" : "image/jpeg", 0) < 0)
		return AVERROR(ENOMEM);
	return 0;
}

static int add_cover(io_copy *c, AVFormatContext *fmt, const AVStream *from)
{
	const enum AVCodecID codec = from->codecpar->codec_id;
	const int known = codec == AV_CODEC_ID_MJPEG || codec == AV_CODEC_ID_PNG;
	AVStream *to;
	int e;

	if (!known || (!is_format(fmt, "mp4") && !is_format(fmt, "matroska")) ||
		from->attached_pic.size <= 0) {
		left_out(c->streams, from, fmt, "only .mp4 and .mkv store one, as JPEG or PNG");
		h264i_i_streams_drop(c->streams, (unsigned)from->index);
		return 0;
	}
	to = avformat_new_stream(fmt, NULL);
	if (!to)
		return AVERROR(ENOMEM);
	if (is_format(fmt, "matroska")) {
		h264i_i_streams_drop(c->streams, (unsigned)from->index);
		return make_attachment(to, from);
	}
	e = h264i_i_fits_describe(to, from, fmt->oformat);
	to->disposition = AV_DISPOSITION_ATTACHED_PIC;
	c->to[from->index].stream = to;
	return e;
}

static int add_stream(io_copy *c, AVFormatContext *fmt, const AVStream *from)
{
	char why[IO_FITS_WHY_BYTES] = "";
	AVStream *to;

	if (is_timecode(from)) {
		/* FFmpeg makes the timecode of the output from the metadata of the video; see
		 * copy_metadata(). */
		h264i_i_streams_drop(c->streams, (unsigned)from->index);
		return 0;
	}
	if (is_cover(from))
		return add_cover(c, fmt, from);
	if (!h264i_i_fits(fmt->oformat, from, why)) {
		left_out(c->streams, from, fmt, why);
		h264i_i_streams_drop(c->streams, (unsigned)from->index);
		return 0;
	}
	to = avformat_new_stream(fmt, NULL);
	if (!to)
		return AVERROR(ENOMEM);
	c->to[from->index].stream = to;
	return h264i_i_fits_describe(to, from, fmt->oformat);
}

/* Sets the metadata of file and video. A timecode that the container rejects is left out. */
static int copy_metadata(AVFormatContext *fmt, const h264i_streams *s)
{
	AVStream *video = fmt->streams[0];
	char why[IO_FITS_WHY_BYTES];

	video->disposition = s->video_disposition;
	for (int i = 0; i < IO_VIEWS; i++)
		if (s->video_view[i] && io_add_side_data(video, io_view_types[i], s->video_view[i],
						s->video_view_bytes[i]) < 0)
			return AVERROR(ENOMEM);
	if (av_dict_copy(&fmt->metadata, s->desc->metadata, 0) < 0 ||
		av_dict_copy(&video->metadata, s->video_metadata, 0) < 0)
		return AVERROR(ENOMEM);
	for (unsigned i = 0; i < s->desc->nb_streams; i++) {
		const AVStream *st = s->desc->streams[i];
		const AVDictionaryEntry *t = av_dict_get(st->metadata, "timecode", NULL, 0);

		if (is_timecode(st) && t &&
			av_dict_set(
				&video->metadata, "timecode", t->value, AV_DICT_DONT_OVERWRITE) < 0)
			return AVERROR(ENOMEM);
	}
	if (av_dict_get(video->metadata, "timecode", NULL, 0) &&
		!h264i_i_fits(fmt->oformat, video, why)) {
		h264i_i_notice(&s->notice, H264I_LOG_WARN,
			"the timecode is left out, because the %s file cannot store it%s",
			fmt->oformat->name, is_format(fmt, "mpegts") ? "" : " at this frame rate");
		av_dict_set(&video->metadata, "timecode", NULL, 0);
	}
	return 0;
}

int h264i_i_copy_open(io_copy *c, AVFormatContext *fmt, h264i_streams *s)
{
	int e;

	memset(c, 0, sizeof(*c));
	if (!s || !s->desc)
		return 0;
	c->streams = s;
	c->packet = av_packet_alloc();
	c->to = calloc(s->desc->nb_streams + 1, sizeof(*c->to));
	if (!c->packet || !c->to)
		return AVERROR(ENOMEM);
	e = copy_metadata(fmt, s);
	for (unsigned i = 0; i < s->desc->nb_streams && e >= 0; i++)
		e = add_stream(c, fmt, s->desc->streams[i]);
	return e;
}

/* Appends a chapter. Returns 0 or AVERROR. */
static int add_chapter(AVFormatContext *fmt, const AVChapter *from, int64_t end)
{
	AVChapter *copy = av_mallocz(sizeof(*copy));

	if (!copy)
		return AVERROR(ENOMEM);
	copy->id = from->id;
	copy->time_base = from->time_base;
	copy->start = from->start;
	copy->end = from->end < end ? from->end : end;
	fmt->chapters[fmt->nb_chapters++] = copy;
	return av_dict_copy(&copy->metadata, from->metadata, 0);
}

int h264i_i_copy_chapters(io_copy *c, AVFormatContext *fmt, int64_t end_us)
{
	const AVFormatContext *from = c->streams ? c->streams->desc : NULL;
	int e = 0;

	if (!from || from->nb_chapters == 0)
		return 0;
	fmt->chapters = av_calloc(from->nb_chapters, sizeof(*fmt->chapters));
	if (!fmt->chapters)
		return AVERROR(ENOMEM);
	for (unsigned i = 0; i < from->nb_chapters && e >= 0; i++) {
		const AVChapter *chapter = from->chapters[i];
		int64_t end = INT64_MAX;

		if (end_us != INT64_MAX)
			end = av_rescale_q(end_us, AV_TIME_BASE_Q, chapter->time_base);
		if (chapter->start < end)
			e = add_chapter(fmt, chapter, end);
	}
	return e;
}

/* Decoding time of the packet, in the input's time base, from the start of the file. */
static int64_t begin(const h264i_streams *s, const io_copied *to, const AVStream *from, AVPacket *p)
{
	if (p->dts == AV_NOPTS_VALUE)
		p->dts = p->pts;
	if (p->dts == AV_NOPTS_VALUE)
		return to->packets > 0 ? to->end : 0;
	return p->dts - av_rescale_q(s->start_us, AV_TIME_BASE_Q, from->time_base);
}

/* Converts the times to the output's time base. Audio is counted in samples, so that the rounding
 * of the input's times, such as Matroska's to milliseconds, does not add up. */
static void set_times(const h264i_streams *s, io_copied *to, const AVStream *from, AVPacket *p)
{
	const AVCodecParameters *par = from->codecpar;
	const AVRational tb = from->time_base, out = to->stream->time_base;
	const int64_t at = begin(s, to, from, p);
	int64_t delay = 0, dts;
	int samples = 0;

	if (p->pts != AV_NOPTS_VALUE && p->dts != AV_NOPTS_VALUE && p->pts > p->dts)
		delay = p->pts - p->dts;
	if (par->codec_type == AVMEDIA_TYPE_AUDIO && par->sample_rate > 0)
		samples = av_get_audio_frame_duration2((AVCodecParameters *)par, p->size);
	if (samples > 0)
		dts = av_rescale_delta(tb, at, (AVRational){ 1, par->sample_rate }, samples,
			&to->audio_samples, out);
	else
		dts = av_rescale_q(at, tb, out);
	if (p->duration <= 0 && samples > 0)
		p->duration = av_rescale_q(samples, (AVRational){ 1, par->sample_rate }, tb);
	to->end = at + (p->duration > 0 ? p->duration : 0);
	delay = av_rescale_q(delay, tb, out);
	p->dts = dts > -IO_TIME_LIMIT && dts < IO_TIME_LIMIT ? dts : to->last_dts;
	p->pts = p->dts + (delay >= 0 && delay < IO_TIME_LIMIT ? delay : 0);
	p->duration = av_rescale_q(p->duration, tb, out);
}

/* Multiplexers refuse decoding times that do not increase. */
static void raise_time(const h264i_streams *s, io_copied *to, const AVStream *from,
	const AVFormatContext *fmt, AVPacket *p)
{
	const int may_repeat = (fmt->oformat->flags & AVFMT_TS_NONSTRICT) ||
			       from->codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE ||
			       from->codecpar->codec_type == AVMEDIA_TYPE_DATA;
	const int64_t least = to->last_dts + !may_repeat;

	if (to->packets > 0 && p->dts < least) {
		if (!to->raised)
			h264i_i_notice(&s->notice, H264I_LOG_WARN,
				"stream %d: the time of a packet is not later than the one before; "
				"it is raised",
				s->from[from->index]);
		to->raised = 1;
		p->pts += least - p->dts;
		p->dts = least;
	}
	to->last_dts = p->dts;
	to->packets = 1;
}

static int write_packet(io_copy *c, AVFormatContext *fmt, AVPacket *p)
{
	const AVStream *from = c->streams->desc->streams[p->stream_index];
	io_copied *to = &c->to[p->stream_index];
	int e;

	if (!to->stream)
		return 0;
	if (is_cover(from)) {
		p->pts = p->dts = AV_NOPTS_VALUE;
	} else {
		if (to->packets == 0)
			to->audio_samples = AV_NOPTS_VALUE;
		set_times(c->streams, to, from, p);
		raise_time(c->streams, to, from, fmt, p);
	}
	p->stream_index = to->stream->index;
	p->pos = -1;
	e = av_write_frame(fmt, p);
	if (e >= 0)
		return 0;
	if (e != AVERROR(EINVAL) && e != AVERROR_INVALIDDATA && e != AVERROR_PATCHWELCOME)
		return e;
	if (!to->refused)
		h264i_i_notice(&c->streams->notice, H264I_LOG_WARN,
			"stream %d: the %s file cannot store a packet, which is left out; later "
			"ones are not reported",
			c->streams->from[from->index], fmt->oformat->name);
	to->refused = 1;
	return 0;
}

int h264i_i_copy_until(
	io_copy *c, AVFormatContext *fmt, int64_t limit_us, int last, const char **what)
{
	int r = 0, e = 0;

	if (!c->streams)
		return 0;
	while (e >= 0 && (r = h264i_i_streams_take(c->streams, limit_us, last, c->packet)) > 0) {
		e = write_packet(c, fmt, c->packet);
		av_packet_unref(c->packet);
	}
	if (e < 0)
		*what = "cannot write a packet of another stream";
	if (r < 0) {
		e = AVERROR(c->streams->error);
		*what = "cannot keep packets of the other streams in a temporary file";
	}
	return e;
}

void h264i_i_copy_close(io_copy *c)
{
	av_packet_free(&c->packet);
	free(c->to);
	memset(c, 0, sizeof(*c));
}
