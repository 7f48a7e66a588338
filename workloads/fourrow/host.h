/* The workload `fourrow` on the host: its options and truth. */
#ifndef WORKLOADS_FOURROW_HOST_H
#define WORKLOADS_FOURROW_HOST_H

#include "workloads/common/workload.h"
#include "workloads/fourrow/subtree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fourrow_options {
	wl_size board;
	uint32_t plies, serial, budget, walkers;
	int bounds;
	const char *solve; /* moves so far, columns from 1; "" and "-": none. NULL: no solver */
	const char *moves; /* the same for the tree */
	uint64_t table;    /* words */
} fourrow_options;

/* A position as an array of cells, for the truth: 0 empty, 1 and 2 stones of the first and the
 * second player; row 0 is the lowest. */
typedef struct fr_grid {
	uint32_t width, height, stones;
	uint8_t cell[FR_SIDE][FR_SIDE]; /* [column][row] */
	uint8_t filled[FR_SIDE];
} fr_grid;

/* Puts a stone on a column that is not full. */
void fr_grid_play(fr_grid *g, uint32_t column);
void fr_grid_unplay(fr_grid *g, uint32_t column);
/* Whether the highest stone of a column is part of four in a row. */
int fr_grid_wins(const fr_grid *g, uint32_t column);

/* Sequences of moves of at most `plies` from a position, none after a win. */
typedef struct fr_truth {
	uint64_t sequences[FR_MAX_PLIES + 1]; /* of exactly so many moves */
	int32_t value;
} fr_truth;

/* Counts the sequences of `plies` moves or fewer from a position that is not decided. */
void fr_grid_count(fr_grid *g, uint32_t plies, fr_truth *t);
/* Returns the value of the tree, by alpha-beta; `last`: column of the last move, or -1. */
int32_t fr_grid_value(fr_grid *g, uint32_t plies, int last, int32_t alpha, int32_t beta);
/* Returns the score of a position that is not decided, by alpha-beta alone: few empty cells. */
int32_t fr_grid_score(fr_grid *g, int32_t alpha, int32_t beta);

typedef struct fr_host {
	fourrow_options o;
	fr_ctx ctx;
	fr_grid grid; /* the first position */
	fr_truth truth;
	uint64_t sum; /* sequences of all lengths: items without bounds */
	int truth_made;
	int solved;         /* a result is known from an earlier execution */
	uint64_t answer;    /* of it */
	uint64_t plain_sum; /* items of a plain program */
	int32_t plain_value;
} fr_host;

/* Makes the first position of a text of moves. Returns 0, or -1 with msg: `option` is named. */
int fr_read_moves(
	const char *option, const char *text, fr_grid *g, uint32_t *over, char *msg, size_t n);
fr_position fr_grid_position(const fr_board *b, const fr_grid *g);

/* Compare a result with the truth. Return 0, or -1 with why. */
int fr_check_plies(fr_host *h, uint64_t items, int32_t value, char *why, size_t n);
int fr_check_answer(fr_host *h, int32_t score, uint32_t best, char *why, size_t n);

/* The tree without libsched: recursion; kernels. As wl_work.plain. */
int fr_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

int fr_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

WL_PROGRAM(fourrow_plies);
WL_PROGRAM(fourrow_solve);

#ifdef __cplusplus
}
#endif
#endif
