/* One macroblock on one CPU thread. */
#ifndef H264INTRA_CPU_ENCODE_MB_H
#define H264INTRA_CPU_ENCODE_MB_H

#include "h264intra/core/work.h"
#include "h264intra/cpu/dsp.h"

/* Rates of one QP, with decisions by rate and distortion. */
typedef struct h264i_cpu_rates {
	h264i_rates rates;
	h264i_scan_rates scan[H264I_CATS];
} h264i_cpu_rates;

/* Arguments as of h264i_i_rates_init(). */
void h264i_i_cpu_rates_init(
	h264i_cpu_rates *r, int qp, const h264i_weights *w, const int chroma_qp_offset[2]);

/* Predicts, decides, transforms and reconstructs macroblock (x, y) of picture p, whose LEFT,
 * UP-LEFT, UP and UP-RIGHT neighbours of the same slice are done. Writes p->mb, p->levels, p->edge
 * and, where kept, p->recon at that macroblock; reads nothing else that is written during a run.
 * rates: [H264I_QPS], or NULL. Every table of functions leads to the same result. */
void h264i_i_encode_mb(const h264i_dsp *dsp, const h264i_wave_ctx *c, const h264i_cpu_rates *rates,
	const h264i_picture *p, uint32_t x, uint32_t y);

#endif
