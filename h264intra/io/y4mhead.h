/* The lines of a YUV4MPEG2 file (.y4m): the first one, and the one before each frame. No FFmpeg. */
#ifndef H264INTRA_IO_Y4MHEAD_H
#define H264INTRA_IO_Y4MHEAD_H

#include <stddef.h>
#include <stdint.h>
#include "h264intra/io/notice.h"

#define IO_Y4M_MAGIC "YUV4MPEG2"

/* Longest side that is read; a line that is longer than this is none. */
enum { IO_Y4M_SIDE_MAX = 65535, IO_Y4M_FRAME_LINE_MAX = 256 };

typedef struct io_y4m_head {
	uint32_t width, height;
	uint32_t fps_num, fps_den; /* reduced; 25/1 if the line has none */
	uint32_t sar_num, sar_den; /* 0/0: not stated */
	int full_range;            /* 1, 0; -1: not stated */
	int chroma_loc;            /* as in h264i_vui; -1: not stated */
	io_fields fields;
	int is_i420; /* 8-bit 4:2:0; else the samples are something else, which is no error */
	size_t line_bytes;
} io_y4m_head;

/* Parses the first line of a file that begins with IO_Y4M_MAGIC. Returns 0, or -1 with the error in
 * `why`, to be printed after the file's name. */
int h264i_i_y4m_parse(
	io_y4m_head *h, const uint8_t *data, size_t bytes, char *why, size_t why_bytes);

/* Length of a frame's line at `data`, its newline included. 0: the line is not complete in `bytes`;
 * -1: this is no such line. */
int h264i_i_y4m_frame_line(const uint8_t *data, size_t bytes);
#endif
