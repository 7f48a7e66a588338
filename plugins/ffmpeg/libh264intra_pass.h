/* Two passes of the encoder libh264intra in FFmpeg (-pass): the log is AVCodecContext.stats_out of
 * the first pass and stats_in of the second. Included by libh264intra.c only.
 *
 * Copyright (c) 2026, the gputasks authors. BSD 2-Clause License, see LICENSE. */
#ifndef AVCODEC_LIBH264INTRA_PASS_H
#define AVCODEC_LIBH264INTRA_PASS_H

#include <h264intra/h264intra.h>

#include "libavutil/mem.h"
#include "avcodec.h"

/* The plan of a second pass; none without -pass 2 or 3. */
typedef struct pass_plan {
	h264i_pass_picture *picture;
	size_t pictures;
} pass_plan;

static void free_pass(AVCodecContext *avctx, pass_plan *plan)
{
	h264i_pass_free(plan->picture);
	plan->picture = NULL;
	av_freep(&avctx->stats_out);
}

/* Plans the pictures of a second pass. Returns 0, or a negative error that was logged. */
static int plan_pass(AVCodecContext *avctx, pass_plan *plan, h264i_options *o)
{
	char why[300] = "";

	if (o->rate_mode != H264I_RATE_BITRATE || !avctx->stats_in) {
		av_log(avctx, AV_LOG_ERROR, "-pass 2 needs %s\n",
			avctx->stats_in ? "-b:v, and neither -qp nor -crf"
					: "the log of -pass 1 (stats_in)");
		return AVERROR(EINVAL);
	}
	h264i_pass_free(plan->picture);
	if (h264i_pass_read(avctx->stats_in, o->width, o->height, &plan->picture, &plan->pictures,
		    why, sizeof(why)) != H264I_OK) {
		av_log(avctx, AV_LOG_ERROR, "log of -pass 1: %s\n", why);
		return AVERROR_INVALIDDATA;
	}
	if (h264i_plan_pictures(o, plan->picture, plan->pictures, why, sizeof(why)) != H264I_OK) {
		av_log(avctx, AV_LOG_ERROR, "%s\n", why);
		return AVERROR(EINVAL);
	}
	o->rate_mode = H264I_RATE_FRAME;
	return 0;
}

/* Sets the options of -pass. Returns 0, or a negative error that was logged. */
static int set_pass(AVCodecContext *avctx, pass_plan *plan, h264i_options *o)
{
	if (avctx->flags & AV_CODEC_FLAG_PASS1) {
		o->detail = 1;
		if (!avctx->stats_out) /* two lines at most */
			avctx->stats_out = av_mallocz(2 * H264I_PASS_LINE_BYTES);
		if (!avctx->stats_out)
			return AVERROR(ENOMEM);
	}
	return avctx->flags & AV_CODEC_FLAG_PASS2 ? plan_pass(avctx, plan, o) : 0;
}

/* Sets the QP of picture n of a second pass. Returns 0, or a negative error that was logged. */
static int set_planned(AVCodecContext *avctx, const pass_plan *plan, uint64_t n, h264i_frame *f)
{
	if (!plan->picture)
		return 0;
	if (n >= plan->pictures) {
		av_log(avctx, AV_LOG_ERROR, "more pictures than in the log of -pass 1\n");
		return AVERROR(EINVAL);
	}
	f->qp = plan->picture[n].plan_qp;
	f->bytes_expected = plan->picture[n].plan_bytes;
	return 0;
}

/* Writes the log of packet n, behind the last one (NULL) its end, in a first pass. */
static void write_pass(AVCodecContext *avctx, uint64_t n, const h264i_packet *p)
{
	char *to = avctx->stats_out;

	if (!(avctx->flags & AV_CODEC_FLAG_PASS1))
		return;
	if (n == 0)
		to += h264i_pass_write_size(to, (uint32_t)avctx->width, (uint32_t)avctx->height);
	if (p)
		h264i_pass_write_picture(to, p);
	else
		h264i_pass_write_end(to, n);
}

#endif
