/* Sorts elements in fast memory by the threads of a block item: runs of 16 by a network in
 * registers, then merges. Each thread finds the beginning of its 16 outputs by a binary search
 * along a diagonal (Odeh, Green, Mwassi, Shmueli, Birk 2012). Template text, for each type:
 *	#define WL_SORT_NAME name      prefix of the functions
 *	#define WL_SORT_TYPE type      of an element
 *	#define WL_SORT_LESS(a, b)     a total order
 *	#define WL_SORT_ROOM type      of a buffer
 *	#define WL_SORT_GET(r, i)      element i of the buffer *r
 *	#define WL_SORT_PUT(r, i, v)
 *	#include "workloads/common/block_sort.h" */
#include <libsched/range.h>

#ifndef WL_SORT_RUN
#define WL_SORT_RUN       16u
#define WL_SORT_N_(a, b)  a##b
#define WL_SORT_N__(a, b) WL_SORT_N_(a, b)
#endif
#define WL_SORT_N(name) WL_SORT_N__(WL_SORT_NAME, name)

/* Sorts 16 elements by the network of Batcher's odd-even merge sort, 63 comparators. */
LSCHED_TASK_FN void WL_SORT_N(_network)(WL_SORT_TYPE v[16])
{
	LSCHED_UNROLL
	for (uint32_t p = 1; p < 16; p *= 2) {
		LSCHED_UNROLL
		for (uint32_t k = p; k; k /= 2) {
			LSCHED_UNROLL
			for (uint32_t i = 0; i < 16; i++) {
				const uint32_t from = k % p, j = i + k;

				/* i = from + 2 k m + (0 .. k - 1), both in the same 2 p */
				if (i < from || (i - from) % (2 * k) >= k || j >= 16)
					continue;
				if (i / (2 * p) == j / (2 * p)) {
					const int swap = WL_SORT_LESS(v[j], v[i]);
					const WL_SORT_TYPE lo = swap ? v[j] : v[i];

					v[j] = swap ? v[i] : v[j];
					v[i] = lo;
				}
			}
		}
	}
}

/* Sorts the runs of n elements, a multiple of 16. */
LSCHED_TASK_FN void WL_SORT_N(_runs)(lsched_range_items *x, WL_SORT_ROOM *a, uint32_t n)
{
	for (uint32_t r = lsched_thread(x) * WL_SORT_RUN; r < n;
		r += lsched_threads(x) * WL_SORT_RUN) {
		WL_SORT_TYPE v[WL_SORT_RUN];

		LSCHED_UNROLL
		for (uint32_t k = 0; k < WL_SORT_RUN; k++)
			v[k] = WL_SORT_GET(a, r + k);
		WL_SORT_N(_network)(v);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < WL_SORT_RUN; k++)
			WL_SORT_PUT(a, r + k, v[k]);
	}
}

/* Merges outputs at .. at + 15 of the sorted sequences of `width` that begin at `base`. */
LSCHED_TASK_FN void WL_SORT_N(_merge)(const WL_SORT_ROOM *from, WL_SORT_ROOM *to, uint32_t n,
	uint32_t base, uint32_t width, uint32_t at)
{
	const uint32_t middle = base + width < n ? base + width : n;
	const uint32_t end = middle + width < n ? middle + width : n;
	const uint32_t diagonal = at - base;
	uint32_t lo = diagonal > end - middle ? diagonal - (end - middle) : 0;
	uint32_t hi = diagonal < middle - base ? diagonal : middle - base, i, j;

	while (lo < hi) {
		const uint32_t half = (lo + hi) / 2;
		const WL_SORT_TYPE a = WL_SORT_GET(from, base + half);
		const WL_SORT_TYPE b = WL_SORT_GET(from, middle + diagonal - 1 - half);

		if (WL_SORT_LESS(b, a))
			hi = half;
		else
			lo = half + 1;
	}
	i = base + lo;
	j = middle + diagonal - lo;
	{
		WL_SORT_TYPE a = WL_SORT_GET(from, i < middle ? i : base);
		WL_SORT_TYPE b = WL_SORT_GET(from, j < end ? j : base);

		for (uint32_t k = 0; k < WL_SORT_RUN; k++) {
			const int second = i >= middle || (j < end && WL_SORT_LESS(b, a));
			uint32_t next;
			WL_SORT_TYPE v;

			WL_SORT_PUT(to, at + k, second ? b : a);
			i += !second;
			j += (uint32_t)second;
			next = second ? j : i;
			v = WL_SORT_GET(from, next < n ? next : base);
			a = second ? a : v;
			b = second ? v : b;
		}
	}
}

/* Sorts n elements of `a`, a multiple of 16, with the help of `b`. Returns the buffer that has the
 * result. All threads of the item call it, after a barrier. */
LSCHED_TASK_FN WL_SORT_ROOM *WL_SORT_N(_block)(
	lsched_range_items *x, WL_SORT_ROOM *a, WL_SORT_ROOM *b, uint32_t n)
{
	WL_SORT_N(_runs)(x, a, n);
	lsched_sync_item(x);
	for (uint32_t width = WL_SORT_RUN; width < n; width *= 2) {
		WL_SORT_ROOM *const from = a;

		for (uint32_t at = lsched_thread(x) * WL_SORT_RUN; at < n;
			at += lsched_threads(x) * WL_SORT_RUN)
			WL_SORT_N(_merge)(from, b, n, at & ~(2 * width - 1), width, at);
		lsched_sync_item(x);
		a = b;
		b = from;
	}
	return a;
}

#undef WL_SORT_N
#undef WL_SORT_NAME
#undef WL_SORT_TYPE
#undef WL_SORT_LESS
#undef WL_SORT_ROOM
#undef WL_SORT_GET
#undef WL_SORT_PUT
