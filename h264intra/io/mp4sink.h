/* MP4 and MOV files with one track, by <h264intra/mp4.h>: a file that is not complete plays. */
#ifndef H264INTRA_IO_MP4SINK_H
#define H264INTRA_IO_MP4SINK_H

#include <h264intra/mp4.h>
#include <h264intra/sink.h>

#include "h264intra/io/io_outfile.h"

/* `format`: "mp4" or "mov". On failure returns NULL with msg (IO_MSG_BYTES). Nothing is written
 * yet; `file` has to exist until h264i_mp4_close. */
h264i_mp4 *h264i_i_mp4sink_open(
	const char *format, io_outfile *file, const h264i_sink_stream *stream, char *msg);

/* Return 0, or -1 with file->error or msg. */
int h264i_i_mp4sink_packet(
	h264i_mp4 *mp4, const io_outfile *file, const h264i_sink_packet *p, char *msg);
int h264i_i_mp4sink_finish(h264i_mp4 *mp4, const io_outfile *file, char *msg);

#endif
