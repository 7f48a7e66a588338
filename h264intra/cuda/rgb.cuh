/* Conversion of RGB frames in device memory to NV12, with the functions of rgb/sample.h: the same
 * bytes as rgb/rgb.c. */
#ifndef H264INTRA_CUDA_RGB_CUH
#define H264INTRA_CUDA_RGB_CUH

#include "h264intra/rgb/rgb.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { RGB_COLUMNS = 32, RGB_ROWS = 8 };

typedef struct rgb_job {
	h264i_rgb_matrix m;
	const uint8_t *plane[3];
	int64_t pixel_stride, row_stride;
	uint32_t width, height;
	h264i_rgb_scale scale;
	const uint8_t *alpha; /* or NULL */
	uint16_t background[3];
	int centre; /* chroma_loc 1, which reads 2 x 2 pixels */
	uint8_t *y, *c;
	uint32_t pitch; /* of y and c; even */
} rgb_job;

template <int SAMPLE>
__device__ __forceinline__ uint32_t rgb_load(const uint8_t *at, h264i_rgb_scale scale)
{
	float v;

	if (SAMPLE == H264I_U8)
		return *at * 257u;
	if (SAMPLE == H264I_F16)
		v = __half2float(*reinterpret_cast<const __half *>(at));
	else if (SAMPLE == H264I_BF16)
		v = __uint_as_float((uint32_t) * reinterpret_cast<const uint16_t *>(at) << 16);
	else if (SAMPLE == H264I_U16)
		v = *reinterpret_cast<const uint16_t *>(at);
	else if (SAMPLE == H264I_F64)
		v = (float)*reinterpret_cast<const double *>(at);
	else
		v = *reinterpret_cast<const float *>(at);
	return h264i_rgb_level(v, scale);
}

/* Loads R, G, B of pixel (x, y); beyond the frame its first and last columns and rows are
 * repeated. */
template <int SAMPLE>
__device__ __forceinline__ void rgb_pixel(const rgb_job &j, int64_t x, int64_t y, uint32_t v[3])
{
	int64_t at;

	x = max((int64_t)0, min(x, (int64_t)j.width - 1));
	y = max((int64_t)0, min(y, (int64_t)j.height - 1));
	at = y * j.row_stride + x * j.pixel_stride;
	for (int k = 0; k < 3; k++)
		v[k] = rgb_load<SAMPLE>(j.plane[k] + at, j.scale);
	if (j.alpha) {
		uint32_t alpha = rgb_load<SAMPLE>(j.alpha + at, j.scale);

		for (int k = 0; k < 3; k++)
			v[k] = h264i_rgb_blend(v[k], alpha, j.background[k]);
	}
}

/* Weighted sum of the pixels around the chroma sample (cx, cy) that are not among its own 2 x 2. */
template <int SAMPLE>
__device__ __forceinline__ void rgb_chroma_sum(
	const rgb_job &j, uint32_t cx, uint32_t cy, uint32_t sum[3])
{
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < 3; i++) {
			uint32_t weight = j.m.wx[i] * j.m.wy[r], v[3];

			if (!weight)
				continue;
			rgb_pixel<SAMPLE>(j, 2 * (int64_t)cx + i - 1,
				2 * (int64_t)cy + r - 1 + j.m.row_offset, v);
			for (int k = 0; k < 3; k++)
				sum[k] += weight * v[k];
		}
}

/* A thread converts 2 x 2 pixels. The right one of the last column may lie beyond the frame; its
 * place in the output exists, because pitches are even. */
template <int SAMPLE> __global__ void __launch_bounds__(RGB_COLUMNS *RGB_ROWS) rgb_kernel(rgb_job j)
{
	uint32_t cx = blockIdx.x * RGB_COLUMNS + threadIdx.x;
	uint32_t cy = blockIdx.y * RGB_ROWS + threadIdx.y, sum[3] = { 0, 0, 0 };

	if (cx >= (j.width + 1) / 2 || cy >= (j.height + 1) / 2)
		return;
	for (uint32_t r = 0; r < 2; r++) {
		uint32_t a[3], b[3];

		rgb_pixel<SAMPLE>(j, 2 * cx, 2 * (int64_t)cy + r, a);
		rgb_pixel<SAMPLE>(j, 2 * (int64_t)cx + 1, 2 * (int64_t)cy + r, b);
		if (2 * cy + r < j.height)
			*reinterpret_cast<uchar2 *>(j.y + (size_t)(2 * cy + r) * j.pitch + 2 * cx) =
				make_uchar2(h264i_rgb_y(&j.m, a[0], a[1], a[2]),
					h264i_rgb_y(&j.m, b[0], b[1], b[2]));
		for (int k = 0; k < 3; k++)
			sum[k] += 4 * (a[k] + b[k]);
	}
	if (!j.centre) {
		sum[0] = sum[1] = sum[2] = 0;
		rgb_chroma_sum<SAMPLE>(j, cx, cy, sum);
	}
	for (int k = 0; k < 3; k++)
		sum[k] = h264i_rgb_mean(sum[k]);
	*reinterpret_cast<uchar2 *>(j.c + (size_t)cy * j.pitch + 2 * cx) =
		make_uchar2(h264i_rgb_c(&j.m, j.m.cb, sum[0], sum[1], sum[2]),
			h264i_rgb_c(&j.m, j.m.cr, sum[0], sum[1], sum[2]));
}

/* Starts the conversion of a frame to planes y and c on the stream. */
static cudaError_t rgb_launch(const h264i_rgb_matrix &m, const h264i_frame *f, uint32_t width,
	uint32_t height, uint8_t *y, uint8_t *c, uint32_t pitch, cudaStream_t stream)
{
	uint32_t cw = (width + 1) / 2, ch = (height + 1) / 2;
	dim3 grid((cw + RGB_COLUMNS - 1) / RGB_COLUMNS, (ch + RGB_ROWS - 1) / RGB_ROWS);
	dim3 block(RGB_COLUMNS, RGB_ROWS);
	rgb_job j;

	j.m = m;
	for (int k = 0; k < 3; k++) {
		j.plane[k] = f->plane[k];
		j.background[k] = f->background[k];
	}
	j.alpha = f->alpha;
	j.scale = h264i_i_rgb_scale(f);
	j.pixel_stride = f->rgb.pixel_stride;
	j.row_stride = f->rgb.row_stride;
	j.width = width;
	j.height = height;
	j.centre = !m.wx[0] && !m.wy[0] && !m.row_offset;
	j.y = y;
	j.c = c;
	j.pitch = pitch;
	switch (f->rgb.sample) {
	case H264I_U8:
		rgb_kernel<H264I_U8><<<grid, block, 0, stream>>>(j);
		break;
	case H264I_F16:
		rgb_kernel<H264I_F16><<<grid, block, 0, stream>>>(j);
		break;
	case H264I_BF16:
		rgb_kernel<H264I_BF16><<<grid, block, 0, stream>>>(j);
		break;
	case H264I_F32:
		rgb_kernel<H264I_F32><<<grid, block, 0, stream>>>(j);
		break;
	case H264I_U16:
		rgb_kernel<H264I_U16><<<grid, block, 0, stream>>>(j);
		break;
	case H264I_F64:
		rgb_kernel<H264I_F64><<<grid, block, 0, stream>>>(j);
		break;
	}
	return cudaGetLastError();
}

#endif
