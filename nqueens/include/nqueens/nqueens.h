/* Counting the ways to put N queens on an N x N board so that none attacks another.
 *
 * A *plan* is what there is to count: the N, the method, and a list of *units*, each of which is counted
 * alone, in any order, by anybody. A *ledger* holds the units that are done and their counts: what a
 * checkpoint stores (<nqueens/checkpoint.h>), and what several machines add up. A *run* counts units of a plan that its ledger
 * has not got yet.
 *
 *	nq_plan_options po;  nq_plan_options_init(&po);  po.n = 16;
 *	nq_plan *plan;       if (nq_plan_create(&plan, &po) != NQ_OK) ...
 *	nq_ledger *ledger;   nq_ledger_create(&ledger, plan);
 *	nq_run_options ro;   nq_run_options_init(&ro);
 *	nq_result r;         nq_run(plan, ledger, &ro, &r);
 *	nq_count total;      nq_ledger_total(ledger, plan, &total);
 *	nq_ledger_destroy(&ledger);  nq_plan_destroy(&plan);
 *
 * Rows and columns count from 0. A board is an array of columns, one a row.
 *
 * Threads: a plan does not change and may be shared; a ledger may be read while a run fills it
 * (nq_ledger_done, nq_ledger_unit_count), everything else of one object by one thread at a time. No
 * function prints, exits or reads the environment.
 *
 * Errors: functions return a status, negative on failure; out pointers are then NULL or zero, and
 * nq_last_error() says more in one sentence without a newline.
 *
 * Structs of options, progress and results carry their size in struct_bytes, so that a program works with a
 * later version of the library. Their init functions set it; a struct without it is ERR_ARG. */
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

/* Largest N that can be counted: columns are 32 bits, diagonals 2N-1 of 64. */
#define NQ_MAX_N 32
/* Largest N of the quadrant join: a placement's diagonals are packed into 30 bits. */
#define NQ_JOIN_MAX_N 22

/* X(name, number, text). Errors are negative, how a run ended early is positive. */
#define NQ_STATUSES(X)                                                      \
	X(OK, 0, "success")                                                 \
	X(CANCELLED, 1, "cancelled before all units were counted")          \
	X(TIME_LIMIT, 2, "the time was over before all units were counted") \
	X(ERR_ARG, -1, "invalid argument")                                  \
	X(ERR_NOMEM, -2, "out of memory")                                   \
	X(ERR_UNSUPPORTED, -3, "not supported for this board or build")     \
	X(ERR_SCHED, -4, "the scheduler reported an error")                 \
	X(ERR_NO_DEVICE, -5, "no usable CUDA device")                       \
	X(ERR_DEVICE, -6, "the CUDA device reported an error")              \
	X(ERR_FOREIGN, -7, "the counts belong to another plan")             \
	X(ERR_TWICE, -8, "a unit is counted twice")                         \
	X(ERR_MISSING, -9, "not all units are counted")                     \
	X(ERR_FORMAT, -10, "not a checkpoint, or a damaged one")

typedef enum nq_status {
#define NQ_X(name, number, text) NQ_##name = (number),
	NQ_STATUSES(NQ_X)
#undef NQ_X
} nq_status;

/* The sentence of a status; never NULL. */
const char *nq_strstatus(nq_status status);

/* Why the last call of the calling thread that failed did so: one sentence, "" before any. Valid until the
 * thread's next call that fails. */
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
/* Decimal; text has NQ_COUNT_TEXT_BYTES. Returns text. */
char *nq_count_text(nq_count a, char *text);
/* Digits only, the whole text; ERR_ARG else or if it needs more than 128 bits. */
nq_status nq_count_parse(const char *text, nq_count *out);

/* ---- what to count ---- */

/* TASKS: each board is an item that libsched runs and that spawns its children (Tzeng, Lloyd, Owens
 * 2012). BACKTRACK: subtrees, each walked by one worker, several boards beside each other. JOIN:
 * quarters of the board are listed once and joined; no backtracking (after Kluev). AUTO: what is
 * fastest for this N on this backend. */
typedef enum nq_method {
	NQ_METHOD_AUTO,
	NQ_METHOD_TASKS,
	NQ_METHOD_BACKTRACK,
	NQ_METHOD_JOIN
} nq_method;

/* Instructions of the CPU: AUTO is the best this processor has. */
typedef enum nq_simd { NQ_SIMD_AUTO, NQ_SIMD_SCALAR, NQ_SIMD_AVX2, NQ_SIMD_AVX512 } nq_simd;

/* Names as on command lines; NULL out of range, so that lists can be walked. Parsing returns 0 or -1. */
const char *nq_method_name(nq_method m);
const char *nq_simd_name(nq_simd s);
const char *nq_backend_name(nq_backend b);
int nq_method_parse(const char *name, nq_method *out);
int nq_backend_parse(const char *name, nq_backend *out);
int nq_simd_parse(const char *name, nq_simd *out);

/* Nonzero if this processor and build can. */
int nq_simd_usable(nq_simd s);

typedef struct nq_square {
	uint32_t row, col;
} nq_square;

/* A subtree takes 24 bytes or so, and the last row to be split can make N of one. */
#define NQ_MIN_TASKS_MAX (1u << 22)

typedef struct nq_plan_options {
	size_t struct_bytes; /* set by nq_plan_options_init */
	uint32_t n;          /* 1 .. NQ_MAX_N; JOIN: at most NQ_JOIN_MAX_N */
	nq_method method;
	nq_backend backend;  /* where it will be counted; only method AUTO depends on it */
	uint32_t min_tasks;  /* split until there are so many subtrees, if the tree has them; 0: the
			      * preplacements only; at most NQ_MIN_TASKS_MAX */
	uint32_t unit_tasks; /* subtrees of a unit at most; 0: chosen */
	uint32_t cross;      /* lines of the central cross, of N's parity, at most 4; 0: chosen */
	uint32_t plain;      /* nonzero: start from the empty board, use no symmetry (not JOIN) */
	uint32_t toroidal;   /* nonzero: diagonals go round; not TASKS nor JOIN */
	/* Count the boards that hold these queens; none if they attack each other. No symmetry is
	 * used then. Not JOIN, not with cross or toroidal. */
	const nq_square *given;
	size_t given_count;
} nq_plan_options;

#define nq_plan_options_init(o) nq_plan_options_init_sized((o), sizeof(nq_plan_options))
void nq_plan_options_init_sized(nq_plan_options *o, size_t struct_bytes);

typedef struct nq_plan nq_plan;

/* A subtree: a board on which some rows have their queens. Plain data, so that a lane of a GPU can go on
 * from here: the queen of row r in column c occupies bit r+c of d1 and bit n-1-r+c of d2, so the free
 * columns of row r are ~(cols | d1 >> r | d2 >> (n-1-r)). Rows are filled from the middle outwards, the
 * upper first of two that are equally far. Toroidal boards count both sums modulo n. */
typedef struct nq_task {
	uint64_t d1, d2;
	uint32_t cols; /* columns taken */
	uint32_t rows; /* rows still empty */
	uint32_t unit;
	uint32_t weight; /* each completion stands for so many boards */
} nq_task;

/* TASKS, BACKTRACK: tasks first .. first+count-1, which all have the same empty rows and weight. JOIN:
 * odd n, the middle column's queen `first` + 1 squares from the centre, and the middle row's nearer to it
 * (0, and all of even n: none, or one in the centre); with the set `count` of the northern rows whose queen
 * is in the eastern half. Its count is weighted already, weight is 1. */
typedef struct nq_unit {
	uint32_t first, count, weight;
} nq_unit;

/* ERR_ARG: n or an option out of range, or options that exclude each other. UNSUPPORTED: the method
 * cannot do this. Takes milliseconds. Whoever counts units of a JOIN on the CPU first lists all placements
 * of a quarter, once a plan: 0.3 s and 35 MB at n = 20, 3 s and 300 MB at 22; and a worker of a run takes up
 * to 10 and 75 MB. */
nq_status nq_plan_create(nq_plan **out, const nq_plan_options *o);
void nq_plan_destroy(nq_plan **plan); /* NULL and pointer to NULL are fine */

uint32_t nq_plan_n(const nq_plan *plan);
nq_method nq_plan_method(const nq_plan *plan); /* never AUTO */
/* The same for the same plan everywhere; it covers n, method and all units. */
uint64_t nq_plan_hash(const nq_plan *plan);
size_t nq_plan_units(const nq_plan *plan, const nq_unit **units);
size_t nq_plan_tasks(const nq_plan *plan, const nq_task **tasks); /* 0 for JOIN */

/* Legal placements on the central cross of `cross` lines each way: all, those of which one stands for
 * each class under the 8 symmetries of the square, and how many of these have the weight
 * 8 / |stabiliser| 8, 4, 2 and 1. */
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

/* ---- what is done ---- */

typedef struct nq_ledger nq_ledger;

nq_status nq_ledger_create(nq_ledger **out, const nq_plan *plan);
void nq_ledger_destroy(nq_ledger **ledger);
uint64_t nq_ledger_hash(const nq_ledger *ledger); /* of its plan */
size_t nq_ledger_units(const nq_ledger *ledger);
size_t nq_ledger_done_count(const nq_ledger *ledger);
int nq_ledger_done(const nq_ledger *ledger, size_t unit);
/* What was counted in a unit that is done, without the unit's weight; 0 else. */
uint64_t nq_ledger_unit_count(const nq_ledger *ledger, size_t unit);
/* Enters a unit, as from a checkpoint. ERR_ARG: no such unit; ERR_TWICE: it is done already. */
nq_status nq_ledger_set(nq_ledger *ledger, size_t unit, uint64_t count);
/* Enters all units of another ledger. FOREIGN: of another plan; TWICE: one is in both; nothing is
 * entered then. */
nq_status nq_ledger_merge(nq_ledger *into, const nq_ledger *from);
/* Weighted sum of the units that are done; MISSING if some are not, with the sum of those that are;
 * FOREIGN (and 0) if it is not this plan's. */
nq_status nq_ledger_total(const nq_ledger *ledger, const nq_plan *plan, nq_count *out);

/* ---- counting ---- */

typedef struct nq_progress {
	size_t struct_bytes;      /* of the library */
	size_t units_done, units; /* of this run's share, with what was done before */
	uint64_t work_done, work; /* the same in units of their expected cost, for an ETA */
	uint64_t nodes;           /* boards looked at in this run so far */
	uint64_t elapsed_ns;
} nq_progress;
/* Called by the thread that called nq_run, first before anything is counted, last when all
 * is. The ledger may be read. Nonzero cancels. */
typedef int (*nq_progress_fn)(void *opaque, const nq_progress *p);

/* nq_run_options.device: besides a device's number. */
enum {
	NQ_CURRENT_DEVICE = -1, /* that of the thread that calls nq_run */
	NQ_ALL_DEVICES = -2
};

typedef struct nq_run_options {
	size_t struct_bytes; /* set by nq_run_options_init */
	nq_backend
		backend;   /* AUTO: the one that is expected to end first. CUDA: UNSUPPORTED if this
			     * build has none or it cannot count this plan */
	int device;        /* CUDA */
	uint32_t workers;  /* CPU: threads, 0: all processors. CUDA: warps, 0: what fits */
	const char *queue; /* name of a queue of libsched ("ring", "steal", ...), for the boards of
			    * TASKS and for units on the CPU; NULL: "ring" */
	uint32_t
		by_queue; /* BACKTRACK on CUDA: nonzero: subtrees go to warps by the batch, as tasks of
			    * libsched under `queue`. Else by a counter, which costs 5 to 13 % less */
	nq_simd simd;
	uint32_t part,
		parts; /* part 1 .. parts of the units; 0, 0: all. The parts share no unit and
			       * leave none out */
	uint64_t time_limit_ms;     /* 0: none. Units that are begun are given up */
	const volatile int *cancel; /* nonzero there ends the run soon; NULL: none */
	nq_progress_fn progress;    /* NULL: none */
	void *progress_opaque;
	uint32_t progress_ms; /* how often; 0: 200 */
} nq_run_options;

#define nq_run_options_init(o) nq_run_options_init_sized((o), sizeof(nq_run_options))
void nq_run_options_init_sized(nq_run_options *o, size_t struct_bytes);

typedef struct nq_result {
	size_t struct_bytes;      /* set by nq_result_init */
	size_t units_done, units; /* of this run's share */
	uint64_t
		nodes; /* boards that were looked at and have a free square in the next row, from the
			 * tasks' on; 0 for JOIN */
	uint64_t elapsed_ns;
	uint64_t kernel_ns; /* CUDA: time in kernels; of several devices the longest */
	nq_backend backend; /* where it was counted; never AUTO, if anything was */
	uint32_t devices;   /* CUDA: how many took part */
	char device[256];   /* CUDA: the name of the first of them; else "" */
	uint32_t workers;
	nq_simd simd;
	char message[256]; /* of an error, as nq_last_error() */
} nq_result;
static inline void nq_result_init(nq_result *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Counts the units of the run's part that the ledger has not got. CANCELLED, TIME_LIMIT and errors
 * leave all finished units in the ledger. result may be NULL. CUDA is not touched where AUTO can tell
 * that it would not pay. */
nq_status nq_run(
	const nq_plan *plan, nq_ledger *ledger, const nq_run_options *o, nq_result *result);

/* One unit, by the calling thread: to repeat what somebody else has counted. nodes may be NULL. */
nq_status nq_run_unit(
	const nq_plan *plan, size_t unit, nq_simd simd, uint64_t *count, uint64_t *nodes);

/* Plan, ledger and run in one: counts all boards of n queens by the method that is fastest there. o may be
 * NULL (all defaults); a part of the units cannot be counted so (ERR_ARG). result may be NULL. *out is
 * zero unless the status is OK. */
nq_status nq_solve(uint32_t n, const nq_run_options *o, nq_count *out, nq_result *result);

/* ---- before a long run ---- */

typedef struct nq_estimate {
	size_t struct_bytes;
	double nodes,
		nodes_error; /* boards as nq_result counts them, and the standard error; 0 for JOIN */
	double solutions, solutions_error; /* 0 for JOIN */
} nq_estimate;
static inline void nq_estimate_init(nq_estimate *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Random descents from random tasks, weighted by their branching (Knuth 1975, Estimating the
 * efficiency of backtrack programs). */
nq_status nq_estimate_nodes(
	const nq_plan *plan, uint32_t descents, uint64_t seed, nq_estimate *out);

typedef struct nq_time_estimate {
	size_t struct_bytes;
	double cpu_s, cpu_s_error; /* of one thread for all units, and the standard error */
	size_t units;              /* so many were counted to find out */
} nq_time_estimate;
static inline void nq_time_estimate_init(nq_time_estimate *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Counts random units for about budget_ms (two units at least) in the calling thread. */
nq_status nq_estimate_time(const nq_plan *plan, nq_simd simd, uint32_t budget_ms, uint64_t seed,
	nq_time_estimate *out);

/* ---- symmetric boards, unique counts ---- */

/* Boards that a half turn, a quarter turn leaves as they are (A032522, A033148). n: 1 .. NQ_MAX_N. */
nq_status nq_half_turn_count(uint32_t n, nq_count *out);
nq_status nq_quarter_turn_count(uint32_t n, nq_count *out);
/* Solutions that no symmetry maps to each other (A002562), out of all, `total`. ERR_ARG if total cannot be
 * the count of all. */
nq_status nq_unique_count(uint32_t n, nq_count total, nq_count *out);

/* ---- boards ---- */

/* One solution by construction (Pauls 1874), any n from 1 to UINT32_MAX but 2 and 3, which have none
 * (UNSUPPORTED). cols has n entries. */
nq_status nq_first(uint32_t n, uint32_t *cols);
/* Nonzero if no queen attacks another. Takes 2n bytes for a while; NOMEM counts as no. */
int nq_board_ok(uint32_t n, const uint32_t *cols);

/* cols: n entries, valid during the call. Nonzero ends the walk. */
typedef int (*nq_board_fn)(void *opaque, uint32_t n, const uint32_t *cols);
/* The first `most` (0: all) boards that hold the given queens, in lexicographic order of cols.
 * found may be NULL. n: 1 .. NQ_MAX_N. CANCELLED: *cancel (NULL: nobody asks) became nonzero, which ends the
 * walk soon, even where there is no board for days. */
nq_status nq_boards(uint32_t n, int toroidal, const nq_square *given, size_t given_count,
	uint64_t most, nq_board_fn fn, void *opaque, const volatile int *cancel, uint64_t *found);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
