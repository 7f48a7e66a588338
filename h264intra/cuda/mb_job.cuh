/* The macroblock that a warp codes, in registers: mb_job of decide/drive_mb.h; how a worker of one
 * warp loads and stores it. */
#ifndef H264INTRA_CUDA_MB_JOB_CUH
#define H264INTRA_CUDA_MB_JOB_CUH

#include "h264intra/cuda/intra16x16.cuh"
#include "h264intra/cuda/rd_local.cuh"

#define MB_FN GPU_FN

/* All functions that take it are inlined, so that a member costs a register where it is in use; the
 * address of one, as a parameter of a function that is not, would put all of them into local
 * memory. The lane is left out: of lsched_lane() the compiler knows the range, and unrolls no loop
 * that has two steps. */
typedef struct mb_job {
	const h264i_wave_ctx *c;
	const gpu_tables *t;
	mb_local *l;
	mb_8x8 *e;                    /* NULL: a program without Intra8x8 */
	struct mb_chain *chain;       /* if few */
	const struct chain_lane *own; /* if few */
	rd_local *rd;                 /* by rate and distortion */
	const h264i_qparams *q;
	mb_place m;
	int warm; /* the previous macroblock of this worker was LEFT */
	lane_consts k;
	luma_borders bd;
	mb_sums sums;

	/* Loaded long before they are stored: words of UP-RIGHT, source of the next macroblock. */
	uint32_t above, above_c;
	px4 next_c;
	px8 next_y;

	int few;   /* 1: by SATD, a worker of several warps; a constant */
	int by_rd; /* 0: decisions by SATD; a constant of each program, as form */
	int form;  /* of RD_CAVLC and RD_SKIPS */
	rd_lane rk;
	uint32_t cost4; /* of Intra4x4, whose result is in l */
	int32_t peak4;
} mb_job;

#include "h264intra/decide/drive_mb.h"

GPU_FN void mb_job_init(mb_job *j, const h264i_wave_ctx *c, mb_local *l, mb_8x8 *e,
	const mb_place *m, const h264i_qparams *q, int warm)
{
	j->c = c;
	j->t = reinterpret_cast<const gpu_tables *>(c->backend);
	j->l = l;
	j->e = e;
	j->few = 0;
	j->chain = NULL;
	j->own = NULL;
	j->by_rd = 0;
	j->q = q;
	j->m = *m;
	j->warm = warm;
	j->k = lane_consts_of(lsched_lane() & 15);
	sums_clear(&j->sums);
	j->above = j->above_c = 0;
	j->next_c = px4_zero();
	j->next_y = px8_of(px4_zero(), px4_zero());
}

/* The programs by SATD with and without Intra8x8 are different ones. */
MB_FN int mb_allows(const mb_job *j, h264i_type type)
{
	if (type == H264I_TYPE_8X8 && !j->by_rd)
		return j->e != NULL;
	return h264i_type_allowed(j->q, type);
}

GPU_FN void fetch_next_source(mb_job *j)
{
	const mb_place *m = &j->m;

	if (m->x + 1 >= j->c->geom.mb_width)
		return;
	j->next_y = fetch_source_y(&j->c->geom, m->p, m->x + 1, m->y, lsched_lane());
	j->next_c = fetch_source_c(&j->c->geom, m->p, m->x + 1, m->y, lsched_lane());
}

GPU_FN void load_steps(mb_job *j)
{
	const int lane = lsched_lane();

	if (lane < 20)
		(&j->l->steps[0][0])[lane] = (&j->t->step[j->m.avail][0][0])[lane];
}

/* Stores the words of UP-RIGHT. */
GPU_FN void keep_upright(mb_job *j)
{
	const int lane = lsched_lane();

	keep_above(j->l, j->above, lane);
	if (lane < C_WORDS)
		j->l->above_c[lane] = j->above_c;
}

/* By SATD UP-RIGHT and the next source are on their way while Intra16x16 is decided, which does not
 * need them. */
MB_FN void mb_load(mb_job *j)
{
	const mb_place *m = &j->m;
	const int mbw = (int)j->c->geom.mb_width, warm = j->warm, lane = lsched_lane();
	mb_local *l = j->l;

	load_source_y(l, &j->c->geom, m, warm, lane);
	load_source_c(l, &j->c->geom, m, warm, lane);
	load_luma_borders(l, m, mbw, warm, kept_above(l), fetch_up(m, mbw, warm, lane), lane);
	load_chroma_borders(l, m, mbw, warm, load_up_c(l, m, mbw, warm, lane), lane);
	if (m->avail & H264I_UPRIGHT) {
		j->above = fetch_above(m, m->at - mbw + 1, lane);
		j->above_c = fetch_above_c(m, m->at - mbw + 1, lane);
	}
	if (!j->by_rd)
		fetch_next_source(j);
	load_steps(j);
	if (j->by_rd)
		keep_upright(j);
	__syncwarp();
}

/* Stores what the row below does not wait for. */
GPU_FN void store_rest(mb_job *j)
{
	if (j->l->mb.type != H264I_MB_PCM)
		store_levels(j->l, &j->m, lsched_lane());
	if (j->m.p->recon[0])
		store_recon(j->l, j->m.p, j->m.x, j->m.y, lsched_lane());
}

MB_FN void mb_store(mb_job *j)
{
	const int lane = lsched_lane();

	store_edge(j->l, &j->m, lane);
	store_rest(j);
	if (j->by_rd)
		fetch_next_source(j);
	reinterpret_cast<px8 *>(j->l->next_y)[lane] = j->next_y;
	reinterpret_cast<px4 *>(j->l->next_c)[lane] = j->next_c;
}

#endif
