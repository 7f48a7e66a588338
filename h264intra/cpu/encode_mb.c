/* One macroblock; with the functions of cpu/dsp_scalar.c the specification of the encoder. The CUDA
 * backend (cuda/encode_mb.cuh) produces the same bits. */
#include "h264intra/cpu/encode_mb.h"

#include "h264intra/cpu/mb_intra.h"

void h264i_i_cpu_rates_init(
	h264i_cpu_rates *r, int qp, const h264i_weights *w, const int chroma_qp_offset[2])
{
	h264i_i_rates_init(&r->rates, qp, w, chroma_qp_offset);
	for (int cat = 0; cat < H264I_CATS; cat++)
		h264i_i_scan_rates_init(&r->scan[cat], &r->rates, cat);
}

void h264i_i_encode_mb(const h264i_dsp *dsp, const h264i_wave_ctx *c, const h264i_cpu_rates *rates,
	const h264i_picture *p, uint32_t x, uint32_t y)
{
	uint32_t at = y * c->geom.mb_width + x;
	mb_work w;

	w.c = c;
	w.dsp = dsp;
	w.q = &c->by_qp[h264i_picture_qp(p, at)];
	w.rates = rates ? &rates[w.q->qp].rates : NULL;
	w.scan = rates ? rates[w.q->qp].scan : NULL;
	w.p = p;
	w.x = x;
	w.y = y;
	w.lev = &p->levels[at];
	memset(&w.mb, 0, sizeof(w.mb));
	w.mb.qp = (uint8_t)w.q->qp;
	encode_mb(&w);
}
