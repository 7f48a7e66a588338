/* Intra4x4 of one macroblock by one warp of a worker of several (encode_pair()): the decisions of
 * try_intra4x4() by a shorter chain, for few frames, where the time of a macroblock counts and not
 * that of its instructions. A lane loads its sample and both neighbours at once instead of having
 * them from other lanes, and DC is added up from the reconstruction, beside the edge; SATD is
 * computed with floats, whose sums take half the time and whose magnitudes none; all modes store
 * their predictions, so that the chosen one is one load away; rows of coefficients are stored as
 * the inverse transform reads them, and it is done without a test for levels; all else is where the
 * chain waits for a load or for the minima. */
#ifndef H264INTRA_CUDA_CHAIN4X4_CUH
#define H264INTRA_CUDA_CHAIN4X4_CUH

#include "h264intra/cuda/intra4x4.cuh"

/* Scratch, by half warp. */
typedef struct mb_chain {
	px16 pred[2][16];   /* of each lane's mode */
	int4 coef[2][2][4]; /* rows of coefficients as outputs 0 and 3, and 1 and 2, read them */
} mb_chain;

/* What a lane uses in every step. */
typedef struct chain_lane {
	int from[3], repeat[3]; /* as in edge4_lane: of the sample before, its own, the next */
	h264i_px *p, *f2, *f3, *f3b;
	int32_t *coef;          /* its coefficient in the first form */
	int shift[2];           /* of a coefficient in both forms */
	const int4 *rows;       /* of the form that it reads */
	int h2, v2;             /* signs of the third value in the inverse transform */
	uint32_t key, key_same; /* of its mode without SATD: not the predicted one; that */
	uint32_t only[2];       /* 0 in the lanes of each half, else all bits */
	int mf, scale;          /* of its coefficient */
	uint32_t my_mode;       /* its mode as a bit; 0: disabled */
	uint4 places;           /* of the samples of its mode, see gpu_tables.mode_rows */
} chain_lane;

/* Keys are cost << 8 | mode << 4: 28 bits, as SATD has at most 15. */
enum { CHAIN_COST = 8, CHAIN_MODE = 4 };

/* The sum of an integer of less than 22 bits and CHAIN_ZERO has the bits of the float of that
 * integer and CHAIN_FLOAT; sums and differences of two of these are exact. */
#define CHAIN_FLOAT 12582912.0f
enum { CHAIN_ZERO = 0x4b400000 };

/* The position in the edge that lane hl of edge4_lane_of() has. */
GPU_FN int chain_position(int hl, int last)
{
	const int k = hl > 13 ? 0 : min(hl, (int)E4_H);

	return min(k, last);
}

GPU_FN int chain_offset(int k)
{
	return k < E4_M ? (E4_I - k) * REC_PITCH - 1 : k - E4_A - REC_PITCH;
}

GPU_FN uint32_t chain_key(const h264i_qparams *q, int hl, int predicted)
{
	return (uint32_t)pinned(
		(int)(h264i_cost(0, q->lambda, h264i_i4_mode_bits(hl, predicted)) << CHAIN_COST |
			(uint32_t)hl << CHAIN_MODE));
}

/* Its values are computed here, and not where they are used: the body does that while it waits for
 * messages. */
GPU_FN chain_lane chain_lane_of(mb_local *l, mb_chain *s, const h264i_qparams *q,
	const gpu_tables *t, const lane_consts *k, int lane)
{
	const int hl = lane & 15, half = lane >> 4, j = hl & 3;
	const edge4_lane sl = edge4_lane_of(l, lane);
	chain_lane r;

#pragma unroll
	for (int d = 0; d < 3; d++) {
		const int at = min(max(hl + d - 1, 0), 15);

		r.from[d] = pinned(chain_offset(chain_position(at, E4_H)));
		r.repeat[d] = pinned(chain_offset(chain_position(at, E4_D)));
	}
	r.p = sl.p;
	r.f2 = sl.f2;
	r.f3 = sl.f3;
	r.f3b = sl.f3b;
	r.coef = reinterpret_cast<int32_t *>(s->coef[half][0]) + hl;
	/* h264i_dequant() shifts by 4. */
	r.shift[0] = pinned(4 + (j == 3));
	r.shift[1] = pinned(4 + (j == 1));
	r.rows = s->coef[half][k->hs];
	r.h2 = pinned(k->hs ? -1 : 1);
	r.v2 = pinned(k->vs ? -1 : 1);
	r.key = chain_key(q, hl, -1);
	r.key_same = chain_key(q, hl, hl);
	r.only[0] = (uint32_t)pinned(half ? -1 : 0);
	r.only[1] = (uint32_t)pinned(half ? 0 : -1);
	r.mf = pinned(q->luma.mul[k->pos]);
	r.scale = pinned(q->luma.step[k->pos]);
	r.my_mode = (uint32_t)pinned((int)(h264i_i4_mask(q->disable) & 0x1ff & 1u << hl));
	r.places = t->mode_rows[hl];
	return r;
}

/* What depends on a step alone. */
typedef struct chain_step {
	int at[3];        /* where the lane's three samples are */
	px4 src[4];       /* rows of the source */
	uint32_t mask[2]; /* of the key in both minima: all bits where the mode is not allowed */
} chain_step;

GPU_FN void chain_step_of(chain_step *r, const mb_local *l, const chain_lane *k, i4_step step)
{
	const int origin = (int)(step.offsets & 1023);
	const h264i_px *from =
		reinterpret_cast<const h264i_px *>(l->src_y) + (step.offsets >> 10 & 255);
	const int none = pinned((int)(step.flags & k->my_mode) - 1) >> 31;

#pragma unroll
	for (int i = 0; i < 4; i++)
		r->src[i] = px4_at(from + 16 * i);
#pragma unroll
	for (int d = 0; d < 3; d++)
		r->at[d] = origin + (step.flags & STEP_UPRIGHT ? k->from[d] : k->repeat[d]);
	r->mask[0] = (uint32_t)none | k->only[0];
	r->mask[1] = (uint32_t)none | k->only[1];
}

/* What a step loads first; the samples are volatile, to come before the others. */
typedef struct chain_loads {
	int sample[3];        /* of chain_step.at */
	int left, up;         /* modes */
	px4 above, before[4]; /* four samples above, and left of each row */
} chain_loads;

GPU_FN void chain_load(chain_loads *r, const h264i_px *rec, const h264i_px *origin,
	const uint8_t *place, const chain_step *c)
{
#pragma unroll
	for (int d = 0; d < 3; d++)
		r->sample[d] = *reinterpret_cast<const volatile h264i_px *>(rec + c->at[d]);
	r->above = px4_at(origin - REC_PITCH);
#pragma unroll
	for (int i = 0; i < 4; i++)
		r->before[i] = px4_at_once(origin + i * REC_PITCH - 4);
	r->left = *reinterpret_cast<const uint8_t *>(place - 1);
	r->up = *reinterpret_cast<const uint8_t *>(place - 8);
}

/* make_edge4() */
GPU_FN void chain_edge4(const chain_lane *k, const int sample[3])
{
	const int f3 = (sample[0] + 2 * sample[1] + sample[2] + 2) >> 2;

	*k->p = (h264i_px)sample[1];
	*k->f2 = (h264i_px)((sample[1] + sample[2] + 1) >> 1);
	*k->f3 = (h264i_px)f3;
	*k->f3b = (h264i_px)f3;
}

/* The groups of the edge of which the rows of the lane's mode are made; see edge4_row(). */
typedef struct chain_rows {
	px4 a[4], b[4];
} chain_rows;

GPU_FN chain_rows chain_load_rows(const h264i_px *s, uint4 rows)
{
	const uint32_t row[4] = { rows.x, rows.y, rows.z, rows.w };
	chain_rows r;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		r.a[i] = px4_at(s + (row[i] >> 16 & 255));
		r.b[i] = px4_at(s + (row[i] >> 24));
	}
	return r;
}

/* edge4_dc() */
GPU_FN px4 chain_dc(const chain_loads *c, i4_step step)
{
	const int up = px4_dot(c->above, S8X4(1, 1, 1, 1), 0);
	int left = 0, sum = (int)(step.offsets >> 18 & 1023);

#pragma unroll
	for (int i = 0; i < 4; i++)
		left = px4_dot(c->before[i], S8X4(0, 0, 0, 1), left);
	sum += left & -(int)(step.flags >> STEP_LEFT_BIT & 1);
	sum += up & -(int)(step.flags >> STEP_UP_BIT & 1);
	return px4_all(sum >> (step.offsets >> 28));
}

/* hadamard_rows() and CHAIN_ZERO; the rows times the lane's transform row. */
GPU_FN void chain_source(const px4 row[4], const lane_consts *k, int h[16], int forward[4])
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		h[4 * i + 0] = px4_dot(row[i], S8X4(1, 1, 1, 1), CHAIN_ZERO);
		h[4 * i + 1] = px4_dot(row[i], S8X4(1, 1, -1, -1), CHAIN_ZERO);
		h[4 * i + 2] = px4_dot(row[i], S8X4(1, -1, -1, 1), CHAIN_ZERO);
		h[4 * i + 3] = px4_dot(row[i], S8X4(1, -1, 1, -1), CHAIN_ZERO);
		forward[i] = px4_dot(row[i], k->row, 0);
	}
}

/* satd4x4() and CHAIN_ZERO. */
GPU_FN uint32_t chain_satd(const int h[16], const px4 pred[4])
{
	const int32_t neg[4] = { S8X4(-1, -1, -1, -1), S8X4(-1, -1, 1, 1), S8X4(-1, 1, 1, -1),
		S8X4(-1, 1, -1, 1) };
	float sum[4];

#pragma unroll
	for (int k = 0; k < 4; k++) {
		const float t0 = __int_as_float(px4_dot(pred[0], neg[k], h[k]));
		const float t1 = __int_as_float(px4_dot(pred[1], neg[k], h[4 + k]));
		const float t2 = __int_as_float(px4_dot(pred[2], neg[k], h[8 + k]));
		const float t3 = __int_as_float(px4_dot(pred[3], neg[k], h[12 + k]));
		const float n1 = 2 * CHAIN_FLOAT - t1, n3 = 2 * CHAIN_FLOAT - t3;

		sum[k] = fmaxf(fabsf(t0 - n1), fabsf(t2 - n3)) +
			 fmaxf(fabsf(t0 - t1), fabsf(t2 - t3));
	}
	return (uint32_t)__float_as_int((sum[0] + sum[1]) + ((sum[2] + sum[3]) + CHAIN_FLOAT));
}

/* inverse_sample() of the rows that the lane reads, added to `sample`. */
GPU_FN int chain_inverse(const chain_lane *k, const lane_consts *c, int sample)
{
	const int start = 64 * sample + 32;
	int v[4];

#pragma unroll
	for (int r = 0; r < 4; r++) {
		const int4 q = k->rows[r];

		v[r] = q.x + k->h2 * q.z + c->h1 * q.y + c->h3 * q.w;
	}
	return (v[0] + start + k->v2 * v[2] + c->v1 * (v[1] >> c->vs) +
		       c->v3 * (v[3] >> (c->vs ^ 1))) >>
	       6;
}

/* Stores the prediction of the lane's mode, and returns the key of the mode. */
GPU_FN uint32_t chain_mode_key(px16 *stored, const chain_lane *own, const chain_loads *in,
	const chain_rows *words, i4_step step, const int hadamard[16], int hl)
{
	const uint4 rows = own->places;
	const uint32_t row[4] = { rows.x, rows.y, rows.z, rows.w };
	const px4 dc = chain_dc(in, step);
	const int pm = predicted_mode(in->left, in->up);
	px4 pred[4];

#pragma unroll
	for (int i = 0; i < 4; i++) {
		pred[i] = px4_select(words->a[i], words->b[i], row[i]);
		pred[i] = hl == I4_DC ? dc : pred[i];
	}
	*stored = px16_of(pred[0], pred[1], pred[2], pred[3]);
	return (chain_satd(hadamard, pred) << (4 + CHAIN_COST)) +
	       (hl == pm ? own->key_same : own->key);
}

/* Loads the prediction of the chosen mode, whose key is `won`, and stores the mode at `place`.
 * Returns the lane's predicted sample. */
GPU_FN int chain_take(const px16 *stored, uint8_t *place, uint32_t won, px4 pred[4], int hl)
{
	const uint8_t *from = reinterpret_cast<const uint8_t *>(stored) +
			      (won & 15 << CHAIN_MODE) * sizeof(h264i_px);
	const px16 chosen = *reinterpret_cast<const px16 *>(from);
	const int sample = reinterpret_cast<const h264i_px *>(from)[hl];

	*place = (uint8_t)(won >> CHAIN_MODE & 15);
	pred[0] = chosen.x;
	pred[1] = chosen.y;
	pred[2] = chosen.z;
	pred[3] = chosen.w;
	return sample;
}

/* Lowest keys of both halves. */
GPU_FN uint2 chain_minima(uint32_t key, const uint32_t mask[2])
{
	const uint32_t a = key | mask[0], b = key | mask[1];

	return make_uint2(__reduce_min_sync(0xffffffffu, a), __reduce_min_sync(0xffffffffu, b));
}

/* What the lanes of a macroblock add up: the largest level and the sum of levels, magnitudes. */
typedef struct chain_sums {
	uint32_t largest, sum;
} chain_sums;

/* Quantises the lane's coefficient c, and stores it scaled in both forms: h264i_quantise() and
 * h264i_dequant(). Returns the level. once: 0 in the half that repeats a block. */
GPU_FN int chain_code(
	const chain_lane *own, const h264i_quant *q, int c, int once, chain_sums *sums)
{
	const int sign = c < 0 ? -1 : 1;
	const uint32_t level =
		((uint32_t)abs(c) * (uint32_t)own->mf + (uint32_t)q->bias) >> q->qbits;
	const int scaled = (int)level * (sign * own->scale) + 8;

	own->coef[0] = scaled >> own->shift[0];
	own->coef[16] = scaled >> own->shift[1];
	sums->largest = max(sums->largest, level);
	sums->sum += once ? level : 0;
	return sign * (int)level;
}

/* try_intra4x4(). A step that reaches the limit is the last one, but goes to its end: the test is
 * where the step waits for the prediction. */
GPU_FN int chain_intra4x4(mb_local *l, mb_chain *scratch, const h264i_qparams *q,
	const chain_lane *own, const lane_consts *k, uint32_t own_limit, mb_sums *sums,
	uint32_t *total_cost, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	const h264i_px *s = reinterpret_cast<const h264i_px *>(l->edge4[half]);
	h264i_px *rec = rec_y(l, 0, 0);
	uint8_t *modes = &l->modes[0][0];
	const int at = (hl >> 2) * REC_PITCH + (hl & 3);
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);
	i4_step step = l->steps[half][0];
	chain_sums add = { 0, 0 };
	chain_step now;
	int stop = 0;

	chain_step_of(&now, l, own, step);
#pragma unroll 1
	for (int n = 0; n < 10 && !stop; n++) {
		uint8_t *place = modes + (step.flags >> STEP_PLACE & 63);
		h264i_px *origin = rec + (step.offsets & 1023);
		const int b = (int)(step.flags >> STEP_BLOCK & 15), two = n >= 2 && n <= 7;
		const uint32_t limit = *reinterpret_cast<volatile uint32_t *>(&l->key16);
		const i4_step next = l->steps[half][n < 9 ? n + 1 : n];
		int hadamard[16], forward[4], level, sample;
		uint32_t any;
		px4 pred[4];
		chain_loads in;
		chain_rows words;
		uint2 best;

		chain_load(&in, rec, origin, place, &now);
		chain_source(now.src, k, hadamard, forward);
		chain_edge4(own, in.sample);
		__syncwarp();
		words = chain_load_rows(s, own->places);
		best = chain_minima(chain_mode_key(&scratch->pred[half][hl], own, &in, &words, step,
					    hadamard, hl),
			now.mask);
		/* While the minima are on their way. */
		chain_step_of(&now, l, own, next);
		__syncwarp();
		sample = chain_take(scratch->pred[half], place, half ? best.y : best.x, pred, hl);
		cost += (best.x >> CHAIN_COST) + (two ? best.y >> CHAIN_COST : 0);
		stop = __any_sync(0xffffffffu, cost >= min(limit >> 4, own_limit));
		level = chain_code(
			own, &q->luma, forward_coef(forward, pred, k), !half || two, &add);
		__syncwarp();
		origin[at] = h264i_clip_px(chain_inverse(own, k, sample));
		l->levels.luma[b][k->zig] = (int16_t)level;
		any = __ballot_sync(0xffffffffu, level != 0);
		l->mb.total[b] = (uint8_t)__popc(half_bits(any, lane));
		step = next;
		__syncwarp();
	}
	*total_cost = cost;
	if (stop)
		return 0;
	sums->abs_sum += add.sum;
	sums->abs_max = add.largest;
	sums->nonzero += half ? 0 : l->mb.total[hl];
	return finish_intra4x4(
		l, sums, h264i_dequant((int)add.largest, own->scale), own->scale, lane);
}

#endif
