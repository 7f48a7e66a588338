/* The CPU backend: memory of groups, and the functions of h264i_backend_ops. */
#include "h264intra/cpu/aq.h"
#include "h264intra/cpu/detail.h"
#include "h264intra/cpu/group.h"
#include "h264intra/order/rows.h"

#include <stdlib.h>
#include <string.h>

enum { TRACE_EVENTS = 1 << 16 };

static h264i_status nomem(h264i_encoder *enc)
{
	return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory for %u frames of %ux%u",
		enc->stats.frames_in_flight, enc->o.width, enc->o.height);
}

static h264i_status open_frame(h264i_encoder *enc, h264i_picture *p, cpu_frame *fr)
{
	const h264i_geom *g = &enc->geom;
	size_t mbs = (size_t)g->mb_width * g->mb_height;
	size_t words = slice_word(g, g->slices);

	p->mb = calloc(mbs, sizeof(*p->mb));
	p->levels = malloc(mbs * sizeof(*p->levels));
	p->edge = malloc(mbs * sizeof(*p->edge));
	fr->rbsp = malloc(words * 4);
	fr->rbsp_bytes = malloc(words * 4);
	fr->slice = calloc(g->slices, sizeof(*fr->slice));
	if (!p->mb || !p->levels || !p->edge || !fr->rbsp || !fr->rbsp_bytes || !fr->slice)
		return nomem(enc);
	if (enc->aq.mode) {
		fr->mb_qp = malloc(mbs);
		fr->aq_root = enc->aq.mode == 1 ? NULL : malloc(mbs * sizeof(*fr->aq_root));
		if (!fr->mb_qp || (enc->aq.mode != 1 && !fr->aq_root))
			return nomem(enc);
		p->mb_qp = fr->mb_qp;
	}
	if (enc->o.sse) {
		fr->recon = malloc(mbs * H264I_PCM_PX * sizeof(*fr->recon));
		if (!fr->recon)
			return nomem(enc);
		p->recon[0] = fr->recon;
		p->recon[1] = fr->recon + mbs * H264I_LUMA_PX;
		p->recon[2] = p->recon[1] + mbs * H264I_CHROMA_PX;
		p->recon_pitch[0] = g->mb_width * 16;
		p->recon_pitch[1] = p->recon_pitch[2] = g->mb_width * H264I_CHROMA_W;
	}
	return H264I_OK;
}

/* With decisions by rate and distortion, enc->be is the tables of all QPs. */
static h264i_status open_rates(h264i_encoder *enc)
{
	h264i_cpu_rates *rates = NULL;

	if (enc->o.rd || enc->o.trellis) {
		rates = malloc(H264I_QPS * sizeof(*rates));
		if (!rates)
			return nomem(enc);
		for (int qp = 0; qp < H264I_QPS; qp++)
			h264i_i_cpu_rates_init(&rates[qp], qp, h264i_i_weights_of(enc),
				enc->params.chroma_qp_offset);
	}
	enc->be = rates;
	return H264I_OK;
}

static h264i_status cpu_open(h264i_encoder *enc)
{
	lsched_run_options ro;
	lsched_status st;

	if (open_rates(enc) != H264I_OK)
		return H264I_ERR_NOMEM;

	lsched_run_options_init(&ro);
	ro.scheme = enc->o.sched == H264I_SCHED_STATIC ? LSCHED_SCHEME_STATIC
		    : enc->o.sched == H264I_SCHED_SYNC ? LSCHED_SCHEME_SYNC
						       : LSCHED_SCHEME_DYNAMIC;
	ro.trace = enc->o.trace ? TRACE_EVENTS : 0;
	for (uint32_t i = 0; i < enc->group_count; i++) {
		cpu_group *cg = calloc(1, sizeof(*cg));
		h264i_group *g = &enc->group[i];

		g->backend = cg;
		if (!cg)
			return nomem(enc);
		cg->enc = enc;
		cg->dsp = h264i_i_dsp_best();
		if (h264i_i_weights_of(enc)) {
			h264i_i_dsp_weighed(&cg->weighed);
			cg->dsp = &cg->weighed;
		}
		cg->strengths = h264i_i_deblock_strengths(
			&enc->params.filter, enc->params.chroma_qp_offset);
		cg->neutral = malloc(16 * (size_t)enc->geom.mb_width * sizeof(*cg->neutral));
		if (!cg->neutral)
			return nomem(enc);
		for (uint32_t x = 0; x < 16 * enc->geom.mb_width; x++)
			cg->neutral[x] = H264I_PX_MID;
		cg->pic = calloc(g->capacity, sizeof(*cg->pic));
		cg->frame = calloc(g->capacity, sizeof(*cg->frame));
		if (!cg->pic || !cg->frame)
			return nomem(enc);
		for (uint32_t k = 0; k < g->capacity; k++) {
			h264i_status s = open_frame(enc, &cg->pic[k], &cg->frame[k]);

			if (s != H264I_OK)
				return s;
		}
		ro.max_tasks = g->capacity * enc->geom.mb_height *
			       (enc->geom.mb_width + 1 + (enc->o.sse ? 1 : 0));
		st = lsched_run_create(&cg->run, enc->sched, &mbcpu_cpu_program, &ro);
		if (st != LSCHED_OK)
			return h264i_i_fail(enc, h264i_i_status_of_sched(st), "%s",
				lsched_last_error(enc->sched));
	}
	return H264I_OK;
}

static void cpu_close(h264i_encoder *enc)
{
	for (uint32_t i = 0; enc->group && i < enc->group_count; i++) {
		cpu_group *cg = enc->group[i].backend;

		if (!cg)
			continue;
		(void)lsched_run_cancel(cg->run); /* nothing receives its packets any more */
		lsched_run_destroy(&cg->run);
		for (uint32_t k = 0; cg->pic && cg->frame && k < enc->group[i].capacity; k++) {
			cpu_frame *fr = &cg->frame[k];

			free(cg->pic[k].mb);
			free(cg->pic[k].levels);
			free(cg->pic[k].edge);
			free(fr->copy);
			free(fr->recon);
			free(fr->mb_qp);
			free(fr->aq_root);
			free(fr->rbsp);
			free(fr->rbsp_bytes);
			for (uint32_t s = 0; fr->slice && s < enc->geom.slices; s++)
				h264i_i_buf_free(&fr->slice[s].nal);
			free(fr->slice);
			h264i_i_buf_free(&fr->packet);
		}
		free(cg->neutral);
		free(cg->pic);
		free(cg->frame);
		free(cg);
		enc->group[i].backend = NULL;
	}
	free(enc->be);
	enc->be = NULL;
}

/* Copies a frame in plain host memory, which the caller may reuse at once. */
static h264i_status copy_frame(
	h264i_encoder *enc, cpu_frame *fr, const h264i_frame *f, h264i_picture *p)
{
	const h264i_geom *g = &enc->geom;
	h264i_px *to;

	if (!fr->copy)
		fr->copy = malloc(h264i_i_source_bytes(g));
	if (!fr->copy)
		return nomem(enc);
	to = fr->copy;
	for (uint32_t i = 0; i < h264i_i_planes(f->format); i++) {
		uint32_t row = h264i_i_row_bytes(g, f->format, i);
		uint32_t rows = h264i_i_plane_rows(g, i);

		p->src[i] = to;
		p->src_pitch[i] = row / (uint32_t)sizeof(*to);
		for (uint32_t y = 0; y < rows; y++, to += p->src_pitch[i])
			memcpy(to, f->plane[i] + y * f->pitch_bytes[i], row);
	}
	return H264I_OK;
}

/* Converts an RGB frame, whose memory the caller may reuse at once. */
static h264i_status convert_frame(
	h264i_encoder *enc, cpu_frame *fr, const h264i_frame *f, h264i_picture *p)
{
	const h264i_geom *g = &enc->geom;

	if (!fr->copy)
		fr->copy = malloc(h264i_i_source_bytes(g));
	if (!fr->copy)
		return nomem(enc);
	for (uint32_t k = 0; k < 2; k++) {
		p->src[k] = fr->copy + (k ? (size_t)g->width * g->height : 0);
		p->src_pitch[k] = h264i_i_row_bytes(g, H264I_NV12, k);
	}
	if (h264i_i_rgb_to_nv12(&enc->rgb, f, g->width, g->height, fr->copy, p->src_pitch[0],
		    fr->copy + (size_t)g->width * g->height, p->src_pitch[1]) != 0)
		return nomem(enc);
	return H264I_OK;
}

static h264i_status cpu_upload(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	cpu_group *cg = g->backend;
	const h264i_frame *f = &g->slot[i].frame;
	h264i_picture *p = &cg->pic[i];

	if (f->memory == H264I_MEM_CUDA)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "a frame in device memory needs the CUDA backend");
	cg->frame[i].idr_pic_id = h264i_i_idr_pic_id(enc, &g->slot[i]);
	p->chroma_step = f->format == H264I_I420 || f->format == H264I_GRAY ? 1 : 2;
	if (f->format == H264I_RGB) {
		h264i_status s = convert_frame(enc, &cg->frame[i], f, p);

		if (s != H264I_OK)
			return s;
	} else if (f->memory == H264I_MEM_HOST) {
		h264i_status s = copy_frame(enc, &cg->frame[i], f, p);

		if (s != H264I_OK)
			return s;
	} else {
		for (uint32_t k = 0; k < h264i_i_planes(f->format); k++) {
			p->src[k] = f->plane[k];
			p->src_pitch[k] = (uint32_t)f->pitch_bytes[k];
		}
	}
	if (f->format == H264I_GRAY || enc->params.gray) {
		p->chroma_step = 1;
		p->src[1] = p->src[2] = cg->neutral;
		p->src_pitch[1] = p->src_pitch[2] = 0;
	} else if (p->chroma_step == 2) {
		p->src[2] = p->src[1] + 1;
		p->src_pitch[2] = p->src_pitch[1];
	}
	return H264I_OK;
}

static h264i_status cpu_detail(h264i_encoder *enc, h264i_group *g)
{
	cpu_group *cg = g->backend;

	for (uint32_t i = 0; i < g->frames; i++) {
		if (h264i_i_is_cancelled(enc))
			return h264i_i_cancelled(enc);
		h264i_i_detail_picture(cg->dsp, &enc->geom, &cg->pic[i], &g->slot[i].detail);
	}
	return H264I_OK;
}

static h264i_status cpu_start(h264i_encoder *enc, h264i_group *g)
{
	cpu_group *cg = g->backend;
	h264i_wave_ctx c = h264i_i_wave_ctx_of(enc, cg->pic, g->frames);

	for (uint32_t i = 0; i < g->frames; i++) {
		if (enc->o.stats && g->state == H264I_GROUP_RUNNING) /* again */
			h264i_i_count_tools(&enc->counts, cg->pic[i].mb,
				enc->geom.mb_width * enc->geom.mb_height, enc->params.gray, -1);
		if (h264i_i_is_cancelled(enc))
			return h264i_i_cancelled(enc);
		cg->pic[i].qp = (uint32_t)g->slot[i].qp;
		if (enc->aq.mode)
			h264i_i_aq_picture(&enc->aq, &enc->geom, &cg->pic[i], cg->frame[i].mb_qp,
				cg->frame[i].aq_root);
	}

	c.entropy_tasks = 1;
	c.row_tasks = (uint32_t)enc->o.sse;
	c.backend = cg;
	if (lsched_run_start(cg->run, &c, rowrule_tasks(&c), NULL) != LSCHED_OK)
		return h264i_i_fail(enc, H264I_ERR_SCHED, "%s", lsched_run_error(cg->run));
	return H264I_OK;
}

/* A group that was not started reads nothing. */
static void cpu_wait_input(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	(void)enc;
	(void)g;
	(void)i;
}

static int cpu_done(h264i_encoder *enc, h264i_group *g)
{
	(void)enc;
	return lsched_run_done(((cpu_group *)g->backend)->run);
}

static h264i_status join_packet(h264i_encoder *enc, cpu_frame *fr, h264i_slot *slot)
{
	size_t n = enc->packet_headers.bytes;

	for (uint32_t s = 0; s < enc->geom.slices; s++)
		n += fr->slice[s].nal.bytes;
	fr->packet.bytes = 0;
	if (h264i_i_buf_reserve(&fr->packet, n) != 0)
		return nomem(enc);
	memcpy(fr->packet.data, enc->packet_headers.data, enc->packet_headers.bytes);
	fr->packet.bytes = enc->packet_headers.bytes;
	for (uint32_t s = 0; s < enc->geom.slices; s++) {
		memcpy(fr->packet.data + fr->packet.bytes, fr->slice[s].nal.data,
			fr->slice[s].nal.bytes);
		fr->packet.bytes += fr->slice[s].nal.bytes;
	}
	slot->packet = fr->packet.data;
	slot->packet_bytes = fr->packet.bytes;
	return H264I_OK;
}

static h264i_status cpu_finish(h264i_encoder *enc, h264i_group *g)
{
	cpu_group *cg = g->backend;
	lsched_stats st = { .struct_bytes = sizeof(st) };
	const lsched_status end = lsched_run_finish(cg->run, &st);

	if (end == LSCHED_ERR_CANCELLED)
		return h264i_i_cancelled(enc);
	if (end != LSCHED_OK)
		return h264i_i_fail(enc, H264I_ERR_SCHED, "%s", lsched_run_error(cg->run));
	enc->stats.tasks += st.tasks;
	enc->stats.workers = st.workers;
	enc->stats.wavefront_ms += (double)st.busy_ns * 1e-6;
	if (st.queue_high_water > enc->stats.queue_high_water)
		enc->stats.queue_high_water = st.queue_high_water;
	enc->idle_ns += st.idle_ns;
	enc->busy_ns += st.busy_ns;
	for (uint32_t i = 0; i < g->frames; i++) {
		const h264i_picture *p = &cg->pic[i];
		h264i_slot *slot = &g->slot[i];
		h264i_status s = join_packet(enc, &cg->frame[i], slot);

		if (s != H264I_OK)
			return s;
		if (enc->o.stats)
			h264i_i_count_tools(&enc->counts, p->mb,
				enc->geom.mb_width * enc->geom.mb_height, enc->params.gray, 1);
		for (int k = 0; k < 3; k++) {
			slot->recon[k] = p->recon[k];
			slot->recon_pitch[k] = p->recon_pitch[k];
			slot->sse[k] = cg->frame[i].sse[k];
		}
	}
	return H264I_OK;
}

static void cpu_cancel(h264i_encoder *enc)
{
	for (uint32_t i = 0; i < enc->group_count; i++)
		(void)lsched_run_cancel(((cpu_group *)enc->group[i].backend)->run);
}

/* Page-locked frames are read until the group is done, unless they were converted. */
static int cpu_input_free(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	(void)enc;
	return h264i_i_is_copied(&g->slot[i].frame);
}

static size_t cpu_runs(h264i_encoder *enc, lsched_run **runs, size_t capacity)
{
	size_t n = 0;

	for (uint32_t i = 0; i < enc->group_count && n < capacity; i++)
		runs[n++] = ((cpu_group *)enc->group[i].backend)->run;
	return n;
}

static void release_host(h264i_host_head *head)
{
	free(head);
}

static void *cpu_host_alloc(h264i_encoder *enc, size_t bytes)
{
	void *p = NULL;

	(void)enc;
	if (posix_memalign(&p, H264I_HOST_HEAD_BYTES, bytes) != 0)
		return NULL;
	((h264i_host_head *)p)->release = release_host;
	return p;
}

const h264i_backend_ops h264i_i_backend_cpu = { cpu_open, cpu_close, cpu_upload, cpu_detail,
	cpu_start, cpu_wait_input, cpu_done, cpu_finish, cpu_cancel, cpu_input_free, cpu_runs,
	cpu_host_alloc };
