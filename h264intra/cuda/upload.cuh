/* Frames onto the device: from page-locked memory in one copy where their planes lie one behind the
 * other, from plain memory by way of a page-locked copy, from the device's own memory on the device. */
#ifndef H264INTRA_CUDA_UPLOAD_CUH
#define H264INTRA_CUDA_UPLOAD_CUH

#include "h264intra/cuda/state.cuh"

#include <string.h>

/* Where the planes of slot i lie on the device; tells when that changed. */
static void set_layout(gpu_group *gg, uint32_t i, h264i_format format, uint8_t *base,
	const size_t at[3], const size_t pitch[3])
{
	h264i_picture *p = &gg->h_pic[i], old = *p;
	int step = format == H264I_NV12 ? 2 : 1, ok = 1;

	p->chroma_step = (uint32_t)step;
	for (int k = 0; k < 3; k++) {
		p->src[k] = step == 2 && k == 2 ? base + at[1] + 1 : base + at[k];
		p->src_pitch[k] = (uint32_t)(step == 2 && k == 2 ? pitch[1] : pitch[k]);
		if (k < 2 || step == 1)
			ok &= ((uintptr_t)p->src[k] | p->src_pitch[k]) %
				      (k == 0 || step == 2 ? 8 : 4) ==
			      0;
	}
	p->aligned = (uint32_t)ok;
	if (memcmp(&old, p, sizeof(old)) != 0)
		gg->pic_changed = 1;
}

/* Bytes from the first to past the last of a frame whose planes lie one behind the other, or 0. */
static size_t contiguous_bytes(const h264i_encoder *enc, const h264i_frame *f)
{
	size_t h = enc->o.height, w = enc->o.width;

	if (f->plane[1] != f->plane[0] + f->pitch_bytes[0] * h)
		return 0;
	if (f->format == H264I_NV12)
		return f->pitch_bytes[0] * h + f->pitch_bytes[1] * (h / 2 - 1) + w;
	if (f->plane[2] != f->plane[1] + f->pitch_bytes[1] * (h / 2))
		return 0;
	return f->pitch_bytes[0] * h + f->pitch_bytes[1] * (h / 2) +
	       f->pitch_bytes[2] * (h / 2 - 1) + w / 2;
}

/* Copies rows of the planes into dense rows of the device's layout (or of a staging buffer). */
static void device_layout(const h264i_encoder *enc, const gpu_state *s, h264i_format format,
	size_t at[3], size_t pitch[3])
{
	size_t half = s->src_pitch / 2;

	at[0] = 0;
	at[1] = (size_t)s->src_pitch * enc->o.height;
	at[2] = at[1] + half * (enc->o.height / 2);
	pitch[0] = s->src_pitch;
	pitch[1] = format == H264I_NV12 ? s->src_pitch : half;
	pitch[2] = half;
}

static h264i_status start_upload(h264i_encoder *enc, gpu_state *s, gpu_group *gg, h264i_slot *slot,
	uint32_t i, uint32_t capacity)
{
	const h264i_frame *f = &slot->frame;
	uint8_t *d = gg->d_src + i * s->src_bytes;
	uint32_t planes = f->format == H264I_NV12 ? 2 : 3;
	size_t at[3], pitch[3], all = contiguous_bytes(enc, f);

	if (f->memory == H264I_MEM_CUDA) {
		if (f->ready_event) {
			TRY(cudaStreamWaitEvent(
				gg->stream, static_cast<cudaEvent_t>(f->ready_event), 0));
		} else if (f->use_stream) {
			TRY(cudaEventRecord(s->caller, static_cast<cudaStream_t>(f->stream)));
			TRY(cudaStreamWaitEvent(gg->stream, s->caller, 0));
		}
	}
	if (i == 0 && enc->o.stats)
		TRY(cudaEventRecord(gg->stage[0], gg->stream));
	if (f->memory != H264I_MEM_HOST && all && all <= s->src_bytes) {
		/* One copy of everything, with the caller's pitches. */
		for (uint32_t k = 0; k < 3; k++) {
			at[k] = k < planes ? (size_t)(f->plane[k] - f->plane[0]) : 0;
			pitch[k] = f->pitch_bytes[k];
		}
		TRY(cudaMemcpyAsync(d, f->plane[0], all, cudaMemcpyDefault, gg->stream));
	} else {
		uint8_t *stage = NULL;

		device_layout(enc, s, f->format, at, pitch);
		if (f->memory == H264I_MEM_HOST) {
			if (!gg->h_staging)
				TRY(cudaHostAlloc(&gg->h_staging, capacity * s->src_bytes,
					cudaHostAllocDefault));
			stage = gg->h_staging + i * s->src_bytes;
		}
		for (uint32_t k = 0; k < planes; k++) {
			size_t row = k && planes == 3 ? enc->o.width / 2 : enc->o.width;
			size_t rows = k ? enc->o.height / 2 : enc->o.height;

			for (size_t y = 0; stage && y < rows; y++)
				memcpy(stage + at[k] + y * pitch[k],
					f->plane[k] + y * f->pitch_bytes[k], row);
			if (!stage)
				TRY(cudaMemcpy2DAsync(d + at[k], pitch[k], f->plane[k],
					f->pitch_bytes[k], row, rows, cudaMemcpyDefault,
					gg->stream));
		}
		if (stage)
			TRY(cudaMemcpyAsync(
				d, stage, s->src_bytes, cudaMemcpyHostToDevice, gg->stream));
	}
	set_layout(gg, i, f->format, d, at, pitch);
	TRY(cudaEventRecord(gg->uploaded[i], gg->stream));
	if (f->memory == H264I_MEM_CUDA && f->free_event)
		TRY(cudaEventRecord(static_cast<cudaEvent_t>(f->free_event), gg->stream));
	return H264I_OK;
}

#endif
