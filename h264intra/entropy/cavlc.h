/* residual_block_cavlc() of ITU-T H.264 (clauses 7.3.5.3.2 and 9.2): one block of levels to bits.
 *
 * For one GPU lane per block as well as for a CPU: a block is described by a 16-bit mask of its
 * nonzero levels, processed from the highest bit; levels are loaded by index. */
#ifndef H264INTRA_ENTROPY_CAVLC_H
#define H264INTRA_ENTROPY_CAVLC_H

#include "h264intra/bitstream/bits.h"
#include "h264intra/entropy/cavlc_tables.h"

/* H264I_INLINE_FN: the same function writes, or counts when `out` is NULL; inlining makes two of
 * it. */

/* Counts `len` bits, and writes them unless `out` is NULL. */
H264I_INLINE_FN void h264i_emit(h264i_bits *out, uint32_t *count, uint32_t code, uint32_t len)
{
	*count += len;
	if (out)
		h264i_bits_put(out, code, len);
}

/* Length of a code word of h264i_cavlc_tables. */
LSCHED_FN uint32_t h264i_vlc_bits(uint32_t entry)
{
	return (entry >> 4) + 1;
}

H264I_INLINE_FN void h264i_emit_vlc(h264i_bits *out, uint32_t *count, uint32_t entry)
{
	h264i_emit(out, count, entry & 15, h264i_vlc_bits(entry));
}

/* Writes one level beyond the trailing ones (the inverse of clause 9.2.2.1); `code` is levelCode.
 * level_prefix is at most 15 in all profiles below High, so the escape has 12 bits. Returns 0 if
 * the level does not fit, else 1. */
H264I_INLINE_FN int h264i_emit_level(
	h264i_bits *out, uint32_t *count, uint32_t code, uint32_t suffix_length)
{
	uint32_t escape = 15u << suffix_length;

	if (suffix_length == 0 && code >= 14) {
		if (code < 30) { /* level_prefix 14 has a suffix of four bits here */
			h264i_emit(out, count, 16 | (code - 14), 19);
			return 1;
		}
		escape = 30;
	}
	if (code < escape) {
		h264i_emit(out, count, 1u << suffix_length | (code & ((1u << suffix_length) - 1)),
			(code >> suffix_length) + 1 + suffix_length);
		return 1;
	}
	code -= escape;
	h264i_emit(out, count, 1u << 12 | (code & 4095), 28);
	return code < 4096;
}

/* suffixLength behind a level (clause 9.2.2.1). */
LSCHED_FN uint32_t h264i_next_suffix(uint32_t suffix_length, uint32_t magnitude)
{
	if (suffix_length == 0)
		suffix_length = 1;
	if (magnitude > 3u << (suffix_length - 1) && suffix_length < 6)
		suffix_length++;
	return suffix_length;
}

/* coeff_token and the signs of the trailing ones, 19 bits at most. */
H264I_INLINE_FN void h264i_emit_token(h264i_bits *out, uint32_t *count, const h264i_cavlc_tables *t,
	int nC, uint32_t total, uint32_t ones, uint32_t signs)
{
	uint32_t at = 4 * total + ones, code, len;

	if (nC >= 8) {
		code = total ? at - 4 : 3;
		len = 6;
	} else {
		uint32_t entry = nC < 0 ? t->token_dc[at] : t->token[(nC >= 2) + (nC >= 4)][at];

		code = entry & 15;
		len = h264i_vlc_bits(entry);
	}
	h264i_emit(out, count, code << ones | signs, len + ones);
}

/* total_zeros and all run_before of a block of levels first..last - 1, of which `total`, at least
 * one, are not 0: level first + i where bit i of the mask is set. */
H264I_INLINE_FN void h264i_emit_zeros(h264i_bits *out, uint32_t *count, const h264i_cavlc_tables *t,
	uint32_t mask, uint32_t total, int first, int last, int nC)
{
	uint32_t left, at = h264i_top_bit(mask), zeros = at + 1 - total;

	if (total < (uint32_t)(last - first))
		h264i_emit_vlc(out, count,
			nC < 0 ? t->zeros_dc[total - 1][zeros] : t->zeros[total - 1][zeros]);
	left = mask ^ 1u << at;
	while (left && zeros) {
		uint32_t next = h264i_top_bit(left), run = at - next - 1;

		h264i_emit_vlc(out, count, t->run[(zeros < 7 ? zeros : 7) - 1][run]);
		zeros -= run;
		at = next;
		left ^= 1u << next;
	}
}

/* Writes level[first..last - 1], in zigzag order; only counts if `out` is NULL. first is 0 or 1;
 * last is 16, or 4 for chroma DC with nC = -1. In device code `level` is aligned to 8 bytes, as all
 * blocks of an aligned h264i_levels are. Returns the bits written, or -1 if a level is too large
 * for Baseline; the caller then discards the output. */
H264I_INLINE_FN int h264i_cavlc_code(h264i_bits *out, const h264i_cavlc_tables *t,
	const int16_t *level, int first, int last, int nC)
{
	uint32_t mask = h264i_nonzero_mask(level, last) >> first;
	uint32_t total = lsched_popcount(mask), left = mask, ones = 0, signs = 0, count = 0;
	uint32_t suffix_length, bias;

	level += first;
	while (left && ones < 3) {
		uint32_t i = h264i_top_bit(left);
		int v = level[i];

		if (v != 1 && v != -1)
			break;
		signs = signs << 1 | (v < 0);
		left ^= 1u << i;
		ones++;
	}
	h264i_emit_token(out, &count, t, nC, total, ones, signs);
	if (total == 0)
		return (int)count;

	/* The first level after fewer than three trailing ones cannot be +-1. */
	bias = ones < 3 ? 4 : 2;
	suffix_length = total > 10 && ones < 3;
	while (left) {
		uint32_t i = h264i_top_bit(left), magnitude;
		int v = level[i];

		left ^= 1u << i;
		magnitude = (uint32_t)(v < 0 ? -v : v);
		if (!h264i_emit_level(out, &count, 2 * magnitude - bias + (v < 0), suffix_length))
			return -1;
		bias = 2;
		suffix_length = h264i_next_suffix(suffix_length, magnitude);
	}
	h264i_emit_zeros(out, &count, t, mask, total, first, last, nC);
	return (int)count;
}

/* nC from total_coeff of the blocks to the left (A) and above (B) (clause 9.2.1). */
LSCHED_FN int h264i_cavlc_nc(int left_avail, int left_total, int up_avail, int up_total)
{
	int sum = (left_avail ? left_total : 0) + (up_avail ? up_total : 0);

	return left_avail && up_avail ? (sum + 1) >> 1 : sum;
}

#endif
