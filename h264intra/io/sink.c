#include <h264intra/sink.h>

#include "libsched/core/sized.h"
#include "h264intra/io/compat.h"
#include "h264intra/io/io_outfile.h"
#include "h264intra/io/mp4sink.h"
#include "h264intra/io/mux.h"
#include "h264intra/io/shown.h"
#include "h264intra/io/streams.h"
#include "libsched/core/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct file_type {
	const char *extension;
	const char *format; /* FFmpeg's name; NULL: Annex B without a container */
	int own;            /* 1: written by libh264intra if there is only coded video */
	int rotates;
} file_type;

/* libavformat stores rotation in Matroska from FFmpeg 7 on (libavformat 61). */
enum { MKV_ROTATES = LIBAVFORMAT_VERSION_MAJOR >= 61 };

static const file_type types[] = {
	{ ".264", NULL, 0, 0 },
	{ ".h264", NULL, 0, 0 },
	{ ".mp4", "mp4", 1, 1 },
	{ ".m4v", "mp4", 1, 1 },
	{ ".mkv", "matroska", 0, MKV_ROTATES },
	{ ".mov", "mov", 1, 1 },
	{ ".ts", "mpegts", 0, 0 },
};

struct h264i_sink {
	io_outfile file;
	const file_type *type;
	io_mux *mux;
	h264i_mp4 *mp4;
	int begun, created, finished;
	int shorter_streams;    /* 1: other streams end with the video */
	h264i_io_status failed; /* OK: no failure yet */
	char error[IO_MSG_BYTES];
};

static const file_type *type_by_name(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t e = strlen(types[i].extension);

		if (n > e && strcasecmp(path + n - e, types[i].extension) == 0)
			return &types[i];
	}
	return NULL;
}

h264i_io_status h264i_output_check(const char *path, int overwrite, char *msg, size_t msg_bytes)
{
	char why[IO_MSG_BYTES] = "";
	io_outfile file;
	h264i_io_status s = h264i_i_outfile_init(&file, path, overwrite, why);

	if (s == H264I_IO_OK)
		h264i_i_outfile_close(&file, 0);
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", why);
	return s;
}

h264i_io_status h264i_sink_open(
	h264i_sink **out, const char *path, int overwrite, char *msg, size_t msg_bytes)
{
	char why[IO_MSG_BYTES] = "";
	h264i_io_status s = H264I_IO_ERR_NOMEM;
	h264i_sink *sink;

	if (!out)
		return H264I_IO_ERR_ARG;
	*out = NULL;
	sink = calloc(1, sizeof(*sink));
	if (sink) {
		s = h264i_i_outfile_init(&sink->file, path, overwrite, why);
		if (s == H264I_IO_OK) {
			sink->type = sink->file.is_stream ? &types[0] : type_by_name(path);
			if (!sink->type) {
				char shown[IO_SHOWN_BYTES];

				s = H264I_IO_ERR_NAME;
				snprintf(why, sizeof(why),
					"%s: the name must end in .264 .h264 .mp4 .m4v .mkv .mov "
					"or .ts",
					h264i_i_show_name(shown, path));
				h264i_i_outfile_close(&sink->file, 0);
			}
		}
	}
	if (s != H264I_IO_OK) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "%s", why[0] ? why : h264i_io_strstatus(s));
		free(sink);
		return s;
	}
	*out = sink;
	return H264I_IO_OK;
}

int h264i_sink_carries_rotation(const h264i_sink *sink)
{
	return sink->type->rotates;
}

int h264i_sink_carries_streams(const h264i_sink *sink)
{
	return sink->type->format != NULL;
}

int h264i_sink_needs_aud(const h264i_sink *sink)
{
	return sink->type->format && strcmp(sink->type->format, "mpegts") == 0;
}

void h264i_sink_set_interrupt_fd(h264i_sink *sink, int fd)
{
	sink->file.interrupt_fd = fd;
}

void h264i_sink_set_longer_streams(h264i_sink *sink, int longer)
{
	sink->shorter_streams = !longer;
}

/* Copies the caller's struct, of any known size, to `to`, which has the defaults. Returns 0, or -1
 * with the sink's error. */
static int read_sized(h264i_sink *sink, const char *name, void *to, size_t known_bytes,
	size_t least_bytes, const void *from)
{
	const char *why = from ? lsched_i_sized_in(to, known_bytes, least_bytes, from) : "is NULL";

	if (why)
		snprintf(sink->error, sizeof(sink->error), "%s: %s %s", sink->file.path, name, why);
	return why ? -1 : 0;
}

/* 1 if the file gets more than libh264intra writes. */
static int needs_ffmpeg(const h264i_sink_stream *s)
{
	return s->hdr.has_mastering_display || s->hdr.has_content_light ||
	       (s->streams && h264i_i_streams_any(s->streams));
}

h264i_io_status h264i_sink_begin(h264i_sink *sink, const h264i_sink_stream *from)
{
	h264i_sink_stream known, *const stream = &known;

	h264i_sink_stream_init(stream);
	if (read_sized(sink, "h264i_sink_stream", stream, sizeof(*stream),
		    LSCHED_I_SIZE_TO(h264i_sink_stream, display_matrix), from))
		return H264I_IO_ERR_ARG;
	if (sink->begun || !stream->time_base_num || !stream->time_base_den)
		return lsched_i_say(H264I_IO_ERR_ARG, sink->error, sizeof(sink->error),
			"%s: h264i_sink_begin was called before, or the time base is 0",
			sink->file.path);
	if (sink->type->own && !needs_ffmpeg(stream))
		sink->mp4 =
			h264i_i_mp4sink_open(sink->type->format, &sink->file, stream, sink->error);
	else if (sink->type->format)
		sink->mux = h264i_i_mux_open(sink->type->format, &sink->file, stream, sink->error);
	if (sink->type->format && !sink->mux && !sink->mp4)
		return sink->failed = H264I_IO_ERR_WRITE;
	sink->begun = 1;
	return H264I_IO_OK;
}

/* 1 if an incomplete file plays: an .mp4 or .mov from its first fragment on, but not one that
 * FFmpeg writes. */
static int plays(const h264i_sink *sink)
{
	return sink->mp4 ? h264i_mp4_frames(sink->mp4) > 0 : !(sink->mux && sink->type->own);
}

static h264i_io_status fail(h264i_sink *sink)
{
	if (sink->file.error)
		return sink->failed =
			       h264i_i_outfile_explain(&sink->file, plays(sink), sink->error);
	h264i_i_outfile_say_where(&sink->file, plays(sink), sink->error);
	return sink->failed = H264I_IO_ERR_WRITE;
}

h264i_io_status h264i_sink_write(h264i_sink *sink, const h264i_sink_packet *from)
{
	h264i_sink_packet known, *const p = &known;
	int failed;

	h264i_sink_packet_init(p);
	if (read_sized(sink, "h264i_sink_packet", p, sizeof(*p),
		    LSCHED_I_SIZE_TO(h264i_sink_packet, duration), from))
		return H264I_IO_ERR_ARG;
	if (sink->failed != H264I_IO_OK)
		return sink->failed;
	if (!sink->begun || sink->finished || p->headers_bytes > p->data_bytes)
		return lsched_i_say(H264I_IO_ERR_ARG, sink->error, sizeof(sink->error),
			"%s: a packet before h264i_sink_begin or after h264i_sink_finish, or "
			"headers_bytes is above data_bytes",
			sink->file.path);
	if (!sink->created) {
		sink->failed = h264i_i_outfile_create(&sink->file, sink->error);
		if (sink->failed != H264I_IO_OK)
			return sink->failed;
		sink->created = 1;
		if (sink->mux && h264i_i_mux_header(sink->mux, sink->error) != 0)
			return fail(sink);
	}
	if (sink->mp4)
		failed = h264i_i_mp4sink_packet(sink->mp4, &sink->file, p, sink->error);
	else if (sink->mux)
		failed = h264i_i_mux_packet(sink->mux, p, sink->error);
	else
		failed = h264i_i_outfile_write(&sink->file, p->data, p->data_bytes);
	return failed ? fail(sink) : H264I_IO_OK;
}

static h264i_io_status finish(h264i_sink *sink, int replace)
{
	if (sink->failed != H264I_IO_OK || sink->finished)
		return sink->failed;
	sink->finished = 1;
	if (!sink->created)
		return H264I_IO_OK;
	if (sink->mux &&
		h264i_i_mux_trailer(sink->mux, replace && !sink->shorter_streams, sink->error) != 0)
		return fail(sink);
	if (sink->mp4 && h264i_i_mp4sink_finish(sink->mp4, &sink->file, sink->error) != 0)
		return fail(sink);
	if (h264i_i_outfile_finish(&sink->file, replace) != 0)
		return fail(sink);
	return H264I_IO_OK;
}

h264i_io_status h264i_sink_finish(h264i_sink *sink)
{
	return finish(sink, 1);
}

h264i_io_status h264i_sink_finish_early(h264i_sink *sink)
{
	return finish(sink, 0);
}

const char *h264i_sink_file(const h264i_sink *sink)
{
	return h264i_i_outfile_where(&sink->file);
}

uint64_t h264i_sink_bytes(const h264i_sink *sink)
{
	return sink->file.bytes;
}

const char *h264i_sink_last_error(const h264i_sink *sink)
{
	return sink->error;
}

void h264i_sink_close(h264i_sink **psink)
{
	h264i_sink *sink = psink ? *psink : NULL;
	int keep;

	if (!sink)
		return;
	*psink = NULL;
	keep = plays(sink);
	h264i_i_mux_close(&sink->mux);
	h264i_mp4_close(&sink->mp4);
	h264i_i_outfile_close(&sink->file, keep);
	free(sink);
}
