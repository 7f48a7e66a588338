/* The macroblock layer with CABAC against the decoder of cabac_reference.c. */
#include <stdlib.h>
#include <string.h>
#include "h264intra/entropy/cabac.h"
#include "h264intra/entropy/cabac_mb.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/cabac_reference.h"
#include "tests/h264intra/random_levels.h"

/* A small picture of random macroblocks, in slices that begin anywhere. */
enum { MB_W = 4, MB_H = 3, MBS = MB_W * MB_H, BYTES = MBS * 8192, MB_BINS = 28 * 3000 };

typedef struct {
	h264i_mb mb[MBS];
	h264i_levels levels[MBS];
	uint8_t pcm[MBS][H264I_PCM_BYTES];
	int first[MBS]; /* address of the first macroblock of the slice */
} picture;

static picture p;
static uint8_t bytes[BYTES];

static void fill(int16_t *level, int first, int n, int extreme)
{
	random_levels(level, n);
	for (int i = 0; i < n && extreme; i++)
		level[i] = (int16_t)(rng() & 1 ? 32767 - (int)(rng() % 2) : -32768);
	for (int i = 0; i < first; i++)
		level[i] = 0;
}

static int any(const int16_t *level, int n)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		count += level[i] != 0;
	return count;
}

static void random_chroma(h264i_mb *mb, h264i_levels *l, int chroma, int extreme)
{
	for (int c = 0; c < 2 && chroma; c++) {
		fill(l->chroma_dc[c], 0, 4, extreme);
		if (any(l->chroma_dc[c], 4))
			mb->flags |= c ? H264I_MB_DC_CR : H264I_MB_DC_CB;
		for (int b = 0; b < 4 && chroma == 2; b++) {
			fill(l->chroma_ac[c][b], 1, 16, extreme);
			mb->total[16 + 4 * c + b] = (uint8_t)any(l->chroma_ac[c][b], 16);
		}
	}
}

static void random_modes(h264i_mb *mb)
{
	for (int b = 0; b < 16; b++)
		mb->i4_mode[b] = mb->flags & H264I_MB_T8X8 && b % 4
					 ? mb->i4_mode[b / 4 * 4]
					 : (uint8_t)(rng() % 2 ? rng() % I4_MODES : I4_DC);
}

static void random_pcm(h264i_mb *mb, uint8_t *pcm)
{
	mb->type = H264I_MB_PCM;
	mb->cbp = 0x2f;
	mb->flags = H264I_MB_DC_ALL;
	memset(mb->total, 16, 24);
	for (int b = 0; b < H264I_PCM_BYTES; b++)
		pcm[b] = (uint8_t)rng();
}

/* extreme: 1 for the largest levels, -1 for none. */
static void random_mb(h264i_mb *mb, h264i_levels *l, uint8_t *pcm, int t8x8, int extreme)
{
	int luma = extreme < 0 ? 0 : extreme > 0 ? 15 : (int)(rng() % 16);
	int chroma = extreme < 0 ? 0 : extreme > 0 ? 2 : (int)(rng() % 3);

	memset(mb, 0, sizeof(*mb));
	memset(l, 0, sizeof(*l));
	memset(mb->i4_mode, I4_DC, 16);
	if (rng() % 8 == 0) {
		random_pcm(mb, pcm);
		return;
	}
	mb->type = (uint8_t)(rng() % 2);
	mb->chroma_mode = (uint8_t)(rng() % IC_MODES);
	if (mb->type == H264I_MB_I16X16) {
		luma = luma & 1 ? 15 : 0;
		mb->i16_mode = (uint8_t)(rng() % I16_MODES);
		if (extreme >= 0)
			fill(l->luma_dc, 0, 16, extreme);
		mb->flags = any(l->luma_dc, 16) ? H264I_MB_DC_Y : 0;
	} else {
		mb->flags = t8x8 && rng() % 2 ? H264I_MB_T8X8 : 0;
		random_modes(mb);
	}
	mb->cbp = (uint8_t)(luma | chroma << 4);
	for (int b = 0; b < 16; b++) {
		if (!(luma >> (b / 4) & 1))
			continue;
		fill(l->luma[b], mb->type == H264I_MB_I16X16, 16, extreme);
		if (mb->flags & H264I_MB_T8X8 && b % 4 == 3 && !any(l->luma[b - 3], 64))
			l->luma[b][rng() % 16] = -1; /* a pattern of 1 promises a level */
	}
	for (int b = 0; b < 16; b++)
		mb->total[b] = (uint8_t)any(l->luma[b], 16);
	random_chroma(mb, l, chroma, extreme);
	if (h264i_has_qp_delta(mb))
		mb->qp_delta = (int8_t)(rng() % 3 ? 0 : (int)(rng() % 52) - 26);
}

/* Codes the slice from `first` to before `end`. Returns its bytes; 0 on overflow. */
static size_t code_slice(uint8_t *at, size_t room, int first, int end, int qp, int t8x8)
{
	static uint16_t record[MB_BINS];
	uint8_t state[H264I_CTX_STATES];
	h264i_cabac c;

	h264i_i_cabac_states(state, qp);
	h264i_i_cabac_begin(&c, at, room);
	for (int i = first; i < end; i++) {
		const h264i_mb *left = i % MB_W && i > first ? &p.mb[i - 1] : NULL;
		const h264i_mb *up = i - MB_W >= first ? &p.mb[i - MB_W] : NULL;
		h264i_bins bins = { record, 0, MB_BINS }, counted = { NULL, 0, 0 };
		uint32_t before;

		for (int item = 0; item < H264I_MB_ITEMS; item++) {
			before = bins.count;
			h264i_mb_item_bins(&bins, &p.mb[i], &p.levels[i], left, up,
				i > first ? &p.mb[i - 1] : NULL, t8x8, item);
			h264i_mb_item_bins(&counted, &p.mb[i], &p.levels[i], left, up,
				i > first ? &p.mb[i - 1] : NULL, t8x8, item);
			CU_ASSERT_FALSE_FATAL(bins.count - before > H264I_ITEM_BINS_MAX);
			CU_ASSERT_EQUAL_FATAL(
				bins.count > before, h264i_mb_bin_items(&p.mb[i]) >> item & 1);
		}
		CU_ASSERT_EQUAL_FATAL(bins.count, counted.count);
		h264i_i_cabac_code(&c, state, record, bins.count);
		if (p.mb[i].type == H264I_MB_PCM) {
			h264i_i_cabac_end(&c);
			h264i_i_cabac_pcm(&c, p.pcm[i], H264I_PCM_BYTES);
		}
		record[0] = (uint16_t)(H264I_CTX_TERMINATE << 1 | (i + 1 == end));
		h264i_i_cabac_code(&c, state, record, 1);
	}
	h264i_i_cabac_end(&c);
	return c.overflow ? 0 : (size_t)(c.at - at);
}

/* Returns how many of the luma levels of a decoded macroblock are wrong. */
static int wrong_luma(const ref_cabac_mb *d, const h264i_levels *l)
{
	int wrong = 0;

	for (int i = 0; i < 16; i++)
		wrong += d->luma_dc[i] != l->luma_dc[i];
	for (int b = 0; b < 16; b++) {
		const int *level = d->luma[b / 2 % 2 + 2 * (b / 8)][b % 2 + 2 * (b / 4 % 2)];

		/* 8x8: coefficient 4 * i + b % 4 is level i of part b % 4 (clause 7.3.5.3.2) */
		for (int i = 0; i < 16; i++)
			wrong += (d->t8x8 ? d->luma_8x8[b / 4][4 * i + b % 4] : level[i]) !=
				 l->luma[b][i];
	}
	return wrong;
}

static int wrong_chroma(const ref_cabac_mb *d, const h264i_levels *l)
{
	int wrong = 0;

	for (int c = 0; c < 2; c++)
		for (int b = 0; b < 4; b++) {
			wrong += d->chroma_dc[c][b] != l->chroma_dc[c][b];
			for (int i = 0; i < 16; i++)
				wrong += d->chroma_ac[c][b / 2][b % 2][i] != l->chroma_ac[c][b][i];
		}
	return wrong;
}

static int wrong_mb(const ref_cabac_mb *d, const h264i_mb *mb, const h264i_levels *l)
{
	int type = mb->type == H264I_MB_PCM ? 25 : 0, wrong;

	if (mb->type == H264I_MB_I16X16)
		type = 1 + mb->i16_mode + 4 * (mb->cbp >> 4) + (mb->cbp & 15 ? 12 : 0);
	wrong = d->type != type;
	if (type == 25)
		return wrong;
	wrong += d->cbp != mb->cbp;
	wrong += d->chroma_mode != mb->chroma_mode;
	wrong += d->qp_delta != mb->qp_delta;
	wrong += d->t8x8 != (mb->flags & H264I_MB_T8X8);
	for (int b = 0; b < 16; b++)
		wrong +=
			d->mode[b / 2 % 2 + 2 * (b / 8)][b % 2 + 2 * (b / 4 % 2)] != mb->i4_mode[b];
	return wrong + wrong_luma(d, l) + wrong_chroma(d, l);
}

/* Codes a slice of p and decodes it. Returns the number of wrong values. */
static int slice_is_wrong(int first, int end, int qp, int t8x8)
{
	static ref_cabac_mb decoded[MBS];
	static ref_cabac r;
	size_t n = code_slice(bytes, sizeof(bytes), first, end, qp, t8x8);
	int wrong = n == 0;

	memset(&r, 0, sizeof(r));
	r.data = bytes;
	r.end = 8 * n;
	ref_cabac_contexts(&r, qp);
	ref_cabac_start(&r);
	for (int i = first; i < end; i++) {
		ref_cabac_macroblock(&r, decoded, MB_W, first, i, t8x8);
		wrong += wrong_mb(&decoded[i], &p.mb[i], &p.levels[i]);
		if (p.mb[i].type == H264I_MB_PCM)
			wrong += memcmp(decoded[i].pcm, p.pcm[i], H264I_PCM_BYTES) != 0;
		wrong += ref_cabac_terminate(&r) != (i + 1 == end);
	}
	return wrong + r.bad + ((r.at + 7) / 8 != n);
}

/* Pictures of `rounds` kinds, in one to three slices. */
static int pictures_are_wrong(int rounds, int extreme)
{
	int wrong = 0;

	for (int round = 0; round < rounds; round++) {
		int t8x8 = round & 1, qp = (int)(rng() % 52), first = 0;

		for (int i = 0; i < MBS; i++)
			random_mb(&p.mb[i], &p.levels[i], p.pcm[i], t8x8, extreme);
		while (first < MBS) {
			int end = rng() % 3 ? MBS : first + 1 + (int)(rng() % (MBS - first));

			wrong += slice_is_wrong(first, end, qp, t8x8);
			first = end;
		}
	}
	return wrong;
}

static void maps_of_8x8_blocks_are_those_of_the_standard(void)
{
	/* Table 9-43, in the order of the coefficients. */
	static const char significant[] = "0123455443344455444433677789a9877"
					  "6bcdb6789ea986bcdb69ea9bcdbeac";
	static const char last[] =
		"0111111111111111222222222222222233333333444444445555666677778888";
	int wrong = 0;

	for (int i = 0; i < 63; i++) {
		int want = significant[i] <= '9' ? significant[i] - '0' : significant[i] - 'a' + 10;

		wrong += h264i_significant_8x8(i) != want;
		wrong += h264i_last_8x8(i) != last[i] - '0';
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void random_macroblocks_are_read_back(void)
{
	CU_ASSERT_EQUAL(pictures_are_wrong(600, 0), 0);
}

static void largest_levels_are_read_back(void)
{
	CU_ASSERT_EQUAL(pictures_are_wrong(30, 1), 0);
}

static void macroblocks_without_levels_are_read_back(void)
{
	CU_ASSERT_EQUAL(pictures_are_wrong(100, -1), 0);
}

/* One level of each magnitude about the ends of prefix and suffix. */
static void every_magnitude_is_read_back(void)
{
	int wrong = 0;

	for (int v = 1; v < 32768; v += v < 100 ? 1 : 1 + v / 40) {
		for (int i = 0; i < MBS; i++) {
			h264i_mb *mb = &p.mb[i];

			memset(mb, 0, sizeof(*mb));
			memset(&p.levels[i], 0, sizeof(p.levels[i]));
			memset(mb->i4_mode, I4_DC, 16);
			mb->cbp = 1;
			mb->total[i & 1] = 1;
			p.levels[i].luma[i & 1][rng() % 16] = (int16_t)(i & 2 ? v : -v);
		}
		wrong += slice_is_wrong(0, MBS, 26, 0);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* mb_qp_delta 1 in a macroblock after one without, then after one with. */
static void qp_delta_takes_its_context_from_the_macroblock_before(void)
{
	h264i_mb mb, prev;
	uint16_t record[8];

	memset(&mb, 0, sizeof(mb));
	memset(&prev, 0, sizeof(prev));
	mb.cbp = prev.cbp = 1;
	mb.qp_delta = 1;
	for (int k = 0; k < 4; k++) {
		h264i_bins b = { record, 0, 8 };

		prev.qp_delta = (int8_t)(k ? -2 : 0);
		prev.cbp = k == 2 ? 0 : 1;
		prev.type = k == 3 ? H264I_MB_PCM : H264I_MB_I4X4;
		h264i_qp_delta_bins(&b, &mb, &prev);
		CU_ASSERT_EQUAL(b.count, 2);
		CU_ASSERT_EQUAL(record[0], (60 + (k == 1)) << 1 | 1);
		CU_ASSERT_EQUAL(record[1], 62 << 1);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "maps of 8x8 blocks are those of the standard",
			maps_of_8x8_blocks_are_those_of_the_standard },
		{ "random macroblocks are read back", random_macroblocks_are_read_back },
		{ "largest levels are read back", largest_levels_are_read_back },
		{ "macroblocks without levels are read back",
			macroblocks_without_levels_are_read_back },
		{ "every magnitude is read back", every_magnitude_is_read_back },
		{ "qp_delta takes its context from the macroblock before",
			qp_delta_takes_its_context_from_the_macroblock_before },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("cabac macroblock layer", tests);
}
