/* Rates of blocks by position in the scan, in the order that vector code loads them. */
#include "h264intra/cpu/dsp.h"

#include <string.h>

void h264i_i_scan_rates_init(h264i_scan_rates *s, const h264i_rates *r, int cat)
{
	int first;

	memset(s, 0, sizeof(*s));
	s->block = h264i_block_rates_of(r, cat);
	first = s->block.coefficients == 15;
	for (int i = 0; i < s->block.coefficients; i++) {
		h264i_map_rates m = h264i_map_rates_of(&s->block, i);

		s->zero[first + i] = (uint16_t)m.zero;
		s->one[first + i] = (uint16_t)m.one;
		s->more[first + i] = (uint16_t)m.more;
		s->end[first + i] = (uint16_t)m.end;
	}
	for (int i = 0; i < 10; i++)
		for (int bin = 0; bin < 2; bin++)
			s->abs[bin][i] = s->block.abs[i][bin];
}
