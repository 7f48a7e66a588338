/* Which streams a container of libavformat can store. */
#ifndef H264INTRA_IO_FITS_H
#define H264INTRA_IO_FITS_H

#include "h264intra/io/compat.h"

enum { IO_FITS_WHY_BYTES = 128 };

/* 1: the container can store the stream; 0: it cannot, with the reason in why
 * (IO_FITS_WHY_BYTES). */
int h264i_i_fits(const AVOutputFormat *format, const AVStream *stream, char *why);

/* Copies what a stream's header states: codec, metadata, disposition, time base. The codec tag is
 * one of `format`. Returns 0 or AVERROR(ENOMEM). */
int h264i_i_fits_describe(AVStream *to, const AVStream *from, const AVOutputFormat *format);
#endif
