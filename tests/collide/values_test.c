/* Values that libcollide refuses: corners, coordinates, boxes; and meshes of nothing. */
#include "collide/core/context.h"
#include "tests/collide/refused.h"
#include "tests/common/effort.h"
#include "tests/common/testmain.h"

#include <math.h>
#include <sys/resource.h>

static void meshes_refuse_corners_that_are_no_vertices(void)
{
	collide_ctx *c = setup_open();
	collide_mesh_options o;
	collide_mesh *mesh = (collide_mesh *)&o;
	uint32_t index[6];

	memcpy(index, two, sizeof(index));
	index[4] = 6;
	collide_mesh_options_init(&o);
	o.vertices = 6;
	o.triangles = 2;
	o.index = index;
	REFUSED(collide_mesh_create(&mesh, c, &o), COLLIDE_ERR_VALUE, "corner 1 of triangle 1");
	CU_ASSERT_PTR_NULL(mesh);
	o.vertices = 0;
	REFUSED(collide_mesh_create(&mesh, c, &o), COLLIDE_ERR_VALUE, "corner 0 of triangle 0");
	o.index = NULL;
	REFUSED(collide_mesh_create(&mesh, c, &o), COLLIDE_ERR_ARG, "index");
	o.index = two;
	o.vertices = COLLIDE_MAX_PRIMITIVES + 1;
	REFUSED(collide_mesh_create(&mesh, c, &o), COLLIDE_ERR_UNSUPPORTED, "at most");
	o.vertices = 6;
	o.index_memory = (collide_memory)5;
	REFUSED(collide_mesh_create(&mesh, c, &o), COLLIDE_ERR_ARG, "index_memory");
	REFUSED(collide_mesh_create(NULL, c, &o), COLLIDE_ERR_ARG, "NULL");
	REFUSED(collide_mesh_create(&mesh, NULL, &o), COLLIDE_ERR_ARG, "NULL");
	CU_ASSERT_EQUAL(collide_mesh_count(NULL, COLLIDE_FACE), 0);
	CU_ASSERT_PTR_NULL(collide_mesh_edges(NULL));
	collide_close(&c);
}

/* After a refused update a mesh has no positions. */
static void positions_must_be_finite_floats(void)
{
	static const float bad[] = { NAN, INFINITY, -INFINITY };
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	collide_pair pair[4];
	collide_positions p;
	double wide[18];
	uint64_t n = 99;

	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, 4, &n),
		COLLIDE_ERR_STATE, "no positions");
	CU_ASSERT_EQUAL(n, 0);
	for (int k = 0; k < 3; k++)
		for (int at = 0; at < 18; at++) {
			float xyz[18];

			memcpy(xyz, corners, sizeof(xyz));
			CU_ASSERT_EQUAL(place(mesh, xyz), COLLIDE_OK);
			CU_ASSERT_EQUAL(
				collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, 4, &n),
				COLLIDE_OK);
			CU_ASSERT_EQUAL(n, 1);
			xyz[at] = bad[k];
			REFUSED(place(mesh, xyz), COLLIDE_ERR_VALUE, "vertex");
			CU_ASSERT_EQUAL(strstr(collide_last_error(), "vertex ")[7], '0' + at / 3);
			CU_ASSERT_EQUAL(
				collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, 4, &n),
				COLLIDE_ERR_STATE);
		}
	for (int k = 0; k < 18; k++)
		wide[k] = corners[k];
	collide_positions_init(&p);
	p.start = wide;
	p.number = COLLIDE_DOUBLE;
	CU_ASSERT_EQUAL(collide_mesh_update(mesh, &p), COLLIDE_OK);
	wide[3] = 1e39;
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_VALUE, "vertex 1");
	wide[3] = 3.4028234663852886e38; /* the largest float */
	CU_ASSERT_EQUAL(collide_mesh_update(mesh, &p), COLLIDE_OK);
	wide[4] = -3.4028234663852886e38;
	CU_ASSERT_EQUAL(collide_mesh_update(mesh, &p), COLLIDE_OK);
	for (int kind = 0; kind < 3; kind++) {
		uint32_t time[4];

		CU_ASSERT_EQUAL(collide_find(c, mesh, mesh, (collide_kind)kind, NULL, pair, 4, &n),
			n > 4 ? COLLIDE_ERR_ROOM : COLLIDE_OK);
		if (kind)
			CU_ASSERT_EQUAL(collide_contacts(c, mesh, mesh, (collide_kind)kind, NULL,
						pair, n > 4 ? 0 : n, time, NULL),
				COLLIDE_OK);
	}
	collide_mesh_destroy(&mesh);
	collide_close(&c);
}

static int is_no_tree(const collide_tree *t)
{
	return t->struct_bytes == sizeof(*t) && !t->node && !t->leaf && !t->order &&
	       t->primitives == 0 && t->root == COLLIDE_NONE;
}

/* The struct of an earlier tree has no pointers into it after an error. */
static void trees_of_meshes_are_none_after_errors(void)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	float bad[18] = { 0 };
	collide_tree t;

	collide_tree_init(&t);
	REFUSED(collide_mesh_tree(mesh, COLLIDE_FACE, &t), COLLIDE_ERR_STATE, "no positions");
	for (int k = 0; k < 3; k++) {
		CU_ASSERT_EQUAL(place(mesh, corners), COLLIDE_OK);
		CU_ASSERT_EQUAL_FATAL(collide_mesh_tree(mesh, COLLIDE_FACE, &t), COLLIDE_OK);
		CU_ASSERT_TRUE(t.primitives == 2 && t.node && t.leaf && t.order && t.root == 0);
		bad[5] = NAN;
		REFUSED(place(mesh, bad), COLLIDE_ERR_VALUE, "vertex 1");
		if (k == 0)
			REFUSED(collide_mesh_tree(mesh, COLLIDE_FACE, &t), COLLIDE_ERR_STATE,
				"no positions");
		else
			REFUSED(collide_mesh_tree(k == 1 ? NULL : mesh,
					k == 1 ? COLLIDE_FACE : (collide_primitive)3, &t),
				COLLIDE_ERR_ARG, k == 1 ? "NULL" : "primitive 3");
		CU_ASSERT_TRUE(is_no_tree(&t));
	}
	collide_mesh_destroy(&mesh);
	collide_close(&c);
}

static void trees_refuse_wrong_boxes(void)
{
	collide_ctx *c = setup_open();
	collide_box box[3] = { { { 0, 0, 0 }, { 1, 1, 1 } }, { { 2, 0, 0 }, { 3, 1, 1 } },
		{ { -1, 0, 0 }, { -1, 0, 0 } } };
	collide_bvh *b = NULL;
	collide_tree t;

	collide_tree_init(&t);
	REFUSED(collide_bvh_create(&b, c, 0), COLLIDE_ERR_ARG, "leaf_most is 0");
	REFUSED(collide_bvh_create(&b, c, 17), COLLIDE_ERR_ARG, "leaf_most is 17");
	CU_ASSERT_EQUAL_FATAL(collide_bvh_create(&b, c, 1), COLLIDE_OK);
	REFUSED(collide_bvh_tree(b, &t), COLLIDE_ERR_STATE, "no tree");
	REFUSED(collide_bvh_refit(b, box, 3, COLLIDE_HOST), COLLIDE_ERR_STATE, "no tree");
	REFUSED(collide_bvh_build(b, NULL, 3, COLLIDE_HOST), COLLIDE_ERR_ARG, "NULL");
	REFUSED(collide_bvh_build(b, box, 3, (collide_memory)2), COLLIDE_ERR_ARG, "memory 2");
	REFUSED(collide_bvh_build(
			b, (const collide_box *)(void *)((char *)box + 2), 1, COLLIDE_HOST),
		COLLIDE_ERR_ARG, "aligned");
	REFUSED(collide_bvh_build(b, box, COLLIDE_MAX_PRIMITIVES + 1, COLLIDE_HOST),
		COLLIDE_ERR_UNSUPPORTED, "more than");
	CU_ASSERT_EQUAL(collide_bvh_build(b, box, 3, COLLIDE_HOST), COLLIDE_OK);
	CU_ASSERT_EQUAL(collide_bvh_tree(b, &t), COLLIDE_OK);
	CU_ASSERT_EQUAL(t.primitives, 3);
	REFUSED(collide_bvh_refit(b, box, 2, COLLIDE_HOST), COLLIDE_ERR_STATE, "2 boxes");
	REFUSED(collide_bvh_refit(b, NULL, 3, COLLIDE_HOST), COLLIDE_ERR_ARG, "NULL");
	REFUSED(collide_bvh_build(b, NULL, 3, COLLIDE_HOST), COLLIDE_ERR_ARG, "NULL");
	CU_ASSERT_EQUAL(collide_bvh_tree(b, &t), COLLIDE_OK); /* it stays */
	CU_ASSERT_EQUAL(t.primitives, 3);
	REFUSED(collide_bvh_build(b, box, COLLIDE_MAX_PRIMITIVES + 1, COLLIDE_HOST),
		COLLIDE_ERR_UNSUPPORTED, "more than");
	REFUSED(collide_bvh_tree(b, &t), COLLIDE_ERR_STATE, "no tree");
	CU_ASSERT_TRUE(is_no_tree(&t));
	CU_ASSERT_EQUAL(collide_bvh_build(b, box, 3, COLLIDE_HOST), COLLIDE_OK);
	box[1].lo[2] = 2;
	REFUSED(collide_bvh_refit(b, box, 3, COLLIDE_HOST), COLLIDE_ERR_VALUE, "box 1");
	REFUSED(collide_bvh_tree(b, &t), COLLIDE_ERR_STATE, "no tree");
	box[1].lo[2] = NAN;
	REFUSED(collide_bvh_build(b, box, 3, COLLIDE_HOST), COLLIDE_ERR_VALUE, "box 1");
	box[1].lo[2] = -INFINITY;
	REFUSED(collide_bvh_build(b, box, 3, COLLIDE_HOST), COLLIDE_ERR_VALUE, "box 1");
	collide_bvh_destroy(&b);
	collide_close(&c);
}

/* A mesh of nothing, and one whose vertices are at one place. */
static void empty_and_degenerate_meshes_have_pairs(void)
{
	static const uint32_t same[] = { 0, 0, 0, 1, 1, 1, 2, 3, 2, 4, 5, 6, 7, 8, 9 };
	static const float zero[30];
	collide_ctx *c = setup_open();
	collide_mesh_options o;
	collide_mesh *none = NULL, *point = NULL;
	collide_pair pair[100];
	collide_positions p;
	uint64_t n;

	collide_mesh_options_init(&o);
	CU_ASSERT_EQUAL_FATAL(collide_mesh_create(&none, c, &o), COLLIDE_OK);
	collide_positions_init(&p);
	CU_ASSERT_EQUAL(collide_mesh_update(none, &p), COLLIDE_OK);
	o.vertices = 10;
	o.triangles = 5;
	o.index = same;
	CU_ASSERT_EQUAL_FATAL(collide_mesh_create(&point, c, &o), COLLIDE_OK);
	CU_ASSERT_EQUAL(collide_mesh_count(point, COLLIDE_EDGE), 7);
	CU_ASSERT_EQUAL(place(point, zero), COLLIDE_OK);
	for (int kind = 0; kind < 3; kind++) {
		static const uint64_t want[] = { 10, 5 * 10 - 10, 7 * 6 / 2 - 6 };

		CU_ASSERT_EQUAL(collide_find(c, none, none, (collide_kind)kind, NULL, NULL, 0, &n),
			COLLIDE_OK);
		CU_ASSERT_EQUAL(n, 0);
		CU_ASSERT_EQUAL(collide_find(c, none, point, (collide_kind)kind, NULL, NULL, 0, &n),
			COLLIDE_OK);
		CU_ASSERT_EQUAL(collide_find(c, point, none, (collide_kind)kind, NULL, NULL, 0, &n),
			COLLIDE_OK);
		CU_ASSERT_EQUAL(
			collide_find(c, point, point, (collide_kind)kind, NULL, pair, 100, &n),
			COLLIDE_OK);
		CU_ASSERT_EQUAL(n, want[kind]);
	}
	collide_mesh_destroy(&none);
	collide_mesh_destroy(&point);
	collide_close(&c);
}

/* The message says for what, and what to do. */
static void memory_that_there_is_not(void)
{
	collide_ctx *c = setup_open();
	void *memory = &c;

	REFUSED(collide_mem_alloc(c, &memory, SIZE_MAX), COLLIDE_ERR_NOMEM,
		"bytes for the tasks: out of memory");
	CU_ASSERT_PTR_NOT_NULL(strstr(collide_last_error(), "a smaller mesh"));
	CU_ASSERT_PTR_NULL(memory);
	collide_close(&c);
}

/* A run that cannot be made is tried with its usual size by the next call. */
static void a_run_that_was_too_large_becomes_smaller(void)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	struct rlimit was, less;
	collide_pair pair[9];
	uint64_t n;

	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_AS, &was), 0);
	less = was;
	less.rlim_cur = 1 << 30;
	CU_ASSERT_EQUAL(place(mesh, corners), COLLIDE_OK);
	/* a sanitizer needs more, and qemu-user ignores the limit */
	if (TEST_SANITIZED || getenv("TEST_EMULATED") || setrlimit(RLIMIT_AS, &less) != 0)
		goto end;
	c->run_scale[COLLIDE_I_PAIRS] = 1 << 13;
	CU_ASSERT_EQUAL(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, 9, &n),
		COLLIDE_ERR_NOMEM);
	CU_ASSERT_EQUAL(
		collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, 9, &n), COLLIDE_OK);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_AS, &was), 0);
end:
	collide_mesh_destroy(&mesh);
	collide_close(&c);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "meshes refuse corners that are no vertices",
			meshes_refuse_corners_that_are_no_vertices },
		{ "positions must be finite floats", positions_must_be_finite_floats },
		{ "memory that there is not", memory_that_there_is_not },
		{ "a run that was too large becomes smaller",
			a_run_that_was_too_large_becomes_smaller },
		{ "trees refuse wrong boxes", trees_refuse_wrong_boxes },
		{ "trees of meshes are none after errors", trees_of_meshes_are_none_after_errors },
		{ "empty and degenerate meshes have pairs",
			empty_and_degenerate_meshes_have_pairs },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		TEST_SUITE("values", tests),
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
