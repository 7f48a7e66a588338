/* The hot loop of the join for 512 patterns. */
#include "nqueens/join/joiner.h"

#ifdef __x86_64__
#include <immintrin.h>

#define BLOCK_NAME   nq_i_join_block_avx512
#define BLOCK_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")))
#define BLOCK_WORDS  8

typedef __m512i bv;
#define bv_load(p)      _mm512_load_si512(p)
#define bv_store(p, v)  _mm512_store_si512(p, v)
#define bv_zero()       _mm512_setzero_si512()
#define bv_set1(x)      _mm512_set1_epi64((long long)(x))
#define bv_xor(a, b)    _mm512_xor_si512(a, b)
#define bv_and(a, b)    _mm512_and_si512(a, b)
#define bv_or(a, b)     _mm512_or_si512(a, b)
#define bv_or3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xfe)
#define bv_add(a, b)    _mm512_add_epi64(a, b)
#define bv_srl(v, k)    _mm512_srl_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define bv_sll(v, k)    _mm512_sll_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define bv_ones_of(v)   _mm512_popcnt_epi64(v)

#include "nqueens/join/block.h"
#else
extern int nq_i_no_join_avx512;
#endif
