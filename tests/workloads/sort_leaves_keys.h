/* Tests of the leaves of `sort` for keys of type KEY. Template text: N(x) names functions, LEAF(x)
 * members of the table. */

static int N(compare)(const void *pa, const void *pb)
{
	const KEY a = *(const KEY *)pa, b = *(const KEY *)pb;

	return (a > b) - (a < b);
}

/* Keys with guards around them, at any alignment. */
typedef struct N(guarded) {
	KEY *memory, *key;
	size_t n;
} N(guarded);

enum { N(GUARD) = 64, N(SKEW) = 16 };
#define GUARD_KEY ((KEY)UINT64_C(0xa5a5a5a5a5a5a5a5))

static void N(open)(N(guarded) * g, size_t n)
{
	const size_t all = n + 2 * N(GUARD) + N(SKEW);

	g->memory = malloc(all * sizeof(KEY));
	CU_ASSERT_PTR_NOT_NULL_FATAL(g->memory);
	for (size_t k = 0; k < all; k++)
		g->memory[k] = GUARD_KEY;
	g->key = g->memory + N(GUARD) + rng_below(N(SKEW));
	g->n = n;
}

/* Returns whether a guard was overwritten, and frees the keys. */
static int N(close)(N(guarded) * g)
{
	const size_t all = g->n + 2 * N(GUARD) + N(SKEW);
	const size_t first = (size_t)(g->key - g->memory);
	int broken = 0;

	for (size_t k = 0; k < all; k++)
		broken |= (k < first || k >= first + g->n) && g->memory[k] != GUARD_KEY;
	free(g->memory);
	return broken;
}

static KEY N(random)(void)
{
	return (KEY)((uint64_t)rng() << 32 | rng());
}

static KEY N(key_of)(int pattern, size_t i, size_t n)
{
	const KEY most = (KEY) ~(KEY)0;

	switch (pattern) {
	case EQUAL:
		return most;
	case ASCENDING:
		return (KEY)i;
	case DESCENDING:
		return (KEY)(most - i);
	case ORGAN_PIPE:
		return (KEY)(i < n / 2 ? i : n - i);
	case FEW:
		return (KEY)(rng_below(5) * (most / 4));
	case TWO:
		return rng() & 1 ? most : 0;
	case MIDDLE: /* around the middle of the range */
		return (KEY)((most >> 1) - 8 + rng_below(16));
	case BITS: /* one bit, at any place */
		return (KEY)((KEY)1 << rng_below(8 * sizeof(KEY)));
	case LAST_FIRST:
		return (KEY)(i + 1 < n ? i + 1 : 0);
	default:
		return N(random)();
	}
}

static void N(fill)(KEY *key, size_t n, int pattern)
{
	for (size_t i = 0; i < n; i++)
		key[i] = N(key_of)(pattern, i, n);
}

/* Sorts from an array of its own, in place, and from the room. Returns the number of errors. */
static int N(try_serial)(const sort_leaves *l, size_t n, int pattern, uint32_t depth)
{
	int bad = 0;
	KEY *want = malloc((n + 1) * sizeof(*want)), *input = malloc((n + 1) * sizeof(*input));

	CU_ASSERT_FATAL(want && input);
	N(fill)(input, n, pattern);
	memcpy(want, input, n * sizeof(*want));
	qsort(want, n, sizeof(*want), N(compare));
	for (int from = FROM_OTHER; from <= FROM_ROOM; from++) {
		N(guarded) other, to, room, *const at[] = { &other, &to, &room };

		for (int k = FROM_OTHER; k <= FROM_ROOM; k++)
			N(open)(at[k], n);
		memcpy(at[from]->key, input, n * sizeof(*input));
		l->LEAF(serial)(at[from]->key, to.key, room.key, n, depth);
		bad += memcmp(to.key, want, n * sizeof(*want)) != 0;
		if (from == FROM_OTHER)
			bad += memcmp(other.key, input, n * sizeof(*input)) != 0;
		for (int k = FROM_OTHER; k <= FROM_ROOM; k++)
			bad += N(close)(at[k]);
	}
	free(want);
	free(input);
	if (bad)
		fprintf(stderr, "%s: %zu keys of %zu bytes, pattern %d, depth %u: %d errors\n",
			l->name, n, sizeof(KEY), pattern, depth, bad);
	return bad;
}

/* Counts and splits as the scalar table does. */
static int N(try_split)(const sort_leaves *l, size_t n, int pattern, KEY pivot)
{
	const sort_leaves *spec = sort_leaves_of(SORT_SIMD_SCALAR);
	N(guarded) from, less[2], greater[2];
	uint32_t want[SORT_WAYS] = { 0, 0 }, count[SORT_WAYS] = { 1, 1 };
	int bad = 0;

	N(open)(&from, n);
	N(fill)(from.key, n, pattern);
	for (size_t i = 0; i < n; i++) {
		want[SORT_LESS] += from.key[i] < pivot;
		want[SORT_GREATER] += from.key[i] > pivot;
	}
	l->LEAF(count)(from.key, n, pivot, count);
	bad += memcmp(want, count, sizeof(want)) != 0;
	for (int k = 0; k < 2; k++) {
		N(open)(&less[k], want[SORT_LESS]);
		N(open)(&greater[k], want[SORT_GREATER]);
		(k ? l : spec)->LEAF(split)(from.key, n, pivot, less[k].key, greater[k].key, want);
		for (uint32_t i = 0; i < want[SORT_LESS]; i++)
			bad += less[k].key[i] >= pivot;
		for (uint32_t i = 0; i < want[SORT_GREATER]; i++)
			bad += greater[k].key[i] <= pivot;
	}
	bad += memcmp(less[0].key, less[1].key, want[SORT_LESS] * sizeof(KEY)) != 0;
	bad += memcmp(greater[0].key, greater[1].key, want[SORT_GREATER] * sizeof(KEY)) != 0;
	for (int k = 0; k < 2; k++)
		bad += N(close)(&less[k]) + N(close)(&greater[k]);
	bad += N(close)(&from);
	if (bad)
		fprintf(stderr, "%s: split of %zu keys of %zu bytes, pattern %d: %d errors\n",
			l->name, n, sizeof(KEY), pattern, bad);
	return bad;
}

static void N(every_size)(const sort_leaves *l)
{
	int bad = 0;

	for (size_t n = 0; n <= 600; n++)
		for (int pattern = 0; pattern < PATTERNS; pattern++)
			bad += N(try_serial)(l, n, pattern, sort_serial_depth(n));
	CU_ASSERT_EQUAL(bad, 0);
}

static void N(large)(const sort_leaves *l)
{
	int bad = 0;

	for (int round = 0; round < test_effort(600, 60, 12); round++) {
		const size_t n = 600 + rng_below(20000);

		bad += N(try_serial)(l, n, round % PATTERNS, sort_serial_depth(n));
	}
	CU_ASSERT_EQUAL(bad, 0);
}

static void N(depth)(const sort_leaves *l)
{
	int bad = 0;

	for (uint32_t depth = 0; depth < 4; depth++)
		for (int pattern = 0; pattern < PATTERNS; pattern++)
			bad += N(try_serial)(l, 1 + rng_below(3000), pattern, depth);
	CU_ASSERT_EQUAL(bad, 0);
}

static void N(split)(const sort_leaves *l)
{
	const KEY pivots[] = { 0, 1, (KEY) ~(KEY)0, (KEY) ~(KEY)0 >> 1,
		(KEY)1 << (8 * sizeof(KEY) - 1), 100 };
	int bad = 0;

	for (size_t n = 0; n <= 300; n++)
		for (int pattern = 0; pattern < PATTERNS; pattern++) {
			bad += N(try_split)(l, n, pattern, pivots[(n + (size_t)pattern) % 6]);
			bad += N(try_split)(l, n, pattern, N(random)());
		}
	for (int round = 0; round < 50; round++)
		bad += N(try_split)(l, rng_below(9000), round % PATTERNS,
			N(key_of)(round % PATTERNS, 100, 9000));
	CU_ASSERT_EQUAL(bad, 0);
}

/* Keys that end where memory ends: a read beyond them is a signal. `page` is the end. */
static void N(page_end)(const sort_leaves *l, char *page)
{
	KEY out[600], room[600];

	for (size_t n = 0; n < 600; n++) {
		KEY *from = (KEY *)(void *)page - n;
		uint32_t count[SORT_WAYS];

		N(fill)(from, n, RANDOM);
		l->LEAF(serial)(from, out, room, n, sort_serial_depth(n));
		l->LEAF(count)(from, n, GUARD_KEY, count);
		l->LEAF(split)(from, n, GUARD_KEY, out, room, count);
		CU_ASSERT_FALSE(n && count[SORT_LESS] + count[SORT_GREATER] == 0);
	}
}
#undef GUARD_KEY
