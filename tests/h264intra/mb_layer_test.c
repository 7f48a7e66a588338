/* The macroblock layer against the decoder of cavlc_reference.c. */
#include <string.h>
#include "h264intra/bitstream/bits.h"
#include "h264intra/entropy/mb_layer.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/cavlc_reference.h"
#include "tests/h264intra/random_levels.h"

/* A small picture of random macroblocks, one slice or a slice a row. */
enum { MB_W = 4, MB_H = 3, PICTURE_WORDS = 12 * 800, ITEM_WORDS = 160 };

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

static void random_mb(h264i_mb *mb, h264i_levels *l, uint8_t *pcm, int t8x8)
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
		mb->flags = t8x8 && rng() % 2 ? H264I_MB_T8X8 : 0;
		for (b = 0; b < 16 && mb->flags; b++)
			mb->i4_mode[b] = mb->i4_mode[b & 12];
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

/* The state that a decoder stores for each 4x4 block of a picture, in raster order; -1: not in this
 * slice. */
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

/* Reads the samples of an I_PCM macroblock; returns the number of wrong values. */
static int check_pcm(ref_reader *r, decoded *d, int mx, int my, const uint8_t *pcm)
{
	int b, wrong = 0;

	while (r->at % 8)
		wrong += ref_u(r, 1) != 0;
	for (b = 0; b < 384; b++)
		wrong += ref_u(r, 8) != pcm[b];
	for (b = 0; b < 16; b++)
		d->luma[4 * my + b / 4][4 * mx + b % 4] = 16;
	for (b = 0; b < 8; b++)
		d->chroma[b / 4][2 * my + b / 2 % 2][2 * mx + b % 2] = 16;
	return wrong;
}

/* Reads the 16 modes of Intra4x4 by clause 8.3.1.1, or the 4 of Intra8x8 by 8.3.2.1, which reads
 * the blocks to the left of and above the upper left sample as well; returns the number of wrong
 * ones. */
static int check_modes(ref_reader *r, decoded *d, int mx, int my, const h264i_mb *mb, int i8x8)
{
	int b, wrong = 0;

	for (b = 0; b < 16; b += i8x8 ? 4 : 1) {
		int x = 4 * mx + b % 2 + 2 * (b / 4 % 2), y = 4 * my + b / 2 % 2 + 2 * (b / 8);
		int left = x ? d->mode[y][x - 1] : -1, above = y ? d->mode[y - 1][x] : -1;
		int mode = left < 0 || above < 0 ? 2 : left < above ? left : above;

		if (!ref_u(r, 1)) {
			int rem = (int)ref_u(r, 3);

			mode = rem < mode ? rem : rem + 1;
		}
		d->mode[y][x] = mode;
		if (i8x8)
			d->mode[y][x + 1] = d->mode[y + 1][x] = d->mode[y + 1][x + 1] = mode;
		wrong += mode != mb->i4_mode[b];
	}
	return wrong;
}

/* Reads the levels of a macroblock; returns the number of blocks that differ from `want`. */
static int check_levels(
	ref_reader *r, decoded *d, int mx, int my, int is_i16, int cbp, const h264i_levels *want)
{
	int16_t level[16];
	int b, c, wrong = 0;

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
	return wrong;
}

/* Reads a macroblock by clause 7.3.5; returns the number of wrong values. */
static int check_mb(ref_reader *r, decoded *d, int mx, int my, const h264i_mb *mb,
	const h264i_levels *want, const uint8_t *pcm, int t8x8)
{
	int type = (int)ref_ue(r), b, cbp, wrong = 0;
	int is_i8 = type == 0 && t8x8 && ref_u(r, 1);
	int is_i16 = type >= 1 && type <= 24;

	for (b = 0; b < 16; b++)
		d->mode[4 * my + b / 4][4 * mx + b % 4] = 2;
	if (type == 25)
		return check_pcm(r, d, mx, my, pcm) + (mb->type != H264I_MB_PCM);
	wrong += mb->type != (is_i16 ? H264I_MB_I16X16 : H264I_MB_I4X4);
	if (!is_i16)
		wrong += check_modes(r, d, mx, my, mb, is_i8);
	wrong += is_i8 != (mb->flags & H264I_MB_T8X8);
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
	wrong += check_levels(r, d, mx, my, is_i16, cbp, want);
	return wrong + r->bad;
}

/* Writes one macroblock by items, each into its own buffer. Returns 1 if the joined bits equal
 * those of `whole` from `start` on. */
static int items_make_the_macroblock(const h264i_mb *mb, const h264i_levels *l,
	const h264i_mb *left, const h264i_mb *up, int t8x8, const h264i_bits *whole, uint64_t start)
{
	static uint32_t item_word[ITEM_WORDS], word[PICTURE_WORDS];
	h264i_bits bits, joined;
	uint64_t i, sum = 0;
	int item;

	h264i_bits_init(&joined, word, 1, PICTURE_WORDS);
	for (item = 0; item < H264I_MB_ITEMS; item++) {
		int put, writes = h264i_mb_items(mb) >> item & 1;

		h264i_bits_init(&bits, item_word, 1, ITEM_WORDS);
		put = h264i_mb_item_put(&bits, &h264i_i_cavlc, mb, l, left, up, t8x8, item);
		if (put != h264i_mb_item_bits(&h264i_i_cavlc, mb, l, left, up, t8x8, item) ||
			put != (int)h264i_bits_position(&bits) || writes != (put > 0))
			return 0;
		h264i_bits_flush(&bits);
		for (i = 0; i < (uint64_t)put; i++)
			h264i_bits_put(&joined, item_word[i / 32] >> (31 - i % 32) & 1, 1);
		sum += (uint64_t)put;
	}
	if (mb->type == H264I_MB_PCM)
		return sum == 9 &&
		       h264i_mb_bits(&h264i_i_cavlc, mb, l, left, up, t8x8) == 9 + 7 + 3072;
	if (h264i_bits_position(whole) - start != sum ||
		h264i_mb_bits(&h264i_i_cavlc, mb, l, left, up, t8x8) != (int)sum)
		return 0;
	h264i_bits_flush(&joined);
	for (i = 0; i < sum; i++)
		if ((word[i / 32] >> (31 - i % 32) & 1) !=
			(whole->word[(start + i) / 32] >> (31 - (start + i) % 32) & 1))
			return 0;
	return 1;
}

static void macroblocks_are_read_back_written_whole_and_by_items(void)
{
	static picture p;
	static decoded d;
	static uint32_t word[PICTURE_WORDS];
	static uint8_t bytes[4 * PICTURE_WORDS];
	int round, i, wrong = 0;

	for (round = 0; round < 300; round++) {
		int row_slices = round & 1, t8x8 = round >> 1 & 1;
		ref_reader r = { bytes, 0, 0, 0 };
		h264i_bits bits;

		h264i_bits_init(&bits, word, 1, PICTURE_WORDS);
		for (i = 0; i < MB_W * MB_H; i++) {
			const h264i_mb *left = i % MB_W ? &p.mb[i - 1] : NULL;
			const h264i_mb *up = i >= MB_W && !row_slices ? &p.mb[i - MB_W] : NULL;
			uint64_t start = h264i_bits_position(&bits);

			random_mb(&p.mb[i], &p.levels[i], p.pcm[i], t8x8);
			wrong += h264i_mb_put(&bits, &h264i_i_cavlc, &p.mb[i], &p.levels[i], left,
					 up, t8x8, p.pcm[i]) != 0;
			h264i_bits_flush(&bits);
			wrong += !items_make_the_macroblock(
				&p.mb[i], &p.levels[i], left, up, t8x8, &bits, start);
		}
		CU_ASSERT_FALSE_FATAL(h264i_bits_overflow(&bits));
		r.end = (size_t)h264i_bits_position(&bits);
		h264i_i_bits_to_bytes(bytes, word, (r.end + 7) / 8);
		for (i = 0; i < MB_W * MB_H; i++) {
			if (i == 0 || (row_slices && i % MB_W == 0))
				memset(&d, 0xff, sizeof(d));
			wrong += check_mb(
				&r, &d, i % MB_W, i / MB_W, &p.mb[i], &p.levels[i], p.pcm[i], t8x8);
		}
		wrong += r.at != r.end;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void a_macroblock_with_a_level_too_large_is_refused(void)
{
	static h264i_mb mb;
	static h264i_levels l;
	static uint32_t word[ITEM_WORDS];
	h264i_bits bits;

	mb.type = H264I_MB_I16X16;
	memset(mb.i4_mode, I4_DC, 16);
	l.luma_dc[0] = 2065;
	h264i_bits_init(&bits, word, 1, ITEM_WORDS);
	CU_ASSERT_EQUAL(h264i_mb_bits(&h264i_i_cavlc, &mb, &l, NULL, NULL, 0), -1);
	CU_ASSERT_EQUAL(h264i_mb_put(&bits, &h264i_i_cavlc, &mb, &l, NULL, NULL, 0, NULL), -1);
	l.luma_dc[0] = 2064;
	CU_ASSERT_EQUAL(h264i_mb_put(&bits, &h264i_i_cavlc, &mb, &l, NULL, NULL, 0, NULL), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "macroblocks are read back, written whole and by items",
			macroblocks_are_read_back_written_whole_and_by_items },
		{ "a macroblock with a level too large is refused",
			a_macroblock_with_a_level_too_large_is_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("macroblock layer", tests);
}
