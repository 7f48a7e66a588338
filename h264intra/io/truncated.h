/* Detects truncated files that libavformat does not report. */
#ifndef H264INTRA_IO_TRUNCATED_H
#define H264INTRA_IO_TRUNCATED_H

#include <libavformat/avformat.h>
#include "h264intra/io/infile.h"

/* Returns 1 if bytes are missing after the last packet, which ended at file position packet_end
 * (-1: unknown), as far as the format allows to detect it. */
int h264i_i_is_truncated(const AVFormatContext *fmt, const AVStream *stream, const io_infile *in,
	int64_t packet_end);
#endif
