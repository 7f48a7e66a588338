/* Upload of frames: page-locked and device memory directly, in one copy if the planes are adjacent;
 * plain memory through a page-locked copy. RGB, packed 4:2:2 and P010 become NV12: in device memory
 * by a kernel, in host memory as they are copied. The page-locked copies are allocated with the
 * first frame that needs one, because other callers need none. All other memory is allocated at
 * open; that of the output and of the bins grows with frames that need more (output.cuh,
 * scratch.cuh). */
#ifndef H264INTRA_CUDA_UPLOAD_CUH
#define H264INTRA_CUDA_UPLOAD_CUH

#include "h264intra/cuda/rgb.cuh"
#include "h264intra/cuda/state.cuh"
#include "h264intra/cuda/yuv.cuh"

#include <string.h>

/* Sets QP and source planes of slot i, `at` bytes from `base` on the device; gray: without chroma.
 * A change sets gg->pic_changed. */
static void set_layout(gpu_group *gg, uint32_t i, uint32_t qp, h264i_format format, int gray,
	uint8_t *base, const size_t at[3], const size_t pitch[3])
{
	h264i_picture *p = &gg->h_pic[i], old = *p;
	int step = format == H264I_I420 || gray ? 1 : 2, ok = 1;

	p->qp = qp;
	p->chroma_step = (uint32_t)step;
	for (int k = 0; k < 3; k++) {
		p->src[k] = step == 2 && k == 2 ? base + at[1] + 1 : base + at[k];
		p->src_pitch[k] = (uint32_t)(step == 2 && k == 2 ? pitch[1] : pitch[k]);
		if (k && gray) {
			p->src[k] = gg->device->d_neutral;
			p->src_pitch[k] = 0;
		}
		if (k < 2 || step == 1)
			ok &= ((uintptr_t)p->src[k] | p->src_pitch[k]) %
				      (k == 0 || step == 2 ? 8 : 4) ==
			      0;
	}
	p->aligned = (uint32_t)ok;
	if (memcmp(&old, p, sizeof(old)) != 0)
		gg->pic_changed = 1;
}

/* Size in bytes of a frame whose planes are adjacent, else 0. The planes may still be in separate
 * allocations. */
static size_t contiguous_bytes(const h264i_encoder *enc, const h264i_frame *f)
{
	const h264i_geom *g = &enc->geom;
	uint32_t last = h264i_i_planes(f->format) - 1;
	size_t bytes = 0;

	for (uint32_t k = 0; k < last; k++) {
		bytes += f->pitch_bytes[k] * h264i_i_plane_rows(g, k);
		if (f->plane[k + 1] != f->plane[0] + bytes)
			return 0;
	}
	return bytes + f->pitch_bytes[last] * (h264i_i_plane_rows(g, last) - 1) +
	       h264i_i_row_bytes(g, f->format, last);
}

/* Offsets and pitches of the planes in the memory of a frame on the device. */
static void device_layout(const h264i_encoder *enc, const gpu_state *s, h264i_format format,
	size_t at[3], size_t pitch[3])
{
	size_t half = s->src_pitch / 2;

	at[0] = 0;
	at[1] = (size_t)s->src_pitch * enc->o.height;
	at[2] = at[1] + half * h264i_i_plane_rows(&enc->geom, 1);
	pitch[0] = s->src_pitch;
	pitch[1] = format == H264I_I420 ? half : s->src_pitch;
	pitch[2] = half;
}

/* Refuses a frame whose stream or event belongs to a capture: waiting for it would make the
 * group's stream a part of the caller's graph. A query of such an event would invalidate the
 * capture; a stream that executes nothing may wait for it, is then a part of the capture, and
 * leaves it when it is destroyed. */
static h264i_status check_capture(h264i_encoder *enc, gpu_state *s, const h264i_frame *f)
{
	const char *what = f->ready_event ? "ready_event" : "stream";
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
	cudaStream_t stream = static_cast<cudaStream_t>(f->stream);
	cudaError_t e = cudaSuccess;

	if (f->ready_event) {
		if (!s->probe)
			TRY(cudaStreamCreateWithFlags(&s->probe, cudaStreamNonBlocking));
		stream = s->probe;
		e = cudaStreamWaitEvent(stream, static_cast<cudaEvent_t>(f->ready_event), 0);
	}
	if (e == cudaSuccess)
		e = cudaStreamIsCapturing(stream, &capture);
	if (e == cudaSuccess && capture == cudaStreamCaptureStatusNone)
		return H264I_OK;
	(void)cudaGetLastError(); /* the next frame's calls must not find it */
	if (f->ready_event) {
		(void)cudaStreamDestroy(s->probe);
		s->probe = NULL;
	}
	if (e == cudaSuccess || e == cudaErrorStreamCaptureImplicit)
		return h264i_i_fail(enc, H264I_ERR_ARG,
			"the frame's %s belongs to a CUDA graph that is being captured: send the "
			"frame after the capture, or with a stream that is not captured",
			what);
	if (e != cudaErrorInvalidValue && e != cudaErrorInvalidResourceHandle)
		return cuda_fail(enc, "the frame's stream or event", e);
	return h264i_i_fail(enc, H264I_ERR_ARG,
		"the frame's %s cannot be waited for: %s (an event of a capture that has ended "
		"must be recorded again)",
		what, cudaGetErrorString(e));
}

/* Makes the group's stream wait for the caller's work on a frame in device memory. */
static h264i_status wait_for_caller(
	h264i_encoder *enc, gpu_state *s, const gpu_group *gg, const h264i_frame *f)
{
	h264i_status st;

	if (f->memory != H264I_MEM_CUDA || !(f->ready_event || f->use_stream))
		return H264I_OK;
	st = check_capture(enc, s, f);
	if (st != H264I_OK)
		return st;
	if (f->ready_event) {
		TRY(cudaStreamWaitEvent(gg->stream, static_cast<cudaEvent_t>(f->ready_event), 0));
	} else {
		TRY(cudaEventRecord(s->caller, static_cast<cudaStream_t>(f->stream)));
		TRY(cudaStreamWaitEvent(gg->stream, s->caller, 0));
	}
	return H264I_OK;
}

/* Starts one copy of all planes, with the caller's pitches, if they are adjacent. Returns 0 if the
 * frame has to be copied plane by plane: CUDA refuses a copy across separate allocations. */
static int copy_at_once(const h264i_encoder *enc, const gpu_state *s, const gpu_group *gg,
	const h264i_frame *f, uint8_t *d, size_t at[3], size_t pitch[3])
{
	size_t bytes;

	if (f->memory == H264I_MEM_HOST || h264i_i_is_converted(f->format))
		return 0;
	bytes = contiguous_bytes(enc, f);
	if (bytes == 0 || bytes > s->src_bytes)
		return 0;
	for (int k = 0; k < 3; k++) {
		int none = k >= (int)h264i_i_planes(f->format);

		at[k] = none ? 0 : (size_t)(f->plane[k] - f->plane[0]);
		pitch[k] = f->pitch_bytes[k];
	}
	if (cudaMemcpyAsync(d, f->plane[0], bytes, cudaMemcpyDefault, gg->stream) == cudaSuccess)
		return 1;
	cudaGetLastError(); /* clears it; an error of another cause returns in the next copy */
	return 0;
}

/* Starts the copies of the planes; plain memory is first copied to `stage`, else NULL. */
static h264i_status copy_planes(h264i_encoder *enc, const gpu_state *s, const gpu_group *gg,
	const h264i_frame *f, uint8_t *d, uint8_t *stage, const size_t at[3], const size_t pitch[3])
{
	uint32_t planes = h264i_i_planes(f->format);

	for (uint32_t k = 0; k < planes; k++) {
		size_t row = h264i_i_row_bytes(&enc->geom, f->format, k);
		size_t rows = h264i_i_plane_rows(&enc->geom, k);

		for (size_t y = 0; stage && y < rows; y++)
			memcpy(stage + at[k] + y * pitch[k], f->plane[k] + y * f->pitch_bytes[k],
				row);
		if (!stage)
			TRY(cudaMemcpy2DAsync(d + at[k], pitch[k], f->plane[k], f->pitch_bytes[k],
				row, rows, cudaMemcpyDefault, gg->stream));
	}
	if (stage)
		TRY(cudaMemcpyAsync(d, stage, s->src_bytes, cudaMemcpyHostToDevice, gg->stream));
	return H264I_OK;
}

/* Starts the conversion of a frame, or its upload after the conversion in `stage`. */
static h264i_status convert_frame(h264i_encoder *enc, const gpu_state *s, const gpu_group *gg,
	const h264i_frame *f, uint8_t *d, uint8_t *stage, const size_t at[3], const size_t pitch[3])
{
	const h264i_geom *g = &enc->geom;

	h264i_status st;

	if (!stage && f->format == H264I_RGB) {
		TRY(rgb_launch(
			enc->rgb, f, g->width, g->height, d, d + at[1], s->src_pitch, gg->stream));
		return H264I_OK;
	}
	if (!stage) {
		TRY(yuv_launch(h264i_i_yuv_of(f->format, enc->o.vui.chroma_loc), f, g->width,
			g->height, d, d + at[1], s->src_pitch, gg->stream));
		return H264I_OK;
	}
	st = h264i_i_to_nv12(enc, f, stage, pitch[0], stage + at[1], pitch[1]);
	if (st != H264I_OK)
		return st;
	TRY(cudaMemcpyAsync(d, stage, s->src_bytes, cudaMemcpyHostToDevice, gg->stream));
	return H264I_OK;
}

/* Starts the upload of slot i. */
static h264i_status start_upload(h264i_encoder *enc, gpu_state *s, gpu_group *gg, h264i_slot *slot,
	uint32_t i, uint32_t capacity)
{
	const h264i_frame *f = &slot->frame;
	uint8_t *d = gg->d_src + i * s->src_bytes, *stage = NULL;
	size_t at[3], pitch[3];
	h264i_status st = wait_for_caller(enc, s, gg, f);

	if (st != H264I_OK)
		return st;
	if (i == 0 && enc->o.stats)
		TRY(cudaEventRecord(gg->stage[0], gg->stream));
	if (!copy_at_once(enc, s, gg, f, d, at, pitch)) {
		device_layout(enc, s, f->format, at, pitch);
		if (h264i_i_is_copied(f)) {
			if (!gg->h_staging)
				TRY(cudaHostAlloc(&gg->h_staging, capacity * s->src_bytes,
					cudaHostAllocDefault));
			stage = gg->h_staging + i * s->src_bytes;
		}
		st = h264i_i_is_converted(f->format)
			     ? convert_frame(enc, s, gg, f, d, stage, at, pitch)
			     : copy_planes(enc, s, gg, f, d, stage, at, pitch);
		if (st != H264I_OK)
			return st;
	}
	set_layout(gg, i, (uint32_t)slot->qp, f->format,
		enc->params.gray || f->format == H264I_GRAY, d, at, pitch);
	TRY(cudaEventRecord(gg->uploaded[i], gg->stream));
	if (f->memory == H264I_MEM_CUDA && f->free_event)
		TRY(cudaEventRecord(static_cast<cudaEvent_t>(f->free_event), gg->stream));
	return H264I_OK;
}

/* Copies the descriptions of the pictures if they have changed. */
static h264i_status copy_pictures(h264i_encoder *enc, h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);

	if (!gg->pic_changed)
		return H264I_OK;
	TRY(cudaMemcpyAsync(gg->d_pic, gg->h_pic, g->capacity * sizeof(h264i_picture),
		cudaMemcpyHostToDevice, gg->stream));
	gg->pic_changed = 0;
	return H264I_OK;
}

#endif
