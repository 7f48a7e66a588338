/* Rate control, see rate.h. */
#include "h264intra/rate/rate.h"

#include "h264intra/transform/aq.h"

#include <stdlib.h>
#include <string.h>

enum {
	ONE = 65536,
	QP_MAX = H264I_DETAIL_QPS - 1,
	FIRST_SIZES = 16 /* as many are known before predictions follow a stream */
};

__extension__ typedef unsigned __int128 wide;

int h264i_i_rate_open(h264i_rate *r, const h264i_rate_settings *s)
{
	memset(r, 0, sizeof(*r));
	r->s = *s;
	r->history = s->mean_bits || s->buffer_bits;
	if (r->history) {
		r->entry = calloc(s->delay + 1, sizeof(*r->entry));
		if (!r->entry)
			return -1;
	}
	h264i_i_rate_restart(r);
	return 0;
}

void h264i_i_rate_close(h264i_rate *r)
{
	free(r->entry);
	r->entry = NULL;
}

void h264i_i_rate_restart(h264i_rate *r)
{
	r->planned = r->learned = r->done = 0;
	r->bits_sum = r->model_sum = r->total_bits = r->due_bits = 0;
	r->window_pictures = r->window_time = r->window_share = 0;
	r->done_bits = r->done_coarsest = 0;
	r->ratio = ONE;
	r->fullness = r->level = (int64_t)r->s.start_bits;
	r->mean = r->carry = 0;
	r->mean_from = 0;
	r->settled = FIRST_SIZES;
}

/* A number of bits in the time that it takes at another bit rate. */
static uint64_t rescale(uint64_t bits, uint64_t from, uint64_t to)
{
	return from == to || !from ? bits : (uint64_t)((wide)bits * to / from);
}

static int64_t at_most(int64_t v, uint64_t most)
{
	return v < (int64_t)most ? v : (int64_t)most;
}

void h264i_i_rate_change(h264i_rate *r, const h264i_rate_settings *s)
{
	const uint64_t from = r->s.mean_bits, to = s->mean_bits;

	if (!r->planned) { /* a stream that begins with these */
		r->s = *s;
		h264i_i_rate_restart(r);
		return;
	}
	r->total_bits = rescale(r->total_bits, from, to);
	r->due_bits = rescale(r->due_bits, from, to);
	r->done_bits = rescale(r->done_bits, from, to);
	if (!r->mean_from)
		r->mean_from = from;
	if (from != to)
		r->settled = r->planned + FIRST_SIZES;
	r->s = *s;
	r->fullness = at_most(r->fullness, s->buffer_bits);
	r->level = at_most(r->level, s->buffer_bits);
}

static uint64_t bits_at(const uint32_t *model, uint32_t ratio, int qp)
{
	return (uint64_t)model[qp] * ratio >> 16;
}

/* The QP at which the prediction is `bits`. */
static h264i_qp16 qp_of_bits(const uint32_t *model, uint32_t ratio, uint64_t bits)
{
	int32_t above, below, wanted = h264i_i_rate_log2(bits);
	int qp = 0;

	while (qp <= QP_MAX && bits_at(model, ratio, qp) > bits)
		qp++;
	if (qp == 0 || qp > QP_MAX)
		return qp ? QP_MAX * ONE : 0;
	above = h264i_i_rate_log2(bits_at(model, ratio, qp - 1));
	below = h264i_i_rate_log2(bits_at(model, ratio, qp));
	if (above <= below)
		return qp * ONE;
	return (qp - 1) * ONE + (h264i_qp16)((int64_t)(above - wanted) * ONE / (above - below));
}

/* The buffer before a picture, from that after the picture before. */
static int64_t before_picture(const h264i_rate_settings *s, int64_t fullness, uint64_t fill)
{
	const uint64_t free_bits = s->buffer_bits - (uint64_t)fullness;

	return fullness + (int64_t)(fill < free_bits ? fill : free_bits);
}

/* The buffer after a picture; one that was not in it as a whole empties it. */
static int64_t after_picture(int64_t fullness, uint64_t bits)
{
	return bits << 8 < (uint64_t)fullness ? fullness - (int64_t)(bits << 8) : 0;
}

/* Of a size and its prediction; `otherwise` if the size is not known. */
static uint32_t ratio_of(uint64_t bits, uint64_t model, uint32_t otherwise)
{
	uint64_t ratio = (bits << 16) / (model ? model : 1);

	if (!bits)
		return otherwise;
	return (uint32_t)(ratio < ONE / 16 ? ONE / 16 : ratio > 16 * ONE ? 16 * ONE : ratio);
}

/* Uses the size of the next picture. */
static void learn_next(h264i_rate *r)
{
	const h264i_rate_entry *e = &r->entry[r->learned % (r->s.delay + 1)];

	r->bits_sum = r->bits_sum * 15 / 16 + e->bits;
	r->model_sum = r->model_sum * 15 / 16 + e->model[e->qp];
	r->ratio = ratio_of(r->bits_sum, r->model_sum, ONE);
	r->total_bits += rescale(e->bits, e->mean_bits, r->s.mean_bits);
	r->fullness = after_picture(before_picture(&r->s, r->fullness, e->fill), e->bits);
	r->learned++;
}

static uint64_t square_root(uint64_t v)
{
	uint64_t root = 0;

	for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= v)
			root |= bit;
	return root;
}

/* What pictures before this one took too much, as a change of QP: 6 * log2(1 + the excess in
 * relation to two seconds, or more in long streams, at first half a second), at most an octave. */
static h264i_qp16 excess(const h264i_rate *r, uint64_t expected_bits)
{
	int64_t over = (int64_t)(expected_bits << 8) - (int64_t)r->due_bits;
	/* All have 8 bits of fraction. */
	uint64_t seconds = r->due_bits / r->s.second_bits;
	uint64_t root = square_root(seconds << 8);
	int64_t tolerance = (int64_t)(2 * r->s.second_bits * (root > 256 ? root : 256));
	int64_t first = (int64_t)(r->s.second_bits << 7);
	int64_t factor;

	if (r->learned < FIRST_SIZES)
		tolerance = first;
	factor = ONE + over * 256 / (tolerance / 256 + 1);
	factor = factor < ONE / 2 ? ONE / 2 : factor > 2 * ONE ? 2 * ONE : factor;
	return 6 * (h264i_log2((uint32_t)factor) - 16 * ONE);
}

/* The pictures of this time in the window of the mean QP: of the buffer, if that is less. */
static uint64_t window_of(const h264i_rate_settings *s, const h264i_rate_time *time)
{
	const uint64_t span = time->span ? time->span : 1, fill = h264i_i_rate_fill_of(s, time);
	const uint64_t window = ((((uint64_t)1 << 32) + span - 1) / span) * s->window;
	const uint64_t pictures = s->buffer_bits / (fill ? fill : 1) + 1;

	return s->buffer_bits && pictures < window ? pictures : window;
}

/* The bits of a picture that is coarser by this offset, with 16 bits of fraction. */
static uint64_t factor_of(h264i_qp16 offset)
{
	return h264i_exp2((uint32_t)(8 * ONE - offset / 6)) >> 8;
}

/* Adds the next picture's time to the window. *mean: the offset of the mean time in it. Returns the
 * bits that a picture of this time gets, so that all in the window get those of their time. */
static uint64_t share_bits(h264i_rate *r, const h264i_rate_time *time, h264i_qp16 *mean)
{
	const uint64_t most = window_of(&r->s, &r->s.nominal) << 16, bits = r->s.mean_bits >> 8;
	h264i_rate_time mean_time = { 0 };
	uint64_t factor;

	r->window_pictures += ONE;
	r->window_time += time->frames == 1 ? ONE : (time->span << 16) / r->s.nominal.span;
	r->window_share += factor_of(h264i_i_rate_time_offset(&r->s, time));
	if (r->window_time > most) {
		const wide pictures = (wide)r->window_pictures * most / r->window_time;

		r->window_share = (uint64_t)((wide)r->window_share * most / r->window_time) + 1;
		r->window_pictures = (uint64_t)pictures + 1;
		r->window_time = most + 1;
	}
	mean_time.span = (uint64_t)((wide)r->s.nominal.span * r->window_time / r->window_pictures);
	*mean = h264i_i_rate_time_offset(&r->s, &mean_time);
	factor = (uint64_t)((wide)r->window_time * factor_of(*mean) / r->window_share);
	return bits * (factor < UINT32_MAX ? factor : UINT32_MAX) >> 16;
}

/* The QP that the mode wants, before limits. With a bit rate *bits: the size that leads to. */
static h264i_qp16 wanted_qp(h264i_rate *r, const h264i_detail *d, const h264i_rate_time *time,
	const uint32_t *model, uint64_t *bits, const h264i_rate_own *own_plan)
{
	h264i_qp16 offset = h264i_i_rate_offset(&r->s, d, time), own, mean_time;
	uint64_t count = r->planned + 1, window = window_of(&r->s, time);

	if (r->s.by_frame)
		return own_plan->qp * ONE;
	if (!r->s.mean_bits)
		return r->s.qp + (r->s.quality ? offset : 0);
	count = count < window ? count : window;
	/* The mean is of predictions without the ratio, so that it is never one of old ratios. */
	own = qp_of_bits(model, ONE, r->s.mean_bits >> 8);
	if (r->mean_from)
		r->mean += own - qp_of_bits(model, ONE, r->mean_from >> 8);
	r->mean_from = 0;
	r->mean += (own - offset + h264i_i_rate_time_offset(&r->s, time) - r->mean) /
		   (h264i_qp16)count;
	offset += excess(r, *bits);
	*bits = share_bits(r, time, &mean_time);
	offset += qp_of_bits(model, r->ratio, *bits) - mean_time;
	*bits = *bits * factor_of(h264i_i_rate_time_offset(&r->s, time) - mean_time) >> 16;
	return r->mean + offset - own;
}

/* Rounds; with a bit rate the next picture gets what this one's rounding left. */
static int round_qp(h264i_rate *r, h264i_qp16 wanted)
{
	int qp;

	wanted += r->carry;
	wanted = wanted < 0 ? 0 : wanted > QP_MAX * ONE ? QP_MAX * ONE : wanted;
	qp = (wanted + ONE / 2) >> 16;
	if (r->s.mean_bits)
		r->carry = wanted - qp * ONE;
	return qp;
}

/* State of the buffer before the next picture, which is `fill` after the last one: expected, and
 * with all unknown sizes at their caps. */
typedef struct buffer_state {
	int64_t expected, worst;
} buffer_state;

/* Goes through the pictures whose size is not known; adds them to *bits. */
static buffer_state look_ahead(const h264i_rate *r, uint64_t fill, uint64_t *bits)
{
	buffer_state b = { r->fullness, r->fullness };

	for (uint64_t n = r->learned; n < r->planned; n++) {
		const h264i_rate_entry *e = &r->entry[n % (r->s.delay + 1)];

		*bits += rescale(e->planned, e->mean_bits, r->s.mean_bits);
		if (!r->s.buffer_bits)
			continue;
		b.expected = after_picture(before_picture(&r->s, b.expected, e->fill), e->planned);
		b.worst = after_picture(before_picture(&r->s, b.worst, e->fill), e->cap);
	}
	b.expected = before_picture(&r->s, b.expected, fill);
	b.worst = before_picture(&r->s, b.worst, fill);
	return b;
}

/* The size in bits that keeps the buffer near three tenths at least: what comes in, and what is
 * above that, spread over the pictures of the delay. Four fifths of the worst case, so that few
 * pictures are coded again; QPs of a plan for the buffer have no other limit. */
static uint64_t buffer_limit(
	const h264i_rate_settings *s, const buffer_state *b, const h264i_rate_time *time)
{
	const uint64_t fill = h264i_i_rate_fill_of(s, time);
	int64_t low = (int64_t)(s->buffer_bits / 10 * 3), worst = b->worst / 5 * 4;
	int64_t in = (int64_t)(fill < s->buffer_bits ? fill : s->buffer_bits), least = in / 4;
	int64_t limit = in + (b->expected - low) / (int64_t)s->delay;

	limit = limit < least ? least : limit;
	limit = limit < worst && !s->by_frame ? limit : worst;
	return limit > 0 ? (uint64_t)limit >> 8 : 0;
}

/* The cap of a picture of `bits` in a buffer: these and a half, with a plan an eighth, or its part
 * of what the buffer has left in the worst case. */
static uint64_t share_of(const h264i_rate *r, const buffer_state *b, uint64_t bits, uint64_t most)
{
	uint64_t worst = b->worst > 0 ? (uint64_t)b->worst >> 8 : 0;
	uint64_t more = bits / (r->s.by_frame ? 8 : 2), part;

	part = worst > bits ? (worst - bits) / r->s.delay : 0;
	bits += more > part ? more : part;
	return bits < most ? bits : most;
}

/* The first QP from `qp` on at which the prediction is within a limit. */
static int first_within(
	const uint32_t *model, uint32_t ratio, uint64_t extra, uint64_t limit, int qp)
{
	while (qp < QP_MAX && bits_at(model, ratio, qp) + extra > limit)
		qp++;
	return qp;
}

/* Has a picture whose size cannot be predicted yet, of a stream or of another rate, coded until it
 * is within an eleventh of the prediction, or of the bit rate `mean` if the lowest QP is predicted
 * to take less. Without that the sizes of noise, say, are wrong by half until the first ones are
 * known. */
static void keep_near(h264i_rate_plan *plan, uint64_t bits, uint64_t mean)
{
	uint64_t cap;

	bits = plan->qp == 0 && bits < mean ? mean : bits;
	cap = bits + bits / 11;
	if (plan->cap <= bits)
		return;
	plan->least = 0;
	plan->low = bits - bits / 11;
	plan->aim = bits / 5 * 6;
	plan->cap = cap < plan->cap ? cap : plan->cap;
}

h264i_rate_plan h264i_i_rate_plan_next(h264i_rate *r, const h264i_detail *d,
	const h264i_rate_time *time, uint64_t extra, const h264i_rate_own *own_plan)
{
	const uint64_t fill = r->planned ? h264i_i_rate_fill_of(&r->s, time) : 0;
	uint32_t own[H264I_DETAIL_QPS], *model = own;
	uint64_t expected = 0, limit = UINT64_MAX, bits;
	h264i_rate_plan plan = { .cap = UINT64_MAX };
	buffer_state b = { 0, 0 };
	uint32_t ratio;

	while (r->history && r->learned + r->s.delay <= r->planned)
		learn_next(r);
	if (r->history)
		model = r->entry[r->planned % (r->s.delay + 1)].model;
	h264i_i_rate_model(&r->s, d, model);
	if (r->history) {
		expected = r->total_bits;
		b = look_ahead(r, fill, &expected);
		r->due_bits += r->planned ? h264i_i_rate_mean_of(&r->s, time) : 0;
	}
	plan.qp = round_qp(r, wanted_qp(r, d, time, model, &expected, own_plan));
	ratio = r->s.by_frame ? ratio_of(own_plan->bits, model[plan.qp], r->ratio) : r->ratio;
	if (r->s.buffer_bits) {
		limit = buffer_limit(&r->s, &b, time);
		plan.cap = b.worst > 0 ? (uint64_t)b.worst >> 8 : 0;
	}
	plan.qp = first_within(model, ratio, extra, limit, plan.qp);
	plan.least = plan.qp;
	if (r->s.cap_bits) {
		plan.qp = first_within(model, ratio, extra, r->s.cap_bits, plan.qp);
		plan.cap = plan.cap < r->s.cap_bits ? plan.cap : r->s.cap_bits;
	}
	bits = bits_at(model, ratio, plan.qp) + extra;
	if (r->s.buffer_bits)
		plan.cap = share_of(r, &b, bits, plan.cap);
	plan.aim = plan.cap;
	plan.low = r->s.cap_bits ? (plan.cap + 9) / 10 * 7 : 0;
	if (r->s.mean_bits && r->learned < r->settled)
		keep_near(&plan, bits, expected);
	if (r->history) {
		h264i_rate_entry *e = &r->entry[r->planned % (r->s.delay + 1)];

		e->planned = bits;
		e->cap = plan.cap;
		e->fill = fill;
		e->mean_bits = r->s.mean_bits;
		if (r->planned == 0)
			r->bits_sum = r->model_sum = model[plan.qp];
	}
	r->planned++;
	return plan;
}

int h264i_i_rate_done_next(h264i_rate *r, uint64_t bits, int qp)
{
	int over = r->s.cap_bits && bits > r->s.cap_bits;
	h264i_rate_entry *e = r->history ? &r->entry[r->done % (r->s.delay + 1)] : NULL;

	if (e) {
		e->bits = bits;
		e->qp = qp;
	}
	if (e && r->s.buffer_bits) {
		r->level = before_picture(&r->s, r->level, e->fill);
		over |= (int64_t)(bits << 8) > r->level;
		r->level = after_picture(r->level, bits);
	}
	r->done_bits += e ? rescale(bits, e->mean_bits, r->s.mean_bits) : bits;
	r->done_coarsest += qp == QP_MAX;
	r->done++;
	return over;
}
