#include <h264intra/sink.h>

#include "h264intra/io/io_outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct h264i_y4m {
	io_outfile file;
	uint32_t width, height;
	h264i_vui vui;
	int created, finished;
	h264i_io_status failed;
	int planes;       /* 3, 1 of pictures without chroma; 0: no picture yet */
	uint8_t *picture; /* "FRAME\n" and the planes without gaps */
	size_t picture_bytes;
	char error[IO_MSG_BYTES];
};

static const char frame_header[] = "FRAME\n";
enum { FRAME_HEADER_BYTES = sizeof(frame_header) - 1 };

h264i_io_status h264i_y4m_open(h264i_y4m **out, const char *path, int overwrite, uint32_t width,
	uint32_t height, const h264i_vui *vui, char *msg, size_t msg_bytes)
{
	char why[IO_MSG_BYTES] = "";
	h264i_io_status s = H264I_IO_ERR_NOMEM;
	h264i_y4m *y;

	if (!out)
		return H264I_IO_ERR_ARG;
	*out = NULL;
	if (!vui) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "h264i_vui is NULL");
		return H264I_IO_ERR_ARG;
	}
	y = calloc(1, sizeof(*y));
	if (y) {
		y->width = width;
		y->height = height;
		y->vui = *vui;
		y->picture_bytes = FRAME_HEADER_BYTES + (size_t)width * height * 3 / 2;
		y->picture = malloc(y->picture_bytes);
		if (y->picture)
			s = h264i_i_outfile_init(&y->file, path, overwrite, why);
	}
	if (s != H264I_IO_OK) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "%s", why[0] ? why : h264i_io_strstatus(s));
		if (y)
			free(y->picture);
		free(y);
		return s;
	}
	memcpy(y->picture, frame_header, FRAME_HEADER_BYTES);
	*out = y;
	return H264I_IO_OK;
}

void h264i_y4m_set_interrupt_fd(h264i_y4m *y, int fd)
{
	y->file.interrupt_fd = fd;
}

/* The format has three names for positions of 4:2:0 chroma; that of MPEG-2 is the default. */
static const char *chroma_name(int chroma_loc)
{
	return chroma_loc == 1 ? "420jpeg" : chroma_loc == 2 ? "420paldv" : "420mpeg2";
}

static int write_stream_header(h264i_y4m *y)
{
	char text[160];
	int n = snprintf(text, sizeof(text),
		"YUV4MPEG2 W%" PRIu32 " H%" PRIu32 " F%" PRIu32 ":%" PRIu32 " Ip A%" PRIu32
		":%" PRIu32 " C%s%s\n",
		y->width, y->height, y->vui.fps_num ? y->vui.fps_num : 25,
		y->vui.fps_den ? y->vui.fps_den : 1, y->vui.sar_num, y->vui.sar_den,
		y->planes == 1 ? "mono" : chroma_name(y->vui.chroma_loc),
		y->vui.full_range < 0 ? ""
		: y->vui.full_range   ? " XCOLORRANGE=FULL"
				      : " XCOLORRANGE=LIMITED");

	return h264i_i_outfile_write(&y->file, text, (size_t)n);
}

h264i_io_status h264i_y4m_write(
	h264i_y4m *y, const uint8_t *const plane[3], const size_t pitch_bytes[3])
{
	uint8_t *at = y->picture + FRAME_HEADER_BYTES;

	if (y->failed != H264I_IO_OK)
		return y->failed;
	if (!y->planes) { /* those of the first picture */
		y->planes = plane[1] ? 3 : 1;
		if (y->planes == 1)
			y->picture_bytes = FRAME_HEADER_BYTES + (size_t)y->width * y->height;
	}
	if (!y->created) {
		y->failed = h264i_i_outfile_create(&y->file, y->error);
		if (y->failed != H264I_IO_OK)
			return y->failed;
		y->created = 1;
		if (write_stream_header(y) != 0)
			return y->failed = h264i_i_outfile_explain(&y->file, 1, y->error);
	}
	for (int i = 0; i < y->planes; i++) {
		size_t w = i ? y->width / 2 : y->width, h = i ? y->height / 2 : y->height;

		for (size_t row = 0; row < h; row++, at += w)
			memcpy(at, plane[i] + row * pitch_bytes[i], w);
	}
	if (h264i_i_outfile_write(&y->file, y->picture, y->picture_bytes) != 0)
		return y->failed = h264i_i_outfile_explain(&y->file, 1, y->error);
	return H264I_IO_OK;
}

static h264i_io_status finish(h264i_y4m *y, int replace)
{
	if (y->failed != H264I_IO_OK || y->finished)
		return y->failed;
	y->finished = 1;
	if (y->created && h264i_i_outfile_finish(&y->file, replace) != 0)
		return y->failed = h264i_i_outfile_explain(&y->file, 1, y->error);
	return H264I_IO_OK;
}

h264i_io_status h264i_y4m_finish(h264i_y4m *y)
{
	return finish(y, 1);
}

h264i_io_status h264i_y4m_finish_early(h264i_y4m *y)
{
	return finish(y, 0);
}

const char *h264i_y4m_file(const h264i_y4m *y)
{
	return h264i_i_outfile_where(&y->file);
}

const char *h264i_y4m_last_error(const h264i_y4m *y)
{
	return y->error;
}

void h264i_y4m_close(h264i_y4m **py)
{
	h264i_y4m *y = py ? *py : NULL;

	if (!y)
		return;
	*py = NULL;
	h264i_i_outfile_close(&y->file, 1); /* an incomplete .y4m plays */
	free(y->picture);
	free(y);
}
