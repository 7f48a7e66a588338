/* Public API of reading: calls rawfile.c or, with FFmpeg, decoded.c. */
#include <h264intra/source.h>

#include "h264intra/io/decoded.h"
#include "h264intra/io/parts.h"
#include "h264intra/io/rawfile.h"
#include "h264intra/io/shown.h"
#include "libsched/core/say.h"
#include "libsched/core/sized.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct h264i_source {
	io_infile in;
	char *name; /* for messages */
	io_notice notice;
	h264i_source_info info;
	int is_raw;      /* 1: raw reads; 0: dec decodes */
	int has_streams; /* 1: the caller gets other streams, of which raw video has none */
	io_raw raw;
	io_range raw_range; /* of the frames that are read */
	uint64_t seek;      /* options.first_frame */
	io_decoded dec;
	pthread_mutex_t lock;   /* guards all below */
	h264i_io_status failed; /* result of all later calls; OK: no failure yet */
	char error[IO_MSG_BYTES];
};

struct h264i_source_claim {
	uint64_t index;
	int64_t position; /* of raw samples */
	AVFrame *frame;   /* decoded; NULL: raw */
	int as_first;     /* 1: the frame can be read as it is */
};

void h264i_source_options_init_sized(h264i_source_options *o, size_t struct_bytes)
{
	h264i_source_options d = { .struct_bytes = struct_bytes, .interrupt_fd = -1 };

	memset(o, 0, struct_bytes);
	memcpy(o, &d, struct_bytes < sizeof(d) ? struct_bytes : sizeof(d));
}

/* Reads the frames before the first one and drops them; a pipe has to be read. */
static h264i_io_status skip_raw(h264i_source *src, uint64_t until, char *why)
{
	const size_t luma = (size_t)src->info.width * src->info.height;
	uint8_t *memory = src->in.regular ? NULL : malloc(luma + luma / 2);
	uint8_t *const plane[3] = { memory, memory ? memory + luma : NULL,
		memory ? memory + luma + luma / 4 : NULL };
	const size_t pitch[3] = { src->info.width, src->info.width / 2, src->info.width / 2 };
	h264i_io_status s = memory || src->in.regular ? H264I_IO_OK : H264I_IO_ERR_NOMEM;
	int64_t position;

	while (s == H264I_IO_OK && src->raw.frames < until) {
		const uint64_t n = src->raw.frames;

		s = h264i_i_raw_next(&src->raw, &position, why);
		if (s == H264I_IO_OK && memory)
			s = h264i_i_raw_fill(&src->raw, position, n, plane, pitch, why);
	}
	free(memory);
	return s;
}

/* Skips the frames before options.first_frame. */
static h264i_io_status seek_raw(h264i_source *src, uint64_t first, char *why)
{
	const h264i_io_status s = skip_raw(src, first, why);

	if (s == H264I_IO_END || (src->info.frames >= 0 && first >= (uint64_t)src->info.frames))
		return h264i_i_past_end(src->name, first, why);
	if (src->info.frames >= 0)
		src->info.frames -= (int64_t)first;
	src->info.first_index = first;
	return s;
}

/* Skips the frames before the part. */
static h264i_io_status begin_raw_part(h264i_source *src, const h264i_source_options *o, char *why)
{
	const uint64_t frames = src->info.frames > 0 ? (uint64_t)src->info.frames : 0;

	src->raw_range = h264i_i_parts_range(o, frames);
	src->seek = o->first_frame;
	if (o->first_frame)
		return seek_raw(src, o->first_frame, why);
	if (o->parts <= 1)
		return H264I_IO_OK;
	(void)skip_raw(src, src->raw_range.first, why);
	src->info.first_index = src->raw_range.first;
	src->info.frames = (int64_t)((src->raw_range.end < frames ? src->raw_range.end : frames) -
				     src->raw_range.first);
	/* The end and damage before the part are reported by the first read. */
	return H264I_IO_OK;
}

static h264i_io_status open_reader(h264i_source *src, const h264i_source_options *o, char *why)
{
	int e = h264i_i_infile_open(&src->in, o->path), taken;

	if (e && !(e == ENOENT && h264i_i_demux_is_url(o->path)))
		return lsched_i_say(
			H264I_IO_ERR_OPEN, why, IO_MSG_BYTES, "%s: %s", src->name, strerror(e));
	if (!e && o->parts > 1 && (!src->in.regular || src->in.is_stdin))
		return lsched_i_say(H264I_IO_ERR_ARG, why, IO_MSG_BYTES,
			"%s: a part of the input needs a regular file, which is read twice",
			src->name);
	if (!e) {
		taken = h264i_i_raw_open(
			&src->raw, &src->in, src->name, o, &src->info, &src->notice, why);
		src->is_raw = taken == 1;
		if (taken == 1)
			return begin_raw_part(src, o, why);
		if (taken != 0)
			return (h264i_io_status)taken;
	}
	return h264i_i_decoded_open(&src->dec, &src->in, o, &src->info, &src->notice, why);
}

/* Reports a repeated last column or row. */
static void report_padding(const h264i_source *src)
{
	const h264i_source_info *info = &src->info;
	const uint32_t width = src->is_raw ? src->raw.width : (uint32_t)src->dec.first_width;
	const uint32_t height = src->is_raw ? src->raw.height : (uint32_t)src->dec.first_height;

	if (width != info->width || height != info->height)
		h264i_i_notice(&src->notice, H264I_LOG_WARN,
			"%" PRIu32 "x%" PRIu32 " is padded to %" PRIu32 "x%" PRIu32
			" by repetition, because 4:2:0 requires even sizes",
			width, height, info->width, info->height);
}

static h264i_io_status open_source(h264i_source **out, const h264i_source_options *given, char *why)
{
	h264i_source_options o = { .interrupt_fd = -1 };
	const char *bad = given ? lsched_i_sized_in(&o, sizeof(o),
					  LSCHED_I_SIZE_TO(h264i_source_options, log_opaque), given)
				: "is NULL";
	char shown[IO_SHOWN_BYTES];
	h264i_source *src;
	h264i_io_status s;
	int e;

	if (!bad && !o.path)
		bad = "has no path";
	if (!bad && (o.part > o.parts || (o.parts > 0 && o.part == 0)))
		bad = "has a part that is not in 1..parts";
	if (bad)
		return lsched_i_say(
			H264I_IO_ERR_ARG, why, IO_MSG_BYTES, "h264i_source_options %s", bad);
	src = *out = calloc(1, sizeof(*src));
	if (!src)
		return H264I_IO_ERR_NOMEM;
	pthread_mutex_init(&src->lock, NULL);
	e = h264i_i_infile_init(&src->in, o.interrupt_fd);
	h264i_i_show_name(shown, strcmp(o.path, "-") == 0 ? "standard input" : o.path);
	src->name = strdup(shown);
	if (e || !src->name) {
		snprintf(why, IO_MSG_BYTES, "%s: %s", shown, strerror(e ? e : ENOMEM));
		return e ? H264I_IO_ERR_OPEN : H264I_IO_ERR_NOMEM;
	}
	src->has_streams = o.streams != NULL;
	src->notice.name = src->name;
	src->notice.log = o.log;
	src->notice.log_opaque = o.log_opaque;
	src->notice.interlaced_as_frames = o.interlaced_as_frames;
	s = open_reader(src, &o, why);
	if (s != H264I_IO_OK)
		return s;
	src->info.struct_bytes = sizeof(src->info);
	report_padding(src);
	return s;
}

h264i_io_status h264i_source_open(
	h264i_source **out, const h264i_source_options *o, char *msg, size_t msg_bytes)
{
	char why[IO_MSG_BYTES] = "";
	h264i_io_status s;

	if (!out)
		return H264I_IO_ERR_ARG;
	*out = NULL;
	s = open_source(out, o, why);
	if (s == H264I_IO_OK)
		return s;
	h264i_source_close(out);
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", why[0] ? why : h264i_io_strstatus(s));
	return s;
}

const h264i_source_info *h264i_source_get_info(const h264i_source *src)
{
	return &src->info;
}

const char *h264i_source_last_error(const h264i_source *src)
{
	return src->error;
}

/* Records a failure; the first one is kept. */
static h264i_io_status fail(h264i_source *src, h264i_io_status s, const char *msg)
{
	pthread_mutex_lock(&src->lock);
	if (src->failed == H264I_IO_OK) {
		src->failed = s;
		if (s != H264I_IO_END)
			snprintf(src->error, sizeof(src->error), "%s", msg);
	}
	pthread_mutex_unlock(&src->lock);
	return s;
}

static h264i_io_status failure(h264i_source *src)
{
	h264i_io_status s;

	pthread_mutex_lock(&src->lock);
	s = src->failed;
	pthread_mutex_unlock(&src->lock);
	return s;
}

/* Copies `f` to the caller's struct. Returns 0, or -1 with an error that later calls do not
 * return. */
static int put_frame(h264i_source *src, h264i_source_frame *to, const h264i_source_frame *f)
{
	const char *bad = to ? lsched_i_sized_out(to, sizeof(*f),
				       LSCHED_I_SIZE_TO(h264i_source_frame, duration), f)
			     : "is NULL";

	if (bad) {
		pthread_mutex_lock(&src->lock);
		snprintf(src->error, sizeof(src->error), "h264i_source_frame %s", bad);
		pthread_mutex_unlock(&src->lock);
	}
	return bad ? -1 : 0;
}

h264i_io_status h264i_source_next(
	h264i_source *src, h264i_source_claim **out, h264i_source_frame *frame)
{
	h264i_source_frame f = h264i_source_frame_init();
	h264i_source_claim *c;
	char msg[IO_MSG_BYTES] = "";
	h264i_io_status s = failure(src);

	*out = NULL;
	if (s != H264I_IO_OK)
		return s;
	if (put_frame(src, frame, &f)) /* before a frame is assigned, which would be lost */
		return H264I_IO_ERR_ARG;
	c = calloc(1, sizeof(*c));
	if (!c || (!src->is_raw && !(c->frame = av_frame_alloc()))) {
		free(c);
		return fail(src, H264I_IO_ERR_NOMEM, "out of memory");
	}
	if (src->is_raw) {
		f.index = src->raw.frames;
		f.pts = (int64_t)(f.index - src->seek);
		f.duration = 1;
		s = f.index < src->raw_range.end ? h264i_i_raw_next(&src->raw, &c->position, msg)
						 : H264I_IO_END;
	} else {
		s = h264i_i_decoded_next(&src->dec, c->frame, &f, &c->as_first, msg);
	}
	c->index = f.index;
	(void)put_frame(src, frame, &f);
	if (s != H264I_IO_OK) {
		h264i_source_drop(c);
		return fail(src, s, msg);
	}
	*out = c;
	return H264I_IO_OK;
}

h264i_io_status h264i_source_fill(h264i_source *src, h264i_source_claim *c, uint8_t *const plane[3],
	const size_t pitch_bytes[3], char *msg, size_t msg_bytes)
{
	char why[IO_MSG_BYTES] = "";
	h264i_io_status s = H264I_IO_OK;

	if (src->is_raw) {
		s = h264i_i_raw_fill(&src->raw, c->position, c->index, plane, pitch_bytes, why);
	} else {
		int e = h264i_i_decoded_fill(&src->dec, c->frame, plane, pitch_bytes);

		if (e < 0) {
			snprintf(why, sizeof(why),
				"%s: frame %" PRIu64 " (%s): this pixel format cannot be converted",
				src->name, c->index, src->info.pixel_format);
			s = e == AVERROR(ENOMEM) ? H264I_IO_ERR_NOMEM : H264I_IO_ERR_FORMAT;
		}
	}
	h264i_source_drop(c); /* the decoder gets its buffer back early */
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", why);
	return s == H264I_IO_OK ? s : fail(src, s, why);
}

void h264i_source_read_streams(h264i_source *src, int64_t until)
{
	if (!src->is_raw)
		h264i_i_decoded_read_streams(&src->dec, until);
	else if (src->has_streams)
		src->raw_range.end = src->raw.frames;
}

h264i_io_status h264i_source_use_memory(h264i_source *src, const h264i_source_memory *memory)
{
	h264i_source_memory m;

	if (!memory ||
		lsched_i_sized_in(
			&m, sizeof(m), LSCHED_I_SIZE_TO(h264i_source_memory, opaque), memory) ||
		!m.alloc || !m.release)
		return H264I_IO_ERR_ARG;
	if (!src->is_raw)
		h264i_i_framepool_use(&src->dec.demux.pool, &m);
	return H264I_IO_OK;
}

int h264i_source_view(const h264i_source_claim *c, uint8_t *plane[3], size_t pitch_bytes[3])
{
	if (!c->as_first || !c->frame || !h264i_i_framepool_owns(c->frame))
		return 0;
	for (int i = 0; i < 3; i++) {
		plane[i] = c->frame->data[i];
		pitch_bytes[i] = (size_t)c->frame->linesize[i];
	}
	return 1;
}

void h264i_source_keep_on_device(h264i_source *src)
{
	if (!src->is_raw)
		atomic_store(&src->dec.demux.hwdec.keep, 1);
}

int h264i_source_view_on_device(
	const h264i_source_claim *c, uint8_t *plane[2], size_t pitch_bytes[2])
{
	if (!c->as_first || !c->frame || c->frame->format != AV_PIX_FMT_CUDA)
		return 0;
	for (int i = 0; i < 2; i++) {
		plane[i] = c->frame->data[i];
		pitch_bytes[i] = (size_t)c->frame->linesize[i];
	}
	return 1;
}

void h264i_source_drop(h264i_source_claim *c)
{
	if (!c)
		return;
	av_frame_free(&c->frame);
	free(c);
}

h264i_io_status h264i_source_read(h264i_source *src, uint8_t *const plane[3],
	const size_t pitch_bytes[3], h264i_source_frame *frame)
{
	h264i_source_claim *c;
	h264i_io_status s = h264i_source_next(src, &c, frame);

	return s == H264I_IO_OK ? h264i_source_fill(src, c, plane, pitch_bytes, NULL, 0) : s;
}

void h264i_source_interrupt(h264i_source *src)
{
	h264i_i_infile_wake(&src->in);
}

void h264i_source_close(h264i_source **psrc)
{
	h264i_source *src = psrc ? *psrc : NULL;

	if (!src)
		return;
	*psrc = NULL;
	h264i_i_decoded_close(&src->dec);
	h264i_i_infile_close(&src->in);
	pthread_mutex_destroy(&src->lock);
	free(src->name);
	free(src);
}
