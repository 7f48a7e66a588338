/* Differences between gcc and nvcc in text that both compile: inlining and wide loads.
 * No other shared text of the encoder tests __CUDACC__ or __CUDA_ARCH__. */
#ifndef H264INTRA_CORE_LANGUAGE_H
#define H264INTRA_CORE_LANGUAGE_H

#include <stdint.h>

#include "h264intra/core/format.h"
#include "libsched/core/bits.h"

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#endif

/* A function that is inlined in C too, where that makes constants of its arguments. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define H264I_INLINE_FN LSCHED_FN __attribute__((always_inline))
#else
#define H264I_INLINE_FN LSCHED_FN
#endif

/* 1 where a branch that depends on data is slow because it is predicted wrongly, not because lanes
 * diverge. */
#ifdef __CUDACC__
#define H264I_PREDICTS_BRANCHES 0
#else
#define H264I_PREDICTS_BRANCHES 1
#endif

/* Bit i is set when level[i] is not 0, i < count; count is 16 or 4. In device code `level` is
 * aligned to 8 bytes. */
H264I_INLINE_FN uint32_t h264i_nonzero_mask(const int16_t *level, int count)
{
	uint32_t mask = 0;
	int i;

#ifdef __CUDA_ARCH__
	/* 16 levels in four loads */
	const uint2 *pair = (const uint2 *)level;

	LSCHED_UNROLL
	for (i = 0; i < 4; i++) {
		if (4 * i < count) {
			uint2 v = pair[i];

			mask |= (uint32_t)((v.x & 0xffff) != 0) << (4 * i);
			mask |= (uint32_t)((v.x >> 16) != 0) << (4 * i + 1);
			mask |= (uint32_t)((v.y & 0xffff) != 0) << (4 * i + 2);
			mask |= (uint32_t)((v.y >> 16) != 0) << (4 * i + 3);
		}
	}
#elif defined(__SSE2__) && !defined(__CUDACC__)
	__m128i zero = _mm_setzero_si128(), low, high = zero;

	(void)i;
	if (count == 4) {
		low = _mm_loadl_epi64((const __m128i *)level);
	} else {
		low = _mm_loadu_si128((const __m128i *)level);
		high = _mm_loadu_si128((const __m128i *)(level + 8));
	}
	low = _mm_packs_epi16(_mm_cmpeq_epi16(low, zero), _mm_cmpeq_epi16(high, zero));
	mask = ~(uint32_t)_mm_movemask_epi8(low) & 0xffff;
#else
	for (i = 0; i < count; i++)
		mask |= (uint32_t)(level[i] != 0) << i;
#endif
	return mask;
}

/* Byte k - 4 of `word`, 4 <= k < 8. */
LSCHED_FN uint32_t h264i_byte_4_to_7(uint32_t word, uint32_t k)
{
#ifdef __CUDA_ARCH__
	uint32_t r;

	asm("prmt.b32 %0, 0, %1, %2;" : "=r"(r) : "r"(word), "r"(k));
	return r;
#else
	return word >> (8 * (k - 4)) & 255;
#endif
}

/* *at += v, in device code atomically; returns *at before. */
LSCHED_FN uint32_t h264i_fetch_add(uint32_t *at, uint32_t v)
{
#ifdef __CUDA_ARCH__
	return atomicAdd(at, v);
#else
	uint32_t old = *at;

	*at = old + v;
	return old;
#endif
}

/* Loads `count` samples side by side into v. In device code `at` is aligned to 4 bytes, `count`
 * is a multiple of 4, and a sample has 8 bits. */
LSCHED_FN void h264i_load_samples(int *v, const h264i_px *at, int count)
{
#ifdef __CUDA_ARCH__
	static_assert(sizeof(h264i_px) == 1, "four samples a word");
	for (int i = 0; i < count; i += 4) {
		uint32_t word = *(const uint32_t *)(at + i);

		for (int k = 0; k < 4; k++)
			v[i + k] = (int)(word >> 8 * k & 255);
	}
#else
	for (int i = 0; i < count; i++)
		v[i] = at[i];
#endif
}

/* Stores them, likewise. */
LSCHED_FN void h264i_store_samples(const int *v, h264i_px *at, int count)
{
#ifdef __CUDA_ARCH__
	static_assert(sizeof(h264i_px) == 1, "four samples a word");
	for (int i = 0; i < count; i += 4)
		*(uint32_t *)(at + i) = (uint32_t)v[i] | (uint32_t)v[i + 1] << 8 |
					(uint32_t)v[i + 2] << 16 | (uint32_t)v[i + 3] << 24;
#else
	for (int i = 0; i < count; i++)
		at[i] = (h264i_px)v[i];
#endif
}

#endif
