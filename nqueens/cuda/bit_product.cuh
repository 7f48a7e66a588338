/* Products of matrices of bits on the tensor cores, for both joins. */
#ifndef NQUEENS_CUDA_BIT_PRODUCT_CUH
#define NQUEENS_CUDA_BIT_PRODUCT_CUH

#include <stdint.h>

static __device__ __forceinline__ uint32_t lane_id(void)
{
	return threadIdx.x % 32;
}

static __device__ __forceinline__ uint32_t warp_id(void)
{
	return threadIdx.x / 32;
}

static __device__ __forceinline__ uint32_t warps(void)
{
	return blockDim.x / 32;
}

static __device__ __forceinline__ uint4 or4(uint4 a, uint4 b)
{
	return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}

static __device__ __forceinline__ uint4 and4(uint4 a, uint4 b)
{
	return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}

/* Transposes a matrix of 32 x 32 bits whose row i is x of lane i; all lanes. Step k exchanges bits
 * j + k of lanes i with bits j of lanes i + k. */
static __device__ __forceinline__ uint32_t transpose_bits(uint32_t x)
{
	const uint32_t lane = threadIdx.x % 32;
	uint32_t low = 0xffff;

#pragma unroll
	for (uint32_t k = 16; k; k /= 2, low ^= low << k) {
		const uint32_t y = __shfl_xor_sync(0xffffffffu, x, k);
		const uint32_t own = lane & k ? ~low : low, turn = lane & k ? 32 - k : k;

		x = (x & own) | (__funnelshift_l(y, y, turn) & ~own);
	}
	return x;
}

/* Adds the product of 16 rows of bits and 8 columns of bits, 256 each. */
static __device__ __forceinline__ void multiply(
	uint32_t *d, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		: "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
	/* the host refuses such devices when it chooses the shape of the kernel */
	__trap();
#endif
}

/* Adds the weighted sums of columns 2t and 2t + 1 to *sum, those without a main diagonal to
 * *off_main. */
static __device__ __forceinline__ void add_by_class(
	uint32_t x, uint32_t y, uint2 lower, int32_t *sum, int32_t *off_main)
{
	const int on_main_x = (int32_t)lower.x < 0, on_main_y = (int32_t)lower.y < 0;

	*sum += (int32_t)((x & 0xffff) << on_main_x) + (int32_t)((y & 0xffff) << on_main_y);
	if (!on_main_x)
		*off_main += (int32_t)(x >> 16);
	if (!on_main_y)
		*off_main += (int32_t)(y >> 16);
}

#endif
