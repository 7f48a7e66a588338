/* Quicksort by one CPU thread, for keys of type SORT_KEY: partition without branches; heap sort
 * below a depth. Template text. */

enum { SORT_N(_insertion) = 24 };

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

static inline void SORT_N(_sift)(SORT_KEY *a, size_t n, size_t i)
{
	const SORT_KEY v = a[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			break;
		child += child + 1 < n && a[child] < a[child + 1];
		if (a[child] <= v)
			break;
		a[i] = a[child];
		i = child;
	}
	a[i] = v;
}

static inline void SORT_N(_heap)(SORT_KEY *a, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		SORT_N(_sift)(a, n, i);
	for (size_t i = n; i-- > 1;) {
		const SORT_KEY v = a[0];

		a[0] = a[i];
		a[i] = v;
		SORT_N(_sift)(a, i, 0);
	}
}

static inline SORT_KEY SORT_N(_median)(SORT_KEY a, SORT_KEY b, SORT_KEY c)
{
	const SORT_KEY lo = a < b ? a : b, hi = a < b ? b : a;

	return c < lo ? lo : c < hi ? c : hi;
}

static inline SORT_KEY SORT_N(_ninther)(const SORT_KEY *a, size_t n)
{
	const size_t s = n / 8;

	if (n < 256)
		return SORT_N(_median)(a[s], a[n / 2], a[n - 1 - s]);
	return SORT_N(_median)(SORT_N(_median)(a[0], a[s], a[2 * s]),
		SORT_N(_median)(a[3 * s], a[4 * s], a[5 * s]),
		SORT_N(_median)(a[6 * s], a[7 * s], a[n - 1]));
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

static void SORT_N(_serial)(SORT_KEY *a, size_t n)
{
	uint32_t depth = 4;

	for (size_t m = n; m > 1; m /= 2)
		depth += 2;
	SORT_N(_quick)(a, n, depth, 0, 0);
}
