/* The join's hot part: see join.h. */
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/board.h"
#include "nqueens/cuda/join.h"
#include "nqueens/join/sides.h"

enum {
	WARPS = 16,
	THREADS = 32 * WARPS,
	CHUNK = 512, /* patterns: 16 words, of which the four lanes of a matrix row hold four each */
	QUADS = CHUNK / 128,
	TILES = 4, /* of 16 NW rows, which a warp holds while SW rows pass by */
	BLOCK_ROWS = 16 * TILES,
	/* entries of the table before those of parts */
	SLOT_ALL = 0,  /* shares a diagonal with everything: what pads the lists */
	SLOT_NONE = 1, /* with nothing: a part that a row has not */
	SLOTS = 2,
	DIAGONALS = NQ__PATTERN_BITS,
	ZERO_ROW = DIAGONALS,
	TOUCH_NW = 30, /* bits of flags besides those of nq__upper, nq__lower */
	TOUCH_SW = 31
};

#define UPPER_BITS ((uint32_t)NQ__FIELD_MASK << NQ__HIGH | (uint32_t)NQ__FIELD_MASK << NQ__FAR)

/* A block's memory of its own. Rows: their slots, two a word, and flags. */
typedef struct desk {
	uint64_t *patterns;
	uint2 *slots;
	uint32_t *flags;
	uint4 *pieces;
} desk;

typedef struct desks {
	uint64_t *patterns;
	uint2 *slots;
	uint32_t *flags;
	uint4 *pieces;
	uint32_t patterns_each, rows_each, pieces_each;
} desks;

/* What a warp takes at once: up to 64 NW rows (in tiles of 16) and all their SW partners (tiles of 8). */
static __device__ uint4 piece_of(uint32_t nw, uint32_t nw_tiles, uint32_t sw, uint32_t sw_tiles)
{
	return make_uint4(nw, nw_tiles, sw, sw_tiles);
}

typedef struct shared {
	uint4 diagonals[DIAGONALS + 1][QUADS];
	uint4 squares[2][NQ__NO_SQUARE + 1][QUADS]; /* D1 or D2 of a NW, SW queen */
	uint32_t item, patterns, rows, pieces, next_piece, next_cols;
	/* parts of the two western quarters */
	uint32_t part_rows[2][NQ__PARTS_MAX], slot_at[2][NQ__PARTS_MAX], parts[2], slots;
	unsigned long long sum;
} shared;

static __device__ uint32_t lane_id(void)
{
	return threadIdx.x % 32;
}

static __device__ uint4 or4(uint4 a, uint4 b)
{
	return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}

/* ---- the eastern patterns ---- */

static __device__ void make_east(const nq__join_lists *l, const nq__join_cross *c,
	const nq__join_item *item, shared *s, const desk *d)
{
	const uint32_t size = __popc(item->north), lane = lane_id();
	const uint32_t at = l->size_at[size], splits = l->size_at[size + 1] - at;

	for (uint32_t k = threadIdx.x / 32; k < splits; k += WARPS) {
		const uint32_t cols = l->sets[at + k];
		uint32_t a, b, na, nb;

		if (cols & ~c->east_cols)
			continue;
		a = l->base[item->north] + l->rank[cols];
		b = l->base[item->south] + l->rank[c->east_cols & ~cols];
		na = item->classes ? l->quiet[a] : l->first[a + 1] - l->first[a];
		nb = item->classes ? l->quiet[b] : l->first[b + 1] - l->first[b];
		a = l->first[a];
		b = l->first[b];
		for (uint32_t i = lane; i - lane < na * nb; i += 32) {
			uint64_t p = 0;
			uint32_t legal = 0, found, place = 0;

			if (i < na * nb) {
				const uint32_t ne = l->packed[a + i % na];
				const uint32_t se = l->packed[b + i / na];
				const uint64_t x = nq__as_ne(ne), y = nq__as_se(se);

				legal = !((ne & c->no_ne) | (se & c->no_se)) && !(x & y);
				p = x | y;
			}
			found = __ballot_sync(0xffffffffu, legal);
			if (lane == 0 && found)
				place = atomicAdd(&s->patterns, __popc(found));
			place = __shfl_sync(0xffffffffu, place, 0);
			if (legal)
				d->patterns[place + __popc(found & ((1u << lane) - 1))] = p;
		}
	}
}

/* ---- the western rows ---- */

/* Rows of a list that are not forbidden go to desk + at, padded to a multiple of pad. Returns how many. */
static __device__ uint32_t take_rows(const nq__join_lists *l, shared *s, const desk *d,
	uint32_t side, uint32_t list, uint32_t forbidden, uint32_t at, uint32_t pad)
{
	const uint32_t lane = lane_id(), first = l->first[list];
	const uint32_t count = l->first[list + 1] - first;
	uint32_t n = 0;

	for (uint32_t i = lane; i - lane < count; i += 32) {
		const uint32_t p = i < count ? l->packed[first + i] : 0;
		const uint32_t keep = i < count && !(p & forbidden);
		const uint32_t kept = __ballot_sync(0xffffffffu, keep);

		if (keep) {
			const nq__choice choice = l->choices[first + i];
			const uint32_t to = at + n + __popc(kept & ((1u << lane) - 1));
			uint32_t slot[NQ__PARTS_MAX];

			for (uint32_t k = 0; k < NQ__PARTS_MAX; k++)
				slot[k] = k < s->parts[side] ? s->slot_at[side][k] + choice.entry[k]
							     : (uint32_t)SLOT_NONE;
			d->slots[to] = make_uint2(slot[0] | slot[1] << 16, slot[2] | slot[3] << 16);
			d->flags[to] = side ? nq__lower(p) | (p >> NQ__TOUCH) << TOUCH_SW
					    : nq__upper(p) | (p >> NQ__TOUCH) << TOUCH_NW;
		}
		n += __popc(kept);
	}
	/* SLOT_ALL is 0 */
	for (uint32_t i = n + lane; i < (n + pad - 1) / pad * pad; i += 32) {
		d->slots[at + i] = make_uint2(SLOT_ALL, SLOT_ALL);
		d->flags[at + i] = 0;
	}
	return n;
}

static __device__ void make_west(const nq__join_lists *l, const nq__join_cross *c,
	const nq__join_item *item, shared *s, const desk *d)
{
	const uint32_t full = (1u << l->h) - 1, lane = lane_id();
	const uint32_t north = full & ~item->north, south = c->south_rows & ~item->south;
	const uint32_t size = __popc(north);
	const uint32_t at = l->size_at[size], splits = l->size_at[size + 1] - at;

	for (uint32_t k = threadIdx.x / 32; k < splits; k += WARPS) {
		const uint32_t cols = l->sets[at + k];
		const uint32_t a = l->base[north] + l->rank[cols];
		const uint32_t b = l->base[south] + l->rank[full & ~cols];
		const uint32_t room_a = (l->first[a + 1] - l->first[a] + 15) & ~15u;
		const uint32_t room_b = (l->first[b + 1] - l->first[b] + 7) & ~7u;
		uint32_t to = 0, na, nb, piece = 0;

		if (!room_a || !room_b)
			continue;
		if (lane == 0)
			to = atomicAdd(&s->rows, room_a + room_b);
		to = __shfl_sync(0xffffffffu, to, 0);
		na = take_rows(l, s, d, 0, a, c->no_nw, to, 16);
		nb = na ? take_rows(l, s, d, 1, b, c->no_sw, to + room_a, 8) : 0;
		if (!nb)
			continue;
		na = (na + 15) / 16;
		nb = (nb + 7) / 8;
		if (lane == 0)
			piece = atomicAdd(&s->pieces, (na + TILES - 1) / TILES);
		piece = __shfl_sync(0xffffffffu, piece, 0);
		for (uint32_t i = lane; i * TILES < na; i += 32)
			d->pieces[piece + i] = piece_of(to + i * BLOCK_ROWS,
				na - i * TILES < TILES ? na - i * TILES : (uint32_t)TILES,
				to + room_a, nb);
	}
}

/* ---- a chunk's table ---- */

/* The diagonals of a chunk's patterns as rows of bits: a warp turns 32 patterns. What is missing of the last
 * chunk is a pattern of ones, which every row shares a diagonal with: each has a queen, and so a q. */
static __device__ void make_diagonals(shared *s, const desk *d, uint32_t from, uint32_t end)
{
	const uint32_t warp = threadIdx.x / 32, at = from + threadIdx.x;
	const uint64_t p = at < end ? d->patterns[at] : ~(uint64_t)0;
	uint32_t *rows = (uint32_t *)s->diagonals;

	for (uint32_t k = 0; k < DIAGONALS; k++) {
		const uint32_t row = __ballot_sync(0xffffffffu, p >> k & 1);

		if (lane_id() == k % 32)
			rows[k * (CHUNK / 32) + warp] = row;
	}
}

/* Which of the rows a western queen's diagonals are: D1 and D2. */
static __device__ uint2 rows_of(const nq__join_lists *l, uint32_t side, uint32_t u, uint32_t v)
{
	const uint32_t far = l->gap + u + v;
	const uint32_t none = far > l->field;

	if (side == 0)
		return make_uint2(none ? (uint32_t)ZERO_ROW : NQ__D1_LOW + far - 1,
			u == v  ? (uint32_t)NQ__D2_MAIN
			: u > v ? NQ__D2_HIGH + (u - v) - 1
				: NQ__D2_LOW + (v - u) - 1);
	return make_uint2(none ? (uint32_t)ZERO_ROW : NQ__D2_LOW + far - 1,
		u == v  ? (uint32_t)NQ__D1_MAIN
		: u > v ? NQ__D1_HIGH + (u - v) - 1
			: NQ__D1_LOW + (v - u) - 1);
}

static __device__ void make_squares(const nq__join_lists *l, shared *s, const uint32_t *rows)
{
	for (uint32_t i = threadIdx.x; i < 2 * NQ__NO_SQUARE * QUADS; i += THREADS) {
		const uint32_t quad = i % QUADS, square = i / QUADS % NQ__NO_SQUARE;
		const uint32_t side = i / QUADS / NQ__NO_SQUARE;
		const uint32_t u = square / NQ__JOIN_HALF_MAX, v = square % NQ__JOIN_HALF_MAX;
		uint2 r;

		if (!(rows[side] >> u & 1) || v >= l->h)
			continue;
		r = rows_of(l, side, u, v);
		s->squares[side][square][quad] =
			or4(s->diagonals[r.x][quad], s->diagonals[r.y][quad]);
	}
}

static __device__ void make_table(const nq__join_lists *l, shared *s, uint4 *table)
{
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s->parts[side]; k++) {
			const uint32_t part = s->part_rows[side][k];
			const uint32_t n = l->part_count[part];
			const nq__entry *e = l->entries + l->part_at[part];
			uint4 *to = table + s->slot_at[side][k] * QUADS;

			for (uint32_t i = threadIdx.x; i < n * QUADS; i += THREADS) {
				const uint32_t q = e[i / QUADS].squares, quad = i % QUADS;

				to[i] = or4(or4(s->squares[side][q & 255][quad],
						    s->squares[side][q >> 8 & 255][quad]),
					s->squares[side][q >> 16 & 255][quad]);
			}
		}
}

/* ---- products ---- */

/* Which patterns of the lane's quad share no diagonal with a row. */
template <int LOOKUPS>
static __device__ __forceinline__ uint4 compatible(const uint4 *table, const uint2 *slots)
{
	uint4 v;

	if (LOOKUPS == 2) {
		const uint32_t w = slots->x;

		v = or4(table[(w & 0xffff) * QUADS], table[(w >> 16) * QUADS]);
	} else {
		const uint2 w = *slots;

		v = or4(or4(table[(w.x & 0xffff) * QUADS], table[(w.x >> 16) * QUADS]),
			or4(table[(w.y & 0xffff) * QUADS], table[(w.y >> 16) * QUADS]));
	}
	return make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}

static __device__ __forceinline__ void multiply(
	uint32_t *d, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1)
{
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		: "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/* A product's place (row g or g + 8, column 2t or 2t + 1) is in the lane 4g + t. The sum over a column is
 * weighted by the rows: 1 or 2 in the lower half, 1 or 0 (quiet rows only) in the upper; neither half can
 * run over, since a lane has 8 rows at most. */
template <int LOOKUPS>
static __device__ int32_t count_piece(
	const desk *d, const uint4 *table, uint4 piece, uint32_t classes, int32_t neither)
{
	const uint32_t g = lane_id() / 4, t = lane_id() % 4;
	const uint4 *mine = table + t;
	const uint2 *sw_slots = d->slots + piece.z + g;
	const uint2 *sw_flags = (const uint2 *)(d->flags + piece.z) + t;
	uint4 a[TILES][2];
	uint32_t upper[TILES][2], factor[TILES][2];
	int32_t sum = 0;

#pragma unroll
	for (uint32_t m = 0; m < TILES; m++)
#pragma unroll
		for (uint32_t k = 0; k < 2; k++) {
			const uint32_t row = piece.x + m * 16 + k * 8 + g;

			if (m >= piece.y)
				continue;
			a[m][k] = compatible<LOOKUPS>(mine, d->slots + row);
			upper[m][k] = d->flags[row];
			factor[m][k] = !classes ? 1 : upper[m][k] >> TOUCH_NW & 1 ? 2 : 0x10001;
		}
	for (uint32_t n = 0; n < piece.w; n++) {
		const uint4 b = compatible<LOOKUPS>(mine, sw_slots + n * 8);
		const uint2 lower = sw_flags[n * 4];
		uint32_t x = 0, y = 0;

#pragma unroll
		for (uint32_t m = 0; m < TILES; m++) {
			uint32_t c[4] = { 0, 0, 0, 0 };

			if (m >= piece.y)
				break;
			multiply(c, a[m][0].x, a[m][1].x, a[m][0].y, a[m][1].y, b.x, b.y);
			multiply(c, a[m][0].z, a[m][1].z, a[m][0].w, a[m][1].w, b.z, b.w);
			if (!(upper[m][0] & lower.x))
				x += c[0] * factor[m][0];
			if (!(upper[m][0] & lower.y))
				y += c[1] * factor[m][0];
			if (!(upper[m][1] & lower.x))
				x += c[2] * factor[m][1];
			if (!(upper[m][1] & lower.y))
				y += c[3] * factor[m][1];
		}
		if (classes) {
			const uint32_t touch_x = lower.x >> TOUCH_SW, touch_y = lower.y >> TOUCH_SW;

			sum += (int32_t)((x & 0xffff) << touch_x) +
			       (int32_t)((y & 0xffff) << touch_y);
			sum += (neither - 1) *
			       (int32_t)((touch_x ? 0 : x >> 16) + (touch_y ? 0 : y >> 16));
		} else {
			sum += (int32_t)(x + y);
		}
	}
	return sum;
}

static __device__ int64_t count_chunk(
	const desk *d, const uint4 *table, shared *s, const nq__join_item *item)
{
	const int wide = s->parts[0] > 2 || s->parts[1] > 2;
	int64_t sum = 0;

	for (;;) {
		uint32_t k = 0;
		uint4 piece;

		if (lane_id() == 0)
			k = atomicAdd(&s->next_piece, 1);
		k = __shfl_sync(0xffffffffu, k, 0);
		if (k >= s->pieces)
			return sum;
		piece = d->pieces[k];
		sum += wide ? count_piece<4>(d, table, piece, item->classes, item->neither)
			    : count_piece<2>(d, table, piece, item->classes, item->neither);
	}
}

/* ---- an item ---- */

static __device__ void begin_item(const nq__join_lists *l, shared *s, const uint32_t *rows)
{
	uint32_t slot = SLOTS;

	s->patterns = s->rows = s->pieces = 0;
	s->sum = 0;
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t left = rows[side], n = 0;

		while (left) {
			uint32_t rest = left;

			for (uint32_t i = 0; i < NQ__PART_ROWS; i++)
				rest &= rest - (rest != 0);
			s->part_rows[side][n] = left & ~rest;
			s->slot_at[side][n++] = slot;
			slot += l->part_count[left & ~rest];
			left = rest;
		}
		s->parts[side] = n;
	}
}

static __device__ void count_item(const nq__join_lists *l, const nq__join_cross *c,
	const nq__join_item *item, shared *s, uint4 *table, const desk *d)
{
	const uint32_t full = (1u << l->h) - 1;
	const uint32_t rows[2] = { full & ~item->north, c->south_rows & ~item->south };
	int64_t sum = 0;

	if (threadIdx.x == 0)
		begin_item(l, s, rows);
	__syncthreads();
	make_east(l, c, item, s, d);
	make_west(l, c, item, s, d);
	__syncthreads();
	if (!s->pieces)
		return;
	for (uint32_t at = 0; at < s->patterns; at += CHUNK) {
		make_diagonals(s, d, at, s->patterns);
		if (threadIdx.x == 0)
			s->next_piece = 0;
		__syncthreads();
		make_squares(l, s, rows);
		__syncthreads();
		make_table(l, s, table);
		__syncthreads();
		sum += count_chunk(d, table, s, item);
		__syncthreads();
	}
	for (uint32_t k = 16; k; k /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, k);
	if (lane_id() == 0 && sum)
		atomicAdd(&s->sum, (unsigned long long)sum);
}

static __global__ __launch_bounds__(THREADS, 1) void join_kernel(const nq__join_lists lists,
	const nq__join_cross *crosses, const desks all, const nq__join_item *items, uint32_t count,
	uint32_t *cursor, unsigned long long *counts)
{
	extern __shared__ uint4 memory[];
	shared *s = (shared *)memory;
	uint4 *table = memory + (sizeof(shared) + sizeof(uint4) - 1) / sizeof(uint4);
	const size_t b = blockIdx.x;
	const desk d = { all.patterns + b * all.patterns_each, all.slots + b * all.rows_each,
		all.flags + b * all.rows_each, all.pieces + b * all.pieces_each };

	for (uint32_t i = threadIdx.x; i < QUADS; i += THREADS) {
		const uint4 zero = make_uint4(0, 0, 0, 0);

		table[SLOT_ALL * QUADS + i] = make_uint4(~0u, ~0u, ~0u, ~0u);
		table[SLOT_NONE * QUADS + i] = zero;
		s->diagonals[ZERO_ROW][i] = zero;
		s->squares[0][NQ__NO_SQUARE][i] = s->squares[1][NQ__NO_SQUARE][i] = zero;
	}
	for (;;) {
		if (threadIdx.x == 0)
			s->item = atomicAdd(cursor, 1);
		__syncthreads();
		if (s->item >= count)
			return;
		const nq__join_item item = items[s->item];
		const nq__join_cross c = crosses[item.cross];

		count_item(&lists, &c, &item, s, table, &d);
		__syncthreads();
		if (threadIdx.x == 0 && s->sum)
			atomicAdd(&counts[item.slot], item.weight * s->sum);
	}
}

/* ---- the host's part ---- */

struct nq__join_counter {
	nq__join_lists lists;
	nq__join_cross *d_crosses;
	desks all;
	size_t shared_bytes;
	uint32_t blocks;
};

static cudaError_t make_desks(nq__join_counter *c, const nq__join_memory *m, const nq__join *t)
{
	const uint32_t splits = nq__join_items_max(t);
	desks *d = &c->all;
	const size_t blocks = c->blocks;
	cudaError_t e;

	d->patterns_each = m->most_patterns + CHUNK;
	d->rows_each = 2 * m->most_rows + (16 + 8) * splits;
	d->pieces_each = m->most_rows / BLOCK_ROWS + splits;
	e = cudaMalloc(&d->patterns, blocks * d->patterns_each * sizeof(*d->patterns));
	if (e == cudaSuccess)
		e = cudaMalloc(&d->slots, blocks * d->rows_each * sizeof(*d->slots));
	if (e == cudaSuccess)
		e = cudaMalloc(&d->flags, blocks * d->rows_each * sizeof(*d->flags));
	if (e == cudaSuccess)
		e = cudaMalloc(&d->pieces, blocks * d->pieces_each * sizeof(*d->pieces));
	return e;
}

static cudaError_t upload_crosses(nq__join_counter *c, const nq__join *t)
{
	nq__join_cross host[sizeof(t->x)];
	cudaError_t e = cudaMalloc(&c->d_crosses, t->crosses * sizeof(*host));

	for (uint32_t i = 0; i < t->crosses; i++) {
		host[i] = nq__join_cross_of(t, i);
		/* a queen in the centre stands on both main diagonals */
		if (t->n % 2 && !t->x[i])
			host[i].no_nw = host[i].no_sw = 1u << NQ__TOUCH;
	}
	if (e == cudaSuccess)
		e = cudaMemcpy(
			c->d_crosses, host, t->crosses * sizeof(*host), cudaMemcpyHostToDevice);
	return e;
}

/* The most that two quarters of h rows in all need. */
static uint32_t most_slots(const nq__join *t, const nq__join_parts *parts)
{
	uint32_t most[NQ__JOIN_HALF_MAX + 1] = { 0 }, both = 0;

	for (uint32_t s = 0; s < 1u << t->h; s++) {
		const uint32_t k = (uint32_t)__builtin_popcount(s);

		if (parts->size[s] > most[k])
			most[k] = parts->size[s];
	}
	for (uint32_t k = 0; k <= t->h; k++)
		if (most[k] + most[t->h - k] > both)
			both = most[k] + most[t->h - k];
	return both + SLOTS;
}

cudaError_t nq__join_counter_create(nq__join_counter **out, const nq__join *t,
	const nq__join_parts *parts, const nq__join_memory *m)
{
	nq__join_counter *c = (nq__join_counter *)calloc(1, sizeof(*c));
	int device, blocks, each = 0;
	cudaError_t e;

	*out = c;
	if (!c)
		return cudaErrorMemoryAllocation;
	c->lists = m->lists;
	c->shared_bytes = (sizeof(shared) + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4) +
			  most_slots(t, parts) * QUADS * sizeof(uint4);
	e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(join_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
			(int)c->shared_bytes);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&each, join_kernel, THREADS, c->shared_bytes);
	if (e == cudaSuccess)
		c->blocks = (uint32_t)blocks * (each ? (uint32_t)each : 1);
	if (e == cudaSuccess)
		e = upload_crosses(c, t);
	if (e == cudaSuccess)
		e = make_desks(c, m, t);
	if (e != cudaSuccess) {
		nq__join_counter_destroy(c);
		*out = NULL;
	}
	return e;
}

void nq__join_counter_destroy(nq__join_counter *c)
{
	if (!c)
		return;
	(void)cudaFree(c->d_crosses);
	(void)cudaFree(c->all.patterns);
	(void)cudaFree(c->all.slots);
	(void)cudaFree(c->all.flags);
	(void)cudaFree(c->all.pieces);
	free(c);
}

uint32_t nq__join_counter_warps(const nq__join_counter *c)
{
	return c->blocks * WARPS;
}

cudaError_t nq__join_count(nq__join_counter *c, const nq__join_item *items, uint32_t count,
	uint32_t *cursor, unsigned long long *counts, cudaStream_t stream)
{
	join_kernel<<<c->blocks, THREADS, c->shared_bytes, stream>>>(
		c->lists, c->d_crosses, c->all, items, count, cursor, counts);
	return cudaGetLastError();
}
