/* LSCHED_FN: a function written once, compiled as C11 by the host compiler and as device and host
 * code by nvcc. No libc calls, no globals, no floating point where both sides must compute the same
 * bits. */
#ifndef LIBSCHED_FN_H
#define LIBSCHED_FN_H

#ifdef __CUDACC__
#define LSCHED_FN static __host__ __device__ __forceinline__
#else
#define LSCHED_FN static inline
#endif

/* Before a loop, in code for the device. nvcc passes pragmas on to the host compiler, which would
 * warn of them: they are empty there. */
#ifdef __CUDA_ARCH__
#define LSCHED_UNROLL    _Pragma("unroll")
#define LSCHED_NO_UNROLL _Pragma("unroll 1")
/* of loads from memory: eight of a thread are under way at once */
#define LSCHED_UNROLL_LOADS _Pragma("unroll 8")
#else
#define LSCHED_UNROLL
#define LSCHED_NO_UNROLL
#define LSCHED_UNROLL_LOADS
#endif

/* 1 in the half of a .cu file that runs on the device, 0 in its host half and in C. */
#ifdef __CUDA_ARCH__
#define LSCHED_I_DEVICE_CODE 1
#else
#define LSCHED_I_DEVICE_CODE 0
#endif

#endif
