#include "tests/h264intra/cabac_reference.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */

/* The columns of I slices of tables 9-12 to 9-33: "first ctxIdx: m n, m n, ...". */
static const char *const mn_text[] = {
	"3: 20 -15, 2 54, 3 74, -28 127, -23 104, -6 53, -1 54, 7 51, ",
	"60: 0 41, 0 63, 0 63, 0 63, ",
	"64: -9 83, 4 86, 0 97, -7 72, ",
	"68: 13 41, 3 62, ",
	"73: -17 127, -13 102, 0 82, -7 74, -21 107, -27 127, -31 127, -24 127, -18 95, "
	"-27 127, -21 114, -30 127, ",
	"85: -17 123, -12 115, -16 122, -11 115, -12 63, -2 68, -15 84, -13 104, -3 70, "
	"-8 93, -10 90, -30 127, -1 74, -6 97, -7 91, -20 127, -4 56, -5 82, -7 76, "
	"-22 125, ",
	"105: -7 93, -11 87, -3 77, -5 71, -4 63, -4 68, -12 84, -7 62, -7 65, 8 61, "
	"5 56, -2 66, 1 64, 0 61, -2 78, 1 50, 7 52, 10 35, 0 44, 11 38, 1 45, 0 46, "
	"5 44, 31 17, 1 51, 7 50, 28 19, 16 33, 14 62, -13 108, -15 100, -13 101, -13 91, "
	"-12 94, -10 88, -16 84, -10 86, -7 83, -13 87, -19 94, 1 70, 0 72, -5 74, 18 59, "
	"-8 102, -15 100, 0 95, -4 75, 2 72, -11 75, -3 71, 15 46, -13 69, 0 62, 0 65, "
	"21 37, -15 72, 9 57, 16 54, 0 62, 12 72, ",
	"166: 24 0, 15 9, 8 25, 13 18, 15 9, 13 19, 10 37, 12 18, 6 29, 20 33, 15 30, "
	"4 45, 1 58, 0 62, 7 61, 12 38, 11 45, 15 39, 11 42, 13 44, 16 45, 12 41, 10 49, "
	"30 34, 18 42, 10 55, 17 51, 17 46, 0 89, 26 -19, 22 -17, 26 -17, 30 -25, 28 -20, "
	"33 -23, 37 -27, 33 -23, 40 -28, 38 -17, 33 -11, 40 -15, 41 -6, 38 1, 41 17, "
	"30 -6, 27 3, 26 22, 37 -16, 35 -4, 38 -8, 38 -3, 37 3, 38 5, 42 0, 35 16, 39 22, "
	"14 48, 27 37, 21 60, 12 68, 2 97, ",
	"227: -3 71, -6 42, -5 50, -3 54, -2 62, 0 58, 1 63, -2 72, -1 74, -9 91, -5 67, "
	"-5 27, -3 39, -2 44, 0 46, -16 64, -8 68, -10 78, -6 77, -10 86, -12 92, -15 55, "
	"-10 60, -6 62, -4 65, -12 73, -8 76, -7 80, -9 88, -17 110, -11 97, -20 84, "
	"-11 79, -6 73, -4 74, -13 86, -13 96, -11 97, -19 117, -8 78, -5 33, -4 48, "
	"-2 53, -3 62, -13 71, -10 79, -12 86, -13 90, -14 97, ",
	"399: 31 21, 31 31, 25 50, ",
	"402: -17 120, -20 112, -18 114, -11 85, -15 92, -14 89, -26 71, -15 81, -14 80, "
	"0 68, -14 70, -24 56, -23 68, -24 50, -11 74, ",
	"417: 23 -13, 26 -13, 40 -15, 49 -14, 44 3, 45 6, 44 34, 33 54, 19 82, ",
	"426: -3 75, -1 23, 1 34, 1 43, 0 54, -2 55, 0 61, 1 64, 0 68, -9 92, ",
};

/* Table 9-44: by qCodIRangeIdx, then by pStateIdx. */
static const unsigned char range_lps[4][64] = {
	{ 128, 128, 128, 123, 116, 111, 105, 100, 95, 90, 85, 81, 77, 73, 69, 66, 62, 59, 56,
		53, 51, 48, 46, 43, 41, 39, 37, 35, 33, 32, 30, 29, 27, 26, 24, 23, 22, 21, 20, 19,
		18, 17, 16, 15, 14, 14, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8, 7, 7, 7, 6,
		6, 6, 2 },
	{ 176, 167, 158, 150, 142, 135, 128, 122, 116, 110, 104, 99, 94, 89, 85, 80, 76, 72,
		69, 65, 62, 59, 56, 53, 50, 48, 45, 43, 41, 39, 37, 35, 33, 31, 30, 28, 27, 26, 24,
		23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 14, 13, 12, 12, 11, 11, 10, 9, 9, 9, 8, 8,
		7, 7, 2 },
	{ 208, 197, 187, 178, 169, 160, 152, 144, 137, 130, 123, 117, 111, 105, 100, 95, 90,
		86, 81, 77, 73, 69, 66, 63, 59, 56, 54, 51, 48, 46, 43, 41, 39, 37, 35, 33, 32, 30,
		29, 27, 26, 25, 23, 22, 21, 20, 19, 18, 17, 16, 15, 15, 14, 13, 12, 12, 11, 11, 10,
		10, 9, 9, 8, 2 },
	{ 240, 227, 216, 205, 195, 185, 175, 166, 158, 150, 142, 135, 128, 122, 116, 110, 104,
		99, 94, 89, 85, 80, 76, 72, 69, 65, 62, 59, 56, 53, 50, 48, 45, 43, 41, 39, 37, 35,
		33, 31, 30, 28, 27, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 14, 13, 12, 12,
		11, 11, 10, 9, 2 },
};

static const int trans_lps[64] = {
	0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16, 16, 18, 18, 19, 19,
	21, 21, 22, 22, 23, 24, 24, 25, 26, 26, 27, 27, 28, 29, 29, 30, 30, 30, 31, 32, 32, 33, 33,
	33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 63,
};

/* Table 9-43: significant_coeff_flag of frame macroblocks, last_significant_coeff_flag. */
static const int inc_8x8[63][2] = {
	{ 0, 0 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 5, 1 }, { 4, 1 }, { 4, 1 },
	{ 3, 1 }, { 3, 1 }, { 4, 1 }, { 4, 1 }, { 4, 1 }, { 5, 1 }, { 5, 1 }, { 4, 2 }, { 4, 2 },
	{ 4, 2 }, { 4, 2 }, { 3, 2 }, { 3, 2 }, { 6, 2 }, { 7, 2 }, { 7, 2 }, { 7, 2 }, { 8, 2 },
	{ 9, 2 }, { 10, 2 }, { 9, 2 }, { 8, 2 }, { 7, 2 }, { 7, 3 }, { 6, 3 }, { 11, 3 },
	{ 12, 3 }, { 13, 3 }, { 11, 3 }, { 6, 3 }, { 7, 3 }, { 8, 4 }, { 9, 4 }, { 14, 4 },
	{ 10, 4 }, { 9, 4 }, { 8, 4 }, { 6, 4 }, { 11, 4 }, { 12, 5 }, { 13, 5 }, { 11, 5 },
	{ 6, 5 }, { 9, 6 }, { 14, 6 }, { 10, 6 }, { 9, 6 }, { 11, 7 }, { 12, 7 }, { 13, 7 },
	{ 11, 7 }, { 14, 8 }, { 10, 8 }, { 12, 8 },
};
/* clang-format on */

void ref_cabac_contexts(ref_cabac *r, int slice_qp)
{
	memset(r->ctx, 0, sizeof(r->ctx));
	for (size_t k = 0; k < sizeof(mn_text) / sizeof(mn_text[0]); k++) {
		char *at;
		long ctx = strtol(mn_text[k], &at, 10);

		for (at++; *at; ctx++, at += strspn(at, ", ")) {
			int m = (int)strtol(at, &at, 10), n = (int)strtol(at, &at, 10);
			int product = m * slice_qp, pre;

			/* an arithmetic shift right by 4, of negative numbers too */
			pre = product >= 0 ? product / 16 : -((-product + 15) / 16);
			pre += n;
			pre = pre < 1 ? 1 : pre > 126 ? 126 : pre;
			r->ctx[ctx].mps = pre > 63;
			r->ctx[ctx].state = pre > 63 ? pre - 64 : 63 - pre;
		}
	}
}

static unsigned read_bits(ref_cabac *r, int n)
{
	unsigned v = 0;

	for (; n; n--, r->at++) {
		if (r->at >= r->end)
			r->bad = 1;
		else
			v = 2 * v + (r->data[r->at / 8] >> (7 - r->at % 8) & 1u);
	}
	return v;
}

void ref_cabac_start(ref_cabac *r)
{
	r->range = 510;
	r->offset = read_bits(r, 9);
}

static void renormalise(ref_cabac *r)
{
	while (r->range < 256) {
		r->range *= 2;
		r->offset = 2 * r->offset + read_bits(r, 1);
	}
}

int ref_cabac_decision(ref_cabac *r, int ctx)
{
	int *state = &r->ctx[ctx].state, *mps = &r->ctx[ctx].mps, bin = *mps;
	unsigned lps = range_lps[r->range / 64 % 4][*state];

	r->bins++;
	r->range -= lps;
	if (r->offset >= r->range) {
		bin = !*mps;
		r->offset -= r->range;
		r->range = lps;
		if (*state == 0)
			*mps = !*mps;
		*state = trans_lps[*state];
	} else if (*state < 62) {
		++*state;
	}
	renormalise(r);
	return bin;
}

int ref_cabac_bypass(ref_cabac *r)
{
	r->bins++;
	r->offset = 2 * r->offset + read_bits(r, 1);
	if (r->offset < r->range)
		return 0;
	r->offset -= r->range;
	return 1;
}

int ref_cabac_terminate(ref_cabac *r)
{
	r->bins++;
	r->range -= 2;
	if (r->offset >= r->range)
		return 1;
	renormalise(r);
	return 0;
}

/* The macroblock being parsed and its neighbours; NULL: not available. */
typedef struct {
	ref_cabac *r;
	ref_cabac_mb *mb;
	const ref_cabac_mb *a, *b, *before;
} parser;

enum { NXN = 0, PCM = 25 };

static int parse_type(const parser *p)
{
	int inc = (p->a && p->a->type != NXN) + (p->b && p->b->type != NXN), luma, chroma, mode;

	if (!ref_cabac_decision(p->r, 3 + inc))
		return NXN;
	if (ref_cabac_terminate(p->r))
		return PCM;
	luma = ref_cabac_decision(p->r, 3 + 3);
	chroma = ref_cabac_decision(p->r, 3 + 4);
	if (chroma)
		chroma += ref_cabac_decision(p->r, 3 + 5);
	mode = 2 * ref_cabac_decision(p->r, 3 + 6);
	mode += ref_cabac_decision(p->r, 3 + 7);
	return 1 + mode + 4 * chroma + 12 * luma;
}

/* Clauses 8.3.1.1 and 8.3.2.1; x, y in 4x4 blocks. */
static int parse_mode(const parser *p, int x, int y)
{
	int none = (x == 0 && !p->a) || (y == 0 && !p->b), mode, rem = 0;

	if (none) {
		mode = 2;
	} else {
		int left = x ? p->mb->mode[y][x - 1] : p->a->mode[y][3];
		int above = y ? p->mb->mode[y - 1][x] : p->b->mode[3][x];

		mode = left < above ? left : above;
	}
	if (ref_cabac_decision(p->r, 68))
		return mode;
	for (int i = 0; i < 3; i++)
		rem += ref_cabac_decision(p->r, 69) << i;
	return rem < mode ? rem : rem + 1;
}

static void parse_modes(const parser *p)
{
	for (int b = 0; b < 16; b++) {
		int x = b % 2 + 2 * (b / 4 % 2), y = b / 2 % 2 + 2 * (b / 8);

		if (!p->mb->t8x8) {
			p->mb->mode[y][x] = parse_mode(p, x, y);
		} else if (b % 4 == 0) {
			int mode = parse_mode(p, x, y);

			p->mb->mode[y][x] = p->mb->mode[y][x + 1] = mode;
			p->mb->mode[y + 1][x] = p->mb->mode[y + 1][x + 1] = mode;
		}
	}
}

static int parse_chroma_mode(const parser *p)
{
	int a = p->a && p->a->type != PCM && p->a->chroma_mode != 0;
	int b = p->b && p->b->type != PCM && p->b->chroma_mode != 0;

	if (!ref_cabac_decision(p->r, 64 + a + b))
		return 0;
	if (!ref_cabac_decision(p->r, 64 + 3))
		return 1;
	return 2 + ref_cabac_decision(p->r, 64 + 3);
}

/* condTermFlag of a bit of the luma pattern, 8x8 block at x, y of macroblock n. */
static int pattern_is_zero(const ref_cabac_mb *n, int pattern, int x, int y)
{
	return n && n->type != PCM && !(pattern >> (2 * y + x) & 1);
}

static int chroma_at_least(const ref_cabac_mb *n, int least)
{
	return n && (n->type == PCM || n->cbp / 16 >= least);
}

static int parse_pattern(const parser *p)
{
	int pattern = 0, chroma = 0;

	for (int k = 0; k < 4; k++) {
		int x = k % 2, y = k / 2;
		int a = x ? pattern_is_zero(p->mb, pattern, 0, y)
			  : pattern_is_zero(p->a, p->a ? p->a->cbp : 0, 1, y);
		int b = y ? pattern_is_zero(p->mb, pattern, x, 0)
			  : pattern_is_zero(p->b, p->b ? p->b->cbp : 0, x, 1);

		pattern |= ref_cabac_decision(p->r, 73 + a + 2 * b) << k;
	}
	if (ref_cabac_decision(p->r, 77 + chroma_at_least(p->a, 1) + 2 * chroma_at_least(p->b, 1)))
		chroma = 1 + ref_cabac_decision(p->r, 77 + 4 + chroma_at_least(p->a, 2) +
							      2 * chroma_at_least(p->b, 2));
	return pattern + 16 * chroma;
}

static int parse_qp_delta(const parser *p)
{
	const ref_cabac_mb *n = p->before;
	int zero = !n || n->type == PCM || (n->type == NXN && n->cbp == 0) || n->qp_delta == 0;
	int value = 0, ctx = zero ? 0 : 1;

	while (ref_cabac_decision(p->r, 60 + ctx) && value < 200) {
		value++;
		ctx = value == 1 ? 2 : 3;
	}
	return value % 2 ? (value + 1) / 2 : -value / 2;
}

/* coeff_abs_level_minus1 + 1 with its sign (clauses 9.3.2.3 and 9.3.2.6). */
static int parse_level(ref_cabac *r, int ctx_first, int ctx_more)
{
	int value = 0, k = 0;

	while (value < 14 && ref_cabac_decision(r, value ? ctx_more : ctx_first))
		value++;
	if (value == 14) {
		for (; ref_cabac_bypass(r) && k < 20; k++)
			value += 1 << k;
		while (k--)
			value += ref_cabac_bypass(r) << k;
	}
	value++;
	return ref_cabac_bypass(r) ? -value : value;
}

/* residual_block_cabac() after coded_block_flag; cat is ctxBlockCat. */
static void parse_levels(ref_cabac *r, int *level, int cat, int coefficients)
{
	static const int offset[6] = { 0, 15, 29, 44, 47, 0 },
			 abs_offset[] = { 0, 10, 20, 30, 39, 0 };
	int sig = cat == 5 ? 402 : 105 + offset[cat], last = cat == 5 ? 417 : 166 + offset[cat];
	int abs_base = cat == 5 ? 426 : 227 + abs_offset[cat], ones = 0, larger = 0,
	    n = coefficients;
	int significant[64] = { 0 };

	for (int i = 0; i < n - 1; i++) {
		int least = i < 2 ? i : 2;
		int inc = cat == 3 ? least : cat == 5 ? inc_8x8[i][0] : i;
		int inc_last = cat == 3 ? least : cat == 5 ? inc_8x8[i][1] : i;

		significant[i] = ref_cabac_decision(r, sig + inc);
		if (significant[i] && ref_cabac_decision(r, last + inc_last))
			n = i + 1;
	}
	significant[n - 1] = 1;
	while (n--) {
		int first = larger ? 0 : 1 + ones > 4 ? 4 : 1 + ones;
		int most = cat == 3 ? 3 : 4, more = 5 + (larger > most ? most : larger);

		level[n] = 0;
		if (!significant[n])
			continue;
		level[n] = parse_level(r, abs_base + first, abs_base + more);
		if (level[n] == 1 || level[n] == -1)
			ones++;
		else
			larger++;
	}
}

/* condTermFlag of coded_block_flag: `flag` is that of the neighbouring block in macroblock n, 0
 * where it has no such block. */
static int coded_term(const ref_cabac_mb *n, int flag)
{
	return !n || n->type == PCM || flag;
}

/* A block with its coded_block_flag; a, b: condTermFlags. Returns the flag. */
static int parse_block(const parser *p, int *level, int cat, int coefficients, int a, int b)
{
	if (!ref_cabac_decision(p->r, 85 + 4 * cat + a + 2 * b))
		return 0;
	parse_levels(p->r, level, cat, coefficients);
	return 1;
}

static void parse_luma(const parser *p)
{
	ref_cabac_mb *mb = p->mb;
	int i16 = mb->type != NXN;

	if (i16)
		mb->coded_dc[0] = parse_block(p, mb->luma_dc, 0, 16,
			coded_term(p->a, p->a ? p->a->coded_dc[0] : 0),
			coded_term(p->b, p->b ? p->b->coded_dc[0] : 0));
	for (int b = 0; b < 16; b++) {
		int x = b % 2 + 2 * (b / 4 % 2), y = b / 2 % 2 + 2 * (b / 8);
		int left = x ? mb->coded[y][x - 1] : p->a ? p->a->coded[y][3] : 0;
		int above = y ? mb->coded[y - 1][x] : p->b ? p->b->coded[3][x] : 0;

		if (!(mb->cbp >> (b / 4) & 1))
			continue;
		if (mb->t8x8) {
			mb->coded[y][x] = 1;
			if (b % 4 == 0)
				parse_levels(p->r, mb->luma_8x8[b / 4], 5, 64);
			continue;
		}
		mb->coded[y][x] = parse_block(p, mb->luma[y][x] + i16, i16 ? 1 : 2, 16 - i16,
			coded_term(x ? mb : p->a, left), coded_term(y ? mb : p->b, above));
	}
}

static void parse_chroma(const parser *p)
{
	ref_cabac_mb *mb = p->mb;

	for (int c = 0; c < 2 && mb->cbp / 16; c++)
		mb->coded_dc[1 + c] = parse_block(p, mb->chroma_dc[c], 3, 4,
			coded_term(p->a, p->a ? p->a->coded_dc[1 + c] : 0),
			coded_term(p->b, p->b ? p->b->coded_dc[1 + c] : 0));
	for (int k = 0; k < 8 && mb->cbp / 16 == 2; k++) {
		int c = k / 4, y = k / 2 % 2, x = k % 2;
		int left = x ? mb->coded_c[c][y][0] : p->a ? p->a->coded_c[c][y][1] : 0;
		int above = y ? mb->coded_c[c][0][x] : p->b ? p->b->coded_c[c][1][x] : 0;

		mb->coded_c[c][y][x] = parse_block(p, mb->chroma_ac[c][y][x] + 1, 4, 15,
			coded_term(x ? mb : p->a, left), coded_term(y ? mb : p->b, above));
	}
}

void ref_cabac_macroblock(
	ref_cabac *r, ref_cabac_mb *picture, int width, int first, int at, int t8x8)
{
	parser p = { r, &picture[at], NULL, NULL, NULL };
	ref_cabac_mb *mb = p.mb;

	if (at % width && at - 1 >= first)
		p.a = mb - 1;
	if (at - width >= first)
		p.b = mb - width;
	if (at > first)
		p.before = mb - 1;
	memset(mb, 0, sizeof(*mb));
	for (int b = 0; b < 16; b++)
		mb->mode[b / 4][b % 4] = 2;
	mb->type = parse_type(&p);
	if (mb->type == PCM) {
		while (r->at % 8)
			r->bad |= read_bits(r, 1) != 0;
		for (int i = 0; i < 384; i++)
			mb->pcm[i] = (uint8_t)read_bits(r, 8);
		ref_cabac_start(r);
		return;
	}
	if (mb->type == NXN && t8x8)
		mb->t8x8 = ref_cabac_decision(r, 399 + (p.a && p.a->t8x8) + (p.b && p.b->t8x8));
	if (mb->type == NXN)
		parse_modes(&p);
	mb->chroma_mode = parse_chroma_mode(&p);
	mb->cbp = mb->type == NXN ? parse_pattern(&p)
				  : (mb->type - 1) / 4 % 3 * 16 + (mb->type > 12 ? 15 : 0);
	if (mb->type != NXN || mb->cbp)
		mb->qp_delta = parse_qp_delta(&p);
	parse_luma(&p);
	parse_chroma(&p);
}
