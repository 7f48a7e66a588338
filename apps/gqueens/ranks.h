/* The processes of one `mpirun`: each counts its part of the units, the first one prints the
 * result. Without MPI or mpirun there is one rank, and these functions return their arguments or do
 * nothing. */
#ifndef APPS_GQUEENS_RANKS_H
#define APPS_GQUEENS_RANKS_H

#include <stddef.h>
#include <stdint.h>

struct gq_job;

/* The first and the last call. begin returns 0, or -1 with msg. */
int gq_ranks_begin(char *msg, size_t msg_bytes);
void gq_ranks_end(void);

int gq_ranks(void);
int gq_rank(void);

/* Waits for all ranks; returns nonzero if `good` is nonzero on each. Every rank has to make the
 * same number of calls, also after errors. */
int gq_ranks_all(int good);

/* Sets the part of this rank; with one rank nothing changes. */
void gq_ranks_share(uint32_t *part, uint32_t *parts);

/* Returns the device of this rank, round robin, unless the user named one. */
int gq_ranks_device(int device, int backend);

/* Returns the threads of this rank, its share of the processors, unless the user set them. */
uint32_t gq_ranks_workers(uint32_t workers);

/* Returns the file of this rank: "NAME.2-of-4", stored in `own`, or name with one rank. */
const char *gq_ranks_file(const char *name, char *own, size_t own_bytes);

/* Returns the variable of the environment that says that this process is one of several which were
 * started together, or NULL; ranks of MPI are not meant. */
const char *gq_ranks_unknown(void);

/* Collects all units in the ledger of the first rank, whose row then describes the whole plan; the
 * rows of the others describe their part. Returns 0, or -1 with row->why. All ranks have to call
 * it. */
int gq_ranks_gather(struct gq_job *job);

/* Returns the name of the MPI library, for --version. */
const char *gq_ranks_library(void);
#endif
