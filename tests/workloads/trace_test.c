/* trace: schedules make the same bits, the checks find wrong pictures, diffuse surfaces and glass
 * follow formulas, the error is less by variance. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "workloads/common/memory.h"
#include "workloads/trace/host.h"
#include "workloads/trace/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wl_type wl_trace_type;

/* Hashes of the pictures of `usual`, of any machine. */
#define GOLDEN_CUT      UINT64_C(0xcd10dc5f47e8a69c)
#define GOLDEN_ROULETTE UINT64_C(0x4586a744ac65e367)

static const trc_options usual = { .size = { 48, 32 },
	.samples = 20,
	.spheres = 5,
	.turn = 2,
	.paths = 128,
	.visit = 4,
	.seed = 1,
	.regroup = TRC_REGROUP_TURNS };

static void try(harness *h, const trc_options *o, lsched_queue queue, uint32_t workers)
{
	int bad = harness_open(h, &wl_trace_type, o, workers);

	bad = bad ? bad : harness_run(h, queue, workers);
	if (bad)
		fprintf(stderr, "%s\n", h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
}

static void is_golden(const harness *h, uint64_t hash)
{
	if (h->w.value != hash)
		fprintf(stderr, "the picture has the hash 0x%016" PRIx64 "\n", h->w.value);
	CU_ASSERT_EQUAL(h->w.value, hash);
}

/* Every way to run the same paths makes the same picture, and its bits are those of any machine. */
static void test_same_picture(void)
{
	for (int roulette = 0; roulette < 2; roulette++)
		for (int k = 0; k < 6; k++) {
			trc_options o = usual;
			harness h;

			o.end = roulette;
			o.regroup = k % 3;
			o.turn = 1 + 3 * (uint32_t)k;
			o.paths = k < 3 ? 1 : 300;
			try(&h, &o, k % 2 ? LSCHED_QUEUE_STEAL : LSCHED_QUEUE_RING,
				1 + (uint32_t)k % 3);
			is_golden(&h, roulette ? GOLDEN_ROULETTE : GOLDEN_CUT);
			harness_close(&h);
		}
}

/* Patches with as many visits each make it, too. */
static void test_even_patches(void)
{
	trc_options o = usual;
	harness h;

	o.order = TRC_ORDER_EVEN;
	try(&h, &o, LSCHED_QUEUE_PRIO, 1);
	is_golden(&h, GOLDEN_CUT);
	CU_ASSERT_EQUAL(h.w.operations, 48 * 32 * 20);
	harness_close(&h);
}

/* A check fails for a picture with one path's light too much, in a pixel that is traced again, and
 * for one that is as a whole too bright. */
static void test_wrong_pictures(void)
{
	trc_options o = usual;
	uint64_t *sum;
	uint32_t *paths;
	harness h;
	trc_host *host;
	trc_picture p;
	trc_mean mirrored;
	const size_t pixels = (size_t)o.size.width * o.size.height;

	try(&h, &o, LSCHED_QUEUE_RING, 1);
	host = h.w.host_data;
	sum = wl_host_copy(&h.d, host->ctx.sum, pixels * 4 * sizeof(*sum), h.why, sizeof(h.why));
	paths = malloc(pixels * sizeof(*paths));
	CU_ASSERT_FATAL(sum && paths);
	for (size_t i = 0; i < pixels; i++)
		paths[i] = o.samples;
	p = (trc_picture){ o.size.width, o.size.height, sum, paths };
	CU_ASSERT_EQUAL(trc_check(host, &h.d, &p, h.why, sizeof(h.why)), 0);
	sum[4 * 3 + 1]++;
	CU_ASSERT_EQUAL(trc_check(host, &h.d, &p, h.why, sizeof(h.why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "not that of the first run"));
	host->checked = 0;
	CU_ASSERT_EQUAL(trc_check(host, &h.d, &p, h.why, sizeof(h.why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "pixel 3 has another sum"));
	sum[4 * 3 + 1]--;
	/* the surfaces of the tasks and of the pixels that are traced again are wrong alike */
	host->truth[0].mean[0] *= 1.2;
	CU_ASSERT_EQUAL(trc_check(host, &h.d, &p, h.why, sizeof(h.why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "the mean of channel 0 of the picture"));
	/* or they are mirrored, which leaves the mean of all as it is */
	host->truth[0].mean[0] /= 1.2;
	mirrored = host->truth[1];
	host->truth[1] = host->truth[2];
	host->truth[2] = mirrored;
	CU_ASSERT_EQUAL(trc_check(host, &h.d, &p, h.why, sizeof(h.why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "of the upper left quarter"));
	free(sum);
	free(paths);
	harness_close(&h);
}

/* The mean against more paths in double precision than a run has time for: within a percent, in
 * the furnace, where the variance is small, within a thousandth. */
static void test_mean(void)
{
	const uint64_t paths = UINT64_C(1) << test_effort(22, 20, 17);

	for (int k = 0; k < 3; k++) {
		const trc_options o = { .size = { 64, 64 },
			.samples = (uint32_t)(paths >> 12),
			.spheres = 16,
			.turn = 16,
			.paths = 128,
			.visit = 1,
			.seed = 4,
			.scene = k < 2 ? TRC_SCENE_SPHERES : TRC_SCENE_FURNACE,
			.end = k ? TRC_END_ROULETTE : TRC_END_CUT,
			.regroup = TRC_REGROUP_LANES };
		harness h;
		trc_host *host;
		int bad = harness_open(&h, &wl_trace_type, &o, 2);

		CU_ASSERT_EQUAL_FATAL(bad, 0);
		host = h.w.host_data;
		trc_make_truth(&h.d, &host->host, paths, 5, host->truth);
		if (harness_run(&h, LSCHED_QUEUE_STEAL, 2)) {
			CU_FAIL("the mean of a picture");
			fprintf(stderr, "%s\n", h.why);
		}
		harness_close(&h);
	}
}

/* Pixels of the furnace with a path that touches a mirror: rounding must not bring it inside, where
 * it would stay, without light. */
static void test_mirror(void)
{
	static const uint32_t pixel[] = { 4958, 4460 }, spheres[] = { 20, 32 }, seed[] = { 1, 3 };

	for (int k = 0; k < 2; k++) {
		const trc_options o = { .size = { 128, 128 },
			.spheres = spheres[k],
			.seed = seed[k],
			.scene = TRC_SCENE_FURNACE };
		trc_ctx c = { .width = 128, .height = 128, .seed = wl_hash64(seed[k]) };
		uint64_t sum[3];

		trc_make_scene(&c.scene, &o);
		trc_serial(NULL, &c, pixel[k], 64, sum, NULL);
		CU_ASSERT_DOUBLE_EQUAL((double)sum[0] / (double)TRC_ONE / 64, 1, 0.001);
	}
}

/* The mean direction of diffuse reflection is 2/3 of the normal, and its height is distributed as
 * the square root of a uniform number. */
static void test_diffuse(void)
{
	enum { N = 1 << 16 };
	const float n[3] = { 0.6f, 0, -0.8f };
	double mean[3] = { 0 }, below = 0;

	for (uint32_t i = 0; i < N; i++) {
		const uint64_t bits = wl_hash64(i);
		const trc_random r = { (uint32_t)(bits >> 42), (uint32_t)(bits >> 20) & 0x3fffff,
			0 };
		float way[3];

		trc_diffuse(way, n, r);
		trc_normalise(way);
		CU_ASSERT_FATAL(trc_dot(way, n) > -1e-6f);
		below += trc_dot(way, n) < 0.5f;
		for (int k = 0; k < 3; k++)
			mean[k] += (double)way[k] / N;
	}
	CU_ASSERT_DOUBLE_EQUAL(below / N, 0.25, 4 * 0.44 / 256);
	for (int k = 0; k < 3; k++)
		CU_ASSERT_DOUBLE_EQUAL(mean[k], 2.0 / 3 * (double)n[k], 4 * 0.5 / 256);
}

/* Glass bends by Snell's law, reflects all beyond the critical angle, and 4 % at right angles. */
static void test_glass(void)
{
	const float n[3] = { 0, 0, 1 };
	uint32_t stays = 0;

	for (int k = 0; k < 90; k++) {
		const double sine = (k + 0.5) / 90; /* none is critical */
		const trc_random never = { (1u << 22) - 1, 0, 0 };
		float in[3] = { (float)sine, 0, -(float)sqrt(1 - sine * sine) };
		float out[3] = { in[0], in[1], in[2] };

		CU_ASSERT_EQUAL(trc_glass(in, n, 1, never), 0);
		CU_ASSERT_DOUBLE_EQUAL(in[0], sine / 1.5, 1e-6);
		CU_ASSERT_EQUAL(trc_glass(out, n, 0, never), sine * 1.5 > 1);
		CU_ASSERT_DOUBLE_EQUAL(out[0], sine * 1.5 > 1 ? sine : sine * 1.5, 1e-5);
		CU_ASSERT_DOUBLE_EQUAL(trc_dot(out, out), 1, 1e-5);
	}
	for (uint32_t u = 0; u < 1000; u++) {
		const trc_random r = { u * ((1u << 22) / 1000), 0, 0 };
		float way[3] = { 0, 0, -1 };

		stays += trc_glass(way, n, 1, r);
	}
	CU_ASSERT_EQUAL(stays, 41); /* 0 is one of them */
}

/* The most uncertain patches get more paths, and the error is less than with as many for all. */
static void test_variance(void)
{
	double error[2] = { 0 };

	for (int order = TRC_ORDER_EVEN; order <= TRC_ORDER_VARIANCE; order++) {
		trc_options o = usual;
		harness h;

		o.size.width = 32;
		o.samples = 128;
		o.spheres = 8;
		o.seed = 2;
		o.order = order;
		o.reference = 400;
		try(&h, &o, LSCHED_QUEUE_PRIO, 1);
		for (uint32_t i = 0; i < h.w.facts; i++)
			if (strcmp(h.w.fact[i].name, "mean squared error") == 0)
				error[order - TRC_ORDER_EVEN] = h.w.fact[i].value;
		harness_close(&h);
	}
	CU_ASSERT(error[1] > 0);
	CU_ASSERT(error[1] < error[0]);
}

int main(void)
{
	CU_TestInfo tests[] = { { "every schedule makes the same picture", test_same_picture },
		{ "even patches make the same picture", test_even_patches },
		{ "a wrong picture is found", test_wrong_pictures },
		{ "the mean is that of double precision", test_mean },
		{ "a path does not get into a mirror", test_mirror },
		{ "diffuse directions have their law", test_diffuse },
		{ "glass bends and reflects by formulas", test_glass },
		{ "the error is less by variance", test_variance }, CU_TEST_INFO_NULL };

	return test_run_one("trace", tests);
}
