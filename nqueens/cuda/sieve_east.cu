/* Eastern patterns of a batch, sorted by key, and their division into jobs: sieve.h. */
#include "nqueens/cuda/sieve_pairs.cuh"
#include "nqueens/cuda/try.cuh"

enum {
	THREADS = 256,
	WARPS = THREADS / 32,
	SAMPLES = 512,  /* placements of a quarter that choose_kernel reads */
	EXTRA_BITS = 2, /* of a key, beyond those that make jobs if all halves were equal */
	TARGET_BLOCKS = 1 << 12,
	MOST_SLICES = 128,
	COMPATIBLE = 5 /* about one in so many eastern pairs is compatible */
};

/* Returns split k of the columns that a cross leaves; empty lists if it is not possible or not
 * counted. */
static __device__ split find_split(
	const nq_i_sieve_lists *l, const nq_i_sieve_work *w, const nq_i_sieve_east *e, uint32_t k)
{
	const uint32_t size = __popc(w->item.north);
	const uint32_t cols = l->sets[l->size_at[size] + k];
	split x = { 0, 0, 0, 0 };
	uint32_t i, j;

	if ((cols & ~e->cols) || !nq_i_image_east(l->order, &w->item, (1u << l->h) - 1, cols,
					 e->cols & ~cols, e->ahead))
		return x;
	i = l->quarters[w->quarter[NQ_I_NE]].heads + k;
	j = l->quarters[w->quarter[NQ_I_SE]].heads + l->rank[e->cols & ~cols];
	x.a = l->first[i];
	x.b = l->first[j];
	x.na = w->item.classes ? l->off_main[i] : l->first[i + 1] - x.a;
	x.nb = w->item.classes ? l->off_main[j] : l->first[j + 1] - x.b;
	return x;
}

static __device__ uint32_t splits_of(const nq_i_sieve_lists *l, const nq_i_sieve_work *w)
{
	const uint32_t size = __popc(w->item.north);

	return l->size_at[size + 1] - l->size_at[size];
}

/* ---- choice of the key ---- */

/* Adds the diagonals of a sample of a quarter's placements to ones[]; returns the size of the
 * sample. All threads of the block. */
static __device__ uint32_t sample(
	const nq_i_sieve_lists *l, uint32_t id, uint32_t quarter, uint32_t *ones)
{
	const nq_i_sieve_quarter *s = &l->quarters[id];
	const uint32_t size = __popc(s->rows);
	const uint32_t count =
		l->first[s->heads + l->size_at[size + 1] - l->size_at[size]] - s->base;
	const uint32_t n = min(count, (uint32_t)SAMPLES);

	for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
		const uint64_t p = l->packed[s->base + (uint64_t)i * count / n];
		uint64_t d = quarter == NQ_I_NE   ? nq_i_sieve_as_ne(p)
			     : quarter == NQ_I_SE ? nq_i_sieve_as_se(p)
			     : quarter == NQ_I_NW ? nq_i_sieve_as_nw(p)
						  : nq_i_sieve_as_sw(p);

		for (; d; d &= d - 1)
			atomicAdd(&ones[__ffsll((long long)d) - 1], 1u);
	}
	return n;
}

/* Fractions of the sampled placements that occupy a diagonal: in the east, of patterns; in the
 * west, the sum of both quarters. */
typedef struct occupied {
	float east, west;
} occupied;

static __device__ occupied occupied_of(
	const uint32_t (*ones)[NQ_I_SIEVE_DIAGONALS], const uint32_t *n, uint32_t d)
{
	occupied x;
	float f[4];

	for (uint32_t q = 0; q < 4; q++)
		f[q] = n[q] ? (float)ones[q][d] / (float)n[q] : 0;
	x.east = f[NQ_I_NE] + f[NQ_I_SE] - f[NQ_I_NE] * f[NQ_I_SE];
	x.west = f[NQ_I_NW] + f[NQ_I_SW];
	return x;
}

/* Returns the number of diagonals of a key. */
static __device__ uint32_t key_bits_for(double pairs, uint32_t job_patterns, uint32_t stride)
{
	uint32_t bits = 0;

	for (double left = pairs / COMPATIBLE; left > job_patterns; left /= 2)
		bits++;
	bits += EXTRA_BITS;
	while (bits > NQ_I_SIEVE_KEY_MAX || 1u << bits > stride)
		bits--;
	return bits;
}

/* Writes how many western placements each diagonal omits, and selects the diagonals with the
 * highest probability that a pattern and a western placement occupy both. All lanes of a warp. */
static __device__ void select_key(nq_i_sieve_work *w, const uint32_t (*ones)[NQ_I_SIEVE_DIAGONALS],
	const uint32_t *n, uint32_t bits)
{
	const uint32_t lane = threadIdx.x % 32;
	float score[2] = { -1, -1 };

	for (uint32_t d = lane; d < NQ_I_SIEVE_DIAGONALS; d += 32) {
		const occupied x = occupied_of(ones, n, d);

		w->weight[d] = (uint8_t)(127.5f * x.west);
		/* such patterns have no queen on a main diagonal */
		score[d / 32] = w->item.classes && d >= NQ_I_SIEVE_D1_MAIN ? 0 : x.east * x.west;
	}
	for (uint32_t k = 0; k < bits; k++) {
		uint32_t best = score[1] > score[0] ? lane + 32 : lane;
		float most = max(score[0], score[1]);

		for (uint32_t i = 16; i; i /= 2) {
			const float other = __shfl_xor_sync(0xffffffffu, most, i);
			const uint32_t d = __shfl_xor_sync(0xffffffffu, best, i);

			if (other > most || (other == most && d < best)) {
				most = other;
				best = d;
			}
		}
		if (lane == best)
			score[0] = -1;
		if (lane + 32 == best)
			score[1] = -1;
		if (lane == 0)
			w->key[k] = (uint8_t)best;
	}
	if (lane == 0)
		w->key_bits = (uint8_t)bits;
}

/* One block for each item. */
static __global__ __launch_bounds__(THREADS) void choose_kernel(
	const nq_i_sieve_lists lists, const nq_i_sieve_batch batch)
{
	__shared__ uint32_t ones[4][NQ_I_SIEVE_DIAGONALS], n[4];
	__shared__ unsigned long long pairs;
	const nq_i_sieve_lists *l = &lists;
	nq_i_sieve_work *w = &batch.works[blockIdx.x];
	const nq_i_sieve_line *line = &l->lines[w->item.line];
	const uint32_t splits = splits_of(l, w);
	unsigned long long sum = 0;

	for (uint32_t i = threadIdx.x; i < 4 * NQ_I_SIEVE_DIAGONALS; i += blockDim.x)
		ones[i / NQ_I_SIEVE_DIAGONALS][i % NQ_I_SIEVE_DIAGONALS] = 0;
	if (threadIdx.x == 0)
		pairs = 0;
	__syncthreads();
	for (uint32_t q = 0; q < 4; q++) {
		const uint32_t size = sample(l, w->quarter[q], q, ones[q]);

		if (threadIdx.x == 0)
			n[q] = size;
	}
	for (uint32_t i = threadIdx.x; i < splits * line->crosses; i += blockDim.x) {
		const split x =
			find_split(l, w, &l->east[line->first_cross + i / splits], i % splits);

		sum += (unsigned long long)x.na * x.nb;
	}
	if (sum)
		atomicAdd(&pairs, sum);
	__syncthreads();
	if (threadIdx.x < 32)
		select_key(
			w, ones, n, key_bits_for((double)pairs, batch.job_patterns, batch.stride));
}

/* ---- patterns ---- */

static __device__ split split_of_lane(split x, uint32_t lane)
{
	const split y = { __shfl_sync(0xffffffffu, x.a, lane), __shfl_sync(0xffffffffu, x.b, lane),
		__shfl_sync(0xffffffffu, x.na, lane), __shfl_sync(0xffffffffu, x.nb, lane) };

	return y;
}

/* Joins the splits that the warps of blockIdx.x take: each lane finds one, because many have no
 * pairs, and all lanes join those of each lane. tile: of this warp. */
static __device__ void join_item(const nq_i_sieve_lists *l, const pattern_sink *s, pair_tile *tile)
{
	const nq_i_sieve_work *w = s->work;
	const nq_i_sieve_line *line = &l->lines[w->item.line];
	const uint32_t splits = splits_of(l, w), all = splits * line->crosses;
	const uint32_t taken = gridDim.x * WARPS;
	const uint32_t first = blockIdx.x * WARPS + threadIdx.x / 32;

	for (uint32_t from = first; from < all; from += 32 * taken) {
		const uint32_t i = from + threadIdx.x % 32 * taken;
		split mine = { 0, 0, 0, 0 };
		uint32_t some;

		if (i < all)
			mine = find_split(
				l, w, &l->east[line->first_cross + i / splits], i % splits);
		some = __ballot_sync(0xffffffffu, mine.na && mine.nb);
		for (; some; some &= some - 1) {
			const uint32_t k = __ffs(some) - 1;
			const nq_i_sieve_east e =
				l->east[line->first_cross + (from + k * taken) / splits];

			join_split(l, &e, split_of_lane(mine, k), s, tile);
			__syncwarp();
		}
	}
}

/* blockIdx.y: item. */
static __global__ __launch_bounds__(THREADS) void count_keys_kernel(
	const nq_i_sieve_lists lists, const nq_i_sieve_batch batch)
{
	__shared__ nq_i_sieve_work work;
	__shared__ pair_tile tiles[WARPS];
	pattern_sink s;

	if (threadIdx.x == 0)
		work = batch.works[blockIdx.y];
	__syncthreads();
	s.work = &work;
	s.cursors = batch.cursors + (size_t)blockIdx.y * batch.stride;
	s.patterns = NULL;
	s.from = s.end = s.room = 0;
	join_item(&lists, &s, &tiles[threadIdx.x / 32]);
}

/* Writes for each key the number of patterns with lower keys; one block for each item. */
static __global__ __launch_bounds__(THREADS) void sum_keys_kernel(const nq_i_sieve_batch batch)
{
	__shared__ uint32_t sums[THREADS];
	const uint32_t *counts = batch.cursors + (size_t)blockIdx.x * batch.stride;
	uint32_t *ends = batch.ends + (size_t)blockIdx.x * (batch.stride + 1);
	const uint32_t each = (batch.stride + THREADS - 1) / THREADS, me = threadIdx.x;
	const uint32_t from = min(me * each, batch.stride), end = min(from + each, batch.stride);
	uint32_t sum = 0;

	for (uint32_t i = from; i < end; i++)
		sum += counts[i];
	sums[me] = sum;
	__syncthreads();
	sum = 0;
	for (uint32_t k = 0; k < me; k++)
		sum += sums[k];
	for (uint32_t i = from; i < end; i++) {
		ends[i] = sum;
		sum += counts[i];
	}
	if (me == THREADS - 1) {
		ends[batch.stride] = sum;
		batch.totals[blockIdx.x] = sum;
	}
}

/* Sets the cursors to the begin of each key among the sorted patterns. blockIdx.y: range. */
static __global__ __launch_bounds__(THREADS) void begin_keys_kernel(const nq_i_sieve_batch batch)
{
	const nq_i_sieve_range r = batch.ranges[blockIdx.y];
	const uint32_t *ends = batch.ends + (size_t)r.work * (batch.stride + 1);
	uint32_t *cursors = batch.cursors + (size_t)r.work * batch.stride;

	for (uint32_t i = r.from + blockIdx.x * blockDim.x + threadIdx.x; i < r.end;
		i += gridDim.x * blockDim.x)
		cursors[i] = r.base + ends[i] - ends[r.from];
}

static __global__ __launch_bounds__(THREADS) void store_kernel(
	const nq_i_sieve_lists lists, const nq_i_sieve_batch batch, uint32_t room)
{
	__shared__ nq_i_sieve_work work;
	__shared__ pair_tile tiles[WARPS];
	const nq_i_sieve_range r = batch.ranges[blockIdx.y];
	pattern_sink s;

	if (threadIdx.x == 0)
		work = batch.works[r.work];
	__syncthreads();
	s.work = &work;
	s.cursors = batch.cursors + (size_t)r.work * batch.stride;
	s.patterns = batch.patterns;
	s.from = r.from;
	s.end = r.end;
	s.room = room;
	join_item(&lists, &s, &tiles[threadIdx.x / 32]);
}

/* ---- jobs ---- */

static __device__ void add_jobs(
	const nq_i_sieve_batch *b, uint32_t work, uint32_t first, uint32_t count)
{
	const uint32_t n = (count + b->job_patterns - 1) / b->job_patterns;
	const uint32_t at = atomicAdd(b->job_count, n);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t from = i * b->job_patterns;
		const nq_i_sieve_job job = { work, first + from,
			min(count - from, b->job_patterns) };

		if (at + i < b->job_room)
			b->jobs[at + i] = job;
	}
}

/* Each thread takes nodes of the tree of keys. A node is a job if it has at most job_patterns
 * patterns, and its parent more; a single key with more patterns is several jobs. blockIdx.y:
 * range. */
static __global__ __launch_bounds__(THREADS) void jobs_kernel(const nq_i_sieve_batch batch)
{
	const nq_i_sieve_range r = batch.ranges[blockIdx.y];
	const uint32_t *ends = batch.ends + (size_t)r.work * (batch.stride + 1);
	const uint32_t bits = batch.works[r.work].key_bits;

	/* node 1 is the root; the children of node i are 2i and 2i + 1 */
	for (uint32_t node = 1 + blockIdx.x * blockDim.x + threadIdx.x; node < 2u << bits;
		node += gridDim.x * blockDim.x) {
		const uint32_t level = 31 - __clz(node), below = bits - level;
		const uint32_t key = (node - (1u << level)) << below;
		const uint32_t from = max(key, r.from);
		const uint32_t end = min(key + (1u << below), r.end);
		const uint32_t parent = key & ~((2u << below) - 1);
		const uint32_t parent_from = max(parent, r.from);
		const uint32_t parent_end = min(parent + (2u << below), r.end);
		uint32_t count;

		if (from >= end)
			continue;
		count = ends[end] - ends[from];
		if (!count || (count > batch.job_patterns && below))
			continue;
		if (level && ends[parent_end] - ends[parent_from] <= batch.job_patterns)
			continue;
		add_jobs(&batch, r.work, r.base + ends[from] - ends[r.from], count);
	}
}

/* ---- launches ---- */

static uint32_t slices_of(uint32_t items)
{
	const uint32_t n = TARGET_BLOCKS / (items ? items : 1);

	return n < 1 ? 1 : n > MOST_SLICES ? (uint32_t)MOST_SLICES : n;
}

cudaError_t nq_i_sieve_count_keys(
	const nq_i_sieve_lists *l, const nq_i_sieve_batch *b, cudaStream_t stream)
{
	const dim3 grid(slices_of(b->count), b->count);

	TRY(cudaMemsetAsync(
		b->cursors, 0, (size_t)b->count * b->stride * sizeof(*b->cursors), stream));
	choose_kernel<<<b->count, THREADS, 0, stream>>>(*l, *b);
	count_keys_kernel<<<grid, THREADS, 0, stream>>>(*l, *b);
	sum_keys_kernel<<<b->count, THREADS, 0, stream>>>(*b);
	return cudaGetLastError();
}

cudaError_t nq_i_sieve_sort(
	const nq_i_sieve_lists *l, const nq_i_sieve_batch *b, uint32_t count, cudaStream_t stream)
{
	const dim3 grid(slices_of(count), count), one(1, count);

	TRY(cudaMemsetAsync(b->job_count, 0, sizeof(*b->job_count), stream));
	TRY(cudaMemsetAsync(b->next_job, 0, 2 * sizeof(*b->next_job), stream));
	begin_keys_kernel<<<one, THREADS, 0, stream>>>(*b);
	jobs_kernel<<<one, THREADS, 0, stream>>>(*b);
	store_kernel<<<grid, THREADS, 0, stream>>>(*l, *b, b->pattern_room);
	return cudaGetLastError();
}
