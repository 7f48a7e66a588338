/* CAVLC blocks against the decoder of cavlc_reference.c. */
#include <stdlib.h>
#include <string.h>
#include "h264intra/bitstream/bits.h"
#include "h264intra/entropy/cavlc.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/h264intra/random_levels.h"

/* Returns whether an entry of the encoder's tables equals a printed code word. */
static int same_word(uint8_t entry, const char *word)
{
	uint32_t len = (entry >> 4) + 1u, i;

	if (!word)
		return entry == 0;
	if (strlen(word) != len)
		return 0;
	for (i = 0; i < len; i++)
		if ((uint32_t)(word[i] - '0') != ((entry & 15u) >> (len - 1 - i) & 1))
			return 0;
	return 1;
}

static void tables_are_those_of_the_standard(void)
{
	const h264i_cavlc_tables *t = &h264i_i_cavlc;
	int column, total, ones, zeros, i, wrong = 0;

	for (column = 0; column < 4; column++)
		for (total = 0; total <= (column == 3 ? 4 : 16); total++)
			for (ones = 0; ones < 4; ones++)
				wrong +=
					!same_word(column == 3 ? t->token_dc[4 * total + ones]
							       : t->token[column][4 * total + ones],
						ref_token(column, total, ones));
	CU_ASSERT_EQUAL(wrong, 0);
	for (total = 1; total < 16; total++)
		for (zeros = 0; zeros < 16; zeros++)
			wrong += !same_word(t->zeros[total - 1][zeros], ref_zeros(total, zeros, 0));
	CU_ASSERT_EQUAL(wrong, 0);
	for (total = 1; total < 4; total++)
		for (zeros = 0; zeros < 4; zeros++)
			wrong += !same_word(
				t->zeros_dc[total - 1][zeros], ref_zeros(total, zeros, 1));
	CU_ASSERT_EQUAL(wrong, 0);
	for (zeros = 1; zeros < 8; zeros++)
		for (i = 0; i < 15; i++)
			wrong += !same_word(t->run[zeros - 1][i], ref_run(zeros, i));
	CU_ASSERT_EQUAL(wrong, 0);
	for (i = 0; i < 48; i++)
		wrong += t->cbp[ref_intra_cbp(i)] != i;
	CU_ASSERT_EQUAL(wrong, 0);
}

enum { WORDS = 160 };

typedef struct {
	uint32_t word[WORDS];
	uint8_t bytes[4 * WORDS];
	h264i_bits bits;
	ref_reader reader;
} stream;

/* Starts with up to 40 random bits. */
static void stream_open(stream *s)
{
	uint32_t lead = rng() % 41;

	h264i_bits_init(&s->bits, s->word, 1, WORDS);
	s->reader.at = lead;
	while (lead--)
		h264i_bits_put(&s->bits, rng() & 1, 1);
}

static void stream_read(stream *s)
{
	h264i_bits_flush(&s->bits);
	h264i_i_bits_to_bytes(s->bytes, s->word, sizeof(s->bytes));
	s->reader.data = s->bytes;
	s->reader.end = (size_t)h264i_bits_position(&s->bits);
	s->reader.bad = 0;
}

/* Writes a block and reads it back. Returns 1 if levels and counts are equal, -1 if the block was
 * refused, else 0. */
static int round_trip(const int16_t *level, int first, int last, int nC)
{
	static stream s;
	int16_t back[16];
	int put, count, total, i, nonzero = 0;
	size_t start;

	stream_open(&s);
	start = s.reader.at;
	put = h264i_cavlc_code(&s.bits, &h264i_i_cavlc, level, first, last, nC);
	count = h264i_cavlc_code(NULL, &h264i_i_cavlc, level, first, last, nC);
	if (put != count)
		return 0;
	if (put < 0)
		return -1;
	stream_read(&s);
	total = ref_block(&s.reader, back, last - first, nC);
	for (i = first; i < last; i++) {
		nonzero += level[i] != 0;
		if (level[i] != back[i - first])
			return 0;
	}
	return !s.reader.bad && total == nonzero && s.reader.at == s.reader.end &&
	       s.reader.at - start == (size_t)put;
}

static void random_blocks_of_every_class_are_read_back(void)
{
	int round, nC, wrong = 0;

	for (round = 0; round < 6000; round++) {
		int16_t level[16];

		random_levels(level, 16);
		for (nC = -1; nC <= 16; nC++) {
			if (nC < 0) {
				wrong += round_trip(level, 0, 4, nC) != 1;
			} else {
				wrong += round_trip(level, 0, 16, nC) != 1;
				wrong += round_trip(level, 1, 16, nC) != 1;
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void every_pattern_of_nonzero_positions_is_read_back(void)
{
	uint32_t mask, i;
	int wrong = 0, few;

	for (mask = 0; mask < 65536; mask++) {
		int16_t level[16];

		few = (int)(rng() % 5);
		for (i = 0; i < 16; i++)
			level[i] = (int16_t)((mask >> i & 1) * (rng() % 5 < (uint32_t)few ? 3 : 1));
		wrong += round_trip(level, 0, 16, (int)(rng() % 17)) != 1;
		level[0] = 77; /* not part of an AC block */
		wrong += round_trip(level, 1, 16, (int)(rng() % 17)) != 1;
		if (mask < 16)
			wrong += round_trip(level, 0, 4, -1) != 1;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Writes a level after levels that raise suffixLength to `suffix_length`. */
static int after_growth(int v, int suffix_length, int ones)
{
	/* In coding order; the first is over 3, thus suffixLength goes 0, 2, 3, ... */
	static const int16_t grow[6] = { 4, 7, 13, 25, 49, 0 };
	int16_t level[16] = { 0 };
	int at = 15, i;

	for (i = 0; i < ones; i++)
		level[at--] = (int16_t)(i & 1 ? -1 : 1);
	if (suffix_length == 1)
		level[at--] = 2;
	for (i = 0; i + 2 <= suffix_length; i++)
		level[at--] = grow[i];
	level[at] = (int16_t)v;
	return round_trip(level, 0, 16, 0);
}

static void levels_above_the_12_bit_escape_are_refused(void)
{
	int suffix_length, ones, v, wrong = 0;

	for (suffix_length = 0; suffix_length <= 6; suffix_length++) {
		for (ones = 0; ones <= 3; ones += 3) {
			/* The largest levelCode with level_prefix 15 (clause 9.2.2.1). */
			int most = (15 << suffix_length) + 4095 + (suffix_length ? 0 : 15) +
				   (suffix_length == 0 && ones < 3 ? 2 : 0);

			for (v = -2200; v <= 2200; v++) {
				int code = v > 0 ? 2 * v - 2 : -2 * v - 1;

				if (v == 0 || (abs(v) == 1 && ones < 3))
					continue;
				if (abs(v) > 80 && abs(v) < 1990 && v % 37)
					continue;
				wrong += after_growth(v, suffix_length, ones) !=
					 (code <= most ? 1 : -1);
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(after_growth(2064, 0, 0), 1);
	CU_ASSERT_EQUAL(after_growth(-2064, 0, 0), 1);
	CU_ASSERT_EQUAL(after_growth(2065, 0, 0), -1);
	CU_ASSERT_EQUAL(after_growth(32767, 3, 0), -1);
	CU_ASSERT_EQUAL(after_growth(-32768, 6, 3), -1);
}

static void blocks_of_more_than_ten_levels_start_with_a_suffix(void)
{
	int total, v, i, wrong = 0;

	for (total = 1; total <= 16; total++)
		for (v = 2; v < 40; v++) {
			int16_t level[16] = { 0 };

			for (i = 0; i < total; i++)
				level[i] = (int16_t)(i & 1 ? -v : v);
			wrong += round_trip(level, 0, 16, 8) != 1;
		}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void nc_is_the_rounded_mean_of_the_available_neighbours(void)
{
	CU_ASSERT_EQUAL(h264i_cavlc_nc(0, 9, 0, 9), 0);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(1, 9, 0, 3), 9);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(0, 9, 1, 3), 3);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(1, 2, 1, 3), 3);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(1, 16, 1, 16), 16);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "tables are those of the standard", tables_are_those_of_the_standard },
		{ "random blocks of every class are read back",
			random_blocks_of_every_class_are_read_back },
		{ "every pattern of nonzero positions is read back",
			every_pattern_of_nonzero_positions_is_read_back },
		{ "levels above the 12-bit escape are refused",
			levels_above_the_12_bit_escape_are_refused },
		{ "blocks of more than ten levels start with a suffix",
			blocks_of_more_than_ten_levels_start_with_a_suffix },
		{ "nC is the rounded mean of the available neighbours",
			nc_is_the_rounded_mean_of_the_available_neighbours },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("cavlc block", tests);
}
