/* Counting for one number of queens, with all that belongs to it: plan, checkpoint, progress, comparison. */
#ifndef APPS_GQUEENS_COUNT_H
#define APPS_GQUEENS_COUNT_H

#include "apps/common/log.h"
#include "apps/gqueens/options.h"
#include "apps/gqueens/store.h"

typedef enum gq_published { GQ_UNPUBLISHED, GQ_AGREES, GQ_DIFFERS } gq_published;

/* What came out. */
typedef struct gq_row {
	uint32_t n;
	nq_method method;
	int toroidal;
	const nq_square *given; /* of the options or the job */
	size_t given_count;
	uint32_t part, parts; /* 0, 0: all */
	int exit_code;
	int interrupted; /* by a signal or the time limit; that is not an error of its own */
	int complete;    /* all units of the share are counted */
	int counted;     /* count and, if asked for, unique are known */
	nq_count count, unique;
	gq_published published;
	nq_count published_count;               /* of what was asked for, all or unique */
	size_t units, units_done, units_before; /* of the share; before: from the checkpoint */
	size_t verified, verify_wrong;
	uint64_t wall_ns;
	nq_result result;
	char why[STORE_WHY_BYTES + 200]; /* of exit_code, one line */
} gq_row;

/* A plan and its ledger while they are worked on. */
typedef struct gq_job {
	const gq_options *o;
	logger *log;
	gq_row *row;
	nq_plan_options po;
	nq_square given[NQ_CHECKPOINT_GIVEN];
	nq_plan *plan;
	nq_ledger *ledger;
	const char *checkpoint; /* NULL: none */
	int64_t begin_ns, saved_ns;
	uint64_t work_before; /* of the first look at the progress, UINT64_MAX: not yet */
	int save_failed;      /* the last time */
} gq_job;

/* *row is filled in; its texts and squares live as long as job. */
void gq_count(gq_job *job, gq_row *row, uint32_t n, const gq_options *o, logger *log);
void gq_job_free(gq_job *job);

/* The parts of it that --merge uses too. All return 0, or -1 with row->why and row->exit_code. */
int gq_fail(gq_job *job, int exit_code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void gq_job_begin(gq_job *job, gq_row *row, const gq_options *o, logger *log);
/* Plan and ledger from the options in the head of a checkpoint; `path` is named in errors. */
int gq_job_from_head(gq_job *job, const nq_checkpoint *head, const char *path);
/* Writes the checkpoint; of it is known afterwards whether it could be written, job->save_failed. */
int gq_job_save(gq_job *job);
/* Checks that a file may be written to: what is there is no work that would be lost. */
int gq_job_claim(gq_job *job);
/* Adds up the ledger, compares with what is published, repeats units. */
int gq_job_conclude(gq_job *job);

/* Counts `sample` random units that are done again on the CPU. */
int gq_verify(gq_job *job, uint32_t sample);

/* For nq_run_options: shows the progress, saves when it is time, ends the run when a signal came. */
int gq_progress(void *job, const nq_progress *p);
#endif
