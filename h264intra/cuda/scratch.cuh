/* Memory of the entropy kernels that holds nothing between two groups, such as the bins of CABAC: a
 * third to a half of a group's memory if each had its own. The groups of a device share it; their
 * entropy kernels wait for each other by an event, which costs little, because the wavefronts that
 * they follow finish one after another, too (240 frames of 1080p, measured: docs/h264intra.md).
 *
 * The number of bins is not known before they are counted; memory for them is estimated from the
 * QP. A group that needs more gets a quarter more than it needs, and is coded again. */
#ifndef H264INTRA_CUDA_SCRATCH_CUH
#define H264INTRA_CUDA_SCRATCH_CUH

#include "h264intra/core/packet_layout.h"
#include "h264intra/cuda/state.cuh"

static void free_bins(entropy_scratch *m)
{
	cudaFree(m->pool);
	cudaFree(m->bins);
	cudaFree(m->ops);
	cudaFree(m->tile);
	cudaFree(m->place);
	cudaFree(m->string);
	cudaFree(m->steps);
	cudaFree(m->chunk);
	cudaFree(m->group);
	cudaFree(m->group_quarter);
	cudaFree(m->group_at);
	m->pool = m->bins = NULL;
	m->ops = m->steps = m->group_quarter = NULL;
	m->tile = NULL;
	m->place = m->string = m->group_at = NULL;
	m->chunk = m->group = NULL;
	m->capacity = 0;
}

/* Allocates for `capacity` operations in place of what there is, which no kernel uses. */
static h264i_status make_bins(h264i_encoder *enc, gpu_scratch *x, uint64_t capacity)
{
	const uint64_t slices = (uint64_t)x->frames * enc->geom.slices;
	const uint64_t tiles = capacity / CABAC_TILE + slices + 1, few = CABAC_FEW / CABAC_FEW_OPS;
	const uint64_t chunks = capacity <= CABAC_FEW ? capacity / CABAC_FEW_OPS + 1
						      : max(few, capacity / H264I_CHUNK_OPS) + 1;
	const uint64_t groups = chunks / CABAC_GROUP + slices + 1;
	entropy_scratch *m = &x->memory;

	free_bins(m);
	if (capacity > UINT32_MAX)
		return h264i_i_fail(enc, H264I_ERR_NOMEM,
			"a group of frames has %llu bins; lower frames_in_flight",
			(unsigned long long)capacity);
	TRY(cudaMalloc(&m->pool, capacity * sizeof(*m->pool)));
	TRY(cudaMalloc(&m->bins, (capacity + 64) * sizeof(*m->bins))); /* read ahead */
	TRY(cudaMalloc(&m->ops, capacity));
	TRY(cudaMalloc(&m->tile, tiles * sizeof(*m->tile)));
	TRY(cudaMalloc(&m->place, tiles * CABAC_COLUMNS * sizeof(*m->place)));
	TRY(cudaMalloc(&m->string,
		(capacity / 32 + (slices + 1) * CABAC_STRING_WORDS) * sizeof(*m->string)));
	TRY(cudaMalloc(&m->steps, capacity / CABAC_STRING + (slices + 1) * CABAC_MORE_STEPS));
	TRY(cudaMalloc(&m->chunk, chunks * sizeof(*m->chunk)));
	TRY(cudaMalloc(&m->group, groups * sizeof(*m->group)));
	TRY(cudaMalloc(&m->group_quarter, groups));
	TRY(cudaMalloc(&m->group_at, groups * sizeof(*m->group_at)));
	m->capacity = (uint32_t)capacity;
	m->frames = x->frames;
	return H264I_OK;
}

/* Allocates the memory for groups of at most so many frames. */
static h264i_status open_scratch(h264i_encoder *enc, gpu_scratch *x, uint32_t frames)
{
	size_t mbs = (size_t)frames * enc->geom.mb_width * enc->geom.mb_height;

	x->frames = frames;
	TRY(cudaEventCreateWithFlags(&x->idle, cudaEventDisableTiming));
	if (!enc->params.cabac) {
		TRY(cudaMalloc(&x->memory.mb_words, mbs * 4 * MB_WORDS));
		return H264I_OK;
	}
	/* About ten bins for each byte of the packets, and eight of a macroblock without levels. */
	return make_bins(enc, x,
		10 * h264i_packet_estimate(&enc->geom, enc->o.qp, frames) + 8 * mbs +
			2 * H264I_CHUNK_OPS * (uint64_t)frames * enc->geom.slices);
}

static void close_scratch(gpu_scratch *x)
{
	free_bins(&x->memory);
	cudaFree(x->memory.mb_words);
	if (x->idle)
		cudaEventDestroy(x->idle);
}

/* After all work on the group's stream: AGAIN if the group has to be coded again, in memory that is
 * large enough now; OK if not. Groups that were started in the memory before finish first. */
static h264i_status grow_scratch(h264i_encoder *enc, gpu_group *gg)
{
	uint64_t needed = gg->h_needed[0];
	h264i_status st = H264I_OK;

	if (needed <= gg->entropy.scratch.capacity)
		return H264I_OK;
	if (needed > gg->scratch->memory.capacity) {
		TRY(cudaEventSynchronize(gg->scratch->idle));
		st = make_bins(enc, gg->scratch, needed + needed / 4);
	}
	return st == H264I_OK ? H264I_AGAIN : st;
}

#endif
