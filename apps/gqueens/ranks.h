/* The processes of one `mpirun`: each counts its part of the units, the first one says the result. Without
 * MPI, or started alone, there is one rank, and nothing here does anything. */
#ifndef APPS_GQUEENS_RANKS_H
#define APPS_GQUEENS_RANKS_H

#include <stddef.h>
#include <stdint.h>

struct gq_job;

/* First and last. begin: 0, or -1 with msg. */
int gq_ranks_begin(char *msg, size_t msg_bytes);
void gq_ranks_end(void);

int gq_ranks(void);
int gq_rank(void);

/* Waits for all ranks; nonzero if it is good on each. Every rank has to call this equally often, whatever
 * goes wrong, for it waits. */
int gq_ranks_all(int good);

/* Of several ranks: this one's part. Else nothing is changed. */
void gq_ranks_share(uint32_t *part, uint32_t *parts);

/* The device of this rank: one each, in turns, unless the user chose. */
int gq_ranks_device(int device, int backend);

/* Threads of this rank: its share of the processors, unless the user chose. */
uint32_t gq_ranks_workers(uint32_t workers);

/* The file of this rank: "NAME.2-of-4" in `own`, or the name itself. */
const char *gq_ranks_file(const char *name, char *own, size_t own_bytes);

/* Brings all units to the first rank, whose row then is of the whole. On the others the row stays that of
 * their part. 0, or -1 with the job's row->why. All ranks have to call it. */
int gq_ranks_gather(struct gq_job *job);

/* What MPI is built in, for --version. */
const char *gq_ranks_library(void);
#endif
