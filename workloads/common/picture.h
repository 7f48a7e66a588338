/* Pictures of workloads as files, by the writers of the renderer. */
#ifndef WORKLOADS_COMMON_PICTURE_H
#define WORKLOADS_COMMON_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0, or -1 with msg: the file name that the option has is that of no format of this
 * build. */
int wl_check_picture(const char *option, const char *path, char *msg, size_t n);
/* Returns nonzero if the format keeps values as they are, with any range. */
int wl_picture_is_linear(const char *path);
/* Writes a picture with the channels "Y" or "R G B" as a file. value(opaque, i) is that of pixel
 * i / channels, channel i % channels. Without `overwrite` only a picture of the same format is
 * replaced. Returns 0, or -1 with msg. */
int wl_write_picture(const char *path, uint32_t width, uint32_t height, const char *channels,
	float (*value)(const void *opaque, size_t i), const void *opaque, int overwrite, char *msg,
	size_t n);
#endif
