/* Messages between macroblocks, for workers of several warps (programs.cuh): what the row below
 * reads of a macroblock, in words that arrive without a fence and without a flag (LSCHED_MESSAGES).
 * A macroblock receives UP-RIGHT's message, and the first one of a row also UP's, which the others
 * have from their left neighbour. Where no block reads UP-RIGHT (H264I_DISABLE_UPRIGHT) each one
 * receives UP's alone, so that a row is one macroblock behind the row above instead of two. While
 * the helper warp would wait for the end of a macroblock it polls the message for the next one, so
 * that the body finds the words in shared memory. */
#ifndef H264INTRA_CUDA_MB_MESSAGE_CUH
#define H264INTRA_CUDA_MB_MESSAGE_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/macroblock.h"

/* Words of a message: the lower row of luma, the record, the lower rows of chroma. The first
 * ABOVE_WORDS are those of mb_above. */
enum { MESSAGE_MB = Y_WORDS, MESSAGE_C = ABOVE_WORDS, MESSAGE_WORDS = ABOVE_WORDS + C_WORDS };
static_assert(MESSAGE_WORDS <= 32, "a lane has a word of a message");

/* Polls of the helper after the last barrier, which the next macroblock's first one waits for. */
enum { MESSAGE_POLLS = 2 };

/* Shared memory of a worker, beside its macroblock. The body owns it up to the first barrier after
 * that of the start, except `polled`, which the helper writes behind the last barrier. */
typedef struct mb_message {
	/* Of UP-RIGHT, or UP, of the next macroblock; may not have arrived. */
	uint64_t polled[MESSAGE_WORDS];
	uint64_t *messages; /* of task 0; NULL: the next task is not known, so nothing is polled */
	uint32_t epoch;
	uint32_t right_c[C_WORDS]; /* chroma of UP-RIGHT, which is UP of the next macroblock */
	/* By SATD: all words of UP-RIGHT, by the parity of a macroblock's column, as a helper reads
	 * those of LEFT while the body writes. */
	uint32_t right[2][MESSAGE_WORDS];
	uint32_t cost; /* of luma at the last barrier: 0: that is Intra16x16; 0xffffffff: none */
} mb_message;

/* Whether the levels of luma at the last barrier are those of the macroblock (I_PCM has none); else
 * Intra16x16 has a lower cost. */
GPU_FN int final_levels(const mb_local *l, const mb_message *in)
{
	return h264i_choose_type(l->key16 >> 4, in->cost, UINT32_MAX) != H264I_TYPE_16X16;
}

/* A lane's words: senders, LSCHED_NONE for none, what polls returned, and the values. */
typedef struct above_words {
	uint32_t up_from, right_from;
	uint64_t up_poll, right_poll;
	uint32_t up, right;
} above_words;

/* What the helper has polled of a sender's message, else a poll. */
GPU_FN uint64_t poll_again(
	lsched_worker *w, const mb_message *in, uint32_t from, int polled, int lane)
{
	const uint64_t word = polled && from != LSCHED_NONE && in->messages ? in->polled[lane] : 0;

	return (uint32_t)(word >> 32) == lsched_epoch(w) ? word
							 : lsched_poll(w, from, (uint32_t)lane);
}

/* Polls UP-RIGHT's message, unless the helper has it, and for the first macroblock of a row UP's.
 * `warm`: the previous macroblock of this worker was LEFT; upright: 0 if UP-RIGHT is not read. */
GPU_FN above_words poll_above(lsched_worker *w, mb_message *in, const mb_place *m, uint32_t mbw,
	uint32_t task, int warm, int upright, int lane)
{
	const int mine = lane < MESSAGE_WORDS;
	above_words a;

	a.up = a.right = 0;
	a.up_from = !(warm && upright) && mine && m->avail & H264I_UP ? task - mbw : LSCHED_NONE;
	a.right_from = upright && mine && m->avail & H264I_UPRIGHT ? task - mbw + 1 : LSCHED_NONE;
	a.up_poll = poll_again(w, in, a.up_from, warm, lane);
	if (!warm && lane == 0) {
		in->messages = lsched_next(w) == task + 1 ? lsched_message(w, 0) : NULL;
		in->epoch = lsched_epoch(w);
	}
	a.right_poll = poll_again(w, in, a.right_from, warm, lane);
	return a;
}

/* Waits for UP's words, unless LEFT had them. Returns 0 if the run has failed. */
GPU_FN int receive_up(lsched_worker *w, above_words *a, int lane)
{
	return lsched_receive(w, a->up_from, (uint32_t)lane, a->up_poll, &a->up);
}

/* Waits for UP-RIGHT's words and stores them for this macroblock and the next; for the helper
 * stores UP's chroma. After load_luma_borders(), before the barrier that the helper waits at.
 * Returns 0 if the run has failed. */
GPU_FN int receive_upright(
	lsched_worker *w, mb_local *l, mb_message *in, above_words *a, int warm, int lane)
{
	const int ok =
		(int)lsched_receive(w, a->right_from, (uint32_t)lane, a->right_poll, &a->right);

	keep_above(l, a->right, lane);
	if (lane >= MESSAGE_C && lane < MESSAGE_WORDS) {
		l->above_c[lane - MESSAGE_C] = warm ? in->right_c[lane - MESSAGE_C] : a->up;
		in->right_c[lane - MESSAGE_C] = a->right;
	}
	return ok;
}

/* load_luma_borders() for the first macroblock of a row: a function, as a jump over so much code
 * waits for instructions. up: the lane's word of UP's message. */
static __device__ __noinline__ void load_first_borders(mb_local *l, const h264i_picture *p,
	uint32_t at, int avail, uint32_t mbw, uint32_t up, int lane)
{
	mb_place m = { p, 0, 0, at, avail };

	load_luma_borders(l, &m, mbw, 0, NULL, up, lane);
	if (lane >= MESSAGE_C && lane < MESSAGE_WORDS)
		l->above_c[lane - MESSAGE_C] = up;
}

/* Stores what UP has sent to a warm macroblock, all words at once; the modes of its lower blocks
 * come from the lanes that have them. */
GPU_FN void keep_up(mb_local *l, int avail, uint32_t up, int lane)
{
	const uint32_t mode_at = offsetof(h264i_mb, i4_mode) + (uint32_t)h264i_blk_at(lane & 3, 3);
	const uint32_t modes = __shfl_sync(0xffffffffu, up, MESSAGE_MB + (int)(mode_at / 4));
	const h264i_px corner = *rec_y(l, 15, -1);
	uint32_t *to =
		lane < MESSAGE_MB  ? reinterpret_cast<uint32_t *>(rec_y(l, PX_A_WORD * lane, -1))
		: lane < MESSAGE_C ? reinterpret_cast<uint32_t *>(&l->up) + (lane - MESSAGE_MB)
				   : l->above_c + (lane - MESSAGE_C);

	__syncwarp();
	if (lane < MESSAGE_WORDS)
		*to = up;
	if (lane < 4)
		l->modes[0][1 + lane] =
			avail & H264I_UP ? (uint8_t)(modes >> (8 * (mode_at & 3))) : NO_MODE;
	if (lane == 4)
		*rec_y(l, -1, -1) = corner;
}

/* receive_upright() by SATD, where a helper stores the borders of warm macroblocks. */
GPU_FN int receive_right(
	lsched_worker *w, mb_local *l, mb_message *in, above_words *a, uint32_t x, int lane)
{
	const int ok =
		(int)lsched_receive(w, a->right_from, (uint32_t)lane, a->right_poll, &a->right);

	if (lane < Y_WORDS / 2) /* Intra8x8 reads eight samples */
		*reinterpret_cast<uint32_t *>(rec_y(l, 16 + PX_A_WORD * lane, -1)) = a->right;
	if (lane < MESSAGE_WORDS)
		in->right[x & 1][lane] = a->right;
	return ok;
}

/* UP's words of a warm macroblock in column x. */
GPU_FN const uint32_t *words_of_up(const mb_message *in, uint32_t x)
{
	return in->right[(x & 1) ^ 1];
}

/* The helper's poll of the message for the next macroblock. Returns a word that has arrived where
 * there is none to poll. */
GPU_FN uint64_t poll_next(
	const mb_message *in, const mb_place *m, uint32_t mbw, uint32_t task, int upright, int lane)
{
	const uint32_t ahead = upright ? 2 : 1;

	if (!in->messages || !(m->avail & H264I_UP) || m->x + ahead >= mbw || lane >= MESSAGE_WORDS)
		return (uint64_t)in->epoch << 32;
	return lsched_message_poll(
		in->messages + (size_t)(task + ahead - mbw) * MESSAGE_WORDS + (uint32_t)lane);
}

/* Stores for the next macroblock what the helper has polled, behind the last barrier. */
GPU_FN void keep_next(mb_message *in, const mb_place *m, uint32_t mbw, uint32_t task, int upright,
	uint64_t word, int lane)
{
#pragma unroll 1
	for (int k = 0; k < MESSAGE_POLLS; k++) {
		if (!__any_sync(0xffffffffu, (uint32_t)(word >> 32) != in->epoch))
			break;
		word = poll_next(in, m, mbw, task, upright, lane);
	}
	if (lane < MESSAGE_WORDS)
		in->polled[lane] = word;
}

/* Sends a macroblock to the row below, then stores it: its record for the entropy coder; its edge,
 * too, for tasks that find no LEFT in shared memory. */
GPU_FN void send_macroblock(lsched_worker *w, mb_local *l, const mb_message *in, const mb_place *m,
	uint32_t task, int lane)
{
	const int k = lane - MESSAGE_MB, c = lane - MESSAGE_C % C_WORDS;
	const void *from = reinterpret_cast<const uint8_t *>(&l->mb) + 4 * k;
	uint32_t v;

	if (lane < MESSAGE_MB)
		from = rec_y(l, PX_A_WORD * lane, 15);
	else if (lane >= MESSAGE_C)
		from = rec_c(l, c / (C_WORDS / 2) & 1, PX_A_WORD * (c & (C_WORDS / 2 - 1)),
			H264I_CHROMA_H - 1);
	v = *reinterpret_cast<const uint32_t *>(from);
	if (lane < MESSAGE_WORDS)
		lsched_send(w, task, (uint32_t)lane, v);
	if (!in->messages)
		store_edge(l, m, lane);
	else if (lane >= MESSAGE_MB && lane < MESSAGE_C)
		reinterpret_cast<uint32_t *>(m->p->mb + m->at)[k] = v;
}

#endif
