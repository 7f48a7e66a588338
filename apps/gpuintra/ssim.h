/* Structural similarity of pictures (Wang et al. 2004), by 8x8 windows at each fourth row and
 * column, as x264's --ssim and FFmpeg's filter ssim measure it. */
#ifndef APPS_GPUINTRA_SSIM_H
#define APPS_GPUINTRA_SSIM_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the memory for planes of this width. */
size_t ssim_bytes(uint32_t width);

/* Returns the mean of the windows of two planes of at least 8x8 samples; 1: they are equal.
 * `memory` has ssim_bytes. */
double ssim_plane(const uint8_t *a, size_t a_pitch, const uint8_t *b, size_t b_pitch,
	uint32_t width, uint32_t height, void *memory);
#endif
