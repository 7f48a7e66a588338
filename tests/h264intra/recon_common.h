/* Random reconstructions with the macroblock types and the source that belong to them, for the
 * tests of deblocking and measuring. */
#ifndef TESTS_H264INTRA_RECON_COMMON_H
#define TESTS_H264INTRA_RECON_COMMON_H

#include "h264intra/core/work.h"
#include "h264intra/filter/deblock.h"
#include "h264intra/filter/sse.h"
#include "tests/common/rng.h"

#include <stdlib.h>
#include <string.h>

typedef struct recon_case {
	uint32_t width, height, mb_width, mb_height, chroma_step;
	uint32_t src_pitch[3];
	size_t src_bytes, recon_bytes;
	h264i_mb *mb;
	uint8_t *recon; /* Y, Cb, Cr without gaps */
	uint8_t *src;   /* Y, Cb, Cr or Y, CbCr, rows src_pitch apart */
} recon_case;

static const uint32_t recon_sizes[][2] = { { 16, 16 }, { 18, 34 }, { 16, 320 }, { 320, 16 },
	{ 32, 48 }, { 98, 66 }, { 176, 144 }, { 640, 16 * 33 } };
enum { RECON_SIZES = sizeof(recon_sizes) / sizeof(recon_sizes[0]) };

static inline size_t recon_mbs(const recon_case *c)
{
	return (size_t)c->mb_width * c->mb_height;
}

static inline void recon_case_free(recon_case *c)
{
	free(c->mb);
	free(c->recon);
	free(c->src);
}

static inline uint8_t recon_clip(int v)
{
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Noise of random strength around a random level in each 4x4 block, so that all decisions occur;
 * one plane in four is black and white, with differences up to the largest alpha. */
static inline void recon_fill_plane(uint8_t *p, uint32_t pitch, uint32_t rows)
{
	int base = (int)rng_below(256), jump = 1 << rng_below(9), extreme = rng_below(4) == 0;

	for (uint32_t y = 0; y < rows; y += 4)
		for (uint32_t x = 0; x < pitch; x += 4) {
			int level = base + (int)rng_below((uint32_t)jump);
			uint32_t noise = 1 + rng_below(12);

			if (extreme) {
				level = rng() & 1 ? 254 : 0;
				noise = 2;
			}
			for (uint32_t i = 0; i < 16; i++)
				p[(y + i / 4) * pitch + x + i % 4] =
					recon_clip(level + (int)rng_below(noise));
		}
}

/* Free with recon_case_free. pcm_share: of 16 macroblocks so many are I_PCM. */
static inline recon_case recon_case_make(
	uint32_t width, uint32_t height, uint32_t pcm_share, uint32_t chroma_step)
{
	recon_case c = { width, height, (width + 15) / 16, (height + 15) / 16, chroma_step, { 0 },
		0, 0, NULL, NULL, NULL };
	size_t mbs = recon_mbs(&c);

	c.src_pitch[0] = width + 10;
	c.src_pitch[1] = c.src_pitch[2] = chroma_step * (width / 2) + 6;
	c.src_bytes = (size_t)c.src_pitch[0] * height +
		      (size_t)c.src_pitch[1] * (height / 2) * (chroma_step == 1 ? 2 : 1);
	c.recon_bytes = mbs * 384;
	c.mb = calloc(mbs, sizeof(*c.mb));
	c.recon = malloc(c.recon_bytes);
	c.src = malloc(c.src_bytes);
	if (!c.mb || !c.recon || !c.src)
		abort();
	recon_fill_plane(c.recon, c.mb_width * 16, c.mb_height * 16);
	recon_fill_plane(c.recon + mbs * 256, c.mb_width * 8, c.mb_height * 8);
	recon_fill_plane(c.recon + mbs * 320, c.mb_width * 8, c.mb_height * 8);
	for (size_t i = 0; i < c.src_bytes; i++)
		c.src[i] = (uint8_t)rng();
	for (size_t i = 0; i < mbs; i++) {
		c.mb[i].type = (uint8_t)(rng_below(16) < pcm_share ? H264I_MB_PCM : rng() & 1);
		if (c.mb[i].type == H264I_MB_I4X4 && (rng() & 1))
			c.mb[i].flags = H264I_MB_T8X8;
	}
	return c;
}

/* Gives all macroblocks this QP, or with RECON_ANY_QP one each. */
enum { RECON_ANY_QP = 52 };

static inline void recon_set_qp(recon_case *c, int qp)
{
	for (size_t i = 0; i < recon_mbs(c); i++)
		c->mb[i].qp = (uint8_t)(qp == RECON_ANY_QP ? rng_below(52) : (uint32_t)qp);
}

/* The picture record of a case whose memory lies at mb, recon and src. */
static inline h264i_picture recon_picture(
	const recon_case *c, h264i_mb *mb, uint8_t *recon, const uint8_t *src)
{
	h264i_picture p;

	memset(&p, 0, sizeof(p));
	p.mb = mb;
	p.chroma_step = c->chroma_step;
	p.src[0] = src;
	p.src[1] = src + (size_t)c->src_pitch[0] * c->height;
	p.src[2] = c->chroma_step == 2 ? p.src[1] + 1
				       : p.src[1] + (size_t)c->src_pitch[1] * (c->height / 2);
	for (int k = 0; k < 3; k++) {
		p.src_pitch[k] = c->src_pitch[k];
		p.recon_pitch[k] = c->mb_width * (k ? 8 : 16);
		p.recon[k] = recon + recon_mbs(c) * (k ? 192 + 64 * (size_t)k : 0);
	}
	return p;
}

/* Tables of the filter, with different chroma QPs of Cb and Cr. */
static inline h264i_strengths recon_strengths(void)
{
	static const int offset[2] = { 5, -9 };

	return h264i_i_deblock_strengths(&(h264i_filter){ 1, 0, 0 }, offset);
}

/* Deblocks in place by filter/deblock.c, the specification. */
static inline void recon_deblock(const h264i_picture *p, const recon_case *c)
{
	const h264i_strengths s = recon_strengths();
	const size_t pitch[3] = { p->recon_pitch[0], p->recon_pitch[1], p->recon_pitch[2] };

	h264i_i_deblock_frame(p->recon, pitch, c->mb_width, c->mb_height, p->mb, &s);
}

static inline void recon_sse(const h264i_picture *p, const recon_case *c, uint64_t sse[3])
{
	for (int k = 0; k < 3; k++) {
		h264i_samples a = { p->src[k], p->src_pitch[k], k ? p->chroma_step : 1 };
		h264i_samples b = { p->recon[k], p->recon_pitch[k], 1 };

		sse[k] = h264i_i_sse_rows(&a, &b, c->width >> (k > 0), 0, c->height >> (k > 0));
	}
}

#endif
