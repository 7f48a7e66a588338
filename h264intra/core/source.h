/* Samples of a source picture. A macroblock may cross the right or the lower edge of the picture;
 * beyond them the last column and the last row are repeated. */
#ifndef H264INTRA_CORE_SOURCE_H
#define H264INTRA_CORE_SOURCE_H

#include <stddef.h>
#include "h264intra/core/work.h"

/* A plane of a picture; all sizes are in samples. */
typedef struct h264i_src {
	const h264i_px *data;
	uint32_t pitch, step;         /* from a row to the next, and from a sample to the next */
	uint32_t width, height;       /* not 0 */
	uint32_t mb_width, mb_height; /* of a macroblock */
} h264i_src;

/* Plane pl: 0 is luma, 1 Cb, 2 Cr. */
LSCHED_FN h264i_src h264i_src_of(const h264i_geom *g, const h264i_picture *p, uint32_t pl)
{
	h264i_src s;

	s.data = p->src[pl];
	s.pitch = p->src_pitch[pl];
	s.step = pl ? p->chroma_step : 1;
	s.width = pl ? h264i_chroma_width(g->width) : g->width;
	s.height = pl ? h264i_chroma_height(g->height) : g->height;
	s.mb_width = pl ? H264I_CHROMA_W : 16;
	s.mb_height = pl ? H264I_CHROMA_H : 16;
	return s;
}

/* The row that stands for row y. */
LSCHED_FN const h264i_px *h264i_src_row(const h264i_src *s, uint32_t y)
{
	uint32_t last = s->height - 1;

	return s->data + (size_t)(y < last ? y : last) * s->pitch;
}

/* The sample that stands for column x of a row. */
LSCHED_FN h264i_px h264i_src_sample(const h264i_src *s, const h264i_px *row, uint32_t x)
{
	uint32_t last = s->width - 1;

	return row[(size_t)(x < last ? x : last) * s->step];
}

/* 1: macroblock (mx, my) is inside the picture, no sample of it is repeated. */
LSCHED_FN int h264i_src_holds(const h264i_geom *g, uint32_t mx, uint32_t my)
{
	return (mx + 1) * 16 <= g->width && (my + 1) * 16 <= g->height;
}

/* Copies the samples of macroblock (mx, my) in raster order. */
LSCHED_FN void h264i_src_mb(const h264i_src *s, uint32_t mx, uint32_t my, h264i_px *out)
{
	for (uint32_t y = 0; y < s->mb_height; y++) {
		const h264i_px *row = h264i_src_row(s, my * s->mb_height + y);

		for (uint32_t x = 0; x < s->mb_width; x++)
			*out++ = h264i_src_sample(s, row, mx * s->mb_width + x);
	}
}

#endif
