/* Placements on the central cross: w middle rows and w middle columns, which the 8 symmetries of
 * the square map to themselves. Every solution induces one placement P of queens on the cross, so
 *	solutions(n) = sum over one P of each symmetry class of
 *		(8 / |stabiliser of P|) x completions of P,
 * and no completion has to be tested for symmetry. */
#ifndef NQUEENS_PLAN_CROSS_H
#define NQUEENS_PLAN_CROSS_H

#include <nqueens/nqueens.h>

enum { NQ_I_CROSS_MAX = 4 };

/* A placement as a subtree, and its reflection at the main diagonal. */
typedef struct nq_i_cross_pair {
	nq_task task, mirrored;
	uint32_t weight; /* 8 / |stabiliser| */
} nq_i_cross_pair;

/* A nonzero return value ends the enumeration. */
typedef int (*nq_i_cross_fn)(void *opaque, const nq_i_cross_pair *p);

/* Calls fn for one placement of each symmetry class, in a fixed order. raw (may be NULL): receives
 * the number of all legal placements. w: of n's parity, 1 .. NQ_I_CROSS_MAX, at most n. Returns the
 * last value of fn. */
int nq_i_cross_walk(uint32_t n, uint32_t w, nq_i_cross_fn fn, void *opaque, uint64_t *raw);

#endif
