/* Opens, closes and queries an encoder. Frames and packets: frames.c. */
#include <config.h>

#include "h264intra/core/backend.h"
#include "h264intra/order/wavefront.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

h264i_status h264i_i_fail(h264i_encoder *enc, h264i_status s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(enc->message, sizeof(enc->message), fmt, ap);
	va_end(ap);
	if (enc->o.log)
		enc->o.log(enc->o.log_opaque, H264I_LOG_ERROR, enc->message);
	return s;
}

int h264i_i_is_cancelled(const h264i_encoder *enc)
{
	return (int)__atomic_load_n(&enc->cancelled, __ATOMIC_ACQUIRE);
}

h264i_status h264i_i_cancelled(h264i_encoder *enc)
{
	/* A cancel that h264i_restart has ended may still reach a run of the new stream. */
	__atomic_store_n(&enc->cancelled, 1, __ATOMIC_RELEASE);
	snprintf(enc->message, sizeof(enc->message),
		"the encoder was cancelled: close it, or call h264i_restart for a new stream");
	return H264I_ERR_CANCELLED;
}

h264i_status h264i_cancel(h264i_encoder *enc)
{
	if (!enc)
		return H264I_ERR_ARG;
	/* First: a group that is started now sees it after its start (core/groups.c). */
	__atomic_store_n(&enc->cancelled, 1, __ATOMIC_SEQ_CST);
	enc->ops->cancel(enc);
	return H264I_OK;
}

h264i_status h264i_i_status_of_sched(lsched_status st)
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
	so.device = enc->o.device == H264I_DEVICE_ALL ? 0 : enc->o.device;
	so.timeout_ms = enc->o.timeout_ms;
	if (so.backend == LSCHED_BACKEND_CPU)
		so.workers = enc->o.threads;
	else if (so.backend == LSCHED_BACKEND_CUDA)
		so.workers = enc->o.gpu_workers;
	st = lsched_open(&enc->sched, &so, why, sizeof(why));
	if (st == LSCHED_OK && so.backend == LSCHED_BACKEND_AUTO) {
		/* AUTO has chosen; open again with the number of workers of that backend. */
		enc->o.backend = lsched_ctx_backend(enc->sched) == LSCHED_BACKEND_CUDA
					 ? H264I_BACKEND_CUDA
					 : H264I_BACKEND_CPU;
		lsched_close(&enc->sched);
		return open_sched(enc);
	}
	if (st != LSCHED_OK)
		return h264i_i_fail(enc, h264i_i_status_of_sched(st), "%s", why);
	enc->ops = enc->o.backend == H264I_BACKEND_CUDA ? h264i_i_backend_cuda()
							: &h264i_i_backend_cpu;
	if (!enc->ops)
		return h264i_i_fail(enc, H264I_ERR_UNSUPPORTED, "built without CUDA");
	if (enc->o.sched == H264I_SCHED_AUTO)
		enc->o.sched = enc->o.backend == H264I_BACKEND_CUDA ? H264I_SCHED_STATIC
								    : H264I_SCHED_DYNAMIC;
	enc->devices = 1;
	if (enc->o.backend == H264I_BACKEND_CUDA && enc->o.device == H264I_DEVICE_ALL)
		enc->devices = (uint32_t)lsched_device_count();
	return H264I_OK;
}

/* Copies the name of the device, with the number of devices if several share the frames. */
static void set_device_name(h264i_encoder *enc)
{
	char *to = enc->stats.device_name;
	size_t bytes = sizeof(enc->stats.device_name);

	snprintf(to, bytes, "%s", lsched_ctx_device_name(enc->sched));
	if (enc->devices > 1)
		snprintf(to, bytes, "%u x %s", enc->devices, lsched_ctx_device_name(enc->sched));
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
	if (!o) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "h264i_options is NULL");
		return H264I_ERR_ARG;
	}
	enc = calloc(1, sizeof(*enc));
	if (!enc) {
		if (msg && msg_bytes)
			snprintf(msg, msg_bytes, "%s", h264i_strstatus(H264I_ERR_NOMEM));
		return H264I_ERR_NOMEM;
	}
	s = h264i_i_set_options(enc, o);
	if (s == H264I_OK)
		s = open_sched(enc);
	if (s == H264I_OK)
		s = h264i_i_substreams_open(enc);
	if (s == H264I_OK)
		s = h264i_i_groups_open(enc);
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
	set_device_name(enc);
	*out = enc;
	return H264I_OK;
}

void h264i_close(h264i_encoder **pe)
{
	h264i_encoder *enc = pe ? *pe : NULL;

	if (!enc)
		return;
	if (enc->ops)
		enc->ops->close(enc);
	h264i_i_groups_close(enc);
	h264i_i_substreams_close(enc);
	lsched_close(&enc->sched);
	h264i_i_buf_free(&enc->headers);
	h264i_i_buf_free(&enc->packet_headers);
	h264i_i_buf_free(&enc->assembled);
	free(enc);
	*pe = NULL;
}

h264i_wave_ctx h264i_i_wave_ctx_of(
	const h264i_encoder *enc, const h264i_picture *pic, uint32_t frames)
{
	h264i_wave_ctx c = h264i_wave_ctx_make(&enc->geom, enc->by_qp);

	c.q = enc->by_qp[enc->o.qp];
	c.frames = frames;
	c.pic = pic;
	c.rd = enc->o.rd;
	c.trellis = enc->o.trellis;
	return c;
}

h264i_status h264i_headers(h264i_encoder *enc, const uint8_t **data, size_t *data_bytes)
{
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (!data || !data_bytes)
		return h264i_i_fail(enc, H264I_ERR_ARG, "data or data_bytes is NULL");
	*data = enc->headers.data;
	*data_bytes = enc->headers.bytes;
	return H264I_OK;
}

int h264i_level(const h264i_encoder *enc)
{
	return enc ? enc->params.level : 0;
}

uint32_t h264i_latency_frames(const h264i_encoder *enc)
{
	return enc ? enc->stats.frames_in_flight - 1 : 0;
}

const char *h264i_last_error(const h264i_encoder *enc)
{
	return enc ? enc->message : "";
}

h264i_status h264i_host_alloc(h264i_encoder *enc, void **out, size_t bytes)
{
	h264i_host_head *head = NULL;

	if (out)
		*out = NULL;
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (!out || !bytes)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "host memory: %s", out ? "0 bytes" : "out is NULL");
	if (bytes <= SIZE_MAX - H264I_HOST_HEAD_BYTES)
		head = enc->ops->host_alloc(enc, bytes + H264I_HOST_HEAD_BYTES);
	if (!head)
		return h264i_i_fail(
			enc, H264I_ERR_NOMEM, "cannot allocate %zu bytes of host memory", bytes);
	*out = (unsigned char *)head + H264I_HOST_HEAD_BYTES;
	return H264I_OK;
}

void h264i_host_free(void *p)
{
	h264i_host_head *head;

	if (!p)
		return;
	head = (h264i_host_head *)(void *)((unsigned char *)p - H264I_HOST_HEAD_BYTES);
	head->release(head);
}

size_t h264i_trace_runs(h264i_encoder *enc, struct lsched_run **runs, size_t room)
{
	return enc && runs && enc->o.trace ? enc->ops->runs(enc, runs, room) : 0;
}

h264i_status h264i_write_trace(h264i_encoder *enc,
	int (*write)(void *opaque, const char *text, size_t text_bytes), void *opaque)
{
	lsched_run **runs;
	lsched_status st;
	size_t n;

	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (!write)
		return h264i_i_fail(enc, H264I_ERR_ARG, "write is NULL");
	if (!enc->o.trace)
		return h264i_i_fail(enc, H264I_ERR_STATE,
			"no timeline: open the encoder with options.trace = 1");
	runs = calloc(enc->group_count, sizeof(*runs));
	if (!runs)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "no memory for the timeline");
	n = h264i_trace_runs(enc, runs, enc->group_count);
	st = lsched_trace_write(runs, n, write, opaque);
	free(runs);
	return st == LSCHED_OK ? H264I_OK
			       : h264i_i_fail(enc, H264I_ERR_SCHED, "%s", lsched_strstatus(st));
}
