#include "tests/h264intra/cavlc_reference.h"

#include <string.h>

/* clang-format off */
/* Table 9-5, its rows as printed, without the column of six-bit codes. */
static const struct {
	int ones, total;
	const char *word[4];
} token_table[] = {
	{ 0,  0, { "1",                "11",             "1111",       "01" } },
	{ 0,  1, { "000101",           "001011",         "001111",     "000111" } },
	{ 1,  1, { "01",               "10",             "1110",       "1" } },
	{ 0,  2, { "00000111",         "000111",         "001011",     "000100" } },
	{ 1,  2, { "000100",           "00111",          "01111",      "000110" } },
	{ 2,  2, { "001",              "011",            "1101",       "001" } },
	{ 0,  3, { "000000111",        "0000111",        "001000",     "000011" } },
	{ 1,  3, { "00000110",         "001010",         "01100",      "0000011" } },
	{ 2,  3, { "0000101",          "001001",         "01110",      "0000010" } },
	{ 3,  3, { "00011",            "0101",           "1100",       "000101" } },
	{ 0,  4, { "0000000111",       "00000111",       "0001111",    "000010" } },
	{ 1,  4, { "000000110",        "000110",         "01010",      "00000011" } },
	{ 2,  4, { "00000101",         "000101",         "01011",      "00000010" } },
	{ 3,  4, { "000011",           "0100",           "1011",       "0000000" } },
	{ 0,  5, { "00000000111",      "00000100",       "0001011",    NULL } },
	{ 1,  5, { "0000000110",       "0000110",        "01000",      NULL } },
	{ 2,  5, { "000000101",        "0000101",        "01001",      NULL } },
	{ 3,  5, { "0000100",          "00110",          "1010",       NULL } },
	{ 0,  6, { "0000000001111",    "000000111",      "0001001",    NULL } },
	{ 1,  6, { "00000000110",      "00000110",       "001110",     NULL } },
	{ 2,  6, { "0000000101",       "00000101",       "001101",     NULL } },
	{ 3,  6, { "00000100",         "001000",         "1001",       NULL } },
	{ 0,  7, { "0000000001011",    "00000001111",    "0001000",    NULL } },
	{ 1,  7, { "0000000001110",    "000000110",      "001010",     NULL } },
	{ 2,  7, { "00000000101",      "000000101",      "001001",     NULL } },
	{ 3,  7, { "000000100",        "000100",         "1000",       NULL } },
	{ 0,  8, { "0000000001000",    "00000001011",    "00001111",   NULL } },
	{ 1,  8, { "0000000001010",    "00000001110",    "0001110",    NULL } },
	{ 2,  8, { "0000000001101",    "00000001101",    "0001101",    NULL } },
	{ 3,  8, { "0000000100",       "0000100",        "01101",      NULL } },
	{ 0,  9, { "00000000001111",   "000000001111",   "00001011",   NULL } },
	{ 1,  9, { "00000000001110",   "00000001010",    "00001110",   NULL } },
	{ 2,  9, { "0000000001001",    "00000001001",    "0001010",    NULL } },
	{ 3,  9, { "00000000100",      "000000100",      "001100",     NULL } },
	{ 0, 10, { "00000000001011",   "000000001011",   "000001111",  NULL } },
	{ 1, 10, { "00000000001010",   "000000001110",   "00001010",   NULL } },
	{ 2, 10, { "00000000001101",   "000000001101",   "00001101",   NULL } },
	{ 3, 10, { "0000000001100",    "00000001100",    "0001100",    NULL } },
	{ 0, 11, { "000000000001111",  "000000001000",   "000001011",  NULL } },
	{ 1, 11, { "000000000001110",  "000000001010",   "000001110",  NULL } },
	{ 2, 11, { "00000000001001",   "000000001001",   "00001001",   NULL } },
	{ 3, 11, { "00000000001100",   "00000001000",    "00001100",   NULL } },
	{ 0, 12, { "000000000001011",  "0000000001111",  "000001000",  NULL } },
	{ 1, 12, { "000000000001010",  "0000000001110",  "000001010",  NULL } },
	{ 2, 12, { "000000000001101",  "0000000001101",  "000001101",  NULL } },
	{ 3, 12, { "00000000001000",   "000000001100",   "00001000",   NULL } },
	{ 0, 13, { "0000000000001111", "0000000001011",  "0000001101", NULL } },
	{ 1, 13, { "000000000000001",  "0000000001010",  "000000111",  NULL } },
	{ 2, 13, { "000000000001001",  "0000000001001",  "000001001",  NULL } },
	{ 3, 13, { "000000000001100",  "0000000001100",  "000001100",  NULL } },
	{ 0, 14, { "0000000000001011", "0000000000111",  "0000001001", NULL } },
	{ 1, 14, { "0000000000001110", "00000000001011", "0000001100", NULL } },
	{ 2, 14, { "0000000000001101", "0000000000110",  "0000001011", NULL } },
	{ 3, 14, { "000000000001000",  "0000000001000",  "0000001010", NULL } },
	{ 0, 15, { "0000000000000111", "00000000001001", "0000000101", NULL } },
	{ 1, 15, { "0000000000001010", "00000000001000", "0000001000", NULL } },
	{ 2, 15, { "0000000000001001", "00000000001010", "0000000111", NULL } },
	{ 3, 15, { "0000000000001100", "0000000000001",  "0000000110", NULL } },
	{ 0, 16, { "0000000000000100", "00000000000111", "0000000001", NULL } },
	{ 1, 16, { "0000000000000110", "00000000000110", "0000000100", NULL } },
	{ 2, 16, { "0000000000000101", "00000000000101", "0000000011", NULL } },
	{ 3, 16, { "0000000000001000", "00000000000100", "0000000010", NULL } },
};

/* Tables 9-7 and 9-8 by columns. */
static const char *const zeros_table[15][16] = {
	{ "1", "011", "010", "0011", "0010", "00011", "00010", "000011", "000010", "0000011",
	  "0000010", "00000011", "00000010", "000000011", "000000010", "000000001" },
	{ "111", "110", "101", "100", "011", "0101", "0100", "0011", "0010", "00011", "00010",
	  "000011", "000010", "000001", "000000" },
	{ "0101", "111", "110", "101", "0100", "0011", "100", "011", "0010", "00011", "00010",
	  "000001", "00001", "000000" },
	{ "00011", "111", "0101", "0100", "110", "101", "100", "0011", "011", "0010", "00010",
	  "00001", "00000" },
	{ "0101", "0100", "0011", "111", "110", "101", "100", "011", "0010", "00001", "0001",
	  "00000" },
	{ "000001", "00001", "111", "110", "101", "100", "011", "010", "0001", "001", "000000" },
	{ "000001", "00001", "101", "100", "011", "11", "010", "0001", "001", "000000" },
	{ "000001", "0001", "00001", "011", "11", "10", "010", "001", "000000" },
	{ "000001", "000000", "0001", "11", "10", "001", "01", "00001" },
	{ "00001", "00000", "001", "11", "10", "01", "0001" },
	{ "0000", "0001", "001", "010", "1", "011" },
	{ "0000", "0001", "01", "1", "001" },
	{ "000", "001", "1", "01" },
	{ "00", "01", "1" },
	{ "0", "1" },
};
/* Table 9-9 (a) by columns. */
static const char *const zeros_dc_table[3][4] = {
	{ "1", "01", "001", "000" },
	{ "1", "01", "00" },
	{ "1", "0" },
};
/* Table 9-10 by columns. */
static const char *const run_table[7][15] = {
	{ "1", "0" },
	{ "1", "01", "00" },
	{ "11", "10", "01", "00" },
	{ "11", "10", "01", "001", "000" },
	{ "11", "10", "011", "010", "001", "000" },
	{ "11", "000", "001", "011", "010", "101", "100" },
	{ "111", "110", "101", "100", "011", "010", "001", "0001", "00001", "000001", "0000001",
	  "00000001", "000000001", "0000000001", "00000000001" },
};
/* clang-format on */

const char *ref_token(int column, int total, int ones)
{
	size_t i;

	for (i = 0; i < sizeof(token_table) / sizeof(token_table[0]); i++)
		if (token_table[i].total == total && token_table[i].ones == ones)
			return token_table[i].word[column];
	return NULL;
}

const char *ref_zeros(int total, int zeros, int chroma_dc)
{
	return chroma_dc ? zeros_dc_table[total - 1][zeros] : zeros_table[total - 1][zeros];
}

const char *ref_run(int zeros_left, int run)
{
	return run_table[(zeros_left > 6 ? 7 : zeros_left) - 1][run];
}

int ref_intra_cbp(int code_num)
{
	static const uint8_t cbp[48] = { 47, 31, 15, 0, 23, 27, 29, 30, 7, 11, 13, 14, 39, 43, 45,
		46, 16, 3, 5, 10, 12, 19, 21, 26, 28, 35, 37, 42, 44, 1, 2, 4, 8, 17, 18, 20, 24, 6,
		9, 22, 25, 32, 33, 34, 36, 40, 38, 41 };

	return cbp[code_num];
}

uint32_t ref_u(ref_reader *r, int bits)
{
	uint32_t v = 0;

	while (bits--) {
		if (r->at >= r->end) {
			r->bad = 1;
			return 0;
		}
		v = v << 1 | (r->data[r->at / 8] >> (7 - r->at % 8) & 1);
		r->at++;
	}
	return v;
}

uint32_t ref_ue(ref_reader *r)
{
	int zeros = 0;

	while (!r->bad && ref_u(r, 1) == 0)
		zeros++;
	if (r->bad || zeros > 32) {
		r->bad = 1;
		return 0;
	}
	return (uint32_t)((UINT64_C(1) << zeros) - 1 + ref_u(r, zeros));
}

int32_t ref_se(ref_reader *r)
{
	uint32_t k = ref_ue(r);

	return k & 1 ? (int32_t)(k / 2 + 1) : -(int32_t)(k / 2);
}

/* 1 and past it if the next bits are this word. */
static int accept(ref_reader *r, const char *word)
{
	size_t start = r->at;
	int bad = r->bad;

	if (!word)
		return 0;
	for (; *word; word++) {
		if (ref_u(r, 1) != (uint32_t)(*word - '0') || r->bad) {
			r->at = start;
			r->bad = bad;
			return 0;
		}
	}
	return 1;
}

/* Clause 9.2.1. */
static int read_token(ref_reader *r, int nC, int *ones)
{
	int column = nC == -1 ? 3 : nC < 2 ? 0 : nC < 4 ? 1 : nC < 8 ? 2 : -1;
	size_t i;

	if (column < 0) { /* xxxxyy: total_coeff - 1 and trailing ones, 000011 for none */
		int code = (int)ref_u(r, 6);

		*ones = code == 3 ? 0 : code & 3;
		return code == 3 ? 0 : (code >> 2) + 1;
	}
	for (i = 0; i < sizeof(token_table) / sizeof(token_table[0]); i++) {
		if (accept(r, token_table[i].word[column])) {
			*ones = token_table[i].ones;
			return token_table[i].total;
		}
	}
	r->bad = 1;
	*ones = 0;
	return 0;
}

/* Clause 9.2.2.1 with level_prefix at most 15. */
static int read_level(ref_reader *r, int suffix_length, int first_after_few_ones)
{
	int prefix = 0, size, code;

	while (!r->bad && ref_u(r, 1) == 0)
		prefix++;
	if (prefix > 15)
		r->bad = 1;
	if (r->bad)
		return 0;
	size = prefix == 14 && suffix_length == 0 ? 4 : prefix >= 15 ? prefix - 3 : suffix_length;
	code = (prefix < 15 ? prefix : 15) << suffix_length;
	if (size > 0)
		code += (int)ref_u(r, size);
	if (prefix >= 15 && suffix_length == 0)
		code += 15;
	if (first_after_few_ones)
		code += 2;
	return code % 2 == 0 ? (code + 2) >> 1 : (-code - 1) >> 1;
}

int ref_block(ref_reader *r, int16_t *level, int max, int nC)
{
	int value[16], run[16], ones, total, i, suffix_length, zeros_left, at;

	memset(level, 0, (size_t)max * sizeof(*level));
	total = read_token(r, nC, &ones);
	if (total > max)
		r->bad = 1;
	if (total == 0 || r->bad)
		return 0;
	suffix_length = total > 10 && ones < 3 ? 1 : 0;
	for (i = 0; i < total; i++) {
		if (i < ones) {
			value[i] = 1 - 2 * (int)ref_u(r, 1);
			continue;
		}
		value[i] = read_level(r, suffix_length, i == ones && ones < 3);
		if (suffix_length == 0)
			suffix_length = 1;
		if ((value[i] < 0 ? -value[i] : value[i]) > 3 << (suffix_length - 1) &&
			suffix_length < 6)
			suffix_length++;
	}
	zeros_left = 0;
	if (total < max) {
		int most = max - total;

		/* With 15 coefficients the columns are those of 16. */
		while (zeros_left <= most && !accept(r, ref_zeros(total, zeros_left, nC == -1)))
			zeros_left++;
		if (zeros_left > most) {
			r->bad = 1;
			return 0;
		}
	}
	for (i = 0; i < total - 1; i++) {
		run[i] = 0;
		if (zeros_left > 0) {
			while (run[i] <= zeros_left && !accept(r, ref_run(zeros_left, run[i])))
				run[i]++;
			if (run[i] > zeros_left) {
				r->bad = 1;
				return 0;
			}
			zeros_left -= run[i];
		}
	}
	run[total - 1] = zeros_left;
	at = -1;
	for (i = total - 1; i >= 0; i--) {
		at += run[i] + 1;
		level[at] = (int16_t)value[i];
	}
	return total;
}
