#include "tests/h264intra/random_picture.h"
#include "h264intra/core/qp.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/entropy/qp_delta.h"
#include "h264intra/filter/deblock.h"
#include "tests/h264intra/random_mb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

void random_begin(uint32_t seed)
{
	rng_state = UINT64_C(0x9e3779b97f4a7c15) * (2 * (uint64_t)seed + 1); /* odd: never 0 */
}

/* Weights of 4 to 40. Sums of DCs of random levels have no more than 32 bits: 16 at most there. */
static void random_list(uint8_t *weight, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		weight[k] = (uint8_t)(4 + rng_below(k ? 37 : 13));
}

void random_parameters(h264i_params *p, int extras)
{
	h264i_weights *w = &p->weights;

	for (int c = 0; c < 2; c++)
		p->chroma_qp_offset[c] = extras == 1 && p->filter.on   ? 0
					 : c == 0 || p->profile == 100 ? rng_around(12)
								       : p->chroma_qp_offset[0];
	p->filter.alpha = rng_around(6);
	p->filter.beta = rng_around(6);
	p->scaling = p->profile == 100 ? (h264i_scaling)rng_below(3) : H264I_SCALING_FLAT;
	if (p->scaling == H264I_SCALING_DEFAULT)
		h264i_i_weights_default(w);
	if (p->scaling == H264I_SCALING_CUSTOM) {
		random_list(w->luma4, 16);
		random_list(w->chroma4, 16);
		random_list(w->luma8, 64);
	}
}

void random_open(random_source *s, const h264i_params *p, uint32_t qps)
{
	const h264i_geom *g = &s->params.geom;

	memset(s, 0, sizeof(*s));
	s->params = *p;
	s->width = g->width;
	s->height = g->height;
	s->mbs = g->mb_width * g->mb_height;
	s->mb = must(calloc(s->mbs, sizeof(*s->mb)));
	s->levels = must(calloc(s->mbs, sizeof(*s->levels)));
	s->mb_qp = must(calloc(s->mbs, 1));
	s->pixels = must(calloc(s->mbs, 384));
	s->filtered = must(calloc(s->mbs, 384));
	s->rbsp = must(calloc(slice_word(g, g->slices), 4));
	s->rbsp_bytes = must(calloc(slice_word(g, g->slices), 4));
	s->qps = qps;
	for (int qp = 0; qp < H264I_QPS; qp++) {
		h264i_i_qparams_init(&s->by_qp[qp], qp, 0);
		h264i_i_qparams_set(&s->by_qp[qp],
			p->scaling == H264I_SCALING_FLAT ? NULL : &s->params.weights,
			p->chroma_qp_offset);
	}
}

void random_close(random_source *s)
{
	h264i_i_buf_free(&s->slice.nal);
	free(s->mb);
	free(s->levels);
	free(s->mb_qp);
	free(s->pixels);
	free(s->filtered);
	free(s->rbsp);
	free(s->rbsp_bytes);
}

int random_picture(random_source *s)
{
	const h264i_geom *g = &s->params.geom;
	const int slice_qp = (int)rng_below(s->qps);
	int before = slice_qp;

	for (uint32_t at = 0; at < s->mbs; at++) {
		uint32_t x = at % g->mb_width, y = at / g->mb_width;
		uint32_t first = h264i_slice_first_row(g, h264i_slice_of_row(g, y));
		random_mb_at r = { .x = x,
			.y = y,
			.width = s->width,
			.height = s->height,
			.left = x ? &s->mb[at - 1] : NULL,
			.up = y > first ? &s->mb[at - g->mb_width] : NULL,
			.has_upright = y > first && x + 1 < g->mb_width,
			.syntax = h264i_i_syntax(&s->params) };

		if (y == first && x == 0)
			before = slice_qp;
		r.qp = rng_below(4) ? before + rng_around(3) : (int)rng_below(s->qps);
		r.qp = r.qp < 0 ? 0 : r.qp >= (int)s->qps ? (int)s->qps - 1 : r.qp;
		r.q = &s->by_qp[r.qp];
		random_mb_make(&r, &s->mb[at], &s->levels[at], s->pixels);
		/* Decoders know the QP of macroblocks with mb_qp_delta only. */
		s->mb[at].qp = (uint8_t)(h264i_has_qp_delta(&s->mb[at]) ? r.qp : before);
		before = s->mb[at].qp;
	}
	return slice_qp;
}

int random_slice(random_source *s, int slice_qp, uint32_t number, uint32_t i)
{
	const size_t luma = (size_t)s->width * s->height;
	const h264i_picture p = { .src = { s->pixels, s->pixels + luma, s->pixels + luma * 5 / 4 },
		.src_pitch = { s->width, s->width / 2, s->width / 2 },
		.chroma_step = 1,
		.qp = (uint32_t)slice_qp,
		.mb_qp = s->mb_qp,
		.mb = s->mb,
		.levels = s->levels };

	h264i_i_slice_begin(
		&s->slice, &s->params.geom, &p, &s->params, i, number, s->rbsp, s->rbsp_bytes);
	for (uint32_t row = s->slice.first; row < s->slice.end; row++)
		if (h264i_i_slice_row(&s->slice, row) != 0)
			return -1;
	return 0;
}

void random_filter(random_source *s)
{
	const h264i_strengths strengths =
		h264i_i_deblock_strengths(&s->params.filter, s->params.chroma_qp_offset);
	const size_t luma = (size_t)s->width * s->height;
	uint8_t *plane[3] = { s->filtered, s->filtered + luma, s->filtered + luma * 5 / 4 };
	const size_t pitch[3] = { s->width, s->width / 2, s->width / 2 };

	memcpy(s->filtered, s->pixels, luma * 3 / 2);
	if (s->params.filter.on)
		h264i_i_deblock_frame(plane, pitch, s->params.geom.mb_width,
			s->params.geom.mb_height, s->mb, &strengths);
}
