/* What input.c and cached.c share. */
#ifndef APPS_GPUINTRA_INPUT_PARTS_H
#define APPS_GPUINTRA_INPUT_PARTS_H

#include "apps/gpuintra/input.h"

/* Bytes of a picture, so that the next one behind it is aligned. */
size_t input_picture_bytes(const input *in);

/* Places the planes of a picture at `at`, without gaps between rows or planes. */
void input_lay_out(input *in, picture *p, uint8_t *at);

/* Sets status and error. Returns -1. */
int input_fail(input *in, h264i_io_status status, const char *text);

/* cached.c: a looped clip that is decoded once and kept in memory. */

/* 0: the clip is certainly too large for `memory` bytes. expected: its frames, -1: unknown. */
int cached_may_fit(const input *in, int64_t expected, uint64_t memory);

/* Decodes the clip. Returns 0 with in->cached set, 0 without it if the clip is too large and the
 * source is at its start again, or -1 with in->error. */
int cached_start(input *in, uint64_t memory);

/* The next picture of the clip, NULL at the end of the input. */
picture *cached_next(input *in);
#endif
