/* The loops of sides.h in scalar code: the specification. */
#include "nqueens/join/sides.h"

uint64_t *nq_i_patterns_scalar(uint64_t *to, const uint64_t *ne, uint32_t ne_count,
	const uint32_t *se, uint32_t se_count, uint32_t forbidden)
{
	for (uint32_t k = 0; k < se_count; k++) {
		const uint64_t p = nq_i_as_se(se[k]);

		if (se[k] & forbidden)
			continue;
		for (uint32_t i = 0; i < ne_count; i++) {
			*to = p | ne[i];
			to += !(p & ne[i]);
		}
	}
	return to;
}

static nq_i_pair *pair_up(nq_i_pair *to, const nq_i_corner *c, uint32_t i, uint32_t k, uint32_t end)
{
	const uint32_t upper = nq_i_upper(c->nw[i]);

	for (; k < end; k++) {
		to->nw = (uint16_t)((c->nw_place + i) * NQ_I_PAIR_STEP);
		to->sw = (uint16_t)((c->sw_place + k) * NQ_I_PAIR_STEP);
		to += !(upper & c->lower[k]);
	}
	return to;
}

void nq_i_pairs_scalar(nq_i_pair **to, const nq_i_corner *c)
{
	for (uint32_t i = 0; i < c->nw_count; i++) {
		const uint32_t on_main = c->nw[i] >> NQ_I_ON_MAIN & c->by_main;

		if (on_main >= c->first_class)
			to[on_main] = pair_up(to[on_main], c, i, 0, c->sw_off_main);
		to[on_main + 1] = pair_up(to[on_main + 1], c, i, c->sw_off_main, c->sw_count);
	}
}
