/* The body of a macroblock task for few frames, where the chain of macroblocks along a row bounds
 * the time: three warps encode one macroblock. */
#ifndef H264INTRA_CUDA_ENCODE_PAIR_CUH
#define H264INTRA_CUDA_ENCODE_PAIR_CUH

#include "h264intra/cuda/encode_mb.cuh"
#include "h264intra/cuda/mb_message.cuh"

/* Intra16x16 as a helper codes it while the body codes the other types of luma. alt has its levels,
 * reconstruction and record; sums are by lane. */
typedef struct mb_other {
	mb_local alt;
	mb_sums sums[32];
} mb_other;

/* Copies source and borders of luma, and codes the mode of `key`. After publish_intra16x16(). */
GPU_FN void code_other(mb_job *j, mb_other *o, uint32_t key)
{
	const int lane = lsched_lane();
	mb_local *l = j->l, *alt = &o->alt;

	reinterpret_cast<px8 *>(alt->src_y)[lane] = reinterpret_cast<px8 *>(l->src_y)[lane];
	if (lane < 16)
		*rec_y(alt, -1, lane) = *rec_y(l, -1, lane);
	if (lane < 4)
		*px4_in(rec_y(alt, 4 * lane, -1)) = px4_at(rec_y(l, 4 * lane, -1));
	sums_clear(&j->sums);
	__syncwarp();
	do_intra16x16(alt, j->q, &j->bd, (int)(key & 15), &j->k, &j->sums, lane);
	o->sums[lane] = j->sums;
}

/* Levels in words of 16 bytes: of luma, which are first, and all. */
enum {
	LUMA_WORDS = offsetof(h264i_levels, chroma_dc) / 16,
	LEVEL_WORDS = sizeof(h264i_levels) / 16
};

/* Makes what code_other() has coded the result of the macroblock. */
GPU_FN void take_other(mb_job *j, const mb_other *o)
{
	const int lane = lsched_lane();
	mb_local *l = j->l;
	const mb_local *alt = &o->alt;

	reinterpret_cast<uint4 *>(l->levels.luma)[lane] =
		reinterpret_cast<const uint4 *>(alt->levels.luma)[lane];
	if (lane < 16) {
		*reinterpret_cast<px16 *>(rec_y(l, 0, lane)) =
			alt->rec_rows[(lane + 1) * REC_PITCH / 16 + REC_X0 / 16];
		l->levels.luma_dc[lane] = alt->levels.luma_dc[lane];
		l->mb.total[lane] = alt->mb.total[lane];
		l->mb.i4_mode[lane] = I4_DC;
	}
	if (lane == 16) {
		l->mb.type = H264I_MB_I16X16;
		l->mb.i16_mode = alt->mb.i16_mode;
		l->mb.cbp = alt->mb.cbp;
		l->mb.flags = alt->mb.flags;
	}
	j->sums = o->sums[lane];
	__syncwarp();
}

/* Stores the levels; final: luma has those of l. */
GPU_FN void store_final(
	const mb_local *l, const mb_other *o, int final, const mb_place *m, int lane)
{
	const uint4 *from = reinterpret_cast<const uint4 *>(&l->levels);
	const uint4 *luma = final ? from : reinterpret_cast<const uint4 *>(&o->alt.levels);
	uint4 *to = reinterpret_cast<uint4 *>(m->p->levels + m->at);

#pragma unroll
	for (int i = 0; i < LEVEL_WORDS; i += 32)
		if (i + lane < LEVEL_WORDS)
			to[i + lane] = (i + lane < LUMA_WORDS ? luma : from)[i + lane];
}

/* The warps of a worker for few frames, by lsched_helper(). */
enum { PAIR_LUMA, PAIR_CHROMA, PAIR_INTRA16X16, PAIR_WARPS };

/* Whether a 4x4 block, or with e an 8x8 block, may read UP-RIGHT. */
GPU_FN int reads_upright(const h264i_qparams *q, const mb_8x8 *e)
{
	return e || !(q->disable & H264I_DISABLE_UPRIGHT);
}

/* Body for a worker of three warps: this warp codes luma in the other types while the helpers code
 * chroma and Intra16x16. Three barriers: start of the helpers; source and borders loaded, but those
 * of chroma; all warps done. */
GPU_FN lsched_result encode_pair(lsched_worker *w, const h264i_wave_ctx *c, mb_local *l, mb_8x8 *e,
	mb_chain *chain, mb_other *other, mb_message *in, int varies, uint32_t task)
{
	int lane = lsched_lane(), mbw = (int)c->geom.mb_width;
	mb_place m = place_of(c, task);
	const h264i_qparams *q = qparams_of(c, &m, varies);
	int warm = m.x > 0 && lsched_prev(w) == task - 1, upright = reads_upright(q, e), ok;
	uint32_t cost;
	mb_job j;
	above_words above = poll_above(w, in, &m, mbw, task, warm, upright, lane);

	mb_job_init(&j, c, l, e, &m, q, warm);
	j.few = 1;
	j.chain = chain;
	const chain_lane own = chain_lane_of(l, chain, q, j.t, &j.k, lane);
	j.own = &own;

	ok = receive_up(w, &above, lane);
	if (!warm)
		load_first_borders(l, m.p, m.at, m.avail, mbw, above.up, lane);
	else if (!upright)
		keep_up(l, m.avail, above.up, lane);
	if (upright)
		ok &= receive_right(w, l, in, &above, m.x, lane);
	lsched_pair_sync(w->pair);
	cost = mb_drive_blocks(&j);
	if (lane == 0)
		in->cost = cost;
	lsched_pair_sync(w->pair);
	if (!ok) /* only here, because the helpers pass all barriers */
		return LSCHED_FAIL;
	if (!final_levels(l, in) && l->key16 != 0xffffffffu)
		take_other(&j, other);
	mb_finish(&j);
	send_macroblock(w, l, in, &m, task, lane);
	if (m.p->recon[0])
		store_recon(l, m.p, m.x, m.y, lane);
	return LSCHED_DONE;
}

/* What the warp of chroma does: it owns the chroma of l, and polls for the next macroblock. */
GPU_FN void help_chroma(uint32_t pair, mb_job *j, mb_message *in, int upright, uint32_t task)
{
	mb_local *l = j->l;
	const h264i_wave_ctx *c = j->c;
	const mb_place *m = &j->m;
	const int lane = lsched_lane(), warm = j->warm, mbw = (int)c->geom.mb_width;
	px4 next_c = px4_zero();
	uint64_t word;

	load_source_c(l, &c->geom, m, warm, lane);
	lsched_pair_sync(pair);
	if ((int)m->x + 1 < mbw)
		next_c = fetch_source_c(&c->geom, m->p, m->x + 1, m->y, lane);
	load_chroma_borders(l, m, mbw, warm,
		(warm && upright ? words_of_up(in, m->x) + MESSAGE_C
				 : l->above_c)[lane & (C_WORDS - 1)],
		lane);
	mb_code_chroma(j);
	reinterpret_cast<px4 *>(l->next_c)[lane] = next_c;
	word = poll_next(in, m, mbw, task, upright, lane);
	lsched_pair_sync(pair);
	keep_next(in, m, mbw, task, upright, word, lane);
}

/* What the warp of Intra16x16 does: it selects the mode and codes it, loads the source of luma and
 * the borders of warm macroblocks, without upright but those of UP, and stores the levels. */
GPU_FN void help_intra16x16(uint32_t pair, mb_job *j, mb_other *other, mb_message *in, int upright)
{
	mb_local *l = j->l;
	const h264i_geom *g = &j->c->geom;
	const mb_place *m = &j->m;
	const int lane = lsched_lane(), ahead = m->x + 1 < g->mb_width;
	px8 next_y = px8_of(px4_zero(), px4_zero());
	uint32_t key;

	load_source_y(l, g, m, j->warm, lane);
	if (j->warm && !upright)
		load_left_borders(l, m, lane);
	else if (j->warm)
		load_luma_borders(l, m, g->mb_width, 1, words_of_up(in, m->x), 0, lane);
	/* Else the neighbours are available as those of LEFT were. */
	if (!j->warm || m->x == 1 || !ahead)
		load_steps(j);
	if (lane == 0)
		l->key16 = 0xffffffffu;
	lsched_pair_sync(pair);
	if (ahead)
		next_y = fetch_source_y(g, m->p, m->x + 1, m->y, lane);
	key = publish_intra16x16(j);
	if (mb_allows(j, H264I_TYPE_16X16))
		code_other(j, other, key);
	reinterpret_cast<px8 *>(l->next_y)[lane] = next_y;
	lsched_pair_sync(pair);
	store_final(l, other, final_levels(l, in), m, lane);
}

/* Body of the helper warps. */
GPU_FN void help_pair(uint32_t pair, const h264i_wave_ctx *c, mb_local *l, const mb_8x8 *e,
	mb_other *other, mb_message *in, int varies, uint32_t task, uint32_t prev)
{
	const mb_place m = place_of(c, task);
	const int warm = m.x > 0 && prev == task - 1;
	const h264i_qparams *q = qparams_of(c, &m, varies);
	const int upright = reads_upright(q, e);
	mb_job j;

	mb_job_init(&j, c, l, NULL, &m, q, warm);
	if (lsched_helper(pair) == PAIR_CHROMA)
		help_chroma(pair, &j, in, upright, task);
	else
		help_intra16x16(pair, &j, other, in, upright);
}

/* Scratch of a worker. */
typedef struct mb_pair {
	mb_local l;
	mb_chain chain;
	mb_other other;
	mb_message in;
} mb_pair;

typedef struct mb_pair8 {
	mb_local l;
	mb_8x8 e;
	mb_chain chain;
	mb_other other;
	mb_message in;
} mb_pair8;

#endif
