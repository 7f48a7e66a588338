/* Rate control with other numbers, in the middle of a stream. */
#include "h264intra/core/backend.h"
#include "h264intra/core/option_table.h"
#include "libsched/core/sized.h"

/* Checks that no member changes that is in the headers, or that decides what the encoder has memory
 * and code for. */
static h264i_status check_fixed(h264i_encoder *enc, const h264i_options *to)
{
	const h264i_options *o = &enc->o;
	const struct {
		int is_fixed;
		const char *name;
		uint32_t from, to;
		const char *where;
	} member[] = {
		{ 1, "rate_mode", o->rate_mode, to->rate_mode, "" },
		{ !to->vbv_bufsize || !o->vbv_bufsize, "vbv_bufsize", o->vbv_bufsize,
			to->vbv_bufsize, "" },
		{ !to->frame_bytes_max || !o->frame_bytes_max, "frame_bytes_max",
			o->frame_bytes_max, to->frame_bytes_max, "" },
		{ o->hrd, "vbv_bufsize", o->vbv_bufsize, to->vbv_bufsize, " with hrd" },
		{ o->hrd, "vbv_maxrate", o->vbv_maxrate,
			to->vbv_maxrate ? to->vbv_maxrate : to->bitrate, " with hrd" },
		{ o->rate_mode == H264I_RATE_QP && !enc->qp_varies &&
				o->backend == H264I_BACKEND_CUDA,
			"qp", (uint32_t)o->qp, (uint32_t)to->qp, " on CUDA without vary_qp" },
	};

	for (size_t i = 0; i < sizeof(member) / sizeof(member[0]); i++)
		if (member[i].is_fixed && member[i].from != member[i].to)
			return h264i_i_fail(enc, H264I_ERR_STATE,
				"%s cannot change from %u to %u%s: flush this encoder and open "
				"another one",
				member[i].name, member[i].from, member[i].to, member[i].where);
	return H264I_OK;
}

/* Copies what the call changes. */
static void copy_rates(h264i_options *o, const h264i_options *from)
{
	o->qp = from->qp;
	o->crf = from->crf;
	o->bitrate = from->bitrate;
	o->vbv_maxrate = from->vbv_maxrate;
	o->vbv_bufsize = from->vbv_bufsize;
	o->frame_bytes_max = from->frame_bytes_max;
}

static h264i_status change(h264i_encoder *enc, const h264i_options *to)
{
	h264i_status s = check_fixed(enc, to);
	h264i_rate_settings settings;
	char why[400];

	if (s != H264I_OK)
		return s;
	copy_rates(&enc->o, to);
	if (h264i_i_check_rules(&enc->o, NULL, why, sizeof(why)))
		return h264i_i_fail(enc, H264I_ERR_ARG, "%s", why);
	s = h264i_i_control_check(enc);
	/* The frames sent before have the rates before. */
	if (s == H264I_OK)
		s = h264i_i_group_start_rest(enc);
	if (s != H264I_OK || !enc->controlled)
		return s;
	h264i_i_control_settings(enc, &settings);
	for (uint32_t k = 0; k < enc->o.substreams; k++)
		h264i_i_rate_change(&enc->substream[k]->rate, &settings);
	return H264I_OK;
}

h264i_status h264i_reconfigure(h264i_encoder *enc, const h264i_options *from)
{
	h264i_status s = h264i_i_enter(enc);
	const char *problem = NULL;
	h264i_options before, to;

	if (s != H264I_OK)
		return s;
	h264i_options_init(&to);
	if (from)
		problem = lsched_i_sized_in(
			&to, sizeof(to), LSCHED_I_SIZE_TO(h264i_options, log_opaque), from);
	if (!from || problem)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "h264i_options %s", from ? problem : "is NULL");
	before = enc->o;
	s = change(enc, &to);
	if (s != H264I_OK)
		enc->o = before;
	return s;
}
