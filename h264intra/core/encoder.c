/* The public API: argument checks, the queue of frames in flight, pictures for the caller. */
#include <config.h>

#include "h264intra/core/backend.h"
#include "h264intra/filter/deblock.h"
#include "h264intra/order/wavefront.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *h264i_strstatus(h264i_status s)
{
	switch (s) {
#define X(name, number, text) \
	case H264I_##name:    \
		return text;
		H264I_STATUS_MAP(X)
#undef X
	}
	return "unknown status";
}

const char *h264i_version(void)
{
	return PACKAGE_VERSION;
}

h264i_status h264i_fail(h264i_encoder *enc, h264i_status s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(enc->message, sizeof(enc->message), fmt, ap);
	va_end(ap);
	if (enc->o.log)
		enc->o.log(enc->o.log_opaque, H264I_LOG_ERROR, enc->message);
	return s;
}

h264i_status h264i_status_of_sched(lsched_status st)
{
	switch (st) {
	case LSCHED_OK:
		return H264I_OK;
	case LSCHED_ERR_ARG:
		return H264I_ERR_ARG;
	case LSCHED_ERR_NOMEM:
		return H264I_ERR_NOMEM;
	case LSCHED_ERR_UNSUPPORTED:
		return H264I_ERR_UNSUPPORTED;
	case LSCHED_ERR_NO_DEVICE:
		return H264I_ERR_NO_DEVICE;
	case LSCHED_ERR_DEVICE:
		return H264I_ERR_DEVICE;
	default:
		return H264I_ERR_SCHED;
	}
}

void h264i_options_init(h264i_options *o)
{
	memset(o, 0, sizeof(*o));
	o->struct_bytes = sizeof(*o);
	o->qp = 27;
	o->slices = 1;
	o->deblock = 1;
	o->device = -1;
	o->vui.full_range = -1;
	o->vui.primaries = o->vui.transfer = o->vui.matrix = 2;
	o->vui.chroma_loc = -1;
}

/* Everything about the options that needs no backend. */
static h264i_status check_options(h264i_encoder *enc)
{
	const h264i_options *o = &enc->o;
	h264i_geom *g = &enc->geom;
	char why[256];
	h264i_status s;

	if (o->width < 16 || o->height < 16 || o->width % 2 || o->height % 2)
		return h264i_fail(enc, H264I_ERR_ARG,
			"picture size %ux%u: both sides must be even and at least 16", o->width,
			o->height);
	if (o->width > 65535 || o->height > 65535)
		return h264i_fail(enc, H264I_ERR_LIMIT,
			"picture size %ux%u is beyond level 6.2 (1,055 macroblocks a side)",
			o->width, o->height);
	g->width = o->width;
	g->height = o->height;
	g->mb_width = (o->width + 15) / 16;
	g->mb_height = (o->height + 15) / 16;
	g->slices = o->slices;
	if (o->qp < 0 || o->qp > 51)
		return h264i_fail(enc, H264I_ERR_ARG, "QP %d is not in 0..51", o->qp);
	if (o->slices < 1 || o->slices > g->mb_height)
		return h264i_fail(enc, H264I_ERR_ARG,
			"%u slices: a picture of %u macroblock rows takes 1 to %u", o->slices,
			g->mb_height, g->mb_height);
	if ((unsigned)o->sched > H264I_SCHED_SYNC || (unsigned)o->backend > H264I_BACKEND_CUDA)
		return h264i_fail(enc, H264I_ERR_ARG, "unknown scheme or backend");
	if ((o->disable_modes & H264I_DISABLE_I4_ALL) && (o->disable_modes & H264I_DISABLE_I16_ALL))
		return h264i_fail(enc, H264I_ERR_ARG,
			"disable_modes leaves neither Intra4x4 nor Intra16x16 macroblocks");
	if (o->frames_in_flight > 1024)
		return h264i_fail(enc, H264I_ERR_ARG, "%u frames in flight: at most 1,024",
			o->frames_in_flight);
	enc->params.geom = *g;
	enc->params.qp = o->qp;
	enc->params.deblock = !!o->deblock;
	enc->params.vui = o->vui;
	s = h264i_choose_level(g, o->vui.fps_num, o->vui.fps_den, o->qp, o->level,
		&enc->params.level, why, sizeof(why));
	if (s != H264I_OK)
		return h264i_fail(enc, s, "%s", why);
	if (why[0] && o->log)
		o->log(o->log_opaque, H264I_LOG_WARN, why);
	h264i_i_level_meter_init(&enc->meter, g, enc->params.level, o->vui.fps_num, o->vui.fps_den);
	if (h264i_param_sets_append(&enc->headers, &enc->params) != 0)
		return h264i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	h264i_qparams_init(&enc->q, o->qp, o->disable_modes);
	return H264I_OK;
}

/* Opens the scheduler's context on the backend that the options name. */
static h264i_status open_sched(h264i_encoder *enc)
{
	lsched_options so;
	lsched_status st;
	char why[256];

	lsched_options_init(&so);
	so.backend = enc->o.backend == H264I_BACKEND_CPU    ? LSCHED_BACKEND_CPU
		     : enc->o.backend == H264I_BACKEND_CUDA ? LSCHED_BACKEND_CUDA
							    : LSCHED_BACKEND_AUTO;
	so.device = enc->o.device;
	so.timeout_ms = enc->o.timeout_ms;
	if (so.backend == LSCHED_BACKEND_CPU)
		so.workers = enc->o.threads;
	else if (so.backend == LSCHED_BACKEND_CUDA)
		so.workers = enc->o.gpu_workers;
	st = lsched_open(&enc->sched, &so, why, sizeof(why));
	if (st == LSCHED_OK && so.backend == LSCHED_BACKEND_AUTO) {
		/* AUTO has decided; the number of workers differs between the two. */
		enc->o.backend = lsched_ctx_backend(enc->sched) == LSCHED_BACKEND_CUDA
					 ? H264I_BACKEND_CUDA
					 : H264I_BACKEND_CPU;
		lsched_close(&enc->sched);
		return open_sched(enc);
	}
	if (st != LSCHED_OK)
		return h264i_fail(enc, h264i_status_of_sched(st), "%s", why);
	enc->ops = enc->o.backend == H264I_BACKEND_CUDA ? h264i_backend_cuda() : &h264i_backend_cpu;
	if (!enc->ops)
		return h264i_fail(enc, H264I_ERR_UNSUPPORTED, "built without CUDA");
	return H264I_OK;
}

static h264i_status make_groups(h264i_encoder *enc)
{
	enc->group = calloc(enc->group_count, sizeof(*enc->group));
	if (!enc->group)
		return h264i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < enc->group_count; i++) {
		enc->group[i].slot = calloc(enc->group_frames, sizeof(*enc->group[i].slot));
		if (!enc->group[i].slot)
			return h264i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	}
	return H264I_OK;
}

/* How many frames are encoded together and how many such groups are in flight. */
static void choose_groups(h264i_encoder *enc)
{
	uint32_t n = enc->o.frames_in_flight, mbs = enc->geom.mb_width * enc->geom.mb_height;

	if (enc->o.backend == H264I_BACKEND_CUDA) {
		/* Three groups, so that upload, encoding and download overlap; together as many
		 * macroblocks as keep the device's warps busy (measured: bench/results). */
		if (!n) {
			n = 72u * 8160u / mbs;
			n = n < 6 ? 6 : n > 192 ? 192 : n;
		}
		enc->group_count = n < 3 ? n : 3;
	} else {
		/* Two groups; a frame has some thirty macroblocks ready at a time. */
		if (!n) {
			n = lsched_ctx_workers(enc->sched) * 3 / 4;
			n = n < 2 ? 2 : n > 10 ? 10 : n; /* 10: under 200 MB of 1080p */
		}
		enc->group_count = n < 2 ? n : 2;
	}
	enc->group_frames = n / enc->group_count;
	enc->stats.frames_in_flight = enc->group_count * enc->group_frames;
}

h264i_status h264i_open(h264i_encoder **out, const h264i_options *o, char *msg, size_t msg_bytes)
{
	h264i_encoder *enc;
	h264i_status s;

	if (msg && msg_bytes)
		msg[0] = 0;
	if (!out)
		return H264I_ERR_ARG;
	*out = NULL;
	if (!o || o->struct_bytes != sizeof(*o)) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "%s",
				o ? "options of another version of the library"
				  : "no options given");
		return H264I_ERR_ARG;
	}
	enc = calloc(1, sizeof(*enc));
	if (!enc) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "%s", h264i_strstatus(H264I_ERR_NOMEM));
		return H264I_ERR_NOMEM;
	}
	enc->o = *o;
	s = check_options(enc);
	if (s == H264I_OK)
		s = open_sched(enc);
	if (s == H264I_OK) {
		choose_groups(enc);
		s = make_groups(enc);
	}
	if (s == H264I_OK)
		s = enc->ops->open(enc);
	if (s != H264I_OK) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "%s",
				enc->message[0] ? enc->message : h264i_strstatus(s));
		h264i_close(&enc);
		return s;
	}
	enc->stats.backend = enc->o.backend;
	snprintf(enc->stats.device_name, sizeof(enc->stats.device_name), "%s",
		lsched_ctx_device_name(enc->sched));
	*out = enc;
	return H264I_OK;
}

static void release_slot(h264i_slot *slot)
{
	if (!slot->release_due)
		return;
	slot->release_due = 0;
	if (slot->frame.release)
		slot->frame.release(slot->frame.release_opaque);
}

void h264i_close(h264i_encoder **pe)
{
	h264i_encoder *enc = pe ? *pe : NULL;

	if (!enc)
		return;
	if (enc->ops)
		enc->ops->close(enc);
	for (uint32_t i = 0; enc->group && i < enc->group_count; i++) {
		for (uint32_t k = 0; enc->group[i].slot && k < enc->group_frames; k++)
			release_slot(&enc->group[i].slot[k]);
		free(enc->group[i].slot);
	}
	free(enc->group);
	lsched_close(&enc->sched);
	h264i_buf_free(&enc->headers);
	free(enc);
	*pe = NULL;
}

h264i_wave_ctx h264i_wave_ctx_of(
	const h264i_encoder *enc, const h264i_picture *pic, uint32_t frames)
{
	h264i_wave_ctx c = h264i_wave_ctx_make(&enc->geom, &enc->q);

	c.frames = frames;
	c.pic = pic;
	return c;
}

/* Gives input planes back to the caller as soon as the backend has read them. */
static void release_inputs(h264i_encoder *enc)
{
	for (uint32_t i = 0; i < enc->group_count; i++) {
		h264i_group *g = &enc->group[(enc->drain + i) % enc->group_count];

		for (uint32_t k = 0; g->state != H264I_GROUP_DRAINING && k < g->frames; k++)
			if (g->slot[k].release_due && enc->ops->input_free(enc, g, k))
				release_slot(&g->slot[k]);
	}
}

static h264i_status check_frame(h264i_encoder *enc, const h264i_frame *f)
{
	uint32_t planes = f->format == H264I_NV12 ? 2 : 3;

	if ((unsigned)f->format > H264I_NV12 || (unsigned)f->memory > H264I_MEM_CUDA)
		return h264i_fail(enc, H264I_ERR_ARG, "unknown frame format or memory kind");
	for (uint32_t i = 0; i < planes; i++) {
		uint32_t width = i && planes == 3 ? enc->o.width / 2 : enc->o.width;

		if (!f->plane[i] || f->pitch_bytes[i] < width || f->pitch_bytes[i] > UINT32_MAX)
			return h264i_fail(enc, H264I_ERR_ARG,
				"plane %u: no pixels, or a pitch of %zu bytes for rows of %u", i,
				f->pitch_bytes[i], width);
	}
	return H264I_OK;
}

static h264i_status start_group(h264i_encoder *enc, h264i_group *g)
{
	h264i_status s = enc->ops->start(enc, g);

	if (s != H264I_OK) {
		enc->failed = 1;
		return s;
	}
	g->state = H264I_GROUP_RUNNING;
	enc->fill = (enc->fill + 1) % enc->group_count;
	return H264I_OK;
}

h264i_status h264i_send_frame(h264i_encoder *enc, const h264i_frame *f)
{
	h264i_group *g;
	h264i_slot *slot;
	h264i_status s;

	if (!enc || !f)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (enc->flushed || enc->failed)
		return h264i_fail(enc, H264I_ERR_STATE,
			enc->flushed ? "the encoder was flushed" : "the encoder failed before");
	s = check_frame(enc, f);
	if (s != H264I_OK)
		return s;
	release_inputs(enc);
	g = &enc->group[enc->fill];
	if (g->state != H264I_GROUP_FILLING)
		return H264I_AGAIN;
	slot = &g->slot[g->frames];
	memset(slot, 0, sizeof(*slot));
	slot->frame = *f;
	slot->index = enc->sent;
	s = enc->ops->upload(enc, g, g->frames);
	if (s != H264I_OK)
		return s;
	slot->release_due = 1;
	enc->sent++;
	if (++g->frames < enc->group_frames)
		return H264I_OK;
	s = start_group(enc, g);
	if (s != H264I_OK)
		slot->release_due = 0; /* not taken, so the caller's to free */
	return s;
}

h264i_status h264i_flush(h264i_encoder *enc)
{
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (enc->flushed)
		return H264I_OK;
	enc->flushed = 1;
	if (enc->failed)
		return h264i_fail(enc, H264I_ERR_STATE, "the encoder failed before");
	if (enc->group[enc->fill].state == H264I_GROUP_FILLING && enc->group[enc->fill].frames)
		return start_group(enc, &enc->group[enc->fill]);
	return H264I_OK;
}

/* Deblocks the reconstruction, if decoders will, and measures it. */
static void finish_picture(h264i_encoder *enc, h264i_slot *slot)
{
	if (enc->o.deblock)
		h264i_deblock_frame(slot->recon, slot->recon_pitch, enc->geom.mb_width,
			enc->geom.mb_height, slot->mb, enc->q.qp);
	for (int p = 0; p < 3; p++) {
		uint32_t w = enc->geom.width >> (p > 0), h = enc->geom.height >> (p > 0);
		size_t step = p ? slot->src_chroma_step : 1;
		uint64_t sum = 0;

		for (uint32_t y = 0; y < h; y++) {
			const uint8_t *a = slot->src[p] + (size_t)y * slot->src_pitch[p];
			const uint8_t *b = slot->recon[p] + (size_t)y * slot->recon_pitch[p];
			uint32_t row = 0;

			for (uint32_t x = 0; x < w; x++) {
				int d = a[x * step] - b[x];

				row += (uint32_t)(d * d);
			}
			sum += row;
		}
		slot->sse[p] = sum;
	}
}

static void fill_packet(const h264i_encoder *enc, h264i_slot *slot, h264i_packet *pkt)
{
	pkt->data = slot->packet;
	pkt->data_bytes = slot->packet_bytes;
	pkt->headers_bytes = enc->headers.bytes;
	pkt->pts = slot->frame.pts;
	pkt->index = slot->index;
	for (int p = 0; enc->o.recon && p < 3; p++) {
		pkt->recon[p] = slot->recon[p];
		pkt->recon_pitch_bytes[p] = slot->recon_pitch[p];
		pkt->sse[p] = slot->sse[p];
	}
}

h264i_status h264i_receive_packet(h264i_encoder *enc, h264i_packet *pkt)
{
	h264i_group *g;
	h264i_slot *slot;

	if (!enc || !pkt)
		return H264I_ERR_ARG;
	memset(pkt, 0, sizeof(*pkt));
	enc->message[0] = 0;
	if (enc->failed)
		return h264i_fail(enc, H264I_ERR_STATE, "the encoder failed before");
	release_inputs(enc);
	g = &enc->group[enc->drain];
	if (g->state == H264I_GROUP_DRAINING && g->received == g->frames) {
		g->state = H264I_GROUP_FILLING;
		g->frames = g->received = 0;
		enc->drain = (enc->drain + 1) % enc->group_count;
		g = &enc->group[enc->drain];
	}
	if (g->state == H264I_GROUP_FILLING)
		return enc->flushed ? H264I_END : H264I_AGAIN;
	if (g->state == H264I_GROUP_RUNNING) {
		h264i_status s;
		int room = !enc->flushed && enc->group[enc->fill].state == H264I_GROUP_FILLING;

		if (room && !enc->ops->done(enc, g))
			return H264I_AGAIN;
		s = enc->ops->finish(enc, g);
		for (uint32_t k = 0; k < g->frames; k++) {
			/* The source may be the caller's memory: compared before it is released. */
			if (s == H264I_OK && enc->o.recon)
				finish_picture(enc, &g->slot[k]);
			release_slot(&g->slot[k]);
		}
		if (s != H264I_OK) {
			enc->failed = 1;
			return s;
		}
		g->state = H264I_GROUP_DRAINING;
		g->received = 0;
	}
	slot = &g->slot[g->received++];
	fill_packet(enc, slot, pkt);
	enc->stats.frames++;
	enc->stats.bytes += pkt->data_bytes;
	h264i_i_level_meter_add(&enc->meter, pkt->data_bytes);
	return H264I_OK;
}

h264i_status h264i_headers(const h264i_encoder *enc, const uint8_t **data, size_t *data_bytes)
{
	if (!enc || !data || !data_bytes)
		return H264I_ERR_ARG;
	*data = enc->headers.data;
	*data_bytes = enc->headers.bytes;
	return H264I_OK;
}

int h264i_level(const h264i_encoder *enc)
{
	return enc ? enc->params.level : 0;
}

const char *h264i_last_error(const h264i_encoder *enc)
{
	return enc ? enc->message : "";
}

h264i_status h264i_host_alloc(h264i_encoder *enc, void **out, size_t bytes)
{
	if (!enc || !out || !bytes)
		return H264I_ERR_ARG;
	*out = enc->ops->host_alloc(enc, bytes);
	return *out ? H264I_OK
		    : h264i_fail(enc, H264I_ERR_NOMEM, "no %zu bytes of host memory", bytes);
}

void h264i_host_free(h264i_encoder *enc, void *p)
{
	if (enc && p)
		enc->ops->host_free(enc, p);
}

typedef lsched_status trace_writer(
	lsched_run *const *runs, size_t run_count, lsched_write_fn write, void *opaque);

static h264i_status write_trace(
	h264i_encoder *enc, trace_writer *trace, lsched_write_fn write, void *opaque)
{
	lsched_run *runs[16];
	size_t n;
	lsched_status st;

	if (!enc || !write)
		return H264I_ERR_ARG;
	if (!enc->o.trace)
		return h264i_fail(enc, H264I_ERR_STATE, "the encoder was opened without trace");
	n = enc->ops->runs(enc, runs, sizeof(runs) / sizeof(runs[0]));
	st = trace(runs, n, write, opaque);
	return st == LSCHED_OK ? H264I_OK
			       : h264i_fail(enc, H264I_ERR_SCHED, "%s", lsched_strstatus(st));
}

h264i_status h264i_write_trace(h264i_encoder *enc,
	int (*write)(void *opaque, const char *text, size_t text_bytes), void *opaque)
{
	return write_trace(enc, lsched_trace_write, write, opaque);
}

h264i_status h264i_write_trace_svg(h264i_encoder *enc,
	int (*write)(void *opaque, const char *text, size_t text_bytes), void *opaque)
{
	return write_trace(enc, lsched_trace_write_svg, write, opaque);
}
