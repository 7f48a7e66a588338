/* The kernels of entropy coding, and their start. */
#include <config.h>

#include "h264intra/core/packet_layout.h"
#include "h264intra/cuda/cabac.cuh"
#include "h264intra/cuda/cavlc.cuh"
#include "h264intra/cuda/nal.cuh"
#include "h264intra/cuda/qp_delta.cuh"
#include "h264intra/cuda/slices.cuh"

enum {
	FEW_MBS = 32768, /* four frames of 1080p: they leave multiprocessors idle */
	NAL_BLOCKS = 8192,
	OPS_TILES = 4 /* of a block of ops_kernel, with many frames */
};

/* A kernel waits for those before it only where after_kernels() was compiled for compute capability
 * 9.0 or later. On such a device the driver also compiles PTX for an earlier one, whose kernels do
 * not wait. */
h264i_status h264i_i_slices_open(h264i_encoder *enc, gpu_state *s)
{
	cudaFuncAttributes attributes;

	TRY(cudaFuncGetAttributes(&attributes, bins_kernel));
	s->overlaps = attributes.ptxVersion >= 90;
	return H264I_OK;
}

/* Starts a kernel on the group's stream. overlap: it may start before the last kernel ends, as it
 * waits for that itself (after_kernels()). */
static h264i_status start(h264i_encoder *enc, const gpu_group *gg, void (*kernel)(entropy_ctx),
	uint32_t blocks, uint32_t threads, int overlap)
{
	entropy_ctx e = gg->entropy;
	void *args[] = { &e };
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t config = {};

	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim.x = blocks;
	config.gridDim.y = config.gridDim.z = 1;
	config.blockDim.x = threads;
	config.blockDim.y = config.blockDim.z = 1;
	config.stream = gg->stream;
	config.attrs = &attribute;
	config.numAttrs = overlap && gg->device->overlaps ? 1 : 0;
	TRY(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), args));
	return H264I_OK;
}

/* A kernel of a list. */
typedef struct stage {
	void (*kernel)(entropy_ctx);
	uint32_t blocks, threads;
} stage;

/* Starts n kernels, one behind another. */
static h264i_status start_stages(h264i_encoder *enc, const gpu_group *gg, const stage *s, int n)
{
	h264i_status st = H264I_OK;

	for (int i = 0; i < n && st == H264I_OK; i++)
		st = start(enc, gg, s[i].kernel, s[i].blocks, s[i].threads, i > 0);
	return st;
}

static uint32_t slices_of(const entropy_ctx *e)
{
	return e->frames * e->geom.slices;
}

static uint32_t mbs_of(const entropy_ctx *e)
{
	return e->frames * e->geom.mb_width * e->geom.mb_height;
}

/* Blocks for a slice, if a block is for `part` of an estimated `all` of all slices. */
static uint32_t blocks_of(const entropy_ctx *e, uint64_t all, uint32_t part)
{
	return (uint32_t)(all / slices_of(e) / part + 1);
}

static h264i_status start_cavlc(h264i_encoder *enc, const gpu_group *gg)
{
	const entropy_ctx *e = &gg->entropy;
	const uint32_t mbs = mbs_of(e);
	const stage stages[] = {
		{ cavlc_kernel, (mbs + CAVLC_WARPS - 1) / CAVLC_WARPS, 32 * CAVLC_WARPS },
		{ place_kernel, slices_of(e), PLACE_THREADS },
		{ join_kernel, (mbs * 8 + 255) / 256, 256 },
	};

	return start_stages(enc, gg, stages, sizeof(stages) / sizeof(stages[0]));
}

/* Sets how many blocks the kernels have for a slice. */
static void set_blocks(entropy_ctx *e)
{
	cabac_ctx *c = &e->cabac;
	/* About twice the operations */
	const uint64_t ops = (uint64_t)e->scratch.capacity * e->frames / e->scratch.frames;
	const int few = ops <= 2 * CABAC_FEW;
	const uint32_t chunk = few ? (uint32_t)CABAC_FEW_OPS : (uint32_t)H264I_CHUNK_OPS;

	/* Of few frames a block of walk_kernel has a group of chunks, see walk_quarters(). */
	c->walk_blocks =
		blocks_of(e, ops, (few ? (uint32_t)CABAC_GROUP : (uint32_t)CHUNK_THREADS) * chunk);
	c->code_blocks = blocks_of(e, ops, CHUNK_THREADS * chunk);
	c->tile_blocks = min(blocks_of(e, ops, CABAC_TILE), TILE_BLOCKS / slices_of(e) + 1);
	/* Each block of ops_kernel loads a table. */
	c->ops_blocks = e->few ? c->tile_blocks : c->tile_blocks / OPS_TILES + 1;
}

static h264i_status start_cabac(h264i_encoder *enc, gpu_group *gg)
{
	entropy_ctx *e = &gg->entropy;
	const cabac_ctx *c = &e->cabac;
	const uint32_t mbs = mbs_of(e), slices = slices_of(e);
	const uint32_t mb_blocks = (mbs + BINS_WARPS - 1) / BINS_WARPS;
	const uint32_t strips =
		(e->syntax & H264I_SYNTAX_8X8 ? CABAC_COLUMNS : CABAC_COLUMNS_4X4) / 32;

	gg->h_needed[1] = 0;
	set_blocks(e);
	const stage stages[] = {
		{ bins_kernel, mb_blocks, 32 * BINS_WARPS },
		{ place_bins_kernel, slices, PLACE_THREADS },
		{ order_kernel, mb_blocks, 32 * BINS_WARPS },
		{ tile_kernel, slices * c->tile_blocks, TILE_THREADS },
		{ states_kernel, slices * strips, STRING_LANES },
		{ ops_kernel, slices * c->ops_blocks, OPS_THREADS },
		{ walk_kernel, slices * c->walk_blocks, CHUNK_THREADS },
		{ resolve_kernel, slices, PLACE_THREADS },
		{ code_kernel, slices * c->code_blocks, CHUNK_THREADS },
		{ finish_kernel, (mbs * 8 + 255) / 256, 256 },
	};
	return start_stages(enc, gg, stages, sizeof(stages) / sizeof(stages[0]));
}

/* Kernels that follow on the group's stream may use the memory, until leave_scratch(). */
static h264i_status enter_scratch(h264i_encoder *enc, gpu_group *gg)
{
	TRY(cudaStreamWaitEvent(gg->stream, gg->scratch->idle, 0));
	gg->entropy.scratch = gg->scratch->memory;
	return H264I_OK;
}

static h264i_status leave_scratch(h264i_encoder *enc, gpu_group *gg)
{
	TRY(cudaEventRecord(gg->scratch->idle, gg->stream));
	return H264I_OK;
}

static h264i_status start_emit(h264i_encoder *enc, gpu_group *gg, int behind)
{
	entropy_ctx *e = &gg->entropy;

	e->out = gg->h_out;
	e->out_bytes = gg->out_bytes;
	return start(enc, gg, emit_kernel, slices_of(e) * e->nal_blocks, NAL_THREADS, behind);
}

h264i_status h264i_i_slices_emit(h264i_encoder *enc, gpu_group *gg)
{
	return start_emit(enc, gg, 0);
}

static h264i_status start_nal(h264i_encoder *enc, gpu_group *gg, int behind)
{
	const entropy_ctx *e = &gg->entropy;
	h264i_status st =
		start(enc, gg, escape_kernel, slices_of(e) * e->nal_blocks, NAL_THREADS, behind);

	return st == H264I_OK ? start_emit(enc, gg, 1) : st;
}

h264i_status h264i_i_slices_start(h264i_encoder *enc, gpu_group *gg, int first)
{
	entropy_ctx *e = &gg->entropy;
	h264i_status st = H264I_OK;

	e->few = mbs_of(e) <= FEW_MBS;
	e->nal_blocks =
		min(blocks_of(e, h264i_packet_estimate(&enc->geom, enc->o.qp, e->frames), NAL_PART),
			NAL_BLOCKS / slices_of(e) + 1);
	if (first && enc->qp_varies)
		st = start(enc, gg, qp_delta_kernel, slices_of(e), PLACE_THREADS, 0);
	if (st == H264I_OK)
		st = enter_scratch(enc, gg);
	if (st == H264I_OK)
		st = enc->params.cabac ? start_cabac(enc, gg) : start_cavlc(enc, gg);
	/* Many frames release the memory early; an event between kernels delays the next one. */
	if (st == H264I_OK && !e->few)
		st = leave_scratch(enc, gg);
	if (st == H264I_OK)
		st = start_nal(enc, gg, e->few);
	if (st == H264I_OK && e->few)
		st = leave_scratch(enc, gg);
	return st;
}
