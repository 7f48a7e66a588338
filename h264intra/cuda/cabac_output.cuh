/* Memory of CABAC that each group has. */
#ifndef H264INTRA_CUDA_CABAC_OUTPUT_CUH
#define H264INTRA_CUDA_CABAC_OUTPUT_CUH

#include "h264intra/cuda/state.cuh"

/* Tables, and behind them the states at the start of a slice of each QP. */
static h264i_status open_cabac_tables(h264i_encoder *enc, gpu_state *s)
{
	struct {
		cabac_tables tables;
		uint8_t states[H264I_QPS][H264I_CTX_STATES];
	} host;

	cabac_tables_init(&host.tables);
	for (int qp = 0; qp < H264I_QPS; qp++)
		h264i_i_cabac_states(host.states[qp], qp);
	TRY(cudaMalloc(&s->d_cabac, sizeof(host)));
	TRY(copy_now(s->d_cabac, &host, sizeof(host)));
	return H264I_OK;
}

/* Allocates the memory of a group of n frames. */
static h264i_status open_cabac(h264i_encoder *enc, gpu_group *gg, uint32_t n)
{
	size_t mbs = (size_t)enc->geom.mb_width * enc->geom.mb_height;
	size_t slices = (size_t)n * enc->geom.slices;
	cabac_ctx *c = &gg->entropy.cabac;

	c->tables = gg->device->d_cabac;
	c->states = reinterpret_cast<const uint8_t *>(gg->device->d_cabac + 1);
	TRY(cudaMalloc(&c->mb_pool, n * mbs * sizeof(*c->mb_pool)));
	TRY(cudaMalloc(&gg->d_slices, (3 * slices + 2) * 4));
	c->slice_ops = gg->d_slices;
	c->slice_bits = c->slice_ops + slices;
	c->slice_at = c->slice_bits + slices + 1;
	c->pool_used = c->slice_at + slices;
	TRY(cudaMemsetAsync(c->pool_used, 0, sizeof(*c->pool_used), gg->stream));
	TRY(cudaHostAlloc(&gg->h_needed, 2 * sizeof(*gg->h_needed), cudaHostAllocDefault));
	c->needed = gg->h_needed;
	return H264I_OK;
}

static void close_cabac(gpu_group *gg)
{
	cudaFree(gg->entropy.cabac.mb_pool);
	cudaFree(gg->d_slices);
	cudaFreeHost(gg->h_needed);
}

#endif
