/* Split and dice alone: grids against a recursion without a scheduler, points against evaluation in
 * double precision. */
#include "tests/reyes/alone_suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/alone/scenes.h"
#include "tests/common/testmain.h"

alone_place aplace;

/* A scene, and its grids by a recursion. */
typedef struct scene {
	char *text;
	reyes_renderer *r;
	const reyes_i_frame *f;
	reyes_i_view view;
	reyes_i_grid *grids;
	size_t count, room;
} scene;

static int by_order(const void *a, const void *b)
{
	const reyes_i_grid *x = a, *y = b;
	const uint64_t m = reyes_i_grid_order(x), n = reyes_i_grid_order(y);

	return m != n ? (m > n) - (m < n) : memcmp(x, y, sizeof(*x));
}

static void split_all(scene *s, reyes_i_item item)
{
	reyes_i_grid grid;
	const uint32_t fate = reyes_i_decide(&s->view, &item, &grid, NULL);

	if (fate == REYES_I_DICE) {
		if (s->count == s->room) {
			s->room = 2 * s->room + 64;
			s->grids = realloc(s->grids, s->room * sizeof(*s->grids));
			CU_ASSERT_PTR_NOT_NULL_FATAL(s->grids);
		}
		s->grids[s->count++] = grid;
	}
	for (uint32_t k = 0; k < reyes_i_part_count(fate); k++)
		split_all(s, reyes_i_part(&item, fate, k));
}

static void scene_open(scene *s, char *text)
{
	char message[400] = "";

	memset(s, 0, sizeof(*s));
	s->text = text;
	NEED(text, "no memory");
	s->f = reyes_i_scene_read(&s->r, NULL, text, NULL, message, sizeof(message));
	NEED(s->f, "%s", message);
	s->view = reyes_i_view_of(s->f);
	for (uint32_t k = 0; k < s->view.prim_count; k++)
		split_all(s, reyes_i_alone_whole(k));
	qsort(s->grids, s->count, sizeof(*s->grids), by_order);
}

static void scene_close(scene *s)
{
	reyes_close(&s->r);
	free(s->grids);
	free(s->text);
}

static reyes_i_alone *open_alone(const scene *s)
{
	reyes_i_alone *a;
	char message[400] = "";

	NEED(reyes_i_alone_open(&a, aplace.ctx, s->f, message, sizeof(message)) == LSCHED_OK, "%s",
		message);
	for (int form = 0; form < REYES_I_ALONE_FORMS; form++)
		reyes_i_alone_replace(a, (reyes_i_alone_form)form, aplace.programs[form]);
	return a;
}

/* The points of one grid against reyes_i_eval, to the bit. Returns the number that differ. */
static uint32_t wrong_points(
	const scene *s, const reyes_i_alone_grid *g, const float *points, size_t stride)
{
	reyes_i_dicing d;
	uint32_t wrong = 0;

	reyes_i_dicing_of(&s->view, &g->grid, NULL, &d);
	REYES_I_EACH_POINT(w, &d, 0, 1)
	{
		const float *p = points + g->first + w.k;
		reyes_i_surf at;
		reyes_i_vec n;
		float u, v;

		reyes_i_dice_uv(&d, &w, &u, &v);
		reyes_i_eval(&s->view, d.prim, 0, u, v, &at);
		n = reyes_i_normal(&s->view, d.prim, 0, u, v, &at, d.flip);
		wrong += p[0] != at.p.x || p[stride] != at.p.y || p[2 * stride] != at.p.z ||
			 p[3 * stride] != n.x || p[4 * stride] != n.y || p[5 * stride] != n.z;
	}
	return wrong;
}

/* The grids of the last execution are those of the recursion, and have their points. */
static void check_results(reyes_i_alone *a, const scene *s, const char *what)
{
	reyes_i_alone_grid *list = NULL;
	reyes_i_grid *grids;
	float *points = NULL;
	uint32_t count, wrong = 0;
	size_t stride;

	NEED(reyes_i_alone_read(a, &list, &count, &points, &stride) == LSCHED_OK, "%s: %s", what,
		reyes_i_alone_error(a));
	NEED(count == s->count, "%s: %u grids, not %zu", what, count, s->count);
	grids = malloc(count * sizeof(*grids) + 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(grids);
	for (uint32_t k = 0; k < count; k++) {
		grids[k] = list[k].grid;
		wrong += wrong_points(s, list + k, points, stride);
	}
	qsort(grids, count, sizeof(*grids), by_order);
	NEED(memcmp(grids, s->grids, count * sizeof(*grids)) == 0, "%s: other grids", what);
	NEED(wrong == 0, "%s: %u points differ from reyes_i_eval", what, wrong);
	free(grids);
	free(points);
	free(list);
}

static void run_once(reyes_i_alone *a, const reyes_i_alone_options *o, reyes_i_alone_figures *g)
{
	NEED(reyes_i_alone_prepare(a, o) == LSCHED_OK && reyes_i_alone_execute(a, g) == LSCHED_OK,
		"%s, queue %s: %s", reyes_i_alone_form_name(o->form), lsched_queue_name(o->queue),
		reyes_i_alone_error(a));
}

static void check_scene(char *text)
{
	reyes_i_alone_options o = { .overflow = LSCHED_OVERFLOW_INLINE };
	reyes_i_alone_figures g;
	reyes_i_alone *a;
	scene s;

	scene_open(&s, text);
	NEED(s.count > 10, "%zu grids", s.count);
	a = open_alone(&s);
	for (int form = 0; form < REYES_I_ALONE_FORMS; form++)
		for (int q = 0; lsched_queue_name((lsched_queue)q); q++)
			for (size_t k = 0; k < aplace.worker_counts; k++) {
				char what[80];

				o.form = (reyes_i_alone_form)form;
				o.queue = (lsched_queue)q;
				o.workers = aplace.workers[k];
				o.never_keep = k & 1;
				run_once(a, &o, &g);
				snprintf(what, sizeof(what), "%s, queue %s, %u workers",
					reyes_i_alone_form_name(o.form), lsched_queue_name(o.queue),
					o.workers);
				NEED(g.grids == s.count, "%s: %llu grids", what,
					(unsigned long long)g.grids);
				check_results(a, &s, what);
			}
	reyes_i_alone_close(&a);
	scene_close(&s);
}

static void every_form_and_queue_makes_the_grids_and_points_of_patches(void)
{
	check_scene(reyes_i_scene_layers(2, 3, aplace.side_px));
}

static void every_form_and_queue_makes_the_grids_and_points_of_quadrics(void)
{
	check_scene(reyes_i_scene_pot(aplace.side_px, REYES_I_POT_STILL));
}

static void value_of(const double *p, size_t step, double t, double *value, double *slope)
{
	const double s = 1 - t;

	*value = s * s * s * p[0] + 3 * s * s * t * p[step] + 3 * s * t * t * p[2 * step] +
		 t * t * t * p[3 * step];
	*slope = 3 * (s * s * (p[step] - p[0]) + 2 * s * t * (p[2 * step] - p[step]) +
			     t * t * (p[3 * step] - p[2 * step]));
}

/* Point and unit normal of a bicubic patch in double precision. */
static void exact_point(const float *net, double u, double v, double p[3], double n[3])
{
	double du[3], dv[3], length;

	for (int c = 0; c < 3; c++) {
		double q[4], d[4], none, at[16];

		for (int k = 0; k < 16; k++)
			at[k] = (double)net[3 * k + c];
		for (int j = 0; j < 4; j++)
			value_of(at + 4 * j, 1, u, &q[j], &d[j]);
		value_of(q, 1, v, &p[c], &dv[c]);
		value_of(d, 1, v, &du[c], &none);
	}
	for (int c = 0; c < 3; c++)
		n[c] = du[(c + 1) % 3] * dv[(c + 2) % 3] - du[(c + 2) % 3] * dv[(c + 1) % 3];
	length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	for (int c = 0; c < 3; c++)
		n[c] /= length;
}

/* Positions within 4 units in the last place of the largest coordinate, normals within 1e-5: the
 * sums have about 20 rounded operations. */
static void points_agree_with_double_precision(void)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_ITEMS };
	reyes_i_alone_grid *list;
	reyes_i_alone_figures g;
	double worst_p = 0, worst_n = 0;
	uint32_t count, points = 0;
	reyes_i_alone *a;
	float *values;
	size_t stride;
	scene s;

	scene_open(&s, reyes_i_scene_layers(3, 2, aplace.side_px));
	a = open_alone(&s);
	run_once(a, &o, &g);
	NEED(reyes_i_alone_read(a, &list, &count, &values, &stride) == LSCHED_OK, "%s",
		reyes_i_alone_error(a));
	for (uint32_t k = 0; k < count; k++) {
		const reyes_i_grid *grid = &list[k].grid;
		const reyes_i_prim *prim = s.view.prims + grid->prim;
		const int flip = s.view.attrs[prim->attr].flags & REYES_I_ATTR_FLIP;
		const reyes_i_rect r =
			reyes_i_rect_of(grid->u, grid->u_level, grid->v, grid->v_level);

		for (uint32_t m = 0; m < (grid->nu + 1u) * (grid->nv + 1u); m++, points++) {
			const double x = m % (grid->nu + 1u) / (double)grid->nu;
			const double y = m / (grid->nu + 1u) / (double)grid->nv;
			const float *at = values + list[k].first + m;
			double p[3], n[3];

			exact_point(s.view.floats + prim->data,
				(double)r.u0 + x * ((double)r.u1 - (double)r.u0),
				(double)r.v0 + y * ((double)r.v1 - (double)r.v0), p, n);
			for (size_t c = 0; c < 3; c++) {
				worst_p = fmax(worst_p, fabs(p[c] - (double)at[c * stride]));
				worst_n = fmax(worst_n,
					fabs((flip ? -n[c] : n[c]) - (double)at[(3 + c) * stride]));
			}
		}
	}
	NEED(points > 1000, "%u points", points);
	NEED(worst_p < 4 * ldexp(4, -23) && worst_n < 1e-5, "positions %g, normals %g", worst_p,
		worst_n);
	free(list);
	free(values);
	reyes_i_alone_close(&a);
	scene_close(&s);
}

/* The orthographic scene is wholly in the picture: the parameter rectangles of its grids have the
 * area of all primitives. */
static void grids_cover_every_primitive_once(void)
{
	double area = 0;
	scene s;

	scene_open(&s, reyes_i_scene_layers(3, 4, aplace.side_px));
	for (size_t k = 0; k < s.count; k++)
		area += ldexp(1, -s.grids[k].u_level - s.grids[k].v_level);
	NEED(area == 48, "area %g", area);
	scene_close(&s);
}

static void full_memory_is_enlarged(void)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_LIST, .queue = LSCHED_QUEUE_DONATE };
	reyes_i_alone_figures g;
	reyes_i_alone *a;
	scene s;

	scene_open(&s, reyes_i_scene_layers(50, 10, 40));
	NEED(s.count > 4096, "%zu grids fit into the first memory", s.count);
	a = open_alone(&s);
	run_once(a, &o, &g);
	NEED(g.attempts == 2, "%u attempts", g.attempts);
	check_results(a, &s, "enlarged");
	NEED(reyes_i_alone_execute(a, &g) == LSCHED_OK && g.attempts == 1, "%u attempts",
		g.attempts);
	reyes_i_alone_close(&a);
	scene_close(&s);
}

static void full_deques_fail_or_are_spilled(void)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_TASKS,
		.queue = LSCHED_QUEUE_DIST,
		.workers = 1,
		.bin_size = 2,
		.never_keep = 1 };
	reyes_i_alone_figures g;
	reyes_i_alone *a;
	scene s;

	scene_open(&s, reyes_i_scene_pot(aplace.side_px, REYES_I_POT_STILL));
	a = open_alone(&s);
	NEED(reyes_i_alone_prepare(a, &o) == LSCHED_OK, "%s", reyes_i_alone_error(a));
	NEED(reyes_i_alone_execute(a, &g) == LSCHED_ERR_OVERFLOW &&
			strstr(reyes_i_alone_error(a), "bin_size"),
		"%s", reyes_i_alone_error(a));
	o.overflow = LSCHED_OVERFLOW_INLINE;
	run_once(a, &o, &g);
	NEED(g.stats.inlined > 0, "no unit was spilled");
	check_results(a, &s, "spilled");
	o.queue = LSCHED_QUEUE_BUFFER;
	o.overflow = LSCHED_OVERFLOW_FAIL;
	run_once(a, &o, &g);
	NEED(g.stats.donated > 0, "no unit entered the buffer");
	check_results(a, &s, "buffered");
	reyes_i_alone_close(&a);
	scene_close(&s);
}

static void scenes_without_words_are_refused(void)
{
	reyes_i_alone_options o = { .form = REYES_I_ALONE_TASKS };
	reyes_i_alone_figures g;
	reyes_i_alone *a;
	scene s;

	scene_open(&s, reyes_i_scene_layers(41, 10, 10));
	a = open_alone(&s);
	NEED(reyes_i_alone_prepare(a, &o) == LSCHED_ERR_UNSUPPORTED &&
			strstr(reyes_i_alone_error(a), "4100"),
		"%s", reyes_i_alone_error(a));
	reyes_i_alone_close(&a);
	scene_close(&s);
	/* few parts are made before one is too long: most are outside the picture */
	scene_open(&s, strdup("Format 64 64 1\nProjection \"orthographic\"\nWorldBegin\n"
			      "Patch \"bilinear\" \"P\" [-1e4 -1 1 1e4 -1 1 -1e4 1 1 1e4 1 1]\n"
			      "WorldEnd\n"));
	a = open_alone(&s);
	NEED(reyes_i_alone_prepare(a, &o) == LSCHED_OK, "%s", reyes_i_alone_error(a));
	NEED(reyes_i_alone_execute(a, &g) == LSCHED_ERR_TASK_FAILED &&
			strstr(reyes_i_alone_error(a), "more than 10 halvings"),
		"%s", reyes_i_alone_error(a));
	reyes_i_alone_close(&a);
	scene_close(&s);
	scene_open(
		&s, strdup("Format 64 64 1\nProjection \"perspective\" \"fov\" [60]\nWorldBegin\n"
			   "Patch \"bilinear\" \"P\" [-1 -.3 -5 1 .3 -5 -1 .3 20 1 -.3 20]\n"
			   "WorldEnd\n"));
	a = open_alone(&s);
	NEED(reyes_i_alone_prepare(a, &o) == LSCHED_OK, "%s", reyes_i_alone_error(a));
	/* parts that cross it, or those close before it: with several workers, what fails first */
	NEED(reyes_i_alone_execute(a, &g) == LSCHED_ERR_TASK_FAILED &&
			(strstr(reyes_i_alone_error(a), "crosses the camera plane") ||
				strstr(reyes_i_alone_error(a), "more than 10 halvings")),
		"%s", reyes_i_alone_error(a));
	reyes_i_alone_close(&a);
	scene_close(&s);
}

CU_TestInfo alone_tests[] = {
	{ "every form and queue makes the grids and points of patches",
		every_form_and_queue_makes_the_grids_and_points_of_patches },
	{ "every form and queue makes the grids and points of quadrics",
		every_form_and_queue_makes_the_grids_and_points_of_quadrics },
	{ "points agree with double precision", points_agree_with_double_precision },
	{ "grids cover every primitive once", grids_cover_every_primitive_once },
	{ "full memory is enlarged", full_memory_is_enlarged },
	{ "full deques fail or are spilled", full_deques_fail_or_are_spilled },
	{ "scenes without words are refused", scenes_without_words_are_refused },
	CU_TEST_INFO_NULL,
};
