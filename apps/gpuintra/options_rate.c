/* The options of rate control. */
#include "apps/gpuintra/options.h"

#include <stdio.h>

int options_check_rate(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	static const cli_opt crf = { .name = "crf",
		.type = CLI_REAL,
		.field = CLI_FIELD(gpuintra_options, crf),
		.max = 51 };
	const char *first = o->crf_text ? "--crf" : "--bitrate", *problem = NULL;

	o->crf = -1;
	if (o->crf_text && cli_set(&crf, o, o->crf_text, msg, msg_bytes))
		return -1;
	if (o->crf_text && o->bitrate)
		problem = "--crf and --bitrate exclude each other";
	else if (o->vbv_bufsize && !o->crf_text && !o->bitrate)
		problem = "--vbv-bufsize needs --bitrate, or --crf with --vbv-maxrate";
	else if (o->vbv_bufsize && !o->bitrate && !o->vbv_maxrate)
		problem = "--vbv-bufsize with --crf needs --vbv-maxrate";
	else if (o->nal_hrd && !o->vbv_bufsize)
		problem = "--nal-hrd vbr needs --vbv-bufsize";
	else if (o->vbv_maxrate && !o->vbv_bufsize)
		problem = "--vbv-maxrate needs --vbv-bufsize";
	else if (o->vbv_maxrate && o->vbv_maxrate < o->bitrate)
		problem = "--vbv-maxrate is below --bitrate";
	else if (o->pass == 2 && !o->bitrate)
		problem = "--pass 2 needs --bitrate";
	else if (o->pass == 1 && o->range)
		problem = "--pass 1 needs the whole input, not a --range";
	else if (o->range && (o->vbv_bufsize || (o->bitrate && o->pass != 2)))
		problem =
			"--range needs --qp, --crf or --pass 2, without a buffer: else QPs depend "
			"on the pictures before the part";
	else if (o->frame_size_max > UINT32_MAX)
		problem = "--frame-size-max is above 4G";
	if (problem)
		snprintf(msg, msg_bytes, "%s", problem);
	else if ((o->crf_text || o->bitrate) && o->qp != OPTIONS_QP)
		snprintf(msg, msg_bytes, "--qp and %s exclude each other", first);
	else
		return 0;
	return -1;
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
