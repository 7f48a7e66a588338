/* The current CUDA device of the calling thread, and errors of joins. */
#include <cuda_runtime.h>
#include "nqueens/cuda/run_cuda.h"

extern "C" int nq_i_cuda_current(void)
{
	int device = -1;

	if (cudaGetDevice(&device) != cudaSuccess) {
		(void)cudaGetLastError();
		return -1;
	}
	return device;
}

extern "C" const char *nq_i_cuda_use(int device)
{
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	cudaError_t e = cudaSetDevice(device);

	if (e == cudaSuccess)
		e = cudaThreadExchangeStreamCaptureMode(&mode);
	if (e == cudaSuccess)
		e = cudaFree(NULL);
	if (e == cudaSuccess)
		return NULL;
	(void)cudaGetLastError();
	return cudaGetErrorString(e);
}

extern "C" nq_status nq_i_cuda_join_error(nq_i_cuda *d, int error, const char *what)
{
	const cudaError_t e = (cudaError_t)error;

	(void)cudaGetLastError();
	if (e == cudaErrorNotSupported)
		return nq_i_cuda_error(d, NQ_ERR_UNSUPPORTED, what,
			"the join needs tensor cores of compute capability 8, and shared memory "
			"for its table");
	return nq_i_cuda_error(d, e == cudaErrorMemoryAllocation ? NQ_ERR_NOMEM : NQ_ERR_DEVICE,
		what, cudaGetErrorString(e));
}
