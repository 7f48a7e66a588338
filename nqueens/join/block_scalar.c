/* The hot loop of the join for 64 patterns, on any processor. */
#include "nqueens/join/joiner.h"

#define BLOCK_NAME nq_i_join_block_scalar
#define BLOCK_TARGET
#define BLOCK_WORDS 1

typedef uint64_t bv;
#define bv_load(p)      (*(p))
#define bv_store(p, v)  (*(p) = (v))
#define bv_zero()       ((bv)0)
#define bv_set1(x)      ((bv)(x))
#define bv_xor(a, b)    ((a) ^ (b))
#define bv_and(a, b)    ((a) & (b))
#define bv_or(a, b)     ((a) | (b))
#define bv_or3(a, b, c) ((a) | (b) | (c))
#define bv_add(a, b)    ((a) + (b))
#define bv_srl(v, k)    ((v) >> (k))
#define bv_sll(v, k)    ((v) << (k))
#define bv_ones_of(v)   ((bv)__builtin_popcountll(v))

#include "nqueens/join/block.h"
