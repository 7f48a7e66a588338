/* What an error of libavformat means, for demux.c. */
#ifndef H264INTRA_IO_DEMUX_ERROR_H
#define H264INTRA_IO_DEMUX_ERROR_H

#include "h264intra/io/demux.h"

/* Writes FFmpeg's sentence, or the number, to buf and returns it. */
const char *h264i_i_demux_error_text(int averror, char *buf, size_t bytes);

/* 1: the file is damaged or ends too early. */
int h264i_i_demux_is_damage(const io_demux *d, int e);

/* Turns a failure to open the input into a status and a line of IO_MSG_BYTES. */
h264i_io_status h264i_i_demux_explain_open(const io_demux *d, int e, char *msg);

/* 1: raw video, by the format or the extension that FFmpeg uses, and the options have no size. */
int h264i_i_demux_lacks_size(const h264i_source_options *o);
#endif
