/* A coder of FLAC (RFC 9639) for PCM of 16 bits: fixed predictors, Rice codes, stereo
 * decorrelation. */
#ifndef H264INTRA_MP4_FLAC_H
#define H264INTRA_MP4_FLAC_H

#include "h264intra/mp4/box.h"

enum { FLAC_BLOCK = 4096, FLAC_CHANNELS_MAX = 8, FLAC_INFO_BYTES = 34 };

typedef struct mp4_flac {
	uint32_t channels;
	uint32_t filled;  /* samples of each channel in the block */
	uint32_t number;  /* of the block */
	int32_t sample[]; /* FLAC_BLOCK of each channel, then of middle, side and residuals */
} mp4_flac;

/* Returns a coder for free(), or NULL without memory. */
mp4_flac *h264i_i_mp4_flac_new(uint32_t channels);

/* Appends STREAMINFO, FLAC_INFO_BYTES; length and sum are unknown. */
void h264i_i_mp4_flac_info(mp4_buf *out, uint32_t rate, uint32_t channels);

/* Adds interleaved little-endian samples to the block; returns how many of each channel. */
size_t h264i_i_mp4_flac_fill(mp4_flac *f, const uint8_t *pcm, size_t count);

/* Appends the frame of the block and begins the next one. All frames but the last are full. */
void h264i_i_mp4_flac_block(mp4_flac *f, mp4_buf *out);

#endif
