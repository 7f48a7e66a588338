/* Options of an encoder: defaults, checks, and what follows from them: geometry, level, headers. */
#include "h264intra/core/backend.h"
#include "h264intra/core/option_table.h"
#include "libsched/core/sized.h"

#include <stdio.h>
#include <string.h>

void h264i_options_init_sized(h264i_options *o, size_t struct_bytes)
{
	h264i_options known;

	memset(&known, 0, sizeof(known));
	known.qp = 27;
	known.slices = 1;
	known.deblock = 1;
	known.cabac = -1;
	known.transform8x8 = -1;
	known.device = -1;
	known.latency_ms = 2;
	known.sched = H264I_SCHED_AUTO;
	known.vui.full_range = -1;
	known.vui.primaries = known.vui.transfer = known.vui.matrix = 2;
	known.vui.chroma_loc = -1;
	known.aq_strength = 1;
	known.crf = 23;
	known.vbv_init = 0.9;
	known.cr_qp_offset = H264I_CR_AS_CB;
	known.depth = 8;
	known.keyint = known.substreams = 1;
	memset(o, 0, struct_bytes);
	memcpy(o, &known, struct_bytes < sizeof(known) ? struct_bytes : sizeof(known));
	o->struct_bytes = struct_bytes;
}

static h264i_status check_size(h264i_encoder *enc)
{
	const h264i_options *o = &enc->o;

	if (o->width < 16 || o->height < 16)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"picture size %ux%u: width and height must be at least 16", o->width,
			o->height);
	if (!o->odd_size && (o->width % 2 || o->height % 2))
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"picture size %ux%u: width and height must be even, unless "
			"options.odd_size pads them",
			o->width, o->height);
	if (o->width > 65535 || o->height > 65535)
		return h264i_i_fail(enc, H264I_ERR_LIMIT,
			"picture size %ux%u exceeds level 6.2: at most 1,055 macroblocks per side",
			o->width, o->height);
	return H264I_OK;
}

static h264i_status check_numbers(h264i_encoder *enc)
{
	static const uint32_t zero[sizeof(enc->o.vui.reserved) / sizeof(uint32_t)];
	const h264i_options *o = &enc->o;
	uint32_t mb_height = (o->height + 15) / 16;

	if (o->slices < 1 || o->slices > mb_height)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"%u slices are not in 1..%u, the number of macroblock rows", o->slices,
			mb_height);
	if (o->depth != 8 || o->keyint != 1)
		return h264i_i_fail(enc, H264I_ERR_UNSUPPORTED,
			"depth %d or keyint %u: this version has 8 and 1", o->depth, o->keyint);
	if (memcmp(o->vui.reserved, zero, sizeof(zero)) != 0)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"options.vui.reserved is not 0: call h264i_options_init first");
	return H264I_OK;
}

static void set_chroma_offsets(h264i_encoder *enc)
{
	const h264i_options *o = &enc->o;
	int *offset = enc->params.chroma_qp_offset;

	offset[0] = o->chroma_qp_offset;
	offset[1] = o->cr_qp_offset == H264I_CR_AS_CB ? offset[0] : o->cr_qp_offset;
}

/* Checks the scaling matrices and sets their weights. */
static h264i_status set_scaling(h264i_encoder *enc)
{
	const h264i_options *o = &enc->o;
	h264i_weights *w = &enc->params.weights;
	const uint8_t *list = (const uint8_t *)w;

	if ((unsigned)o->scaling > H264I_SCALING_CUSTOM)
		return h264i_i_fail(enc, H264I_ERR_ARG, "scaling %d is not in 0..%d",
			(int)o->scaling, (int)H264I_SCALING_CUSTOM);
	enc->params.scaling = o->scaling;
	if (o->scaling == H264I_SCALING_DEFAULT)
		h264i_i_weights_default(w);
	if (o->scaling != H264I_SCALING_CUSTOM)
		return H264I_OK;
	memcpy(w->luma4, o->scaling_luma4, sizeof(w->luma4));
	memcpy(w->chroma4, o->scaling_chroma4, sizeof(w->chroma4));
	memcpy(w->luma8, o->scaling_luma8, sizeof(w->luma8));
	for (size_t i = 0; i < sizeof(*w); i++)
		if (list[i] < H264I_WEIGHT_MIN)
			return h264i_i_fail(enc, H264I_ERR_ARG,
				"a scaling matrix has a weight of %d; at least %d is possible",
				list[i], (int)H264I_WEIGHT_MIN);
	return H264I_OK;
}

/* Replaces what options.vui does not signal by the values of the conversion; sets the matrix. */
static h264i_status set_rgb(h264i_encoder *enc)
{
	h264i_vui *v = &enc->o.vui;

	if (v->primaries == 2)
		v->primaries = 1;
	if (v->transfer == 2)
		v->transfer = 1;
	if (v->matrix == 2)
		v->matrix = 1;
	if (v->full_range < 0)
		v->full_range = 0;
	if (v->chroma_loc < 0)
		v->chroma_loc = 1;
	if (h264i_i_rgb_set_matrix(&enc->rgb, v) != 0)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"options.rgb with matrix %d and chroma_loc %d: the matrix must be 1, 5, 6 "
			"or 9, chroma_loc 0..5",
			v->matrix, v->chroma_loc);
	return H264I_OK;
}

static void warn_of_odd_size(const h264i_options *o)
{
	char text[128];

	if (!o->log || !(o->width % 2 || o->height % 2))
		return;
	snprintf(text, sizeof(text), "picture size %ux%u is odd: padded to %ux%u", o->width,
		o->height, o->width + o->width % 2, o->height + o->height % 2);
	o->log(o->log_opaque, H264I_LOG_WARN, text);
}

/* Copies the caller's options, of whatever size its struct is, and checks them. */
static h264i_status check_options(h264i_encoder *enc, const h264i_options *from)
{
	h264i_options *o = &enc->o;
	const char *problem;
	char why[400];
	h264i_status s;

	h264i_options_init(o);
	problem =
		lsched_i_sized_in(o, sizeof(*o), LSCHED_I_SIZE_TO(h264i_options, log_opaque), from);
	if (problem)
		return h264i_i_fail(enc, H264I_ERR_ARG, "h264i_options %s", problem);
	o->given = 0; /* see h264i_check_options */
	s = check_size(enc);
	if (s == H264I_OK)
		s = check_numbers(enc);
	if (s == H264I_OK && h264i_i_check_rules(o, NULL, why, sizeof(why)))
		s = h264i_i_fail(enc, H264I_ERR_ARG, "%s", why);
	if (s == H264I_OK)
		s = h264i_i_control_check(enc);
	if (s == H264I_OK)
		s = set_scaling(enc);
	if (s == H264I_OK && o->rgb)
		s = set_rgb(enc);
	if (s == H264I_OK)
		warn_of_odd_size(o);
	set_chroma_offsets(enc);
	enc->params.gray = o->chroma == H264I_CHROMA_400;
	o->recon = !!o->recon;
	o->sse = o->sse || o->recon;
	return s;
}

static void set_geometry(h264i_geom *g, const h264i_options *o)
{
	g->width = o->width;
	g->height = o->height;
	g->mb_width = (o->width + 15) / 16;
	g->mb_height = (o->height + 15) / 16;
	g->slices = o->slices;
}

/* Below this QP the automatic choice is CAVLC. Pictures there have more bins than clause 7.4.2.10
 * allows for their bytes, and zero words fill them up: of mobile_cif at QP 10 13 %, which is more
 * than CABAC saves. */
enum { CABAC_LOWEST_QP = 14 };

static void set_profile(h264i_encoder *enc)
{
	static const int idc[] = { 66, 77, 100 };
	h264i_options *o = &enc->o;

	if (o->cabac < 0)
		o->cabac = o->profile != H264I_PROFILE_BASELINE &&
			   (o->rate_mode == H264I_RATE_BITRATE ||
				   o->rate_mode == H264I_RATE_FRAME || o->qp >= CABAC_LOWEST_QP);
	enc->params.profile = idc[o->profile];
	enc->params.cabac = o->cabac;
	if (o->transform8x8 < 0)
		o->transform8x8 = o->profile == H264I_PROFILE_HIGH;
	enc->params.transform8x8 = o->transform8x8;
}

/* The QP from whose estimated bits the level is chosen: options.qp, or the lowest whose pictures
 * take no more than the bit rate. */
static int level_qp(const h264i_encoder *enc)
{
	const h264i_options *o = &enc->o;
	uint64_t mbs = (uint64_t)enc->geom.mb_width * enc->geom.mb_height;
	uint64_t rate = o->vbv_maxrate ? o->vbv_maxrate : o->bitrate;
	const h264i_clock c = h264i_i_control_clock(o, 0, 0);
	int qp = 0;

	if (!rate)
		return o->qp;
	while (qp < 51 && mbs * h264i_i_level_mb_bits(qp) * c.fps_num > rate * 1000 * c.fps_den)
		qp++;
	return qp;
}

static h264i_status set_level(h264i_encoder *enc)
{
	const h264i_options *o = &enc->o;
	char why[256];
	h264i_status s = h264i_i_choose_level(&enc->geom, o->vui.fps_num, o->vui.fps_den,
		level_qp(enc), enc->params.profile, o->level, &enc->params.level, why, sizeof(why));

	if (s != H264I_OK)
		return h264i_i_fail(enc, s, "%s", why);
	if (why[0] && o->log)
		o->log(o->log_opaque, H264I_LOG_WARN, why);
	h264i_i_level_meter_init(&enc->meter, &enc->geom, enc->params.profile, enc->params.level,
		o->vui.fps_num, o->vui.fps_den);
	return H264I_OK;
}

static h264i_status build_headers(h264i_encoder *enc)
{
	enc->params.geom = enc->geom;
	enc->params.qp = enc->o.qp;
	enc->params.filter.on = !!enc->o.deblock;
	enc->params.filter.alpha = enc->o.deblock_alpha;
	enc->params.filter.beta = enc->o.deblock_beta;
	enc->params.vui = enc->o.vui;
	if (enc->params.gray)
		enc->params.vui.chroma_loc = -1; /* clause E.2.1: of 4:2:0 only */
	if (enc->o.hrd)
		enc->params.hrd = h264i_i_control_hrd(&enc->o);
	if (h264i_i_param_sets_append(&enc->headers, &enc->params) != 0 ||
		(enc->o.aud && h264i_i_delimiter_append(&enc->packet_headers) != 0) ||
		h264i_i_param_sets_append(&enc->packet_headers, &enc->params) != 0)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	return H264I_OK;
}

static void set_qparams(h264i_encoder *enc)
{
	/* Intra8x8 needs UP-RIGHT in any case. */
	const uint32_t upright = enc->params.transform8x8 ? H264I_DISABLE_UPRIGHT : 0;

	enc->aq.mode = enc->o.aq_mode;
	enc->aq.strength = (int32_t)(enc->o.aq_strength * 65536 + 0.5);
	enc->qp_varies =
		enc->aq.mode || enc->o.rate_mode != H264I_RATE_QP || enc->o.frame_bytes_max;
	for (int qp = 0; qp < H264I_QPS; qp++) {
		h264i_qparams *q = &enc->by_qp[qp];

		h264i_i_qparams_init(q, qp, enc->o.disable_modes & ~upright);
		h264i_i_qparams_set(q, h264i_i_weights_of(enc), enc->params.chroma_qp_offset);
		if (enc->params.cabac)
			q->pcm_margin = H264I_CABAC_MARGIN;
		q->syntax = h264i_i_syntax(&enc->params);
	}
}

h264i_status h264i_i_set_options(h264i_encoder *enc, const h264i_options *from)
{
	h264i_status s = check_options(enc, from);

	if (s != H264I_OK)
		return s;
	set_geometry(&enc->geom, &enc->o);
	set_profile(enc);
	s = set_level(enc);
	if (s == H264I_OK)
		s = build_headers(enc);
	if (s == H264I_OK)
		set_qparams(enc);
	return s;
}
