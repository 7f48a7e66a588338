/* See cpu/detail.h. 4 ms for a picture of 1080p. */
#include "h264intra/cpu/detail.h"

#include <stdlib.h>
#include <string.h>

static void count_block(h264i_detail *d, const int r[16])
{
	for (int k = 0; k < 16; k++) {
		int n = h264i_detail_qps((uint32_t)abs(r[k]), h264i_pos_class(k & 3, k >> 2));

		if (n)
			d->last[n - 1]++;
	}
}

void h264i_i_detail_picture(const h264i_geom *g, const h264i_picture *p, h264i_detail *d)
{
	int r[16];

	memset(d, 0, sizeof(*d));
	for (uint32_t y = 0; y < g->height / 16; y++)
		for (uint32_t x = 0; x < g->width / 16; x++)
			for (uint32_t n = 0; n < H264I_DETAIL_BLOCKS; n++) {
				h264i_detail_block(r, p, x, y, n);
				count_block(d, r);
			}
}
