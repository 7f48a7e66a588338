/* Requests of subdivision meshes and curves, and those that are not drawn. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/params.h"
#include "reyes/scene/primvars.h"

/* The arrays of a SubdivisionMesh request. */
typedef struct mesh {
	size_t face_count, vertex_count, tag_count, int_count, float_count;
	const int32_t *vertex_counts, *vertices, *arg_counts, *ints;
	const char *const *tags;
	const float *floats;
} mesh;

static reyes_status check_faces(reyes_renderer *r, const mesh *m, size_t points)
{
	size_t sum = 0, i;

	if (m->face_count == 0 || !m->vertex_counts || !m->vertices)
		return reyes_i_error(r, "has no face");
	if (points == 0)
		return reyes_i_error(r, "has no points: \"P\" is missing or has an error");
	for (i = 0; i < m->face_count; i++) {
		if (m->vertex_counts[i] < 0 || sum > INT32_MAX)
			return reyes_i_error(
				r, "face %zu has %d vertices", i, (int)m->vertex_counts[i]);
		sum += (size_t)m->vertex_counts[i];
	}
	if (sum != m->vertex_count)
		return reyes_i_error(
			r, "the faces have %zu vertices, but %zu are given", sum, m->vertex_count);
	return REYES_OK;
}

static reyes_status check_tags(reyes_renderer *r, const mesh *m)
{
	size_t ints = 0, floats = 0, i;

	if (m->tag_count > INT32_MAX || (m->tag_count && (!m->tags || !m->arg_counts)) ||
		(m->int_count && !m->ints) || (m->float_count && !m->floats))
		return reyes_i_error(r, "the arrays of the tags are missing");
	for (i = 0; i < m->tag_count; i++) {
		if (!m->tags[i] || m->arg_counts[2 * i] < 0 || m->arg_counts[2 * i + 1] < 0)
			return reyes_i_error(r, "tag %zu has no name or a negative count", i);
		ints += (size_t)m->arg_counts[2 * i];
		floats += (size_t)m->arg_counts[2 * i + 1];
	}
	if (ints != m->int_count || floats != m->float_count)
		return reyes_i_error(r,
			"the tags need %zu integers and %zu numbers, but %zu and %zu are given",
			ints, floats, m->int_count, m->float_count);
	return REYES_OK;
}

static int32_t *append(int32_t *to, const int32_t *from, size_t n)
{
	if (n)
		memcpy(to, from, n * sizeof(*to));
	return to + n;
}

/* Marks the faces with a vertex that does not exist: all their vertices become the first one, and
 * a face with one vertex twice is not drawn. */
static void mark_bad(reyes_i_shape *s, const mesh *m, size_t points)
{
	int32_t *vertices = s->ints + m->face_count;
	size_t i, k;

	for (i = 0; i < m->face_count; i++) {
		const size_t n = (size_t)m->vertex_counts[i];
		int is_bad = 0;

		for (k = 0; k < n; k++)
			is_bad |= vertices[k] < 0 || (size_t)vertices[k] >= points;
		for (k = 0; is_bad && k < n; k++)
			vertices[k] = 0;
		vertices += n;
	}
}

/* Copies the arrays. Returns 0 if there is no memory. */
static int copy(reyes_i_shape *s, const mesh *m, size_t points)
{
	const size_t most = SIZE_MAX / 16;
	size_t n, i, at = 0;
	int32_t *to;

	if (m->int_count > most || m->float_count > most)
		return 0;
	n = m->face_count + m->vertex_count + 2 * m->tag_count + m->int_count;
	s->ints = malloc(n * sizeof(*s->ints));
	s->floats = malloc((m->float_count + 1) * sizeof(*s->floats));
	s->tags = calloc(m->tag_count + 1, sizeof(*s->tags));
	if (!s->ints || !s->floats || !s->tags)
		return 0;
	to = append(s->ints, m->vertex_counts, m->face_count);
	to = append(to, m->vertices, m->vertex_count);
	to = append(to, m->arg_counts, 2 * m->tag_count);
	append(to, m->ints, m->int_count);
	mark_bad(s, m, points);
	if (m->float_count)
		memcpy(s->floats, m->floats, m->float_count * sizeof(*s->floats));
	s->int_count = n;
	s->float_count = m->float_count;
	s->counts[0] = m->face_count;
	s->counts[1] = m->vertex_count;
	s->counts[2] = m->tag_count;
	s->counts[3] = m->int_count;
	s->counts[4] = m->float_count;
	for (i = 0; i < m->tag_count; i++) {
		s->tags[i] = reyes_i_copy_string(m->tags[i]);
		if (!s->tags[i])
			return 0;
		s->tag_count++;
		/* Without a value the tag means 1; with 0 it has no effect. */
		if (strcmp(m->tags[i], "interpolateboundary") == 0)
			s->interpolate_boundary = m->arg_counts[2 * i] > 0 ? m->ints[at] != 0 : 1;
		at += (size_t)m->arg_counts[2 * i];
	}
	return 1;
}

static reyes_status draw_mesh(
	reyes_renderer *r, const mesh *m, enum reyes_i_scheme scheme, const reyes_params *p)
{
	reyes_i_shape s;
	reyes_status status;

	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_SUBDIVISION, "SubdivisionMesh"))
		return reyes_i_no_memory(r);
	s.loop_scheme = (uint32_t)scheme;
	status = reyes_i_primvars_read(r, &s, p, 0, 0);
	if (status == REYES_OK)
		status = check_faces(r, m, reyes_i_vertex_count(&s));
	if (status == REYES_OK)
		status = check_tags(r, m);
	if (status == REYES_OK && !copy(&s, m, reyes_i_vertex_count(&s)))
		status = reyes_i_no_memory(r);
	return reyes_i_draw(r, &s, status);
}

reyes_status reyes_subdivision_mesh(reyes_renderer *r, const char *scheme, size_t face_count,
	const int32_t *vertex_counts, size_t vertex_count, const int32_t *vertices,
	size_t tag_count, const char *const *tags, const int32_t *arg_counts, size_t int_count,
	const int32_t *ints, size_t float_count, const float *floats, const reyes_params *p)
{
	const mesh m = { face_count, vertex_count, tag_count, int_count, float_count, vertex_counts,
		vertices, arg_counts, ints, tags, floats };
	static const char *const schemes[] = {
		[REYES_I_SCHEME_CATMULL_CLARK] = "catmull-clark",
		[REYES_I_SCHEME_LOOP] = "loop",
		[REYES_I_SCHEME_BILINEAR] = "bilinear",
	};
	size_t i;

	REYES_I_ENTER(r, "SubdivisionMesh", REYES_I_GEOMETRY, REYES_I_KEYS);
	if (face_count == 0 && vertex_count == 0)
		return REYES_OK; /* exporters write empty objects */
	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (scheme && strcmp(scheme, schemes[i]) == 0)
			return draw_mesh(r, &m, (enum reyes_i_scheme)i, p);
	return reyes_i_error(r,
		"there is no scheme \"%.100s\"; use catmull-clark, loop or bilinear",
		scheme ? scheme : "");
}

reyes_status reyes_curves(reyes_renderer *r, const char *type, size_t curve_count,
	const int32_t *vertex_counts, const char *wrap, const reyes_params *p)
{
	reyes_i_shape s;
	reyes_status status;
	size_t sum = 0, i;
	int cubic, periodic;

	REYES_I_ENTER(r, "Curves", REYES_I_GEOMETRY, REYES_I_KEYS);
	cubic = type && strcmp(type, "cubic") == 0;
	periodic = reyes_i_is_periodic(r, wrap);
	if (!cubic && (!type || strcmp(type, "linear") != 0))
		return reyes_i_error(r, "\"%.100s\" is neither linear nor cubic", type ? type : "");
	if (curve_count == 0)
		return REYES_OK; /* exporters write empty objects */
	if (!vertex_counts)
		return reyes_i_error(r, "has no counts of vertices");
	for (i = 0; i < curve_count; i++) {
		if (vertex_counts[i] < 0 || sum > INT32_MAX)
			return reyes_i_error(
				r, "curve %zu has %d vertices", i, (int)vertex_counts[i]);
		sum += (size_t)vertex_counts[i];
	}
	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_CURVES, "Curves"))
		return reyes_i_no_memory(r);
	s.degree = cubic ? REYES_I_CUBIC : REYES_I_LINEAR;
	s.v_periodic = (uint32_t)periodic;
	s.counts[0] = curve_count;
	memcpy(s.u_basis, r->state->u_basis, sizeof(s.u_basis));
	memcpy(s.v_basis, r->state->v_basis, sizeof(s.v_basis));
	s.u_step = (uint32_t)r->state->u_step;
	s.v_step = (uint32_t)r->state->v_step;
	s.ints = malloc(curve_count * sizeof(*s.ints));
	status = s.ints ? reyes_i_primvars_read(r, &s, p, 0, 0) : reyes_i_no_memory(r);
	if (status == REYES_OK && reyes_i_vertex_count(&s) < sum)
		status = reyes_i_error(r, "the curves have %zu vertices, but \"P\" has %zu", sum,
			reyes_i_vertex_count(&s));
	if (status == REYES_OK) {
		memcpy(s.ints, vertex_counts, curve_count * sizeof(*s.ints));
		s.int_count = curve_count;
	}
	return reyes_i_draw(r, &s, status);
}

reyes_status reyes_blobby(reyes_renderer *r, int leaf_count, size_t int_count, const int32_t *ints,
	size_t float_count, const float *floats, size_t string_count, const char *const *strings,
	const reyes_params *p)
{
	REYES_I_ENTER(r, "Blobby", REYES_I_GEOMETRY, REYES_I_FIRST);
	(void)leaf_count;
	(void)int_count;
	(void)ints;
	(void)float_count;
	(void)floats;
	(void)string_count;
	(void)strings;
	(void)p;
	reyes_i_warn_once(r, "blobby", "implicit surfaces are not supported; nothing is drawn");
	return REYES_OK;
}

reyes_status reyes_geometry(reyes_renderer *r, const char *type, const reyes_params *p)
{
	char key[96];

	REYES_I_ENTER(r, "Geometry", REYES_I_GEOMETRY, REYES_I_FIRST);
	(void)p;
	snprintf(key, sizeof(key), "geometry %.80s", type ? type : "");
	reyes_i_warn_once(
		r, key, "there is no geometry \"%.100s\"; nothing is drawn", type ? type : "");
	return REYES_OK;
}
