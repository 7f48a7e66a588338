/* What the quicksorts of one CPU thread share, for keys of type SORT_KEY: heap sort, pivots.
 * Template text. */

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
