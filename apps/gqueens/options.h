/* What gqueens was asked to do. */
#ifndef APPS_GQUEENS_OPTIONS_H
#define APPS_GQUEENS_OPTIONS_H

#include <libsched/sched.h>
#include <nqueens/checkpoint.h>
#include "apps/common/cli.h"

enum {
	GQ_MOST_N = 1024, /* numbers of queens in one call */
	GQ_VERIFY = 16,   /* units that --verify-sample repeats unless it says how many */
	GQ_PICTURES = 12, /* boards in a picture likewise, */
	GQ_MOST_PICTURES = 400,
	GQ_PICTURE_N = 100 /* and the largest of them */
};

enum { GQ_QUEUE_AUTO };

#define GQ_FIRST_MAX_N 1000000000

typedef enum gq_mode {
	GQ_COUNT,
	GQ_ESTIMATE,
	GQ_PRINT,
	GQ_FIRST,
	GQ_MERGE,
	GQ_LIST,
	GQ_MODE_COUNT
} gq_mode;

typedef struct gq_options {
	cli_words words; /* numbers of queens, or the files of --merge */
	cli_maybe print, resume, verify, json;
	int method, backend, simd; /* as the enums of nqueens.h and sched.h */
	int queue;                 /* GQ_QUEUE_AUTO, or one more than the lsched_queue */
	const char *device_text;
	uint32_t workers;
	double time_limit_s, interval_s;
	int unique, toroidal, first, estimate, merge, list;
	const char *given_text, *range_text, *checkpoint, *svg;
	int overwrite, quiet, log_level;

	/* made of the above by gq_options_finish */
	gq_mode mode;
	uint32_t n[GQ_MOST_N];
	size_t n_count; /* 0: as the file of --resume says, or --merge */
	int device;     /* -1: the current one; NQ_ALL_DEVICES */
	uint32_t part, parts;
	nq_square given[NQ_CHECKPOINT_GIVEN];
	size_t given_count;
	uint64_t print_most; /* 0: all */
	uint32_t verify_units;
	const char *resume_path; /* NULL: begin anew */
	int resume_if_there;     /* and if the file is not there */
	const char *json_path;   /* "-": standard output, and nothing else there */
} gq_options;

extern const cli_program gq_program;

/* The sum of all checks that open no file. 0, or -1 with msg: a usage error. */
int gq_options_finish(gq_options *o, char *msg, size_t msg_bytes);

/* What nq_plan_create is to be asked for; po->given points into o. */
void gq_plan_options(const gq_options *o, uint32_t n, nq_plan_options *po);

/* The queue, for nq_run. A queue that is named is used wherever there is something to queue; nobody asks for one
 * and wants the counter instead that devices hand out subtrees by, though it is a little faster. */
void gq_run_queue(const gq_options *o, nq_run_options *ro);
/* "auto" or the queue's name. */
const char *gq_queue_word(const gq_options *o);
#endif
