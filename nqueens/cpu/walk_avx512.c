/* Backtracking with eight nodes in a vector. */
#include "nqueens/cpu/walk.h"
#include "nqueens/core/board.h"

#ifdef __x86_64__
#include <immintrin.h>

#define WALK_NAME    nq_i_walk_avx512
#define WALK_TARGET  __attribute__((target("avx512f,avx512bw,avx512vl,popcnt")))
#define WALK_LANES   8u
#define WALK_VECTORS 4

typedef __m512i wv;
typedef uint32_t wm;
#define wv_set1(x)       _mm512_set1_epi64(x)
#define wv_load(p)       _mm512_loadu_si512(p)
#define wv_and(a, b)     _mm512_and_si512(a, b)
#define wv_andnot(a, b)  _mm512_andnot_si512(a, b)
#define wv_or(a, b)      _mm512_or_si512(a, b)
#define wv_or3(a, b, c)  _mm512_ternarylogic_epi64(a, b, c, 0xfe)
#define wv_sub(a, b)     _mm512_sub_epi64(a, b)
#define wv_srl(v, k)     _mm512_srl_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define wv_sll(v, k)     _mm512_sll_epi64(v, _mm_cvtsi32_si128((int)(k)))
#define wv_nonzero(v)    ((wm)_mm512_test_epi64_mask(v, v))
#define wv_zero(v)       ((wm)_mm512_testn_epi64_mask(v, v))
#define wv_not_ones(v)   ((wm)_mm512_cmpneq_epi64_mask(v, _mm512_set1_epi64(-1)))
#define wv_keep(mask, v) _mm512_maskz_mov_epi64((__mmask8)(mask), v)
/* compressed in a register first: compressing stores are slow on some processors */
#define wv_pack_store(p, mask, v) \
	_mm512_storeu_si512(p, _mm512_maskz_compress_epi64((__mmask8)(mask), v))

#include "nqueens/cpu/walk_vector.h"
#else
extern int nq_i_no_avx512;
#endif
