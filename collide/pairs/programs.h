/* The programs that find pairs (context: col_ctx of pairs.h) and contacts (cont_ctx of contacts.h).
 */
#ifndef COLLIDE_PAIRS_PROGRAMS_H
#define COLLIDE_PAIRS_PROGRAMS_H

#include <libsched/sched.h>

#ifdef __cplusplus
extern "C" {
#endif
extern const lsched_program collide_i_pairs_cpu_program, collide_i_contacts_cpu_program;
extern const lsched_program collide_i_pairs_cuda_program, collide_i_contacts_cuda_program;
#ifdef __cplusplus
}
#endif
#endif
