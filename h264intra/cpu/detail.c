/* See cpu/detail.h. */
#include "h264intra/cpu/detail.h"

#include <string.h>

void h264i_i_detail_picture(
	const h264i_dsp *dsp, const h264i_geom *g, const h264i_picture *p, h264i_detail *d)
{
	uint32_t count[4][H264I_DETAIL_COUNTS];

	memset(count, 0, sizeof(count));
	for (uint32_t y = 0; y < g->height / 16; y++)
		for (uint32_t x = 0; x < g->width / 16; x++)
			dsp->detail(p->src[0] + (size_t)y * 16 * p->src_pitch[0] + 16 * x,
				p->src_pitch[0], x > 0, y > 0, count);
	/* Those that no QP leaves are not counted. */
	for (int n = 1; n <= H264I_DETAIL_QPS; n++)
		d->last[n - 1] = count[0][n] + count[1][n] + count[2][n] + count[3][n];
}
