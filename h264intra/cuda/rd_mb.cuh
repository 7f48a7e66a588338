/* The body of a macroblock task with decisions by rate and distortion: all types are coded, and the
 * one of the lowest cost is kept, with the same bits as the specification (cpu/mb_rd.h). */
#ifndef H264INTRA_CUDA_RD_MB_CUH
#define H264INTRA_CUDA_RD_MB_CUH

#include "h264intra/cuda/encode_mb.cuh"
#include "h264intra/cuda/rd_chroma.cuh"
#include "h264intra/cuda/rd_intra16x16.cuh"
#include "h264intra/cuda/rd_intra4x4.cuh"
#include "h264intra/cuda/rd_intra8x8.cuh"

/* Makes another type the result of the macroblock. */
GPU_FN void rd_take(mb_local *l, const rd_luma *o, int lane)
{
	uint4 *level = reinterpret_cast<uint4 *>(&l->levels);

	__syncwarp();
	level[lane] = o->level[lane];
	if (lane < 2)
		level[32 + lane] = o->dc[lane];
	if (lane < 16) {
		*reinterpret_cast<uint4 *>(rec_y(l, 0, lane)) = o->rec[lane];
		l->mb.i4_mode[lane] = o->mb.i4_mode[lane];
		l->mb.total[lane] = o->mb.total[lane];
	}
	if (lane == 16) {
		l->mb.type = o->mb.type;
		l->mb.i16_mode = o->mb.i16_mode;
		l->mb.flags = o->mb.flags;
		l->mb.cbp = o->mb.cbp;
	}
	__syncwarp();
}

/* Keeps the type of the lowest cost; cost and peak: of Intra4x4. */
GPU_FN void rd_choose(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q, uint32_t cost,
	int32_t peak, mb_sums *sums, int lane)
{
	mb_local *l = &w->l;
	uint32_t cost16 = h264i_type_allowed(q, H264I_TYPE_16X16) ? w->best16.cost : 0xffffffffu;
	uint32_t cost8 = h264i_type_allowed(q, H264I_TYPE_8X8) ? w->of8.cost : 0xffffffffu;
	h264i_type type = h264i_choose_type(cost16, cost8, cost);
	const rd_luma *o = type == H264I_TYPE_16X16 ? &w->best16
			   : type == H264I_TYPE_8X8 ? &w->of8
						    : NULL;
	uint32_t dc = 0, coded;

	if (o)
		rd_take(l, o, lane);
	sums_clear(sums);
	for (int i = lane; i < 34; i += 32) {
		uint4 v = reinterpret_cast<const uint4 *>(&l->levels)[i];
		uint32_t words[4] = { v.x, v.y, v.z, v.w };

		for (int k = 0; k < 4; k++) {
			sums_add(sums, (int16_t)(words[k] & 0xffff));
			sums_add(sums, (int16_t)(words[k] >> 16));
		}
		dc = i < 32 ? 0 : v.x | v.y | v.z | v.w;
	}
	coded = (uint32_t)__popc(__ballot_sync(0xffffffffu, l->mb.total[lane & 15] != 0) & 0xffff);
	coded += __any_sync(0xffffffffu, dc != 0);
	sums->coded_blocks = lane < 16 ? coded : 0;
	sums->peak = o ? o->peak : peak;
}

/* Codes luma as Intra16x16, and as Intra8x8; above: two words of UP-RIGHT in lanes 0 and 1. */
GPU_FN void rd_try16(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q, const rd_lane *k,
	int avail, int lane)
{
	if (h264i_type_allowed(q, H264I_TYPE_16X16))
		rd_intra16x16(w, c, q, k, avail, lane);
}

GPU_FN void rd_try8(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const gpu_tables *t, int form, int avail, uint32_t above, int lane)
{
	if (h264i_type_allowed(q, H264I_TYPE_8X8))
		rd_intra8x8(w, c, q, t, form, avail, above, lane);
}

/* Stores what the row below does not wait for. */
GPU_FN void rd_store(mb_local *l, const mb_place *m, int lane)
{
	if (l->mb.type != H264I_MB_PCM)
		store_levels(l, m, lane);
	if (m->p->recon[0])
		store_recon(l, m, lane);
}

/* Body for a worker of one warp. form: of RD_CAVLC and RD_SKIPS. */
GPU_FN lsched_result rd_single(lsched_worker *wk, const h264i_wave_ctx *c, rd_local *w, int varies,
	int form, uint32_t task)
{
	const gpu_tables *t = reinterpret_cast<const gpu_tables *>(c->backend);
	mb_local *l = &w->l;
	int lane = lsched_lane(), mbw = (int)c->geom.mb_width;
	mb_place m = place_of(c, task);
	const h264i_qparams *q = qparams_of(c, &m, varies);
	int warm = m.x > 0 && lsched_prev(wk) == task - 1, ahead = (int)m.x + 1 < mbw;
	rd_lane k = rd_lane_of(c, form, lane);
	uint32_t above = 0, above_c = 0, cost = 0xffffffffu;
	int32_t peak = 0;
	mb_sums sums;

	load_source_y(l, &c->geom, &m, warm, lane);
	load_source_c(l, &c->geom, &m, warm, lane);
	load_luma_borders(l, &m, mbw, warm, fetch_up(&m, mbw, warm, lane), lane);
	load_chroma_borders(l, &m, mbw, warm, load_up_c(l, &m, mbw, warm, lane), lane);
	if (m.avail & H264I_UPRIGHT) {
		above = fetch_above(&m, m.at - mbw + 1, lane);
		above_c = fetch_above_c(&m, m.at - mbw + 1, lane);
	}
	if (lane < 20)
		(&l->steps[0][0])[lane] = (&t->step[m.avail][0][0])[lane];
	keep_above(l, above, lane);
	if (lane < 4)
		l->above_c[lane] = above_c;
	__syncwarp();
	rd_try16(w, c, q, &k, m.avail, lane);
	rd_try8(w, c, q, t, form, m.avail, above, lane);
	if (h264i_type_allowed(q, H264I_TYPE_4X4))
		cost = rd_intra4x4(w, c, q, t, &k, m.avail, &peak, lane);
	rd_choose(w, c, q, cost, peak, &sums, lane);
	rd_chroma(w, c, q, &k, m.avail, lane);
	__syncwarp();
	join_planes(l, t, m.avail, q, &sums, lane);
	store_edge(l, &m, lane);
	rd_store(l, &m, lane);
	if (ahead) {
		reinterpret_cast<uint2 *>(l->next_y)[lane] =
			fetch_source_y(&c->geom, m.p, m.x + 1, m.y, lane);
		reinterpret_cast<uint32_t *>(l->next_c)[lane] =
			fetch_source_c(&c->geom, m.p, m.x + 1, m.y, lane);
	}
	return LSCHED_DONE;
}

/* The warps of a worker for few frames, by lsched_helper(). */
enum { RD_INTRA4X4, RD_CHROMA, RD_INTRA16X16, RD_INTRA8X8, RD_WARPS };

/* Scratch of a worker of four warps. */
typedef struct rd_pair {
	rd_local w;
	mb_inbox in;
} rd_pair;

/* Body for a worker of four warps: this warp does Intra4x4 while the others do the other types and
 * chroma. Barriers as in encode_pair(). */
GPU_FN lsched_result rd_team(lsched_worker *wk, const h264i_wave_ctx *c, rd_pair *own, int varies,
	int form, uint32_t task)
{
	const gpu_tables *t = reinterpret_cast<const gpu_tables *>(c->backend);
	rd_local *w = &own->w;
	mb_local *l = &w->l;
	int lane = lsched_lane(), mbw = (int)c->geom.mb_width, ok;
	mb_place m = place_of(c, task);
	const h264i_qparams *q = qparams_of(c, &m, varies);
	int warm = m.x > 0 && lsched_prev(wk) == task - 1, ahead = (int)m.x + 1 < mbw;
	rd_lane k = rd_lane_of(c, form, lane);
	inbox_words above = poll_above(wk, &own->in, &m, mbw, task, warm, lane);
	uint32_t cost = 0xffffffffu;
	uint2 next_y = make_uint2(0, 0);
	int32_t peak = 0;
	mb_sums sums;

	load_source_y(l, &c->geom, &m, warm, lane);
	if (lane < 20)
		(&l->steps[0][0])[lane] = (&t->step[m.avail][0][0])[lane];
	ok = receive_up(wk, &above, warm, lane);
	load_luma_borders(l, &m, mbw, warm, above.up, lane);
	ok &= receive_upright(wk, l, &own->in, &above, warm, lane);
	lsched_pair_sync(wk->pair);
	if (ahead)
		next_y = fetch_source_y(&c->geom, m.p, m.x + 1, m.y, lane);
	if (h264i_type_allowed(q, H264I_TYPE_4X4))
		cost = rd_intra4x4(w, c, q, t, &k, m.avail, &peak, lane);
	__syncwarp();
	lsched_pair_sync(wk->pair);
	if (!ok)
		return LSCHED_FAIL;
	rd_choose(w, c, q, cost, peak, &sums, lane);
	__syncwarp();
	join_planes(l, t, m.avail, q, &sums, lane);
	send_macroblock(wk, l, &own->in, &m, task, lane);
	rd_store(l, &m, lane);
	reinterpret_cast<uint2 *>(l->next_y)[lane] = next_y;
	return LSCHED_DONE;
}

/* What the warp of chroma does: it owns the chroma of l, and polls for the next macroblock. */
GPU_FN void rd_help_chroma(uint32_t pair, const h264i_wave_ctx *c, rd_pair *own,
	const h264i_qparams *q, const mb_place *m, int warm, int form, uint32_t task, int lane)
{
	mb_local *l = &own->w.l;
	const int mbw = (int)c->geom.mb_width, ahead = (int)m->x + 1 < mbw;
	const rd_lane k = rd_lane_of(c, form, lane);
	uint32_t next_c = 0;
	uint64_t word;

	load_source_c(l, &c->geom, m, warm, lane);
	lsched_pair_sync(pair);
	if (ahead)
		next_c = fetch_source_c(&c->geom, m->p, m->x + 1, m->y, lane);
	load_chroma_borders(l, m, mbw, warm, l->above_c[lane & 3], lane);
	rd_chroma(&own->w, c, q, &k, m->avail, lane);
	reinterpret_cast<uint32_t *>(l->next_c)[lane] = next_c;
	word = poll_next(&own->in, m, mbw, task, lane);
	lsched_pair_sync(pair);
	keep_next(&own->in, m, mbw, task, word, lane);
}

/* Body of the helper warps. The records of LEFT and UP, which chroma reads, are those of luma: they
 * are there after the first barrier, as the samples of UP-RIGHT. */
GPU_FN void rd_help(uint32_t pair, const h264i_wave_ctx *c, rd_pair *own, int varies, int form,
	uint32_t task, uint32_t prev)
{
	const gpu_tables *t = reinterpret_cast<const gpu_tables *>(c->backend);
	const uint32_t warp = lsched_helper(pair);
	const int lane = lsched_lane();
	const mb_place m = place_of(c, task);
	const h264i_qparams *q = qparams_of(c, &m, varies);
	rd_local *w = &own->w;

	if (warp == RD_CHROMA) {
		rd_help_chroma(pair, c, own, q, &m, m.x > 0 && prev == task - 1, form, task, lane);
		return;
	}
	lsched_pair_sync(pair);
	if (warp == RD_INTRA8X8) {
		rd_try8(w, c, q, t, form, m.avail, w->l.above.y[lane & 3], lane);
	} else {
		const rd_lane k = rd_lane_of(c, form, lane);

		rd_try16(w, c, q, &k, m.avail, lane);
	}
	lsched_pair_sync(pair);
}

#endif
