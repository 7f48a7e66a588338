#include "nqueens/join/sides.h"

uint64_t *nq__patterns_scalar(uint64_t *to, const uint64_t *ne, uint32_t ne_count,
	const uint32_t *se, uint32_t se_count, uint32_t forbidden)
{
	for (uint32_t k = 0; k < se_count; k++) {
		const uint64_t p = nq__as_se(se[k]);

		if (se[k] & forbidden)
			continue;
		for (uint32_t i = 0; i < ne_count; i++) {
			*to = p | ne[i];
			to += !(p & ne[i]);
		}
	}
	return to;
}

static nq__pair *pair_up(nq__pair *to, const nq__corner *c, uint32_t i, uint32_t k, uint32_t end)
{
	const uint32_t upper = nq__upper(c->nw[i]);

	for (; k < end; k++) {
		to->nw = (uint16_t)((c->nw_place + i) * NQ__PAIR_STEP);
		to->sw = (uint16_t)((c->sw_place + k) * NQ__PAIR_STEP);
		to += !(upper & c->lower[k]);
	}
	return to;
}

void nq__pairs_scalar(nq__pair **to, const nq__corner *c)
{
	for (uint32_t i = 0; i < c->nw_count; i++) {
		const uint32_t touch = c->nw[i] >> NQ__TOUCH;

		if (touch >= c->first_class)
			to[touch] = pair_up(to[touch], c, i, 0, c->sw_quiet);
		to[touch + 1] = pair_up(to[touch + 1], c, i, c->sw_quiet, c->sw_count);
	}
}
