/* Samples in device code. As in C, their type and the chroma format are those of core/format.h:
 * h264i_px, H264I_CHROMA_W and H264I_CHROMA_H. Lanes load and compute with several samples at once,
 * in types and functions that depend on the depth; this header has all of them. The kernels take
 * them from here, and count positions, pitches and edges in samples. */
#ifndef H264INTRA_CUDA_SAMPLES_CUH
#define H264INTRA_CUDA_SAMPLES_CUH

#include "h264intra/core/format.h"
#include "h264intra/cuda/function.cuh"

#include <stdint.h>

#if H264I_BIT_DEPTH == 8

/* Four, eight and sixteen samples, the first one in the lowest bits. The members of the latter two,
 * x and y, or x to w, are four samples each. */
typedef uint32_t px4;
typedef uint2 px8;
typedef uint4 px16;

/* Byte selector without the masking that __byte_perm adds. */
GPU_FN uint32_t permute(uint32_t a, uint32_t b, uint32_t sel)
{
	uint32_t r;

	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sel));
	return r;
}

/* Samples of a and b, which are numbered 0..3 and 4..7: that of result i is in bits 4 * i of
 * `select`; bits from 16 on are ignored. */
GPU_FN px4 px4_select(px4 a, px4 b, uint32_t select)
{
	return permute(a, b, select);
}

/* Four times `sample`, in a form whose result the compiler knows where it knows the sample. */
GPU_FN px4 px4_splat(uint32_t sample)
{
	return __byte_perm(sample, 0, 0);
}

/* The same in a form that it does not see through, and does not move. */
GPU_FN px4 px4_all(int sample)
{
	return permute((uint32_t)sample, 0, 0);
}

/* Of four single samples. */
GPU_FN px4 px4_of(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return permute(permute(a, b, 0x0040), permute(c, d, 0x0040), 0x5410);
}

GPU_FN px4 px4_zero(void)
{
	return 0;
}

/* v, which has 0 there, with sample i. */
GPU_FN px4 px4_with(px4 v, int i, uint32_t sample)
{
	return v | sample << (8 * i);
}

/* Of three single samples; the fourth is not used. */
GPU_FN px4 px4_of3(int a, int b, int c)
{
	return (px4)(a | b << 8 | c << 16);
}

/* Sample i. */
GPU_FN int px4_get(px4 v, int i)
{
	return (int)(v >> 8 * i & H264I_PX_MAX);
}

/* Sample 3. */
GPU_FN int px4_last(px4 v)
{
	return (int)(v >> 24);
}

/* A word that is no samples, in the place of some, and back. */
GPU_FN px4 px4_of_word(uint32_t word)
{
	return word;
}

GPU_FN uint32_t px4_word(px4 v)
{
	return v;
}

/* acc + sum of samples times the signed bytes of k. */
GPU_FN int px4_dot(px4 v, int32_t k, int acc)
{
	int r;

	asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "r"(k), "r"(acc));
	return r;
}

/* acc + the sum of samples, and of their squares. */
GPU_FN uint32_t px4_sum(px4 v, uint32_t acc)
{
	return __dp4a(v, 0x01010101u, acc);
}

GPU_FN uint32_t px4_squares(px4 v, uint32_t acc)
{
	return __dp4a(v, v, acc);
}

/* r added to each, clipped. */
GPU_FN px4 px4_add(px4 v, int r)
{
	v = __vaddus4(v, px4_splat((uint32_t)min(max(r, 0), (int)H264I_PX_MAX)));
	return __vsubus4(v, px4_splat((uint32_t)min(max(-r, 0), (int)H264I_PX_MAX)));
}

/* 1 in place of 0. */
GPU_FN px4 px4_not_zero(px4 v)
{
	return __vmaxu4(v, 0x01010101u);
}

/* The four of lane `from` of each group of 16 lanes. */
GPU_FN px4 px4_from_lane16(px4 v, int from)
{
	return __shfl_sync(0xffffffffu, v, from, 16);
}

/* Even (Cb) or odd ones (Cr) of eight samples of NV12. */
GPU_FN px4 px8_half(px8 v, int odd)
{
	return permute(v.x, v.y, odd ? 0x7531 : 0x6420);
}

GPU_FN px8 px8_of(px4 low, px4 high)
{
	return make_uint2(low, high);
}

GPU_FN px16 px16_of(px4 a, px4 b, px4 c, px4 d)
{
	return make_uint4(a, b, c, d);
}

#else
#error "device code has samples of 8 bits only"
#endif

/* Samples that are side by side, aligned to their number. */
GPU_FN px4 px4_at(const h264i_px *at)
{
	return *reinterpret_cast<const px4 *>(at);
}

/* The same by a volatile load. */
GPU_FN px4 px4_at_once(const h264i_px *at)
{
	return *reinterpret_cast<const volatile px4 *>(at);
}

/* The same, to store to. */
GPU_FN px4 *px4_in(h264i_px *at)
{
	return reinterpret_cast<px4 *>(at);
}

#endif
