/* Radix sort by kernels, the way a CUDA programmer writes it: for each 8 bits count the digits of
 * all tiles, add up, and scatter the keys, ordered in shared memory first. For the rows `plain` of
 * workloads. CUDA only. */
#ifndef WORKLOADS_COMMON_RADIX_CUH
#define WORKLOADS_COMMON_RADIX_CUH

#include <stdint.h>
#include <stdio.h>

enum {
	RADIX_THREADS = 256,
	RADIX_WARPS = RADIX_THREADS / 32,
	RADIX_DIGITS = 256,              /* a thread for each */
	RADIX_CHUNK = 16 * RADIX_THREADS /* counters that a block adds up */
};

/* Keys of a tile, by their size. */
template <typename K> struct radix_shape {
	enum { each = sizeof(K) == 4 ? 16 : 8, tile = each * RADIX_THREADS };
};

template <typename K> static __device__ uint32_t radix_digit(K key, uint32_t shift)
{
	return (uint32_t)(key >> shift) & (RADIX_DIGITS - 1);
}

/* Returns the sum of v over the threads with lower numbers; *total: over the block. */
static __device__ uint32_t radix_block_scan(uint32_t v, uint32_t *total)
{
	__shared__ uint32_t part[RADIX_WARPS];
	const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	uint32_t sum = v, before = 0;

	for (uint32_t k = 1; k < 32; k *= 2) {
		const uint32_t other = __shfl_up_sync(0xffffffffu, sum, k);

		sum += lane >= k ? other : 0;
	}
	__syncthreads(); /* the last call's readers */
	if (lane == 31)
		part[warp] = sum;
	__syncthreads();
	*total = 0;
	for (uint32_t k = 0; k < RADIX_WARPS; k++) {
		before += k < warp ? part[k] : 0;
		*total += part[k];
	}
	return before + sum - v;
}

/* count[digit][tile]: keys of the tile that have the digit. A block for each tile. */
template <typename K>
static __global__ void __launch_bounds__(RADIX_THREADS)
	radix_count_kernel(const K *key, uint32_t n, uint32_t shift, uint32_t *count)
{
	__shared__ uint32_t digits[RADIX_DIGITS];

	digits[threadIdx.x] = 0;
	__syncthreads();
	for (uint32_t j = 0; j < radix_shape<K>::each; j++) {
		const uint32_t i =
			blockIdx.x * radix_shape<K>::tile + j * RADIX_THREADS + threadIdx.x;

		if (i < n)
			atomicAdd(&digits[radix_digit(key[i], shift)], 1u);
	}
	__syncthreads();
	count[(size_t)threadIdx.x * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}

/* sum[chunk]: of RADIX_CHUNK counters. */
static __global__ void __launch_bounds__(RADIX_THREADS)
	radix_sum_kernel(const uint32_t *count, size_t m, uint32_t *sum)
{
	uint32_t v = 0, total;

	for (uint32_t j = 0; j < RADIX_CHUNK / RADIX_THREADS; j++) {
		const size_t i = (size_t)blockIdx.x * RADIX_CHUNK + j * RADIX_THREADS + threadIdx.x;

		v += i < m ? count[i] : 0;
	}
	(void)radix_block_scan(v, &total);
	if (threadIdx.x == 0)
		sum[blockIdx.x] = total;
}

/* Replaces the sums of the chunks by the sums of those before. One block. */
static __global__ void __launch_bounds__(RADIX_THREADS)
	radix_scan_sums_kernel(uint32_t *sum, uint32_t chunks)
{
	uint32_t carry = 0;

	for (uint32_t begin = 0; begin < chunks; begin += RADIX_THREADS) {
		const uint32_t i = begin + threadIdx.x;
		uint32_t total, before = radix_block_scan(i < chunks ? sum[i] : 0, &total);

		if (i < chunks)
			sum[i] = carry + before;
		carry += total;
	}
}

/* Replaces each counter by the sum of those before. */
static __global__ void __launch_bounds__(RADIX_THREADS)
	radix_scan_kernel(uint32_t *count, size_t m, const uint32_t *sum)
{
	uint32_t carry = sum[blockIdx.x];

	for (uint32_t j = 0; j < RADIX_CHUNK / RADIX_THREADS; j++) {
		const size_t i = (size_t)blockIdx.x * RADIX_CHUNK + j * RADIX_THREADS + threadIdx.x;
		uint32_t total, before = radix_block_scan(i < m ? count[i] : 0, &total);

		if (i < m)
			count[i] = carry + before;
		carry += total;
	}
}

/* Moves keys, and values unless these are NULL, to their places. A warp has neighbouring keys, so
 * that equal digits stay in order. A block for each tile; `place` as the scan leaves it. */
template <typename K>
static __global__ void __launch_bounds__(RADIX_THREADS)
	radix_scatter_kernel(const K *key, const uint32_t *value, K *key_to, uint32_t *value_to,
		uint32_t n, uint32_t shift, const uint32_t *place)
{
	enum { each = radix_shape<K>::each, tile = radix_shape<K>::tile };
	__shared__ K keys[tile];
	__shared__ uint32_t values[tile], before[RADIX_WARPS][RADIX_DIGITS];
	__shared__ uint32_t begin[RADIX_DIGITS], to[RADIX_DIGITS];
	const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * tile;
	const uint32_t count = n - first < tile ? n - first : (uint32_t)tile;
	uint32_t rank[each], sum = 0, total;
	K own[each];

	for (uint32_t w = 0; w < RADIX_WARPS; w++)
		before[w][threadIdx.x] = 0;
	__syncthreads();
#pragma unroll
	for (uint32_t j = 0; j < each; j++) {
		const uint32_t i = warp * (32 * each) + j * 32 + lane;
		uint32_t digit, same, lower;

		own[j] = i < count ? key[first + i] : (K) ~(K)0; /* the last of the tile */
		digit = radix_digit(own[j], shift);
		same = __match_any_sync(0xffffffffu, digit);
		lower = __popc(same & ((1u << lane) - 1u));
		rank[j] = before[warp][digit] + lower;
		__syncwarp();
		if (lower == 0)
			before[warp][digit] += __popc(same);
		__syncwarp();
	}
	__syncthreads();
	for (uint32_t w = 0; w < RADIX_WARPS; w++) {
		const uint32_t v = before[w][threadIdx.x];

		before[w][threadIdx.x] = sum;
		sum += v;
	}
	begin[threadIdx.x] = radix_block_scan(sum, &total);
	to[threadIdx.x] = place[(size_t)threadIdx.x * gridDim.x + blockIdx.x] - begin[threadIdx.x];
	__syncthreads();
#pragma unroll
	for (uint32_t j = 0; j < each; j++) {
		const uint32_t i = warp * (32 * each) + j * 32 + lane;
		const uint32_t digit = radix_digit(own[j], shift);
		const uint32_t at = begin[digit] + before[warp][digit] + rank[j];

		keys[at] = own[j];
		if (value && i < count)
			values[at] = value[first + i];
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < count; i += RADIX_THREADS) {
		const uint32_t at = to[radix_digit(keys[i], shift)] + i;

		key_to[at] = keys[i];
		if (value)
			value_to[at] = values[i];
	}
}

/* Words of scratch memory for n keys. */
template <typename K> static size_t radix_scratch_words(uint32_t n)
{
	const size_t tiles = n / radix_shape<K>::tile + 1, m = tiles * RADIX_DIGITS;

	return m + m / RADIX_CHUNK + 1;
}

/* Enqueues the replacement of m counters by the sums of those before. `sum`: room for one word for
 * each RADIX_CHUNK of them. */
static void radix_scan(uint32_t *count, size_t m, uint32_t *sum, cudaStream_t stream)
{
	const uint32_t chunks = (uint32_t)((m + RADIX_CHUNK - 1) / RADIX_CHUNK);

	radix_sum_kernel<<<chunks, RADIX_THREADS, 0, stream>>>(count, m, sum);
	radix_scan_sums_kernel<<<1, RADIX_THREADS, 0, stream>>>(sum, chunks);
	radix_scan_kernel<<<chunks, RADIX_THREADS, 0, stream>>>(count, m, sum);
}

/* Enqueues the passes for `bits` bits, rounded up to 8, from the lowest on. Keys go from key[0] to
 * key[1] and back; the result is in key[passes % 2]. */
template <typename K>
static void radix_sort(K *const key[2], uint32_t *const value[2], uint32_t n, uint32_t bits,
	uint32_t *scratch, cudaStream_t stream)
{
	const uint32_t tiles = n / radix_shape<K>::tile + (n % radix_shape<K>::tile != 0);
	const size_t m = (size_t)tiles * RADIX_DIGITS;
	uint32_t from = 0;

	for (uint32_t shift = 0; n && shift < bits; shift += 8, from ^= 1) {
		radix_count_kernel<K>
			<<<tiles, RADIX_THREADS, 0, stream>>>(key[from], n, shift, scratch);
		radix_scan(scratch, m, scratch + m, stream);
		radix_scatter_kernel<K><<<tiles, RADIX_THREADS, 0, stream>>>(
			key[from], value[from], key[from ^ 1], value[from ^ 1], n, shift, scratch);
	}
}

/* A measurement of kernels on the device of a context. */
typedef struct radix_clock {
	cudaEvent_t begin, end;
	int device;
} radix_clock;

static cudaError_t radix_clock_open(radix_clock *c, int device)
{
	cudaError_t e = cudaGetDevice(&c->device);

	c->begin = c->end = NULL;
	if (e == cudaSuccess)
		e = cudaSetDevice(device);
	if (e == cudaSuccess)
		e = cudaEventCreate(&c->begin);
	if (e == cudaSuccess)
		e = cudaEventCreate(&c->end);
	return e;
}

/* Waits for the kernels and sets their time; `e`: an error before. */
static cudaError_t radix_clock_read(radix_clock *c, cudaError_t e, uint64_t *ns)
{
	float ms = 0;

	if (e == cudaSuccess)
		e = cudaGetLastError();
	if (e == cudaSuccess)
		e = cudaEventRecord(c->end);
	if (e == cudaSuccess)
		e = cudaEventSynchronize(c->end);
	if (e == cudaSuccess)
		e = cudaEventElapsedTime(&ms, c->begin, c->end);
	*ns = (uint64_t)((double)ms * 1e6);
	return e;
}

/* Ends the measurement of a program whose result is `e`. Returns 0, or -1 with why. */
static int radix_clock_close(radix_clock *c, cudaError_t e, const char *what, char *why, size_t n)
{
	if (c->begin)
		cudaEventDestroy(c->begin);
	if (c->end)
		cudaEventDestroy(c->end);
	cudaSetDevice(c->device);
	if (e == cudaSuccess)
		return 0;
	snprintf(why, n, "%s by kernels: %s", what, cudaGetErrorString(e));
	return -1;
}

#endif
