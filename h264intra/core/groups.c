/* Groups of frames: their number, and their states from filling to draining. */
#include "h264intra/core/backend.h"
#include "libsched/core/clock.h"

#include <stdlib.h>
#include <string.h>

/* With history, frames in flight of a stream have no size that a plan needs. */
static uint32_t most_in_flight(const h264i_encoder *enc)
{
	const h264i_rate *r = &enc->substream[0]->rate;

	return r->history ? r->s.delay * enc->o.substreams : UINT32_MAX;
}

/* Frames in flight on CUDA. Together they have enough macroblocks to occupy the device (measured:
 * bench/results). 240 frames of 1080p are 5 % faster than these 180, but take 5 GB instead of
 * 3.9. */
static uint32_t choose_cuda(const h264i_encoder *enc, uint32_t mbs)
{
	const uint32_t least = 3 * enc->o.substreams;
	uint32_t n = 180u * 8160u / mbs;

	n = n < 6 ? 6 : n > 288 ? 288 : n;
	/* three groups of a picture of each substream, unless these take far more memory */
	if (n < least)
		n = least < 2 * n ? least : 2 * n;
	return n * enc->devices;
}

/* Groups of n frames on CUDA. Five a device: the wavefronts of three (cuda/state.cuh), and upload
 * and entropy coding of the others. Fewer if each then has the capacity for a picture of every
 * substream: a group costs time, whatever is in it. */
static uint32_t cuda_groups(const h264i_encoder *enc, uint32_t n)
{
	const uint32_t streams = enc->o.substreams, five = 5 * enc->devices;
	uint32_t groups = n / streams;

	if (groups > enc->devices)
		groups -= groups % enc->devices;
	if (streams > 1 && groups && groups < five && n / groups < H264I_GROUP_FRAMES)
		return groups;
	return n < five ? n : five;
}

/* Returns the frames in flight and sets the number of groups. */
static uint32_t choose_groups(h264i_encoder *enc)
{
	uint32_t n = enc->o.frames_in_flight, mbs = enc->geom.mb_width * enc->geom.mb_height;
	uint32_t most = most_in_flight(enc);

	n = n < most ? n : most;
	if (enc->o.frames_expected && enc->o.frames_expected < most)
		most = enc->o.frames_expected;

	if (enc->o.backend == H264I_BACKEND_CUDA) {
		if (!n) {
			n = choose_cuda(enc, mbs);
			n = n < most ? n : most;
		}
		enc->group_count = cuda_groups(enc, n);
		/* a device without a group is not used */
		enc->devices = enc->devices < enc->group_count ? enc->devices : enc->group_count;
	} else {
		/* Two groups. A frame has about 30 ready macroblocks at a time, but CABAC codes
		 * the rows of a slice one after another: 16 threads reach 171, 303, 364 and 416
		 * frames/s of 1080p with 8, 16, 24 and 32 frames (ultrafast). 32 of 1080p take
		 * 600 MB; larger pictures are fewer. */
		if (!n) {
			uint32_t frames_max = 32u * 8160u / mbs;

			frames_max = frames_max < 10 ? 10 : frames_max;
			n = 2 * lsched_ctx_workers(enc->sched);
			n = n < 3 ? 3 : n > 32 ? 32 : n;
			n = n < frames_max ? n : frames_max;
			n = n < most ? n : most;
		}
		enc->group_count = n < 2 ? n : 2;
	}
	return n;
}

h264i_status h264i_i_groups_open(h264i_encoder *enc)
{
	uint32_t n = choose_groups(enc);

	enc->stats.frames_in_flight = n;
	enc->group = calloc(enc->group_count, sizeof(*enc->group));
	if (!enc->group)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < enc->group_count; i++) {
		h264i_group *g = &enc->group[i];

		g->capacity = n / enc->group_count + (i < n % enc->group_count);
		g->slot = calloc(g->capacity, sizeof(*g->slot));
		if (!g->slot)
			return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	}
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

void h264i_i_groups_close(h264i_encoder *enc)
{
	for (uint32_t i = 0; enc->group && i < enc->group_count; i++) {
		for (uint32_t k = 0; enc->group[i].slot && k < enc->group[i].capacity; k++) {
			release_slot(&enc->group[i].slot[k]);
			h264i_i_buf_free(&enc->group[i].slot[k].sei);
		}
		free(enc->group[i].slot);
	}
	free(enc->group);
	enc->group = NULL;
}

h264i_status h264i_i_groups_drop(h264i_encoder *enc)
{
	for (uint32_t i = 0; i < enc->group_count; i++) {
		h264i_group *g = &enc->group[(enc->drain + i) % enc->group_count];
		h264i_status s = H264I_OK;

		if (g->state == H264I_GROUP_RUNNING)
			s = enc->ops->finish(enc, g);
		if (s != H264I_OK && s != H264I_ERR_CANCELLED)
			return s;
		for (uint32_t k = 0; k < g->frames; k++) {
			if (g->slot[k].release_due)
				enc->ops->wait_input(enc, g, k);
			release_slot(&g->slot[k]);
		}
		g->state = H264I_GROUP_FILLING;
		g->frames = g->received = 0;
	}
	enc->fill = enc->drain = 0;
	return H264I_OK;
}

void h264i_i_release_inputs(h264i_encoder *enc)
{
	for (uint32_t i = 0; i < enc->group_count; i++) {
		h264i_group *g = &enc->group[(enc->drain + i) % enc->group_count];

		for (uint32_t k = 0; g->state != H264I_GROUP_DRAINING && k < g->frames; k++)
			if (g->slot[k].release_due && enc->ops->input_free(enc, g, k))
				release_slot(&g->slot[k]);
	}
}

static h264i_status fail_for_good(h264i_encoder *enc, h264i_status s)
{
	if (!enc->failed) {
		enc->failed = s;
		memcpy(enc->failure, enc->message, sizeof(enc->failure));
	}
	return s;
}

/* Starts a group with the QPs of its slots. */
static h264i_status start_coding(h264i_encoder *enc, h264i_group *g)
{
	h264i_status s =
		h264i_i_is_cancelled(enc) ? h264i_i_cancelled(enc) : enc->ops->start(enc, g);

	/* A cancel in the meantime has not found the group's run. */
	if (s == H264I_OK && h264i_i_is_cancelled(enc))
		enc->ops->cancel(enc);
	return s;
}

h264i_status h264i_i_group_start(h264i_encoder *enc)
{
	h264i_group *g = &enc->group[enc->fill];
	h264i_status s = h264i_i_control_plan(enc, g);

	if (s == H264I_OK)
		s = start_coding(enc, g);
	if (s != H264I_OK)
		return fail_for_good(enc, s);
	g->state = H264I_GROUP_RUNNING;
	enc->fill = (enc->fill + 1) % enc->group_count;
	return H264I_OK;
}

/* Input that is faster than the encoder fills groups while others run; then there is nothing to
 * start here. Slower input makes groups of the frames sent while the previous group was encoded. */
h264i_status h264i_i_group_start_partial(h264i_encoder *enc)
{
	const h264i_group *g = &enc->group[enc->fill];
	uint64_t waited_ns;

	if (g->state != H264I_GROUP_FILLING || !g->frames || enc->failed ||
		enc->o.latency_ms == H264I_LATENCY_FULL)
		return H264I_OK;
	waited_ns = lsched_i_clock_ns() - g->first_ns;
	if (waited_ns + enc->gap_ns < enc->o.latency_ms * (uint64_t)1000000)
		return H264I_OK;
	return h264i_i_group_start(enc);
}

h264i_status h264i_i_group_finish(h264i_encoder *enc, h264i_group *g)
{
	h264i_status s = enc->ops->finish(enc, g);

	while (s == H264I_OK && h264i_i_control_again(enc, g)) {
		s = start_coding(enc, g);
		if (s == H264I_OK)
			s = enc->ops->finish(enc, g);
	}
	if (s == H264I_OK && h264i_i_is_cancelled(enc))
		s = h264i_i_cancelled(enc);
	if (s != H264I_OK) {
		/* h264i_close releases frames that may still be read. */
		g->state = H264I_GROUP_FAILED;
		fail_for_good(enc, s);
		h264i_i_release_inputs(enc);
		return s;
	}
	for (uint32_t k = 0; k < g->frames; k++)
		release_slot(&g->slot[k]);
	h264i_i_control_done(enc, g);
	g->state = H264I_GROUP_DRAINING;
	g->received = 0;
	return H264I_OK;
}
