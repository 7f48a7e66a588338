/* Conversion to primitives: too few values, random input, full arrays. */
#include <float.h>
#include "tests/reyes/lower_setup.h"

static void too_few_values_are_an_error_and_too_many_a_warning(void)
{
	static float p[64], s[64];
	test_shape t;
	lowered r;

	shape_init(&t, REYES_I_SHAPE_PATCH_MESH, "PatchMesh");
	shape_basis(&t, bezier, 3);
	t.s.counts[0] = t.s.counts[1] = 4;
	shape_var(&t, 0, "P", REYES_I_CLASS_VERTEX, 3, p, 30);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(strcmp(r.text, "PatchMesh: \"P\" has 30 values, 48 are needed") == 0, "%s", r.text);
	CHECK(r.errors == 1 && !r.f.prims.count && r.status == REYES_OK, "%u", r.errors);
	t.vars[0][0].count = 51;
	shape_var(&t, 0, "s", REYES_I_CLASS_VARYING, 1, s, 3);
	lower(&r, &t);
	CHECK(strcmp(r.text, "PatchMesh: \"s\" has 3 values, 4 are needed") == 0, "%s", r.text);
	CHECK(r.errors == 2 && !r.f.prims.count, "%u", r.errors);
	t.vars[0][1].count = 4;
	lower(&r, &t);
	CHECK(r.errors == 2 && r.warnings == 1 && r.f.prims.count == 1, "%s", r.text);
	p[20] = NAN;
	lower(&r, &t);
	CHECK(r.errors == 3 && r.f.prims.count == 1, "%s", r.text);
	p[20] = 1e30f;
	r.motion.matrix[0][0] = r.motion.matrix[0][10] = 1e3;
	lower(&r, &t);
	CHECK(r.errors == 4 && r.f.prims.count == 1, "%s", r.text);
	p[20] = 0;
	lowered_free(&r);
}

/* Arrays of a random shape, which must exist as long as the shape. */
typedef struct garbage {
	int32_t ints[64];
	float floats[256];
} garbage;

static const float odd[] = { 0, 1, -1, 0.5f, 1e30f, -1e30f, 2e30f, FLT_MAX, INFINITY, NAN };

/* Makes the numbers; `mild`: small ones. */
static void make_garbage(garbage *g, int mild)
{
	static const int32_t special[] = { 0, 1, 2, 3, 4, 5, 3, 4, 3, 4, -1, 7, 100000, INT32_MAX,
		INT32_MIN };
	unsigned i;

	for (i = 0; i < 64; i++)
		g->ints[i] = mild ? (int32_t)rng_below(5)
				  : special[rng_below(sizeof(special) / sizeof(special[0]))];
	for (i = 0; i < 256; i++)
		g->floats[i] = mild || rng_below(20) ? (float)rng_around(9) : odd[rng_below(10)];
}

/* Sets the keys' arguments and variables. */
static void make_keys(test_shape *t, garbage *g, int mild)
{
	static const char *const names[] = { "P", "Pw", "N", "Cs", "s", "st", "width", "t" };
	unsigned k, i;

	for (k = 0; k < MOST_KEYS; k++) {
		t->keys[k].time = (float)k;
		memcpy(t->keys[k].args, g->floats + 8 * k, sizeof(t->keys[k].args));
		for (i = 0; i < MOST_VARS && rng_below(6); i++) {
			uint32_t n = i == 0 || i == 2 || i == 3 ? 3 : i == 5 ? 2 : 1;

			shape_var(t, k, names[i], (uint8_t)rng_below(mild ? 6 : 8),
				i == 1          ? 4
				: rng_below(30) ? n
						: 7,
				g->floats, mild ? 256 : rng_below(257));
		}
	}
}

/* Sets all members of a shape. */
static void make_shape(test_shape *t, garbage *g, int mild)
{
	static const char *const tags[] = { "crease", "corner", "hole", "interpolateboundary", "x",
		NULL };
	unsigned i;

	shape_init(t, rng_below(REYES_I_SHAPE_KINDS + 1), "Garbage");
	make_garbage(g, mild);
	for (i = 0; i < 5; i++)
		t->s.counts[i] = rng_below(mild ? 6 : 16);
	if (!mild && rng_below(8) == 0)
		t->s.counts[rng_below(5)] = SIZE_MAX - rng_below(3);
	t->s.key_count = rng_below(mild ? 2 : 3) + (mild ? 1 : 0);
	t->s.degree = rng_below(2);
	t->s.u_periodic = rng_below(2);
	t->s.v_periodic = rng_below(2);
	t->s.loop_scheme = rng_below(3);
	t->s.interpolate_boundary = rng_below(3);
	memcpy(t->s.u_basis, b_spline, sizeof(b_spline));
	memcpy(t->s.v_basis, g->floats, sizeof(t->s.v_basis));
	t->s.u_step = rng_below(4);
	t->s.v_step = 1 + rng_below(3);
	shape_ints(t, g->ints, rng_below(65));
	t->s.floats = g->floats;
	t->s.float_count = rng_below(257);
	t->s.tags = (char **)tags;
	t->s.tag_count = 6;
	make_keys(t, g, mild);
}

/* Random numbers in all members: no crash, and what is appended is within the frame. */
static void random_garbage_is_refused_or_drawn(void)
{
	unsigned drawn = 0, round, k, i;

	for (round = 0; round < 60000; round++) {
		const int mild = round % 3 != 0;
		test_shape t;
		garbage g;
		lowered r;

		make_shape(&t, &g, mild);
		lowered_init(&r);
		r.motion.count = rng_below(mild ? 1 : 3) + (mild ? 1 : 0);
		for (k = 0; k < r.motion.count; k++) {
			identity(r.motion.matrix[k]);
			r.motion.matrix[k][rng_below(16)] = odd[rng_below(mild ? 4 : 10)];
			r.motion.times[k] = (float)k * odd[rng_below(mild ? 2 : 10)];
		}
		lower(&r, &t);
		CHECK(r.status == REYES_OK || r.f.no_memory, "round %u", round);
		CHECK(r.errors || r.warnings || r.f.prims.count || r.f.no_memory || !t.s.counts[0],
			"round %u: nothing is drawn, nothing reported", round);
		for (i = 0; i < r.f.prims.count; i++) {
			const reyes_i_prim *p = &r.f.prims.list[i];

			drawn++;
			CHECK(p->data + (size_t)p->stride * p->key_count <= r.f.floats.count &&
					(size_t)p->vars + p->var_count <= r.f.vars.count,
				"round %u: primitive %u", round, i);
		}
		lowered_free(&r);
	}
	CHECK(drawn > 1000, "only %u primitives", drawn);
}

/* Converts the shape with one array of the frame full; then with the frame cleared. */
static void check_full(const test_shape *t, size_t *count, lowered *r)
{
	*count = UINT32_MAX - 1;
	lower(r, t);
	CHECK(r->status == REYES_ERR_NOMEM && r->f.no_memory, "%d", (int)r->status);
	CHECK(*count == UINT32_MAX - 1, "%zu elements", *count);
	*count = 0;
	CHECK(!r->f.prims.count && !r->f.floats.count && !r->f.vars.count && !r->f.words.count &&
			!r->f.surface_count,
		"something stays");
	lower(r, t);
	CHECK(r->status == REYES_ERR_NOMEM, "the mark stays until the frame is cleared");
	reyes_i_frame_clear(&r->f);
	lower(r, t);
	CHECK(r->status == REYES_OK && r->f.prims.count == 1, "%s", r->text);
	reyes_i_frame_clear(&r->f);
}

static void a_full_frame_reports_that_there_is_no_memory(void)
{
	static const float p[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
	static const int32_t polygon[] = { 1, 4, 0, 1, 2, 3 }, mesh[] = { 4, 0, 1, 2, 3 };
	test_shape t;
	lowered r;

	lowered_init(&r);
	shape_init(&t, REYES_I_SHAPE_POLYGONS, "Polygon");
	shape_ints(&t, polygon, 6);
	t.s.counts[0] = t.s.counts[1] = 1;
	t.s.counts[2] = 4;
	shape_points(&t, p, 4);
	check_full(&t, &r.f.floats.count, &r);
	check_full(&t, &r.f.prims.count, &r);
	check_full(&t, &r.f.vars.count, &r);
	shape_init(&t, REYES_I_SHAPE_SUBDIVISION, "SubdivisionMesh");
	shape_ints(&t, mesh, 5);
	t.s.counts[0] = 1;
	t.s.counts[1] = 4;
	t.s.interpolate_boundary = 1;
	shape_points(&t, p, 4);
	check_full(&t, &r.f.words.count, &r);
	lowered_free(&r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "too few values are an error and too many a warning",
			too_few_values_are_an_error_and_too_many_a_warning },
		{ "random garbage is refused or drawn", random_garbage_is_refused_or_drawn },
		{ "a full frame reports that there is no memory",
			a_full_frame_reports_that_there_is_no_memory },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("defective shapes", tests);
}
