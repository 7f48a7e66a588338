/* The options of rate control. */
#include "apps/gpuintra/options.h"

#include <stdio.h>

/* Returns what is wrong with options that need others, or NULL. */
static const char *misses(const gpuintra_options *o)
{
	const int second = o->pass >= 2;

	if (o->vbv_bufsize && !o->crf_text && !o->bitrate)
		return "--vbv-bufsize needs --bitrate, or --crf with --vbv-maxrate";
	if (o->vbv_bufsize && !o->bitrate && !o->vbv_maxrate)
		return "--vbv-bufsize with --crf needs --vbv-maxrate";
	if (o->nal_hrd && !o->vbv_bufsize)
		return "--nal-hrd vbr needs --vbv-bufsize";
	if (o->vbv_maxrate && !o->vbv_bufsize)
		return "--vbv-maxrate needs --vbv-bufsize";
	if (o->given.vbv_init && !o->vbv_bufsize)
		return "--vbv-init needs --vbv-bufsize";
	if (second && !o->bitrate)
		return o->pass == 2 ? "--pass 2 needs --bitrate" : "--pass 3 needs --bitrate";
	if (o->given.pass_log && !o->pass)
		return "--pass-log needs --pass";
	if (o->rate_delay && !o->vbv_bufsize && (!o->bitrate || second))
		return second ? "--rate-delay in a second pass needs --vbv-bufsize"
			      : "--rate-delay needs --bitrate or --vbv-bufsize";
	return NULL;
}

/* Returns what is wrong with options that exclude each other, or NULL. */
static const char *excludes(const gpuintra_options *o)
{
	if (o->crf_text && o->bitrate)
		return "--crf and --bitrate exclude each other";
	if (o->given.qp && (o->crf_text || o->bitrate))
		return o->crf_text ? "--qp and --crf exclude each other"
				   : "--qp and --bitrate exclude each other";
	if (o->vbv_maxrate && o->vbv_maxrate < o->bitrate)
		return "--vbv-maxrate is below --bitrate";
	if ((o->pass == 1 || o->pass == 3) && o->range)
		return "--pass 1 and 3 need the whole input, not a --range";
	if (o->range && (o->vbv_bufsize || (o->bitrate && o->pass != 2)))
		return "--range needs --qp, --crf or --pass 2, without a buffer: else QPs depend "
		       "on the pictures before the part";
	if (o->frame_size_max > UINT32_MAX)
		return "--frame-size-max is above 4G";
	return NULL;
}

int options_check_rate(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	static const cli_opt crf = { .name = "crf",
		.type = CLI_REAL,
		.field = CLI_FIELD(gpuintra_options, crf),
		.max = 51 };
	const char *problem;

	o->crf = -1;
	if (o->crf_text && cli_set(&crf, o, o->crf_text, msg, msg_bytes))
		return -1;
	problem = misses(o);
	if (!problem)
		problem = excludes(o);
	if (problem)
		snprintf(msg, msg_bytes, "%s", problem);
	return problem ? -1 : 0;
}

void options_set_rate(const gpuintra_options *o, h264i_options *eo)
{
	if (o->crf >= 0) {
		eo->rate_mode = H264I_RATE_QUALITY;
		eo->crf = o->crf;
	} else if (o->bitrate) {
		eo->rate_mode = H264I_RATE_BITRATE;
	}
	eo->bitrate = o->bitrate;
	eo->vbv_maxrate = o->vbv_maxrate;
	eo->vbv_bufsize = o->vbv_bufsize;
	eo->vbv_init = o->vbv_init;
	eo->hrd = o->nal_hrd;
	eo->frame_bytes_max = (uint32_t)o->frame_size_max;
	eo->rate_delay = o->rate_delay;
}
