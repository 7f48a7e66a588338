/* The loop between input and output. */
#ifndef APPS_GPUINTRA_ENCODE_H
#define APPS_GPUINTRA_ENCODE_H

#include "apps/common/log.h"
#include "apps/gpuintra/input.h"
#include "apps/gpuintra/output.h"
#include "apps/gpuintra/pass.h"

typedef struct encode_result {
	uint64_t frames, bytes;
	uint64_t sse[3];
	double ssim[3];           /* sums of the frames' */
	double seconds;           /* duration of the video */
	int64_t begin_ns, end_ns; /* first frame sent, last packet received */
	int64_t first_packet_ns;  /* 0: no packet */
	/* Time and number of frames when the pipeline was full first; 0: never. */
	int64_t steady_ns;
	uint64_t steady_frames;
	double latency_ms[3]; /* send to receive: median, 99th percentile, maximum */
	int encoder_failed;   /* 1: error has the reason */
	char error[600];
} encode_result;

typedef struct encode_params {
	h264i_encoder *enc;
	input *in;
	output *out;
	logger *log;
	uint32_t time_base_num, time_base_den;
	uint32_t in_flight;             /* frames in flight */
	int64_t expected;               /* frames, for the progress line; -1: unknown */
	pass_log *log1;                 /* gets the packets of a first pass; NULL: there is none */
	const h264i_pass_picture *plan; /* [plan_pictures] of a second pass, or NULL */
	size_t plan_pictures;
	uint64_t first_index; /* in plan, of the first frame */
	int ssim;             /* 1: measure it; the packets have the decoded pictures */
} encode_params;

/* Encodes until the input ends, a signal arrives or a step fails. All frames sent are received and
 * passed to the output. Returns 0, or -1 if the encoder failed. */
int encode_all(const encode_params *p, encode_result *r);
#endif
