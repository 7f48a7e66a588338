/* The interface of libcollide: structs that carry their size, wrong arguments, bad values. */
#include "tests/collide/setup.h"
#include "tests/common/testmain.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED(call, status, word)                                           \
	do {                                                                  \
		CU_ASSERT_EQUAL((call), (status));                            \
		CU_ASSERT_PTR_NOT_NULL(strstr(collide_last_error(), (word))); \
	} while (0)

static const float corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2f, 0.2f, -1, 0.2f, 0.2f, 1, 0.3f,
	0.2f, 1 };
static const uint32_t two[] = { 0, 1, 2, 3, 4, 5 };

static collide_mesh *make(collide_ctx *c)
{
	collide_mesh_options o;
	collide_mesh *mesh = NULL;

	collide_mesh_options_init(&o);
	o.vertices = 6;
	o.triangles = 2;
	o.index = two;
	CU_ASSERT_EQUAL_FATAL(collide_mesh_create(&mesh, c, &o), COLLIDE_OK);
	return mesh;
}

static collide_status place(collide_mesh *mesh, const float *xyz)
{
	collide_positions p;

	collide_positions_init(&p);
	p.start = xyz;
	return collide_mesh_update(mesh, &p);
}

static void statuses_have_texts(void)
{
	CU_ASSERT_STRING_EQUAL(collide_strstatus(COLLIDE_OK), "success");
	CU_ASSERT_STRING_EQUAL(
		collide_strstatus(COLLIDE_ERR_ROOM), "the memory for the result is too small");
	CU_ASSERT_STRING_EQUAL(collide_strstatus((collide_status)-77), "unknown status");
}

/* An older program's structs end earlier, a newer one's later. */
static void structs_have_their_size(void)
{
	struct {
		collide_find_options o;
		uint64_t later[2];
	} newer;
	union {
		collide_positions p;
		unsigned char bytes[sizeof(collide_positions)];
	} u;
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	collide_tree t;
	uint64_t n;

	CU_ASSERT_EQUAL(place(mesh, corners), COLLIDE_OK);
	memset(&newer, 0, sizeof(newer));
	collide_find_options_init(&newer.o);
	newer.o.struct_bytes = sizeof(newer);
	CU_ASSERT_EQUAL(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &newer.o, NULL, 0, &n),
		COLLIDE_ERR_ROOM);
	newer.later[1] = 1;
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &newer.o, NULL, 0, &n),
		COLLIDE_ERR_ARG, "collide_find_options");
	memset(&u, 0, sizeof(u));
	u.p.start = corners;
	REFUSED(collide_mesh_update(mesh, &u.p), COLLIDE_ERR_ARG, "init");
	memset(&u, 0x5a, sizeof(u));
	collide_positions_init_sized(&u.p, sizeof(u) - 4);
	CU_ASSERT_EQUAL(u.bytes[sizeof(u) - 1], 0x5a);
	memset(&t, 0, sizeof(t));
	REFUSED(collide_mesh_tree(mesh, COLLIDE_FACE, &t), COLLIDE_ERR_ARG, "collide_tree");
	collide_mesh_destroy(&mesh);
	collide_close(&c);
}

static void contexts_refuse_wrong_options(void)
{
	collide_options o;
	collide_ctx *c = (collide_ctx *)&o;

	collide_options_init(&o);
	o.backend = (collide_backend)7;
	REFUSED(collide_open(&c, &o), COLLIDE_ERR_ARG, "backend");
	CU_ASSERT_PTR_NULL(c);
	memset(&o, 0, sizeof(o));
	REFUSED(collide_open(&c, &o), COLLIDE_ERR_ARG, "collide_options");
	REFUSED(collide_open(NULL, NULL), COLLIDE_ERR_ARG, "NULL");
	collide_options_init(&o);
	o.backend = COLLIDE_BACKEND_CUDA;
	o.device = 1000;
	CU_ASSERT_NOT_EQUAL(collide_open(&c, &o), COLLIDE_OK);
	CU_ASSERT_PTR_NULL(c);
	CU_ASSERT_EQUAL_FATAL(collide_open(&c, NULL), COLLIDE_OK);
	CU_ASSERT_NOT_EQUAL(collide_ctx_backend(c), COLLIDE_BACKEND_AUTO);
	CU_ASSERT_TRUE(strlen(collide_ctx_device_name(c)) > 0);
	collide_close(&c);
	CU_ASSERT_PTR_NULL(c);
	collide_close(&c);
	collide_close(NULL);
	collide_mesh_destroy(NULL);
	collide_bvh_destroy(NULL);
	collide_mem_free(NULL, NULL);
}

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

static void updates_refuse_wrong_arguments(void)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	collide_positions p;

	collide_positions_init(&p);
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "start");
	p.start = corners;
	for (size_t stride = 1; stride < 12; stride++) {
		p.stride_bytes = stride;
		REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "stride_bytes");
	}
	p.stride_bytes = 65540;
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "stride_bytes");
	p.stride_bytes = 0;
	p.start = (const char *)corners + 1;
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "aligned");
	p.start = corners;
	p.number = (collide_number)2;
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "number 2");
	p.number = COLLIDE_FLOAT;
	p.change = (collide_change)2;
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "change 2");
	p.change = COLLIDE_AUTO;
	p.memory = (collide_memory)-1;
	REFUSED(collide_mesh_update(mesh, &p), COLLIDE_ERR_ARG, "memory -1");
	REFUSED(collide_mesh_update(mesh, NULL), COLLIDE_ERR_ARG, "NULL");
	REFUSED(collide_mesh_update(NULL, &p), COLLIDE_ERR_ARG, "NULL");
	collide_mesh_destroy(&mesh);
	collide_close(&c);
}

static void finding_refuses_wrong_arguments(void)
{
	collide_ctx *c = setup_open(), *other = setup_open();
	collide_mesh *mesh = make(c), *foreign = make(other);
	collide_find_options o;
	const collide_pair *all;
	collide_pair pair;
	uint64_t n;

	CU_ASSERT_EQUAL(place(mesh, corners), COLLIDE_OK);
	CU_ASSERT_EQUAL(place(foreign, corners), COLLIDE_OK);
	collide_find_options_init(&o);
	REFUSED(collide_find(c, mesh, foreign, COLLIDE_FACE_FACE, &o, &pair, 1, &n),
		COLLIDE_ERR_ARG, "another context");
	REFUSED(collide_find(c, mesh, mesh, (collide_kind)3, &o, &pair, 1, &n), COLLIDE_ERR_ARG,
		"kind 3");
	REFUSED(collide_find(c, mesh, NULL, COLLIDE_FACE_FACE, &o, &pair, 1, &n), COLLIDE_ERR_ARG,
		"NULL");
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o, NULL, 1, &n), COLLIDE_ERR_ARG,
		"NULL");
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &pair, 1, NULL), COLLIDE_ERR_ARG,
		"NULL");
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &pair, UINT64_MAX, &n),
		COLLIDE_ERR_ARG, "capacity");
	o.order = (collide_order)2;
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &pair, 1, &n), COLLIDE_ERR_ARG,
		"order 2");
	o.order = COLLIDE_ANY;
	o.front = 5000000;
	REFUSED(collide_find_all(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &all, &n), COLLIDE_ERR_ARG,
		"front 5000000");
	CU_ASSERT_PTR_NULL(all);
	REFUSED(collide_find_all(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, NULL, &n), COLLIDE_ERR_ARG,
		"NULL");
	collide_mesh_destroy(&mesh);
	collide_mesh_destroy(&foreign);
	collide_close(&c);
	collide_close(&other);
}

static void contacts_refuse_wrong_arguments(void)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	collide_contact_options o;
	collide_pair pair = { 0, 1 };
	uint32_t time;
	uint64_t n = 7;

	collide_contact_options_init(&o);
	REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, &pair, 1, &time, &n),
		COLLIDE_ERR_STATE, "no positions");
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_EQUAL(place(mesh, corners), COLLIDE_OK);
	REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &pair, 1, &time, &n),
		COLLIDE_ERR_UNSUPPORTED, "kind");
	REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, &pair, UINT64_C(1) << 31,
			&time, &n),
		COLLIDE_ERR_UNSUPPORTED, "pairs");
	o.tolerance = -1;
	REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, &pair, 1, &time, &n),
		COLLIDE_ERR_ARG, "tolerance");
	o.tolerance = NAN;
	REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, &pair, 1, &time, &n),
		COLLIDE_ERR_ARG, "tolerance");
	o.tolerance = 1e-5;
	for (uint32_t k = 0; k < 2; k++) {
		const collide_pair out[3] = { { 0, 0 }, { k ? 6 : 0, k ? 0 : 2 }, { 9, 9 } };
		uint32_t times[3];

		REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, out, 3, times, &n),
			COLLIDE_ERR_VALUE, "pair 1");
	}
	CU_ASSERT_EQUAL(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, NULL, 0, NULL, &n),
		COLLIDE_OK);
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
	REFUSED(collide_bvh_build(b, box, COLLIDE_MAX_PRIMITIVES + 1, COLLIDE_HOST),
		COLLIDE_ERR_UNSUPPORTED, "more than");
	CU_ASSERT_EQUAL(collide_bvh_build(b, box, 3, COLLIDE_HOST), COLLIDE_OK);
	CU_ASSERT_EQUAL(collide_bvh_tree(b, &t), COLLIDE_OK);
	REFUSED(collide_bvh_refit(b, box, 2, COLLIDE_HOST), COLLIDE_ERR_STATE, "2 boxes");
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

/* Contexts are independent of each other. */
static void *find_in_own_context(void *arg)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh = make(c);
	collide_pair pair[2];
	uint64_t n, *wrong = arg;

	for (int i = 0; i < 20; i++)
		*wrong += place(mesh, corners) != COLLIDE_OK ||
			  collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, 2, &n) !=
				  COLLIDE_OK ||
			  n != 1 || collide_mesh_update(NULL, NULL) != COLLIDE_ERR_ARG;
	collide_mesh_destroy(&mesh);
	collide_close(&c);
	return NULL;
}

static void threads_may_have_a_context_each(void)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	uint64_t wrong[THREADS] = { 0 };

	for (int k = 0; k < THREADS; k++)
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&thread[k], NULL, find_in_own_context, &wrong[k]), 0);
	for (int k = 0; k < THREADS; k++) {
		CU_ASSERT_EQUAL(pthread_join(thread[k], NULL), 0);
		CU_ASSERT_EQUAL(wrong[k], 0);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "statuses have texts", statuses_have_texts },
		{ "structs have their size", structs_have_their_size },
		{ "contexts refuse wrong options", contexts_refuse_wrong_options },
		{ "meshes refuse corners that are no vertices",
			meshes_refuse_corners_that_are_no_vertices },
		{ "positions must be finite floats", positions_must_be_finite_floats },
		{ "updates refuse wrong arguments", updates_refuse_wrong_arguments },
		{ "finding refuses wrong arguments", finding_refuses_wrong_arguments },
		{ "contacts refuse wrong arguments", contacts_refuse_wrong_arguments },
		{ "trees refuse wrong boxes", trees_refuse_wrong_boxes },
		{ "empty and degenerate meshes have pairs",
			empty_and_degenerate_meshes_have_pairs },
		{ "threads may have a context each", threads_may_have_a_context_each },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "the interface of libcollide", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
