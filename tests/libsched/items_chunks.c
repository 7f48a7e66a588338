/* Reservation of chunks by workers, without a run. */
#include <string.h>
#include "libsched/core/target.h"
#include "libsched/items/chunk.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/libsched/items_chunks.h"

enum { CHUNK_WORKERS = 5, CHUNK_WORDS_MOST = 3 };

/* Each worker has chunks of its own from the first call on, all of them once. */
static void chunks_are_own_first(void)
{
	for (uint32_t words = 1; words <= CHUNK_WORDS_MOST; words++) {
		uint32_t bitmap[CHUNK_WORKERS * CHUNK_WORDS_MOST] = { 0 };
		lsched_i_args a;

		memset(&a, 0, sizeof(a));
		a.items_chunk_bitmap = bitmap;
		a.items_worker_chunk_words = words;
		a.items_chunk_words = words * CHUNK_WORKERS;
		for (uint32_t k = CHUNK_WORKERS; k-- > 0;) {
			lsched_i_worker_private priv;
			lsched_worker w;
			uint32_t own = 0;

			memset(&priv, 0, sizeof(priv));
			memset(&w, 0, sizeof(w));
			priv.items_free_chunk_word = LSCHED_NONE;
			w.a = &a;
			w.priv = &priv;
			w.index = k;
			for (uint32_t i = 0; i < 32 * words; i++) {
				const uint32_t chunk = lsched_i_chunk_alloc(&w, 0);

				own += chunk / 32 / words == k;
			}
			CHECK(own == 32 * words, "worker %u of %u words: %u chunks", k, words, own);
			CU_ASSERT_EQUAL(lsched_i_chunk_alloc(&w, 0), LSCHED_NONE);
		}
	}
}

static void set_bits_have_numbers(void)
{
	for (uint32_t i = 0; i < 4000; i++) {
		const uint32_t bits = i == 0 ? ~0u : i % 3 ? rng() : rng() & rng() & rng();
		uint32_t k = 0;

		for (uint32_t at = 0; at < 32; at++)
			if (bits >> at & 1u) {
				CHECK(lsched_i_bitmap_nth(bits, k) == at, "bit %u of %x", k, bits);
				k++;
			}
	}
}

CU_TestInfo items_chunk_tests[] = { { "chunks are a worker's own first", chunks_are_own_first },
	{ "set bits have numbers", set_bits_have_numbers }, CU_TEST_INFO_NULL };
