/* A warp's macroblock in shared memory: what is loaded before and stored after the work. */
#ifndef H264INTRA_CUDA_MB_LOCAL_CUH
#define H264INTRA_CUDA_MB_LOCAL_CUH

#include "h264intra/cuda/tables.cuh"
#include "h264intra/cuda/warp.cuh"
#include "h264intra/order/wavefront.h"
#include "h264intra/predict/intra16x16.h"

enum {
	REC_X0 = 16,    /* sample x = 0 of REC_PITCH bytes; x = -1 is the left border */
	REC_C_PITCH = 16,
	REC_C_X0 = 8
};

/* What of UP-RIGHT is read: its lower samples and its record. At the next macroblock it is UP. */
typedef struct mb_above {
	uint32_t bottom[8]; /* Y 0..3, Cb 4..5, Cr 6..7 */
	h264i_mb mb;
} mb_above;

/* Scratch of a worker. The borders of rec are rows and columns -1. */
typedef struct mb_local {
	uint4 src_y[16];                                  /* a row each */
	uint2 src_c[2][8];
	uint4 rec_rows[17 * REC_PITCH / 16];
	uint4 rec_c_rows[2][9 * REC_C_PITCH / 16];
	uint4 pred4[2];                                   /* the chosen 4x4 prediction of each half */
	int4 coef[2][4];                                  /* scaled coefficients of each half */
	uint32_t string[2][STR_BYTES / 4];                /* see cuda/tables.cuh */
	i4_step steps[2][10];                             /* this macroblock's row of the table */
	uint8_t modes[5][8];                              /* i4_mode by place, row and column 0: neighbours */
	uint2 next_c[2][8];                               /* source of the macroblock to the right */
	uint4 next_y[16];
	h264i_mb mb, left, up;
	mb_above above;                                   /* UP-RIGHT of the macroblock done last */
	__align__(16) h264i_levels levels;
} mb_local;

enum { NO_MODE = 0xf0 }; /* in modes[][]: the neighbour is not available */

/* Sums for the bound of the bits (decide/cost.h), a lane's share of them. */
typedef struct mb_sums {
	uint32_t abs_sum, nonzero, abs_max;
	uint32_t coded_blocks; /* the half warp's, the same in its 16 lanes */
} mb_sums;

GPU_FN void sums_add(mb_sums *s, int level)
{
	uint32_t a = (uint32_t)abs(level);

	s->abs_sum += a;
	s->nonzero += a != 0;
	s->abs_max = max(s->abs_max, a);
}

/* What all lanes know of the macroblock. */
typedef struct mb_place {
	const h264i_picture *p;
	uint32_t x, y, at;
	int avail;
} mb_place;

GPU_FN uint8_t *rec_y(mb_local *l, int x, int y)
{
	return (uint8_t *)l->rec_rows + (y + 1) * REC_PITCH + REC_X0 + x;
}

GPU_FN uint8_t *rec_c(mb_local *l, int plane, int x, int y)
{
	return (uint8_t *)l->rec_c_rows[plane] + (y + 1) * REC_C_PITCH + REC_C_X0 + x;
}

GPU_FN uint32_t rec_word(const uint8_t *p)
{
	return *reinterpret_cast<const uint32_t *>(p);
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

/* Source of one macroblock in registers: a lane holds 8 luma and 4 chroma samples. */
typedef struct src_regs {
	uint2 y;
	uint32_t c;
} src_regs;

/* Lane: luma row lane / 2, half lane % 2; chroma plane lane / 16, row lane % 16 / 2, half lane % 2. */
GPU_FN src_regs fetch_source(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my, int lane)
{
	uint32_t row = (uint32_t)lane >> 1, half = lane & 1, pl = 1 + ((uint32_t)lane >> 4);
	uint32_t crow = (uint32_t)lane >> 1 & 7;
	src_regs r;

	if (p->aligned && (mx + 1) * 16 <= g->width && (my + 1) * 16 <= g->height) {
		const uint8_t *c;

		r.y = *reinterpret_cast<const uint2 *>(
			p->src[0] + (size_t)(my * 16 + row) * p->src_pitch[0] + mx * 16 + half * 8);
		if (p->chroma_step == 1) {
			c = p->src[pl] + (size_t)(my * 8 + crow) * p->src_pitch[pl] + mx * 8 + half * 4;
			r.c = *reinterpret_cast<const uint32_t *>(c);
		} else {
			uint2 cc;

			c = p->src[1] + (size_t)(my * 8 + crow) * p->src_pitch[1] + mx * 16 + half * 8;
			cc = *reinterpret_cast<const uint2 *>(c);
			r.c = __byte_perm(cc.x, cc.y, lane & 16 ? 0x7531 : 0x6420);
		}
		return r;
	}
	/* At the right and lower edge the last column and row repeat. */
	const uint8_t *yrow = p->src[0] + (size_t)min(my * 16 + row, g->height - 1) * p->src_pitch[0];
	const uint8_t *crow_at =
		p->src[pl] + (size_t)min(my * 8 + crow, g->height / 2 - 1) * p->src_pitch[pl];
	uint32_t v[2] = { 0, 0 };

	r.c = 0;
	for (uint32_t i = 0; i < 8; i++)
		v[i >> 2] |= (uint32_t)yrow[min(mx * 16 + half * 8 + i, g->width - 1)] << (8 * (i & 3));
	r.y = make_uint2(v[0], v[1]);
	for (uint32_t i = 0; i < 4; i++)
		r.c |= (uint32_t)crow_at[(size_t)min(mx * 8 + half * 4 + i, g->width / 2 - 1) * p->chroma_step]
			<< (8 * i);
	return r;
}

GPU_FN void keep_source(uint4 *y, uint2 (*c)[8], src_regs r, int lane)
{
	reinterpret_cast<uint2 *>(y)[lane] = r.y;
	reinterpret_cast<uint32_t *>(c)[lane] = r.c;
}

/* A word of UP-RIGHT's samples (lanes 0..7) or record (lanes 8..19). */
GPU_FN uint32_t fetch_above(const mb_place *m, uint32_t at, int lane)
{
	const uint32_t *from = lane < 8
		? reinterpret_cast<const uint32_t *>(m->p->edge[at].bottom_y) + lane
		: reinterpret_cast<const uint32_t *>(m->p->mb + at) + (lane - 8);

	return lane < 20 ? *from : 0;
}

/* The borders and the records of LEFT and UP, all but what UP-RIGHT gives. `warm`: this warp did LEFT
 * just before, so that its right column, its record and, as its UP-RIGHT, UP are still here, and
 * nothing is waited for. Called by all lanes before anything else is written. */
GPU_FN void load_neighbours(mb_local *l, const mb_place *m, uint32_t mbw, int warm, int lane)
{
	uint32_t above = 0, left = 0, corner = 0;
	uint8_t right_y = 0, right_c = 0;

	if (warm) {
		right_y = *rec_y(l, 15, lane & 15);
		right_c = *rec_c(l, lane >> 3 & 1, 7, lane & 7);
		corner = lane == 0 ? *rec_y(l, 15, -1) : *rec_c(l, lane - 1 & 1, 7, -1);
		left = reinterpret_cast<uint32_t *>(&l->mb)[lane < 12 ? lane : 0];
		above = reinterpret_cast<uint32_t *>(&l->above)[lane < 20 ? lane : 0];
	} else {
		if (m->avail & H264I_LEFT) {
			const h264i_edge *e = m->p->edge + m->at - 1;

			right_y = e->right_y[lane & 15];
			right_c = (&e->right_c[0][0])[lane & 15];
			left = reinterpret_cast<const uint32_t *>(
				m->p->mb + m->at - 1)[lane < 12 ? lane : 0];
		}
		if (m->avail & H264I_UP)
			above = fetch_above(m, m->at - mbw, lane);
		if ((m->avail & H264I_UPLEFT) && lane < 3) {
			const h264i_edge *e = m->p->edge + m->at - mbw - 1;

			corner = lane == 0 ? e->bottom_y[15] : e->bottom_c[lane - 1][7];
		}
	}
	__syncwarp();
	if (lane < 12)
		reinterpret_cast<uint32_t *>(&l->left)[lane] = left;
	if (lane >= 8 && lane < 20)
		reinterpret_cast<uint32_t *>(&l->up)[lane - 8] = above;
	if (lane < 16) {
		*rec_y(l, -1, lane) = right_y;
		*rec_c(l, lane >> 3, -1, lane & 7) = right_c;
	}
	if (lane < 4)
		*reinterpret_cast<uint32_t *>(rec_y(l, 4 * lane, -1)) = above;
	else if (lane < 8)
		*reinterpret_cast<uint32_t *>(rec_c(l, lane >> 1 & 1, 4 * (lane & 1), -1)) = above;
	if (lane < 3)
		*(lane == 0 ? rec_y(l, -1, -1) : rec_c(l, lane - 1, -1, -1)) = (uint8_t)corner;
	__syncwarp();
	/* Modes beside and above, for their prediction. */
	if (lane < 4)
		l->modes[0][1 + lane] =
			m->avail & H264I_UP ? l->up.i4_mode[h264i_blk_at(lane, 3)] : NO_MODE;
	else if (lane < 8)
		l->modes[1 + (lane & 3)][0] =
			m->avail & H264I_LEFT ? l->left.i4_mode[h264i_blk_at(3, lane & 3)] : NO_MODE;
}

/* UP-RIGHT's word into place, for this macroblock and the next. */
GPU_FN void keep_above(mb_local *l, uint32_t above, int lane)
{
	if (lane == 0)
		*reinterpret_cast<uint32_t *>(rec_y(l, 16, -1)) = above;
	if (lane < 20)
		reinterpret_cast<uint32_t *>(&l->above)[lane] = above;
}

/* What neighbours read, first and in few wide stores: the successors wait for it. */
GPU_FN void store_edge(mb_local *l, const mb_place *m, int lane)
{
	uint32_t v;

	if (lane < 4)
		v = rec_word(rec_y(l, 4 * lane, 15));
	else if (lane < 8)
		v = rec_word(rec_c(l, lane >> 1 & 1, 4 * (lane & 1), 7));
	else if (lane < 16) {
		v = 0;
		for (int i = 0; i < 4; i++) {
			int y = 4 * (lane & 3) + i;

			v |= (uint32_t)(lane < 12 ? *rec_y(l, 15, y)
						  : *rec_c(l, lane >> 1 & 1, 7, y & 7))
				<< (8 * i);
		}
	} else {
		v = reinterpret_cast<uint32_t *>(&l->mb)[lane < 28 ? lane - 16 : 0];
	}
	if (lane < 16)
		reinterpret_cast<uint32_t *>(m->p->edge + m->at)[lane] = v;
	else if (lane < 28)
		reinterpret_cast<uint32_t *>(m->p->mb + m->at)[lane - 16] = v;
}

GPU_FN void store_levels(const mb_local *l, const mb_place *m, int lane)
{
	const uint4 *from = reinterpret_cast<const uint4 *>(&l->levels);
	uint4 *to = reinterpret_cast<uint4 *>(m->p->levels + m->at);

	for (int i = lane; i < (int)(sizeof(h264i_levels) / 16); i += 32)
		to[i] = from[i];
}

GPU_FN void store_recon(mb_local *l, const mb_place *m, int lane)
{
	const h264i_picture *p = m->p;
	uint32_t row = (uint32_t)lane >> 1, half = lane & 1, pl = (uint32_t)lane >> 4, crow = row & 7;

	*reinterpret_cast<uint2 *>(p->recon[0] + (size_t)(m->y * 16 + row) * p->recon_pitch[0] +
		m->x * 16 + half * 8) = *reinterpret_cast<uint2 *>(rec_y(l, (int)half * 8, (int)row));
	*reinterpret_cast<uint32_t *>(p->recon[1 + pl] +
		(size_t)(m->y * 8 + crow) * p->recon_pitch[1 + pl] + m->x * 8 + half * 4) =
		rec_word(rec_c(l, (int)pl, (int)half * 4, (int)crow));
}

#endif
