/* The programs that build and refit a bounding volume hierarchy; context: bvh_ctx of bvh.h. */
#ifndef COLLIDE_BVH_PROGRAMS_H
#define COLLIDE_BVH_PROGRAMS_H

#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif
extern const lsched_program collide_i_bvh_cpu_program;
extern const lsched_program collide_i_bvh_cuda_program;
#ifdef __cplusplus
}
#endif
#endif
