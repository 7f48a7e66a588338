/* Options of gqueens, parsed and checked. */
#ifndef APPS_GQUEENS_OPTIONS_H
#define APPS_GQUEENS_OPTIONS_H

#include <libsched/sched.h>
#include <nqueens/checkpoint.h>
#include "apps/common/cli.h"

enum {
	GQ_MOST_N = 1024,       /* numbers of queens in one call */
	GQ_VERIFY = 16,         /* default of --verify-sample */
	GQ_PICTURES = 12,       /* boards of --svg by default, */
	GQ_MOST_PICTURES = 400, /* at most, */
	GQ_PICTURE_N = 100      /* and their largest N */
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
	cli_optional print, resume, verify, json;
	int method, backend, simd; /* as the enums of nqueens.h and sched.h */
	int queue;                 /* GQ_QUEUE_AUTO, or lsched_queue + 1 */
	const char *device_text;
	uint32_t workers;
	double time_limit_s, interval_s, memory_gb;
	int unique, toroidal, first, estimate, merge, list;
	const char *given_text, *range_text, *checkpoint, *svg;
	int overwrite, quiet, log_level;

	/* derived by gq_options_finish */
	gq_mode mode;
	uint32_t n[GQ_MOST_N];
	size_t n_count; /* 0: from the file of --resume or --merge */
	int device;     /* -1: the current one; NQ_ALL_DEVICES */
	uint32_t part, parts;
	nq_square given[NQ_CHECKPOINT_GIVEN];
	size_t given_count;
	uint64_t print_most; /* 0: all */
	uint32_t verify_units;
	const char *resume_path; /* NULL: start from zero */
	int resume_if_there;     /* a missing file is no error */
	const char *json_path;   /* "-": standard output, which then has nothing else */
} gq_options;

extern const cli_program gq_program;

/* Derives the members above and checks combinations; opens no file. Returns 0, or -1 with msg. */
int gq_options_finish(gq_options *o, char *msg, size_t msg_bytes);

/* Fills in the options of nq_plan_create(); po->given points into o. */
void gq_plan_options(const gq_options *o, uint32_t n, nq_plan_options *po);

/* Sets the queue of nq_run(). A named queue also distributes subtrees on a GPU; with auto a counter
 * does, which is faster. */
void gq_run_queue(const gq_options *o, nq_run_options *ro);
/* Returns "auto" or the name of the queue. */
const char *gq_queue_name(const gq_options *o);
#endif
