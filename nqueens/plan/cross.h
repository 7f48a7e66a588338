/* Placements on the central cross: w middle rows and w middle columns, which the 8 symmetries of the
 * square map to themselves. Every solution induces one placement P of the queens on the cross, so
 *	T(n) = sum over one P of each class of (8 / |stabiliser of P|) x completions of P,
 * and no completion has to be tested for symmetry. */
#ifndef NQUEENS_CORE_CROSS_H
#define NQUEENS_CORE_CROSS_H

#include <nqueens/nqueens.h>

enum { NQ_I_CROSS_MAX = 4 };

/* A placement as a subtree, and its mirror image at the main diagonal; the same if n is small. */
typedef struct nq_i_cross_pair {
	nq_task task, mirrored;
	uint32_t weight; /* 8 / |stabiliser| */
} nq_i_cross_pair;

/* Nonzero ends the walk. */
typedef int (*nq_i_cross_fn)(void *opaque, const nq_i_cross_pair *p);

/* Calls fn for the canonical placements, in a fixed order. raw: if not NULL, all legal placements are
 * walked over and counted there. w: of n's parity, 1 .. NQ_I_CROSS_MAX, at most n. Returns what fn
 * returned. */
int nq_i_cross_walk(uint32_t n, uint32_t w, nq_i_cross_fn fn, void *opaque, uint64_t *raw);

#endif
