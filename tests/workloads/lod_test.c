/* lod: the question that nodes are asked, small meshes by hand, meshes with many triangles at one
 * node, and wrong results, which the check must find. */
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "tests/workloads/lod_mesh.h"
#include "workloads/lod/host.h"

#include <math.h>
#include <string.h>

extern const wl_type wl_lod_type;

static const char mesh_file[] = "lod_test.obj";

static lod_options options_of(const char *input, uint32_t level, double distance, double pixels)
{
	const lod_options o = { .input = input,
		.direction = "3,-1,2",
		.n = 3000,
		.level = level,
		.distance = distance,
		.pixels = pixels };

	return o;
}

/* Runs it; the caller closes *h. */
static void simplify(harness *h, const lod_options *o)
{
	int bad = harness_open(h, &wl_lod_type, o, 3);

	if (!bad)
		bad = harness_run(h, LSCHED_QUEUE_STEAL, 3);
	if (bad)
		fprintf(stderr, "level %" PRIu32 " distance %g pixels %g: %s\n", o->level,
			o->distance, o->pixels, h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
}

static void expect(const char *input, uint32_t level, double distance, double pixels,
	uint64_t vertices, uint64_t triangles)
{
	const lod_options o = options_of(input, level, distance, pixels);
	harness h;
	const lod_host *host;

	simplify(&h, &o);
	host = h.w.host_data;
	CU_ASSERT_EQUAL(host->needed[LOD_VERTEX_SET], vertices);
	CU_ASSERT_EQUAL(host->needed[LOD_TRIANGLE_SET], triangles);
	harness_close(&h);
}

static void write_text(const char *text)
{
	FILE *f = fopen(mesh_file, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

/* Two opposite faces of a cube, whose corners are doubled at one end. */
static void test_cube(void)
{
	write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
		   "v 1 1 1\nf 1 2 3 4\nf 5 6 7\nf 5 9 8\n");
	expect(mesh_file, 1, 2, 4, 8, 4);
	expect(mesh_file, LOD_LEVELS, 2, 4, 8, 4);
	expect(mesh_file, 0, 2, 1000000, 1, 0);
	expect(mesh_file, 0, 2, 1, 8, 4);
	write_text("v 2 2 2\nv 2 2 2\nv 2 2 2\nf 1 2 3\n");
	expect(mesh_file, 0, 0, 1, 1, 0);
	expect(mesh_file, LOD_LEVELS, 2, 4, 1, 0);
	write_text("v 0 0 0\nv 4 0 0\nv 5 5 0\nf 1 2 3\n");
	expect(mesh_file, 1, 2, 4, 3, 1);
	write_text("v 0 0 0\nv 8 0 0\nv 8 3 0\nf 1 2 3\n");
	expect(mesh_file, 1, 2, 4, 2, 0);
	expect(mesh_file, 2, 2, 4, 3, 1);
}

/* The mean of a cell's vertices is its vertex. */
static void test_mean(void)
{
	const lod_options o = options_of(mesh_file, 1, 2, 4);
	const lod_vertex *v;
	harness h;

	write_text("v 1 0 0\nv 3 0 0\nv 2 3 0\nv 100 0 0\nf 1 2 4\n");
	simplify(&h, &o);
	v = lod_vertices_elements(&((const lod_host *)h.w.host_data)->ctx.vertices);
	v += v->xyz[0] > 50; /* in any order */
	CU_ASSERT_EQUAL(v->xyz[0], 2);
	CU_ASSERT_EQUAL(v->xyz[1], 1);
	CU_ASSERT_EQUAL(v->xyz[2], 0);
	harness_close(&h);
}

/* The same question in double: is a cell of that size larger than the pixels? */
static void test_question(void)
{
	uint32_t yes = 0, no = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		const uint32_t level = wl_hash(5 * i) % LOD_LEVELS;
		const uint64_t code = wl_hash64(i) >> 1;
		const uint64_t at = lod_corner(code, level), up = lod_corner(code, level / 2);
		const double size = ldexp(1, LOD_LEVELS - (int)level);
		lod_ctx c = { .reach = wl_hash64(~(uint64_t)i) >> (2 + i % 60) };
		double square = 0, limit;
		int expanded;

		for (int axis = 0; axis < 3; axis++) {
			const double lo = (double)(at >> 21 * axis & 0x1fffff);

			c.eye[axis] = (int32_t)wl_hash(5 * i + 1 + (uint32_t)axis) >> (3 + i % 12);
			square += pow(fmax(fmax(lo - c.eye[axis], c.eye[axis] - lo - size), 0), 2);
		}
		limit = (double)c.reach * pow(4, -(double)level);
		expanded = lod_expanded(&c, at, level);
		yes += (uint32_t)expanded;
		no += !expanded;
		if (fabs(square - limit) > 1 + 1e-9 * limit)
			CU_ASSERT_EQUAL(expanded, square < limit);
		if (expanded)
			CU_ASSERT_TRUE(lod_expanded(&c, up, level / 2));
		CU_ASSERT_FALSE(lod_expanded(&c, lod_corner(code, LOD_LEVELS), LOD_LEAF));
	}
	CU_ASSERT_TRUE(yes > 1000 && no > 1000);
}

/* Nodes with more triangles than an item takes. */
static void test_many_triangles(void)
{
	static const uint32_t sizes[] = { 3, 17, 100, 4000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (uint32_t level = 0; level < 6; level++) {
			lod_options o = options_of(mesh_file, level, 0.5 * (1 + (double)k), 100);
			harness h;
			const lod_host *host;

			o.front = level % 2 * sizes[k] / 3;
			CU_ASSERT_EQUAL_FATAL(lod_write_mesh(mesh_file, sizes[k]), 0);
			simplify(&h, &o);
			host = h.w.host_data;
			CU_ASSERT_TRUE(sizes[k] < 4000 || host->nodes > host->cells + 20);
			harness_close(&h);
		}
}

/* The check of a result that was changed. */
static void test_wrong(void)
{
	const lod_options o = options_of(NULL, 0, 1, 20);
	harness h;
	lod_host *host;
	lod_vertex *v;
	lod_triangle *t;
	uint32_t kept;

	simplify(&h, &o);
	host = h.w.host_data;
	v = lod_vertices_elements(&host->ctx.vertices);
	t = lod_triangles_elements(&host->ctx.triangles);
#define IS_WRONG() CU_ASSERT_EQUAL(lod_check(&h.w, &h.d, h.why, sizeof(h.why)), -1)
	kept = v[3].node;
	v[3].node = v[4].node;
	IS_WRONG();
	v[3].node = host->nodes;
	IS_WRONG();
	v[3].node = kept;
	v[3].xyz[1] += 1;
	IS_WRONG();
	v[3].xyz[1] -= 1;
	kept = t[5].corner[0];
	t[5].corner[0] = t[5].corner[1];
	t[5].corner[1] = kept;
	IS_WRONG();
	t[5].corner[1] = t[5].corner[0];
	t[5].corner[0] = kept;
	host->needed[LOD_TRIANGLE_SET]--;
	IS_WRONG();
	host->needed[LOD_TRIANGLE_SET]++;
	v[3] = host->vertex[v[3].node]; /* with the rounding of the additions undone */
	CU_ASSERT_EQUAL(lod_check(&h.w, &h.d, h.why, sizeof(h.why)), 0);
	harness_close(&h);
}

int main(void)
{
	CU_TestInfo tests[] = { { "small meshes have the known vertices", test_cube },
		{ "a vertex is a mean", test_mean },
		{ "nodes are expanded by their size and distance", test_question },
		{ "nodes with many triangles", test_many_triangles },
		{ "wrong results are found", test_wrong }, CU_TEST_INFO_NULL };
	const int bad = test_run_one("lod", tests);

	remove(mesh_file);
	return bad;
}
