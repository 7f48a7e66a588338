/* The body of a macroblock task on the GPU: one warp encodes one macroblock, with the same bits as
 * the specification (cpu/encode_mb.c). */
#ifndef H264INTRA_CUDA_ENCODE_MB_CUH
#define H264INTRA_CUDA_ENCODE_MB_CUH

#include "h264intra/cuda/chain4x4.cuh"
#include "h264intra/cuda/chroma.cuh"
#include "h264intra/cuda/intra16x16.cuh"
#include "h264intra/cuda/intra4x4.cuh"
#include "h264intra/cuda/intra8x8.cuh"
#include "h264intra/cuda/mb_job.cuh"

/* Slow path: counts the bits exactly, one item per lane in 28 lanes. */
static __device__ __noinline__ int exact_bits(
	const mb_local *l, const gpu_tables *t, int avail, int syntax, int lane)
{
	int bits = 0, bad;

	if (lane < H264I_MB_ITEMS)
		bits = h264i_mb_item_bits(&t->cavlc.code, &l->mb, &l->levels,
			avail & H264I_LEFT ? &l->left : NULL, avail & H264I_UP ? &l->up : NULL,
			syntax, lane);
	__syncwarp();
	bad = __any_sync(0xffffffffu, bits < 0);
	bits = __reduce_add_sync(0xffffffffu, bits);
	return bad ? -1 : bits;
}

/* I_PCM: the reconstruction is the source, with 1 instead of 0 (not a legal pcm_sample in Baseline
 * and Main; do_pcm() of cpu/mb_intra.h says why in all profiles). */
static __device__ __noinline__ void do_pcm(mb_local *l, int lane)
{
	const px8 y = reinterpret_cast<const px8 *>(l->src_y)[lane];
	const px4 c = reinterpret_cast<const px4 *>(l->src_c)[lane];

	*reinterpret_cast<px8 *>(rec_y(l, 8 * (lane & 1), lane >> 1)) =
		px8_of(px4_not_zero(y.x), px4_not_zero(y.y));
	*px4_in(rec_c(l, lane >> 4, 4 * (lane & 1), lane >> 1 & (H264I_CHROMA_H - 1))) =
		px4_not_zero(c);
	if (lane < 16)
		l->mb.i4_mode[lane] = I4_DC;
	if (lane < (int)sizeof(l->mb.total))
		l->mb.total[lane] = 16;
	if (lane == 0) {
		l->mb.type = H264I_MB_PCM;
		l->mb.i16_mode = 0;
		l->mb.chroma_mode = 0;
		l->mb.cbp = 0x2f;
		l->mb.flags = H264I_MB_DC_ALL;
	}
}

/* ---- operations of decide/drive_mb.h ---- */

/* Adds the result of chroma to the record. */
MB_FN h264i_mb_totals mb_join(mb_job *j)
{
	mb_local *l = j->l;
	const mb_sums *sums = &j->sums;
	uint32_t coded = sums->coded_blocks + __shfl_xor_sync(0xffffffffu, sums->coded_blocks, 16);
	uint32_t nonzero = __reduce_add_sync(0xffffffffu, sums->nonzero) + l->chroma.nonzero;
	uint32_t abs_sum = __reduce_add_sync(0xffffffffu, sums->abs_sum) + l->chroma.abs_sum;
	const int lane = lsched_lane();
	h264i_mb_totals t;

	t.abs_max = max(__reduce_max_sync(0xffffffffu, sums->abs_max), l->chroma.abs_max);
	t.bound = h264i_bits_bound(coded + l->chroma.coded_blocks, nonzero, abs_sum);
	if (lane < 2 * H264I_CHROMA_BLOCKS)
		l->mb.total[16 + lane] = l->chroma.total[lane];
	if (lane == 2 * H264I_CHROMA_BLOCKS) {
		l->mb.chroma_mode = l->chroma.mode;
		l->mb.cbp |= l->chroma.cbp;
		l->mb.flags |= l->chroma.flags;
		l->mb.qp = (uint8_t)j->q->qp;
		l->mb.qp_delta = 0;
		l->mb.pad = 0;
	}
	__syncwarp();
	t.exceeds =
		max(__reduce_max_sync(0xffffffffu, sums->peak), l->chroma.peak) > H264I_IDCT_PEAK;
	return t;
}

MB_FN int mb_exact_bits(mb_job *j)
{
	return exact_bits(j->l, j->t, j->m.avail, j->q->syntax, lsched_lane());
}

MB_FN void mb_code_pcm(mb_job *j)
{
	__syncwarp();
	do_pcm(j->l, lsched_lane());
	__syncwarp();
}

/* Sets l->key16, which a worker's other warp reads at any time. */
GPU_FN uint32_t publish_intra16x16(mb_job *j)
{
	uint32_t key;

	j->bd = luma_borders_of(j->l, j->m.avail, lsched_lane());
	key = decide_intra16x16(j->l, j->q, &j->bd, j->m.avail, lsched_lane());
	if (lsched_lane() == 0)
		*reinterpret_cast<volatile uint32_t *>(&j->l->key16) =
			mb_allows(j, H264I_TYPE_16X16) ? key : 0xffffffffu;
	return key;
}

MB_FN uint32_t mb_decide16(mb_job *j)
{
	uint32_t key = publish_intra16x16(j);

	keep_upright(j);
	__syncwarp();
	return key;
}

MB_FN uint32_t mb_try8(mb_job *j)
{
	return try_intra8x8(j->l, j->e, j->q, j->t, j->m.avail, &j->sums, lsched_lane());
}

MB_FN void mb_keep8(mb_job *j)
{
	keep_intra8x8(j->l, j->e, &j->sums, lsched_lane());
}

MB_FN void mb_restore8(mb_job *j)
{
	restore_intra8x8(j->l, j->e, &j->sums, lsched_lane());
}

MB_FN uint32_t mb_try4(mb_job *j, uint32_t cost8)
{
	uint32_t cost;

	if (j->e) {
		sums_clear(&j->sums);
		__syncwarp();
	}
	if (!(j->few ? chain_intra4x4(j->l, j->chain, j->q, j->own, &j->k, cost8, &j->sums, &cost,
			       lsched_lane())
		     : try_intra4x4(
			       j->l, j->q, j->t, &j->k, cost8, &j->sums, &cost, lsched_lane())))
		cost = UINT32_MAX;
	__syncwarp();
	return cost;
}

MB_FN void mb_code16(mb_job *j, int mode)
{
	sums_clear(&j->sums);
	__syncwarp();
	do_intra16x16(j->l, j->q, &j->bd, mode, &j->k, &j->sums, lsched_lane());
}

MB_FN void mb_code_chroma(mb_job *j)
{
	do_chroma(j->l, j->q, j->m.avail, &j->k, lsched_lane());
	__syncwarp();
}

/* ---- bodies ---- */

/* What a macroblock is coded with; varies: 0 if all have the same QP, a constant. */
GPU_FN const h264i_qparams *qparams_of(const h264i_wave_ctx *c, const mb_place *m, int varies)
{
	return varies ? c->by_qp + h264i_picture_qp(m->p, m->at) : &c->q;
}

/* Body for a worker of one warp: all steps in sequence. Fewest instructions per macroblock. */
GPU_FN lsched_result encode_single(lsched_worker *w, const h264i_wave_ctx *c, mb_local *l,
	mb_8x8 *e, int varies, uint32_t task)
{
	const mb_place m = place_of(c, task);
	const int warm = m.x > 0 && lsched_prev(w) == task - 1;
	mb_job j;

	mb_job_init(&j, c, l, e, &m, qparams_of(c, &m, varies), warm);
	mb_drive_satd(&j);
	return LSCHED_DONE;
}

/* Scratch of a worker with Intra8x8. */
typedef struct mb_local8 {
	mb_local l;
	mb_8x8 e;
} mb_local8;

#endif
