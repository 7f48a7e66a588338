#include "h264intra/cpu/aq.h"

#include "h264intra/core/source.h"

#include <stddef.h>

/* Inlined with constant size and step, so that each case becomes vectors of its own. */
static inline __attribute__((always_inline)) uint32_t deviation_of(
	const h264i_px *at, size_t pitch, size_t step, uint32_t width, uint32_t height)
{
	uint32_t sum = 0, squares = 0;

	for (uint32_t y = 0; y < height; y++, at += pitch)
		for (uint32_t x = 0; x < width; x++) {
			uint32_t v = at[x * step];

			sum += v;
			squares += v * v;
		}
	return h264i_deviation(squares, sum,
		width * height == 256   ? 8
		: width * height == 128 ? 7
					: 6);
}

static uint32_t energy_of(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	int inside = h264i_src_holds(g, mx, my);
	uint32_t sum = 0;

	for (uint32_t k = 0; k < 3; k++) {
		h264i_src s = h264i_src_of(g, p, k);
		size_t pitch = s.pitch;
		h264i_px block[16 * 16];
		const h264i_px *at =
			s.data + my * s.mb_height * pitch + (size_t)mx * s.mb_width * s.step;

		if (!inside) {
			h264i_src_mb(&s, mx, my, block);
			at = block;
			pitch = s.mb_width;
			s.step = 1;
		}
		if (k == 0)
			sum += deviation_of(at, pitch, 1, 16, 16);
		else
			sum += s.step == 1
				       ? deviation_of(at, pitch, 1, H264I_CHROMA_W, H264I_CHROMA_H)
				       : deviation_of(at, pitch, 2, H264I_CHROMA_W, H264I_CHROMA_H);
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
