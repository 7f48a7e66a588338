/* hull: schedules make the same bits, the checks find wrong depths, silhouettes have the pixels
 * that triangles touch and no others, voxels are within the hull, the clock is asked, warping keeps
 * what does not move. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "workloads/hull/body.h"
#include "workloads/hull/host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const wl_type wl_hull_type;

static const hull_options usual = { .n = 600,
	.size = { 60, 44 },
	.cameras = 5,
	.side = 64,
	.frames = 4,
	.limit_us = 1000000,
	.seed = 1,
	.method = HULL_FULL,
	.speed = 3,
	.threshold = 1 };

static void begin(harness *h, const hull_options *o, uint32_t workers)
{
	const int bad = harness_open(h, &wl_hull_type, o, workers);

	if (bad)
		fprintf(stderr, "%s\n", h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
}

/* Executes that many frames. */
static hull_host *try(harness *h, uint32_t frames, lsched_queue queue, uint32_t workers)
{
	int bad = 0;

	for (h->w.execution = 0; !bad && h->w.execution < frames; h->w.execution++)
		bad = harness_run(h, queue, workers);
	if (bad)
		fprintf(stderr, "%s\n", h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
	return h->w.host_data;
}

static void test_same_pictures(void)
{
	for (int method = HULL_FULL; method <= HULL_THRESHOLD; method++) {
		hull_options o = usual;
		uint64_t value = 0;

		o.method = method;
		for (int k = 0; k < LSCHED_QUEUE_COUNT; k++) {
			harness h;

			begin(&h, &o, 3);
			(void)try(&h, 4, (lsched_queue)k, 1 + (uint32_t)k % 3);
			CU_ASSERT(k == 0 || h.w.value == value);
			value = h.w.value;
			harness_close(&h);
		}
	}
}

/* Both checks fail for a depth. */
static void is_found(
	hull_host *host, uint32_t pixel, float depth, const char *by_pixels, const char *by_truth)
{
	const float kept = host->now[pixel];
	char why[256] = "";

	host->now[pixel] = depth;
	CU_ASSERT_EQUAL(hull_check_pixels(host, UINT32_MAX, why, sizeof(why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, by_pixels));
	CU_ASSERT_EQUAL(hull_check_truth(host, UINT32_MAX, why, sizeof(why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, by_truth));
	host->now[pixel] = kept;
	CU_ASSERT_EQUAL(hull_check_truth(host, UINT32_MAX, why, sizeof(why)), 0);
}

static void test_wrong_depths(void)
{
	const uint32_t middle = 22 * 60 + 30;
	hull_options o = usual;
	harness h;
	hull_host *host;
	hull_ctx none;
	char why[256] = "";
	float z;

	o.scene = HULL_BALL_SCENE;
	begin(&h, &o, 1);
	host = try(&h, 2, LSCHED_QUEUE_RING, 1);
	z = host->now[middle];
	CU_ASSERT_FATAL(z > 0);
	host->now[middle] = nextafterf(z, 0);
	CU_ASSERT_EQUAL(hull_check_pixels(host, UINT32_MAX, why, sizeof(why)), -1);
	host->now[middle] = z;
	CU_ASSERT_EQUAL(hull_check_pixels(host, UINT32_MAX, why, sizeof(why)), 0);
	is_found(host, middle, z - 0.1f, "has the depth", "a camera does not see the mesh");
	is_found(host, middle, z + 0.1f, "has the depth", "all cameras see the mesh");
	is_found(host, middle, 0, "has the depth", "all cameras see the mesh");
	is_found(host, 0, 2.5f, "has the depth", "a camera does not see the mesh");
	/* if the cameras see the mesh everywhere the hull is the ball of their reach */
	none = host->host;
	none.cameras = 0;
	memset(host->silhouette, 0xff, (size_t)4 * 5 * 64 * 64 / 8);
	host->o.scene = HULL_BLOB;
	for (uint32_t i = 0; i < 60 * 44; i++)
		host->now[i] = hull_pixel(&none, i, 1);
	CU_ASSERT_EQUAL(hull_check_truth(host, UINT32_MAX, why, sizeof(why)), 0);
	host->o.scene = HULL_BALL_SCENE;
	CU_ASSERT_EQUAL(hull_check_truth(host, UINT32_MAX, why, sizeof(why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "the hull of a ball"));
	/* and if nowhere it is empty, though there is a mesh */
	memset(host->silhouette, 0, (size_t)4 * 5 * 64 * 64 / 8);
	memset(host->now, 0, sizeof(float) * 60 * 44);
	host->o.scene = HULL_BLOB;
	CU_ASSERT_EQUAL(hull_check_truth(host, UINT32_MAX, why, sizeof(why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "behind the mesh"));
	harness_close(&h);
}

/* Keeps the part of a polygon where u or v (axis) is at least, or at most, a bound. */
static int clip(double (*p)[2], int n, int axis, double sign, double bound)
{
	double out[16][2];
	int count = 0;

	for (int i = 0; i < n; i++) {
		const double *a = p[i], *b = p[(i + 1) % n];
		const double da = sign * (a[axis] - bound), db = sign * (b[axis] - bound);

		if (da >= 0)
			memcpy(out[count++], a, sizeof(out[0]));
		if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
			out[count][0] = a[0] + (b[0] - a[0]) * da / (da - db);
			out[count++][1] = a[1] + (b[1] - a[1]) * da / (da - db);
		}
	}
	memcpy(p, out, sizeof(out[0]) * (size_t)count);
	return count;
}

/* Whether a triangle has a point within so many pixels of a pixel. */
static int reaches(const hull_host *host, uint32_t camera, int u, int v, double wide)
{
	for (size_t t = 0; t < host->mesh.triangles; t++) {
		double p[16][2];
		int n = 3;

		for (size_t i = 0; i < 3; i++) {
			double at[3];

			hull_place(&host->frame[1].pose,
				host->mesh.xyz + 3 * (size_t)host->mesh.index[3 * t + i], at);
			hull_project(&host->camera[camera], at, p[i]);
			p[i][0] += host->o.side / 2.0 - u;
			p[i][1] += host->o.side / 2.0 - v;
		}
		for (int k = 0; k < 4 && n; k++)
			n = clip(p, n, k / 2, k % 2 ? -1 : 1, k % 2 ? 1 + wide : -wide);
		if (n)
			return 1;
	}
	return 0;
}

static void test_silhouettes(void)
{
	hull_options o = usual;
	uint32_t wrong = 0, set = 0;
	harness h;

	o.n = 200;
	o.side = 48;
	begin(&h, &o, 1);
	for (int i = 0; i < 48 * 48; i++) {
		const hull_host *host = h.w.host_data;
		const int is = hull_is_set(host, 1, 2, i % 48, i / 48);

		set += (uint32_t)is;
		wrong += is ? !reaches(host, 2, i % 48, i / 48, 1e-3)
			    : reaches(host, 2, i % 48, i / 48, -1e-3);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(set > 300 && set < 48 * 48);
	harness_close(&h);
}

/* By brute force: the rays to voxels that all cameras see enter the hull before. */
static void test_voxels(void)
{
	const int grid = test_effort(80, 40, 20);
	uint32_t inside = 0, wrong = 0;
	hull_host *host;
	harness h;

	begin(&h, &usual, 1);
	host = try(&h, 2, LSCHED_QUEUE_RING, 1);
	for (int i = 0; i < grid * grid * grid; i++) {
		const double at[3] = { 2.4 * (i % grid) / grid - 1.2,
			2.4 * (i / grid % grid) / grid - 1.2,
			2.4 * (i / grid / grid) / grid - 1.2 };
		const hull_eye *eye = &host->frame[1].eye;
		double uv[2], z = eye->project[2][3];
		uint32_t seen = 0;
		float first;

		for (uint32_t k = 0; k < 5; k++) {
			hull_project(&host->camera[k], at, uv);
			seen += (uint32_t)hull_is_set(
				host, 1, k, (int)floor(uv[0] + 32), (int)floor(uv[1] + 32));
		}
		if (seen < 5 || at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > 1.5)
			continue;
		hull_project(eye, at, uv);
		for (int k = 0; k < 3; k++)
			z += eye->project[2][k] * at[k];
		first = hull_depth(&host->host, (float)uv[0], (float)uv[1]);
		inside++;
		wrong += !(first > 0 && (double)first <= z + 1e-4);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(inside > (uint32_t)grid * 10);
	harness_close(&h);
}

static void test_clock(void)
{
	hull_options o = usual;
	hull_meter m = { .start = 1000 };
	hull_ctx c = { .tiles = 101, .warp_ns = 10, .full_ns = 500, .meter = &m };
	hull_host *host;
	harness h;

	/* 100 tiles wait for two workers: 500; so have 400 elapsed, and the tile takes 500 */
	c.limit_ns = 1400;
	CU_ASSERT_EQUAL(hull_in_time(&c, 0, 1400, 2), 1);
	CU_ASSERT_EQUAL(hull_in_time(&c, 0, 1401, 2), 0);
	/* 99 tiles: 5 less */
	CU_ASSERT_EQUAL(hull_in_time(&c, 1, 1405, 2), 1);
	CU_ASSERT_EQUAL(hull_in_time(&c, 1, 1406, 2), 0);
	/* the first tile that asks sets the start */
	m.start = 0;
	CU_ASSERT_EQUAL(hull_in_time(&c, 0, 5000, 2), 1);
	CU_ASSERT_EQUAL(m.start, 5000);
	o.method = HULL_CLOCK;
	begin(&h, &o, 2);
	host = try(&h, 4, LSCHED_QUEUE_STEAL, 2);
	CU_ASSERT_EQUAL(host->sums.full, 3 * host->ctx.tiles);
	host->o.limit_us = 1;
	host = try(&h, 4, LSCHED_QUEUE_STEAL, 2);
	CU_ASSERT_EQUAL(host->sums.full, 0);
	harness_close(&h);
}

/* The change of tiles that are not done the full way is added up until they are. */
static void test_threshold(void)
{
	hull_options o = usual;
	hull_host *host;
	harness h;

	o.method = HULL_THRESHOLD;
	o.speed = 1;
	begin(&h, &o, 1);
	host = try(&h, 2, LSCHED_QUEUE_RING, 1);
	for (uint32_t k = 2; k < 9; k++) {
		uint32_t before[12];

		memcpy(before, host->pending, sizeof(before));
		h.w.execution = k;
		CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 1), 0);
		for (uint32_t i = 0; i < 12; i++) {
			const uint32_t all = before[i] + host->change[k % 4 * 12 + i];

			CU_ASSERT_EQUAL(host->done[i], all >= 16);
			CU_ASSERT_EQUAL(host->pending[i], all >= 16 ? 0 : all);
		}
	}
	CU_ASSERT(host->sums.full > 0 && host->sums.full < host->sums.tiles);
	harness_close(&h);
}

static void test_warp(void)
{
	hull_options o = usual;
	hull_host *host;
	harness h;
	double far = 0;

	o.method = HULL_THRESHOLD;
	o.speed = 0;
	begin(&h, &o, 1);
	host = try(&h, 2, LSCHED_QUEUE_RING, 1);
	CU_ASSERT_EQUAL(host->sums.full, 0);
	CU_ASSERT_EQUAL(host->sums.wrong, 0);
	for (uint32_t i = 0; i < 60 * 44; i++)
		far = fmax(far, fabs((double)host->now[i] - (double)host->before[i]));
	CU_ASSERT(far < 1e-5);
	harness_close(&h);
}

/* The depth of a ball of radius 0.8, 0: none. */
static double ball_depth(const hull_view *v, double x, double y)
{
	const double middle[3] = { 0.4, -0.2, -0.3 };
	double a = 0, b = 0, c = -0.64;

	for (int k = 0; k < 3; k++) {
		const double from = (double)v->eye[k] - middle[k];
		const double way =
			(double)v->way[k][0] + x * (double)v->way[k][1] + y * (double)v->way[k][2];

		a += way * way;
		b += way * from;
		c += from * from;
	}
	return b * b > a * c ? (-b - sqrt(b * b - a * c)) / a : 0;
}

/* From a view to another one, to within half a pixel. */
static void test_warp_of_views(void)
{
	enum { WIDE = 400, HIGH = 300 };
	static float before[WIDE * HIGH];
	double error = 0, without = 0;
	hull_options o = usual;
	hull_ctx c;
	harness h;

	o.size = (wl_size){ WIDE, HIGH };
	o.frames = 8;
	o.speed = 10;
	begin(&h, &o, 1);
	c = ((hull_host *)h.w.host_data)->ctx;
	c.last = ((hull_host *)h.w.host_data)->frame[0].view;
	c.view = ((hull_host *)h.w.host_data)->frame[2].view;
	c.before = before;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < WIDE * HIGH; i++) {
			const double x = i % WIDE + 0.5 - WIDE / 2.0,
				     y = i / WIDE + 0.5 - HIGH / 2.0;
			const double right = ball_depth(&c.view, x, y);
			const double got = (double)hull_pixel(&c, i, 0);

			if (pass == 0)
				before[i] = (float)ball_depth(&c.last, x, y);
			if (pass == 0 || !(right > 0 && got > 0 && before[i] > 0))
				continue;
			error += fabs(right - got);
			without += fabs(right - (double)before[i]);
		}
	CU_ASSERT(error < 0.3 * without);
	harness_close(&h);
}

int main(void)
{
	CU_TestInfo tests[] = { { "schedules make the same pictures", test_same_pictures },
		{ "wrong depths are found", test_wrong_depths },
		{ "silhouettes have what triangles touch", test_silhouettes },
		{ "voxels are in the hull", test_voxels }, { "the clock is asked", test_clock },
		{ "change is added up to the threshold", test_threshold },
		{ "warping keeps what does not move", test_warp },
		{ "warping follows the view", test_warp_of_views }, CU_TEST_INFO_NULL };

	return test_run_one("hull", tests);
}
