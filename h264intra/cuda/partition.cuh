/* options.sm_limit: a set of multiprocessors for the encoder's streams (a green context of the CUDA
 * driver), and options.stream_priority. The driver's functions are looked up at run time. */
#ifndef H264INTRA_CUDA_PARTITION_CUH
#define H264INTRA_CUDA_PARTITION_CUH

#include "h264intra/cuda/slices.cuh"
#include "h264intra/cuda/state.cuh"

#include <stdio.h>

/* The driver's functions; version 12.5 has all of them. */
typedef struct green_functions {
	CUresult (*device_get)(CUdevice *, int);
	CUresult (*retain)(CUcontext *, CUdevice);
	CUresult (*release)(CUdevice);
	CUresult (*get_resource)(CUdevice, CUdevResource *, CUdevResourceType);
	CUresult (*split)(CUdevResource *, unsigned *, const CUdevResource *, CUdevResource *,
		unsigned, unsigned);
	CUresult (*describe)(CUdevResourceDesc *, CUdevResource *, unsigned);
	CUresult (*create)(CUgreenCtx *, CUdevResourceDesc, CUdevice, unsigned);
	CUresult (*destroy)(CUgreenCtx);
	CUresult (*make_stream)(CUstream *, CUgreenCtx, unsigned, int);
} green_functions;

template <typename function> static int find_function(const char *name, function *f)
{
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	void *p = NULL;
	cudaError_t e =
		cudaGetDriverEntryPointByVersion(name, &p, 12050, cudaEnableDefault, &found);

	*f = reinterpret_cast<function>(p);
	return e == cudaSuccess && found == cudaDriverEntryPointSuccess && p ? 0 : -1;
}

static int find_green_functions(green_functions *f)
{
	int missing = find_function("cuDeviceGet", &f->device_get) ||
		      find_function("cuDevicePrimaryCtxRetain", &f->retain) ||
		      find_function("cuDevicePrimaryCtxRelease", &f->release) ||
		      find_function("cuDeviceGetDevResource", &f->get_resource) ||
		      find_function("cuDevSmResourceSplitByCount", &f->split) ||
		      find_function("cuDevResourceGenerateDesc", &f->describe) ||
		      find_function("cuGreenCtxCreate", &f->create) ||
		      find_function("cuGreenCtxDestroy", &f->destroy) ||
		      find_function("cuGreenCtxStreamCreate", &f->make_stream);

	(void)cudaGetLastError();
	return missing ? -1 : 0;
}

/* 1 if the encoder works in the primary context, to which green contexts belong. */
static int is_primary(const green_functions *f, const gpu_state *s, CUdevice device)
{
	CUcontext primary;
	int same;

	if (f->retain(&primary, device) != CUDA_SUCCESS)
		return 0;
	same = primary == s->context.context;
	f->release(device);
	return same;
}

/* Reserves `limit` multiprocessors or a few more. Returns NULL, or why that failed. */
static const char *reserve(gpu_state *s, uint32_t limit)
{
	green_functions f;
	CUdevResource all, part, rest;
	CUdevResourceDesc description;
	unsigned groups = 1;
	CUdevice device;

	if (find_green_functions(&f) != 0)
		return "the driver is older than CUDA 12.5";
	if (f.device_get(&device, s->device) != CUDA_SUCCESS || !is_primary(&f, s, device))
		return "the CUDA context is not the device's primary one";
	if (f.get_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
		f.split(&part, &groups, &all, &rest, 0, limit) != CUDA_SUCCESS || groups != 1 ||
		f.describe(&description, &part, 1) != CUDA_SUCCESS ||
		f.create(&s->green, description, device, CU_GREEN_CTX_DEFAULT_STREAM) !=
			CUDA_SUCCESS)
		return "the driver does not divide this device";
	s->green_destroy = f.destroy;
	s->green_stream = f.make_stream;
	s->sms = part.sm.smCount;
	return NULL;
}

/* Sets s->sms, s->overlaps, and s->green if options.sm_limit asks for fewer than all
 * multiprocessors. */
static h264i_status open_partition(h264i_encoder *enc, gpu_state *s)
{
	uint32_t limit = enc->o.sm_limit;
	int sms = 0, least = 0, greatest = 0;
	const char *problem;
	char text[200];
	h264i_status st = h264i_i_slices_open(enc, s);

	if (st != H264I_OK)
		return st;
	TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, s->device));
	TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	s->priority = enc->o.stream_priority;
	s->priority = s->priority > least ? least : s->priority < greatest ? greatest : s->priority;
	s->sms = (uint32_t)sms;
	if (!limit || limit >= s->sms)
		return H264I_OK;
	problem = reserve(s, limit);
	if (!problem)
		return H264I_OK;
	s->sms = limit;
	snprintf(text, sizeof(text), "sm_limit %u only limits the number of workers: %s", limit,
		problem);
	if (enc->o.log)
		enc->o.log(enc->o.log_opaque, H264I_LOG_WARN, text);
	return H264I_OK;
}

static void close_partition(gpu_state *s)
{
	if (s->green)
		(void)s->green_destroy(s->green);
	s->green = NULL;
}

/* Creates a stream on the multiprocessors of the encoder. */
static cudaError_t partition_stream(const gpu_state *s, cudaStream_t *stream)
{
	CUstream made;

	if (!s->green)
		return cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, s->priority);
	if (s->green_stream(&made, s->green, CU_STREAM_NON_BLOCKING, s->priority) != CUDA_SUCCESS)
		return cudaErrorUnknown;
	*stream = made;
	return cudaSuccess;
}

#endif
