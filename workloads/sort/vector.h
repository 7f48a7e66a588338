/* The leaves with vectors, for keys of type SORT_KEY: quicksort whose partition reads a vector of
 * keys and appends those below and those above the pivot to one sequence each, down to what a
 * sorting network takes. Template text; a file for an instruction set defines
 *
 * SORT_VECTOR, SORT_LANES	vectors and how many keys one has
 * SORT_MASK		a bit for each lane; lanes_in(mask) is their number
 * SORT_TARGET, SORT_INLINE	attributes of functions
 *
 * and functions of vectors:
 *
 * _all			the key in all lanes
 * _load, _store	any alignment
 * _load_first		loads lanes k with first + k < n, at their places from `from` on; the other
 *			lanes have the greatest key
 * _store_first		stores these lanes
 * _min, _max
 * _exchange		lane k of the result is lane k ^ x
 * _choose		lanes k with k & bit from the second vector
 * _zip_low, _zip_high	the first or second halves of two vectors by turns
 * _below, _above	bits of the lanes with keys below, above those of the second vector
 * _pack		moves the lanes of a mask to the first ones; any keys in the others */
#include "workloads/sort/quick.h"
#include "workloads/sort/network.h"

enum {
	SORT_N(_network_keys) = 16 * SORT_LANES,
	SORT_N(_many) = 2048,
	SORT_N(_drawn) = SORT_N(_network_keys) < 64 ? SORT_N(_network_keys) : 64
};

/* The median of more keys for more of them. */
SORT_TARGET static SORT_KEY SORT_N(_pivot)(const SORT_KEY *a, size_t n)
{
	SORT_KEY drawn[SORT_N(_drawn)];
	const size_t step = n / SORT_N(_drawn);

	if (n < SORT_N(_many))
		return SORT_N(_ninther)(a, n);
	for (size_t k = 0; k < SORT_N(_drawn); k++)
		drawn[k] = a[step * k + step / 2];
	SORT_N(_network)(drawn, drawn, SORT_N(_drawn));
	return drawn[SORT_N(_drawn) / 2];
}

/* Appends keys below the pivot to `less`, above it to `greater`. Either may be `from`: a sequence
 * is never longer than what was read. Sets count. */
SORT_TARGET static void SORT_N(_partition)(const SORT_KEY *from, size_t n, SORT_KEY pivot,
	SORT_KEY *less, SORT_KEY *greater, size_t *count)
{
	const SORT_VECTOR p = SORT_N(_all)(pivot);
	size_t a = 0, b = 0, k = 0;

	for (; k + SORT_LANES <= n; k += SORT_LANES) {
		const SORT_VECTOR v = SORT_N(_load)(from + k);
		const SORT_MASK low = SORT_N(_below)(v, p), high = SORT_N(_above)(v, p);

		SORT_N(_store)(less + a, SORT_N(_pack)(v, low));
		SORT_N(_store)(greater + b, SORT_N(_pack)(v, high));
		a += lanes_in(low);
		b += lanes_in(high);
	}
	if (k < n) {
		const SORT_VECTOR v = SORT_N(_load_first)(from + k, (int)(n - k), 0);
		const SORT_MASK valid = (SORT_MASK)((1u << (n - k)) - 1);
		const SORT_MASK low = SORT_N(_below)(v, p) & valid;
		const SORT_MASK high = SORT_N(_above)(v, p) & valid;
		const uint32_t lows = lanes_in(low), highs = lanes_in(high);

		SORT_N(_store_first)(less + a, (int)lows, 0, SORT_N(_pack)(v, low));
		SORT_N(_store_first)(greater + b, (int)highs, 0, SORT_N(_pack)(v, high));
		a += lows;
		b += highs;
	}
	count[SORT_LESS] = a;
	count[SORT_GREATER] = b;
}

SORT_TARGET static void SORT_N(_fill_keys)(SORT_KEY *to, size_t n, SORT_KEY v)
{
	for (size_t k = 0; k < n; k++)
		to[k] = v;
}

/* The keys below the pivot get to their place, those above it to the room, from where they are
 * sorted into theirs. */
SORT_TARGET static void SORT_N(_serial)(
	const SORT_KEY *from, SORT_KEY *to, SORT_KEY *room, size_t n, uint32_t depth)
{
	while (n > SORT_N(_network_keys)) {
		size_t count[SORT_WAYS], high, equal;
		SORT_KEY pivot;

		if (depth == 0) {
			if (from != to)
				memcpy(to, from, n * sizeof(*to));
			SORT_N(_heap)(to, n);
			return;
		}
		depth--;
		pivot = SORT_N(_pivot)(from, n);
		SORT_N(_partition)(from, n, pivot, to, room, count);
		high = n - count[SORT_GREATER];
		equal = high - count[SORT_LESS];
		SORT_N(_serial)(room, to + high, room, count[SORT_GREATER], depth);
		SORT_N(_fill_keys)(to + count[SORT_LESS], equal, pivot);
		from = to;
		n = count[SORT_LESS];
	}
	SORT_N(_network)(from, to, n);
}

SORT_TARGET static void SORT_N(_count)(
	const SORT_KEY *from, size_t n, SORT_KEY pivot, uint32_t *count)
{
	const SORT_VECTOR p = SORT_N(_all)(pivot);
	uint32_t less = 0, greater = 0;
	size_t k = 0;

	for (; k + SORT_LANES <= n; k += SORT_LANES) {
		const SORT_VECTOR v = SORT_N(_load)(from + k);

		less += lanes_in(SORT_N(_below)(v, p));
		greater += lanes_in(SORT_N(_above)(v, p));
	}
	for (; k < n; k++) {
		less += from[k] < pivot;
		greater += from[k] > pivot;
	}
	count[SORT_LESS] = less;
	count[SORT_GREATER] = greater;
}

/* A sequence of n keys from `to` on. Vectors are stored whole, so that its last keys, fewer than a
 * vector has, go to `rest` first. */
typedef struct SORT_N(_sequence) {
	SORT_KEY *at, *last, *cut, *rest; /* last: where a whole vector can be stored */
} SORT_N(_sequence);

SORT_INLINE SORT_N(_sequence) SORT_N(_begin)(SORT_KEY *to, uint32_t n, SORT_KEY *rest)
{
	SORT_N(_sequence) s = { to, to, to, rest };

	if (n < SORT_LANES) {
		s.at = rest;
		s.last = rest + SORT_LANES;
	} else {
		s.last = to + (n - SORT_LANES);
	}
	return s;
}

SORT_INLINE void SORT_N(_append)(SORT_N(_sequence) * s, SORT_VECTOR v, SORT_MASK mask)
{
	SORT_N(_store)(s->at, SORT_N(_pack)(v, mask));
	s->at += lanes_in(mask);
	if (s->at > s->last) {
		s->cut = s->at;
		s->at = s->rest;
		s->last = s->rest + SORT_LANES;
	}
}

SORT_TARGET static void SORT_N(_split)(const SORT_KEY *from, size_t n, SORT_KEY pivot,
	SORT_KEY *less, SORT_KEY *greater, const uint32_t *count)
{
	SORT_KEY rest[SORT_WAYS][2 * SORT_LANES];
	SORT_N(_sequence) low = SORT_N(_begin)(less, count[SORT_LESS], rest[SORT_LESS]);
	SORT_N(_sequence) high = SORT_N(_begin)(greater, count[SORT_GREATER], rest[SORT_GREATER]);
	const SORT_VECTOR p = SORT_N(_all)(pivot);
	size_t k = 0;

	for (; k + SORT_LANES <= n; k += SORT_LANES) {
		const SORT_VECTOR v = SORT_N(_load)(from + k);

		SORT_N(_append)(&low, v, SORT_N(_below)(v, p));
		SORT_N(_append)(&high, v, SORT_N(_above)(v, p));
	}
	if (k < n) {
		const SORT_VECTOR v = SORT_N(_load_first)(from + k, (int)(n - k), 0);
		const SORT_MASK valid = (SORT_MASK)((1u << (n - k)) - 1);

		SORT_N(_append)(&low, v, SORT_N(_below)(v, p) & valid);
		SORT_N(_append)(&high, v, SORT_N(_above)(v, p) & valid);
	}
	memcpy(low.cut, low.rest, (size_t)(low.at - low.rest) * sizeof(*low.rest));
	memcpy(high.cut, high.rest, (size_t)(high.at - high.rest) * sizeof(*high.rest));
}
