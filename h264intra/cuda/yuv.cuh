/* Conversion of packed 4:2:2 and 10-bit 4:2:0 frames in device memory to NV12, with the functions
 * of rgb/yuv.h: the same bytes as rgb/yuv.c. */
#ifndef H264INTRA_CUDA_YUV_CUH
#define H264INTRA_CUDA_YUV_CUH

#include "h264intra/rgb/yuv.h"

#include <cuda_runtime.h>

enum { YUV_COLUMNS = 32, YUV_ROWS = 8 };

typedef struct yuv_job {
	h264i_yuv v;
	const uint8_t *plane[2];
	size_t pitch[2];
	uint32_t width, height;
	uint8_t *y, *c;
	uint32_t out_pitch; /* of y and c; even */
} yuv_job;

__device__ __forceinline__ uint8_t yuv_ten(const uint8_t *row, uint32_t i)
{
	return h264i_yuv_of_ten(reinterpret_cast<const uint16_t *>(row)[i]);
}

/* The Y of columns 2 * cx and 2 * cx + 1, the latter of the last column if the frame has none. */
__device__ __forceinline__ uchar2 yuv_luma(const yuv_job &j, uint32_t cx, uint32_t y)
{
	const uint8_t *row = j.plane[0] + y * j.pitch[0];
	const uint32_t right = min(2 * cx + 1, j.width - 1);

	if (j.v.ten)
		return make_uchar2(yuv_ten(row, 2 * cx), yuv_ten(row, right));
	return make_uchar2(row[4 * (size_t)cx + j.v.y_at], row[2 * (size_t)right + j.v.y_at]);
}

__device__ __forceinline__ uchar2 yuv_chroma(const yuv_job &j, uint32_t cx, uint32_t cy)
{
	const uint8_t *at[3];

	if (j.v.ten) {
		at[0] = j.plane[1] + cy * j.pitch[1];
		return make_uchar2(yuv_ten(at[0], 2 * cx), yuv_ten(at[0], 2 * cx + 1));
	}
	for (uint32_t k = 0; k < 3; k++)
		at[k] = j.plane[0] + h264i_yuv_row(&j.v, cy, k, j.height) * j.pitch[0] +
			4 * (size_t)cx;
	return make_uchar2(
		h264i_yuv_mean(&j.v, at[0][j.v.cb_at], at[1][j.v.cb_at], at[2][j.v.cb_at]),
		h264i_yuv_mean(&j.v, at[0][j.v.cr_at], at[1][j.v.cr_at], at[2][j.v.cr_at]));
}

/* A thread converts 2 x 2 pixels. */
static __global__ void __launch_bounds__(YUV_COLUMNS *YUV_ROWS) yuv_kernel(yuv_job j)
{
	const uint32_t cx = blockIdx.x * YUV_COLUMNS + threadIdx.x;
	const uint32_t cy = blockIdx.y * YUV_ROWS + threadIdx.y;

	if (cx >= (j.width + 1) / 2 || cy >= (j.height + 1) / 2)
		return;
	for (uint32_t y = 2 * cy; y < min(2 * cy + 2, j.height); y++)
		*reinterpret_cast<uchar2 *>(j.y + (size_t)y * j.out_pitch + 2 * cx) =
			yuv_luma(j, cx, y);
	*reinterpret_cast<uchar2 *>(j.c + (size_t)cy * j.out_pitch + 2 * cx) =
		yuv_chroma(j, cx, cy);
}

/* Starts the conversion of a frame to planes y and c on the stream. */
static cudaError_t yuv_launch(const h264i_yuv &v, const h264i_frame *f, uint32_t width,
	uint32_t height, uint8_t *y, uint8_t *c, uint32_t pitch, cudaStream_t stream)
{
	uint32_t cw = (width + 1) / 2, ch = (height + 1) / 2;
	dim3 grid((cw + YUV_COLUMNS - 1) / YUV_COLUMNS, (ch + YUV_ROWS - 1) / YUV_ROWS);
	dim3 block(YUV_COLUMNS, YUV_ROWS);
	yuv_job j;

	j.v = v;
	for (int k = 0; k < 2; k++) {
		j.plane[k] = f->plane[k];
		j.pitch[k] = f->pitch_bytes[k];
	}
	j.width = width;
	j.height = height;
	j.y = y;
	j.c = c;
	j.out_pitch = pitch;
	yuv_kernel<<<grid, block, 0, stream>>>(j);
	return cudaGetLastError();
}

#endif
