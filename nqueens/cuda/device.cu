/* The current CUDA device of the calling thread. */
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
