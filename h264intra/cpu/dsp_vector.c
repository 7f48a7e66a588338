/* The inner functions with SATD in GNU C vectors, for any processor. */
#include "h264intra/cpu/satd.h"

static uint32_t mb_satd(const h264i_px src[16], const h264i_px pred[16])
{
	h264i_v16 s, p;

	h264i_v16_load(&s, src);
	h264i_v16_load(&p, pred);
	return h264i_v16_satd(&s, &p);
}

static uint32_t mb_satd8(const h264i_px src[64], const h264i_px pred[64])
{
	return h264i_v16_satd8(src, pred);
}

#define DSP_TABLE h264i_i_dsp_vector
#define DSP_NAME  "vector"
#include "h264intra/cpu/dsp_table.h"
