/* The macroblock of a worker in shared memory: loads before and stores after coding. */
#ifndef H264INTRA_CUDA_MB_LOCAL_CUH
#define H264INTRA_CUDA_MB_LOCAL_CUH

#include "h264intra/core/source.h"
#include "h264intra/cuda/tables.cuh"
#include "h264intra/cuda/warp.cuh"
#include "h264intra/order/wavefront.h"
#include "h264intra/predict/intra16x16.h"

enum {
	REC_X0 = 16, /* sample x = 0 of REC_PITCH samples; x = -1 is the left border */
	REC_C_PITCH = 16,
	REC_C_X0 = 8
};

/* The chroma of a macroblock is as many groups of four samples as the warp has lanes, in the order
 * of planes, rows and columns; that of the last rows and that of the last columns are a group in
 * each of four lanes. */
enum { CHROMA_FOURS = 2 * H264I_CHROMA_PX / 4 };
static_assert(H264I_CHROMA_W == 8 && CHROMA_FOURS == 32, "a lane has four samples of chroma");

/* What a macroblock leaves for the row below, in words of 32 bits: its lower row of luma, its
 * record and its lower rows of chroma. A lane loads a word. */
enum {
	PX_A_WORD = 4 / sizeof(h264i_px), /* samples in a word */
	Y_WORDS = 16 * sizeof(h264i_px) / 4,
	RECORD_WORDS = sizeof(h264i_mb) / 4,
	C_WORDS = 2 * H264I_CHROMA_W * sizeof(h264i_px) / 4,
	ABOVE_WORDS = Y_WORDS + RECORD_WORDS
};

/* The lower samples and the record of UP-RIGHT. It is UP of the next macroblock. */
typedef struct mb_above {
	px4 y[4];
	h264i_mb mb;
} mb_above;

/* Result of chroma, which mb_join() adds to that of luma. */
typedef struct mb_chroma {
	uint8_t mode, cbp, flags, total[2 * H264I_CHROMA_BLOCKS];
	uint32_t abs_sum, nonzero, abs_max, coded_blocks;
	int32_t peak;
} mb_chroma;

/* Scratch of a worker. The borders of rec are rows and columns -1. With several warps
 * (cuda/encode_pair.cuh) a helper owns the members of chroma until the last barrier. */
typedef struct mb_local {
	px16 src_y[16]; /* a row each */
	px8 src_c[2][H264I_CHROMA_H];
	px16 rec_rows[17 * REC_PITCH / 16];
	px16 rec_c_rows[2][(H264I_CHROMA_H + 1) * REC_C_PITCH / 16];
	px16 pred4[2];                   /* the chosen 4x4 prediction of each half */
	int4 coef[2][4], coef_c[2][4];   /* scaled coefficients of each half */
	px4 edge4[2][EDGE4_SAMPLES / 4]; /* see cuda/tables.cuh */
	i4_step steps[2][10];            /* row of the table for this macroblock */
	uint8_t modes[5][8];             /* i4_mode by position; row and column 0: neighbours */
	px8 next_c[2][H264I_CHROMA_H];   /* source of the macroblock to the right */
	px16 next_y[16];
	h264i_mb mb, left, up;
	mb_above above;            /* UP-RIGHT of the previous macroblock */
	uint32_t above_c[C_WORDS]; /* its chroma */
	mb_chroma chroma;
	uint32_t key16; /* lowest Intra16x16 key; 0xffffffff: none yet */
	__align__(16) h264i_levels levels;
} mb_local;

enum { NO_MODE = 0xf0 }; /* in modes[][]: the neighbour is not available */

/* The predicted mode of a block, from modes[][] of its neighbours. */
GPU_FN int predicted_mode(int left, int up)
{
	return max(left, up) < NO_MODE ? min(left, up) : I4_DC;
}

/* The lane's part of the sums for the bound of the bits (decide/cost.h). */
typedef struct mb_sums {
	uint32_t abs_sum, nonzero, abs_max;
	int32_t peak;          /* largest magnitude inside the inverse transform */
	uint32_t coded_blocks; /* the half warp's, the same in its 16 lanes */
} mb_sums;

GPU_FN void sums_clear(mb_sums *s)
{
	s->abs_sum = s->nonzero = s->abs_max = s->coded_blocks = 0;
	s->peak = 0;
}

GPU_FN void sums_add(mb_sums *s, int level)
{
	uint32_t a = (uint32_t)abs(level);

	s->abs_sum += a;
	s->nonzero += a != 0;
	s->abs_max = max(s->abs_max, a);
}

/* Position of the macroblock, the same in all lanes. */
typedef struct mb_place {
	const h264i_picture *p;
	uint32_t x, y, at;
	int avail;
} mb_place;

GPU_FN h264i_px *rec_y(mb_local *l, int x, int y)
{
	return (h264i_px *)l->rec_rows + (y + 1) * REC_PITCH + REC_X0 + x;
}

GPU_FN h264i_px *rec_c(mb_local *l, int plane, int x, int y)
{
	return (h264i_px *)l->rec_c_rows[plane] + (y + 1) * REC_C_PITCH + REC_C_X0 + x;
}

GPU_FN mb_place place_of(const h264i_wave_ctx *c, uint32_t task)
{
	mbrule_at a = mbrule_place(c, task);
	int up = mbrule_has_up(c, a.y);
	mb_place m;

	m.p = &c->pic[a.frame];
	m.at = a.mb;
	m.x = a.x;
	m.y = a.y;
	m.avail = (a.x > 0 ? H264I_LEFT : 0) | (up ? H264I_UP : 0) |
		  (up && a.x + 1 < c->geom.mb_width ? H264I_UPRIGHT : 0) |
		  (up && a.x > 0 ? H264I_UPLEFT : 0);
	return m;
}

/* Whether groups of samples of macroblock (mx, my) can be read from the source. */
GPU_FN int source_is_whole(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	return p->aligned && h264i_src_holds(g, mx, my);
}

/* Luma source, 8 samples per lane: row lane / 2, half lane % 2. */
GPU_FN px8 fetch_source_y(
	const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my, int lane)
{
	uint32_t x = mx * 16 + (lane & 1) * 8, y = my * 16 + ((uint32_t)lane >> 1);
	px4 v[2] = { px4_zero(), px4_zero() };
	h264i_src s = h264i_src_of(g, p, 0);
	const h264i_px *row = h264i_src_row(&s, y);

	if (__builtin_expect(source_is_whole(g, p, mx, my), 1))
		return *reinterpret_cast<const px8 *>(row + x);
	for (uint32_t i = 0; i < 8; i++)
		v[i >> 2] = px4_with(v[i >> 2], (int)(i & 3), h264i_src_sample(&s, row, x + i));
	return px8_of(v[0], v[1]);
}

/* Chroma source, 4 samples per lane: plane lane / 16, row lane / 2 % 8, half lane % 2. */
GPU_FN px4 fetch_source_c(
	const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my, int lane)
{
	uint32_t x = mx * H264I_CHROMA_W + (lane & 1) * 4;
	uint32_t y = my * H264I_CHROMA_H + ((uint32_t)lane >> 1 & (H264I_CHROMA_H - 1));
	uint32_t pl = 1 + ((uint32_t)lane >> 4);
	px4 v = px4_zero();
	h264i_src s = h264i_src_of(g, p, pl);
	const h264i_px *row = h264i_src_row(&s, y);

	if (source_is_whole(g, p, mx, my)) {
		if (p->chroma_step == 1)
			return px4_at(row + x);
		/* NV12: Cb in the even samples, Cr in the odd ones; src[2] is src[1] + 1 */
		return px8_half(*reinterpret_cast<const px8 *>(row - (pl - 1) + 2 * x), lane & 16);
	}
	for (uint32_t i = 0; i < 4; i++)
		v = px4_with(v, (int)i, h264i_src_sample(&s, row, x + i));
	return v;
}

/* `warm`: the previous macroblock of this worker was LEFT, so that the source was prefetched. */
GPU_FN void load_source_y(mb_local *l, const h264i_geom *g, const mb_place *m, int warm, int lane)
{
	reinterpret_cast<px8 *>(l->src_y)[lane] = warm ? reinterpret_cast<px8 *>(l->next_y)[lane]
						       : fetch_source_y(g, m->p, m->x, m->y, lane);
}

GPU_FN void load_source_c(mb_local *l, const h264i_geom *g, const mb_place *m, int warm, int lane)
{
	reinterpret_cast<px4 *>(l->src_c)[lane] = warm ? reinterpret_cast<px4 *>(l->next_c)[lane]
						       : fetch_source_c(g, m->p, m->x, m->y, lane);
}

/* One word of the luma or, in the lanes behind, of the record of macroblock `at`. */
GPU_FN uint32_t fetch_above(const mb_place *m, uint32_t at, int lane)
{
	const uint32_t *from =
		lane < Y_WORDS
			? reinterpret_cast<const uint32_t *>(m->p->edge[at].bottom_y) + lane
			: reinterpret_cast<const uint32_t *>(m->p->mb + at) + (lane - Y_WORDS);

	return lane < ABOVE_WORDS ? *from : 0;
}

/* The words of UP, if there is one and it is not in shared memory (warm). */
GPU_FN uint32_t fetch_up(const mb_place *m, uint32_t mbw, int warm, int lane)
{
	return !warm && m->avail & H264I_UP ? fetch_above(m, m->at - mbw, lane) : 0;
}

/* The words that keep_above() has stored. */
GPU_FN const uint32_t *kept_above(const mb_local *l)
{
	return reinterpret_cast<const uint32_t *>(&l->above);
}

/* What load_luma_borders() stores of LEFT, and of UP. */
GPU_FN void put_left(mb_local *l, uint32_t record, h264i_px right, int lane)
{
	if (lane < RECORD_WORDS)
		reinterpret_cast<uint32_t *>(&l->left)[lane] = record;
	if (lane < 16)
		*rec_y(l, -1, lane) = right;
}

GPU_FN void put_up(mb_local *l, uint32_t above, h264i_px corner, int lane)
{
	if (lane < Y_WORDS)
		reinterpret_cast<uint32_t *>(rec_y(l, 0, -1))[lane] = above;
	else if (lane < ABOVE_WORDS)
		reinterpret_cast<uint32_t *>(&l->up)[lane - Y_WORDS] = above;
	if (lane == ABOVE_WORDS)
		*rec_y(l, -1, -1) = corner;
}

/* Modes of LEFT and UP, for the predicted modes. */
GPU_FN void put_left_modes(mb_local *l, int avail, int lane)
{
	if (lane >= 4 && lane < 8)
		l->modes[1 + (lane & 3)][0] =
			avail & H264I_LEFT ? l->left.i4_mode[h264i_blk_at(3, lane & 3)] : NO_MODE;
}

GPU_FN void put_up_modes(mb_local *l, int avail, int lane)
{
	if (lane < 4)
		l->modes[0][1 + lane] =
			avail & H264I_UP ? l->up.i4_mode[h264i_blk_at(lane, 3)] : NO_MODE;
}

/* Loads the luma borders and the records of LEFT and UP, except those of UP-RIGHT. `warm`: the
 * previous macroblock of this worker was LEFT, so that its right column and its record are still in
 * shared memory, and UP's words, LEFT's UP-RIGHT, are right_words; else `above` is UP's word as
 * from fetch_up(). Called by all lanes before they write anything else. */
GPU_FN void load_luma_borders(mb_local *l, const mb_place *m, uint32_t mbw, int warm,
	const uint32_t *right_words, uint32_t above, int lane)
{
	uint32_t left = 0;
	h264i_px right = 0, corner = 0;

	if (warm) {
		right = *rec_y(l, 15, lane & 15);
		corner = *rec_y(l, 15, -1);
		left = reinterpret_cast<uint32_t *>(&l->mb)[lane < RECORD_WORDS ? lane : 0];
		above = right_words[lane & (ABOVE_WORDS - 1)];
	} else {
		if (m->avail & H264I_LEFT) {
			right = m->p->edge[m->at - 1].right_y[lane & 15];
			left = reinterpret_cast<const uint32_t *>(
				m->p->mb + m->at - 1)[lane < RECORD_WORDS ? lane : 0];
		}
		if (m->avail & H264I_UPLEFT)
			corner = m->p->edge[m->at - mbw - 1].bottom_y[15];
	}
	__syncwarp();
	put_left(l, left, right, lane);
	put_up(l, above, corner, lane);
	__syncwarp();
	put_up_modes(l, m->avail, lane);
	put_left_modes(l, m->avail, lane);
}

/* The part of LEFT for a warm macroblock, where another warp does that of UP. */
GPU_FN void load_left_borders(mb_local *l, const mb_place *m, int lane)
{
	const h264i_px right = *rec_y(l, 15, lane & 15);
	const uint32_t left = reinterpret_cast<uint32_t *>(&l->mb)[lane < RECORD_WORDS ? lane : 0];

	__syncwarp();
	put_left(l, left, right, lane);
	__syncwarp();
	put_left_modes(l, m->avail, lane);
}

/* Stores the words of UP-RIGHT for this macroblock and the next. */
GPU_FN void keep_above(mb_local *l, uint32_t above, int lane)
{
	if (lane < Y_WORDS / 2) /* Intra8x8 reads eight samples */
		reinterpret_cast<uint32_t *>(rec_y(l, 16, -1))[lane] = above;
	if (lane < ABOVE_WORDS)
		reinterpret_cast<uint32_t *>(&l->above)[lane] = above;
}

/* One word of the chroma of macroblock `at` in the first lanes. */
GPU_FN uint32_t fetch_above_c(const mb_place *m, uint32_t at, int lane)
{
	return reinterpret_cast<const uint32_t *>(m->p->edge[at].bottom_c)[lane & (C_WORDS - 1)];
}

/* The chroma of UP; `warm`: from shared memory. */
GPU_FN uint32_t load_up_c(mb_local *l, const mb_place *m, uint32_t mbw, int warm, int lane)
{
	if (warm)
		return l->above_c[lane & (C_WORDS - 1)];
	return m->avail & H264I_UP ? fetch_above_c(m, m->at - mbw, lane) : 0;
}

/* above: a word of UP's chroma as from load_up_c(). */
GPU_FN void load_chroma_borders(
	mb_local *l, const mb_place *m, uint32_t mbw, int warm, uint32_t above, int lane)
{
	const h264i_edge *e = m->p->edge + m->at;
	h264i_px right = 0, corner = 0;

	if (warm) {
		right = *rec_c(l, lane >> 3 & 1, H264I_CHROMA_W - 1, lane & (H264I_CHROMA_H - 1));
		corner = *rec_c(l, lane & 1, H264I_CHROMA_W - 1, -1);
	} else {
		if (m->avail & H264I_LEFT)
			right = (&e[-1].right_c[0][0])[lane & 15];
		if (m->avail & H264I_UPLEFT)
			corner = (e - mbw - 1)->bottom_c[lane & 1][H264I_CHROMA_W - 1];
	}
	__syncwarp();
	if (lane < 16)
		*rec_c(l, lane >> 3, -1, lane & (H264I_CHROMA_H - 1)) = right;
	if (lane < C_WORDS)
		*reinterpret_cast<uint32_t *>(rec_c(l, lane / (C_WORDS / 2),
			PX_A_WORD * (lane & (C_WORDS / 2 - 1)), -1)) = above;
	if (lane < 2)
		*rec_c(l, lane, -1, -1) = corner;
	__syncwarp();
}

/* Stores what neighbours read, first and in few wide stores: the successors wait for it. A lane has
 * four samples or a word of the record. */
GPU_FN void store_edge(mb_local *l, const mb_place *m, int lane)
{
	px4 v;

	if (lane < 4)
		v = px4_at(rec_y(l, 4 * lane, 15));
	else if (lane < 8)
		v = px4_at(rec_c(l, lane >> 1 & 1, 4 * (lane & 1), H264I_CHROMA_H - 1));
	else if (lane < 16) {
		v = px4_zero();
		for (int i = 0; i < 4; i++) {
			int y = 4 * (lane & 3) + i;

			v = px4_with(v, i,
				lane < 12 ? *rec_y(l, 15, y)
					  : *rec_c(l, lane >> 1 & 1, 7, y & (H264I_CHROMA_H - 1)));
		}
	} else {
		v = px4_of_word(reinterpret_cast<uint32_t *>(
			&l->mb)[lane < 16 + RECORD_WORDS ? lane - 16 : 0]);
	}
	if (lane < 16)
		reinterpret_cast<px4 *>(m->p->edge + m->at)[lane] = v;
	else if (lane < 16 + RECORD_WORDS)
		reinterpret_cast<uint32_t *>(m->p->mb + m->at)[lane - 16] = px4_word(v);
}

GPU_FN void store_levels(const mb_local *l, const mb_place *m, int lane)
{
	const uint4 *from = reinterpret_cast<const uint4 *>(&l->levels);
	uint4 *to = reinterpret_cast<uint4 *>(m->p->levels + m->at);

	for (int i = lane; i < (int)(sizeof(h264i_levels) / 16); i += 32)
		to[i] = from[i];
}

/* A function, as do_pcm(): a jump over so much code waits for instructions. */
static __device__ __noinline__ void store_recon(
	mb_local *l, const h264i_picture *p, uint32_t mx, uint32_t my, int lane)
{
	uint32_t row = (uint32_t)lane >> 1, half = lane & 1, pl = (uint32_t)lane >> 4,
		 crow = row & (H264I_CHROMA_H - 1);

	*reinterpret_cast<px8 *>(
		p->recon[0] + (size_t)(my * 16 + row) * p->recon_pitch[0] + mx * 16 + half * 8) =
		*reinterpret_cast<px8 *>(rec_y(l, (int)half * 8, (int)row));
	*px4_in(p->recon[1 + pl] + (size_t)(my * H264I_CHROMA_H + crow) * p->recon_pitch[1 + pl] +
		mx * H264I_CHROMA_W + half * 4) =
		px4_at(rec_c(l, (int)pl, (int)half * 4, (int)crow));
}

#endif
