/* The arithmetic coder of CABAC on the GPU with a lane for each slice, as entropy/cabac.c codes it:
 * instead of the kernels of cabac_tiles.cuh, cabac_states.cuh and cabac.cuh between order_kernel
 * and finish_kernel.
 *
 * A warp has the states of its lanes' contexts in shared memory, four contexts in a word and the
 * words of a lane in a bank of their own. The state for the next bin is loaded before that behind
 * this bin is stored, so that a bin waits for one look-up only. */
#ifndef H264INTRA_CUDA_CABAC_LANES_CUH
#define H264INTRA_CUDA_CABAC_LANES_CUH

#include "h264intra/cuda/cabac_bins.cuh"

enum {
	LANE_STATE_BYPASS = 127 /* state of H264I_BIN_BYPASS, which never changes */
};

typedef struct lanes_shared {
	/* of a state: rangeTabLPS; the states behind the most probable symbol (bits 0..7) and the
	 * least probable one (bits 8..15) */
	uint2 table[128];
	uint8_t state[H264I_CTX_STATES / 4][32][4];
} lanes_shared;

/* As h264i_cabac (entropy/cabac.h), with words for bytes: `last` is word at - 1, which waits for a
 * carry. */
typedef struct lane_coder {
	uint64_t low;
	uint32_t range, pending, at, last, words;
	uint32_t *rbsp;
} lane_coder;

GPU_FN void lane_store(const lane_coder *c, uint32_t at, uint32_t v)
{
	if (at < c->words)
		c->rbsp[at] = v;
}

/* Adds the carry to the words before `at`; it never leaves the segment. */
GPU_FN void lane_carry(lane_coder *c)
{
	if (++c->last != 0)
		return;
	for (uint32_t k = c->at - 1; k-- > 0 && k < c->words;)
		if (++c->rbsp[k] != 0)
			return;
}

/* Appends the bits of v and, above them, a carry. */
GPU_FN void lane_put(lane_coder *c, uint64_t v)
{
	if (v >> 32)
		lane_carry(c);
	if (c->at > 0)
		lane_store(c, c->at - 1, c->last);
	c->last = (uint32_t)v;
	c->at++;
}

/* Begins behind the slice header. */
GPU_FN void lane_begin(lane_coder *c, const slice_place *s)
{
	uint32_t bits = s->head->bits;

	c->rbsp = s->rbsp;
	c->words = s->words;
	c->at = bits / 32;
	c->pending = bits % 32;
	c->range = 510;
	c->last = 0;
	for (uint32_t i = 0; i < c->at; i++)
		lane_store(c, i, c->last = s->head->word[i]);
	c->low = c->pending ? (uint64_t)(s->head->word[c->at] >> (32 - c->pending)) << 9 : 0;
}

/* Ends a segment after a terminate bin of 1, as h264i_i_cabac_end() does. The bits of the last,
 * partly filled word are left in c->low, from bit 9 on, and in memory. Returns the position behind
 * the last bit. */
GPU_FN uint32_t lane_end(lane_coder *c)
{
	uint64_t v = c->low >> 7 | 1;
	uint32_t bits = c->pending + 2, pos = 32 * c->at + bits;

	if (v >> bits)
		lane_carry(c);
	v &= ((uint64_t)1 << bits) - 1;
	if (bits >= 32) {
		bits -= 32;
		lane_put(c, v >> bits);
		v &= ((uint64_t)1 << bits) - 1;
	}
	if (c->at > 0)
		lane_store(c, c->at - 1, c->last);
	if (bits)
		lane_store(c, c->at, (uint32_t)v << (32 - bits));
	return pos;
}

/* Continues behind the samples of I_PCM, which finish_kernel writes: they are 0 at first. */
GPU_FN void lane_skip_pcm(lane_coder *c, uint32_t pos, uint32_t pcm_bits)
{
	uint32_t begin = (pos + 7) & ~7u, end = begin + pcm_bits;

	for (uint32_t i = (begin + 31) / 32; i < end / 32; i++)
		lane_store(c, i, 0);
	c->at = end / 32;
	c->pending = end % 32;
	c->range = 510;
	c->last = 0;
	c->low = 0;
}

/* Records of a slice, eight at a time. */
typedef struct record_reader {
	const uint4 *ahead;
	uint4 now, next;
	uint32_t left; /* of `now` */
} record_reader;

GPU_FN void open_records(record_reader *r, const uint16_t *bins)
{
	r->ahead = reinterpret_cast<const uint4 *>(bins);
	r->now = r->ahead[0];
	r->next = r->ahead[1];
	r->ahead += 2;
	r->left = 8;
}

/* Reads up to 24 records beyond the last. */
GPU_FN uint32_t get_record(record_reader *r)
{
	uint32_t record = r->now.x & 0xffff;

	r->now.x = __funnelshift_r(r->now.x, r->now.y, 16);
	r->now.y = __funnelshift_r(r->now.y, r->now.z, 16);
	r->now.z = __funnelshift_r(r->now.z, r->now.w, 16);
	r->now.w >>= 16;
	if (--r->left == 0) {
		r->now = r->next;
		r->next = *r->ahead++;
		r->left = 8;
	}
	return record;
}

/* The state byte of a context; records behind the last may have any value. */
GPU_FN uint8_t *lane_state(lanes_shared *s, uint32_t record, uint32_t lane)
{
	uint32_t ctx = record >> 1 & (H264I_CTX_STATES - 1);

	return &s->state[ctx >> 2][lane][ctx & 3];
}

/* Codes a bin. e: entry of its state in the table; behind: its state is `state`. */
GPU_FN void lane_code(lane_coder *c, uint2 e, uint32_t record, uint32_t is_lps)
{
	uint32_t bypass = record >> 1 == H264I_BIN_BYPASS, v = record & 1, shift, rest;
	uint32_t lps = h264i_op_lps(e.x, c->range);

	rest = c->range - lps;
	c->low += is_lps ? rest : 0;
	c->range = is_lps ? lps : rest;
	shift = (uint32_t)__clz((int)c->range) - 23;
	c->range <<= shift;
	shift += bypass;
	c->low = (c->low << shift) + (bypass & v ? c->range : 0);
	c->pending += shift;
	if (c->pending >= 32) {
		c->pending -= 32;
		lane_put(c, c->low >> (c->pending + 9));
		c->low &= ((uint64_t)1 << (c->pending + 9)) - 1;
	}
}

/* Codes the bins of a slice. Returns the bit position behind the last. */
GPU_FN uint32_t lane_slice(lanes_shared *s, lane_coder *c, const uint16_t *bins, uint32_t count,
	const h264i_pcm_places *pcm, uint32_t lane)
{
	record_reader r;
	uint32_t record, state, pos = 0;

	open_records(&r, bins);
	record = get_record(&r);
	state = *lane_state(s, record, lane);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t next = get_record(&r), ahead = *lane_state(s, next, lane);
		uint32_t is_lps = (state ^ record) & (record >> 1 != H264I_BIN_BYPASS) & 1;
		uint2 e = s->table[state];

		state = is_lps ? e.y >> 8 : e.y & 255;
		*lane_state(s, record, lane) = (uint8_t)state;
		state = next >> 1 == record >> 1 ? state : ahead;
		lane_code(c, e, record, is_lps);
		if (record == (H264I_CTX_TERMINATE << 1 | 1)) {
			pos = lane_end(c);
			if (i + 1 < count) {
				h264i_pcm_note(pcm, i, pos);
				lane_skip_pcm(c, pos, pcm->bits);
			}
		}
		record = next;
	}
	return pos;
}

/* Loads the table, and the states at the start of the lane's slice. */
GPU_FN void load_lanes(lanes_shared *s, const entropy_ctx *e, uint32_t n, uint32_t lane)
{
	for (uint32_t i = lane; i < 128; i += 32) {
		const uint8_t *after = e->cabac.tables->after[i];
		uint32_t word = i >> 1 == H264I_OP_BYPASS >> 1 ? H264I_OP_TERMINATE >> 1 : i >> 1;

		s->table[i].x = i == LANE_STATE_BYPASS ? 0 : e->cabac.tables->lps[word];
		s->table[i].y = after[2 | (i & 1)] | (uint32_t)after[2 | (~i & 1)] << 8;
	}
	if (n < e->frames * e->geom.slices) {
		const uint8_t *first =
			e->cabac.states + e->pic[n / e->geom.slices].qp * H264I_CTX_STATES;

		for (uint32_t i = 0; i < H264I_CTX_STATES / 4; i++)
			*reinterpret_cast<uint32_t *>(s->state[i][lane]) =
				reinterpret_cast<const uint32_t *>(first)[i];
		*lane_state(s, H264I_BIN_BYPASS << 1, lane) = LANE_STATE_BYPASS;
	}
	__syncwarp();
}

/* One warp per block, which codes e.cabac.lanes slices. */
static __global__ void __launch_bounds__(32) lanes_kernel(entropy_ctx e)
{
	__shared__ __align__(16) lanes_shared shared;
	const uint32_t lane = threadIdx.x, slices = e.frames * e.geom.slices;
	const uint32_t n =
		lane < (uint32_t)e.cabac.lanes ? blockIdx.x * e.cabac.lanes + lane : slices;
	h264i_pcm_places pcm;
	uint32_t pos, words;
	slice_place s;
	lane_coder c;

	after_kernels();
	if (ops_overflow(&e)) {
		if (n < slices)
			e.slice_bytes[n] = 0;
		return;
	}
	load_lanes(&shared, &e, n, lane);
	if (n >= slices)
		return;
	s = slice_place_of(&e, n);
	pcm.first_op = e.mb_at + (size_t)s.frame * geom_mbs(&e.geom) + s.first;
	pcm.end = e.mb_bits + (size_t)s.frame * geom_mbs(&e.geom) + s.first;
	pcm.mbs = s.end - s.first;
	pcm.bits = 8u * (uint32_t)h264i_pcm_bytes(e.syntax);
	lane_begin(&c, &s);
	pos = lane_slice(&shared, &c, e.scratch.bins + e.cabac.slice_at[n], e.cabac.slice_ops[n],
		&pcm, lane);
	words = (pos + 31) / 32;
	e.cabac.slice_bits[n] = words > s.words ? 0 : pos;
	e.slice_bytes[n] = words > s.words ? 0 : (pos + 7) / 8;
	if (words > s.words)
		e.cabac.needed[1] = 1;
}

#endif
