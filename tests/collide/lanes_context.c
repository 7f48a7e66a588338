/* Contexts of libcollide whose CPU programs are those of lanes_instances.c. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int collide_lanes_left_out;
#else
#define collide_i_steps_cpu_program    collide_i_steps_lanes_program
#define collide_i_bvh_cpu_program      collide_i_bvh_lanes_program
#define collide_i_pairs_cpu_program    collide_i_pairs_lanes_program
#define collide_i_contacts_cpu_program collide_i_contacts_lanes_program
#define collide_i_order_cpu_program    collide_i_order_lanes_program
#include "collide/core/context.c"
#endif
