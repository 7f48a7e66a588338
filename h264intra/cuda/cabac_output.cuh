/* Memory of CABAC that each group has, and the start of its kernels. */
#ifndef H264INTRA_CUDA_CABAC_OUTPUT_CUH
#define H264INTRA_CUDA_CABAC_OUTPUT_CUH

#include "h264intra/cuda/cabac.cuh"
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
	TRY(cudaMemcpy(s->d_cabac, &host, sizeof(host), cudaMemcpyHostToDevice));
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

static h264i_status start_cabac(h264i_encoder *enc, gpu_group *gg)
{
	entropy_ctx *e = &gg->entropy;
	const uint32_t mbs = e->frames * e->geom.mb_width * e->geom.mb_height;
	const uint32_t slices = e->frames * e->geom.slices;
	const uint32_t mb_blocks = (mbs + BINS_WARPS - 1) / BINS_WARPS;
	cudaStream_t stream = gg->stream;

	gg->h_needed[1] = 0;
	/* A lane for each chunk if the room is full */
	e->cabac.chunk_blocks = e->scratch.room / H264I_CHUNK_OPS / slices / CHUNK_THREADS + 1;
	e->cabac.tile_blocks = min(
		e->scratch.room / CABAC_TILE / slices / TILE_WARPS + 1, TILE_BLOCKS / slices + 1);
	TRY(cudaMemsetAsync(e->cabac.pool_used, 0, 4, stream));
	bins_kernel<<<mb_blocks, 32 * BINS_WARPS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	place_bins_kernel<<<slices, PLACE_THREADS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	base_kernel<<<1, PLACE_THREADS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	order_kernel<<<mb_blocks, 32 * BINS_WARPS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	tile_kernel<<<slices * e->cabac.tile_blocks, 32 * TILE_WARPS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	states_kernel<<<slices, e->syntax & H264I_SYNTAX_8X8 ? CONTEXTS_ALL : CONTEXTS_4X4, 0,
		stream>>>(*e);
	TRY(cudaGetLastError());
	ops_kernel<<<slices * e->cabac.tile_blocks, 32 * OPS_WARPS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	walk_kernel<<<slices * e->cabac.chunk_blocks, CHUNK_THREADS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	resolve_kernel<<<slices, PLACE_THREADS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	code_kernel<<<slices * e->cabac.chunk_blocks, CHUNK_THREADS, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	finish_kernel<<<(mbs * 8 + 255) / 256, 256, 0, stream>>>(*e);
	TRY(cudaGetLastError());
	return H264I_OK;
}

#endif
