/* What becomes of packets: a thread that writes the stream and, if wanted, the decoded pictures. */
#ifndef APPS_GPUINTRA_OUTPUT_H
#define APPS_GPUINTRA_OUTPUT_H

#include <stdatomic.h>
#include <h264intra/sink.h>
#include "apps/common/chan.h"

enum { OUTPUT_ITEMS = 16 };

typedef struct output_item {
	uint8_t *data;
	size_t room_bytes; /* of data */
	size_t data_bytes, headers_bytes;
	int64_t pts, duration;
	uint8_t *recon; /* I420 without gaps; NULL without --recon */
} output_item;

typedef struct output {
	h264i_sink *sink; /* the caller's */
	h264i_y4m *y4m;   /* the caller's; NULL: none */
	uint32_t width, height;
	output_item items[OUTPUT_ITEMS];
	chan empty, full;
	pthread_t thread;
	int thread_runs;
	atomic_int failed;      /* a write failed: the rest is thrown away */
	h264i_io_status status; /* of the writer; valid after output_finish, as is error */
	char error[600];
} output;

/* 0, or -1 with out->error. After either, output_close. */
int output_start(output *out, h264i_sink *sink, h264i_y4m *y4m, uint32_t width, uint32_t height);

/* Copies the packet and queues it. 0, or -1 when writing has failed or memory is short. */
int output_put(output *out, const h264i_packet *packet, int64_t duration);

/* 1 once a write has failed; output_finish says why. */
int output_has_failed(output *out);

/* Waits until everything is written and completes the files. `early`: the input or the encoder
 * has failed; then, and when one of the files fails, older files are not replaced
 * (h264i_sink_finish_early). 0, or -1 with out->error. */
int output_finish(output *out, int early);

void output_close(output *out);
#endif
