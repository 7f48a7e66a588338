/* The file of the log between two passes; its text: <h264intra/h264intra.h>. */
#ifndef APPS_GPUINTRA_PASS_H
#define APPS_GPUINTRA_PASS_H

#include <h264intra/h264intra.h>
#include <stddef.h>

#include "apps/common/outfile.h"

typedef struct pass_log {
	outfile file; /* file.to NULL: not open */
	uint64_t pictures;
} pass_log;

/* Opens the log of a first pass; replaces a file that is one. Returns 0, or -1 with why, of
 * OUTFILE_WHY_BYTES. */
int pass_begin(
	pass_log *p, const char *path, int overwrite, uint32_t width, uint32_t height, char *why);
void pass_add(pass_log *p, const h264i_packet *packet);
/* Closes the log, if it is open. complete 0: removes it. Returns 0, or -1 with why. */
int pass_end(pass_log *p, int complete, char *why);

/* Reads a complete log of pictures of this size; h264i_pass_free frees *pictures. Returns 0, or -1
 * with why. */
int pass_read(const char *path, uint32_t width, uint32_t height, h264i_pass_picture **pictures,
	size_t *count, char *why, size_t why_bytes);
#endif
