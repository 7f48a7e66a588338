/* Flags of the parameter sets, which the encoder derives from its options. */
#ifndef APPS_GPUINTRA_HEADERS_H
#define APPS_GPUINTRA_HEADERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct header_flags {
	int cabac;        /* entropy_coding_mode_flag */
	int transform8x8; /* transform_8x8_mode_flag */
} header_flags;

/* Reads the picture parameter set in the headers of h264i_headers. Both flags are 0 without one. */
header_flags headers_read(const uint8_t *headers, size_t bytes);

#endif
