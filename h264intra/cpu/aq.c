#include "h264intra/cpu/aq.h"

#include <stddef.h>

/* Inlined with constant size and step, so that each case becomes vectors of its own. */
static inline __attribute__((always_inline)) uint32_t deviation_of(
	const uint8_t *at, size_t pitch, size_t step, uint32_t size)
{
	uint32_t sum = 0, squares = 0;

	for (uint32_t y = 0; y < size; y++, at += pitch)
		for (uint32_t x = 0; x < size; x++) {
			uint32_t v = at[x * step];

			sum += v;
			squares += v * v;
		}
	return h264i_deviation(squares, sum, size == 16 ? 8 : 6);
}

/* Of a macroblock that crosses the picture's edge, whose last column and row are repeated. */
static uint32_t deviation_at_edge(const h264i_picture *p, int plane, uint32_t width,
	uint32_t height, uint32_t mx, uint32_t my)
{
	uint32_t size = plane ? 8 : 16;
	size_t step = plane ? p->chroma_step : 1;
	uint8_t block[16 * 16];

	for (uint32_t y = 0; y < size; y++)
		for (uint32_t x = 0; x < size; x++) {
			uint32_t sx = mx * size + x, sy = my * size + y;

			sx = sx < width ? sx : width - 1;
			sy = sy < height ? sy : height - 1;
			block[size * y + x] =
				p->src[plane][(size_t)sy * p->src_pitch[plane] + sx * step];
		}
	return plane ? deviation_of(block, 8, 1, 8) : deviation_of(block, 16, 1, 16);
}

static uint32_t energy_of(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	uint32_t sum = 0;

	for (int k = 0; k < 3; k++) {
		uint32_t width = k ? h264i_chroma_size(g->width) : g->width, size = k ? 8 : 16;
		uint32_t height = k ? h264i_chroma_size(g->height) : g->height;
		size_t pitch = p->src_pitch[k], step = k ? p->chroma_step : 1;
		const uint8_t *at = p->src[k] + my * size * pitch + mx * size * step;

		if ((mx + 1) * size > width || (my + 1) * size > height)
			sum += deviation_at_edge(p, k, width, height, mx, my);
		else if (k == 0)
			sum += deviation_of(at, pitch, 1, 16);
		else
			sum += step == 1 ? deviation_of(at, pitch, 1, 8)
					 : deviation_of(at, pitch, 2, 8);
	}
	return sum;
}

void h264i_i_aq_picture(const h264i_aq *aq, const h264i_geom *g, const h264i_picture *p,
	uint8_t *mb_qp, uint32_t *root)
{
	uint32_t mbs = g->mb_width * g->mb_height, at = 0;
	h264i_aq_sums sums = { 0, 0 };
	h264i_aq_scale scale;

	for (uint32_t y = 0; y < g->mb_height; y++)
		for (uint32_t x = 0; x < g->mb_width; x++, at++) {
			uint32_t energy = energy_of(g, p, x, y);

			if (aq->mode == 1) {
				mb_qp[at] = h264i_aq_qp(p->qp, h264i_aq_offset(aq, energy));
				continue;
			}
			root[at] = h264i_aq_root(energy);
			h264i_aq_add(&sums, root[at]);
		}
	if (aq->mode == 1)
		return;
	scale = h264i_aq_scale_of(aq, &sums, mbs);
	for (at = 0; at < mbs; at++)
		mb_qp[at] = h264i_aq_qp(p->qp, h264i_aq_offset_of_root(scale, root[at]));
}
