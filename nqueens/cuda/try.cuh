/* Returns from a function at the first call of CUDA that fails. */
#ifndef NQUEENS_CUDA_TRY_CUH
#define NQUEENS_CUDA_TRY_CUH

#define TRY(call)                      \
	do {                           \
		cudaError_t e_ = call; \
		if (e_ != cudaSuccess) \
			return e_;     \
	} while (0)

#endif
