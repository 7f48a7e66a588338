/* The programs that build and refit a bounding volume hierarchy; context: bvh_ctx of bvh.h. */
#ifndef COLLIDE_BVH_PROGRAMS_H
#define COLLIDE_BVH_PROGRAMS_H

#ifdef HAVE_CONFIG_H
#include "config.h" /* HAVE_CUDA */
#endif
#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif
extern const lsched_program collide_i_bvh_cpu_program;
#ifdef HAVE_CUDA
extern const lsched_program collide_i_bvh_cuda_program;
#endif
#ifdef __cplusplus
}
#endif
#endif
