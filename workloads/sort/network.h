/* Sorting networks in vector registers, for keys of type SORT_KEY. Template text, for vector.h.
 *
 * A network has R rows, which are vectors of SORT_LANES keys. First it sorts all columns at once:
 * an exchange of two rows orders two keys of each column. Then it merges columns to sequences of
 * two, four, .. columns by bitonic merges (Batcher 1968). Key i of a sequence is in row i % R of
 * its column i / R, so that only steps between columns move keys to other lanes. Finally it brings
 * the keys into the order of memory.
 *
 * No loops and constant indices: the rows are registers. */

SORT_INLINE void SORT_N(_order)(SORT_VECTOR *a, SORT_VECTOR *b)
{
	const SORT_VECTOR v = *a, w = *b;

	*a = SORT_N(_min)(v, w);
	*b = SORT_N(_max)(v, w);
}

#define ORDER(i, j) SORT_N(_order)(r + (i), r + (j));
/* clang-format off */

/* Sort columns: odd-even merge sort (Batcher 1968). */
SORT_INLINE void SORT_N(_columns2)(SORT_VECTOR *r)
{
	ORDER(0, 1)
}

SORT_INLINE void SORT_N(_columns4)(SORT_VECTOR *r)
{
	SORT_N(_columns2)(r);
	SORT_N(_columns2)(r + 2);
	ORDER(0, 2) ORDER(1, 3)
	ORDER(1, 2)
}

SORT_INLINE void SORT_N(_columns8)(SORT_VECTOR *r)
{
	SORT_N(_columns4)(r);
	SORT_N(_columns4)(r + 4);
	ORDER(0, 4) ORDER(1, 5) ORDER(2, 6) ORDER(3, 7)
	ORDER(2, 4) ORDER(3, 5)
	ORDER(1, 2) ORDER(3, 4) ORDER(5, 6)
}

SORT_INLINE void SORT_N(_columns16)(SORT_VECTOR *r)
{
	SORT_N(_columns8)(r);
	SORT_N(_columns8)(r + 8);
	ORDER(0, 8) ORDER(1, 9) ORDER(2, 10) ORDER(3, 11)
	ORDER(4, 12) ORDER(5, 13) ORDER(6, 14) ORDER(7, 15)
	ORDER(4, 8) ORDER(5, 9) ORDER(6, 10) ORDER(7, 11)
	ORDER(2, 4) ORDER(3, 5) ORDER(6, 8) ORDER(7, 9) ORDER(10, 12) ORDER(11, 13)
	ORDER(1, 2) ORDER(3, 4) ORDER(5, 6) ORDER(7, 8) ORDER(9, 10) ORDER(11, 12) ORDER(13, 14)
}

/* Sort columns that are bitonic. */
SORT_INLINE void SORT_N(_bitonic2)(SORT_VECTOR *r)
{
	ORDER(0, 1)
}

SORT_INLINE void SORT_N(_bitonic4)(SORT_VECTOR *r)
{
	ORDER(0, 2) ORDER(1, 3)
	SORT_N(_bitonic2)(r);
	SORT_N(_bitonic2)(r + 2);
}

SORT_INLINE void SORT_N(_bitonic8)(SORT_VECTOR *r)
{
	ORDER(0, 4) ORDER(1, 5) ORDER(2, 6) ORDER(3, 7)
	SORT_N(_bitonic4)(r);
	SORT_N(_bitonic4)(r + 4);
}

SORT_INLINE void SORT_N(_bitonic16)(SORT_VECTOR *r)
{
	ORDER(0, 8) ORDER(1, 9) ORDER(2, 10) ORDER(3, 11)
	ORDER(4, 12) ORDER(5, 13) ORDER(6, 14) ORDER(7, 15)
	SORT_N(_bitonic8)(r);
	SORT_N(_bitonic8)(r + 8);
}

#undef ORDER
/* clang-format on */

/* Orders keys of one row, in columns whose numbers differ in `bit` only. */
SORT_INLINE void SORT_N(_across)(SORT_VECTOR *r, int bit)
{
	const SORT_VECTOR v = *r, w = SORT_N(_exchange)(v, bit);

	*r = SORT_N(_choose)(SORT_N(_min)(v, w), SORT_N(_max)(v, w), bit);
}

/* The first step of a merge of two sequences of `bit` columns: orders keys of row `a` in one and of
 * its mirror image `b` in the other. */
SORT_INLINE void SORT_N(_mirror)(SORT_VECTOR *a, SORT_VECTOR *b, int bit)
{
	const SORT_VECTOR v = *a, w = SORT_N(_exchange)(*b, 2 * bit - 1);
	const SORT_VECTOR low = SORT_N(_min)(v, w), high = SORT_N(_max)(v, w);

	*a = SORT_N(_choose)(low, high, bit);
	*b = SORT_N(_exchange)(SORT_N(_choose)(high, low, bit), 2 * bit - 1);
}

SORT_INLINE void SORT_N(_zip)(SORT_VECTOR *to, SORT_VECTOR a, SORT_VECTOR b)
{
	to[0] = SORT_N(_zip_low)(a, b);
	to[1] = SORT_N(_zip_high)(a, b);
}

/* Load and store row i of n keys. Rows below `whole` are full. */
SORT_INLINE SORT_VECTOR SORT_N(_load_row)(const SORT_KEY *from, int n, int i, int whole)
{
	if (i < whole)
		return SORT_N(_load)(from + i * SORT_LANES);
	return SORT_N(_load_first)(from + i * SORT_LANES, n, i * SORT_LANES);
}

SORT_INLINE void SORT_N(_store_row)(SORT_KEY *to, int n, int i, int whole, SORT_VECTOR v)
{
	if (i < whole)
		SORT_N(_store)(to + i * SORT_LANES, v);
	else
		SORT_N(_store_first)(to + i * SORT_LANES, n, i * SORT_LANES, v);
}

#define TIMES1(step) step(0)
#define TIMES2(step) step(0), step(1)
#define TIMES4(step) TIMES2(step), step(2), step(3)
#define TIMES8(step) TIMES4(step), step(4), step(5), step(6), step(7)
#define TIMES16(step) \
	TIMES8(step), step(8), step(9), step(10), step(11), step(12), step(13), step(14), step(15)

/* Steps of the functions below, for a row or a pair of rows; h is half of the rows. */
#define ACROSS1(i) SORT_N(_across)(r + (i), 1)
#define ACROSS2(i) SORT_N(_across)(r + (i), 2)
#define ACROSS4(i) SORT_N(_across)(r + (i), 4)
#define MIRROR(i)  SORT_N(_mirror)(r + (i), r + (2 * h - 1 - (i)), bit)
#define COPY(i)    t[i] = r[i]
#define ZIP(i)     SORT_N(_zip)(r + 2 * (i), t[i], t[h + (i)])
#define LOAD(i)    r[i] = SORT_N(_load_row)(from, n, i, whole)
#define STORE(i)   SORT_N(_store_row)(to, n, i, whole, r[i])

/* merge: of two sequences of `bit` columns. zips: interleaves the first half of the keys with the
 * second one; after log R times key i is in lane i % SORT_LANES of row i / SORT_LANES.
 * network: sorts n keys, at most R SORT_LANES, and for R > 2 more than half of it. */
#define NETWORK(R, H)                                                                          \
	SORT_INLINE void SORT_N(_merge##R)(SORT_VECTOR * r, int bit)                           \
	{                                                                                      \
		enum { h = H };                                                                \
                                                                                               \
		TIMES##H(MIRROR);                                                              \
		if (bit > 4)                                                                   \
			TIMES##R(ACROSS4);                                                     \
		if (bit > 2)                                                                   \
			TIMES##R(ACROSS2);                                                     \
		if (bit > 1)                                                                   \
			TIMES##R(ACROSS1);                                                     \
		SORT_N(_bitonic##R)(r);                                                        \
	}                                                                                      \
	SORT_INLINE void SORT_N(_zips##R)(SORT_VECTOR * r)                                     \
	{                                                                                      \
		enum { h = H };                                                                \
		SORT_VECTOR t[R];                                                              \
                                                                                               \
		TIMES##R(COPY);                                                                \
		TIMES##H(ZIP);                                                                 \
	}                                                                                      \
	SORT_TARGET static void SORT_N(_network##R)(const SORT_KEY *from, SORT_KEY *to, int n) \
	{                                                                                      \
		enum { whole = R > 2 ? H : 0 };                                                \
		SORT_VECTOR r[R];                                                              \
                                                                                               \
		TIMES##R(LOAD);                                                                \
		SORT_N(_columns##R)(r);                                                        \
		SORT_N(_merge##R)(r, 1);                                                       \
		SORT_N(_merge##R)(r, 2);                                                       \
		if (SORT_LANES > 4)                                                            \
			SORT_N(_merge##R)(r, 4);                                               \
		if (SORT_LANES > 8)                                                            \
			SORT_N(_merge##R)(r, 8);                                               \
		SORT_N(_zips##R)(r);                                                           \
		if (R > 2)                                                                     \
			SORT_N(_zips##R)(r);                                                   \
		if (R > 4)                                                                     \
			SORT_N(_zips##R)(r);                                                   \
		if (R > 8)                                                                     \
			SORT_N(_zips##R)(r);                                                   \
		TIMES##R(STORE);                                                               \
	}

NETWORK(2, 1)
NETWORK(4, 2)
NETWORK(8, 4)
NETWORK(16, 8)

/* Sorts n keys, at most 16 SORT_LANES. `from` may be `to`. */
SORT_TARGET static void SORT_N(_network)(const SORT_KEY *from, SORT_KEY *to, size_t n)
{
	if (n <= 2 * SORT_LANES)
		SORT_N(_network2)(from, to, (int)n);
	else if (n <= 4 * SORT_LANES)
		SORT_N(_network4)(from, to, (int)n);
	else if (n <= 8 * SORT_LANES)
		SORT_N(_network8)(from, to, (int)n);
	else
		SORT_N(_network16)(from, to, (int)n);
}

#undef TIMES1
#undef TIMES2
#undef TIMES4
#undef TIMES8
#undef TIMES16
#undef ACROSS1
#undef ACROSS2
#undef ACROSS4
#undef MIRROR
#undef COPY
#undef ZIP
#undef LOAD
#undef STORE
#undef NETWORK
