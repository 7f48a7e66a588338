/* The loop between input and output. */
#ifndef APPS_GPUINTRA_ENCODE_H
#define APPS_GPUINTRA_ENCODE_H

#include "apps/common/log.h"
#include "apps/gpuintra/input.h"
#include "apps/gpuintra/output.h"

typedef struct encode_result {
	uint64_t frames, bytes;
	uint64_t sse[3];
	double seconds;           /* shown: from the first frame to the end of the last */
	int64_t begin_ns, end_ns; /* the first frame goes in; the last packet came out */
	int64_t first_packet_ns;  /* 0: none came */
	/* From here on the pipeline was full: when, and after how many frames. 0: never. */
	int64_t steady_ns;
	uint64_t steady_frames;
	double latency_ms[3]; /* median, 99 of 100, longest: from send to receive */
	int encoder_failed;   /* see error */
	char error[600];
} encode_result;

typedef struct encode_params {
	h264i_encoder *enc;
	input *in;
	output *out;
	logger *log;
	uint32_t time_base_num, time_base_den;
	uint32_t in_flight; /* frames that the encoder holds when it is busy */
	int64_t expected;   /* frames, for the progress line; -1: unknown */
} encode_params;

/* Encodes until the input ends, a signal comes or something fails. What was sent is always received and
 * handed to the output. 0, or -1 when the encoder failed. */
int encode_all(const encode_params *p, encode_result *r);
#endif
