/* Template text: the hot loop of the join (join.h), for a block of as many patterns as a vector has
 * bits.
 *
 * Includer: BLOCK_NAME, BLOCK_TARGET (function attribute), BLOCK_WORDS, the type bv of so many
 * 64-bit lanes, and
 *	bv_load(p) bv_store(p, v) bv_zero() bv_xor bv_and bv_or bv_or3 bv_add
 *	bv_srl(v, k) bv_sll(v, k) bv_set1(x) bv_ones_of(v): population count of each lane, or of
 *	parts of lanes with the same sum */
#define BLOCK_CAT_(a, b) a##b
#define BLOCK_CAT(a, b)  BLOCK_CAT_(a, b)
#define BLOCK_FN         BLOCK_TARGET static inline __attribute__((always_inline))

/* Transposes 64 patterns in each lane into 64 rows: bit r of a lane of row d is bit d of pattern r
 * (Warren, Hacker's Delight, 7-3). Row r of the lanes is at index r x BLOCK_WORDS; this permutes
 * the patterns, which does not affect the count. */
BLOCK_FN void BLOCK_CAT(BLOCK_NAME, _transpose)(bv *row)
{
	uint64_t mask = 0x00000000ffffffffu;

	for (uint32_t step = 32; step; step >>= 1, mask ^= mask << step) {
		const bv low = bv_set1(mask);

		for (uint32_t k = 0; k < 64; k = ((k | step) + 1) & ~step) {
			const bv t = bv_and(bv_xor(bv_srl(row[k], step), row[k + step]), low);

			row[k] = bv_xor(row[k], bv_sll(t, step));
			row[k + step] = bv_xor(row[k + step], t);
		}
	}
}

/* Fills a lookup table: table[i] is the OR of the rows whose bits are set in i. */
BLOCK_FN void BLOCK_CAT(BLOCK_NAME, _table)(bv *table, const bv *row, uint32_t bits)
{
	bv_store(table, bv_zero());
	for (uint32_t i = 1; i < 1u << bits; i++)
		bv_store(table + i, bv_or(bv_load(table + (i & (i - 1))), row[__builtin_ctz(i)]));
}

/* Returns the OR of the rows of a field's diagonals. */
BLOCK_FN bv BLOCK_CAT(BLOCK_NAME, _field)(
	const bv *tables, uint32_t which, uint32_t placement, uint32_t field)
{
	return bv_load(
		tables + (which << NQ_I_FIELD_BITS) + (placement >> field & NQ_I_FIELD_MASK));
}

/* Computes the row of bits of each placement. low, high, far: the tables of the three fields. */
BLOCK_FN void BLOCK_CAT(BLOCK_NAME, _look_up)(bv *out, const uint32_t *placements, uint32_t count,
	const bv *tables, uint32_t low, uint32_t high, uint32_t far, const bv *main_row)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t p = placements[i];
		const bv a = BLOCK_CAT(BLOCK_NAME, _field)(tables, low, p, NQ_I_LOW);
		const bv b = BLOCK_CAT(BLOCK_NAME, _field)(tables, high, p, NQ_I_HIGH);
		const bv c = BLOCK_CAT(BLOCK_NAME, _field)(tables, far, p, NQ_I_FAR);

		bv_store(out + i, bv_or(bv_or3(a, b, c), bv_load(main_row + (p >> NQ_I_ON_MAIN))));
	}
}

BLOCK_FN uint64_t BLOCK_CAT(BLOCK_NAME, _sum)(bv v)
{
	uint64_t lanes[BLOCK_WORDS], sum = 0;

	memcpy(lanes, &v, sizeof(lanes));
	for (uint32_t i = 0; i < BLOCK_WORDS; i++)
		sum += lanes[i];
	return sum;
}

/* Counts the patterns that have a common diagonal with a pair. */
BLOCK_FN bv BLOCK_CAT(BLOCK_NAME, _ones)(const bv *nw, const bv *sw, const nq_i_pair *p)
{
	const size_t step = sizeof(bv) / NQ_I_PAIR_STEP;
	const bv *a = (const bv *)(const void *)((const char *)nw + p->nw * step);
	const bv *b = (const bv *)(const void *)((const char *)sw + p->sw * step);

	return bv_ones_of(bv_or(bv_load(a), bv_load(b)));
}

BLOCK_FN void BLOCK_CAT(BLOCK_NAME, _count)(nq_i_joiner *j, const bv *mains, uint64_t *hits)
{
	const bv *tables = (const bv *)j->tables;
	bv *nw = (bv *)j->nw_rows, *sw = (bv *)j->sw_rows;
	nq_i_batch begin = { 0, 0, { 0, 0, 0 } };
	bv ones[NQ_I_CLASSES] = { bv_zero(), bv_zero(), bv_zero() };

	for (uint32_t b = 0; b < j->batch_count; b++) {
		const nq_i_batch end = j->batches[b];

		/* the western half is rotated: its LOW fields correspond to HIGH ones */
		BLOCK_CAT(BLOCK_NAME, _look_up)
		(nw, j->nw + begin.nw_end, end.nw_end - begin.nw_end, tables, 3, 2, 0, mains + 2);
		BLOCK_CAT(BLOCK_NAME, _look_up)
		(sw, j->sw + begin.sw_end, end.sw_end - begin.sw_end, tables, 1, 0, 2, mains);
		for (uint32_t k = 0; k < NQ_I_CLASSES; k++) {
			const nq_i_pair *p = j->pairs[k] + begin.pairs_end[k];
			const nq_i_pair *last = j->pairs[k] + end.pairs_end[k];
			bv sum = ones[k], other = bv_zero();

			for (; p + 1 < last; p += 2) {
				sum = bv_add(sum, BLOCK_CAT(BLOCK_NAME, _ones)(nw, sw, p));
				other = bv_add(other, BLOCK_CAT(BLOCK_NAME, _ones)(nw, sw, p + 1));
			}
			if (p < last)
				sum = bv_add(sum, BLOCK_CAT(BLOCK_NAME, _ones)(nw, sw, p));
			sum = bv_add(sum, other);
			ones[k] = sum;
		}
		begin = end;
	}
	for (uint32_t k = 0; k < NQ_I_CLASSES; k++)
		hits[k] += (uint64_t)begin.pairs_end[k] * (64 * BLOCK_WORDS) -
			   BLOCK_CAT(BLOCK_NAME, _sum)(ones[k]);
}

BLOCK_TARGET void BLOCK_NAME(
	nq_i_joiner *j, const uint64_t *patterns, uint32_t count, uint64_t *hits)
{
	static const uint32_t place[4] = { NQ_I_D1_LOW, NQ_I_D1_HIGH, NQ_I_D2_LOW, NQ_I_D2_HIGH };
	const uint32_t field = j->t->field;
	bv *tables = (bv *)j->tables;
	bv rows[64], mains[4];
	uint64_t words[64 * BLOCK_WORDS] __attribute__((aligned(64)));

	/* unused entries of the block are patterns of ones: every queen has a q, so every pair has
	 * a common diagonal with them */
	memcpy(words, patterns, count * sizeof(*words));
	memset(words + count, 0xff, sizeof(words) - count * sizeof(*words));
	for (uint32_t r = 0; r < 64; r++)
		rows[r] = bv_load((const bv *)words + r);
	BLOCK_CAT(BLOCK_NAME, _transpose)(rows);
	mains[0] = mains[2] = bv_zero();
	mains[1] = rows[NQ_I_D1_MAIN];
	mains[3] = rows[NQ_I_D2_MAIN];
	for (uint32_t k = 0; k < 4; k++)
		BLOCK_CAT(BLOCK_NAME, _table)
	(tables + (k << NQ_I_FIELD_BITS), rows + place[k], field);
	BLOCK_CAT(BLOCK_NAME, _count)(j, mains, hits);
}

#undef BLOCK_FN
#undef BLOCK_CAT
#undef BLOCK_CAT_
