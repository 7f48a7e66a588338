/* The processes of one `mpirun`: each counts its part of the units, the first one says the result. Without
 * MPI, or started alone, there is one rank, and nothing here does anything. */
#ifndef APPS_GQUEENS_RANKS_H
#define APPS_GQUEENS_RANKS_H

#include <stddef.h>
#include <stdint.h>

struct gq_job;

/* First and last. begin: 0, or -1 with msg. `failed` ends the other ranks too. */
int gq_ranks_begin(char *msg, size_t msg_bytes);
void gq_ranks_end(int failed);

int gq_ranks(void);
int gq_rank(void);

/* Of several ranks: this one's part. Else nothing is changed. */
void gq_ranks_share(uint32_t *part, uint32_t *parts);

/* The device of this rank: one each, in turns, unless the user chose. */
int gq_ranks_device(int device);

/* The file of this rank: "NAME.2-of-4" in `own`, or the name itself. */
const char *gq_ranks_file(const char *name, char *own, size_t own_bytes);

/* Brings all units to the first rank, whose row then is of the whole. On the others the row is of their
 * part. 0, or -1 with the job's row->why. */
int gq_ranks_gather(struct gq_job *job);

/* What MPI is built in, for --version. */
const char *gq_ranks_library(void);
#endif
