/* A workload: an application of libsched that gsched runs, checks and measures.
 *
 * A workload has a folder of its own with
 *	context, item and body		(NAME.h) one text for both backends
 *	programs			(NAME.c, NAME_cuda.cu) of CPU threads and of a CUDA device
 *	options and input		(make) from a file or a generator
 *	truth				(check) comparison of the result on the host
 *	plain program			(plain) the same work without a scheduler, for CUDA
 * and is an entry of WORKLOADS in workloads/table.h. From this table come `gsched run NAME`, its
 * help and completion, `gsched list`, the common test and the rows of the report.
 *
 * Functions that may fail return 0, or -1 with one line without a newline in msg (why). */
#ifndef WORKLOADS_COMMON_WORKLOAD_H
#define WORKLOADS_COMMON_WORKLOAD_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stddef.h>
#include <stdint.h>
#include <libsched/sched.h>

/* A context of libsched that can run as many workers as were requested. */
typedef struct wl_device {
	lsched_ctx *ctx;
	lsched_backend backend;
	uint32_t max_workers; /* of any execution: length of arrays with one entry per worker */
	uint32_t timeout_ms;  /* of runs */
	int overwrite;        /* nonzero: a workload's output may replace any file */
	/* Nonzero: the program is to end; long loops of `plain` and `check` read it and return
	 * WL_STOPPED. NULL: never. */
	const volatile int *stop;
	struct wl_block *blocks; /* memory of the work, see memory.h */
} wl_device;

enum { WL_STOPPED = 1 };

static inline int wl_stopped(const wl_device *d)
{
	return d->stop && *d->stop;
}

/* A result that is shown beside the times: "cells", 649774. */
typedef struct wl_fact {
	const char *name;
	double value;
} wl_fact;

enum { WL_MAX_FACTS = 16 };

/* The number of tasks of an execution is not known beforehand. */
#define WL_TASKS_UNKNOWN UINT64_MAX
/* The workload counts no operations of its own: its tasks are the work. */
#define WL_TASKS_COUNT UINT64_MAX

/* A workload with its input in memory, ready for any number of executions. `create` sets what
 * differs from zero. */
typedef struct wl_work wl_work;
typedef int wl_step(wl_work *w, wl_device *d, char *why, size_t n);
typedef int wl_plain(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
struct wl_work {
	const lsched_program *cpu, *cuda; /* cuda: NULL in a build without */
	void *ctx;                        /* the program's context; `prepare` may change it */
	uint32_t tasks;                   /* roots of an execution; 0: as many as workers */
	uint64_t expected; /* tasks that must run; 0: as many as workers; WL_TASKS_UNKNOWN */
	uint32_t capacity, bin_size; /* defaults of the options; 0: the library's */
	uint32_t inline_depth; /* length of a worker's spill list in items; 0: the library's */
	uint32_t max_joins;    /* open joins; 0: the library's */
	int items; /* item program: queues carry chunks of 32 items, bin_size counts chunks */
	int once;  /* the result is wanted, not its time: no warm-up, and one run by default */
	/* The time that the host sees matters: runs have no statistics of workers, which a GPU
	 * clears before and copies behind. */
	int bare;

	/* Returns the reason why the workload cannot use a queue, or NULL. NULL: it can use all
	 * queues. */
	const char *(*unsupported)(lsched_queue q);
	/* Called before and after each execution. `check` may return WL_STOPPED. */
	wl_step *prepare, *check;
	/* Writes the files of WL_OUTPUT options, once, after the last execution: that was one by
	 * libsched, and `check` found it right. NULL: there are none. */
	wl_step *write;
	/* Called after an execution, before `check`. Returns 1 if it has to be repeated, with more
	 * memory for its output, say; its time does not count then. 0: no; -1 with why. NULL:
	 * never. */
	wl_step *again;
	/* Does the same work once without libsched, between `prepare` and `check`, on the device of
	 * `d`, and sets the time of it. May return WL_STOPPED. NULL: there is no such program for
	 * this backend. */
	wl_plain *plain;
	/* Another such program, in a row of this name, or NULL. */
	wl_plain *plain2;
	const char *plain2_name;

	/* Set by the caller, before `prepare` and `check`. */
	uint32_t execution, workers; /* number 0 is the warm-up, which has the most checks */
	const lsched_stats *stats;   /* for `check`; NULL after an execution of `plain` */

	/* Set by `check`. */
	uint32_t facts;
	wl_fact fact[WL_MAX_FACTS]; /* names are literals */
	uint64_t value;             /* result of the program */
	/* Work of the execution in units of wl_type, also 0. WL_TASKS_COUNT, which it is before
	 * `check`: tasks are the units. */
	uint64_t operations;
	uint64_t operations_ns;
	double push_ns, pop_ns; /* one operation of the queue; 0: not measured */
	double accuracy;        /* priority: pairs of tasks in the right order, 0..1 */
	uint64_t *work_ns;      /* [worker]: time of their work itself; NULL: not measured */

	void *host_data; /* of the workload */
};

/* Options of a workload. Programs make entries of their own tables of options from these. */
typedef enum wl_kind {
	WL_FLAG = 1, /* int: 1 if present */
	WL_CHOICE,   /* int: index of the word in `choices`, from 0 */
	WL_COUNT,    /* uint64_t in min..max; K, M, G are 10^3, 10^6, 10^9 */
	WL_UINT,     /* uint32_t in min..max */
	WL_REAL,     /* double in min..max */
	WL_SIZE,     /* wl_size: 1920x1080, each side in min..max */
	WL_TEXT,     /* const char *: lives as long as the program */
	WL_OUTPUT,   /* as WL_TEXT: a file that the workload writes */
	WL_FILE      /* as WL_TEXT: a file, or several separated by commas */
} wl_kind;

typedef struct wl_size {
	uint32_t width, height;
} wl_size;

typedef struct wl_param {
	const char *name; /* without dashes; NULL ends the table */
	char letter;      /* short name, 0: none */
	wl_kind kind;
	size_t field; /* WL_FIELD: offset in the workload's struct of options */
	int64_t min, max;
	const char *preset;  /* the default, as text; NULL: 0 or NULL */
	const char *choices; /* of WL_CHOICE: "uniform|gauss" */
	const char *metavar;
	const char *help;   /* imperative, unit, range, no period */
	const char *unless; /* a WL_FILE with which this one has no meaning, or NULL */
} wl_param;

#define WL_FIELD(type, member) offsetof(type, member)

/* An entry of a table of options; `not_with` as `unless`, of_what: a literal. */
#define WL_PARAM_SEED(type, member, not_with, of_what)                                             \
	{                                                                                          \
		.name = "seed", .unless = not_with, .kind = WL_UINT,                               \
		.field = WL_FIELD(type, member), .max = UINT32_MAX, .preset = "1", .metavar = "N", \
		.help = "set the seed of the " of_what                                             \
	}

#define WL_PARAM_MESH(type, member, shown, text)                                                  \
	{                                                                                         \
		.name = "input", .letter = 'i', .kind = WL_FILE, .field = WL_FIELD(type, member), \
		.metavar = shown, .help = text                                                    \
	}

/* Of a mesh that is generated where there is no --input. */
#define WL_PARAM_TRIANGLES(type, member, most, usual)                                          \
	{                                                                                      \
		.name = "triangles", .unless = "input", .letter = 'n', .kind = WL_COUNT,       \
		.field = WL_FIELD(type, member), .max = most, .preset = usual, .metavar = "N", \
		.help = "set the size of the generated mesh (about N triangles)"               \
	}

enum { WL_OPTIONS_BYTES = 256 }; /* a workload's struct of options is at most so large */

/* What executions of a workload may be asked for, beside workers, queues and capacities. */
enum {
	WL_SCHEMES = 1,    /* --sched: it has a dependency rule */
	WL_OVERFLOW = 2,   /* --overflow */
	WL_NEVER_KEEP = 4, /* --never-keep */
	WL_PLAIN = 8,      /* a row of the same work without libsched */
	WL_TREES = 16      /* the picture of a table shows the workers */
};

typedef struct wl_type {
	const char *name;
	const char *summary; /* one or more lines, the first one says what it does */
	const char *example; /* arguments: "-n 10M --law gauss --queue all" */
	const char *operand; /* name of the option that an argument without a name sets, or NULL */
	const char *unit;    /* what the rate counts: "keys" */
	const char *queues;  /* default of --queue: "ring", "all" */
	/* Defaults of --repeat and --timeout; NULL: 5, 10000. --repeat 0: 5, or 1 if `once` is
	 * set. */
	const char *repeat, *timeout_ms;
	unsigned accepts; /* WL_SCHEMES .. */
	/* Arguments of executions in the common test, smallest first; ends with NULL. */
	const char *const *cases;
	const wl_param *params;
	size_t options_bytes;
	/* Checks combinations of options before a device is opened: a usage error. May be NULL. */
	int (*check_options)(const void *options, char *msg, size_t n);
	/* `w` and its facts are zero, msg is empty; 0 with a text in msg: a warning. wl_destroy is
	 * called after `create` in any case. */
	int (*create)(wl_work *w, wl_device *d, const void *options, char *msg, size_t n);
	/* Releases what is not memory of wl_own or wl_alloc. NULL: nothing. */
	void (*destroy)(wl_work *w, wl_device *d);
} wl_type;

/* The address of a program or function that a build without CUDA lacks: NULL there. */
#ifdef HAVE_CUDA
#define WL_CUDA(name) (&name)
#else
#define WL_CUDA(name) NULL
#endif

/* Declares the programs that NAME.c and NAME_cuda.cu define. */
#define WL_PROGRAM(name) extern const lsched_program name##_cpu_program, name##_cuda_program
/* Makes them those of the work. */
#define WL_SET_PROGRAM(w, name) \
	((w)->cpu = &name##_cpu_program, (w)->cuda = WL_CUDA(name##_cuda_program))

static inline int wl_is_cuda(const wl_device *d)
{
	return d->backend == LSCHED_BACKEND_CUDA;
}

/* Releases the work and all its memory. No run of it may exist. */
void wl_destroy(const wl_type *type, wl_work *w, wl_device *d);

/* Writes the message. Returns -1, so that a failure is one statement. */
__attribute__((format(printf, 3, 4))) int wl_fail(char *msg, size_t n, const char *format, ...);

/* Adds a result to the facts of `w`; one more than WL_MAX_FACTS is dropped. */
void wl_add_fact(wl_work *w, const char *name, double value);

/* Executes a program with so many roots, outside of a measurement. Returns 0, or -1 with msg. */
int wl_run_once(wl_device *d, const lsched_program *program, const lsched_run_options *o,
	const void *ctx, uint32_t roots, char *msg, size_t n);

/* Returns the time of a monotonic clock, for `plain`. */
uint64_t wl_now_ns(void);
#endif
