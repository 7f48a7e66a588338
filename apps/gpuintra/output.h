/* Output: a thread that writes the packets and, with --recon, the decoded pictures. */
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
	uint8_t *recon; /* I420, or Y, without gaps; NULL without --recon */
	int gray;       /* 1: Y */
} output_item;

typedef struct output {
	h264i_sink *sink; /* the caller's */
	h264i_y4m *y4m;   /* the caller's; NULL: none */
	uint32_t width, height;
	output_item items[OUTPUT_ITEMS];
	chan empty, full;
	pthread_t thread;
	int thread_runs;
	atomic_int failed;      /* 1: a write failed, and later packets are discarded */
	h264i_io_status status; /* of the writer; valid after output_finish, as is error */
	char error[600];
} output;

/* Starts the thread. Returns 0, or -1 with out->error. In both cases call output_close. */
int output_start(output *out, h264i_sink *sink, h264i_y4m *y4m, uint32_t width, uint32_t height);

/* Copies the packet and enqueues it. Returns 0, or -1 if writing failed or without memory. */
int output_put(output *out, const h264i_packet *packet, int64_t duration);

/* 1 once a write has failed; output_finish returns the reason. */
int output_has_failed(output *out);

/* How the files end, from good to bad. */
typedef enum output_end {
	OUTPUT_WHOLE,
	OUTPUT_EARLY,  /* completed, but older files are not replaced (h264i_sink_finish_early) */
	OUTPUT_LACKING /* not completed: the packets so far are in NAME.part */
} output_end;

/* Waits until all packets are written and ends the files; if writing one fails, that and the other
 * end as `failure` unless `end` is worse. Returns 0, or -1 with out->error. */
int output_finish(output *out, output_end end, output_end failure);

void output_close(output *out);
#endif
