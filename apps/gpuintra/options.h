/* Options of gpuintra. */
#ifndef APPS_GPUINTRA_OPTIONS_H
#define APPS_GPUINTRA_OPTIONS_H

#include <h264intra/h264intra.h>
#include "apps/common/cli.h"

/* The choices auto|on|off. */
enum { OPTIONS_AUTO, OPTIONS_ON, OPTIONS_OFF };

typedef struct gpuintra_options {
	const char *input, *output;
	int overwrite;
	int no_audio, hwdec, interlaced_as_frames, scale_changes;
	const char *input_format, *pixel_format;
	cli_size size;
	cli_rate rate;
	uint32_t frames, loops;
	uint64_t loop_memory;
	const char *range; /* I/N */
	uint32_t qp, slices;
	int sched, backend; /* as the enums of h264intra.h */
	const char *device_text;
	int stream_priority;
	uint32_t sm_limit;
	uint32_t threads, gpu_workers, frames_in_flight, latency_ms;
	const char *deblock_text, *chroma_qp_text;
	const char *cqm;
	int gray; /* --output-csp i400 */
	int aud;
	int level;        /* index in the choices */
	int preset;       /* index in the choices; 0: none */
	int tune;         /* likewise */
	int profile;      /* index in the choices; 0: auto */
	int cabac;        /* index in the choices */
	int transform8x8; /* likewise */
	int rd, trellis;  /* likewise; 0: auto */
	uint32_t pass;    /* 0: one pass; 3: as 2, and writes the log of the next one */
	const char *pass_log;
	const char *crf_text;
	double crf; /* -1: not given */
	uint32_t bitrate, vbv_maxrate, vbv_bufsize, rate_delay;
	double vbv_init;
	int nal_hrd; /* 1: vbr */
	uint64_t frame_size_max;
	int aq_mode;        /* index in the choices; 0: auto */
	double aq_strength; /* if it is not given: that of the tune, or 1 */
	const char *disable;
	int psnr;
	const char *recon, *stats, *trace;
	int quiet, log_level;
	struct {
		int qp, pass_log, vbv_init, aq_strength;
	} given; /* 1: on the command line */

	/* derived from the above by options_finish */
	int deblock, deblock_given, deblock_alpha, deblock_beta; /* given: the offsets are */
	int chroma_qp_offset[2];
	h264i_scaling scaling;
	struct {
		uint8_t luma4[16], chroma4[16], luma8[64];
	} matrices; /* of a file */
	uint32_t disable_modes;
	int level_idc;
	int device;
	uint32_t part, parts; /* of --range; 0: all */
	char default_output[512];
} gpuintra_options;

extern const cli_program gpuintra_program;

#define OPTIONS_PRESETS "none|ultrafast|superfast|veryfast|faster|fast|medium|slow|slower|veryslow"
#define OPTIONS_TUNES   "none|psnr|ssim|film|grain|animation"

/* options_rate.c. Checks the options of rate control against each other. Returns 0, or -1 with
 * msg. */
int options_check_rate(gpuintra_options *o, char *msg, size_t msg_bytes);
void options_set_rate(const gpuintra_options *o, h264i_options *eo);

/* options_stream.c. Reads --deblock, --chroma-qp-offset and --cqm. Returns 0, or -1 with msg. */
int options_check_stream(gpuintra_options *o, char *msg, size_t msg_bytes);
void options_set_stream(const gpuintra_options *o, h264i_options *eo);

/* Sets the coding tools: those of --preset, and what other options change of them. */
void options_set_tools(const gpuintra_options *o, h264i_options *eo);

/* Sets what the options say of coding and execution; not backend, size and outputs. */
void options_set_encoder(const gpuintra_options *o, h264i_options *eo);

/* Names of the choices of --sched and --backend. */
const char *options_sched_name(h264i_sched sched);
const char *options_profile_name(h264i_profile profile);
const char *options_backend_name(h264i_backend backend);

/* Checks the options and sets the derived fields. Returns 0, or -1 with a usage error in msg. */
int options_finish(gpuintra_options *o, char *msg, size_t msg_bytes);
#endif
