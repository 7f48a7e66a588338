/* Counting for one N: plan, checkpoint, progress, comparison with the published count. */
#ifndef APPS_GQUEENS_COUNT_H
#define APPS_GQUEENS_COUNT_H

#include "apps/common/log.h"
#include "apps/gqueens/lock.h"
#include "apps/gqueens/options.h"
#include "apps/gqueens/store.h"

typedef enum gq_published { GQ_UNPUBLISHED, GQ_AGREES, GQ_DIFFERS } gq_published;

/* The result of one N. */
typedef struct gq_row {
	uint32_t n;
	nq_method method;
	int toroidal;
	const nq_square *given; /* of the options or the job */
	size_t given_count;
	uint32_t part, parts; /* 0, 0: all */
	int exit_code;
	int unsaved;     /* the checkpoint could not be written at the end */
	int interrupted; /* by a signal or the time limit, without another error */
	int complete;    /* all units of the part are counted */
	int counted;     /* count and, with --unique, unique are valid */
	nq_count count, unique;
	gq_published published;
	nq_count published_count;               /* of count or, with --unique, of unique */
	size_t units, units_done, units_before; /* of the part; before: from the checkpoint */
	size_t verified, verify_wrong;
	uint64_t wall_ns;
	nq_result result;
	char why[STORE_WHY_BYTES + 200]; /* of exit_code, one line */
} gq_row;

/* A plan, its ledger and checkpoint during a command. */
typedef struct gq_job {
	const gq_options *o;
	logger *log;
	gq_row *row;
	nq_plan_options po;
	nq_square given[NQ_CHECKPOINT_GIVEN];
	nq_plan *plan;
	nq_ledger *ledger;
	const char *checkpoint; /* NULL: none */
	gq_lock lock;           /* of the checkpoint */
	int lock_lost;          /* the run ends */
	int64_t begin_ns, saved_ns;
	uint64_t work_before; /* at the first progress call; UINT64_MAX: none yet */
	int save_failed;      /* the last save */
	size_t saved_units;   /* counted units that the checkpoint has */
} gq_job;

/* Counts n queens and fills in *row, whose texts and squares are valid until gq_job_free(). */
void gq_count(gq_job *job, gq_row *row, uint32_t n, const gq_options *o, logger *log);
void gq_job_free(gq_job *job);

/* Steps of gq_count(); --merge uses some of them. Those with a status return 0, or -1 with row->why
 * and row->exit_code. */
int gq_fail(gq_job *job, int exit_code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void gq_job_begin(gq_job *job, gq_row *row, const gq_options *o, logger *log);
/* Makes plan and ledger from job->po. */
int gq_job_make_plan(gq_job *job);
/* Makes plan and ledger from the head of a checkpoint; path: for error messages. */
int gq_job_from_head(gq_job *job, const nq_checkpoint *head, const char *path);
/* Makes plan and ledger, from the checkpoint of --resume if there is one, and writes
 * the first checkpoint. */
int gq_job_open_checkpoint(gq_job *job);
/* Whether the checkpoint has all units that are counted. */
int gq_job_is_saved(const gq_job *job);

/* Writes the checkpoint and sets job->save_failed. */
int gq_job_save(gq_job *job);
/* Writes the checkpoint in a run: a failure is logged and does not end the run. */
void gq_job_save_during_run(gq_job *job);
/* Locks job->checkpoint until gq_job_free(). */
int gq_job_lock(gq_job *job);
/* Checks that job->checkpoint may be replaced: it has no counts that would be lost. */
int gq_job_claim(gq_job *job);
/* Adds up the ledger, compares the count with the published one, verifies a sample. */
int gq_job_conclude(gq_job *job);

/* Counts `sample` random finished units again on the CPU. */
int gq_verify(gq_job *job, uint32_t sample);

/* nq_progress_fn: prints progress, saves checkpoints, cancels the run after a signal. */
int gq_progress(void *job, const nq_progress *p);
#endif
