/* Checks the values that the table of options.c does not check, and derives the others. */
#include "apps/gpuintra/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the position of the name in the choices of --level. */
static const uint8_t level_idcs[] = { 0, 10, 9, 11, 12, 13, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50,
	51, 52, 60, 61, 62 };

static int parse_disable(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	h264i_options eo;
	char why[200];

	h264i_options_init(&eo);
	if (o->disable && h264i_options_read_modes(&eo, o->disable, why, sizeof(why))) {
		snprintf(msg, msg_bytes, "--disable-modes: %s", why);
		return -1;
	}
	o->disable_modes = eo.disable_modes;
	return 0;
}

/* Sets the default output: the file name of the input with .mp4 for its extension. */
static int name_output(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *slash = strrchr(o->input, '/');
	const char *base = slash ? slash + 1 : o->input;
	const char *dot = strrchr(base, '.');
	int n = dot && dot != base ? (int)(dot - base) : (int)strlen(base);

	if (strcmp(o->input, "-") == 0 || n == 0) {
		snprintf(msg, msg_bytes, "-o is required, because the input '%s' has no file name",
			o->input);
		return -1;
	}
	if (snprintf(o->default_output, sizeof(o->default_output), "%.*s.mp4", n, base) >=
		(int)sizeof(o->default_output)) {
		snprintf(msg, msg_bytes,
			"-o is required, because the name of the input is too long");
		return -1;
	}
	o->output = o->default_output;
	return 0;
}

static int read_device(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	char *end;
	long n;

	o->device = -1;
	if (!o->device_text)
		return 0;
	if (strcmp(o->device_text, "all") == 0) {
		o->device = H264I_DEVICE_ALL;
	} else {
		errno = 0;
		n = strtol(o->device_text, &end, 10);
		if (errno || end == o->device_text || *end || n < -1 || n > 1023) {
			snprintf(msg, msg_bytes,
				"--device: '%s' is not all or a number 0..1023 (-1: the current "
				"device)",
				o->device_text);
			return -1;
		}
		o->device = (int)n;
	}
	return 0;
}

/* Refuses options of the backend that --backend excludes. --hwdec decodes on --device. */
static int check_backend(const gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const int cpu = o->backend == H264I_BACKEND_CPU, cuda = o->backend == H264I_BACKEND_CUDA;
	const struct {
		const char *name;
		int refused;
	} options[] = {
		{ "device", cpu && o->device_text && !o->hwdec },
		{ "gpu-workers", cpu && o->gpu_workers != 0 },
		{ "sm-limit", cpu && o->sm_limit != 0 },
		{ "stream-priority", cpu && o->stream_priority != 0 },
		{ "threads", cuda && o->threads != 0 },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!options[i].refused)
			continue;
		snprintf(msg, msg_bytes,
			"--%s has no effect with --backend %s; remove one of them, or use "
			"--backend auto",
			options[i].name, options_backend_name((h264i_backend)o->backend));
		return -1;
	}
	return 0;
}

/* Reads the number that ends at `end`. Returns 0, or -1 if it is not 1..UINT32_MAX in digits. */
static int read_count(const char *text, char end, uint32_t *value, const char **behind)
{
	uint64_t v = 0;

	for (; *text >= '0' && *text <= '9' && v <= UINT32_MAX; text++)
		v = 10 * v + (uint64_t)(*text - '0');
	*value = (uint32_t)v;
	*behind = text + 1;
	return *text == end && v >= 1 && v <= UINT32_MAX ? 0 : -1;
}

/* Checks --range, which is I/N. Returns 0, or -1 with msg. */
static int parse_range(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *at = o->range;

	if (!at)
		return 0;
	if (read_count(at, '/', &o->part, &at) || read_count(at, '\0', &o->parts, &at) ||
		o->part > o->parts) {
		snprintf(msg, msg_bytes, "--range: '%s' is not I/N with I from 1 to N, such as 2/3",
			o->range);
		return -1;
	}
	if (o->frames || o->loops > 1) {
		snprintf(msg, msg_bytes, "--range cannot be combined with --%s; remove one of them",
			o->frames ? "frames" : "loop");
		return -1;
	}
	if (strcmp(o->input, "-") == 0) {
		snprintf(
			msg, msg_bytes, "--range: standard input cannot be read twice; use a file");
		return -1;
	}
	return 0;
}

void options_set_tools(const gpuintra_options *o, h264i_options *eo)
{
	/* The choices are none, and the presets and tunes in the library's order. */
	if (o->preset)
		h264i_options_set_preset(eo, h264i_preset_name((unsigned)o->preset - 1));
	if (o->tune)
		h264i_options_set_tune(eo, h264i_tune_name((unsigned)o->tune - 1));
	if (o->profile)
		eo->profile = (h264i_profile)(o->profile - 1);
	if (o->cabac != OPTIONS_AUTO)
		eo->cabac = o->cabac == OPTIONS_ON;
	if (o->transform8x8 != OPTIONS_AUTO)
		eo->transform8x8 = o->transform8x8 == OPTIONS_ON;
	if (o->rd)
		eo->rd = o->rd - 1;
	if (o->trellis)
		eo->trellis = o->trellis - 1;
	options_set_stream(o, eo);
	options_set_rate(o, eo);
	if (o->aq_mode)
		eo->aq_mode = o->aq_mode - 1;
	if (o->given.aq_strength)
		eo->aq_strength = o->aq_strength;
	if (o->disable)
		eo->disable_modes = o->disable_modes;
}

void options_set_encoder(const gpuintra_options *o, h264i_options *eo)
{
	eo->qp = (int)o->qp;
	eo->slices = o->slices;
	eo->level = o->level_idc;
	options_set_tools(o, eo);
	eo->device = o->device;
	eo->threads = o->threads;
	eo->gpu_workers = o->gpu_workers;
	eo->frames_in_flight = o->frames_in_flight;
	eo->sm_limit = o->sm_limit;
	eo->stream_priority = o->stream_priority;
	eo->latency_ms = o->latency_ms;
	eo->sched = (h264i_sched)o->sched;
}

/* Checks the options that need a profile or another tool against it. Returns 0, or -1 with msg. */
static int check_tools(const gpuintra_options *o, char *msg, size_t msg_bytes)
{
	h264i_options eo;

	h264i_options_init(&eo);
	options_set_tools(o, &eo);
	if (eo.cabac == 1 && eo.profile == H264I_PROFILE_BASELINE)
		snprintf(msg, msg_bytes, "--cabac on needs --profile main or high");
	else if (eo.transform8x8 == 1 && eo.profile != H264I_PROFILE_HIGH)
		snprintf(msg, msg_bytes, "--8x8dct on needs --profile high");
	else if (eo.scaling != H264I_SCALING_FLAT && eo.profile != H264I_PROFILE_HIGH)
		snprintf(msg, msg_bytes, "--cqm %s needs --profile high", o->cqm);
	else if (eo.chroma_qp_offset != eo.cr_qp_offset && eo.profile != H264I_PROFILE_HIGH)
		snprintf(msg, msg_bytes,
			"--chroma-qp-offset %s needs --profile high, as CB and CR differ",
			o->chroma_qp_text);
	else if (eo.gray && eo.profile != H264I_PROFILE_HIGH)
		snprintf(msg, msg_bytes, "--output-csp i400 needs --profile high");
	else if (o->given.aq_strength && !eo.aq_mode)
		snprintf(msg, msg_bytes,
			"--aq-strength needs --aq-mode 1 or 2, or a --tune that sets it");
	else
		return 0;
	return -1;
}

int options_finish(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	if (!o->input) {
		snprintf(msg, msg_bytes, "no input; name a file, or - for standard input");
		return -1;
	}
	if (!o->output && name_output(o, msg, msg_bytes))
		return -1;
	if (o->loops > 1 && strcmp(o->input, "-") == 0) {
		snprintf(msg, msg_bytes, "--loop: standard input cannot be read again");
		return -1;
	}
	if (read_device(o, msg, msg_bytes) || check_backend(o, msg, msg_bytes))
		return -1;
	o->level_idc = level_idcs[o->level];
	if (parse_range(o, msg, msg_bytes) || options_check_rate(o, msg, msg_bytes) ||
		options_check_stream(o, msg, msg_bytes) || check_tools(o, msg, msg_bytes))
		return -1;
	return parse_disable(o, msg, msg_bytes);
}
