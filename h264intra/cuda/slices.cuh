/* Entropy coding of a group of frames: the entry points of slices.cu, which has the kernels. They
 * are compiled apart from those of the wavefront (backend_cuda.cu). */
#ifndef H264INTRA_CUDA_SLICES_CUH
#define H264INTRA_CUDA_SLICES_CUH

#include "h264intra/cuda/state.cuh"

/* Sets s->overlaps. */
h264i_status h264i_i_slices_open(h264i_encoder *enc, gpu_state *s);

/* Starts on the group's stream what codes the slices of gg->entropy and writes the packets. `first`
 * is 1 behind the wavefront, 0 if the macroblocks are coded again. */
h264i_status h264i_i_slices_start(h264i_encoder *enc, gpu_group *gg, int first);

/* Starts what writes the packets of slices that are coded. */
h264i_status h264i_i_slices_emit(h264i_encoder *enc, gpu_group *gg);

#endif
