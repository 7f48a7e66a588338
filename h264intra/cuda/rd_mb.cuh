/* The body of a macroblock task with decisions by rate and distortion: all types are coded, and the
 * one of the lowest cost is kept, with the same bits as the specification (cpu/mb_rd.h). */
#ifndef H264INTRA_CUDA_RD_MB_CUH
#define H264INTRA_CUDA_RD_MB_CUH

#include "h264intra/cuda/encode_mb.cuh"
#include "h264intra/cuda/mb_message.cuh"
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
		*reinterpret_cast<px16 *>(rec_y(l, 0, lane)) = o->rec[lane];
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

/* ---- operations of decide/drive_mb.h ---- */

MB_FN void mb_rd_code(mb_job *j, h264i_type type)
{
	switch (type) {
	case H264I_TYPE_16X16:
		rd_intra16x16(j->rd, j->c, j->q, &j->rk, j->m.avail, lsched_lane());
		return;
	case H264I_TYPE_8X8:
		rd_intra8x8(j->rd, j->c, j->q, j->t, j->form, j->m.avail, j->above, lsched_lane());
		return;
	case H264I_TYPE_4X4:
		j->cost4 = rd_intra4x4(
			j->rd, j->c, j->q, j->t, &j->rk, j->m.avail, &j->peak4, lsched_lane());
	}
}

MB_FN uint32_t mb_rd_cost(const mb_job *j, h264i_type type)
{
	if (type == H264I_TYPE_4X4)
		return j->cost4;
	return type == H264I_TYPE_16X16 ? j->rd->best16.cost : j->rd->of8.cost;
}

MB_FN void mb_rd_take(mb_job *j, h264i_type type)
{
	mb_local *l = j->l;
	mb_sums *sums = &j->sums;
	const rd_luma *o = type == H264I_TYPE_16X16 ? &j->rd->best16
			   : type == H264I_TYPE_8X8 ? &j->rd->of8
						    : NULL;
	uint32_t dc = 0, coded;

	if (o)
		rd_take(l, o, lsched_lane());
	sums_clear(sums);
	for (int i = lsched_lane(); i < 34; i += 32) {
		uint4 v = reinterpret_cast<const uint4 *>(&l->levels)[i];
		uint32_t words[4] = { v.x, v.y, v.z, v.w };

		for (int k = 0; k < 4; k++) {
			sums_add(sums, (int16_t)(words[k] & 0xffff));
			sums_add(sums, (int16_t)(words[k] >> 16));
		}
		dc = i < 32 ? 0 : v.x | v.y | v.z | v.w;
	}
	coded = (uint32_t)__popc(
		__ballot_sync(0xffffffffu, l->mb.total[lsched_lane() & 15] != 0) & 0xffff);
	coded += __any_sync(0xffffffffu, dc != 0);
	sums->coded_blocks = lsched_lane() < 16 ? coded : 0;
	sums->peak = o ? o->peak : j->peak4;
}

MB_FN void mb_rd_chroma(mb_job *j)
{
	rd_chroma(j->rd, j->c, j->q, &j->rk, j->m.avail, lsched_lane());
}

/* ---- bodies ---- */

GPU_FN void rd_job_init(mb_job *j, const h264i_wave_ctx *c, rd_local *w, int form,
	const mb_place *m, const h264i_qparams *q, int warm)
{
	mb_job_init(j, c, &w->l, &w->e, m, q, warm);
	j->rd = w;
	j->by_rd = 1;
	j->form = form;
	j->rk = rd_lane_of(c, form, lsched_lane());
	j->cost4 = 0xffffffffu;
	j->peak4 = 0;
}

/* Body for a worker of one warp. form: of RD_CAVLC and RD_SKIPS. */
GPU_FN lsched_result rd_single(lsched_worker *wk, const h264i_wave_ctx *c, rd_local *w, int varies,
	int form, uint32_t task)
{
	const mb_place m = place_of(c, task);
	const int warm = m.x > 0 && lsched_prev(wk) == task - 1;
	mb_job j;

	rd_job_init(&j, c, w, form, &m, qparams_of(c, &m, varies), warm);
	mb_drive_rd(&j);
	return LSCHED_DONE;
}

/* The warps of a worker for few frames, by lsched_helper(). */
enum { RD_INTRA4X4, RD_CHROMA, RD_INTRA16X16, RD_INTRA8X8, RD_WARPS };

/* Scratch of a worker of four warps. */
typedef struct rd_pair {
	rd_local w;
	mb_message in;
} rd_pair;

/* Body for a worker of four warps: this warp does Intra4x4 while the others do the other types and
 * chroma. Barriers as in encode_pair(). */
GPU_FN lsched_result rd_team(lsched_worker *wk, const h264i_wave_ctx *c, rd_pair *own, int varies,
	int form, uint32_t task)
{
	mb_local *l = &own->w.l;
	int lane = lsched_lane(), mbw = (int)c->geom.mb_width, ok;
	mb_place m = place_of(c, task);
	const h264i_qparams *q = qparams_of(c, &m, varies);
	int warm = m.x > 0 && lsched_prev(wk) == task - 1, ahead = (int)m.x + 1 < mbw;
	mb_job j;
	above_words above = poll_above(wk, &own->in, &m, mbw, task, warm, 1, lane);
	px8 next_y = px8_of(px4_zero(), px4_zero());

	rd_job_init(&j, c, &own->w, form, &m, q, warm);

	load_source_y(l, &c->geom, &m, warm, lane);
	load_steps(&j);
	ok = receive_up(wk, &above, lane);
	load_luma_borders(l, &m, mbw, warm, kept_above(l), above.up, lane);
	ok &= receive_upright(wk, l, &own->in, &above, warm, lane);
	lsched_pair_sync(wk->pair);
	if (ahead)
		next_y = fetch_source_y(&c->geom, m.p, m.x + 1, m.y, lane);
	mb_rd_type(&j, H264I_TYPE_4X4);
	__syncwarp();
	lsched_pair_sync(wk->pair);
	if (!ok)
		return LSCHED_FAIL;
	mb_rd_choose(&j);
	__syncwarp();
	mb_finish(&j);
	send_macroblock(wk, l, &own->in, &m, task, lane);
	store_rest(&j);
	reinterpret_cast<px8 *>(l->next_y)[lane] = next_y;
	return LSCHED_DONE;
}

/* What the warp of chroma does: it owns the chroma of l, and polls for the next macroblock. */
GPU_FN void rd_help_chroma(uint32_t pair, rd_pair *own, mb_job *j, uint32_t task)
{
	mb_local *l = j->l;
	const h264i_wave_ctx *c = j->c;
	const mb_place *m = &j->m;
	const int lane = lsched_lane(), warm = j->warm;
	const int mbw = (int)c->geom.mb_width, ahead = (int)m->x + 1 < mbw;
	px4 next_c = px4_zero();
	uint64_t word;

	load_source_c(l, &c->geom, m, warm, lane);
	lsched_pair_sync(pair);
	if (ahead)
		next_c = fetch_source_c(&c->geom, m->p, m->x + 1, m->y, lane);
	load_chroma_borders(l, m, mbw, warm, l->above_c[lane & (C_WORDS - 1)], lane);
	mb_rd_chroma(j);
	reinterpret_cast<px4 *>(l->next_c)[lane] = next_c;
	word = poll_next(&own->in, m, mbw, task, 1, lane);
	lsched_pair_sync(pair);
	keep_next(&own->in, m, mbw, task, 1, word, lane);
}

/* Body of the helper warps. The records of LEFT and UP, which chroma reads, are those of luma: they
 * are there after the first barrier, as the samples of UP-RIGHT. */
GPU_FN void rd_help(uint32_t pair, const h264i_wave_ctx *c, rd_pair *own, int varies, int form,
	uint32_t task, uint32_t prev)
{
	const uint32_t warp = lsched_helper(pair);
	const mb_place m = place_of(c, task);
	const int warm = m.x > 0 && prev == task - 1;
	mb_job j;

	rd_job_init(&j, c, &own->w, form, &m, qparams_of(c, &m, varies), warm);
	if (warp == RD_CHROMA) {
		rd_help_chroma(pair, own, &j, task);
		return;
	}
	lsched_pair_sync(pair);
	if (warp == RD_INTRA8X8) {
		j.above = kept_above(&own->w.l)[lsched_lane() & (Y_WORDS - 1)];
		mb_rd_type(&j, H264I_TYPE_8X8);
	} else {
		mb_rd_type(&j, H264I_TYPE_16X16);
	}
	lsched_pair_sync(pair);
}

#endif
