/* Log messages about properties of the input that the stream does not keep, each once per
 * source. */
#ifndef H264INTRA_IO_NOTICE_H
#define H264INTRA_IO_NOTICE_H

#include <h264intra/io.h>
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
	const char *name; /* of the input */
	int interlaced_reported;
} io_notice;

/* One line: the name, then text by printf. */
void h264i_i_notice(const io_notice *n, h264i_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Warns that the pictures are interlaced, unless `fields` says progressive. */
void h264i_i_notice_fields(io_notice *n, io_fields fields);

/* The same, from the flags of a decoded frame. */
void h264i_i_notice_frame_fields(io_notice *n, const AVFrame *frame);

/* Warns that 8 bits reduce the dynamic range of the picture. */
void h264i_i_notice_hdr(const io_notice *n, const AVFrame *frame);
#endif
