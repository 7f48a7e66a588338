/* Context states of CABAC on the GPU: the state before each bin of a slice, which makes an
 * operation of the arithmetic coder of it (entropy/cabac_chunk.h).
 *
 * A bin needs the state behind the bin before it that has the same context; nothing else is serial.
 * So the bins of a slice are sorted by context, stably; those of a context are a string of bits:
 *
 *   tile_kernel    one block per tile of 1,024 bins: sorts it
 *   states_kernel  one block per slice and 32 contexts: joins their strings of the tiles, cuts them
 *                  into pieces, a lane each, and takes CABAC_STRING bins at a step by a table
 *   ops_kernel     four bins a lane: the state before each bin, by one more look-up behind the last
 *                  step before it, and the operation
 *
 * The state at the start of a piece. The states in the order of the probability that the bin is 1
 * (pStateIdx 62 with valMPS 0, ..., 0 with 0, 0 with 1, ..., 62 with 1) are a line, on which a bin
 * of 1 moves no state down, a bin of 0 none up, and no two states pass each other. So if the ends
 * of the line, some bins before the piece, have become one state, then all states have, and the
 * state is known. Half of the pieces of natural pictures need 91 bins before them, 99.9 % no more
 * than 224. If those taken are not enough, more are, at the most all from the start of the slice.
 */
#ifndef H264INTRA_CUDA_CABAC_STATES_CUH
#define H264INTRA_CUDA_CABAC_STATES_CUH

#include "h264intra/cuda/cabac_tiles.cuh"

enum {
	OPS_THREADS = CABAC_TILE / 4,
	STRING_WARPS = 16,
	STRING_LANES = 32 * STRING_WARPS,
	STRING_AHEAD = 4, /* tiles whose loads are under way together */
	/* Bins in a piece, at least, and before it, at first. These are enough for 99.9 % of the
	 * pieces, so that few frames do not wait for others; with many frames for 99 %. */
	PIECE_BINS = 16 * CABAC_STRING,
	PIECE_BEFORE = 40 * CABAC_STRING,
	PIECE_BINS_MANY = 128 * CABAC_STRING,
	PIECE_BEFORE_MANY = 26 * CABAC_STRING,
	STATE_LOWEST = 124,
	STATE_HIGHEST = 125,
	OPS_CODES = 1 << CABAC_STRING /* strings shorter than a step, with the bit in front */
};

/* The string of each context begins with a step. `before`: bins of the slice with lower contexts.
 * Rounding down leaves no gap too small, as each context gets one step more. */
GPU_FN uint32_t string_start(uint32_t before, uint32_t ctx)
{
	return CABAC_STRING * (before / CABAC_STRING + ctx);
}

/* The first step of slice n. */
GPU_FN size_t step_first(const entropy_ctx *e, uint32_t n)
{
	return e->cabac.slice_at[n] / CABAC_STRING + (size_t)CABAC_MORE_STEPS * n;
}

/* Bits [from, from + 32) of a tile, of which bits beyond the tile are undefined. */
GPU_FN uint32_t tile_bits(const uint32_t *bits, uint32_t from)
{
	return __funnelshift_r(bits[from >> 5], bits[(from >> 5) + 1], from);
}

/* Shared memory of a block of states_kernel, for 32 contexts. */
typedef struct string_shared {
	uint8_t after[128][OPS_CODES]; /* behind a step */
	/* of each context in the tiles of a warp; then those before */
	uint32_t bins[STRING_WARPS][32];
	uint32_t lower[STRING_WARPS]; /* bins of lower contexts in these tiles */
	uint32_t start[32], length[32];
	uint32_t pieces[32]; /* up to those of the context */
	uint32_t piece;      /* bins */
} string_shared;

/* Tiles [*from, *end) of `tiles` are those of this warp. */
GPU_FN void warp_tiles(uint32_t tiles, uint32_t *from, uint32_t *end)
{
	uint32_t warp = threadIdx.x >> 5;

	*from = (uint32_t)((uint64_t)tiles * warp / STRING_WARPS);
	*end = (uint32_t)((uint64_t)tiles * (warp + 1) / STRING_WARPS);
}

/* Counts the bins of the lane's context, and of contexts before the first lane's. */
GPU_FN void count_strings(string_shared *s, const cabac_tile *tile, uint32_t tiles, uint32_t ctx)
{
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, t, end, bins = 0, lower = 0;

	warp_tiles(tiles, &t, &end);
#pragma unroll 4
	for (; t < end; t++) {
		uint32_t from = tile[t].from[ctx];

		lower += from;
		bins += tile[t].from[ctx + 1] - from;
	}
	s->bins[warp][lane] = bins;
	if (lane == 0)
		s->lower[warp] = lower;
}

/* One warp: places the strings and cuts them into pieces. */
GPU_FN void place_contexts(string_shared *s, uint32_t ctx, uint32_t least)
{
	uint32_t lane = threadIdx.x & 31, length = 0, before = 0, sum, all, piece, pieces;

	for (uint32_t w = 0; w < STRING_WARPS; w++) {
		uint32_t n = s->bins[w][lane];

		s->bins[w][lane] = length;
		length += n;
		before += s->lower[w];
	}
	sum = warp_sums(length, lane);
	all = __shfl_sync(0xffffffffu, sum, 31);
	piece = max(least, all / (STRING_LANES - 32) + 1);
	piece = (piece + CABAC_STRING - 1) / CABAC_STRING * CABAC_STRING;
	pieces = (length + piece - 1) / piece;
	s->start[lane] = string_start(before + sum - length, ctx);
	s->length[lane] = length;
	s->pieces[lane] = warp_sums(pieces, lane);
	if (lane == 0)
		s->piece = piece;
}

/* Bits on their way into a string that other lanes write too. */
typedef struct string_writer {
	uint32_t *word;
	uint32_t fill; /* bits of acc, and those of the word before them */
	uint64_t acc;
} string_writer;

/* Appends the lowest n bits of v, n <= 32; bits above are ignored. */
GPU_FN void append_bits(string_writer *w, uint32_t v, uint32_t n)
{
	w->acc |= (uint64_t)(n < 32 ? v & ((1u << n) - 1) : v) << w->fill;
	w->fill += n;
	if (w->fill >= 32) {
		if ((uint32_t)w->acc)
			atomicOr(w->word, (uint32_t)w->acc);
		w->word++;
		w->acc >>= 32;
		w->fill -= 32;
	}
}

/* Joins the strings of the lane's context in the tiles of the warp, and notes where they are. */
GPU_FN void join_strings(const string_shared *s, const cabac_tile *tile, uint32_t tiles,
	uint32_t *place, uint32_t *string, uint32_t ctx)
{
	uint32_t lane = threadIdx.x & 31, at = s->start[lane] + s->bins[threadIdx.x >> 5][lane];
	string_writer w = { string + (at >> 5), at & 31, 0 };
	uint32_t t, end;

	warp_tiles(tiles, &t, &end);
	for (; t < end; t += STRING_AHEAD) {
		uint32_t from[STRING_AHEAD], bins[STRING_AHEAD], bits[STRING_AHEAD];

#pragma unroll
		for (uint32_t k = 0; k < STRING_AHEAD; k++) {
			const cabac_tile *p = tile + min(t + k, end - 1);

			from[k] = p->from[ctx];
			bins[k] = t + k < end ? p->from[ctx + 1] - from[k] : 0;
		}
#pragma unroll
		for (uint32_t k = 0; k < STRING_AHEAD; k++)
			bits[k] = bins[k] ? tile_bits(tile[t + k].bits, from[k]) : 0;
#pragma unroll
		for (uint32_t k = 0; k < STRING_AHEAD; k++) {
			if (t + k < end)
				place[(size_t)(t + k) * CABAC_COLUMNS + ctx] = at;
			at += bins[k];
			append_bits(&w, bits[k], min(bins[k], 32u));
			for (uint32_t i = 32; i < bins[k]; i += 32)
				append_bits(&w, tile_bits(tile[t + k].bits, from[k] + i),
					min(bins[k] - i, 32u));
		}
	}
	if ((uint32_t)w.acc)
		atomicOr(w.word, (uint32_t)w.acc);
}

/* Steps of a string. Its words are in the second-level cache, as other blocks write them, too. */
typedef struct string_reader {
	const uint32_t *word;
	uint32_t at; /* bit */
	uint32_t low, high, ahead;
} string_reader;

GPU_FN void open_string(string_reader *r, const uint32_t *string, uint32_t at)
{
	r->word = string + (at >> 5);
	r->at = at & 31;
	r->low = __ldcg(r->word);
	r->high = __ldcg(r->word + 1);
	r->ahead = __ldcg(r->word + 2);
}

GPU_FN uint32_t next_step(string_reader *r)
{
	uint32_t v = __funnelshift_r(r->low, r->high, r->at) & (OPS_CODES - 1);

	r->at += CABAC_STRING;
	if (r->at >= 32) {
		r->at -= 32;
		r->word++;
		r->low = r->high;
		r->high = r->ahead;
		r->ahead = __ldcg(r->word + 2);
	}
	return v;
}

/* The state before bin `bin` of the string at `start`, which begins with state `first`. It takes
 * `back` bins before that, and more if they are not enough. */
GPU_FN uint32_t state_before(const uint8_t (*after)[OPS_CODES], const uint32_t *string,
	uint32_t start, uint32_t bin, uint32_t back, uint32_t first)
{
	for (;; back = back < 1u << 30 ? 2 * back : 0xffffffffu) {
		uint32_t from = bin > back ? bin - back : 0;
		uint32_t low = from ? (uint32_t)STATE_LOWEST : first;
		uint32_t high = from ? (uint32_t)STATE_HIGHEST : first;
		string_reader r;

		open_string(&r, string, start + from);
		for (; from < bin; from += CABAC_STRING) {
			uint32_t code = next_step(&r);

			low = after[low][code];
			high = after[high][code];
		}
		if (low == high)
			return low;
	}
}

/* Writes the state before each step of the pieces. `first`: states of the 32 contexts. */
GPU_FN void walk_pieces(const string_shared *s, const uint32_t *string, uint8_t *steps,
	const uint8_t *first, uint32_t back)
{
	for (uint32_t n = threadIdx.x; n < s->pieces[31]; n += STRING_LANES) {
		uint32_t c = 0, at, end, state;
		string_reader r;

		for (uint32_t step = 16; step; step >>= 1)
			c += s->pieces[c + step - 1] <= n ? step : 0;
		at = (n - (c ? s->pieces[c - 1] : 0)) * s->piece;
		end = min(at + s->piece, s->length[c]);
		state = state_before(s->after, string, s->start[c], at, back, first[c]);
		open_string(&r, string, s->start[c] + at);
		steps[(s->start[c] + at) / CABAC_STRING] = (uint8_t)state;
		for (uint32_t i = at + CABAC_STRING; i < end; i += CABAC_STRING) {
			state = s->after[state][next_step(&r)];
			steps[(s->start[c] + i) / CABAC_STRING] = (uint8_t)state;
		}
	}
}

static __global__ void __launch_bounds__(STRING_LANES) states_kernel(entropy_ctx e)
{
	__shared__ __align__(16) string_shared s;
	const uint32_t strips =
		e.syntax & H264I_SYNTAX_8X8 ? CABAC_COLUMNS / 32 : CABAC_COLUMNS_4X4 / 32;
	const uint32_t n = blockIdx.x / strips, strip = blockIdx.x % strips;
	const uint32_t ctx = 32 * strip + (threadIdx.x & 31);
	const cabac_tile *tile;
	uint32_t *string, tiles;
	int few;

	for (uint32_t i = threadIdx.x; i < sizeof(s.after) / 16; i += STRING_LANES)
		reinterpret_cast<uint4 *>(s.after)[i] = reinterpret_cast<const uint4 *>(
			e.cabac.tables->after[i / (OPS_CODES / 16)] +
			OPS_CODES)[i % (OPS_CODES / 16)];
	after_kernels();
	if (ops_overflow(&e))
		return;
	few = e.cabac.slice_at[-1] <= CABAC_FEW;
	tiles = (e.cabac.slice_ops[n] + CABAC_TILE - 1) / CABAC_TILE;
	tile = e.scratch.tile + tile_first(&e, n);
	string = e.scratch.string + string_word(&e, n);
	count_strings(&s, tile, tiles, ctx);
	__syncthreads();
	if (threadIdx.x < 32)
		place_contexts(&s, ctx, few ? PIECE_BINS : PIECE_BINS_MANY);
	__syncthreads();
	join_strings(&s, tile, tiles, e.scratch.place + (size_t)tile_first(&e, n) * CABAC_COLUMNS,
		string, ctx);
	__syncthreads();
	walk_pieces(&s, string, e.scratch.steps + step_first(&e, n),
		e.cabac.states + e.pic[n / e.geom.slices].qp * H264I_CTX_STATES + 32 * strip,
		few ? PIECE_BEFORE : PIECE_BEFORE_MANY);
}

/* What ops_kernel reads by the bins of a tile. */
typedef struct tile_strings {
	const uint32_t *place;  /* of the tile */
	const uint32_t *string; /* of the slice */
	const uint8_t *steps;
} tile_strings;

/* The operation of a bin with `before` bins of its context before it in the tile. */
GPU_FN uint32_t op_of(
	const tile_strings *s, const uint8_t (*after)[OPS_CODES], uint32_t record, uint32_t before)
{
	uint32_t ctx = record >> 1, at, step, one, from, state, bits;

	if (!is_regular(ctx))
		return (ctx == H264I_CTX_TERMINATE ? H264I_OP_TERMINATE : H264I_OP_BYPASS) |
		       (record & 1);
	at = s->place[ctx] + before;
	step = at / CABAC_STRING;
	from = CABAC_STRING * step;
	one = 1u << (at - from);
	state = s->steps[step];
	bits = __funnelshift_r(s->string[from >> 5], s->string[(from >> 5) + 1], from);
	state = after[state][one | (bits & (one - 1))];
	return state ^ (record & 1); /* bit 0: the bin is not the most probable symbol */
}

/* Loads four values of 16 bits, `left` of them if there are fewer: no more were written. */
GPU_FN uint2 load_four(const uint16_t *from, uint32_t left)
{
	uint2 four = make_uint2(0, 0);

	if (left >= 4)
		return *reinterpret_cast<const uint2 *>(from);
	if (left > 0)
		four.x = from[0];
	if (left > 1)
		four.x |= (uint32_t)from[1] << 16;
	if (left > 2)
		four.y = from[2];
	return four;
}

/* The operations of four bins; those behind the last of the slice become bypass operations. */
GPU_FN uint32_t ops_of(const tile_strings *s, const uint8_t (*after)[OPS_CODES], uint2 bins,
	uint2 before, uint32_t left)
{
	uint32_t op[4],
		record[4] = { bins.x & 0xffff, bins.x >> 16, bins.y & 0xffff, bins.y >> 16 };
	uint32_t rank[4] = { before.x & 0xffff, before.x >> 16, before.y & 0xffff, before.y >> 16 };

#pragma unroll
	for (uint32_t k = 0; k < 4; k++)
		op[k] = op_of(s, after, k < left ? record[k] : H264I_BIN_BYPASS << 1, rank[k]);
	return op[0] | op[1] << 8 | op[2] << 16 | op[3] << 24;
}

static __global__ void __launch_bounds__(OPS_THREADS) ops_kernel(entropy_ctx e)
{
	__shared__ __align__(16) uint8_t after[128][OPS_CODES];
	const uint32_t n = blockIdx.x / e.cabac.ops_blocks;
	uint32_t count, at, end;
	tile_strings s;

	for (uint32_t i = threadIdx.x; i < sizeof(after) / 16; i += OPS_THREADS)
		reinterpret_cast<uint4 *>(after)[i] = reinterpret_cast<const uint4 *>(
			e.cabac.tables->after[i / (OPS_CODES / 16)])[i % (OPS_CODES / 16)];
	after_kernels();
	if (ops_overflow(&e))
		return;
	__syncthreads();
	count = e.cabac.slice_ops[n];
	at = e.cabac.slice_at[n];
	s.string = e.scratch.string + string_word(&e, n);
	s.steps = e.scratch.steps + step_first(&e, n);
	end = count + H264I_OPS_AHEAD; /* the walks read so far */
	for (uint32_t t = blockIdx.x % e.cabac.ops_blocks; t * CABAC_TILE < end;
		t += e.cabac.ops_blocks) {
		const uint32_t i = t * CABAC_TILE + 4 * threadIdx.x,
			       left = i < count ? count - i : 0;

		s.place = e.scratch.place + (size_t)(tile_first(&e, n) + t) * CABAC_COLUMNS;
		if (i < end)
			*reinterpret_cast<uint32_t *>(e.scratch.ops + at + i) =
				ops_of(&s, after, load_four(e.scratch.bins + at + i, left),
					load_four(e.scratch.pool + at + i, left), left);
	}
}

#endif
