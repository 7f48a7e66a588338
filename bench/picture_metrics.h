/* Measures of the difference of two pictures: PSNR, SSIM, share of differing pixels. */
#ifndef BENCH_PICTURE_METRICS_H
#define BENCH_PICTURE_METRICS_H

#include <stddef.h>
#include <stdint.h>

/* A picture without alpha: RGB in 0..1, row by row from the top. */
typedef struct metric_picture {
	uint32_t width, height;
	float *rgb;
} metric_picture;

/* Reads a PNG, TIFF or EXR file and composites its display window over a grey background; channels
 * other than RGB and grey are not read. Values are limited to 0..1; those of EXR files remain
 * linear. Returns 0, or -1 with a message. */
int metric_load(
	metric_picture *p, const char *path, double background, char *message, size_t bytes);
void metric_free(metric_picture *p);

/* Resamples to the size: each pixel is the mean of the area that it covers. Returns 0, or -1 if
 * there is no memory. */
int metric_resize(metric_picture *p, uint32_t width, uint32_t height);

/* The following compare two pictures of the same size. */

/* Mean squared error over all pixels and the three channels. */
double metric_mse(const metric_picture *a, const metric_picture *b);
/* 10 log10(1 / mse) in dB; infinity if mse is 0. */
double metric_psnr_db(double mse);
/* Share of the pixels with a channel that differs by more than the tolerance. */
double metric_differing(const metric_picture *a, const metric_picture *b, double tolerance);

enum { METRIC_WINDOW = 11 };
/* Mean SSIM of luma (0.299 R + 0.587 G + 0.114 B) after Wang, Bovik, Sheikh, Simoncelli, "Image
 * Quality Assessment: From Error Visibility to Structural Similarity", 2004: Gaussian windows of
 * 11 x 11 pixels with a standard deviation of 1.5, at each position where the whole window is in
 * the picture; K1 0.01, K2 0.03. A side of less than 11 pixels has a window of its length. Returns
 * -2 if there is no memory. */
double metric_ssim(const metric_picture *a, const metric_picture *b);

#endif
