/* CAVLC blocks and the macroblock layer against the decoder of cavlc_reference.c. */
#include "h264intra/bitstream/bits.h"
#include "h264intra/entropy/cavlc.h"
#include "h264intra/entropy/mb_layer.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/common/testmain.h"

#include <stdlib.h>
#include <string.h>

static uint64_t rng_state = 0x2545f4914f6cdd1du;

static uint32_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (uint32_t)(rng_state >> 16);
}

/* An entry of the encoder's tables says the same as a printed code word. */
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

/* Starts with up to 40 bits of something else. */
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

/* Writes a block and reads it back: 1 if it and all counts are the same, -1 if it was refused. */
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

static void random_levels(int16_t *level, int n)
{
	uint32_t density = 1 + rng() % 16, size = rng() % 11, i;

	for (i = 0; i < (uint32_t)n; i++) {
		int v = (int)(rng() % (2u << (rng() % (size + 1))));

		if (rng() % 3 == 0)
			v = 1;
		level[i] = (int16_t)(rng() % 16 >= density ? 0 : rng() & 1 ? v : -v);
	}
}

static void random_blocks_of_every_class_come_back(void)
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

static void every_pattern_of_places_comes_back(void)
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

/* A level written after levels that just make `suffix_length` grow. */
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

static void escapes_end_where_twelve_bits_end(void)
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

static void more_than_ten_levels_start_with_a_suffix(void)
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

static void nc_is_the_rounded_mean_of_what_there_is(void)
{
	CU_ASSERT_EQUAL(h264i_cavlc_nc(0, 9, 0, 9), 0);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(1, 9, 0, 3), 9);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(0, 9, 1, 3), 3);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(1, 2, 1, 3), 3);
	CU_ASSERT_EQUAL(h264i_cavlc_nc(1, 16, 1, 16), 16);
}

/* A small picture of random macroblocks, one slice or a slice a row. */
enum { MB_W = 4, MB_H = 3, PICTURE_WORDS = 12 * 800 };

typedef struct {
	h264i_mb mb[MB_W * MB_H];
	h264i_levels levels[MB_W * MB_H];
	uint8_t pcm[MB_W * MB_H][H264I_PCM_BYTES];
} picture;

static int count_levels(const int16_t *level, int first, int last)
{
	int n = 0;

	for (; first < last; first++)
		n += level[first] != 0;
	return n;
}

static void random_mb(h264i_mb *mb, h264i_levels *l, uint8_t *pcm)
{
	int b, c, luma, chroma;

	memset(mb, 0, sizeof(*mb));
	memset(l, 0, sizeof(*l));
	mb->type = (uint8_t)(rng() % 8 == 0 ? H264I_MB_PCM : rng() % 2);
	memset(mb->i4_mode, I4_DC, 16);
	if (mb->type == H264I_MB_PCM) {
		mb->cbp = 0x2f;
		memset(mb->total, 16, 24);
		for (b = 0; b < H264I_PCM_BYTES; b++)
			pcm[b] = (uint8_t)rng();
		return;
	}
	mb->chroma_mode = (uint8_t)(rng() % IC_MODES);
	chroma = (int)(rng() % 3);
	luma = (int)(rng() % 16);
	if (mb->type == H264I_MB_I16X16) {
		luma = luma & 1 ? 15 : 0;
		mb->i16_mode = (uint8_t)(rng() % I16_MODES);
		random_levels(l->luma_dc, 16);
	} else {
		for (b = 0; b < 16; b++)
			mb->i4_mode[b] = (uint8_t)(rng() % 2 ? rng() % I4_MODES : I4_DC);
	}
	mb->cbp = (uint8_t)(luma | chroma << 4);
	for (b = 0; b < 16; b++) {
		if (!(luma >> (b / 4) & 1))
			continue;
		random_levels(l->luma[b], 16);
		if (mb->type == H264I_MB_I16X16)
			l->luma[b][0] = 0;
		mb->total[b] = (uint8_t)count_levels(l->luma[b], 0, 16);
	}
	for (c = 0; c < 2 && chroma; c++) {
		random_levels(l->chroma_dc[c], 4);
		for (b = 0; b < 4 && chroma == 2; b++) {
			random_levels(l->chroma_ac[c][b], 16);
			l->chroma_ac[c][b][0] = 0;
			mb->total[16 + 4 * c + b] =
				(uint8_t)count_levels(l->chroma_ac[c][b], 1, 16);
		}
	}
}

/* What a decoder keeps of each 4x4 block of a picture, in raster order; -1: not in this slice. */
typedef struct {
	int luma[4 * MB_H][4 * MB_W], chroma[2][2 * MB_H][2 * MB_W];
	int mode[4 * MB_H][4 * MB_W]; /* 2 for other types */
} decoded;

static int nc_at(const int *row, const int *row_above, int x)
{
	int a = x ? row[x - 1] : -1, b = row_above ? row_above[x] : -1;

	if (a < 0)
		return b < 0 ? 0 : b;
	return b < 0 ? a : (a + b + 1) / 2;
}

static int luma_block(ref_reader *r, decoded *d, int x, int y, int16_t *level, int max)
{
	return ref_block(r, level, max, nc_at(d->luma[y], y ? d->luma[y - 1] : NULL, x));
}

/* Reads a macroblock by clauses 7.3.5 and 8.3.1.1; returns the number of wrong values. */
static int check_mb(ref_reader *r, decoded *d, int mx, int my, const h264i_mb *mb,
	const h264i_levels *want, const uint8_t *pcm)
{
	int type = (int)ref_ue(r), b, c, cbp, wrong = 0;
	int is_i16 = type >= 1 && type <= 24;
	int16_t level[16];

	for (b = 0; b < 16; b++)
		d->mode[4 * my + b / 4][4 * mx + b % 4] = 2;
	if (type == 25) {
		while (r->at % 8)
			wrong += ref_u(r, 1) != 0;
		for (b = 0; b < 384; b++)
			wrong += ref_u(r, 8) != pcm[b];
		for (b = 0; b < 16; b++)
			d->luma[4 * my + b / 4][4 * mx + b % 4] = 16;
		for (b = 0; b < 8; b++)
			d->chroma[b / 4][2 * my + b / 2 % 2][2 * mx + b % 2] = 16;
		return wrong + (mb->type != H264I_MB_PCM);
	}
	wrong += mb->type != (is_i16 ? H264I_MB_I16X16 : H264I_MB_I4X4);
	for (b = 0; b < 16 && !is_i16; b++) {
		int x = 4 * mx + b % 2 + 2 * (b / 4 % 2), y = 4 * my + b / 2 % 2 + 2 * (b / 8);
		int left = x ? d->mode[y][x - 1] : -1, above = y ? d->mode[y - 1][x] : -1;
		int mode = left < 0 || above < 0 ? 2 : left < above ? left : above;

		if (!ref_u(r, 1)) {
			int rem = (int)ref_u(r, 3);

			mode = rem < mode ? rem : rem + 1;
		}
		d->mode[y][x] = mode;
		wrong += mode != mb->i4_mode[b];
	}
	wrong += ref_ue(r) != mb->chroma_mode;
	if (is_i16) {
		wrong += (type - 1) % 4 != mb->i16_mode;
		cbp = (type - 1) / 4 % 3 * 16 + (type >= 13 ? 15 : 0);
	} else {
		cbp = ref_intra_cbp((int)ref_ue(r) % 48);
	}
	wrong += cbp != mb->cbp;
	if (cbp || is_i16)
		wrong += ref_se(r) != 0;
	if (is_i16) {
		luma_block(r, d, 4 * mx, 4 * my, level, 16);
		wrong += memcmp(level, want->luma_dc, 32) != 0;
	}
	for (b = 0; b < 16; b++) {
		int x = 4 * mx + b % 2 + 2 * (b / 4 % 2), y = 4 * my + b / 2 % 2 + 2 * (b / 8);

		memset(level, 0, sizeof(level));
		d->luma[y][x] = 0;
		if (cbp >> (b / 4) & 1)
			d->luma[y][x] = luma_block(r, d, x, y, level + is_i16, 16 - is_i16);
		wrong += memcmp(level, want->luma[b], 32) != 0;
	}
	for (c = 0; c < 2; c++) {
		memset(level, 0, sizeof(level));
		if (cbp & 0x30)
			ref_block(r, level, 4, -1);
		wrong += memcmp(level, want->chroma_dc[c], 8) != 0;
	}
	for (b = 0; b < 8; b++) {
		int x = 2 * mx + b % 2, y = 2 * my + b / 2 % 2, *at;

		c = b / 4;
		at = &d->chroma[c][y][x];
		memset(level, 0, sizeof(level));
		*at = 0;
		if (cbp & 0x20)
			*at = ref_block(r, level + 1, 15,
				nc_at(d->chroma[c][y], y ? d->chroma[c][y - 1] : NULL, x));
		wrong += memcmp(level, want->chroma_ac[c][b % 4], 32) != 0;
	}
	return wrong + r->bad;
}

/* One macroblock by items, each into a buffer of its own: 1 when the joined bits are those from
 * `start` on in `whole`. */
static int items_make_the_macroblock(const h264i_mb *mb, const h264i_levels *l,
	const h264i_mb *left, const h264i_mb *up, const h264i_bits *whole, uint64_t start)
{
	static uint32_t item_word[WORDS], word[PICTURE_WORDS];
	h264i_bits bits, joined;
	uint64_t i, sum = 0;
	int item;

	h264i_bits_init(&joined, word, 1, PICTURE_WORDS);
	for (item = 0; item < H264I_MB_ITEMS; item++) {
		int put, writes = h264i_mb_items(mb) >> item & 1;

		h264i_bits_init(&bits, item_word, 1, WORDS);
		put = h264i_mb_item_put(&bits, &h264i_i_cavlc, mb, l, left, up, item);
		if (put != h264i_mb_item_bits(&h264i_i_cavlc, mb, l, left, up, item) ||
			put != (int)h264i_bits_position(&bits) || writes != (put > 0))
			return 0;
		h264i_bits_flush(&bits);
		for (i = 0; i < (uint64_t)put; i++)
			h264i_bits_put(&joined, item_word[i / 32] >> (31 - i % 32) & 1, 1);
		sum += (uint64_t)put;
	}
	if (mb->type == H264I_MB_PCM)
		return sum == 9 && h264i_mb_bits(&h264i_i_cavlc, mb, l, left, up) == 9 + 7 + 3072;
	if (h264i_bits_position(whole) - start != sum ||
		h264i_mb_bits(&h264i_i_cavlc, mb, l, left, up) != (int)sum)
		return 0;
	h264i_bits_flush(&joined);
	for (i = 0; i < sum; i++)
		if ((word[i / 32] >> (31 - i % 32) & 1) !=
			(whole->word[(start + i) / 32] >> (31 - (start + i) % 32) & 1))
			return 0;
	return 1;
}

static void macroblocks_come_back_whole_and_by_items(void)
{
	static picture p;
	static decoded d;
	static uint32_t word[PICTURE_WORDS];
	static uint8_t bytes[4 * PICTURE_WORDS];
	int round, i, wrong = 0;

	for (round = 0; round < 300; round++) {
		int row_slices = round & 1;
		ref_reader r = { bytes, 0, 0, 0 };
		h264i_bits bits;

		h264i_bits_init(&bits, word, 1, PICTURE_WORDS);
		for (i = 0; i < MB_W * MB_H; i++) {
			const h264i_mb *left = i % MB_W ? &p.mb[i - 1] : NULL;
			const h264i_mb *up = i >= MB_W && !row_slices ? &p.mb[i - MB_W] : NULL;
			uint64_t start = h264i_bits_position(&bits);

			random_mb(&p.mb[i], &p.levels[i], p.pcm[i]);
			wrong += h264i_mb_put(&bits, &h264i_i_cavlc, &p.mb[i], &p.levels[i], left,
					 up, p.pcm[i]) != 0;
			h264i_bits_flush(&bits);
			wrong += !items_make_the_macroblock(
				&p.mb[i], &p.levels[i], left, up, &bits, start);
		}
		CU_ASSERT_FALSE_FATAL(h264i_bits_overflow(&bits));
		r.end = (size_t)h264i_bits_position(&bits);
		h264i_i_bits_to_bytes(bytes, word, (r.end + 7) / 8);
		for (i = 0; i < MB_W * MB_H; i++) {
			if (i == 0 || (row_slices && i % MB_W == 0))
				memset(&d, 0xff, sizeof(d));
			wrong += check_mb(
				&r, &d, i % MB_W, i / MB_W, &p.mb[i], &p.levels[i], p.pcm[i]);
		}
		wrong += r.at != r.end;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void a_macroblock_with_a_level_too_large_is_refused(void)
{
	static h264i_mb mb;
	static h264i_levels l;
	static uint32_t word[WORDS];
	h264i_bits bits;

	mb.type = H264I_MB_I16X16;
	memset(mb.i4_mode, I4_DC, 16);
	l.luma_dc[0] = 2065;
	h264i_bits_init(&bits, word, 1, WORDS);
	CU_ASSERT_EQUAL(h264i_mb_bits(&h264i_i_cavlc, &mb, &l, NULL, NULL), -1);
	CU_ASSERT_EQUAL(h264i_mb_put(&bits, &h264i_i_cavlc, &mb, &l, NULL, NULL, NULL), -1);
	l.luma_dc[0] = 2064;
	CU_ASSERT_EQUAL(h264i_mb_put(&bits, &h264i_i_cavlc, &mb, &l, NULL, NULL, NULL), 0);
}

int main(void)
{
	CU_TestInfo block[] = { { "tables are those of the standard",
					tables_are_those_of_the_standard },
		{ "random blocks of every class come back",
			random_blocks_of_every_class_come_back },
		{ "every pattern of places comes back", every_pattern_of_places_comes_back },
		{ "escapes end where twelve bits end", escapes_end_where_twelve_bits_end },
		{ "more than ten levels start with a suffix",
			more_than_ten_levels_start_with_a_suffix },
		{ "nC is the rounded mean of what there is",
			nc_is_the_rounded_mean_of_what_there_is },
		CU_TEST_INFO_NULL };
	CU_TestInfo layer[] = { { "macroblocks come back, whole and by items",
					macroblocks_come_back_whole_and_by_items },
		{ "a macroblock with a level too large is refused",
			a_macroblock_with_a_level_too_large_is_refused },
		CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { { "cavlc block", NULL, NULL, NULL, NULL, block },
		{ "macroblock layer", NULL, NULL, NULL, NULL, layer }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
