/* Levels of a block by rate and distortion (decide/rdoq.h) in vectors of 32-bit lanes, a lane a
 * coefficient: text for the instruction sets. The includer defines
 *
 *     V, M, LANES             a vector, the result of a comparison, lanes of a vector
 *     CHOOSE                  attributes of an inline function
 *     v_add v_sub v_mul v_min v_abs v_shl v_shr    32-bit arithmetic; v_shr is unsigned
 *     v_set v_iota            a value in all lanes; 0, 1, 2, ...
 *     v_gt v_eq m_and m_bits  comparisons (signed); as bits of an integer
 *     v_select(m, a, b)       a where m holds
 *     v_lookup(table, at)     table: the first 8 lanes count
 *     v_load v_load16         32-bit and unsigned 16-bit values
 *     v_store16               to 16-bit values
 *     v_prefix                sums of the lanes before each, v_sum the sum of all
 *     v_lowest                the lowest lane, signed
 *     v_top_bit               of a value from 1 to 2^23
 *     v_behind(bits)          how many of the bits 0 to LANES - 1 are set behind that of each lane
 *     v_sign(v, s)            v, or -v where s is negative; v is 0 where s is 0
 */
#ifndef H264INTRA_X86_CHOOSE_H
#define H264INTRA_X86_CHOOSE_H

enum { VECTORS = 64 / LANES };

/* The tables of coeff_abs_level_minus1: bins of the first context set, of the others. */
typedef struct abs_tables {
	V first0, first1, more0, more1;
} abs_tables;

/* Bits of the levels that are 1, and that are larger. */
typedef struct level_bits {
	uint64_t ones, larger;
} level_bits;

CHOOSE level_bits bits_of_levels(const V level[], int vectors)
{
	level_bits b = { 0, 0 };

	for (int i = 0; i < vectors; i++) {
		b.ones |= (uint64_t)m_bits(v_eq(level[i], v_set(1))) << (LANES * i);
		b.larger |= (uint64_t)m_bits(v_gt(level[i], v_set(1))) << (LANES * i);
	}
	return b;
}

/* h264i_first_of() and h264i_more_of() - 5 of the coefficients of vector i. */
CHOOSE void contexts_of(level_bits b, int i, int vectors, V *first, V *more)
{
	V ones = v_behind(b.ones >> (LANES * i)), larger = v_behind(b.larger >> (LANES * i));

	if (i + 1 < vectors) {
		int next = LANES * (i + 1);

		ones = v_add(ones, v_set(__builtin_popcountll(b.ones >> next)));
		larger = v_add(larger, v_set(__builtin_popcountll(b.larger >> next)));
	}
	ones = v_add(v_min(ones, v_set(3)), v_set(1));
	*first = v_select(v_gt(larger, v_set(0)), v_set(0), ones);
	*more = v_min(larger, v_set(4));
}

/* Rates of the bins in the contexts of each lane. */
typedef struct lane_rates {
	V first0, first1, more0, more1;
} lane_rates;

CHOOSE lane_rates lane_rates_of(const abs_tables *t, level_bits b, int i, int vectors)
{
	lane_rates r;
	V first, more;

	contexts_of(b, i, vectors, &first, &more);
	r.first0 = v_lookup(t->first0, first);
	r.first1 = v_lookup(t->first1, first);
	r.more0 = v_lookup(t->more0, more);
	r.more1 = v_lookup(t->more1, more);
	return r;
}

/* h264i_rate_level() of levels above 0; of 0 it has any value. */
CHOOSE V rate_of_level(const lane_rates *r, V level)
{
	const V one = v_set(1), fourteen = v_set(14);
	V rest = v_sub(level, one), bins = v_sub(v_min(rest, fourteen), one), rate;
	M escape = v_gt(rest, v_set(13));

	rate = v_add(r->first1, v_add(v_mul(bins, r->more1), r->more0));
	if (m_bits(escape)) {
		V top = v_top_bit(v_select(escape, v_sub(rest, v_set(13)), one));
		V suffix = v_shl(v_add(v_add(top, top), one), 8);

		rate = v_select(escape, v_add(v_sub(rate, r->more0), suffix), rate);
	}
	return v_add(v_set(256), v_select(v_gt(rest, v_set(0)), rate, r->first0));
}

CHOOSE V weighted(V rate, V weight)
{
	return v_shr(v_mul(rate, weight), 4);
}

/* h264i_quant_error() without what is common to all levels. */
CHOOSE V squared_distance(V real, V level)
{
	V d = v_sub(real, v_shl(level, 8));

	return v_mul(d, d);
}

typedef struct vector_choice {
	V level, kept, inside, end; /* kept: level, or 0 where 0 is better */
} vector_choice;

/* h264i_choose_level() of a vector of coefficients from position `at` on. */
CHOOSE vector_choice choose_levels(
	const h264i_scan_rates *r, int at, V real, const lane_rates *rates, V weight)
{
	V nearest = v_shr(v_add(real, v_set(128)), 8), lower = v_sub(nearest, v_set(1));
	V rate = rate_of_level(rates, nearest), lower_rate = rate_of_level(rates, lower);
	V none = v_min(real, v_set(1023)), zero = weighted(v_load16(r->zero + at), weight);
	V one = v_load16(r->one + at), error, lower_error, cost;
	M below, coded = v_gt(nearest, v_set(0));
	vector_choice c;

	none = v_mul(none, none);
	error = v_sub(squared_distance(real, nearest), none);
	lower_error = v_sub(squared_distance(real, lower), none);
	below = v_gt(v_add(error, weighted(rate, weight)),
		v_add(lower_error, weighted(lower_rate, weight)));
	below = m_and(below, v_gt(nearest, v_set(1)));
	c.level = v_select(below, lower, nearest);
	rate = v_add(v_select(below, lower_rate, rate), one);
	error = v_select(below, lower_error, error);
	c.end = v_add(error, weighted(v_add(rate, v_load16(r->end + at)), weight));
	cost = v_add(error, weighted(v_add(rate, v_load16(r->more + at)), weight));
	coded = m_and(coded, v_gt(v_add(zero, v_set(1)), cost));
	c.kept = v_select(coded, c.level, v_set(0));
	c.inside = v_select(coded, cost, zero);
	return c;
}

/* h264i_quantise_pass() on the levels of the first vectors; behind them none can differ from 0. */
CHOOSE void choose_pass(const h264i_scan_rates *r, const abs_tables *t, const V real[], int vectors,
	const int32_t flag_cost[2], int32_t weight, V level[])
{
	const V none = v_set(INT32_MAX);
	level_bits bits = bits_of_levels(level, vectors);
	V before = v_set(0), best = none, cost[VECTORS];
	vector_choice c[VECTORS];
	int32_t lowest;
	int end = -1;

	for (int i = 0; i < vectors; i++) {
		lane_rates rates = lane_rates_of(t, bits, i, vectors);

		c[i] = choose_levels(r, LANES * i, real[i], &rates, v_set(weight));
		cost[i] = v_add(v_add(before, v_prefix(c[i].inside)), c[i].end);
		cost[i] = v_select(v_gt(c[i].level, v_set(0)), cost[i], none);
		best = v_min(best, cost[i]);
		if (i + 1 < vectors)
			before = v_add(before, v_set(v_sum(c[i].inside)));
	}
	lowest = v_lowest(best);
	if (lowest != INT32_MAX && lowest + flag_cost[1] < flag_cost[0])
		for (int i = 0; i < vectors && end < 0; i++) {
			uint32_t found = m_bits(v_eq(cost[i], v_set(lowest)));

			end = found ? LANES * i + __builtin_ctz(found) : -1;
		}
	for (int i = 0; i < vectors; i++) {
		V at = v_add(v_iota(), v_set(LANES * i));

		level[i] = v_select(v_gt(v_set(end), at), c[i].kept,
			v_select(v_eq(v_set(end), at), c[i].level, v_set(0)));
	}
}

/* h264i_rate_block(). */
CHOOSE uint32_t rate_of_block(const h264i_scan_rates *r, const abs_tables *t, const V level[],
	int vectors, level_bits bits)
{
	int last = 63 - __builtin_clzll(bits.ones | bits.larger);
	V sum = v_set(0);

	for (int i = 0; i < vectors; i++) {
		V at = v_add(v_iota(), v_set(LANES * i)), rate, map;
		lane_rates rates = lane_rates_of(t, bits, i, vectors);

		map = v_select(v_eq(at, v_set(last)), v_load16(r->end + LANES * i),
			v_load16(r->more + LANES * i));
		rate = v_add(
			v_add(map, v_load16(r->one + LANES * i)), rate_of_level(&rates, level[i]));
		rate = v_select(v_gt(level[i], v_set(0)), rate, v_load16(r->zero + LANES * i));
		sum = v_add(sum, v_select(v_gt(at, v_set(last)), v_set(0), rate));
	}
	return (uint32_t)v_sum(sum);
}

/* The function `choose` of cpu/dsp.h for a kind of block with memory for `size` levels. Of 16 the
 * number of vectors is constant, and they stay in registers. */
CHOOSE int choose_block(const h264i_scan_rates *r, const int32_t real[], const uint16_t flag[2],
	int32_t weight, int passes, int16_t out[], uint32_t *rate, int size)
{
	const int n = r->block.coefficients;
	const V first = v_set(n == 15 ? 0 : -1), end = v_set(n == 15 ? 16 : n);
	const int32_t flag_cost[2] = { h264i_quant_rate(flag[0], weight),
		h264i_quant_rate(flag[1], weight) };
	int vectors = 0;
	V a[VECTORS], level[VECTORS];
	level_bits bits;
	abs_tables t;

	for (int i = 0; i < size / LANES; i++) {
		V at = v_add(v_iota(), v_set(LANES * i));

		a[i] = v_abs(v_load(real + LANES * i));
		a[i] = v_select(m_and(v_gt(at, first), v_gt(end, at)), a[i], v_set(0));
		level[i] = v_shr(v_add(a[i], v_set(96)), 8);
		if (m_bits(v_gt(a[i], v_set(127))))
			vectors = i + 1;
	}
	if (!vectors) {
		memset(out, 0, (size_t)size * sizeof(*out));
		*rate = flag[0];
		return 0;
	}
	if (size == 16)
		vectors = 16 / LANES;
	t = (abs_tables){ v_load16(r->abs[0]), v_load16(r->abs[1]), v_load16(r->abs[0] + 5),
		v_load16(r->abs[1] + 5) };
	for (int pass = 0; pass < passes; pass++)
		choose_pass(r, &t, a, vectors, flag_cost, weight, level);
	for (int i = vectors; i < size / LANES; i++)
		level[i] = v_set(0);
	for (int i = 0; i < size / LANES; i++)
		v_store16(out + LANES * i, v_sign(level[i], v_load(real + LANES * i)));
	bits = bits_of_levels(level, vectors);
	*rate = flag[0];
	if (bits.ones | bits.larger)
		*rate = flag[1] + rate_of_block(r, &t, level, vectors, bits);
	return __builtin_popcountll(bits.ones | bits.larger);
}

CHOOSE int choose_levels_of(const h264i_scan_rates *r, const int32_t real[], const uint16_t flag[2],
	int32_t weight, int passes, int16_t out[], uint32_t *rate)
{
	if (r->block.coefficients == 64)
		return choose_block(r, real, flag, weight, passes, out, rate, 64);
	if (passes == 1)
		return choose_block(r, real, flag, weight, 1, out, rate, 16);
	return choose_block(r, real, flag, weight, passes, out, rate, 16);
}

#endif
