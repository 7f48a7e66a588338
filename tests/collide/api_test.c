/* The interface of libcollide: structs that carry their size, wrong arguments, threads. */
#include "tests/collide/refused.h"
#include "tests/common/testmain.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

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
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o,
			(collide_pair *)(void *)((char *)&pair + 1), 1, &n),
		COLLIDE_ERR_ARG, "aligned");
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
	o.front = 0;
	o.margin = -1;
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &pair, 1, &n), COLLIDE_ERR_ARG,
		"margin -1");
	o.margin = 1e39;
	REFUSED(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, &o, &pair, 1, &n), COLLIDE_ERR_ARG,
		"margin 1e+39");
	REFUSED(collide_contact_points(c, mesh, mesh, COLLIDE_EDGE_EDGE, NULL, &pair, 1, NULL, &n),
		COLLIDE_ERR_ARG, "collide_contact_points: an argument is NULL");
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
	REFUSED(collide_contacts(c, mesh, mesh, COLLIDE_VERTEX_FACE, &o, &pair, 1,
			(uint32_t *)(void *)((char *)&time + 1), &n),
		COLLIDE_ERR_ARG, "aligned");
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

static uint64_t edge_key(const uint32_t *edge)
{
	return (uint64_t)edge[1] << 32 | edge[0];
}

/* More edges than are sorted at once: a strip of triangles in random order has, beside the edges of
 * neighbours, those of the vertices after next. */
static void edges_of_a_large_mesh_are_in_order(void)
{
	enum { N = 150000 };
	collide_ctx *c = setup_open();
	collide_mesh_options o;
	collide_mesh *mesh;
	uint32_t *index = malloc(N * 3 * sizeof(*index));
	const uint32_t *edge;
	uint32_t count;
	int ok = 1;

	CU_ASSERT_FATAL(index != NULL);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t k = 0; k < 3; k++)
			index[i * 3 + k] = (uint32_t)((uint64_t)i * 77777 % N) + (i + k) % 3;
	collide_mesh_options_init(&o);
	o.vertices = N + 2;
	o.triangles = N;
	o.index = index;
	CU_ASSERT_EQUAL_FATAL(collide_mesh_create(&mesh, c, &o), COLLIDE_OK);
	count = collide_mesh_count(mesh, COLLIDE_EDGE);
	edge = collide_mesh_edges(mesh);
	CU_ASSERT_EQUAL_FATAL(count, 2 * N + 1);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t apart = edge[2 * i + 1] - edge[2 * i];

		ok &= (apart == 1 || apart == 2) && edge[2 * i + 1] < N + 2;
		ok &= i == 0 || edge_key(edge + 2 * i - 2) < edge_key(edge + 2 * i);
	}
	CU_ASSERT_TRUE(ok);
	free(index);
	collide_mesh_destroy(&mesh);
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
		{ "updates refuse wrong arguments", updates_refuse_wrong_arguments },
		{ "finding refuses wrong arguments", finding_refuses_wrong_arguments },
		{ "contacts refuse wrong arguments", contacts_refuse_wrong_arguments },
		{ "threads may have a context each", threads_may_have_a_context_each },
		{ "edges of a large mesh are in order", edges_of_a_large_mesh_are_in_order },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		TEST_SUITE("the interface of libcollide", tests),
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
