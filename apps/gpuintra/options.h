/* Options of gpuintra. */
#ifndef APPS_GPUINTRA_OPTIONS_H
#define APPS_GPUINTRA_OPTIONS_H

#include <h264intra/h264intra.h>
#include "apps/common/cli.h"

enum { OPTIONS_ENCODER_MAX = 64 };

typedef struct gpuintra_options {
	const char *input, *output;
	int overwrite;
	int no_audio, hwdec, interlaced_as_frames, scale_changes;
	const char *input_format, *pixel_format;
	cli_size size;
	cli_rate rate;
	const char *sar; /* W:H */
	int colour[3];   /* primaries, transfer, matrix: index of the word; 0: the input's */
	uint32_t seek, frames, loops;
	uint64_t loop_memory;
	const char *range;                        /* I/N */
	const char *encoder[OPTIONS_ENCODER_MAX]; /* by h264i_get_option; NULL: not given */
	uint32_t pass; /* 0: one pass; 3: as 2, and writes the log of the next one */
	const char *pass_log;
	int pass_log_given;
	int psnr, ssim;
	const char *recon, *stats, *trace;
	int quiet, log_level;

	/* derived from the above by options_finish */
	h264i_options coding; /* those of `encoder`; not size, input and outputs */
	uint32_t part, parts; /* of --range; 0: all */
	char default_output[512];
	uint32_t sar_num, sar_den; /* of --sar; 0: the input's */
	/* colour_primaries and so on, by Annex E; -1: the input's */
	int primaries, transfer, matrix;
} gpuintra_options;

/* The program, with the options of the encoder. */
const cli_program *options_program(void);

/* The name of an option's value, such as "static" of sched; "" if it has none. */
const char *options_value_name(const char *option, int value);

/* The text given for an option of the encoder; NULL: none. */
const char *options_encoder_text(const gpuintra_options *o, const char *option);

/* Checks the options and sets the derived fields. Returns 0, or -1 with a usage error in msg. */
int options_finish(gpuintra_options *o, char *msg, size_t msg_bytes);
#endif
