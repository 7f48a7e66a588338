/* Properties of a stream from its first frame and its container: colour, range, aspect, rate,
 * rotation. */
#ifndef H264INTRA_IO_DESCRIBE_H
#define H264INTRA_IO_DESCRIBE_H

#include "h264intra/io/demux.h"
#include "h264intra/io/notice.h"

/* Fills in everything of `info`. */
void h264i_i_describe(h264i_source_info *info, const io_demux *d, const AVFrame *first);

/* Interlacing, as the container states it. */
io_fields h264i_i_stream_fields(const io_demux *d);

/* 1 when the format has no timestamps: the frames are then 0, 1, 2, ... of the frame rate. */
int h264i_i_no_timestamps(const io_demux *d);
#endif
