/* The leaves in C, for keys of type SORT_KEY: quicksort whose partition has no branches, and the
 * split of a tile. Template text. */
#include "workloads/sort/quick.h"

enum { SORT_N(_insertion) = 24, SORT_N(_block) = 256 };

static inline void SORT_N(_insert)(SORT_KEY *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const SORT_KEY v = a[i];
		size_t k = i;

		for (; k && v < a[k - 1]; k--)
			a[k] = a[k - 1];
		a[k] = v;
	}
}

/* Moves the keys below the pivot, or with `equal` also those equal to it, to the front. Returns
 * their number. */
static inline size_t SORT_N(_partition)(SORT_KEY *a, size_t n, SORT_KEY pivot, int equal)
{
	size_t less = 0;

	if (equal) {
		for (size_t i = 0; i < n; i++) {
			const SORT_KEY v = a[i];

			a[i] = a[less];
			a[less] = v;
			less += v <= pivot;
		}
		return less;
	}
	for (size_t i = 0; i < n; i++) {
		const SORT_KEY v = a[i];

		a[i] = a[less];
		a[less] = v;
		less += v < pivot;
	}
	return less;
}

/* With `bounded` no key is less than `bound`. */
static void SORT_N(_quick)(SORT_KEY *a, size_t n, uint32_t depth, int bounded, SORT_KEY bound)
{
	while (n > SORT_N(_insertion)) {
		const SORT_KEY pivot = SORT_N(_ninther)(a, n);
		size_t less;

		if (depth == 0) {
			SORT_N(_heap)(a, n);
			return;
		}
		depth--;
		if (bounded && bound == pivot) { /* those equal to it are in their places then */
			less = SORT_N(_partition)(a, n, pivot, 1);
		} else {
			less = SORT_N(_partition)(a, n, pivot, 0);
			SORT_N(_quick)(a, less, depth, bounded, bound);
			bounded = 1;
			bound = pivot;
		}
		a += less;
		n -= less;
	}
	SORT_N(_insert)(a, n);
}

static void SORT_N(_serial)(
	const SORT_KEY *from, SORT_KEY *to, SORT_KEY *room, size_t n, uint32_t depth)
{
	(void)room;
	if (from != to && n)
		memcpy(to, from, n * sizeof(*to));
	SORT_N(_quick)(to, n, depth, 0, 0);
}

static void SORT_N(_count)(const SORT_KEY *from, size_t n, SORT_KEY pivot, uint32_t *count)
{
	uint32_t less = 0, greater = 0;

	for (size_t k = 0; k < n; k++) {
		less += from[k] < pivot;
		greater += from[k] > pivot;
	}
	count[SORT_LESS] = less;
	count[SORT_GREATER] = greater;
}

/* Splits blocks of keys into buffers, so that nothing is written beyond the keys. */
static void SORT_N(_split)(const SORT_KEY *from, size_t n, SORT_KEY pivot, SORT_KEY *less,
	SORT_KEY *greater, const uint32_t *count)
{
	SORT_KEY low[SORT_N(_block)], high[SORT_N(_block)];

	(void)count;
	for (size_t begin = 0; begin < n; begin += SORT_N(_block)) {
		const size_t left = n - begin;
		const size_t end = begin + (left < SORT_N(_block) ? left : SORT_N(_block));
		size_t a = 0, b = 0;

		for (size_t k = begin; k < end; k++) {
			const SORT_KEY v = from[k];

			low[a] = v;
			high[b] = v;
			a += v < pivot;
			b += v > pivot;
		}
		memcpy(less, low, a * sizeof(*less));
		memcpy(greater, high, b * sizeof(*greater));
		less += a;
		greater += b;
	}
}
