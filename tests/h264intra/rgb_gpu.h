/* Device memory in plain C. An error of CUDA prints a line and ends the program. */
#ifndef TESTS_H264INTRA_RGB_GPU_H
#define TESTS_H264INTRA_RGB_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint8_t *device_alloc(size_t bytes);
void device_free(uint8_t *p);
void device_write(uint8_t *to, const uint8_t *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
