/* Writes packets to .mp4, .mkv, .mov and .ts with libavformat. */
#ifndef H264INTRA_IO_MUX_H
#define H264INTRA_IO_MUX_H

#include <h264intra/sink.h>
#include "h264intra/io/io_outfile.h"

typedef struct io_mux io_mux;

/* `format`: FFmpeg's name of the multiplexer. Nothing is written yet; `file` outlives the mux. NULL
 * with msg (IO_MSG_BYTES) on failure. */
io_mux *h264i_i_mux_open(
	const char *format, io_outfile *file, const h264i_sink_stream *stream, char *msg);

/* Return 0, or -1 with msg (a failed write sets file->error instead of msg). With longer_streams
 * the packets of other streams behind the last frame are written too. */
int h264i_i_mux_header(io_mux *m, char *msg);
int h264i_i_mux_packet(io_mux *m, const h264i_sink_packet *p, char *msg);
int h264i_i_mux_trailer(io_mux *m, int longer_streams, char *msg);

void h264i_i_mux_close(io_mux **m);
#endif
