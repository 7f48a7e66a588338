/* Which QP to code a picture with again: one that took more than its cap, or far less than it
 * should. */
#include "h264intra/rate/rate.h"

enum { QP_MAX = H264I_DETAIL_QPS - 1 };

/* Predictions can be wrong by a factor of ten and more: of noise, and with adaptive quantisation,
 * which they know nothing of. So the QPs that were tried bound the next one from both sides. */

/* The first QP above `qp` whose size is below the cap by a twentieth, if sizes fall as the model
 * does. */
static int first_below(const uint32_t *model, uint64_t cap, uint64_t bits, int qp)
{
	int again = qp;

	do { /* cap < bits < 2^36 */
		again++;
	} while (again < QP_MAX && model[again] * (bits >> 8) * 20 > model[qp] * (cap >> 8) * 19);
	return again;
}

/* The last QP of those below `qp` down to `least` whose size is below `aim` by a sixth, likewise;
 * the one before `qp` if there is none. */
static int last_below(const uint32_t *model, uint64_t aim, uint64_t bits, int qp, int least)
{
	int again = qp - 1;

	/* bits < aim < 2^35 */
	while (again > least && model[again - 1] * (bits >> 8) * 6 <= model[qp] * (aim >> 8) * 5)
		again--;
	return again;
}

/* A QP between one whose size is above the cap and one whose size is below: where the logarithms of
 * sizes on a line are a sixth below `aim`, or, each second time, the middle. */
static int between(const h264i_rate_tried *t, uint64_t aim)
{
	int32_t over = h264i_i_rate_log2(t->over_bits), fits = h264i_i_rate_log2(t->fits_bits);
	int32_t wanted = h264i_i_rate_log2(aim - aim / 6);
	int steps = t->fits - t->over, qp = t->over + steps / 2;

	if (t->codings % 2 && over > wanted && wanted > fits)
		qp = t->over + (int)((int64_t)(over - wanted) * steps / (over - fits)) + 1;
	return qp <= t->over ? t->over + 1 : qp >= t->fits ? t->fits - 1 : qp;
}

void h264i_i_rate_try(h264i_rate_tried *t, const h264i_rate_plan *plan)
{
	t->plan = *plan;
	t->over = -1;
	t->fits = QP_MAX + 1;
	t->over_bits = t->fits_bits = 0;
	t->codings = 0;
}

int h264i_i_rate_qp_again(const h264i_rate_settings *s, const h264i_detail *d, h264i_rate_tried *t,
	uint64_t bits, int qp)
{
	const h264i_rate_plan *p = &t->plan;
	const int is_over = bits > p->cap;
	uint32_t model[H264I_DETAIL_QPS];

	t->codings++;
	if (is_over)
		t->over = qp, t->over_bits = bits;
	else
		t->fits = qp, t->fits_bits = bits;
	if (t->fits > QP_MAX) {
		if (qp >= QP_MAX)
			return qp;
		h264i_i_rate_model(s, d, model);
		return first_below(model, p->cap, bits, qp);
	}
	/* Unless the QP before it is too low. */
	if (t->fits_bits >= p->low || t->fits <= p->least || t->fits - t->over == 1)
		return t->fits;
	if (t->over >= 0)
		return between(t, p->aim);
	h264i_i_rate_model(s, d, model);
	return last_below(model, p->aim, bits, qp, p->least);
}
