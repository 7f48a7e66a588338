/* The body of a macroblock task on the GPU: a warp does one macroblock (cpu/encode_mb.c is the
 * specification, bit for bit). */
#ifndef H264INTRA_CUDA_ENCODE_MB_CUH
#define H264INTRA_CUDA_ENCODE_MB_CUH

#include "h264intra/cuda/intra16x16.cuh"
#include "h264intra/cuda/intra4x4.cuh"

/* Exact bits by 28 lanes, an item each; rare, so kept out of line. */
static __device__ __noinline__ int exact_bits(const mb_local *l, const gpu_tables *t, int avail, int lane)
{
	int bits = 0, bad;

	if (lane < H264I_MB_ITEMS)
		bits = h264i_mb_item_bits(&t->cavlc, &l->mb, &l->levels,
			avail & H264I_LEFT ? &l->left : NULL, avail & H264I_UP ? &l->up : NULL, lane);
	__syncwarp();
	bad = __any_sync(0xffffffffu, bits < 0);
	bits = __reduce_add_sync(0xffffffffu, bits);
	return bad ? -1 : bits;
}

/* I_PCM: the source is the reconstruction, 1 in place of 0 (not a legal pcm_sample in Baseline). */
GPU_FN void do_pcm(mb_local *l, int lane)
{
	uint2 y = reinterpret_cast<const uint2 *>(l->src_y)[lane];
	uint32_t c = reinterpret_cast<const uint32_t *>(l->src_c)[lane];

	*reinterpret_cast<uint2 *>(rec_y(l, 8 * (lane & 1), lane >> 1)) =
		make_uint2(__vmaxu4(y.x, 0x01010101u), __vmaxu4(y.y, 0x01010101u));
	*reinterpret_cast<uint32_t *>(rec_c(l, lane >> 4, 4 * (lane & 1), lane >> 1 & 7)) =
		__vmaxu4(c, 0x01010101u);
	if (lane < 16)
		l->mb.i4_mode[lane] = I4_DC;
	if (lane < 24)
		l->mb.total[lane] = 16;
	if (lane == 0) {
		l->mb.type = H264I_MB_PCM;
		l->mb.i16_mode = 0;
		l->mb.chroma_mode = 0;
		l->mb.cbp = 0x2f;
	}
}

GPU_FN sched_result mbenc_body(sched_worker *w, const h264i_wave_ctx *c, mb_local *l, uint32_t task)
{
	const gpu_tables *t = reinterpret_cast<const gpu_tables *>(c->backend);
	int lane = sched_lane();
	mb_place m = place_of(c, task);
	int warm = m.x > 0 && sched_prev(w) == task - 1;
	lane_consts k = lane_consts_of(lane & 15);
	mb_sums sums = { 0, 0, 0, 0 };
	src_regs next;
	uint32_t above = 0, mbw = c->geom.mb_width;
	int ahead = m.x + 1 < mbw;

	/* The source was fetched while the macroblock before was worked on, if that was LEFT. */
	if (warm) {
		if (lane < 16)
			l->src_y[lane] = l->next_y[lane];
		else
			reinterpret_cast<uint2 *>(l->src_c)[lane - 16] =
				reinterpret_cast<const uint2 *>(l->next_c)[lane - 16];
	} else {
		keep_source(l->src_y, l->src_c, fetch_source(&c->geom, m.p, m.x, m.y, lane), lane);
	}
	load_neighbours(l, &m, mbw, warm, lane);
	/* Both are on their way while Intra16x16 is judged, which needs neither. */
	if (m.avail & H264I_UPRIGHT)
		above = fetch_above(&m, m.at - mbw + 1, lane);
	if (ahead)
		next = fetch_source(&c->geom, m.p, m.x + 1, m.y, lane);
	if (lane < 20)
		(&l->steps[0][0])[lane] = (&t->step[m.avail][0][0])[lane];
	__syncwarp();

	luma_borders bd = luma_borders_of(l, m.avail, lane);
	uint32_t key = judge_intra16x16(l, &c->q, &bd, m.avail, lane);
	uint32_t limit = c->q.disable >> 18 & 1 ? 0xffffffffu : key >> 4;

	if (lane < 4)
		l->mb.pad[lane] = 0;
	keep_above(l, above, lane);
	__syncwarp();
	if ((c->q.disable >> 17 & 1) ||
		!try_intra4x4(l, &c->q, t, limit, &k, &sums, lane)) {
		sums.abs_sum = sums.nonzero = sums.abs_max = sums.coded_blocks = 0;
		__syncwarp();
		do_intra16x16(l, &c->q, &bd, (int)(key & 15), &k, &sums, lane);
	}
	__syncwarp();
	do_chroma(l, &c->q, m.avail, &k, &sums, lane);
	__syncwarp();

	uint32_t abs_max = __reduce_max_sync(0xffffffffu, sums.abs_max);
	uint32_t coded = sums.coded_blocks + __shfl_xor_sync(0xffffffffu, sums.coded_blocks, 16);
	uint32_t bound = h264i_bits_bound(coded, __reduce_add_sync(0xffffffffu, sums.nonzero),
		__reduce_add_sync(0xffffffffu, sums.abs_sum));

	if (bound > H264I_PCM_BITS || abs_max > H264I_LEVEL_SAFE) {
		int bits = exact_bits(l, t, m.avail, lane);

		if (bits < 0 || bits > H264I_PCM_BITS) {
			__syncwarp();
			do_pcm(l, lane);
			__syncwarp();
		}
	}
	store_edge(l, &m, lane);
	if (l->mb.type != H264I_MB_PCM)
		store_levels(l, &m, lane);
	if (m.p->recon[0])
		store_recon(l, &m, lane);
	if (ahead)
		keep_source(l->next_y, l->next_c, next, lane);
	return SCHED_DONE;
}

#endif
