/* Bit writer for host and device code (ITU-T H.264 clauses 7.2 and 9.1).
 *
 * Bits are collected in an accumulator and stored as 32-bit words in the machine's byte order, the
 * first bit of the stream in the most significant position. Word k is stored at word[k * stride]:
 * 32 lanes of a warp interleave their buffers with stride 32. No word beyond `words` is stored, but
 * it is counted, so that the caller can detect the overflow (h264i_bits_overflow) and the size
 * needed. */
#ifndef H264INTRA_BITSTREAM_BITS_H
#define H264INTRA_BITSTREAM_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "h264intra/core/language.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_bits {
	uint32_t *word;
	uint32_t stride; /* distance of consecutive words, in words */
	uint32_t words;  /* capacity: word[0], word[stride], ..., word[(words - 1) * stride] */
	uint32_t done;   /* words completed, including those that do not fit */
	uint32_t fill;   /* bits in acc that are not stored yet, 0..31 */
	uint64_t acc;    /* the low `fill` bits are not stored; the bits above them are */
} h264i_bits;

/* Number of the highest bit set in v, which is not 0. */
LSCHED_FN uint32_t h264i_top_bit(uint32_t v)
{
	return 31 - lsched_i_leading_zeros(v);
}

LSCHED_FN void h264i_bits_init(h264i_bits *b, uint32_t *word, uint32_t stride, uint32_t words)
{
	b->word = word;
	b->stride = stride;
	b->words = words;
	b->done = 0;
	b->fill = 0;
	b->acc = 0;
}

/* Number of bits written. */
LSCHED_FN uint64_t h264i_bits_position(const h264i_bits *b)
{
	return (uint64_t)b->done * 32 + b->fill;
}

/* 1 if more bits were written than the buffer holds. */
LSCHED_FN int h264i_bits_overflow(const h264i_bits *b)
{
	return b->done + (b->fill != 0) > b->words;
}

/* u(len), 0 <= len <= 32; code < 2^len. */
LSCHED_FN void h264i_bits_put(h264i_bits *b, uint32_t code, uint32_t len)
{
	b->acc = b->acc << len | code;
	b->fill += len;
	if (b->fill >= 32) {
		b->fill -= 32;
		if (b->done < b->words)
			b->word[(size_t)b->done * b->stride] = (uint32_t)(b->acc >> b->fill);
		b->done++;
	}
}

/* Stores the bits of the accumulator, followed by zeros. The position stays: more bits may
 * follow. */
LSCHED_FN void h264i_bits_flush(h264i_bits *b)
{
	if (b->fill && b->done < b->words)
		b->word[(size_t)b->done * b->stride] = (uint32_t)(b->acc << (32 - b->fill));
}

/* Length of ue(code_num), code_num <= 2^32 - 2 (clause 9.1). */
LSCHED_FN uint32_t h264i_ue_bits(uint32_t code_num)
{
	return 2 * h264i_top_bit(code_num + 1) + 1;
}

LSCHED_FN void h264i_bits_ue(h264i_bits *b, uint32_t code_num)
{
	uint32_t len = h264i_top_bit(code_num + 1) + 1;

	if (len <= 16) {
		h264i_bits_put(b, code_num + 1, 2 * len - 1);
	} else {
		h264i_bits_put(b, 0, len - 1);
		h264i_bits_put(b, code_num + 1, len);
	}
}

/* codeNum of se(value), |value| < 2^31 (clause 9.1.1): 0, 1, -1, 2, -2, ... */
LSCHED_FN uint32_t h264i_se_code_num(int32_t value)
{
	return value > 0 ? 2 * (uint32_t)value - 1 : 2 * (0u - (uint32_t)value);
}

LSCHED_FN void h264i_bits_se(h264i_bits *b, int32_t value)
{
	h264i_bits_ue(b, h264i_se_code_num(value));
}

/* Zero bits up to the next multiple of 8. */
LSCHED_FN void h264i_bits_align(h264i_bits *b)
{
	h264i_bits_put(b, 0, (0u - b->fill) & 7);
}

/* rbsp_trailing_bits() (clause 7.3.2.11). */
LSCHED_FN void h264i_bits_trailing(h264i_bits *b)
{
	h264i_bits_put(b, 1, 1);
	h264i_bits_align(b);
}

/* The first `bytes` bytes of a flushed word buffer of stride 1 in stream order. */
void h264i_i_bits_to_bytes(uint8_t *out, const uint32_t *word, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
