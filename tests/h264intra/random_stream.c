/* random_stream WIDTH HEIGHT FRAMES SLICES PROFILE CABAC DEBLOCK EXTRAS SEED STREAM.264 OUT.yuv
 *
 * Writes a stream of random decisions, as no encoder would make them, and the pictures that it
 * stands for: random types, modes, QPs, patterns, levels and I_PCM samples through the entropy
 * coders of the CPU backend (cpu/slice.c), so that every syntax element has every value, beside
 * any neighbour. The pictures are made by the scalar functions of the specification. WIDTH and
 * HEIGHT are multiples of 16. PROFILE is 66, 77 or 100; of 100 macroblocks may be Intra8x8.
 * With EXTRAS 1 or 2 the chroma QP offset, the filter's offsets and of profile 100 the scaling
 * matrices are random, too; 1: as far as libopenh264 decodes them. Its products of weight and step
 * have 16 bits, enough for these weights to QP 39, and it filters Cr of I_PCM without the
 * offset. */
#include "h264intra/core/qp.h"
#include "h264intra/cpu/slice.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/entropy/qp_delta.h"
#include "h264intra/filter/deblock.h"
#include "tests/h264intra/random_mb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct stream {
	h264i_params params;
	uint32_t width, height, mbs;
	h264i_mb *mb;
	h264i_levels *levels;
	uint8_t *pixels, *filtered, *mb_qp; /* I420, before and after deblocking */
	uint32_t *rbsp;
	uint8_t *rbsp_bytes;
	uint32_t qps; /* number of QPs to choose from */
	cpu_slice slice;
	h264i_qparams by_qp[H264I_QPS];
} stream;

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "random_stream: out of memory\n");
		exit(1);
	}
	return memory;
}

/* Weights of 4 to 40. Sums of DCs of random levels have no more than 32 bits: 16 at most there. */
static void random_list(uint8_t *weight, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		weight[k] = (uint8_t)(4 + rng_below(k ? 37 : 13));
}

static void random_parameters(h264i_params *p, int extras)
{
	h264i_weights *w = &p->weights;

	p->chroma_qp_offset = extras == 1 && p->filter.on ? 0 : rng_around(12);
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

static void open_stream(stream *s, char **arg)
{
	h264i_geom *g = &s->params.geom;

	memset(s, 0, sizeof(*s));
	s->width = (uint32_t)atoi(arg[1]);
	s->height = (uint32_t)atoi(arg[2]);
	*g = (h264i_geom){ s->width, s->height, s->width / 16, s->height / 16,
		(uint32_t)atoi(arg[4]) };
	s->params.profile = atoi(arg[5]);
	s->params.cabac = atoi(arg[6]);
	s->params.filter.on = atoi(arg[7]);
	s->params.transform8x8 = s->params.profile == 100;
	s->params.qp = 26;
	s->params.level = 51;
	s->params.vui = (h264i_vui){
		.full_range = -1, .primaries = 2, .transfer = 2, .matrix = 2, .chroma_loc = -1
	};
	s->mbs = g->mb_width * g->mb_height;
	s->mb = must(calloc(s->mbs, sizeof(*s->mb)));
	s->levels = must(calloc(s->mbs, sizeof(*s->levels)));
	s->mb_qp = must(calloc(s->mbs, 1));
	s->pixels = must(calloc(s->mbs, 384));
	s->filtered = must(calloc(s->mbs, 384));
	s->rbsp = must(calloc(slice_word(g, g->slices), 4));
	s->rbsp_bytes = must(calloc(slice_word(g, g->slices), 4));
	s->qps = H264I_QPS;
	if (atoi(arg[8])) {
		random_parameters(&s->params, atoi(arg[8]));
		s->qps = atoi(arg[8]) == 1 ? 40 : H264I_QPS;
	}
	for (int qp = 0; qp < H264I_QPS; qp++) {
		h264i_i_qparams_init(&s->by_qp[qp], qp, 0);
		h264i_i_qparams_set(&s->by_qp[qp],
			s->params.scaling == H264I_SCALING_FLAT ? NULL : &s->params.weights,
			s->params.chroma_qp_offset);
	}
}

/* Makes the macroblocks of a picture in decoding order. */
static void make_picture(stream *s, int slice_qp)
{
	const h264i_geom *g = &s->params.geom;
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
			.t8x8 = s->params.transform8x8 };

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
}

static void write_picture(stream *s, int slice_qp, uint32_t number, FILE *out)
{
	const h264i_geom *g = &s->params.geom;
	size_t luma = (size_t)s->width * s->height;
	h264i_picture p = { .src = { s->pixels, s->pixels + luma, s->pixels + luma * 5 / 4 },
		.src_pitch = { s->width, s->width / 2, s->width / 2 },
		.chroma_step = 1,
		.qp = (uint32_t)slice_qp,
		.mb_qp = s->mb_qp,
		.mb = s->mb,
		.levels = s->levels };
	h264i_buf head = { 0 };

	if (h264i_i_param_sets_append(&head, &s->params) != 0 ||
		fwrite(head.data, 1, head.bytes, out) != head.bytes)
		exit(1);
	h264i_i_buf_free(&head);
	for (uint32_t i = 0; i < g->slices; i++) {
		h264i_i_slice_begin(
			&s->slice, g, &p, &s->params, i, number, s->rbsp, s->rbsp_bytes);
		for (uint32_t row = s->slice.first; row < s->slice.end; row++)
			if (h264i_i_slice_row(&s->slice, row) != 0) {
				fprintf(stderr, "random_stream: slice %u, row %u\n", i, row);
				exit(1);
			}
		if (fwrite(s->slice.nal.data, 1, s->slice.nal.bytes, out) != s->slice.nal.bytes)
			exit(1);
	}
}

static void write_pixels(stream *s, FILE *out)
{
	const h264i_strengths strengths =
		h264i_i_deblock_strengths(&s->params.filter, s->params.chroma_qp_offset);
	size_t luma = (size_t)s->width * s->height;
	uint8_t *plane[3] = { s->filtered, s->filtered + luma, s->filtered + luma * 5 / 4 };
	size_t pitch[3] = { s->width, s->width / 2, s->width / 2 };

	memcpy(s->filtered, s->pixels, luma * 3 / 2);
	if (s->params.filter.on)
		h264i_i_deblock_frame(plane, pitch, s->params.geom.mb_width,
			s->params.geom.mb_height, s->mb, &strengths);
	if (fwrite(s->filtered, 1, luma * 3 / 2, out) != luma * 3 / 2)
		exit(1);
}

int main(int argc, char **argv)
{
	FILE *out, *pictures;
	stream s;

	if (argc != 12) {
		fprintf(stderr, "usage: random_stream WIDTH HEIGHT FRAMES SLICES PROFILE CABAC "
				"DEBLOCK EXTRAS SEED STREAM.264 PICTURES.yuv\n");
		return 2;
	}
	out = fopen(argv[10], "wb");
	pictures = fopen(argv[11], "wb");
	if (!out || !pictures) {
		perror("random_stream");
		return 1;
	}
	rng_state *= 2 * (uint64_t)atoi(argv[9]) + 1; /* odd: never 0 */
	open_stream(&s, argv);
	for (uint32_t i = 0; i < (uint32_t)atoi(argv[3]); i++) {
		int slice_qp = (int)rng_below(s.qps);

		make_picture(&s, slice_qp);
		write_picture(&s, slice_qp, i, out);
		write_pixels(&s, pictures);
	}
	h264i_i_buf_free(&s.slice.nal);
	free(s.mb);
	free(s.levels);
	free(s.mb_qp);
	free(s.pixels);
	free(s.filtered);
	free(s.rbsp);
	free(s.rbsp_bytes);
	return fclose(out) | fclose(pictures) ? 1 : 0;
}
