/* The bits of a chunk of operations (cabac_chunk.h), added to those of the other chunks of its
 * slice. Device code, and C for a test without a GPU. */
#ifndef H264INTRA_ENTROPY_CABAC_ADDER_H
#define H264INTRA_ENTROPY_CABAC_ADDER_H

#include "h264intra/entropy/cabac_chunk.h"

enum { H264I_ADDER_LINE = 16 };

/* What a chunk adds to the slice. acc has the bits from the start of word `at` on, bit 8 at
 * position `pos`, and above them a carry, 0..2. Words wait in `line`, so that lanes of a warp,
 * which complete words at different times, add them to memory together. */
typedef struct h264i_adder {
	uint32_t *rbsp; /* words, the first bit in the most significant place; 0 at first */
	uint32_t words; /* words beyond are not written */
	uint32_t *line; /* H264I_ADDER_LINE words, `stride` apart */
	uint32_t stride;
	uint32_t first, held; /* line[k] is of word first + k, k < held */
	uint32_t last;        /* of word at - 1, which is not in `line` yet */
	uint32_t pos, at;
	uint64_t acc;
} h264i_adder;

/* Adds a carry to the words before word `at`. */
LSCHED_FN void h264i_add_carry(h264i_adder *a, uint32_t at)
{
	while (at > 0 && h264i_fetch_add(&a->rbsp[--at], 1) == 0xffffffffu)
		continue;
}

/* Adds `v` to word `at`; the carry goes to the words before. */
LSCHED_FN void h264i_add_word(h264i_adder *a, uint32_t at, uint32_t v)
{
	if (v && at < a->words && h264i_fetch_add(&a->rbsp[at], v) + v < v)
		h264i_add_carry(a, at);
}

LSCHED_FN void h264i_adder_start(h264i_adder *a, uint32_t pos)
{
	a->pos = pos;
	a->at = pos >> 5;
	a->acc = 0;
	a->first = a->at - 1;
	a->held = a->last = 0;
}

/* Adds the words of `line` to memory, so that the additions of four are under way together. */
LSCHED_FN void h264i_adder_drain(h264i_adder *a)
{
	for (uint32_t k = 0; k < a->held; k += 4) {
		uint32_t v[4], old[4];

		LSCHED_UNROLL
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t at = a->first + k + i;

			v[i] = k + i < a->held && at < a->words ? a->line[(k + i) * a->stride] : 0;
			old[i] = v[i] ? h264i_fetch_add(&a->rbsp[at], v[i]) : 0;
		}
		LSCHED_UNROLL
		for (uint32_t i = 0; i < 4; i++)
			if (old[i] + v[i] < v[i])
				h264i_add_carry(a, a->first + k + i);
	}
	a->first += a->held;
	a->held = 0;
}

/* Completes word at - 1, to which `carry` is added. */
LSCHED_FN void h264i_adder_hold(h264i_adder *a, uint32_t carry)
{
	uint32_t sum = a->last + carry;

	if (sum < carry)
		h264i_add_word(a, a->at - 2, 1);
	a->line[a->held++ * a->stride] = sum;
}

/* Shifts by `before`, adds `v` with its bit 8 at the position, shifts by n; both together at most
 * 8. A word is complete when no more additions begin in it. */
LSCHED_FN void h264i_adder_step(h264i_adder *a, uint32_t before, uint32_t v, uint32_t n)
{
	a->acc = ((a->acc << before) + v) << n;
	a->pos += before + n;
	if (a->pos - 32 * a->at >= 32) {
		uint32_t low = a->pos - 32 * a->at - 23; /* bits below the word */
		uint64_t top = a->acc >> low;

		h264i_adder_hold(a, (uint32_t)(top >> 32));
		a->last = (uint32_t)top;
		a->acc &= ((uint64_t)1 << low) - 1;
		a->at++;
		if (a->held == H264I_ADDER_LINE - 3) /* h264i_adder_end() adds three words */
			h264i_adder_drain(a);
	}
}

/* Adds what is left: up to position pos + 8. */
LSCHED_FN void h264i_adder_end(h264i_adder *a)
{
	uint32_t used = a->pos - 32 * a->at; /* 0..31: places in word `at` before pos */
	uint64_t v = a->acc << (55 - used);  /* without the carry */

	h264i_adder_hold(a, (uint32_t)(a->acc >> (9 + used)));
	a->line[a->held++ * a->stride] = (uint32_t)(v >> 32);
	a->line[a->held++ * a->stride] = (uint32_t)v;
	h264i_adder_drain(a);
}

/* The macroblocks of a slice, for the positions of I_PCM samples. */
typedef struct h264i_pcm_places {
	const uint32_t *first_op; /* [mbs] in the slice, ascending */
	uint32_t *end;            /* [mbs]: bit position behind the flush of an I_PCM macroblock */
	uint32_t mbs, bits;       /* bits: of the samples of one */
} h264i_pcm_places;

LSCHED_FN void h264i_pcm_note(const h264i_pcm_places *p, uint32_t op, uint32_t pos)
{
	uint32_t low = 0, high = p->mbs;

	while (high - low > 1) {
		uint32_t mid = (low + high) / 2;

		if (p->first_op[mid] <= op)
			low = mid;
		else
			high = mid;
	}
	p->end[low] = pos;
}

/* Codes a chunk into the slice, whose words are 0 at first. q: the quarter before the chunk; pos:
 * the bit position at which it starts.
 *
 * The last bit of a segment is 1. It is set here, as no other chunk adds to it: a chunk begins
 * behind a shift, and the bits that it adds are behind those of the chunks before. */
LSCHED_FN void h264i_chunk_code(const h264i_chunk *c, h264i_adder *a, const uint8_t *ops,
	uint32_t end, uint32_t count, const uint32_t *lps, uint32_t q, uint32_t pos,
	const h264i_pcm_places *pcm)
{
	uint32_t op, range, entry, at = c->start;
	h264i_op_reader r;
	int ended = 0;

	if (at == H264I_CHUNK_NONE)
		return;
	op = at ? ops[at - 1] : H264I_OP_TERMINATE + 1;
	range = h264i_range_after(op, lps[op >> 1], q);
	h264i_ops_open(&r, ops, at);
	h264i_adder_start(a, pos);
	op = h264i_ops_get(&r);
	entry = h264i_op_entry(lps, op);
	while (!ended && at < count) {
		uint32_t next = h264i_ops_get(&r), ahead = h264i_op_entry(lps, next);

		at++;
		ended = h264i_op_syncs(op) && at > end;
		if (op == H264I_OP_TERMINATE + 1) {
			h264i_adder_step(a, 0, range - 2, 7);
			a->acc |= 1 << 7;
			pos = a->pos + 2;
			h264i_adder_end(a);
			if (at < count)
				h264i_pcm_note(pcm, at - 1, pos);
			h264i_adder_start(a, ((pos + 7) & ~7u) + pcm->bits);
			range = 510;
		} else {
			/* A bypass bin of 1 adds the range after a shift; its `part` is 0. */
			uint32_t bypass = op >> 1 == H264I_OP_BYPASS >> 1;
			uint32_t part = h264i_op_lps(entry, range), rest = range - part, n;

			range = h264i_op_is_lps(op) ? part : rest;
			n = lsched_i_leading_zeros(range) - 23;
			range <<= n;
			h264i_adder_step(a, bypass, op & 1 ? rest : 0, n);
		}
		op = next;
		entry = ahead;
	}
	h264i_adder_end(a);
}

#endif
