/* Requests of patches: Basis, Patch, PatchMesh, NuPatch, TrimCurve. */
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/params.h"
#include "reyes/scene/primvars.h"

reyes_status reyes_basis_by_name(const char *name, reyes_matrix m, int *step)
{
	/* RISpec 3.2, "RiBasis": times the factor; rows belong to u^3, u^2, u, 1. */
	static const struct {
		const char *name;
		int step, by;
		signed char m[16];
	} bases[] = {
		{ "bezier", 3, 1, { -1, 3, -3, 1, 3, -6, 3, 0, -3, 3, 0, 0, 1, 0, 0, 0 } },
		{ "b-spline", 1, 6, { -1, 3, -3, 1, 3, -6, 3, 0, -3, 0, 3, 0, 1, 4, 1, 0 } },
		{ "catmull-rom", 1, 2, { -1, 3, -3, 1, 2, -5, 4, -1, -1, 0, 1, 0, 0, 2, 0, 0 } },
		{ "hermite", 2, 1, { 2, 1, -2, 1, -3, -2, 3, -1, 0, 1, 0, 0, 1, 0, 0, 0 } },
		{ "power", 4, 1, { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } },
	};
	size_t i;
	int k;

	if (!name || !m || !step)
		return REYES_ERR_ARG;
	for (i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		if (strcmp(bases[i].name, name) == 0) {
			for (k = 0; k < 16; k++)
				m[k / 4][k % 4] = (float)bases[i].m[k] / (float)bases[i].by;
			*step = bases[i].step;
			return REYES_OK;
		}
	}
	return REYES_ERR_ARG;
}

reyes_status reyes_basis(reyes_renderer *r, reyes_matrix u, int u_step, reyes_matrix v, int v_step)
{
	reyes_i_state *s;

	REYES_I_ENTER(r, "Basis", REYES_I_ANYWHERE, REYES_I_STATIC);
	if (!u || !v || !reyes_i_all_finite(u[0], 16) || !reyes_i_all_finite(v[0], 16))
		return reyes_i_error(r, "needs two matrices of finite elements");
	if (u_step < 1 || u_step > 4 || v_step < 1 || v_step > 4)
		return reyes_i_error(r, "steps %d and %d are not within 1 .. 4", u_step, v_step);
	s = reyes_i_state_own(&r->state, 0);
	if (!s)
		return reyes_i_no_memory(r);
	memcpy(s->u_basis, u, sizeof(s->u_basis));
	memcpy(s->v_basis, v, sizeof(s->v_basis));
	s->u_step = u_step;
	s->v_step = v_step;
	return REYES_OK;
}

/* Reads a word of two; returns -1 if it is neither. */
static int one_of(const char *word, const char *zero, const char *one)
{
	if (word && strcmp(word, zero) == 0)
		return 0;
	return word && strcmp(word, one) == 0 ? 1 : -1;
}

/* Reads the variables of a grid of points, draws the shape, and takes over its memory. */
static reyes_status draw_grid(reyes_renderer *r, reyes_i_shape *s, const reyes_params *p)
{
	const size_t nu = s->counts[0], nv = s->counts[s->kind == REYES_I_SHAPE_NU_PATCH ? 2 : 1];
	const int heights = s->kind == REYES_I_SHAPE_PATCH_MESH;
	reyes_status status = reyes_i_primvars_read(r, s, p, heights ? nu : 0, heights ? nv : 0);

	if (status == REYES_OK && reyes_i_vertex_count(s) != nu * nv)
		status =
			reyes_i_error(r, "%zu x %zu points are needed, but \"P\" or \"Pw\" has %zu",
				nu, nv, reyes_i_vertex_count(s));
	return reyes_i_draw(r, s, status);
}

static void set_basis(const reyes_renderer *r, reyes_i_shape *s)
{
	memcpy(s->u_basis, r->state->u_basis, sizeof(s->u_basis));
	memcpy(s->v_basis, r->state->v_basis, sizeof(s->v_basis));
	s->u_step = (uint32_t)r->state->u_step;
	s->v_step = (uint32_t)r->state->v_step;
}

reyes_status reyes_patch(reyes_renderer *r, const char *type, const reyes_params *p)
{
	reyes_i_shape s;
	int cubic;

	REYES_I_ENTER(r, "Patch", REYES_I_GEOMETRY, REYES_I_KEYS);
	cubic = one_of(type, "bilinear", "bicubic");
	if (cubic < 0)
		return reyes_i_error(
			r, "\"%.100s\" is neither bilinear nor bicubic", type ? type : "");
	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_PATCH_MESH, "Patch"))
		return reyes_i_no_memory(r);
	s.degree = cubic ? REYES_I_CUBIC : REYES_I_LINEAR;
	s.counts[0] = s.counts[1] = cubic ? 4 : 2;
	set_basis(r, &s);
	return draw_grid(r, &s, p);
}

/* Nonzero if a number of points makes whole patches (RISpec 3.2, "RiPatchMesh"). */
static int makes_patches(int count, int cubic, int step, int periodic)
{
	if (!cubic)
		return count >= (periodic ? 3 : 2);
	if (periodic)
		return count >= 4 && count % step == 0;
	return count >= 4 && (count - 4) % step == 0;
}

reyes_status reyes_patch_mesh(reyes_renderer *r, const char *type, int u_count, const char *u_wrap,
	int v_count, const char *v_wrap, const reyes_params *p)
{
	reyes_i_shape s;
	int cubic, u_periodic, v_periodic;

	REYES_I_ENTER(r, "PatchMesh", REYES_I_GEOMETRY, REYES_I_KEYS);
	cubic = one_of(type, "bilinear", "bicubic");
	u_periodic = reyes_i_is_periodic(r, u_wrap);
	v_periodic = reyes_i_is_periodic(r, v_wrap);
	if (cubic < 0)
		return reyes_i_error(
			r, "\"%.100s\" is neither bilinear nor bicubic", type ? type : "");
	if (!makes_patches(u_count, cubic, r->state->u_step, u_periodic) ||
		!makes_patches(v_count, cubic, r->state->v_step, v_periodic))
		return reyes_i_error(r, "%d x %d points do not make whole patches of the basis",
			u_count, v_count);
	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_PATCH_MESH, "PatchMesh"))
		return reyes_i_no_memory(r);
	s.degree = cubic ? REYES_I_CUBIC : REYES_I_LINEAR;
	s.counts[0] = (size_t)u_count;
	s.counts[1] = (size_t)v_count;
	s.u_periodic = (uint32_t)u_periodic;
	s.v_periodic = (uint32_t)v_periodic;
	set_basis(r, &s);
	return draw_grid(r, &s, p);
}

/* Checks one direction of a NuPatch. Returns NULL, or what is wrong. */
static const char *check_knots(int count, int order, const float *knots, float min, float max)
{
	int i;

	if (order < 2 || order > 32)
		return "an order is not within 2 .. 32";
	if (count < order || count > 1 << 24)
		return "there are fewer points than the order, or more than 2^24";
	if (!knots || !reyes_i_all_finite(knots, (size_t)count + (size_t)order))
		return "the knots are missing or not finite";
	for (i = 1; i < count + order; i++) {
		if (knots[i] < knots[i - 1])
			return "the knots do not ascend";
	}
	if (!(min < max))
		return "the range of a parameter is empty";
	if (!(min >= knots[order - 1] - 1e-4f && max <= knots[count] + 1e-4f))
		return "the range of a parameter is not within the knots";
	return NULL;
}

reyes_status reyes_nu_patch(reyes_renderer *r, int u_count, int u_order, const float *u_knots,
	float u_min, float u_max, int v_count, int v_order, const float *v_knots, float v_min,
	float v_max, const reyes_params *p)
{
	const float ranges[4] = { u_min, u_max, v_min, v_max };
	const char *wrong;
	size_t nu, nv;
	reyes_i_shape s;

	REYES_I_ENTER(r, "NuPatch", REYES_I_GEOMETRY, REYES_I_KEYS);
	wrong = check_knots(u_count, u_order, u_knots, u_min, u_max);
	if (!wrong)
		wrong = check_knots(v_count, v_order, v_knots, v_min, v_max);
	if (wrong)
		return reyes_i_error(r, "%s", wrong);
	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_NU_PATCH, "NuPatch"))
		return reyes_i_no_memory(r);
	s.counts[0] = (size_t)u_count;
	s.counts[1] = (size_t)u_order;
	s.counts[2] = (size_t)v_count;
	s.counts[3] = (size_t)v_order;
	nu = s.counts[0] + s.counts[1];
	nv = s.counts[2] + s.counts[3];
	s.floats = malloc((nu + nv + 4) * sizeof(*s.floats));
	if (!s.floats)
		return reyes_i_draw(r, &s, reyes_i_no_memory(r));
	s.float_count = nu + nv + 4;
	memcpy(s.floats, u_knots, nu * sizeof(*s.floats));
	memcpy(s.floats + nu, v_knots, nv * sizeof(*s.floats));
	memcpy(s.floats + nu + nv, ranges, sizeof(ranges));
	return draw_grid(r, &s, p);
}

reyes_status reyes_trim_curve(reyes_renderer *r, size_t loop_count, const int32_t *curve_counts,
	const int32_t *order, size_t knot_count, const float *knots, const float *min,
	const float *max, const int32_t *counts, size_t point_count, const float *u, const float *v,
	const float *w)
{
	REYES_I_ENTER(r, "TrimCurve", REYES_I_ANYWHERE, REYES_I_FIRST);
	(void)order;
	(void)knots;
	(void)knot_count;
	(void)min;
	(void)max;
	(void)counts;
	(void)point_count;
	(void)u;
	(void)v;
	(void)w;
	if (loop_count > 0 && !curve_counts)
		return reyes_i_error(r, "needs the number of curves of each loop");
	if (loop_count > 0)
		reyes_i_warn_once(
			r, "trim curve", "trim curves are not supported; patches are drawn whole");
	return REYES_OK;
}
