/* Published counts, for programs and tests. The library does not link them, so no
 * count can come from here. */
#ifndef NQUEENS_KNOWN_H
#define NQUEENS_KNOWN_H

#include <nqueens/nqueens.h>

enum { NQ_KNOWN_MAX_N = 27 };

/* All solutions (OEIS A000170) and symmetry classes (A002562), n: 1 .. NQ_KNOWN_MAX_N.
 * ERR_UNSUPPORTED: another n. */
nq_status nq_known_count(uint32_t n, nq_count *out);
nq_status nq_known_unique(uint32_t n, nq_count *out);
/* On the torus (A007705), n: 1 .. NQ_KNOWN_TOROIDAL_MAX_N; 0 where 2 or 3 divides n. */
enum { NQ_KNOWN_TOROIDAL_MAX_N = 24 };
nq_status nq_known_toroidal(uint32_t n, nq_count *out);

#endif
