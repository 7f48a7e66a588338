/* Rate control, see rate.h. */
#include "h264intra/rate/rate.h"

#include "h264intra/transform/aq.h"

#include <stdlib.h>
#include <string.h>

enum {
	ONE = 65536,
	QP_MAX = H264I_DETAIL_QPS - 1,
	COEFFICIENT_BITS = 7, /* 14 clips and four presets: 6.5 to 7.3 */
	MEAN_DETAIL = 583270  /* 8.9: log2 of h264i_rate's detail in natural clips */
};

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
	r->bits_sum = r->model_sum = r->total_bits = 0;
	r->ratio = ONE;
	r->fullness = r->level = (int64_t)r->s.start_bits;
	r->mean = r->carry = 0;
}

void h264i_i_rate_model(
	const h264i_rate_settings *s, const h264i_detail *d, uint32_t model[H264I_DETAIL_QPS])
{
	uint64_t least = (uint64_t)s->mbs * s->mb_bits, left = 0;

	for (int qp = QP_MAX; qp >= 0; qp--) {
		left += d->last[qp];
		/* Of 16 blocks in 4 a macroblock */
		model[qp] = (uint32_t)(least + left * 4 * COEFFICIENT_BITS * s->mbs /
						       (s->sampled_mbs ? s->sampled_mbs : 1));
	}
}

static uint64_t bits_at(const uint32_t *model, uint32_t ratio, int qp)
{
	return (uint64_t)model[qp] * ratio >> 16;
}

/* log2 of a size. */
static int32_t log2_of(uint64_t bits)
{
	return h264i_log2(bits > UINT32_MAX ? UINT32_MAX : bits ? (uint32_t)bits : 1);
}

/* The QP at which the prediction is `bits`. */
static h264i_qp16 qp_of_bits(const uint32_t *model, uint32_t ratio, uint64_t bits)
{
	int32_t above, below, wanted = log2_of(bits);
	int qp = 0;

	while (qp <= QP_MAX && bits_at(model, ratio, qp) > bits)
		qp++;
	if (qp == 0 || qp > QP_MAX)
		return qp ? QP_MAX * ONE : 0;
	above = log2_of(bits_at(model, ratio, qp - 1));
	below = log2_of(bits_at(model, ratio, qp));
	if (above <= below)
		return qp * ONE;
	return (qp - 1) * ONE + (h264i_qp16)((int64_t)(above - wanted) * ONE / (above - below));
}

/* How much coarser a picture is quantised for its detail: 6 * 0.4 * log2 of the mean absolute
 * coefficient, in relation to that of natural clips. As in x264 with qcomp 0.6: errors are less
 * visible in detailed pictures. */
h264i_qp16 h264i_i_rate_detail_offset(const h264i_rate_settings *s, const h264i_detail *d)
{
	static const uint32_t sixth[6] = { 65536, 73562, 82570, 92682, 104032, 116772 };
	uint64_t sum = 0;

	for (int qp = 0; qp < H264I_DETAIL_QPS; qp++)
		sum += ((uint64_t)d->last[qp] * sixth[qp % 6] >> 16) << qp / 6;
	sum = sum * 16 / (s->sampled_mbs ? s->sampled_mbs : 1); /* 4 bits of fraction */
	return (h264i_qp16)((int64_t)(log2_of(sum) - 4 * ONE - MEAN_DETAIL) * 12 / 5);
}

/* The buffer before a picture and after it; a picture that was not in it as a whole empties it. */
static int64_t after_picture(const h264i_rate_settings *s, int64_t fullness, uint64_t bits)
{
	fullness -= (int64_t)(bits << 8);
	fullness = (fullness < 0 ? 0 : fullness) + (int64_t)s->fill_bits;
	return fullness > (int64_t)s->buffer_bits ? (int64_t)s->buffer_bits : fullness;
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
	r->total_bits += e->bits;
	r->fullness = after_picture(&r->s, r->fullness, e->bits);
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
 * relation to two seconds, or more in long streams), at most an octave. */
static h264i_qp16 excess(const h264i_rate *r, uint64_t expected_bits)
{
	int64_t over = (int64_t)(expected_bits << 8) - (int64_t)(r->planned * r->s.mean_bits);
	/* All have 8 bits of fraction. */
	uint64_t seconds = r->planned * r->s.mean_bits / r->s.second_bits;
	uint64_t root = square_root(seconds << 8);
	int64_t tolerance = (int64_t)(2 * r->s.second_bits * (root > 256 ? root : 256));
	int64_t factor;

	factor = ONE + over * 256 / (tolerance / 256 + 1);
	factor = factor < ONE / 2 ? ONE / 2 : factor > 2 * ONE ? 2 * ONE : factor;
	return 6 * (h264i_log2((uint32_t)factor) - 16 * ONE);
}

/* The QP that the mode wants, before limits. */
static h264i_qp16 wanted_qp(h264i_rate *r, const h264i_detail *d, const uint32_t *model,
	uint64_t expected_bits, const h264i_rate_own *own_plan)
{
	h264i_qp16 offset = h264i_i_rate_detail_offset(&r->s, d), own;
	uint64_t count = r->planned + 1;

	if (r->s.by_frame)
		return own_plan->qp * ONE;
	if (!r->s.mean_bits)
		return r->s.qp + (r->s.quality ? offset : 0);
	count = count < r->s.window ? count : r->s.window;
	/* The mean is of predictions without the ratio, so that it is never one of old ratios. */
	own = qp_of_bits(model, ONE, r->s.mean_bits >> 8);
	r->mean += (own - offset - r->mean) / (int32_t)count;
	return r->mean + offset + qp_of_bits(model, r->ratio, r->s.mean_bits >> 8) - own +
	       excess(r, expected_bits);
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

/* State of the buffer before the next picture: expected, and with all unknown sizes at their
 * caps. */
typedef struct buffer_state {
	int64_t expected, worst;
} buffer_state;

/* Goes through the pictures whose size is not known; adds them to *bits. */
static buffer_state look_ahead(const h264i_rate *r, uint64_t *bits)
{
	buffer_state b = { r->fullness, r->fullness };

	for (uint64_t n = r->learned; n < r->planned; n++) {
		const h264i_rate_entry *e = &r->entry[n % (r->s.delay + 1)];

		*bits += e->planned;
		b.expected = after_picture(&r->s, b.expected, e->planned);
		if (r->s.buffer_bits)
			b.worst = after_picture(&r->s, b.worst, e->cap);
	}
	return b;
}

/* The size in bits that keeps the buffer near three tenths at least: what comes in, and what is
 * above that, spread over the pictures of the delay. Four fifths of the worst case, so that few
 * pictures are coded again; QPs of a plan for the buffer have no other limit. */
static uint64_t buffer_limit(const h264i_rate_settings *s, const buffer_state *b)
{
	int64_t low = (int64_t)(s->buffer_bits / 10 * 3), least = (int64_t)s->fill_bits / 4;
	int64_t limit = (int64_t)s->fill_bits + (b->expected - low) / (int64_t)s->delay;
	int64_t worst = b->worst / 5 * 4;

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

h264i_rate_plan h264i_i_rate_plan_next(
	h264i_rate *r, const h264i_detail *d, uint64_t extra, const h264i_rate_own *own_plan)
{
	uint32_t own[H264I_DETAIL_QPS], *model = own;
	uint64_t expected = 0, limit = UINT64_MAX, bits;
	h264i_rate_plan plan = { 0, 0, UINT64_MAX };
	buffer_state b = { 0, 0 };
	uint32_t ratio;

	while (r->history && r->learned + r->s.delay <= r->planned)
		learn_next(r);
	if (r->history)
		model = r->entry[r->planned % (r->s.delay + 1)].model;
	h264i_i_rate_model(&r->s, d, model);
	if (r->history) {
		expected = r->total_bits;
		b = look_ahead(r, &expected);
	}
	plan.qp = round_qp(r, wanted_qp(r, d, model, expected, own_plan));
	ratio = r->s.by_frame ? ratio_of(own_plan->bits, model[plan.qp], r->ratio) : r->ratio;
	if (r->s.buffer_bits) {
		limit = buffer_limit(&r->s, &b);
		plan.cap = b.worst > 0 ? (uint64_t)b.worst >> 8 : 0;
	}
	plan.qp = first_within(model, ratio, extra, limit, plan.qp);
	plan.least = plan.qp;
	if (r->s.cap_bits) {
		plan.qp = first_within(model, ratio, extra, r->s.cap_bits, plan.qp);
		plan.cap = plan.cap < r->s.cap_bits ? plan.cap : r->s.cap_bits;
	}
	bits = bits_at(model, ratio, plan.qp) + extra;
	if (r->s.buffer_bits) {
		plan.cap = share_of(r, &b, bits, plan.cap);
	}
	if (r->history) {
		h264i_rate_entry *e = &r->entry[r->planned % (r->s.delay + 1)];

		e->planned = bits;
		e->cap = plan.cap;
		if (r->planned == 0)
			r->bits_sum = r->model_sum = model[plan.qp];
	}
	r->planned++;
	return plan;
}

int h264i_i_rate_done_next(h264i_rate *r, uint64_t bits, int qp)
{
	int over = r->s.cap_bits && bits > r->s.cap_bits;

	if (r->history) {
		h264i_rate_entry *e = &r->entry[r->done % (r->s.delay + 1)];

		e->bits = bits;
		e->qp = qp;
	}
	if (r->s.buffer_bits) {
		over |= (int64_t)(bits << 8) > r->level;
		r->level = after_picture(&r->s, r->level, bits);
	}
	r->done++;
	return over;
}
