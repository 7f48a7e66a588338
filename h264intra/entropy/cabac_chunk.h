/* The arithmetic coder of CABAC (clause 9.3.4.2) for many lanes: parts of a slice are coded
 * independently and added up. Device code, and C for a test without a GPU.
 *
 * Three facts make this possible.
 *
 *   - Context states do not depend on the coder. Once they are known, a bin is an operation on the
 *     interval: h264i_op, one byte (cuda/cabac_states.cuh computes them).
 *   - After the less probable symbol (LPS) the range depends on the range before it only by its
 *     quarter, qCodIRangeIdx: four possible values. A chunk of operations therefore begins behind
 *     an LPS and is walked for all four; soon the four ranges are equal and one walk remains. The
 *     walk yields the quarter before the LPS that ends the chunk, and the number of bits. Maps
 *     from quarter to quarter compose, so a scan finds the true ranges and the bit positions.
 *   - The code is a sum. The coder adds to `low` and shifts it; so the code is the sum of the
 *     additions, each at its bit position, and chunks can be added in any order. A carry moves
 *     towards the front of the slice.
 *
 * Positions. A segment is the part of a slice from its start, or from the end of an I_PCM
 * macroblock, to the next flush; it starts at a byte boundary B. After s shifts the 9-bit number
 * that is added to codILow has its highest bit (bit 8) at bit position B + s of the slice: bit 9
 * of codILow is at B - 1 + s, because the first bit that PutBit() would write is dropped.
 * EncodeFlush makes seven shifts; two more bits follow, the second of which is always 1. */
#ifndef H264INTRA_ENTROPY_CABAC_CHUNK_H
#define H264INTRA_ENTROPY_CABAC_CHUNK_H

#include "h264intra/entropy/advance.h"

/* An operation: pStateIdx << 1 | (1 for the LPS); or one of these. */
enum {
	H264I_OP_BYPASS = 126,    /* + the bin */
	H264I_OP_TERMINATE = 128, /* + the bin; 1 ends the segment */
	H264I_OP_WORDS = 65,      /* of h264i_i_op_lps(): entry op >> 1 */
	H264I_CHUNK_OPS = 256,
	H264I_OPS_AHEAD = 9 /* bytes behind the operations of a slice that a walk may read */
};

/* Entry op >> 1 of the table that h264i_op_lps() reads: rangeTabLPS of the state as four bytes,
 * for bypass 0, for the terminate bin 2 in all bytes. `range_lps` has 64 words. */
LSCHED_FN uint32_t h264i_op_word(const uint32_t *range_lps, int index)
{
	return index == H264I_OP_TERMINATE >> 1 ? 0x02020202u
	       : index == H264I_OP_BYPASS >> 1  ? 0
						: range_lps[index];
}

/* codIRangeLPS: byte qCodIRangeIdx of `word`, 256 <= range < 512. */
LSCHED_FN uint32_t h264i_op_lps(uint32_t word, uint32_t range)
{
	return h264i_byte_4_to_7(word, range >> 6);
}

/* 1 for an operation after which the range depends on the quarter before it alone. */
LSCHED_FN int h264i_op_syncs(uint32_t op)
{
	return (op & 1) & (op != H264I_OP_BYPASS + 1);
}

LSCHED_FN int h264i_op_is_lps(uint32_t op)
{
	return (op & 1) & (op < H264I_OP_BYPASS);
}

/* The range after `op`, not the end of a segment, and the shifts that it makes. */
LSCHED_FN uint32_t h264i_op_step(uint32_t op, uint32_t word, uint32_t range, uint32_t *shifts)
{
	uint32_t lps = h264i_op_lps(word, range), n;

	range = h264i_op_is_lps(op) ? lps : range - lps;
	n = lsched_i_leading_zeros(range) - 23;
	*shifts += n + (op >> 1 == H264I_OP_BYPASS >> 1);
	return range << n;
}

/* The range behind the operation `op`, which syncs, if the quarter before it was q. */
LSCHED_FN uint32_t h264i_range_after(uint32_t op, uint32_t word, uint32_t q)
{
	uint32_t lps = word >> (8 * q) & 255;

	return op == H264I_OP_TERMINATE + 1 ? 510 : lps << (lsched_i_leading_zeros(lps) - 23);
}

/* Result of a walk: for each quarter q before the operation that the chunk begins behind, the
 * quarter before the operation that ends it, and the bits. All that the quarter decides precedes
 * the first alignment. */
typedef struct h264i_chunk {
	uint32_t start; /* its first operation; H264I_CHUNK_NONE: it has none */
	uint32_t map;   /* the quarters, two bits each */
	uint32_t pre[4];
	uint32_t align, post;
} h264i_chunk;

#define H264I_CHUNK_NONE 0xffffffffu

/* Four operations at a time; `ops` is aligned to 4 bytes, and any values follow for
 * H264I_OPS_AHEAD bytes. A walk reads one operation behind the last, and the reader a word behind
 * that of the next operation: of `count` operations byte (count + 1) / 4 * 4 + 7 at most. */
typedef struct h264i_op_reader {
	const uint32_t *word;
	uint32_t at, now, next;
} h264i_op_reader;

LSCHED_FN void h264i_ops_open(h264i_op_reader *r, const uint8_t *ops, uint32_t from)
{
	r->word = (const uint32_t *)(const void *)ops;
	r->at = from;
	r->now = r->word[from >> 2];
	r->next = r->word[(from >> 2) + 1];
}

LSCHED_FN uint32_t h264i_ops_get(h264i_op_reader *r)
{
	uint32_t op = r->now >> (8 * (r->at & 3)) & 255;

	if ((++r->at & 3) == 0) {
		r->now = r->next;
		r->next = r->word[(r->at >> 2) + 1];
	}
	return op;
}

/* Of four operations in a word those that sync: bit 0 of their bytes. */
LSCHED_FN uint32_t h264i_ops_sync(uint32_t word)
{
	/* The highest bit of bytes that are 0; and maybe of bytes of 1, bypass bins of 0. */
	uint32_t other = word ^ 0x01010101u * (H264I_OP_BYPASS + 1);
	uint32_t bypass = (other - 0x01010101u) & ~other & 0x80808080u;

	return word & ~(bypass >> 7) & 0x01010101u;
}

/* The operation behind the first one in [from, end) that syncs, or H264I_CHUNK_NONE. */
LSCHED_FN uint32_t h264i_chunk_begin(const uint8_t *ops, uint32_t from, uint32_t end)
{
	const uint32_t *word = (const uint32_t *)(const void *)ops;

	for (uint32_t at = from & ~3u; at < end; at += 4) {
		uint32_t syncs = h264i_ops_sync(word[at >> 2]);

		if (at < from)
			syncs &= 0xffffffffu << (8 * (from - at));
		if (syncs) {
			at += lsched_i_lowest_bit(syncs) / 8;
			return at < end ? at + 1 : H264I_CHUNK_NONE;
		}
	}
	return H264I_CHUNK_NONE;
}

/* State of a walk after its candidates have met, or of the only one of the first chunk. */
typedef struct h264i_walk {
	uint32_t range, shifts;
	h264i_advance done; /* up to the last end of a segment; `shifts` are since then */
	int ended;          /* met the operation that ends the chunk */
	uint32_t quarter;   /* before it */
	uint32_t pcm_bits;  /* of the samples of I_PCM */
} h264i_walk;

/* Ends a segment at a terminate bin of 1: seven shifts and two bits, and, if operations follow, the
 * samples of I_PCM. */
LSCHED_FN void h264i_walk_flush(h264i_walk *w, int last)
{
	h264i_advance a;

	a.align = !last;
	a.pre = w->shifts + 9;
	a.post = last ? 0 : w->pcm_bits;
	w->done = h264i_advance_join(w->done, a);
	w->shifts = 0;
	w->range = 510;
}

/* Entry of the table of h264i_op_word() for an operation, or for a byte behind the last one. */
LSCHED_FN uint32_t h264i_op_entry(const uint32_t *lps, uint32_t op)
{
	return lps[op >> 1 < H264I_OP_WORDS ? op >> 1 : 0];
}

/* Walks on to the end of the chunk: behind the first operation at or beyond `end` that syncs, or at
 * the end of the slice, which has `count` operations. The next operation's entry is loaded before
 * the range is known. */
LSCHED_FN void h264i_walk_on(
	h264i_walk *w, h264i_op_reader *r, const uint32_t *lps, uint32_t end, uint32_t count)
{
	uint32_t at = r->at, op = h264i_ops_get(r), entry = h264i_op_entry(lps, op);

	while (!w->ended && at < count) {
		uint32_t next = h264i_ops_get(r), ahead = h264i_op_entry(lps, next);

		at++;
		if (h264i_op_syncs(op) && at > end) {
			w->ended = 1;
			w->quarter = w->range >> 6 & 3;
		}
		if (op == H264I_OP_TERMINATE + 1)
			h264i_walk_flush(w, at == count);
		else
			w->range = h264i_op_step(op, entry, w->range, &w->shifts);
		op = next;
		entry = ahead;
	}
}

/* Walks the chunk of operations [from, end) of a slice with `count` operations. lps: table of
 * h264i_op_word(); pcm_bits: of the samples of I_PCM. */
LSCHED_FN void h264i_chunk_walk(h264i_chunk *c, const uint8_t *ops, uint32_t from, uint32_t end,
	uint32_t count, const uint32_t *lps, uint32_t pcm_bits)
{
	uint32_t range[4], shifts[4] = { 0, 0, 0, 0 }, quarter[4] = { 0, 0, 0, 0 };
	h264i_op_reader r;
	h264i_walk w = { 510, 0, { 0, 0, 0 }, 0, 0, pcm_bits };
	h264i_advance rest = { 0, 0, 0 };
	uint32_t op, apart;

	c->start = from ? h264i_chunk_begin(ops, from, end) : 0;
	if (c->start == H264I_CHUNK_NONE)
		return;
	op = from ? ops[c->start - 1] : H264I_OP_TERMINATE + 1;
	LSCHED_UNROLL
	for (int q = 0; q < 4; q++)
		range[q] = h264i_range_after(op, lps[op >> 1], (uint32_t)q);
	h264i_ops_open(&r, ops, c->start);
	apart = from != 0 && op != H264I_OP_TERMINATE + 1;
	/* Four walks until the ranges are equal. */
	while (apart && r.at < count) {
		op = h264i_ops_get(&r);
		if (op == H264I_OP_TERMINATE + 1)
			break;
		if (h264i_op_syncs(op) && r.at > end) {
			w.ended = 1;
			LSCHED_UNROLL
			for (int q = 0; q < 4; q++)
				quarter[q] = range[q] >> 6 & 3;
		}
		LSCHED_UNROLL
		for (int q = 0; q < 4; q++)
			range[q] = h264i_op_step(op, lps[op >> 1], range[q], &shifts[q]);
		if (w.ended)
			break;
		apart = range[0] != range[1] || range[0] != range[2] || range[0] != range[3];
	}
	if (apart && !w.ended && op == H264I_OP_TERMINATE + 1) {
		/* Behind it neither the ranges before nor the quarter matter. */
		w.ended = r.at > end;
		h264i_walk_flush(&w, r.at == count);
	} else {
		w.range = range[0];
	}
	if (!w.ended) {
		h264i_walk_on(&w, &r, lps, end, count);
		LSCHED_UNROLL
		for (int q = 0; q < 4; q++)
			quarter[q] = w.quarter;
	}
	rest.pre = w.shifts;
	w.done = h264i_advance_join(w.done, rest);
	c->map = 0;
	LSCHED_UNROLL
	for (int q = 0; q < 4; q++) {
		c->map |= quarter[q] << (2 * q);
		c->pre[q] = shifts[q] + w.done.pre;
	}
	c->align = w.done.align;
	c->post = w.done.post;
}

/* The same for one quarter q alone: its bits are in c->pre[0]. Returns the quarter before the
 * operation that ends the chunk, or q if the chunk has no operation. */
LSCHED_FN uint32_t h264i_chunk_walk_one(h264i_chunk *c, const uint8_t *ops, uint32_t from,
	uint32_t end, uint32_t count, const uint32_t *lps, uint32_t pcm_bits, uint32_t q)
{
	h264i_op_reader r;
	h264i_walk w = { 510, 0, { 0, 0, 0 }, 0, 0, pcm_bits };
	h264i_advance rest = { 0, 0, 0 };
	uint32_t op;

	c->start = from ? h264i_chunk_begin(ops, from, end) : 0;
	if (c->start == H264I_CHUNK_NONE)
		return q;
	op = from ? ops[c->start - 1] : H264I_OP_TERMINATE + 1;
	w.range = h264i_range_after(op, lps[op >> 1], q);
	h264i_ops_open(&r, ops, c->start);
	h264i_walk_on(&w, &r, lps, end, count);
	rest.pre = w.shifts;
	w.done = h264i_advance_join(w.done, rest);
	c->pre[0] = w.done.pre;
	c->align = w.done.align;
	c->post = w.done.post;
	return w.quarter;
}

/* How the chunk moves the bit position if the quarter before it is q. */
LSCHED_FN h264i_advance h264i_chunk_advance(const h264i_chunk *c, uint32_t q)
{
	h264i_advance a = { 0, 0, 0 };

	if (c->start != H264I_CHUNK_NONE) {
		a.align = c->align;
		a.pre = c->pre[q];
		a.post = c->post;
	}
	return a;
}

/* Maps from quarter to quarter, two bits each; of a chunk without operations the identity. */
enum { H264I_QUARTERS_SAME = 0xe4 };

LSCHED_FN uint32_t h264i_quarter_map(const h264i_chunk *c)
{
	return c->start == H264I_CHUNK_NONE ? (uint32_t)H264I_QUARTERS_SAME : c->map;
}

LSCHED_FN uint32_t h264i_quarter_of(uint32_t map, uint32_t q)
{
	return map >> (2 * q) & 3;
}

/* First `a`, then `b`. */
LSCHED_FN uint32_t h264i_quarters_join(uint32_t a, uint32_t b)
{
	uint32_t r = 0;

	LSCHED_UNROLL
	for (uint32_t q = 0; q < 4; q++)
		r |= h264i_quarter_of(b, h264i_quarter_of(a, q)) << (2 * q);
	return r;
}

LSCHED_FN h264i_chunk h264i_chunk_identity(void)
{
	h264i_chunk c = { H264I_CHUNK_NONE, H264I_QUARTERS_SAME, { 0, 0, 0, 0 }, 0, 0 };

	return c;
}

/* c->pre[q] without an index, which would move the array to memory. */
LSCHED_FN uint32_t h264i_chunk_pre(const h264i_chunk *c, uint32_t q)
{
	uint32_t low = q & 1 ? c->pre[1] : c->pre[0], high = q & 1 ? c->pre[3] : c->pre[2];

	return q & 2 ? high : low;
}

/* Result of two walks, first `a`, then `b`; chunks without operations have the identity. Behind an
 * alignment all quarters are equal. The start is that of `a`. */
LSCHED_FN h264i_chunk h264i_chunk_join(const h264i_chunk *a, const h264i_chunk *b)
{
	h264i_chunk r = *a;
	uint32_t behind = h264i_chunk_pre(b, h264i_quarter_of(a->map, 0));

	r.map = h264i_quarters_join(a->map, b->map);
	if (!a->align) {
		LSCHED_UNROLL
		for (uint32_t q = 0; q < 4; q++)
			r.pre[q] += h264i_chunk_pre(b, h264i_quarter_of(a->map, q));
		r.align = b->align;
		r.post = b->post;
	} else {
		r.post += behind;
		if (b->align)
			r.post = ((r.post + 7) & ~7u) + b->post;
	}
	return r;
}

#endif
