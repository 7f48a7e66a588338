#include "h264intra/io/rawfile.h"
#include "h264intra/io/convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/error.h>

/* FRAME_LINE_MIN: "FRAME" and the newline. ROWS_BYTES: a row fits. */
enum { ROWS_BYTES = IO_Y4M_SIDE_MAX + 1, FRAME_LINE_MIN = 6, UNSPECIFIED = 2 };

/* Where a call of h264i_i_raw_fill reads. */
typedef struct cursor {
	io_raw *r;
	int64_t position; /* in a regular file */
	int error;        /* AVERROR, or 0 with too few bytes at the end of the file */
} cursor;

static void describe(h264i_source_info *info, const io_raw *r, const io_y4m_head *h)
{
	int64_t line = r->is_y4m ? FRAME_LINE_MIN : 0;

	memset(info, 0, sizeof(*info));
	info->width = (r->width + 1) & ~1u;
	info->height = (r->height + 1) & ~1u;
	info->time_base_num = h->fps_den;
	info->time_base_den = h->fps_num;
	info->frames = r->in->regular ? (r->in->size - r->position) / (r->frame_bytes + line) : -1;
	if (info->frames == 0)
		info->frames = 1;
	info->vui.full_range = h->full_range;
	info->vui.primaries = info->vui.transfer = info->vui.matrix = UNSPECIFIED;
	info->vui.chroma_loc = h->chroma_loc;
	info->vui.sar_num = h->sar_num;
	info->vui.sar_den = h->sar_den;
	info->vui.fps_num = h->fps_num;
	info->vui.fps_den = h->fps_den;
	info->vui.fixed_rate = r->is_y4m;
	info->parallel = r->in->regular;
	snprintf(info->format, sizeof(info->format), "%s", r->is_y4m ? "yuv4mpegpipe" : "rawvideo");
	snprintf(info->codec, sizeof(info->codec), "rawvideo");
	snprintf(info->pixel_format, sizeof(info->pixel_format), "yuv420p");
}

/* 1: options and first bytes are those of a .y4m that this reader supports. */
static int open_y4m(io_raw *r, const h264i_source_options *o, io_y4m_head *h, char *msg)
{
	uint8_t head[IO_HEAD_BYTES];
	const size_t magic = sizeof(IO_Y4M_MAGIC) - 1;
	char why[200];
	int n;

	if (o->width || o->height || o->fps_num || o->fps_den || o->pixel_format ||
		(o->format && strcmp(o->format, "yuv4mpegpipe") != 0))
		return 0;
	n = h264i_i_infile_peek(r->in, IO_Y4M_MAGIC, head);
	if (n == AVERROR_EXIT)
		return h264i_i_io_fail(H264I_IO_INTERRUPTED, msg, r->name, "interrupted");
	/* Without bytes or with an error: libavformat has the same result and reports it. */
	if (n < (int)magic || memcmp(head, IO_Y4M_MAGIC, magic) != 0)
		return 0;
	if (h264i_i_y4m_parse(h, head, (size_t)n, why, sizeof(why)) != 0)
		return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, r->name, "%s", why);
	r->is_y4m = 1;
	r->position = (int64_t)h->line_bytes;
	return h->is_i420;
}

/* 1: the options are those of raw video that this reader supports. */
static int open_plain(const h264i_source_options *o, io_y4m_head *h)
{
	if (!o->width || !o->height || (o->format && strcmp(o->format, "rawvideo") != 0) ||
		(o->pixel_format && strcmp(o->pixel_format, "yuv420p") != 0) ||
		o->width > IO_Y4M_SIDE_MAX || o->height > IO_Y4M_SIDE_MAX)
		return 0;
	*h = (io_y4m_head){ .width = o->width, .height = o->height, .full_range = -1 };
	h->chroma_loc = -1;
	h->fps_num = o->fps_num && o->fps_den ? o->fps_num : 25;
	h->fps_den = o->fps_num && o->fps_den ? o->fps_den : 1;
	return 1;
}

static int check_first(io_raw *r, char *msg)
{
	if (!r->in->regular || r->in->size - r->position >= r->frame_bytes)
		return 1;
	if (r->in->size == 0)
		return h264i_i_io_fail(H264I_IO_ERR_EMPTY, msg, r->name, "the input is empty");
	if (r->in->size == r->position)
		return h264i_i_io_fail(H264I_IO_ERR_EMPTY, msg, r->name, "the video has no frames");
	return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, r->name,
		"no frame can be decoded: a frame of %" PRIu32 "x%" PRIu32 " has %" PRId64
		" bytes, the file has %" PRId64 " after its first line",
		r->width, r->height, r->frame_bytes, r->in->size - r->position);
}

/* Leaves the pipe at the first frame. */
static int skip_first_line(io_raw *r)
{
	uint8_t byte;
	int n;

	do
		n = h264i_i_infile_read(r->in, &byte, 1);
	while (n == 1 && byte != '\n');
	return n == 1 ? 0 : -1;
}

int h264i_i_raw_open(io_raw *r, io_infile *in, const char *name, const h264i_source_options *o,
	h264i_source_info *info, io_notice *notice, char *msg)
{
	io_y4m_head h;
	int64_t half_width, half_height;
	int s;

	memset(r, 0, sizeof(*r));
	r->in = in;
	r->name = name;
	s = open_plain(o, &h);
	if (s == 0)
		s = open_y4m(r, o, &h, msg);
	if (s != 1)
		return s;
	r->width = h.width;
	r->height = h.height;
	half_width = (h.width + 1) / 2;
	half_height = (h.height + 1) / 2;
	r->frame_bytes = (int64_t)h.width * h.height + 2 * half_width * half_height;
	describe(info, r, &h);
	s = check_first(r, msg);
	if (s == 1 && h264i_i_check_fields(notice, h.fields, 0, msg) != H264I_IO_OK)
		s = H264I_IO_ERR_FORMAT;
	if (s != 1)
		return s;
	if (!in->regular && r->is_y4m && skip_first_line(r) != 0)
		return H264I_IO_ERR_READ; /* not possible: the line was there */
	return 1;
}

static h264i_io_status damaged(const io_raw *r, uint64_t frames, char *msg)
{
	if (frames == 0)
		return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, r->name,
			"no frame can be decoded: the first one, of %" PRId64
			" bytes, is not complete",
			r->frame_bytes);
	return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, r->name,
		"truncated or damaged after frame %" PRIu64, frames);
}

static h264i_io_status failed(const io_raw *r, uint64_t frames, int averror, char *msg)
{
	if (averror == AVERROR_EXIT)
		return h264i_i_io_fail(H264I_IO_INTERRUPTED, msg, r->name, "interrupted");
	return h264i_i_io_fail(H264I_IO_ERR_READ, msg, r->name, "%s after frame %" PRIu64,
		strerror(AVUNERROR(averror)), frames);
}

static h264i_io_status no_more(const io_raw *r, char *msg)
{
	if (r->frames > 0)
		return H264I_IO_END;
	return h264i_i_io_fail(H264I_IO_ERR_EMPTY, msg, r->name, "%s",
		r->is_y4m ? "the video has no frames" : "the input is empty");
}

static h264i_io_status no_line(const io_raw *r, char *msg)
{
	return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, r->name,
		"truncated or damaged after frame %" PRIu64 ": no line FRAME follows it",
		r->frames);
}

/* 1 when the regular file has `bytes` more; a file may grow while it is read. */
static int has_bytes(io_raw *r, int64_t bytes)
{
	if (r->in->size - r->position < bytes)
		h264i_i_infile_update_size(r->in);
	return r->in->size - r->position >= bytes;
}

static h264i_io_status next_in_file(io_raw *r, int64_t *position, char *msg)
{
	int64_t n;
	int line = 0;

	if (h264i_i_infile_interrupted(r->in))
		return failed(r, r->frames, AVERROR_EXIT, msg);
	if (!has_bytes(r, 1))
		return no_more(r, msg);
	if (r->is_y4m) {
		/* Almost always "FRAME\n". */
		n = h264i_i_infile_read_at(r->in, r->spill, FRAME_LINE_MIN, r->position);
		if (n == FRAME_LINE_MIN)
			line = h264i_i_y4m_frame_line(r->spill, (size_t)n);
		if (line == 0 && n >= 0) {
			n = h264i_i_infile_read_at(r->in, r->spill, sizeof(r->spill), r->position);
			line = n >= 0 ? h264i_i_y4m_frame_line(r->spill, (size_t)n) : 0;
		}
		if (n < 0)
			return failed(r, r->frames, (int)n, msg);
		if (line < 0)
			return no_line(r, msg);
	}
	if ((r->is_y4m && line == 0) || !has_bytes(r, line + r->frame_bytes))
		return damaged(r, r->frames, msg);
	*position = r->position + line;
	r->position = *position + r->frame_bytes;
	r->frames++;
	return H264I_IO_OK;
}

/* Reads exactly `bytes` of a pipe, fewer at its end; negative: AVERROR. */
static int64_t read_pipe(io_infile *in, uint8_t *to, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		size_t want = bytes - done;
		int n = h264i_i_infile_read(
			in, to + done, want > INT32_MAX ? INT32_MAX : (int)want);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

/* Up to and with the newline before the samples of .y4m. */
static h264i_io_status next_in_pipe(io_raw *r, char *msg)
{
	size_t have = 0, want = FRAME_LINE_MIN;
	int line = 0;

	if (!r->is_y4m) {
		int end = h264i_i_infile_at_end(r->in);

		if (end)
			return end < 0 ? failed(r, r->frames, end, msg) : no_more(r, msg);
	}
	while (r->is_y4m && line == 0) {
		int64_t n = read_pipe(r->in, r->spill + have, want);

		if (n < 0)
			return failed(r, r->frames, (int)n, msg);
		if (n == 0 && have == 0)
			return no_more(r, msg);
		if ((size_t)n < want)
			return damaged(r, r->frames, msg);
		have += want;
		want = 1; /* parameters are rare; byte by byte, to read no byte of the samples */
		line = h264i_i_y4m_frame_line(r->spill, have);
		if (line < 0)
			return no_line(r, msg);
	}
	r->frames++;
	return H264I_IO_OK;
}

h264i_io_status h264i_i_raw_next(io_raw *r, int64_t *position, char *msg)
{
	if (r->in->regular)
		return next_in_file(r, position, msg);
	*position = 0;
	return next_in_pipe(r, msg);
}

/* 0, or -1 with c->error. */
static int get(cursor *c, uint8_t *to, size_t bytes)
{
	int64_t n = c->r->in->regular ? h264i_i_infile_read_at(c->r->in, to, bytes, c->position)
				      : read_pipe(c->r->in, to, bytes);

	if (n < 0)
		c->error = (int)n;
	c->position += (int64_t)bytes;
	return n == (int64_t)bytes ? 0 : -1;
}

/* A plane of width bytes a row, without gaps in the file. */
static int get_plane(cursor *c, uint8_t *to, size_t pitch, size_t width, size_t height)
{
	uint8_t rows[ROWS_BYTES];
	size_t step = sizeof(rows) / width; /* at least 1 */

	if (pitch == width)
		return get(c, to, width * height);
	for (size_t y = 0; y < height; y += step) {
		size_t n = height - y < step ? height - y : step;

		if (get(c, rows, n * width))
			return -1;
		for (size_t i = 0; i < n; i++)
			memcpy(to + (y + i) * pitch, rows + i * width, width);
	}
	return 0;
}

h264i_io_status h264i_i_raw_fill(io_raw *r, int64_t position, uint64_t index,
	uint8_t *const plane[3], const size_t pitch_bytes[3], char *msg)
{
	cursor c = { .r = r, .position = position };

	for (int i = 0; i < 3; i++) {
		size_t width = i ? (r->width + 1) / 2 : r->width;
		size_t height = i ? (r->height + 1) / 2 : r->height;

		if (get_plane(&c, plane[i], pitch_bytes[i], width, height))
			return c.error ? failed(r, index, c.error, msg) : damaged(r, index, msg);
	}
	h264i_i_pad(plane[0], pitch_bytes[0], r->width, r->height);
	return H264I_IO_OK;
}
