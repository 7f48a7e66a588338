/* How a function of the device text is declared that C compiles too, for the tests. */
#ifndef H264INTRA_CUDA_FUNCTION_CUH
#define H264INTRA_CUDA_FUNCTION_CUH

#define GPU_FN static __device__ __forceinline__

#endif
