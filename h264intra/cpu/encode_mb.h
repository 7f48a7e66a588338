/* One macroblock on one CPU thread. */
#ifndef H264INTRA_CPU_ENCODE_MB_H
#define H264INTRA_CPU_ENCODE_MB_H

#include "h264intra/core/work.h"

/* Predicts, decides, transforms and reconstructs macroblock (x, y) of picture p, whose LEFT,
 * UP-LEFT, UP and UP-RIGHT neighbours of the same slice are done. Writes p->mb, p->levels, p->edge
 * and, where kept, p->recon at that macroblock; reads nothing else that is written during a run. */
typedef void (*h264i_encode_mb_fn)(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y);

/* The specification. The others produce the same bits faster. */
void h264i_i_encode_mb_scalar(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y);
void h264i_i_encode_mb_vector(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y);
#if defined(__x86_64__)
void h264i_i_encode_mb_avx2(
	const h264i_wave_ctx *c, const h264i_picture *p, uint32_t x, uint32_t y);
#endif

/* Returns the fastest one that this processor runs. */
h264i_encode_mb_fn h264i_i_encode_mb_best(void);

#endif
