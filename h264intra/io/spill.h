/* FIFO of packets in a temporary file, for packets that would need too much memory. */
#ifndef H264INTRA_IO_SPILL_H
#define H264INTRA_IO_SPILL_H

#include <stdint.h>
#include <stdio.h>
#include <libavcodec/packet.h>

typedef struct io_spill {
	FILE *file; /* NULL until the first packet; has no name */
	int64_t read_at, write_at;
	uint64_t count; /* packets in it */
} io_spill;

/* Appends the packet's data, times, flags and side data. Returns 0 or errno. */
int h264i_i_spill_put(io_spill *s, const AVPacket *packet);

/* Removes the first packet, of which there is one. Returns 0 or errno. */
int h264i_i_spill_get(io_spill *s, AVPacket *packet);

/* Allowed on a zeroed one. */
void h264i_i_spill_close(io_spill *s);
#endif
