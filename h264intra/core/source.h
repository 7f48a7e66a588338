/* Samples of a source picture. A macroblock may cross the right or the lower edge of the picture;
 * beyond them the last column and the last row are repeated. */
#ifndef H264INTRA_CORE_SOURCE_H
#define H264INTRA_CORE_SOURCE_H

#include "h264intra/core/work.h"

/* A plane of a picture. */
typedef struct h264i_src {
	const uint8_t *data;
	uint32_t pitch, step;   /* bytes from a row to the next, and from a sample to the next */
	uint32_t width, height; /* in samples, not 0 */
} h264i_src;

/* Plane pl: 0 is luma, 1 Cb, 2 Cr. */
LSCHED_FN h264i_src h264i_src_of(const h264i_geom *g, const h264i_picture *p, uint32_t pl)
{
	h264i_src s;

	s.data = p->src[pl];
	s.pitch = p->src_pitch[pl];
	s.step = pl ? p->chroma_step : 1;
	s.width = pl ? h264i_chroma_size(g->width) : g->width;
	s.height = pl ? h264i_chroma_size(g->height) : g->height;
	return s;
}

/* The row that stands for row y. */
LSCHED_FN const uint8_t *h264i_src_row(const h264i_src *s, uint32_t y)
{
	uint32_t last = s->height - 1;

	return s->data + (size_t)(y < last ? y : last) * s->pitch;
}

/* The sample that stands for column x of a row. */
LSCHED_FN uint8_t h264i_src_sample(const h264i_src *s, const uint8_t *row, uint32_t x)
{
	uint32_t last = s->width - 1;

	return row[(size_t)(x < last ? x : last) * s->step];
}

/* 1: macroblock (mx, my) is inside the picture, no sample of it is repeated. */
LSCHED_FN int h264i_src_holds(const h264i_geom *g, uint32_t mx, uint32_t my)
{
	return (mx + 1) * 16 <= g->width && (my + 1) * 16 <= g->height;
}

/* Copies the samples of macroblock (mx, my), `size` wide and high in this plane, row by row. */
LSCHED_FN void h264i_src_mb(
	const h264i_src *s, uint32_t mx, uint32_t my, uint32_t size, uint8_t *out)
{
	for (uint32_t y = 0; y < size; y++) {
		const uint8_t *row = h264i_src_row(s, my * size + y);

		for (uint32_t x = 0; x < size; x++)
			*out++ = h264i_src_sample(s, row, mx * size + x);
	}
}

#endif
