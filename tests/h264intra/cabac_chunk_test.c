/* The arithmetic coder in parts (entropy/cabac_chunk.h, cabac_adder.h) against the encoder of
 * clause 9.3.4.2, written here from its flow charts. */
#include "h264intra/entropy/cabac_adder.h"
#include "h264intra/entropy/cabac_tables.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdlib.h>
#include <string.h>

enum { OPS = 6000, MBS = 40, WORDS = 8192 };

static const uint32_t range_lps[64] = H264I_RANGE_LPS_INIT;
static uint32_t lps[H264I_OP_WORDS];

/* The encoder of figures 9-7 to 9-12. */
typedef struct coder {
	uint32_t low, range, outstanding, bits;
	int first;
	uint8_t out[WORDS * 4];
} coder;

static void write_bit(coder *c, uint32_t bit)
{
	if (bit)
		c->out[c->bits / 8] |= (uint8_t)(0x80 >> c->bits % 8);
	c->bits++;
}

static void put_bit(coder *c, uint32_t bit)
{
	if (c->first)
		c->first = 0;
	else
		write_bit(c, bit);
	for (; c->outstanding; c->outstanding--)
		write_bit(c, 1 - bit);
}

static void put_carry_or_wait(coder *c)
{
	if (c->low >= 1024) {
		c->low -= 1024;
		put_bit(c, 1);
	} else if (c->low < 512) {
		put_bit(c, 0);
	} else {
		c->low -= 512;
		c->outstanding++;
	}
}

static void renormalise(coder *c)
{
	while (c->range < 256) {
		if (c->low < 256) {
			put_bit(c, 0);
		} else if (c->low >= 512) {
			c->low -= 512;
			put_bit(c, 1);
		} else {
			c->low -= 256;
			c->outstanding++;
		}
		c->range *= 2;
		c->low *= 2;
	}
}

static void restart(coder *c)
{
	c->low = 0;
	c->range = 510;
	c->outstanding = 0;
	c->first = 1;
}

static void code_reference(coder *c, uint32_t op)
{
	uint32_t part;

	if (op == H264I_OP_BYPASS || op == H264I_OP_BYPASS + 1) {
		c->low = 2 * c->low + (op & 1 ? c->range : 0);
		put_carry_or_wait(c);
		return;
	}
	part = op < H264I_OP_BYPASS ? range_lps[op >> 1] >> 8 * (c->range >> 6 & 3) & 255 : 2;
	c->range -= part;
	if (op & 1) {
		c->low += c->range;
		c->range = part;
	}
	renormalise(c);
	if (op == H264I_OP_TERMINATE + 1) {
		put_bit(c, c->low >> 9 & 1);
		write_bit(c, c->low >> 8 & 1);
		write_bit(c, 1);
	}
}

/* A slice: its operations, and where macroblocks begin. */
typedef struct slice {
	uint8_t ops[OPS + H264I_OPS_AHEAD];
	uint32_t count, first_op[MBS], pcm_at[MBS];
} slice;

/* style 0: as in pictures; 1: only likely symbols between rare ends; 2: bypass; 3: a stair of
 * carries: the least probable symbols of the highest states. */
static uint32_t random_op(int style)
{
	uint32_t state = rng_below(63), v = rng_below(100);

	if (style == 1)
		return state << 1;
	if (style == 2 || (style == 0 && v < 20))
		return H264I_OP_BYPASS + rng_below(2);
	if (style == 3)
		return v < 50 ? 0 : 62u << 1 | (v < 60);
	return v < 21 ? (uint32_t)H264I_OP_TERMINATE : state << 1 | (v < 40);
}

static void make_slice(slice *s, uint32_t count, int style, uint32_t pcm_percent)
{
	memset(s, 0, sizeof(*s));
	s->count = count;
	for (uint32_t m = 0; m < MBS; m++) {
		uint32_t end = (uint32_t)((uint64_t)count * (m + 1) / MBS);

		s->first_op[m] = m ? (uint32_t)((uint64_t)count * m / MBS) : 0;
		for (uint32_t i = s->first_op[m]; i < end; i++)
			s->ops[i] = (uint8_t)random_op(style);
		if (end > s->first_op[m] + 1 && end < count && rng_below(100) < pcm_percent)
			s->ops[end - 1] = H264I_OP_TERMINATE + 1;
	}
	s->ops[count - 1] = H264I_OP_TERMINATE + 1;
	/* no bit depends on what is read ahead */
	for (uint32_t i = 0; i < H264I_OPS_AHEAD; i++)
		s->ops[count + i] = (uint8_t)rng_below(256);
}

/* Walks a chunk for each quarter alone. */
static void walk_alone(h264i_chunk *c, const slice *s, uint32_t from, uint32_t end)
{
	h264i_chunk one;

	*c = h264i_chunk_identity();
	c->map = 0;
	for (uint32_t q = 0; q < 4; q++) {
		one = h264i_chunk_identity();
		c->map |= h264i_chunk_walk_one(&one, s->ops, from, end, s->count, lps, 8 * 384, q)
			  << 2 * q;
		c->pre[q] = one.pre[0];
	}
	c->start = one.start;
	c->align = one.align;
	c->post = one.post;
}

/* Codes s in chunks of `size`, the last chunk first. Returns the bits. alone: the quarters of a
 * chunk are walked one by one, and the chunks joined. */
static uint32_t code_chunks(slice *s, uint32_t start, uint32_t size, uint32_t *word, int alone)
{
	uint32_t chunks = (s->count + size - 1) / size, pos = start, q = 0;
	uint32_t *at = malloc(chunks * sizeof(*at)), *quarter = malloc(chunks * sizeof(*quarter));
	h264i_chunk *c = malloc(chunks * sizeof(*c)), joined = h264i_chunk_identity();
	h264i_pcm_places pcm = { s->first_op, s->pcm_at, MBS, 8 * 384 };

	for (uint32_t i = 0; i < chunks; i++) {
		uint32_t end = (i + 1) * size < s->count ? (i + 1) * size : s->count;

		quarter[i] = q;
		at[i] = pos;
		if (alone) {
			h264i_advance sum;

			walk_alone(&c[i], s, i * size, end);
			joined = h264i_chunk_join(&joined, &c[i]);
			sum = (h264i_advance){ joined.align, joined.pre[0], joined.post };
			pos = h264i_advance_from(sum, start);
			q = h264i_quarter_of(joined.map, 0);
		} else {
			h264i_chunk_walk(&c[i], s->ops, i * size, end, s->count, lps, 8 * 384);
			pos = h264i_advance_from(h264i_chunk_advance(&c[i], q), pos);
			q = h264i_quarter_of(h264i_quarter_map(&c[i]), q);
		}
	}
	for (uint32_t i = chunks; i-- > 0;) {
		uint32_t end = (i + 1) * size < s->count ? (i + 1) * size : s->count;
		uint32_t line[2 * H264I_ADDER_LINE];
		h264i_adder a = { .rbsp = word, .words = WORDS, .line = line, .stride = 2 };

		h264i_chunk_code(&c[i], &a, s->ops, end, s->count, lps, quarter[i], at[i], &pcm);
	}
	free(at);
	free(quarter);
	free(c);
	return pos;
}

static void compare_walk(slice *s, uint32_t start, uint32_t size, int alone)
{
	static coder c;
	static uint32_t word[WORDS];
	uint32_t bits, m = 0, different = 0;

	memset(&c, 0, sizeof(c));
	memset(word, 0, sizeof(word));
	c.bits = start;
	restart(&c);
	bits = code_chunks(s, start, size, word, alone);
	for (uint32_t i = 0; i < s->count; i++) {
		code_reference(&c, s->ops[i]);
		while (m + 1 < MBS && s->first_op[m + 1] <= i)
			m++;
		if (s->ops[i] == H264I_OP_TERMINATE + 1 && i + 1 < s->count) {
			CU_ASSERT_EQUAL(s->pcm_at[m], c.bits);
			c.bits = ((c.bits + 7) & ~7u) + 8 * 384;
			restart(&c);
		}
	}
	CU_ASSERT_EQUAL(bits, c.bits);
	for (uint32_t i = 0; i < c.bits; i++)
		different +=
			(word[i / 32] >> (31 - i % 32) & 1) != (c.out[i / 8] >> (7 - i % 8) & 1u);
	CU_ASSERT_EQUAL(different, 0);
}

static void compare(slice *s, uint32_t start, uint32_t size)
{
	compare_walk(s, start, size, 0);
	compare_walk(s, start, size, 1);
}

static void chunks_of_all_sizes_give_the_standards_code(void)
{
	static slice s;

	for (int i = 0; i < 400; i++) {
		uint32_t count = i < 200 ? MBS + rng_below(OPS - MBS) : 1 + rng_below(300);

		make_slice(&s, count, i & 3, 0);
		compare(&s, 8 * rng_below(9), 1 + rng_below(i & 4 ? 64 : 700));
	}
}

static void pcm_ends_segments(void)
{
	static slice s;

	for (int i = 0; i < 200; i++) {
		make_slice(&s, MBS * 2 + rng_below(OPS - MBS * 2), i & 3, i & 8 ? 100 : 5);
		compare(&s, 40, 1 + rng_below(300));
	}
}

/* A chunk whose code is all ones when the next one adds a carry. */
static void carries_cross_words_and_chunks(void)
{
	static slice s;

	for (int i = 0; i < 300; i++) {
		memset(&s, 0, sizeof(s));
		s.count = 2500;
		for (uint32_t k = 0; k < s.count; k++)
			s.ops[k] = (uint8_t)(k % 400 < 380 ? H264I_OP_BYPASS + 1
							   : random_op(i & 1 ? 0 : 3));
		s.ops[s.count - 1] = H264I_OP_TERMINATE + 1;
		compare(&s, 0, 32 + rng_below(64));
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "chunks of all sizes give the standard's code",
			chunks_of_all_sizes_give_the_standards_code },
		{ "I_PCM ends segments", pcm_ends_segments },
		{ "carries cross words and chunks", carries_cross_words_and_chunks },
		CU_TEST_INFO_NULL,
	};

	for (int i = 0; i < H264I_OP_WORDS; i++)
		lps[i] = h264i_op_word(range_lps, i);
	return test_run_one("CABAC in chunks", tests);
}
