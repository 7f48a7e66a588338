/* Counts the placements of N queens on an N x N board in which no queen attacks another
 * (solutions).
 *
 * A *plan* defines what is counted: N, the method, and a list of *work units*, which are counted
 * independently, in any order and on any machine. A *ledger* holds the finished units and their
 * counts; a checkpoint stores it (<nqueens/checkpoint.h>), and the ledgers of several machines can
 * be merged. A *run* counts the units of a plan that its ledger lacks.
 *
 *	nq_plan_options po;  nq_plan_options_init(&po);  po.n = 16;
 *	nq_plan *plan;       if (nq_plan_create(&plan, &po) != NQ_OK) ...
 *	nq_ledger *ledger;   nq_ledger_create(&ledger, plan);
 *	nq_run_options ro;   nq_run_options_init(&ro);
 *	nq_result r;         nq_run(plan, ledger, &ro, &r);
 *	nq_count total;      nq_ledger_total(ledger, plan, &total);
 *	nq_ledger_destroy(&ledger);  nq_plan_destroy(&plan);
 *
 * Rows and columns are numbered from 0. A board is an array with the column of the queen of each
 * row.
 *
 * Threads: a plan does not change and may be shared. While a run fills a ledger, other threads may
 * call nq_ledger_done() and nq_ledger_unit_count() on it; all other uses of one object need one
 * thread at a time. No function prints, exits or reads the environment.
 *
 * Errors: functions return a status, negative on failure; output parameters are NULL or zero then,
 * and nq_last_error() returns the details as one sentence without a newline.
 *
 * Structs of options, progress and results carry their size in struct_bytes, so that a program
 * works with a later version of the library. The init functions set it; a struct without it is
 * ERR_ARG. */
#ifndef NQUEENS_NQUEENS_H
#define NQUEENS_NQUEENS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Largest supported N: a row has 32 bits, the 2N-1 diagonals of a direction 64. */
#define NQ_MAX_N 32
/* Largest N of JOIN: the diagonals of a quarter's placement are packed into 40 bits. */
#define NQ_JOIN_MAX_N 28

/* X(name, number, text). Errors are negative, the reasons of an early end of a run positive. */
#define NQ_STATUSES(X)                                                       \
	X(OK, 0, "success")                                                  \
	X(CANCELLED, 1, "cancelled before all units were counted")           \
	X(TIME_LIMIT, 2, "time limit reached before all units were counted") \
	X(ERR_ARG, -1, "invalid argument")                                   \
	X(ERR_NOMEM, -2, "out of memory")                                    \
	X(ERR_UNSUPPORTED, -3, "not supported for this board or build")      \
	X(ERR_SCHED, -4, "the scheduler reported an error")                  \
	X(ERR_NO_DEVICE, -5, "no usable CUDA device")                        \
	X(ERR_DEVICE, -6, "the CUDA device reported an error")               \
	X(ERR_FOREIGN, -7, "the counts belong to another plan")              \
	X(ERR_TWICE, -8, "a unit is counted twice")                          \
	X(ERR_MISSING, -9, "not all units are counted")                      \
	X(ERR_FORMAT, -10, "not a checkpoint, or a damaged one")

typedef enum nq_status {
#define NQ_X(name, number, text) NQ_##name = (number),
	NQ_STATUSES(NQ_X)
#undef NQ_X
} nq_status;

/* Returns the text of a status; never NULL. */
const char *nq_strstatus(nq_status status);

/* Returns the details of the last failed call of the calling thread: one sentence, "" if there was
 * none. Valid until the next failed call of this thread. */
const char *nq_last_error(void);

typedef enum nq_backend { NQ_BACKEND_AUTO, NQ_BACKEND_CPU, NQ_BACKEND_CUDA } nq_backend;

/* ---- counts of 128 bits ---- */

typedef struct nq_count {
	uint64_t lo, hi;
} nq_count;

#define NQ_COUNT_TEXT_BYTES 40

nq_count nq_count_of(uint64_t value);
nq_count nq_count_add(nq_count a, nq_count b);
nq_count nq_count_mul(nq_count a, uint64_t factor);                  /* modulo 2^128 */
nq_count nq_count_div(nq_count a, uint64_t divisor, uint64_t *rest); /* rest may be NULL */
int nq_count_cmp(nq_count a, nq_count b);                            /* <0, 0, >0 */
double nq_count_double(nq_count a);
/* Writes the decimal digits to text[NQ_COUNT_TEXT_BYTES]. Returns text. */
char *nq_count_text(nq_count a, char *text);
/* Parses a text of decimal digits only. ERR_ARG: another text, or more than 128 bits. */
nq_status nq_count_parse(const char *text, nq_count *out);

/* ---- plans ---- */

/* TASKS: each node of the search is an item of libsched that spawns its children (Tzeng, Lloyd,
 * Owens 2012). BACKTRACK: depth-first search of subtrees, several nodes in one vector or warp.
 * JOIN: lists the placements of board quarters and joins them, without backtracking (after Kluev).
 * AUTO: the fastest for this N on this backend. */
typedef enum nq_method {
	NQ_METHOD_AUTO,
	NQ_METHOD_TASKS,
	NQ_METHOD_BACKTRACK,
	NQ_METHOD_JOIN
} nq_method;

/* Instruction set of the CPU; AUTO: the widest that this processor supports. */
typedef enum nq_simd { NQ_SIMD_AUTO, NQ_SIMD_SCALAR, NQ_SIMD_AVX2, NQ_SIMD_AVX512 } nq_simd;

/* Names as on command lines; NULL if out of range, so that a loop over all values ends. Parsing
 * returns 0 or -1. */
const char *nq_method_name(nq_method m);
const char *nq_simd_name(nq_simd s);
const char *nq_backend_name(nq_backend b);
int nq_method_parse(const char *name, nq_method *out);
int nq_backend_parse(const char *name, nq_backend *out);
int nq_simd_parse(const char *name, nq_simd *out);

/* Returns nonzero if this processor and build support it. */
int nq_simd_usable(nq_simd s);

typedef struct nq_square {
	uint32_t row, col;
} nq_square;

/* A subtree has 32 bytes, and splitting stops only after a row that can replace one
 * subtree by N. */
#define NQ_MIN_TASKS_MAX (1u << 22)

typedef struct nq_plan_options {
	size_t struct_bytes; /* set by nq_plan_options_init */
	uint32_t n;          /* 1 .. NQ_MAX_N; JOIN: at most NQ_JOIN_MAX_N */
	nq_method method;
	nq_backend backend; /* backend of the later run; only method AUTO depends on it */
	/* Split subtrees until there are so many, if the tree has them; 0: keep the roots; at most
	 * NQ_MIN_TASKS_MAX. */
	uint32_t min_tasks;
	uint32_t unit_tasks; /* subtrees of a unit at most; 0: chosen automatically */
	/* Middle rows and columns that are filled first, as even or odd as n, at most
	 * 4; 0: chosen automatically. */
	uint32_t cross;
	uint32_t plain;    /* nonzero: start from the empty board, without symmetry; not JOIN */
	uint32_t toroidal; /* nonzero: diagonals wrap around; not TASKS, not JOIN */
	/* Count the solutions with queens on these squares, without symmetry; 0 if they attack each
	 * other. Not JOIN, not with cross or toroidal. */
	const nq_square *given;
	size_t given_count;
} nq_plan_options;

#define nq_plan_options_init(o) nq_plan_options_init_sized((o), sizeof(nq_plan_options))
void nq_plan_options_init_sized(nq_plan_options *o, size_t struct_bytes);

typedef struct nq_plan nq_plan;

/* A subtree, given by its root: a board on which some rows have queens. A queen in row r, column c
 * occupies bit r+c of d1 and bit n-1-r+c of d2, so the free columns of row r are ~(cols | d1 >> r |
 * d2 >> (n-1-r)). Rows are filled from the middle outwards, of two at equal distance the upper
 * first. On toroidal boards both bit numbers are modulo n. */
typedef struct nq_task {
	uint64_t d1, d2;
	uint32_t cols; /* occupied columns */
	uint32_t rows; /* empty rows */
	uint32_t unit;
	uint32_t weight; /* size of the symmetry class: solutions per completion */
} nq_task;

/* A work unit. TASKS, BACKTRACK: tasks first .. first+count-1, which have the same empty rows and
 * weight. JOIN: `count` is the set of northern rows whose queen is in the eastern half. Odd n: the
 * queen of the middle column is first + 1 squares from the centre and that of the middle row is
 * closer; first = 0: the centre has a queen (odd n), or there are no middle lines (even n). n = 28:
 * `first` is one of 8 parts of the sets of southern rows. The count of a JOIN unit is weighted
 * already; weight is 1. */
typedef struct nq_unit {
	uint32_t first, count, weight;
} nq_unit;

/* Creates a plan, in milliseconds. ERR_ARG: n or an option is out of range, or options contradict
 * each other. UNSUPPORTED: the method does not support the options. The first run of a JOIN plan on
 * the CPU adds the list of all quarter placements to the plan: 0.3 s and 35 MB at n = 20, 3 s and
 * 300 MB at 22. Each worker of such a run needs 10 and 75 MB more. For larger n each worker makes
 * the placements that it needs: 100 MB at n = 28. */
nq_status nq_plan_create(nq_plan **out, const nq_plan_options *o);
void nq_plan_destroy(nq_plan **plan); /* plan and *plan may be NULL */

uint32_t nq_plan_n(const nq_plan *plan);
nq_method nq_plan_method(const nq_plan *plan); /* never AUTO */
/* Returns a hash of n, method and all units; equal plans have the same hash on all machines. */
uint64_t nq_plan_hash(const nq_plan *plan);
size_t nq_plan_units(const nq_plan *plan, const nq_unit **units);
size_t nq_plan_tasks(const nq_plan *plan, const nq_task **tasks); /* 0 for JOIN */

/* Placements on the `cross` middle rows and columns: all legal ones (raw), one for each symmetry
 * class (canonical), and the number of classes of size 8, 4, 2 and 1. */
typedef struct nq_cross_counts {
	size_t struct_bytes;
	uint64_t raw, canonical;
	uint64_t weight_8, weight_4, weight_2, weight_1;
} nq_cross_counts;
static inline void nq_cross_counts_init(nq_cross_counts *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}
nq_status nq_cross_count(uint32_t n, uint32_t cross, nq_cross_counts *out);

/* ---- ledgers ---- */

typedef struct nq_ledger nq_ledger;

nq_status nq_ledger_create(nq_ledger **out, const nq_plan *plan);
void nq_ledger_destroy(nq_ledger **ledger);
uint64_t nq_ledger_hash(const nq_ledger *ledger); /* of its plan */
size_t nq_ledger_units(const nq_ledger *ledger);
size_t nq_ledger_done_count(const nq_ledger *ledger);
int nq_ledger_done(const nq_ledger *ledger, size_t unit);
/* Returns the count of a finished unit, without its weight; of an unfinished one 0. */
uint64_t nq_ledger_unit_count(const nq_ledger *ledger, size_t unit);
/* Records the count of a unit. ERR_ARG: no such unit; ERR_TWICE: the unit is finished already. */
nq_status nq_ledger_set(nq_ledger *ledger, size_t unit, uint64_t count);
/* Records all finished units of another ledger. ERR_FOREIGN: it belongs to another plan; ERR_TWICE:
 * a unit is finished in both; nothing is recorded then. */
nq_status nq_ledger_merge(nq_ledger *into, const nq_ledger *from);
/* Returns the weighted sum of the finished units. ERR_MISSING: some are not finished; *out is the
 * sum of the others. ERR_FOREIGN: the ledger belongs to another plan; *out is 0. */
nq_status nq_ledger_total(const nq_ledger *ledger, const nq_plan *plan, nq_count *out);

/* ---- counting ---- */

typedef struct nq_progress {
	size_t struct_bytes;      /* of the library */
	size_t units_done, units; /* of this run's part, including those of earlier runs */
	uint64_t work_done, work; /* their expected cost, for an estimate of the remaining time */
	uint64_t nodes;           /* nodes visited in this run */
	uint64_t elapsed_ns;
} nq_progress;
/* Called by the thread that called nq_run(), first before anything is counted, last after the end
 * of counting. It may read the ledger. A nonzero return value cancels the run. */
typedef int (*nq_progress_fn)(void *opaque, const nq_progress *p);

/* Values of nq_run_options.device other than a device number. */
enum {
	NQ_CURRENT_DEVICE = -1, /* CUDA's current device of the thread that calls nq_run() */
	NQ_ALL_DEVICES = -2
};

typedef struct nq_run_options {
	size_t struct_bytes; /* set by nq_run_options_init */
	/* AUTO: the one with the shorter expected time. CUDA: UNSUPPORTED in a build without CUDA,
	 * or if the device does not support the plan. */
	nq_backend backend;
	int device;       /* CUDA */
	uint32_t workers; /* CPU: threads, 0: all processors. CUDA: warps, 0: all resident ones */
	/* A queue of libsched ("ring", "steal", ...), for the items of TASKS and for units on the
	 * CPU; NULL: "ring". */
	const char *queue;
	/* BACKTRACK on CUDA, nonzero: `queue` distributes batches of subtrees to warps, as tasks of
	 * libsched. 0: a counter does, which takes 5 to 13 % less time. */
	uint32_t by_queue;
	nq_simd simd;
	/* Count part 1 .. parts of the units; 0, 0: all. The parts are disjoint and cover all. */
	uint32_t part, parts;
	uint64_t time_limit_ms;     /* 0: none. Unfinished units are discarded at the limit */
	const volatile int *cancel; /* polled; nonzero cancels the run; NULL: none */
	nq_progress_fn progress;    /* NULL: none */
	void *progress_opaque;
	uint32_t progress_ms; /* interval of progress calls; 0: 200 */
	/* JOIN of n from 22 on, CUDA: memory to use on each device. 0: what is free, at most
	 * 30 GB. NOMEM: too small for one unit. */
	uint64_t memory_bytes;
} nq_run_options;

#define nq_run_options_init(o) nq_run_options_init_sized((o), sizeof(nq_run_options))
void nq_run_options_init_sized(nq_run_options *o, size_t struct_bytes);

typedef struct nq_result {
	size_t struct_bytes;      /* set by nq_result_init */
	size_t units_done, units; /* of this run's part */
	/* Visited nodes with a free column in the next row, roots of tasks included; 0 for JOIN. */
	uint64_t nodes;
	uint64_t elapsed_ns;
	uint64_t kernel_ns; /* CUDA: time in kernels; of several devices the longest */
	nq_backend backend; /* the backend that counted; AUTO only if nothing was counted */
	uint32_t devices;   /* CUDA: number of devices used */
	char device[256];   /* CUDA: name of the first of them; else "" */
	uint32_t workers;
	nq_simd simd;
	char message[256]; /* of an error, as nq_last_error() */
} nq_result;
static inline void nq_result_init(nq_result *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Counts the units of the run's part that the ledger lacks, and records them there. After
 * CANCELLED, TIME_LIMIT or an error the ledger has all finished units. result may be NULL. With
 * backend AUTO, CUDA is not initialised if the CPU is expected to end before that. */
nq_status nq_run(
	const nq_plan *plan, nq_ledger *ledger, const nq_run_options *o, nq_result *result);

/* Counts one unit in the calling thread, to verify an earlier count. nodes may be NULL. */
nq_status nq_run_unit(
	const nq_plan *plan, size_t unit, nq_simd simd, uint64_t *count, uint64_t *nodes);

/* Plan, ledger and run in one call: counts all solutions of n queens by method AUTO. o may be NULL
 * (all defaults); ERR_ARG if it selects a part. result may be NULL. *out is zero unless the status
 * is OK. */
nq_status nq_solve(uint32_t n, const nq_run_options *o, nq_count *out, nq_result *result);

/* ---- verification ---- */

typedef struct nq_verification {
	size_t struct_bytes;
	uint32_t samples, wrong; /* compared; of these different */
	uint32_t with_solutions; /* of samples: not 0 */
	nq_count solutions;      /* of all samples, by backtracking */
	char message[256];       /* describes the first wrong one, or an error */
} nq_verification;
static inline void nq_verification_init(nq_verification *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Verifies a JOIN plan whose units take too long to count them again: counts random sets of rows of
 * random units with some random queens given, by the join on the backend of o (AUTO: CPU) and by
 * backtracking on the CPU, and compares. UNSUPPORTED: another method, or as nq_run(). OK although
 * some are wrong. */
nq_status nq_verify_join(const nq_plan *plan, const nq_run_options *o, uint32_t samples,
	uint64_t seed, nq_verification *out);

/* Estimates the weighted count of all units from the finished ones, which have to be a random
 * sample, such as one part of many: *total and its standard error. ERR_MISSING: fewer than 2 units
 * are finished. ERR_FOREIGN: the ledger belongs to another plan. */
nq_status nq_ledger_estimate(
	const nq_ledger *ledger, const nq_plan *plan, double *total, double *error);

/* ---- estimates ---- */

typedef struct nq_estimate {
	size_t struct_bytes;
	double nodes, nodes_error;         /* as in nq_result, and the standard error; 0 for JOIN */
	double solutions, solutions_error; /* 0 for JOIN */
} nq_estimate;
static inline void nq_estimate_init(nq_estimate *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Estimates nodes and solutions by random descents from random tasks, weighted by the branching
 * factors (Knuth 1975, Estimating the efficiency of backtrack programs). */
nq_status nq_estimate_nodes(
	const nq_plan *plan, uint32_t descents, uint64_t seed, nq_estimate *out);

typedef struct nq_time_estimate {
	size_t struct_bytes;
	double cpu_s, cpu_s_error; /* of one thread for all units, and the standard error */
	size_t units;              /* counted for the estimate */
} nq_time_estimate;
static inline void nq_time_estimate_init(nq_time_estimate *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Estimates the CPU time by counting random units for about budget_ms, two at least, in the calling
 * thread. JOIN of n above 20, whose units take seconds to hours: a rough value from a table; units
 * is 0. */
nq_status nq_estimate_time(const nq_plan *plan, nq_simd simd, uint32_t budget_ms, uint64_t seed,
	nq_time_estimate *out);

typedef struct nq_join_sample {
	size_t struct_bytes;
	uint32_t samples;                  /* counted sets of rows */
	double solutions, solutions_error; /* of all units, and the standard error; 0: 1 sample */
	/* For all units: of one CPU thread, or in kernels of one device, where it weighs expensive
	 * sets more (the totals of 22 to 24 queens were within 5 %). 0: n below 22, whose units
	 * other code counts. */
	double seconds;
	uint64_t device_bytes; /* CUDA: memory used */
	char message[256];     /* of an error, as nq_last_error() */
	/* The standard error of seconds by the samples, of a device by the groups in which they
	 * were counted: a rough one if these are few, and beside the bias of seconds. 0: one group,
	 * or no seconds. */
	double seconds_error;
} nq_join_sample;
static inline void nq_join_sample_init(nq_join_sample *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Estimates the solutions of a JOIN plan, and the time of counting them, without a finished unit:
 * counts random sets of rows on the backend of o (AUTO: CPU, the calling thread) until `most` are
 * counted (0: no bound) or about budget_ms have passed (0: no limit; at least four groups are
 * counted, on a device of 256 sets each, from n = 26 on of 32, at n = 28 of 4). They are drawn with
 * probabilities in proportion to their expected costs, and their counts weighted accordingly, so
 * that the estimate has no bias. *o->cancel is polled. The same seed and number of samples give the
 * same result. ERR_ARG: neither bound is given. UNSUPPORTED: another method, or as nq_run(). */
nq_status nq_sample_join(const nq_plan *plan, const nq_run_options *o, uint32_t most,
	uint32_t budget_ms, uint64_t seed, nq_join_sample *out);

/* ---- symmetry ---- */

/* Counts the solutions that are invariant under a half turn, a quarter turn (A032522,
 * A033148). n: 1 .. NQ_MAX_N. */
nq_status nq_half_turn_count(uint32_t n, nq_count *out);
nq_status nq_quarter_turn_count(uint32_t n, nq_count *out);
/* Returns the number of symmetry classes (A002562) from `total`, the number of all solutions.
 * ERR_ARG: total cannot be that number. */
nq_status nq_unique_count(uint32_t n, nq_count total, nq_count *out);
/* The same of boards with given queens, on different squares: the symmetries are those that map the
 * given queens to each other. */
nq_status nq_unique_count_given(
	uint32_t n, const nq_square *given, size_t given_count, nq_count total, nq_count *out);
/* Returns nonzero if the solution is the first of its class in lexicographic order, the symmetries
 * being those that map the given queens to each other. From any thread. */
int nq_board_leads_class(
	uint32_t n, const nq_square *given, size_t given_count, const uint32_t *cols);

/* ---- solutions ---- */

/* Constructs one solution (Pauls 1874) for n from 1 to UINT32_MAX. UNSUPPORTED: n is 2 or 3, which
 * have none. cols has n entries. */
nq_status nq_first(uint32_t n, uint32_t *cols);
/* Returns nonzero if no queen attacks another. Allocates 2n bytes; returns 0 if memory is short. */
int nq_board_ok(uint32_t n, const uint32_t *cols);

/* cols: n entries, valid during the call. A nonzero return value ends the search. */
typedef int (*nq_board_fn)(void *opaque, uint32_t n, const uint32_t *cols);
/* Lists the first `most` (0: all) solutions with the given queens, in lexicographic order of cols.
 * found may be NULL. n: 1 .. NQ_MAX_N. CANCELLED: *cancel (may be NULL), which each node polls,
 * became nonzero. */
nq_status nq_boards(uint32_t n, int toroidal, const nq_square *given, size_t given_count,
	uint64_t most, nq_board_fn fn, void *opaque, const volatile int *cancel, uint64_t *found);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
