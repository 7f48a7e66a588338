/* Requests whose arguments have to agree with each other, or have to be converted. The lengths
 * that the RI calls do not receive are checked here. */
#include "reyes/rib/geometry.h"
#include "reyes/rib/number.h"

#include <reyes/ri.h>

#define RI_INFINITY 1.0e38f

/* Copies numbers from `first` on. */
static void copy_numbers(float *to, const reyes_i_args *a, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		to[i] = reyes_i_to_float(a->number[first + i]);
}

reyes_status reyes_i_rib_depth_of_field(struct reyes_i_rib *b, const reyes_i_args *a)
{
	float v[3] = { RI_INFINITY, 1, 1 };

	/* Without arguments: a pinhole camera. */
	if (a->number_count)
		copy_numbers(v, a, 0, 3);
	return reyes_depth_of_field(b->r, v[0], v[1], v[2]);
}

reyes_status reyes_i_rib_color_samples(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const reyes_i_array *to = &a->array[0], *from = &a->array[1];

	if (!to->count || to->count % 3 || to->count != from->count)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the arrays have %zu and %zu numbers; both need 3 for each sample",
			to->count, from->count);
	return reyes_color_samples(b->r, to->count / 3, to->floats, from->floats);
}

reyes_status reyes_i_rib_texture_coordinates(struct reyes_i_rib *b, const reyes_i_args *a)
{
	float st[8];

	copy_numbers(st, a, 0, 8);
	return reyes_texture_coordinates(b->r, st);
}

reyes_status reyes_i_rib_bound(struct reyes_i_rib *b, const reyes_i_args *a)
{
	float bound[6];

	copy_numbers(bound, a, 0, 6);
	return reyes_bound(b->r, bound);
}

reyes_status reyes_i_rib_detail(struct reyes_i_rib *b, const reyes_i_args *a)
{
	float bound[6];

	copy_numbers(bound, a, 0, 6);
	return reyes_detail(b->r, bound);
}

reyes_status reyes_i_rib_transform(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_matrix m;

	copy_numbers(&m[0][0], a, 0, 16);
	return reyes_transform(b->r, m);
}

reyes_status reyes_i_rib_concat_transform(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_matrix m;

	copy_numbers(&m[0][0], a, 0, 16);
	return reyes_concat_transform(b->r, m);
}

reyes_status reyes_i_rib_hyperboloid(struct reyes_i_rib *b, const reyes_i_args *a)
{
	float v[7];

	copy_numbers(v, a, 0, 7);
	return reyes_hyperboloid(b->r, v, v + 3, v[6], &a->params);
}

reyes_status reyes_i_rib_basis(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_matrix m[2];
	int step[2];

	for (unsigned i = 0; i < 2; i++) {
		const char *name = a->string[i];
		int named_step;

		step[i] = reyes_i_to_int(a->number[17 * i + 16]);
		copy_numbers(&m[i][0][0], a, 17 * i, 16);
		if (name && reyes_basis_by_name(name, m[i], &named_step) != REYES_OK)
			return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
				"\"%.100s\" is not a basis; use bezier, b-spline, catmull-rom, "
				"hermite, power or a matrix",
				name);
	}
	return reyes_basis(b->r, m[0], step[0], m[1], step[1]);
}

/* Whether the knot vector has count + order entries. */
static int has_knots(const reyes_i_array *knots, int count, int order)
{
	return count > 0 && order > 0 && knots->count == (size_t)count + (size_t)order;
}

reyes_status reyes_i_rib_nu_patch(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const int u_count = reyes_i_to_int(a->number[0]), u_order = reyes_i_to_int(a->number[1]);
	const int v_count = reyes_i_to_int(a->number[4]), v_order = reyes_i_to_int(a->number[5]);
	const reyes_i_array *u = &a->array[0], *v = &a->array[1];
	float range[8];

	copy_numbers(range, a, 0, 8);
	if (!has_knots(u, u_count, u_order) || !has_knots(v, v_count, v_order))
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"%d and %d control points of order %d and %d have %zu and %zu knots; a "
			"direction needs as many as points + order",
			u_count, v_count, u_order, v_order, u->count, v->count);
	return reyes_nu_patch(b->r, u_count, u_order, u->floats, range[2], range[3], v_count,
		v_order, v->floats, range[6], range[7], &a->params);
}

/* Adds up counts. Returns -1 if one is negative or the sum exceeds `most`. */
static int64_t sum_of(const reyes_i_array *counts, size_t most)
{
	int64_t sum = 0;

	for (size_t i = 0; i < counts->count; i++) {
		sum += counts->ints[i];
		if (counts->ints[i] < 0 || (uint64_t)sum > most)
			return -1;
	}
	return sum;
}

reyes_status reyes_i_rib_trim_curve(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const reyes_i_array *loops = &a->array[0], *order = &a->array[1], *knots = &a->array[2];
	const reyes_i_array *min = &a->array[3], *max = &a->array[4], *n = &a->array[5];
	const reyes_i_array *u = &a->array[6], *v = &a->array[7], *w = &a->array[8];
	const int64_t curves = sum_of(loops, order->count);

	if (curves < 0 || (size_t)curves != order->count || min->count != order->count ||
		max->count != order->count || n->count != order->count)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the loops need as many curves as there are orders, minima, maxima and "
			"counts, which are %zu, %zu, %zu and %zu",
			order->count, min->count, max->count, n->count);
	if (sum_of(n, u->count) != (int64_t)u->count || v->count != u->count ||
		w->count != u->count)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the counts of points have to add up to the numbers of u, v and w, which "
			"are %zu, %zu and %zu",
			u->count, v->count, w->count);
	return reyes_trim_curve(b->r, loops->count, loops->ints, order->ints, knots->count,
		knots->floats, min->floats, max->floats, n->ints, u->count, u->floats, v->floats,
		w->floats);
}

reyes_status reyes_i_rib_subdivision_mesh(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const reyes_i_array *faces = &a->array[0], *vertices = &a->array[1];
	const reyes_i_array *tags = &a->array[2], *counts = &a->array[3];
	const reyes_i_array *ints = &a->array[4], *floats = &a->array[5];

	if (counts->count != 2 * tags->count)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"%zu tags have %zu counts of arguments; each tag needs 2", tags->count,
			counts->count);
	return reyes_subdivision_mesh(b->r, a->string[0], faces->count, faces->ints,
		vertices->count, vertices->ints, tags->count, tags->strings, counts->ints,
		ints->count, ints->ints, floats->count, floats->floats, &a->params);
}

reyes_status reyes_i_rib_points(struct reyes_i_rib *b, const reyes_i_args *a)
{
	size_t count = 0;
	int has_points = 0;

	/* RIB does not contain the number of points: it follows from "P". */
	for (size_t i = 0; i < a->params.count; i++) {
		const char *token = a->params.list[i].token, *word = strrchr(token, ' ');

		if (strcmp(word ? word + 1 : token, "P") != 0)
			continue;
		count = a->params.list[i].count / 3;
		has_points = 1;
	}
	if (!has_points)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR, "has no \"P\"");
	return reyes_points(b->r, count, &a->params);
}
