/* The specification of the CPU backend's inner functions, in scalar C. */
#include "h264intra/cpu/dsp.h"
#include "h264intra/transform/dct8x8.h"

/* Half the sum of the absolute 4x4 Hadamard coefficients of src - pred. */
static uint32_t mb_satd(const h264i_px src[16], const h264i_px pred[16])
{
	uint32_t sum = 0;
	int32_t d[16];

	for (int i = 0; i < 16; i++)
		d[i] = src[i] - pred[i];
	h264i_hadamard4x4(d);
	for (int i = 0; i < 16; i++)
		sum += (uint32_t)(d[i] < 0 ? -d[i] : d[i]);
	return sum / 2;
}

static uint32_t mb_satd8(const h264i_px src[64], const h264i_px pred[64])
{
	uint32_t sum = 0;
	int32_t d[64];

	for (int i = 0; i < 64; i++)
		d[i] = src[i] - pred[i];
	h264i_hadamard8x8(d);
	for (int i = 0; i < 64; i++)
		sum += (uint32_t)(d[i] < 0 ? -d[i] : d[i]);
	return h264i_satd8_scale(sum);
}

#define DSP_TABLE h264i_i_dsp_scalar
#define DSP_NAME  "scalar"
#include "h264intra/cpu/dsp_table.h"
