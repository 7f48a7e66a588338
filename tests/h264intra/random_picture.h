/* Pictures of random decisions, as no encoder would make them: random types, modes, QPs, patterns,
 * levels and I_PCM samples, so that every syntax element has every value, beside any neighbour. The
 * samples are made by the scalar functions of the specification. */
#ifndef TESTS_H264INTRA_RANDOM_PICTURE_H
#define TESTS_H264INTRA_RANDOM_PICTURE_H

#include "h264intra/cpu/slice.h"

typedef struct random_source {
	h264i_params params; /* the sizes are multiples of 16 */
	uint32_t width, height, mbs;
	h264i_mb *mb; /* of the picture made last, as all below */
	h264i_levels *levels;
	uint8_t *pixels, *filtered, *mb_qp; /* I420, before and after deblocking */
	uint32_t *rbsp;
	uint8_t *rbsp_bytes;
	uint32_t qps; /* number of QPs to choose from */
	cpu_slice slice;
	h264i_qparams by_qp[H264I_QPS];
} random_source;

/* Begins the sequence of random numbers of all that follows. */
void random_begin(uint32_t seed);

/* Chooses the chroma QP offsets, the filter's offsets and of profile 100 the scaling matrices.
 * `extras` 1: as far as libopenh264 decodes them. Its products of weight and step have 16 bits,
 * enough for these weights to QP 39, and it filters Cr of I_PCM without the offset. */
void random_parameters(h264i_params *p, int extras);

/* Allocates for pictures of these parameters with QPs below `qps`. Ends the program without
 * memory. */
void random_open(random_source *s, const h264i_params *p, uint32_t qps);
void random_close(random_source *s);

/* Makes the macroblocks of a picture in decoding order. Returns the QP of its slices. */
int random_picture(random_source *s);

/* Codes slice i of the picture with the entropy coders of the CPU backend, as picture `number`:
 * s->slice.nal has the NAL unit. Changes mb: see qp_delta of h264i_mb. Returns 0 or -1. */
int random_slice(random_source *s, int slice_qp, uint32_t number, uint32_t i);

/* Filters the picture into s->filtered, if the parameters have the filter; else copies it. */
void random_filter(random_source *s);
#endif
