/* The loops of sides.c with AVX-512: compatible lanes are compressed and stored. */
#include "nqueens/join/sides.h"

#ifdef __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,popcnt")))

TARGET uint64_t *nq_i_patterns_avx512(uint64_t *to, const uint64_t *ne, uint32_t ne_count,
	const uint32_t *se, uint32_t se_count, uint32_t forbidden)
{
	for (uint32_t k = 0; k < se_count; k++) {
		const __m512i p = _mm512_set1_epi64((long long)nq_i_as_se(se[k]));

		if (se[k] & forbidden)
			continue;
		for (uint32_t i = 0; i < ne_count; i += 8) {
			const uint32_t left = ne_count - i;
			const __mmask8 lanes = left < 8 ? (__mmask8)((1u << left) - 1) : 0xff;
			const __m512i v = _mm512_loadu_si512(ne + i);
			const __mmask8 legal = _mm512_mask_testn_epi64_mask(lanes, v, p);

			_mm512_storeu_si512(
				to, _mm512_maskz_compress_epi64(legal, _mm512_or_si512(v, p)));
			to += __builtin_popcount(legal);
		}
	}
	return to;
}

/* A pair is a 32-bit lane, NW in its low half. */
TARGET void nq_i_pairs_avx512(nq_i_pair **to, const nq_i_corner *c)
{
	const __m512i count_up = _mm512_mullo_epi32(
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
		_mm512_set1_epi32(NQ_I_PAIR_STEP << 16));

	for (uint32_t i = 0; i < c->nw_count; i++) {
		const uint32_t on_main = c->nw[i] >> NQ_I_ON_MAIN & c->by_main;
		const __m512i upper = _mm512_set1_epi32((int)nq_i_upper(c->nw[i]));
		const uint32_t nw = (c->nw_place + i) * NQ_I_PAIR_STEP;
		nq_i_pair *to_off = to[on_main], *to_on = to[on_main + 1];

		for (uint32_t k = 0; k < c->sw_count; k += 16) {
			const uint32_t left = c->sw_count - k;
			const uint32_t off_main_left = c->sw_off_main > k ? c->sw_off_main - k : 0;
			const __mmask16 lanes = left < 16 ? (__mmask16)((1u << left) - 1) : 0xffff;
			const __mmask16 is_off_main =
				off_main_left < 16 ? (__mmask16)((1u << off_main_left) - 1)
						   : 0xffff;
			const __mmask16 legal = _mm512_mask_testn_epi32_mask(
				lanes, _mm512_loadu_si512(c->lower + k), upper);
			const uint32_t sw = (c->sw_place + k) * NQ_I_PAIR_STEP;
			const __m512i pairs =
				_mm512_add_epi32(_mm512_set1_epi32((int)(sw << 16 | nw)), count_up);

			if (on_main >= c->first_class) {
				_mm512_storeu_si512(to_off,
					_mm512_maskz_compress_epi32(legal & is_off_main, pairs));
				to_off += __builtin_popcount((uint32_t)legal & is_off_main);
			}
			if (left > off_main_left) {
				_mm512_storeu_si512(to_on,
					_mm512_maskz_compress_epi32(legal & ~is_off_main, pairs));
				to_on += __builtin_popcount(
					(uint32_t)legal & ~(uint32_t)is_off_main);
			}
		}
		to[on_main] = to_off;
		to[on_main + 1] = to_on;
	}
}
#else
extern int nq_i_no_sides_avx512;
#endif
