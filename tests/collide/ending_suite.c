/* Calls that end before their work is complete, on the backend of setup_backend. */
#include "tests/collide/pairs_suite.h"
#include "tests/collide/setup.h"
#include "tests/common/check.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <CUnit/CUnit.h>

/* Candidates that take hours: two triangles that shrink to points, each pair of which needs 65,536
 * cells. */
enum { CANDIDATES = 1 << 22 };

typedef struct hostile {
	collide_ctx *ctx;
	collide_mesh *mesh;
	collide_contact_options o;
	collide_pair *pair;
	uint32_t *time;
	uint64_t touching;
	collide_status status;
	uint32_t is_calling; /* atomic */
} hostile;

/* Each of the candidates takes the most cells. The window of time that ends at 64 was searched. */
static void check_candidate(hostile *h)
{
	collide_contact k;

	CU_ASSERT_EQUAL(collide_contact_points(h->ctx, h->mesh, h->mesh, COLLIDE_VERTEX_FACE, &h->o,
				h->pair, 1, &k, NULL),
		COLLIDE_OK);
	CU_ASSERT_TRUE(k.time == 64 && k.is_limited);
}

static void make_hostile(hostile *h, uint32_t limit_ms)
{
	static const float a[18] = { 3.39999995f, 1.85809548f, 3.39999995f, 3.39999995f,
		3.39999995f, 3.39999995f, 3.4005711f, 3.39999995f, 3.39999995f, 3.18732347f,
		3.39999995f, 3.39999995f, 3.39999995f, 3.39999995f, 3.39999995f, 3.39999995f,
		3.39999995f, 3.39999995f };
	setup_mesh m;

	memset(h, 0, sizeof(*h));
	h->ctx = setup_open_limited(limit_ms);
	setup_random(&m, 6, 2, 1);
	for (uint32_t i = 0; i < 6; i++)
		m.index[i] = i;
	for (uint32_t i = 0; i < 18; i++) {
		m.start[i] = a[i];
		m.end[i] = i ? -3.39999995f : -3.39996872f;
	}
	h->mesh = setup_mesh_of(h->ctx, &m);
	setup_free(&m);
	h->pair = malloc(CANDIDATES * sizeof(*h->pair));
	h->time = malloc(CANDIDATES * sizeof(*h->time));
	CU_ASSERT_FATAL(h->pair != NULL && h->time != NULL);
	for (uint32_t i = 0; i < CANDIDATES; i++)
		h->pair[i] = (collide_pair){ 2, 1 };
	collide_contact_options_init(&h->o);
	h->o.tolerance = 6.8e-6;
	check_candidate(h);
}

static void free_hostile(hostile *h)
{
	free(h->pair);
	free(h->time);
	collide_mesh_destroy(&h->mesh);
	collide_close(&h->ctx);
}

/* The context works: a mesh of its own has its pairs. */
static void check_usable(hostile *h)
{
	collide_find_options o;
	collide_mesh *mesh;
	collide_pair *want, got[4096];
	setup_mesh m;
	uint64_t wanted, count;

	setup_random(&m, 60, 40, 6);
	mesh = setup_mesh_of(h->ctx, &m);
	want = setup_brute(&m, mesh, &m, mesh, COLLIDE_FACE_FACE, &wanted);
	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	CU_ASSERT_EQUAL(collide_find(h->ctx, mesh, mesh, COLLIDE_FACE_FACE, &o, got, 4096, &count),
		COLLIDE_OK);
	CU_ASSERT_TRUE(count == wanted && memcmp(got, want, count * sizeof(*got)) == 0);
	free(want);
	collide_mesh_destroy(&mesh);
	setup_free(&m);
}

static void *search(void *arg)
{
	hostile *h = arg;

	__atomic_store_n(&h->is_calling, 1, __ATOMIC_RELEASE);
	h->status = collide_contacts(h->ctx, h->mesh, h->mesh, COLLIDE_VERTEX_FACE, &h->o, h->pair,
		CANDIDATES, h->time, &h->touching);
	return NULL;
}

/* The result is the same if a cancel precedes the start of the run. */
void a_cancel_from_another_thread_ends_a_call(void)
{
	hostile h;
	pthread_t thread;

	make_hostile(&h, 0);
	for (int round = 0; round < 4; round++) {
		h.status = COLLIDE_OK;
		h.touching = 7;
		h.is_calling = 0;
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, search, &h), 0);
		while (!__atomic_load_n(&h.is_calling, __ATOMIC_ACQUIRE))
			sched_yield();
		/* most often the run has started then */
		nanosleep(&(struct timespec){ .tv_nsec = round * 3000000L }, NULL);
		collide_cancel(h.ctx);
		CU_ASSERT_EQUAL(pthread_join(thread, NULL), 0);
		CU_ASSERT_EQUAL(h.status, COLLIDE_ERR_CANCELLED);
		CU_ASSERT_EQUAL(h.touching, 0);
		collide_resume(h.ctx);
		check_candidate(&h);
		check_usable(&h);
	}
	free_hostile(&h);
}

/* The calls after it have 1 s each, which they need a small part of. */
void a_time_limit_ends_a_call(void)
{
	/* a candidate takes about a second where qemu-user emulates emulated warps */
	const uint32_t limit_ms = getenv("TEST_EMULATED") ? 20000 : 1000;
	char text[64];
	hostile h;

	snprintf(text, sizeof(text), "time_limit_ms of %u ms", limit_ms);
	make_hostile(&h, limit_ms);
	for (int round = 0; round < 2; round++) {
		(void)search(&h);
		CU_ASSERT_EQUAL(h.status, COLLIDE_ERR_TIME_LIMIT);
		CU_ASSERT_EQUAL(h.touching, 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(collide_last_error(), text));
		check_candidate(&h);
		check_usable(&h);
	}
	free_hostile(&h);
}

#define CANCELLED(call) CU_ASSERT_EQUAL((call), COLLIDE_ERR_CANCELLED)

/* Each call returns the status, and leaves what the header states. */
void cancelled_calls_leave_nothing(void)
{
	static const collide_box box = { { 0, 0, 0 }, { 1, 1, 1 } };
	collide_mesh_options mo;
	collide_mesh *none = NULL;
	collide_bvh *bvh;
	collide_tree t;
	collide_pair pair;
	collide_contact contact;
	const collide_pair *pairs;
	const uint32_t corners[3] = { 0, 0, 0 };
	setup_mesh m;
	hostile h;
	uint64_t n = 7;

	make_hostile(&h, 0);
	collide_tree_init(&t);
	collide_mesh_options_init(&mo);
	mo.vertices = mo.triangles = 1;
	mo.index = corners;
	setup_random(&m, 6, 2, 1);
	CU_ASSERT_EQUAL_FATAL(collide_bvh_create(&bvh, h.ctx, 1), COLLIDE_OK);
	CU_ASSERT_EQUAL(collide_bvh_build(bvh, &box, 1, COLLIDE_HOST), COLLIDE_OK);
	collide_cancel(h.ctx);
	CANCELLED(collide_bvh_tree(bvh, &t));
	CANCELLED(collide_bvh_refit(bvh, &box, 1, COLLIDE_HOST));
	CANCELLED(collide_bvh_build(bvh, &box, 1, COLLIDE_HOST));
	CANCELLED(collide_mesh_create(&none, h.ctx, &mo));
	CU_ASSERT_PTR_NULL(none);
	CANCELLED(collide_mesh_tree(h.mesh, COLLIDE_FACE, &t));
	CU_ASSERT_EQUAL(t.root, COLLIDE_NONE);
	CANCELLED(collide_find(h.ctx, h.mesh, h.mesh, COLLIDE_FACE_FACE, NULL, &pair, 1, &n));
	CU_ASSERT_EQUAL(n, 0);
	CANCELLED(collide_find_all(h.ctx, h.mesh, h.mesh, COLLIDE_FACE_FACE, NULL, &pairs, &n));
	CU_ASSERT_PTR_NULL(pairs);
	CANCELLED(collide_contact_points(
		h.ctx, h.mesh, h.mesh, COLLIDE_VERTEX_FACE, &h.o, h.pair, 1, &contact, &n));
	CANCELLED(setup_update(h.mesh, &m, COLLIDE_AUTO));
	collide_resume(h.ctx);
	CU_ASSERT_EQUAL(collide_bvh_tree(bvh, &t), COLLIDE_ERR_STATE);
	CU_ASSERT_EQUAL(collide_find(h.ctx, h.mesh, h.mesh, COLLIDE_FACE_FACE, NULL, &pair, 1, &n),
		COLLIDE_ERR_STATE);
	CU_ASSERT_EQUAL(setup_update(h.mesh, &m, COLLIDE_AUTO), COLLIDE_OK);
	CU_ASSERT_EQUAL(collide_bvh_build(bvh, &box, 1, COLLIDE_HOST), COLLIDE_OK);
	check_usable(&h);
	collide_bvh_destroy(&bvh);
	setup_free(&m);
	free_hostile(&h);
	collide_cancel(NULL);
	collide_resume(NULL);
}
