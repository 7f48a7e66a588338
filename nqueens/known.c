#include "nqueens/known.h"

/* OEIS A000170; 27: Preusser and Engelhardt 2016, Putting Queens in Carry Chains, No. 27. */
static const uint64_t all[NQ_KNOWN_MAX_N + 1] = { 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680,
	14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884,
	314666222712, 2691008701644, 24233937684440, 227514171973736, 2207893435808352,
	22317699616364044, 234907967154122528 };

/* OEIS A002562 */
static const uint64_t unique[NQ_KNOWN_MAX_N + 1] = { 1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787,
	9233, 45752, 285053, 1846955, 11977939, 83263591, 621012754, 4878666808, 39333324973,
	336376244042, 3029242658210, 28439272956934, 275986683743434, 2789712466510289,
	29363495934315694 };

static nq_status look_up(const uint64_t *table, uint32_t last, uint32_t n, nq_count *out)
{
	*out = nq_count_of(0);
	if (n < 1 || n > last)
		return NQ_ERR_UNSUPPORTED;
	*out = nq_count_of(table[n]);
	return NQ_OK;
}

nq_status nq_known_count(uint32_t n, nq_count *out)
{
	return look_up(all, NQ_KNOWN_MAX_N, n, out);
}

nq_status nq_known_unique(uint32_t n, nq_count *out)
{
	return look_up(unique, NQ_KNOWN_MAX_N, n, out);
}

nq_status nq_known_toroidal(uint32_t n, nq_count *out)
{
	/* of n prime to 6: 1, 5, 7, 11, 13, 17, 19, 23 */
	static const uint64_t torus[NQ_KNOWN_TOROIDAL_MAX_N + 1] = { [1] = 1,
		[5] = 10,
		[7] = 28,
		[11] = 88,
		[13] = 4524,
		[17] = 140692,
		[19] = 820496,
		[23] = 128850048 };

	return look_up(torus, NQ_KNOWN_TOROIDAL_MAX_N, n, out);
}
