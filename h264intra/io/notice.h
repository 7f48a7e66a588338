/* Log messages about properties of the input that the stream does not keep, each once per
 * source, and the refusal of interlaced video. */
#ifndef H264INTRA_IO_NOTICE_H
#define H264INTRA_IO_NOTICE_H

#include "h264intra/io/message.h"

#include <libavutil/frame.h>

typedef enum io_fields {
	IO_FIELDS_PROGRESSIVE,
	IO_FIELDS_TOP_FIRST,
	IO_FIELDS_BOTTOM_FIRST,
	IO_FIELDS_MIXED
} io_fields;

typedef struct io_notice {
	h264i_log_fn log; /* NULL: silence */
	void *log_opaque;
	const char *name;         /* of the input */
	int interlaced_as_frames; /* 1: a warning; 0: an error */
	int interlaced_reported;
} io_notice;

/* One line: the name, then text by printf. */
void h264i_i_notice(const io_notice *n, h264i_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns OK if the pictures from `frame` on are progressive, or with interlaced_as_frames, which
 * logs a warning; else ERR_FORMAT with msg, of IO_MSG_BYTES. */
h264i_io_status h264i_i_check_fields(io_notice *n, io_fields fields, uint64_t frame, char *msg);

/* The same, from the flags of a decoded frame; stated: the order of the fields for the message, in
 * place of the decoder's, unless it is progressive. */
h264i_io_status h264i_i_check_frame_fields(
	io_notice *n, const AVFrame *decoded, io_fields stated, uint64_t frame, char *msg);

/* Warns of a file that states fields, although its pictures are progressive for the decoder, which
 * decides. */
void h264i_i_notice_stated_fields(io_notice *n, io_fields stated);

/* Warns that 8 bits reduce the dynamic range of the picture. */
void h264i_i_notice_hdr(const io_notice *n, const AVFrame *frame);
#endif
