/* PSNR, SSIM and differing pixels. */
#include "bench/picture_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/image/formats.h"

static float limit(float v)
{
	return v > 0 ? v < 1 ? v : 1 : 0;
}

/* Color over the background; grey pictures have equal channels. */
static void composite(const reyes_i_picture *in, float background, metric_picture *out)
{
	const uint32_t alpha = reyes_i_picture_channel(in, "A");
	uint32_t color[3] = { reyes_i_picture_channel(in, "R"), reyes_i_picture_channel(in, "G"),
		reyes_i_picture_channel(in, "B") };

	for (int c = 0; c < 3; c++)
		if (color[c] == REYES_I_NO_CHANNEL)
			color[c] = reyes_i_picture_channel(in, "Y");
	for (uint32_t y = 0; y < in->height_px; y++)
		for (uint32_t x = 0; x < in->width_px; x++) {
			const int64_t fx = (int64_t)x + in->x_px, fy = (int64_t)y + in->y_px;
			const float *at = in->data + ((size_t)y * in->width_px + x) * in->channels;
			const float rest =
				alpha == REYES_I_NO_CHANNEL ? 0 : (1 - at[alpha]) * background;
			float *to;

			if (fx < 0 || fy < 0 || fx >= out->width || fy >= out->height)
				continue;
			to = out->rgb + ((size_t)fy * out->width + (size_t)fx) * 3;
			for (int c = 0; c < 3; c++)
				to[c] = limit(
					(color[c] == REYES_I_NO_CHANNEL ? 0 : at[color[c]]) + rest);
		}
}

int metric_load(metric_picture *p, const char *path, double background, char *message, size_t bytes)
{
	reyes_i_picture in;
	size_t n;

	memset(p, 0, sizeof(*p));
	if (reyes_i_picture_read(&in, path, message, bytes) != REYES_OK)
		return -1;
	p->width = in.full_width_px;
	p->height = in.full_height_px;
	n = (size_t)p->width * p->height * 3;
	p->rgb = n <= REYES_I_PICTURE_SAMPLES_MAX ? malloc(n * sizeof(float)) : NULL;
	if (!p->rgb)
		snprintf(message, bytes, "%s: no memory for %u x %u pixels", path, p->width,
			p->height);
	for (size_t i = 0; p->rgb && i < n; i++)
		p->rgb[i] = (float)background;
	if (p->rgb)
		composite(&in, (float)background, p);
	reyes_i_picture_free(&in);
	return p->rgb ? 0 : -1;
}

void metric_free(metric_picture *p)
{
	free(p->rgb);
	memset(p, 0, sizeof(*p));
}

/* Resamples lines of `from` values to `to` values: value i of a line is at in[i * step]. */
static void resize_line(
	float *out, const float *in, uint32_t from, uint32_t to, size_t in_step, size_t out_step)
{
	for (uint32_t i = 0; i < to; i++) {
		/* Units of 1 / (from to): a source pixel covers `to`, a new one `from` of them. */
		const uint64_t low = (uint64_t)i * from, high = low + from;
		double sum = 0;

		for (uint64_t j = low / to; j * to < high; j++) {
			const uint64_t a = j * to > low ? j * to : low;
			const uint64_t b = (j + 1) * to < high ? (j + 1) * to : high;

			sum += (double)(b - a) * (double)in[j * in_step];
		}
		out[i * out_step] = (float)(sum / from);
	}
}

int metric_resize(metric_picture *p, uint32_t width, uint32_t height)
{
	float *wide, *out;

	if (p->width == width && p->height == height)
		return 0;
	wide = calloc((size_t)width * p->height, 3 * sizeof(float));
	out = calloc((size_t)width * height, 3 * sizeof(float));
	for (uint32_t y = 0; wide && out && y < p->height; y++)
		for (size_t c = 0; c < 3; c++)
			resize_line(wide + (size_t)y * width * 3 + c,
				p->rgb + (size_t)y * p->width * 3 + c, p->width, width, 3, 3);
	for (size_t x = 0; wide && out && x < (size_t)width * 3; x++)
		resize_line(
			out + x, wide + x, p->height, height, (size_t)width * 3, (size_t)width * 3);
	free(wide);
	if (!wide || !out) {
		free(out);
		return -1;
	}
	free(p->rgb);
	p->rgb = out;
	p->width = width;
	p->height = height;
	return 0;
}

double metric_mse(const metric_picture *a, const metric_picture *b)
{
	const size_t n = (size_t)a->width * a->height * 3;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const double d = (double)a->rgb[i] - (double)b->rgb[i];

		sum += d * d;
	}
	return sum / (double)n;
}

double metric_psnr_db(double mse)
{
	return mse > 0 ? -10 * log10(mse) : INFINITY;
}

double metric_differing(const metric_picture *a, const metric_picture *b, double tolerance)
{
	const size_t n = (size_t)a->width * a->height;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		int differs = 0;

		for (size_t c = 0; c < 3; c++)
			differs |= fabs((double)a->rgb[3 * i + c] - (double)b->rgb[3 * i + c]) >
				   tolerance;
		count += (size_t)differs;
	}
	return (double)count / (double)n;
}

/* Weights of a window of n pixels; their sum is 1. */
static void make_window(double w[METRIC_WINDOW], uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const double d = i - (n - 1) / 2.0;

		w[i] = exp(-d * d / (2 * 1.5 * 1.5));
		sum += w[i];
	}
	for (uint32_t i = 0; i < n; i++)
		w[i] /= sum;
}

enum { MAP_A, MAP_B, MAP_AA, MAP_BB, MAP_AB, MAPS };

/* Products of the lumas of one row, weighted along the row. */
static void filter_row(const metric_picture *a, const metric_picture *b, uint32_t y,
	const double *w, uint32_t n, double *out)
{
	for (uint32_t x = 0; x + n <= a->width; x++, out += MAPS) {
		memset(out, 0, MAPS * sizeof(*out));
		for (uint32_t i = 0; i < n; i++) {
			const float *p = a->rgb + ((size_t)y * a->width + x + i) * 3;
			const float *q = b->rgb + ((size_t)y * a->width + x + i) * 3;
			const double u =
				0.299 * (double)p[0] + 0.587 * (double)p[1] + 0.114 * (double)p[2];
			const double v =
				0.299 * (double)q[0] + 0.587 * (double)q[1] + 0.114 * (double)q[2];

			out[MAP_A] += w[i] * u;
			out[MAP_B] += w[i] * v;
			out[MAP_AA] += w[i] * u * u;
			out[MAP_BB] += w[i] * v * v;
			out[MAP_AB] += w[i] * u * v;
		}
	}
}

static double ssim_of(const double m[MAPS])
{
	const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
	const double ab = m[MAP_AB] - m[MAP_A] * m[MAP_B];
	const double aa = m[MAP_AA] - m[MAP_A] * m[MAP_A];
	const double bb = m[MAP_BB] - m[MAP_B] * m[MAP_B];

	return (2 * m[MAP_A] * m[MAP_B] + c1) * (2 * ab + c2) /
	       ((m[MAP_A] * m[MAP_A] + m[MAP_B] * m[MAP_B] + c1) * (aa + bb + c2));
}

double metric_ssim(const metric_picture *a, const metric_picture *b)
{
	const uint32_t nx = a->width < METRIC_WINDOW ? a->width : METRIC_WINDOW;
	const uint32_t ny = a->height < METRIC_WINDOW ? a->height : METRIC_WINDOW;
	const uint32_t across = a->width - nx + 1, down = a->height - ny + 1;
	const size_t row = (size_t)across * MAPS;
	/* The rows of one window: row y is at y % ny. */
	double *rows = malloc(row * ny * sizeof(*rows));
	double wx[METRIC_WINDOW], wy[METRIC_WINDOW], sum = 0;

	if (!rows)
		return -2;
	make_window(wx, nx);
	make_window(wy, ny);
	for (uint32_t y = 0; y < a->height; y++) {
		filter_row(a, b, y, wx, nx, rows + (y % ny) * row);
		for (uint32_t x = 0; y + 1 >= ny && x < across; x++) {
			double m[MAPS] = { 0 };

			for (uint32_t j = 0; j < ny; j++)
				for (int k = 0; k < MAPS; k++)
					m[k] += wy[j] * rows[((y + 1 - ny + j) % ny) * row +
								(size_t)x * MAPS + (size_t)k];
			sum += ssim_of(m);
		}
	}
	free(rows);
	return sum / across / down;
}
