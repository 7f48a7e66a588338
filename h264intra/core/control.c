/* Rate control of an encoder: its settings from the options, the QPs of a group, and pictures that
 * are coded again. The plans themselves: rate/rate.c. */
#include "h264intra/core/backend.h"

#include <stdio.h>
#include <string.h>

enum {
	/* Of a macroblock without coefficients; least squares over 14 clips at QP 10 to 46. */
	MB_BITS_CAVLC = 13,
	MB_BITS_CABAC = 5,
	WINDOW_SECONDS = 10
};

static int has_rate(const h264i_options *o)
{
	return o->vui.fps_num && o->vui.fps_den;
}

static int has_timestamps(const h264i_options *o)
{
	return o->time_base_num && o->time_base_den;
}

int h264i_i_control_timed(const h264i_encoder *enc)
{
	return has_rate(&enc->o) || has_timestamps(&enc->o);
}

h264i_clock h264i_i_control_clock(const h264i_options *o, uint32_t unit_num, uint32_t unit_den)
{
	h264i_clock c = { .fps_num = 25, .fps_den = 1 }; /* x264's time of a picture without one */

	if (has_rate(o)) {
		c.fps_num = o->vui.fps_num;
		c.fps_den = o->vui.fps_den;
	}
	c.unit_num = unit_num && unit_den ? unit_num : c.fps_den;
	c.unit_den = unit_num && unit_den ? unit_den : c.fps_num;
	return c;
}

/* Bits of a picture at the nominal rate, with 8 bits of fraction. */
static uint64_t bits_a_picture(const h264i_options *o, uint64_t bits_a_second)
{
	const h264i_clock c = h264i_i_control_clock(o, 0, 0);

	return (bits_a_second << 8) * c.fps_den / c.fps_num;
}

h264i_status h264i_i_control_check(h264i_encoder *enc)
{
	h264i_options *o = &enc->o;
	uint32_t rate, least;

	if ((unsigned)o->rate_mode > H264I_RATE_FRAME)
		return h264i_i_fail(enc, H264I_ERR_ARG, "rate_mode %d is not in 0..%d",
			(int)o->rate_mode, (int)H264I_RATE_FRAME);
	if (o->rate_mode == H264I_RATE_QP || o->rate_mode == H264I_RATE_QUALITY)
		o->bitrate = 0;
	if (o->vbv_bufsize && !o->vbv_maxrate)
		o->vbv_maxrate = o->bitrate;
	rate = o->bitrate > o->vbv_maxrate ? o->bitrate : o->vbv_maxrate;
	least = o->vbv_maxrate ? o->vbv_maxrate : rate;
	if (rate && !h264i_i_control_timed(enc))
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"a bit rate needs the frame rate, options.vui.fps_num and fps_den, or "
			"timestamps, options.time_base_num and time_base_den");
	if (o->hrd && !has_rate(o))
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"hrd needs the frame rate, options.vui.fps_num and fps_den: the SPS is "
			"written before the first timestamp, and states the clock of the buffer");
	/* With H264I_RATE_FRAME the buffer's rate may be below the bit rate. */
	if (o->bitrate && o->bitrate < least)
		least = o->bitrate;
	if (least && (bits_a_picture(o, (uint64_t)least * 1000) >> 8) < 8)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"%u kbit/s at %u/%u frames/s are less than a byte per picture", least,
			o->vui.fps_num, o->vui.fps_den);
	if (o->rate_mode == H264I_RATE_QUALITY)
		o->qp = o->crf < 45 ? (int)(o->crf + 6.5) : 51; /* about that of pictures */
	return H264I_OK;
}

h264i_hrd h264i_i_control_hrd(const h264i_options *o)
{
	h264i_hrd exact = { (uint64_t)o->vbv_maxrate * 1000, (uint64_t)o->vbv_bufsize * 1000 };

	return o->hrd ? h264i_i_hrd_round(exact.rate, exact.size) : exact;
}

void h264i_i_control_settings(const h264i_encoder *enc, h264i_rate_settings *s)
{
	const h264i_options *o = &enc->o;
	const h264i_clock clock = h264i_i_control_clock(o, 0, 0);
	uint64_t pictures;

	memset(s, 0, sizeof(*s));
	s->nominal = h264i_i_clock_nominal(&clock);
	s->window = WINDOW_SECONDS;
	s->hrd = o->hrd;
	s->quality = o->rate_mode == H264I_RATE_QUALITY;
	s->by_frame = o->rate_mode == H264I_RATE_FRAME;
	s->qp = s->quality ? (h264i_qp16)(o->crf * 65536 + 0.5) : o->qp * 65536;
	s->mbs = enc->geom.mb_width * enc->geom.mb_height;
	s->sampled_mbs = h264i_detail_mbs(&enc->geom);
	s->mb_bits = enc->params.cabac ? MB_BITS_CABAC : MB_BITS_CAVLC;
	s->cap_bits = (uint64_t)o->frame_bytes_max * 8;
	s->delay = H264I_RATE_DELAY;
	if (o->bitrate && !s->by_frame) {
		s->second_bits = (uint64_t)o->bitrate * 1000;
		s->mean_bits = bits_a_picture(o, s->second_bits);
	}
	if (o->vbv_bufsize) {
		h264i_hrd hrd = h264i_i_control_hrd(o);

		s->buffer_bits = hrd.size << 8;
		s->fill_second_bits = hrd.rate;
		s->fill_bits = bits_a_picture(o, hrd.rate);
		s->start_bits = (uint64_t)(o->vbv_init * 1024 + 0.5) * (s->buffer_bits >> 10);
		pictures = s->buffer_bits / s->fill_bits;
		if (pictures / 2 < s->delay)
			s->delay = pictures / 2 ? (uint32_t)(pictures / 2) : 1;
	}
	if (o->rate_delay)
		s->delay = o->rate_delay;
}

void h264i_i_control_decide(h264i_encoder *enc)
{
	h264i_options *o = &enc->o;
	h264i_rate_settings s;

	enc->needs_detail = o->detail || o->rate_mode == H264I_RATE_QUALITY ||
			    o->rate_mode == H264I_RATE_BITRATE || o->frame_bytes_max ||
			    o->vbv_bufsize;
	enc->controlled = o->rate_mode != H264I_RATE_QP || enc->needs_detail;
	h264i_i_control_settings(enc, &s);
	/* Streams that begin after h264i_reconfigure have the delay of those before. */
	if (s.mean_bits || s.buffer_bits)
		o->rate_delay = s.delay;
}

int h264i_i_control_open(const h264i_encoder *enc, h264i_substream *stream)
{
	const h264i_options *o = &enc->o;
	h264i_rate_settings s;

	stream->clock = h264i_i_control_clock(o, o->time_base_num, o->time_base_den);
	if (!enc->controlled)
		return 0;
	h264i_i_control_settings(enc, &s);
	if (h264i_i_rate_open(&stream->rate, &s) != 0)
		return -1;
	h264i_i_control_start(stream);
	return 0;
}

/* Bits of SEI in the packet of a slot, at most. */
static uint64_t sei_bits(const h264i_encoder *enc, const h264i_slot *slot)
{
	return 8 * ((uint64_t)slot->sei.bytes + (enc->o.hrd ? H264I_HRD_SEI_BYTES : 0));
}

static uint64_t bits_of(const h264i_encoder *enc, const h264i_slot *slot)
{
	return 8 * (uint64_t)slot->packet_bytes + sei_bits(enc, slot);
}

h264i_status h264i_i_control_plan(h264i_encoder *enc, h264i_group *g)
{
	h264i_status s = H264I_OK;

	for (uint32_t k = 0; k < g->frames; k++) {
		h264i_slot *slot = &g->slot[k];

		slot->time = h264i_i_clock_next(&slot->stream->clock,
			has_timestamps(&enc->o) ? slot->frame.pts : (int64_t)slot->index);
		slot->time_ns = h264i_i_clock_ns(&slot->stream->clock);
	}
	if (!enc->controlled)
		return H264I_OK;
	if (enc->needs_detail)
		s = enc->ops->detail(enc, g);
	for (uint32_t k = 0; s == H264I_OK && k < g->frames; k++) {
		h264i_slot *slot = &g->slot[k];
		const h264i_rate_own own = { slot->frame.qp,
			(uint64_t)slot->frame.bytes_expected * 8 };
		h264i_rate_plan plan = h264i_i_rate_plan_next(&slot->stream->rate, &slot->detail,
			&slot->time, 8 * enc->packet_headers.bytes + sei_bits(enc, slot), &own);

		slot->qp = plan.qp;
		h264i_i_rate_try(&slot->tried, &plan);
	}
	return s;
}

int h264i_i_control_again(h264i_encoder *enc, h264i_group *g)
{
	int again = 0;

	if (!enc->controlled)
		return 0;
	for (uint32_t k = 0; k < g->frames; k++) {
		h264i_slot *slot = &g->slot[k];
		int qp = h264i_i_rate_qp_again(&slot->stream->rate.s, &slot->detail, &slot->tried,
			bits_of(enc, slot), slot->qp);

		enc->stats.coded_again += qp != slot->qp;
		again |= qp != slot->qp;
		slot->qp = qp;
	}
	return again;
}

void h264i_i_control_done(h264i_encoder *enc, const h264i_group *g)
{
	for (uint32_t k = 0; enc->controlled && k < g->frames; k++) {
		const h264i_slot *slot = &g->slot[k];

		/* Not the pictures above their cap, which is their share of the buffer only. */
		enc->stats.over_limit += (uint64_t)h264i_i_rate_done_next(
			&slot->stream->rate, bits_of(enc, slot), slot->qp);
	}
}

void h264i_i_control_end(const h264i_encoder *enc, h264i_substream *stream)
{
	h264i_rate *r = &stream->rate;
	const double due = (double)(r->due_bits + r->s.mean_bits) / 256;
	/* Not options.bitrate, which h264i_reconfigure changes for the next stream. */
	const uint32_t bitrate = (uint32_t)(r->s.second_bits / 1000);
	const double kbit = bitrate * ((double)r->done_bits / due);
	char of[32] = "", text[200];

	if (!r->s.mean_bits || !r->done_coarsest || !enc->o.log || kbit < 1.1 * bitrate)
		return;
	if (enc->o.substreams > 1)
		snprintf(of, sizeof(of), "substream %u: ", stream->number);
	snprintf(text, sizeof(text),
		"%s%llu of %llu pictures have QP 51, the highest, and the stream %.0f kbit/s "
		"instead of %u: encode smaller or fewer pictures",
		of, (unsigned long long)r->done_coarsest, (unsigned long long)r->done, kbit,
		bitrate);
	r->done_coarsest = 0;
	enc->o.log(enc->o.log_opaque, H264I_LOG_WARN, text);
}

void h264i_i_control_start(h264i_substream *stream)
{
	stream->clock.started = 0;
	stream->hrd_level = stream->rate.s.start_bits;
	stream->hrd_first = 1;
}

/* The time in 1/90,000 s in which the buffer gets so many bits, with 8 bits of fraction. */
static uint32_t delay_of(const h264i_encoder *enc, uint64_t bits)
{
	uint64_t ticks = bits * 90000 / (enc->params.hrd.rate << 8);

	return ticks ? (uint32_t)ticks : 1;
}

h264i_status h264i_i_control_hrd_sei(h264i_encoder *enc, const h264i_slot *slot, h264i_buf *out)
{
	h264i_substream *t = slot->stream;
	const uint64_t fill = t->hrd_first ? 0 : h264i_i_rate_fill_of(&t->rate.s, &slot->time);
	const uint64_t free_bits = t->rate.s.buffer_bits - t->hrd_level;

	t->hrd_level += fill < free_bits ? fill : free_bits;
	/* cpb_removal_delay is a remainder (clause D.2.3). */
	if (h264i_i_hrd_sei_append(out, delay_of(enc, t->hrd_level),
		    delay_of(enc, t->rate.s.buffer_bits),
		    t->hrd_first ? 0 : slot->time.ticks % (1u << H264I_HRD_DELAY_BITS)) != 0)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory for SEI");
	t->hrd_first = 0;
	return H264I_OK;
}

void h264i_i_control_hrd_remove(h264i_substream *stream, size_t bytes)
{
	const uint64_t bits = (uint64_t)bytes * 8 << 8;

	stream->hrd_level = stream->hrd_level > bits ? stream->hrd_level - bits : 0;
}
