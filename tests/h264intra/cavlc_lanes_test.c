/* The bits of CAVLC as the lanes of a warp count them (cuda/cavlc_count.cuh), and the levels that
 * they choose by them (cuda/cavlc_levels.cuh), against h264i_cavlc_bits() and
 * h264i_cavlc_quantise(), which come before lanes.h so that they are text of the CPU. */
#undef _FORTIFY_SOURCE /* as lanes.h, which comes too late for it here */
#include "h264intra/decide/cavlc_rates.h"

#include "tests/libsched/lanes.h"

#include "h264intra/cuda/cavlc_levels.cuh"
#include "tests/common/effort.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/random_levels.h"

#include <string.h>

static union {
	cavlc_device_tables t;
	uint32_t aligned;
} tables;

/* A block for each half of the warp. */
static struct {
	h264i_cavlc_kind kind[2];
	int32_t level[2][16];
	uint32_t lowered[2]; /* bit i: lane i lowers its level */
	uint32_t bits[2][16];
} warp;

static void count(void *arg)
{
	const int lane = (int)threadIdx.x, half = lane >> 4, hl = lane & 15;
	const cavlc_place p = cavlc_place_of(&warp.kind[half], lane);
	const int level = warp.level[half][hl];
	const cavlc_votes w = cavlc_votes_of(__ballot_sync(0xffffffffu, level > 0), level);

	(void)arg;
	warp.bits[half][hl] = cavlc_count(&p, &w, level, warp.lowered[half] >> hl & 1, lane);
}

/* Wrong counts of the blocks in `warp`, whose levels outside of their kinds become 0. */
static int wrong_counts(void)
{
	int wrong = 0;

	for (int b = 0; b < 2; b++)
		for (int i = 0; i < 16; i++) {
			if (i < warp.kind[b].first || i >= warp.kind[b].last)
				warp.level[b][i] = 0;
			if (!warp.level[b][i])
				warp.lowered[b] &= ~(1u << i);
		}
	lanes_run(count, NULL);
	for (int b = 0; b < 2; b++) {
		uint32_t any = 0, larger = 0;

		for (int i = 0; i < 16; i++) {
			any |= (uint32_t)(warp.level[b][i] != 0) << i;
			larger |= (uint32_t)(warp.level[b][i] > 1) << i;
		}
		for (int i = 0; i < 16; i++)
			wrong += warp.bits[b][i] != h264i_cavlc_bits(&warp.kind[b], warp.level[b],
							    any, larger,
							    warp.lowered[b] >> i & 1 ? i : -1);
	}
	return wrong;
}

/* All kinds with all classes of nC, one after another. */
static h264i_cavlc_kind kind_of(uint32_t n)
{
	static const int context[] = { 0, 1, 2, 3, 4, 7, 8, 16 };
	h264i_cavlc_kind k = { &tables.t.code, 0, 4, -1 };

	n %= 17;
	if (n < 16) {
		k.first = (int)(n & 1);
		k.last = 16;
		k.nC = context[n >> 1];
	}
	return k;
}

static void take_kinds(uint32_t n)
{
	warp.kind[0] = kind_of(n);
	warp.kind[1] = kind_of(n / 17);
}

static void random_blocks(void)
{
	const uint32_t rounds = (uint32_t)test_effort(20000, 6000, 4000);
	int wrong = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		take_kinds(round);
		for (int b = 0; b < 2; b++) {
			int16_t level[16];

			random_levels(level, 16);
			for (int i = 0; i < 16; i++)
				warp.level[b][i] = level[i] < 0 ? -level[i] : level[i];
			warp.lowered[b] = round % 4 ? (uint32_t)rng() : 0xffff;
		}
		wrong += wrong_counts();
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Every set of coefficients that are not 0, of small levels: all runs, and all numbers of trailing
 * ones. */
static void all_masks(void)
{
	const uint32_t step = (uint32_t)test_effort(2, 6, 14);
	int wrong = 0;

	for (uint32_t mask = 0; mask < 0x10000; mask += step) {
		uint32_t size = 1 + rng() % 5;

		take_kinds((uint32_t)rng() % (17 * 17));
		for (uint32_t b = 0; b < 2; b++) {
			for (int i = 0; i < 16; i++)
				warp.level[b][i] =
					(mask | b) >> i & 1
						? 1 + (int)(rng() % size) * (int)(rng() % 2)
						: 0;
			warp.lowered[b] = 0xffff;
		}
		wrong += wrong_counts();
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Levels next to those that raise suffixLength, and to those with an escape. */
static void extreme_levels(void)
{
	static const int32_t size[] = { 0, 1, 1, 2, 3, 4, 6, 7, 8, 9, 12, 13, 15, 16, 17, 24, 25,
		30, 31, 32, 33, 48, 49, 61, 120, 240, 480, 481, 2063, 32767 };
	const uint32_t sizes = sizeof(size) / sizeof(size[0]);
	const uint32_t rounds = (uint32_t)test_effort(20000, 6000, 4000);
	int wrong = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t most = 2 + (uint32_t)rng() % (sizes - 1);

		take_kinds(round);
		for (int b = 0; b < 2; b++) {
			for (int i = 0; i < 16; i++)
				warp.level[b][i] = size[rng() % most];
			warp.lowered[b] = 0xffff;
		}
		wrong += wrong_counts();
	}
	/* All of one size. */
	for (uint32_t s = 0; s < sizes; s++)
		for (uint32_t n = 0; n < 17; n++) {
			take_kinds(18 * n);
			for (int b = 0; b < 2; b++)
				for (int i = 0; i < 16; i++)
					warp.level[b][i] = size[s] - (b && i % 3 && size[s] > 1);
			warp.lowered[0] = warp.lowered[1] = 0xffff;
			wrong += wrong_counts();
		}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- the choice of levels ---- */

static struct {
	uint32_t real[2][16];
	int32_t weight;
	int passes;
	uint64_t chosen[2][16];
} choice;

static void choose(void *arg)
{
	const int lane = (int)threadIdx.x, half = lane >> 4, hl = lane & 15;

	(void)arg;
	choice.chosen[half][hl] = half_cavlc_packed(
		warp.kind[half], choice.real[half][hl], choice.weight, choice.passes, lane);
}

/* Real levels of several sizes and shapes; in one all levels may be lowered, so that no lane has
 * the block as it is. */
static void real_levels(uint32_t real[16])
{
	const uint32_t shape = (uint32_t)rng() % 8, size = (uint32_t)rng() % 12;

	for (int i = 0; i < 16; i++) {
		uint32_t v = (uint32_t)rng() & ((64u << size) - 1);

		if (shape == 0)
			v = 128 + (uint32_t)rng() % 128 + 256 * ((uint32_t)rng() % 3);
		else if (shape == 1)
			v = rng() % 6 ? 0 : 100 + (uint32_t)rng() % 300;
		else if (shape > 2)
			v >>= (uint32_t)rng() % 8;
		real[i] = v;
	}
}

static int wrong_choices(void)
{
	int wrong = 0;

	lanes_run(choose, NULL);
	for (int b = 0; b < 2; b++) {
		h264i_cavlc_levels want;

		h264i_cavlc_quantise(
			&warp.kind[b], choice.real[b], &want, choice.weight, choice.passes);
		for (int i = 0; i < 16; i++) {
			const uint64_t v = choice.chosen[b][i];

			wrong += (int32_t)(v & 0xffff) != want.level[i];
			wrong += (uint32_t)(v >> 16 & 31) != lsched_popcount(want.any);
			wrong += v >> 32 != want.bits * H264I_CAVLC_BIT;
		}
	}
	return wrong;
}

/* Also of coefficients before the first one of a kind, which are not 0 and have no level. */
static void chosen_levels(void)
{
	const uint32_t rounds = (uint32_t)test_effort(20000, 6000, 4000);
	int wrong = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		take_kinds(round);
		for (int b = 0; b < 2; b++)
			real_levels(choice.real[b]);
		/* With multiples of 32, costs are equal often. */
		choice.weight = 500 + (int32_t)(rng() % 16000);
		choice.weight &= round % 2 ? ~0 : ~31;
		choice.passes = (int)(rng() % 3);
		wrong += wrong_choices();
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "random blocks", random_blocks },
		{ "all masks", all_masks },
		{ "extreme levels", extreme_levels },
		{ "chosen levels", chosen_levels },
		CU_TEST_INFO_NULL,
	};

	cavlc_device_tables_init(&tables.t);
	return test_run_one("CAVLC in lanes", tests);
}
