/* Frames in, packets out: the queue of frames in flight. */
#include "h264intra/core/backend.h"
#include "libsched/core/clock.h"
#include "libsched/core/sized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static h264i_status check_rgb(h264i_encoder *enc, const h264i_frame *f)
{
	const h264i_rgb *rgb = &f->rgb;
	int64_t size, farthest = (int64_t)1 << 40; /* products with 16 bits fit */

	if (!enc->o.rgb)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "an RGB frame: open the encoder with options.rgb = 1");
	if ((unsigned)rgb->sample > H264I_F64 || (unsigned)rgb->range > H264I_RGB_LIMITS)
		return h264i_i_fail(enc, H264I_ERR_ARG, "unknown RGB sample %d or range %d",
			(int)rgb->sample, (int)rgb->range);
	if ((rgb->sample == H264I_U8 && rgb->range != H264I_RGB_UNIT) ||
		(rgb->sample == H264I_U16 && rgb->range == H264I_RGB_SIGNED))
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"RGB samples of %d bits have no range %d: use H264I_RGB_UNIT",
			rgb->sample == H264I_U8 ? 8 : 16, (int)rgb->range);
	if (rgb->range == H264I_RGB_LIMITS &&
		!(f->rgb_black < f->rgb_white && isfinite(f->rgb_white - f->rgb_black)))
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"rgb_black %g and rgb_white %g of a frame: use numbers of which the second "
			"is greater",
			(double)f->rgb_black, (double)f->rgb_white);
	size = h264i_i_rgb_sample_bytes(rgb->sample);
	if (rgb->pixel_stride % size || rgb->row_stride % size ||
		llabs(rgb->pixel_stride) > farthest || llabs(rgb->row_stride) > farthest)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"RGB strides of %lld and %lld bytes: use multiples of the sample's %d "
			"bytes up to 2^40",
			(long long)rgb->pixel_stride, (long long)rgb->row_stride, (int)size);
	for (int k = 0; k < 3; k++)
		if (!f->plane[k] || (uintptr_t)f->plane[k] % (uintptr_t)size)
			return h264i_i_fail(enc, H264I_ERR_ARG,
				"component %d of an RGB frame is %s", k,
				f->plane[k] ? "not aligned to its samples" : "NULL");
	if ((uintptr_t)f->alpha % (uintptr_t)size)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "alpha of an RGB frame is not aligned to its samples");
	return H264I_OK;
}

static h264i_status check_frame(h264i_encoder *enc, const h264i_frame *f)
{
	uint32_t planes = enc->params.gray ? 1 : h264i_i_planes(f->format);

	if ((unsigned)f->format > H264I_GRAY || (unsigned)f->memory > H264I_MEM_CUDA)
		return h264i_i_fail(enc, H264I_ERR_ARG, "unknown frame format %d or memory %d",
			(int)f->format, (int)f->memory);
	if (f->substream >= enc->o.substreams)
		return h264i_i_fail(enc, H264I_ERR_ARG, "substream %u of a frame is not in 0..%u",
			f->substream, enc->o.substreams - 1);
	if (enc->o.rate_mode == H264I_RATE_FRAME && (f->qp < 0 || f->qp > 51))
		return h264i_i_fail(enc, H264I_ERR_ARG, "QP %d of a frame is not in 0..51", f->qp);
	if (f->memory == H264I_MEM_CUDA && enc->devices > 1)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"a frame in device memory needs an encoder of one device, not of %u: set "
			"options.device",
			enc->devices);
	if (f->format == H264I_RGB)
		return check_rgb(enc, f);
	for (uint32_t i = 0; i < planes; i++) {
		uint32_t width = h264i_i_row_bytes(&enc->geom, f->format, i);

		if (!f->plane[i] || f->pitch_bytes[i] < width || f->pitch_bytes[i] > UINT32_MAX)
			return h264i_i_fail(enc, H264I_ERR_ARG,
				"plane %u is NULL, or its pitch of %zu bytes is not in %u..2^32 - "
				"1",
				i, f->pitch_bytes[i], width);
	}
	return H264I_OK;
}

static h264i_status failed_before(h264i_encoder *enc)
{
	return h264i_i_fail(
		enc, H264I_ERR_STATE, "the encoder failed before: %.400s", enc->failure);
}

/* Begins a call that needs a stream. Returns H264I_OK unless the encoder is NULL, was cancelled,
 * has failed or was flushed. */
static h264i_status enter(h264i_encoder *enc)
{
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (h264i_i_is_cancelled(enc))
		return h264i_i_cancelled(enc);
	if (enc->failed)
		return failed_before(enc);
	if (enc->flushed)
		return h264i_i_fail(enc, H264I_ERR_STATE,
			"the encoder was flushed: receive all packets and call h264i_restart");
	return H264I_OK;
}

/* Uploads the frame to the next slot of g. */
static h264i_status add_frame(h264i_encoder *enc, h264i_group *g, const h264i_frame *f)
{
	h264i_slot *slot = &g->slot[g->frames];
	h264i_substream *stream = enc->substream[f->substream];
	h264i_buf sei = slot->sei;
	uint64_t now = lsched_i_clock_ns();
	h264i_status s;

	memset(slot, 0, sizeof(*slot));
	slot->frame = *f;
	slot->stream = stream;
	slot->index = stream->sent;
	slot->number = enc->sent;
	slot->qp = enc->o.qp;
	s = h264i_i_sei_put(enc, &sei, f);
	slot->sei = sei;
	if (s == H264I_OK)
		s = enc->ops->upload(enc, g, g->frames);
	if (s != H264I_OK)
		return s;
	slot->release_due = 1;
	enc->gap_ns = enc->sent ? now - enc->pause_from_ns : 0;
	enc->pause_from_ns = now;
	enc->sent++;
	stream->sent++;
	stream->in_flight++;
	if (g->frames++ == 0)
		g->first_ns = now;
	return H264I_OK;
}

/* Removes the last frame of a group that could not be started. It is not accepted: the caller frees
 * it. */
static void take_back(h264i_encoder *enc, h264i_group *g)
{
	h264i_slot *slot = &g->slot[--g->frames];

	enc->sent--;
	slot->stream->sent--;
	slot->stream->in_flight--;
	slot->release_due = 0;
	enc->ops->wait_input(enc, g, g->frames);
}

static h264i_status start_remaining(h264i_encoder *enc)
{
	const h264i_group *g = &enc->group[enc->fill];

	return g->state == H264I_GROUP_FILLING && g->frames ? h264i_i_group_start(enc) : H264I_OK;
}

/* Starts all frames sent; h264i_receive_packet then waits for them. */
static h264i_status start_all(h264i_encoder *enc)
{
	enc->due = enc->sent;
	return start_remaining(enc);
}

h264i_status h264i_send_frame(h264i_encoder *enc, const h264i_frame *from)
{
	const char *problem = NULL;
	h264i_frame f;
	h264i_group *g;
	h264i_status s;

	s = enter(enc);
	if (s != H264I_OK)
		return s;
	h264i_frame_init(&f);
	if (from)
		problem = lsched_i_sized_in(
			&f, sizeof(f), LSCHED_I_SIZE_TO(h264i_frame, release_opaque), from);
	if (!from || problem)
		return h264i_i_fail(
			enc, H264I_ERR_ARG, "h264i_frame %s", from ? problem : "is NULL");
	s = check_frame(enc, &f);
	if (s != H264I_OK)
		return s;
	if (enc->params.gray && f.format != H264I_RGB)
		f.format = H264I_GRAY;
	h264i_i_release_inputs(enc);
	g = &enc->group[enc->fill];
	if (g->state != H264I_GROUP_FILLING) {
		enc->pause_from_ns = lsched_i_clock_ns();
		return H264I_AGAIN;
	}
	if (h264i_i_substream_is_full(enc->substream[f.substream])) {
		/* The next h264i_receive_packet has to wait, whatever other substreams send. */
		s = start_all(enc);
		enc->pause_from_ns = lsched_i_clock_ns();
		return s == H264I_OK ? H264I_AGAIN : s;
	}
	s = add_frame(enc, g, &f);
	if (s != H264I_OK || g->frames < g->capacity)
		return s;
	s = h264i_i_group_start(enc);
	if (s != H264I_OK)
		take_back(enc, g);
	return s;
}

h264i_status h264i_drain(h264i_encoder *enc)
{
	const h264i_status s = enter(enc);

	return s == H264I_OK ? start_all(enc) : s;
}

h264i_status h264i_flush(h264i_encoder *enc)
{
	h264i_status s;

	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (enc->flushed && !h264i_i_is_cancelled(enc))
		return H264I_OK;
	s = enter(enc);
	enc->flushed = 1;
	return s == H264I_OK ? start_remaining(enc) : s;
}

h264i_status h264i_restart(h264i_encoder *enc)
{
	const h264i_group *g;
	h264i_status s;

	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (enc->failed && enc->failed != H264I_ERR_CANCELLED)
		return failed_before(enc);
	if (h264i_i_is_cancelled(enc)) {
		s = h264i_i_groups_drop(enc);
		if (s != H264I_OK)
			return s;
		enc->flushed = 1;
		enc->failed = H264I_OK;
		__atomic_store_n(&enc->cancelled, 0, __ATOMIC_RELEASE);
		enc->message[0] = 0;
	}
	g = &enc->group[enc->drain];
	if (!enc->flushed || g->state != H264I_GROUP_FILLING || g->frames)
		return h264i_i_fail(enc, H264I_ERR_STATE,
			"a new stream: flush the old one first, and receive all of its packets");
	enc->flushed = 0;
	enc->sent = enc->due = 0;
	h264i_i_substreams_restart(enc);
	return H264I_OK;
}

h264i_status h264i_restart_substream(h264i_encoder *enc, uint32_t substream)
{
	const h264i_status s = enter(enc);

	if (s != H264I_OK)
		return s;
	if (substream >= enc->o.substreams)
		return h264i_i_fail(enc, H264I_ERR_ARG, "substream %u to restart is not in 0..%u",
			substream, enc->o.substreams - 1);
	return h264i_i_substream_replace(enc, substream);
}

/* Reports the failure that ended the stream, after the packets before it were received. */
static h264i_status report_failure(h264i_encoder *enc)
{
	memcpy(enc->message, enc->failure, sizeof(enc->message));
	return enc->failed;
}

/* 1: h264i_receive_packet waits for the packets of g. */
static int must_wait(const h264i_encoder *enc, const h264i_group *g)
{
	return enc->flushed || enc->failed || g->slot[0].number < enc->due ||
	       enc->group[enc->fill].state != H264I_GROUP_FILLING;
}

/* Advances to a group with packets. Returns OK, or the reason why there is none. */
static h264i_status next_group(h264i_encoder *enc)
{
	h264i_group *g = &enc->group[enc->drain];
	h264i_status s;

	if (g->state == H264I_GROUP_DRAINING) {
		if (g->received < g->frames)
			return H264I_OK;
		g->state = H264I_GROUP_FILLING;
		g->frames = g->received = 0;
		enc->drain = (enc->drain + 1) % enc->group_count;
		g = &enc->group[enc->drain];
	}
	if (g->state == H264I_GROUP_FAILED || (g->state == H264I_GROUP_FILLING && enc->failed))
		return report_failure(enc);
	if (g->state == H264I_GROUP_FILLING) {
		/* No group is being encoded. */
		for (uint32_t k = 0; enc->flushed && k < enc->o.substreams; k++)
			h264i_i_control_end(enc, enc->substream[k]);
		s = enc->flushed ? H264I_END : h264i_i_group_start_partial(enc);
		return s == H264I_OK ? H264I_AGAIN : s;
	}
	if (!must_wait(enc, g) && !enc->ops->done(enc, g))
		return H264I_AGAIN;
	s = h264i_i_group_finish(enc, g);
	/* No other group is running: start one, so that the device is busy while the caller writes
	 * these packets. A failure is reported after them. */
	if (s == H264I_OK && (enc->drain + 1) % enc->group_count == enc->fill &&
		h264i_i_group_start_partial(enc) != H264I_OK)
		enc->message[0] = 0;
	return s;
}

h264i_status h264i_receive_packet(h264i_encoder *enc, h264i_packet *pkt)
{
	static const size_t least = LSCHED_I_SIZE_TO(h264i_packet, buffer);
	const char *problem;
	h264i_packet out;
	h264i_status s;
	const h264i_slot *slot;
	h264i_group *g;

	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	h264i_packet_init(&out);
	problem = pkt ? lsched_i_sized_out(pkt, sizeof(out), least, &out) : "is NULL";
	if (problem)
		return h264i_i_fail(enc, H264I_ERR_ARG, "h264i_packet %s", problem);
	if (h264i_i_is_cancelled(enc))
		return h264i_i_cancelled(enc);
	h264i_i_release_inputs(enc);
	s = next_group(enc);
	if (s != H264I_OK)
		return s;
	g = &enc->group[enc->drain];
	slot = &g->slot[g->received];
	s = h264i_i_packet_fill(enc, slot, &out);
	if (s != H264I_OK)
		return s; /* the packet stays the next one */
	g->received++;
	enc->pause_from_ns = lsched_i_clock_ns();
	enc->stats.frames++;
	enc->stats.bytes += out.data_bytes;
	enc->qp_sum += (uint64_t)out.qp;
	h264i_i_level_meter_add(&slot->stream->meter, out.data_bytes,
		h264i_i_control_timed(enc) ? (double)slot->time.span * 0x1p-32 : 0);
	h264i_i_substream_received(enc, slot->stream);
	(void)lsched_i_sized_out(pkt, sizeof(out), least, &out);
	return H264I_OK;
}
