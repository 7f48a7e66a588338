/* The state of a run of gpuintra, and the steps that open it. */
#ifndef APPS_GPUINTRA_JOB_H
#define APPS_GPUINTRA_JOB_H

#include "apps/common/log.h"
#include "apps/gpuintra/choose.h"
#include "apps/gpuintra/encode.h"
#include "apps/gpuintra/options.h"
#include "apps/gpuintra/pass.h"

typedef struct job {
	gpuintra_options o;
	logger log;
	int64_t begin_ns;
	gpu_probe probe;
	h264i_sink *sink;
	h264i_y4m *recon;
	h264i_streams *streams; /* besides the video; NULL: they are left out */
	h264i_source_options source_options;
	h264i_source *source; /* NULL once the input owns it */
	h264i_source_info info;
	h264i_encoder *enc;
	h264i_backend backend;    /* of enc */
	uint32_t in_flight;       /* frames that the encoder holds */
	pass_log log1;            /* of --pass 1 and 3 */
	h264i_pass_picture *plan; /* of --pass 2 and 3 */
	size_t plan_pictures;
	input in;
	int in_started;
	output out;
	int out_started;
	encode_result result;
} job;

/* Logs an error. Returns exit_code. */
int job_fail(job *j, int exit_code, const char *text);

/* Logs the time of a start-up step at level debug; at_ns 0: the step was not reached. */
void job_note_phase(job *j, const char *what, int64_t at_ns);

/* Returns the number of frames to encode, if it is known before, else -1. */
int64_t job_expected_frames(const job *j);

/* Opens source, encoder, input and outputs, in this order: readers fill the first pictures while
 * the outputs open. Returns 0, or an exit code with the error logged. The caller closes what is
 * open in `j`. */
int job_open(job *j);
#endif
