/* Tags of a subdivision mesh (RI 3.2, section 5.4): creases, corners, holes, boundary. */
#include <math.h>
#include <string.h>
#include "reyes/geom/subdiv_mesh.h"

/* One tag with its arguments. */
typedef struct tag {
	const char *name;
	const int32_t *ints;
	const float *floats;
	size_t int_count, float_count;
	size_t missing; /* arguments that name no edge, vertex or face */
} tag;

static size_t find_edge(const reyes_i_mesh *m, int32_t a, int32_t b)
{
	uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
	size_t from, to;

	if (a < 0 || b < 0 || high >= m->vertex_count)
		return SIZE_MAX;
	from = m->edge_first[low];
	to = m->edge_first[low + 1];
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (m->edge_vertex[middle][1] == high)
			return middle;
		if (m->edge_vertex[middle][1] < high)
			from = middle + 1;
		else
			to = middle;
	}
	return SIZE_MAX;
}

/* Checks that a tag has one sharpness, or `most` of them. */
static int check_sharpness(reyes_i_mesh *m, const tag *t, size_t most)
{
	size_t i;

	for (i = 0; i < t->float_count; i++)
		if (isnan(t->floats[i]))
			break;
	if (i == t->float_count && (i == 1 || (i == most && i)))
		return 1;
	reyes_i_defect(m->l, REYES_LEVEL_WARN,
		"tag \"%s\" with %zu integers has %zu valid values of sharpness, 1 or %zu are "
		"needed; it is ignored",
		t->name, t->int_count, i, most);
	return 0;
}

static void raise(double *sharpness, double value)
{
	if (value > REYES_I_EXTREME)
		value = REYES_I_EXTREME;
	if (value > *sharpness)
		*sharpness = value;
}

static void read_crease(reyes_i_mesh *m, tag *t)
{
	size_t i;

	if (t->int_count < 2 || !check_sharpness(m, t, t->int_count - 1)) {
		t->missing += t->int_count < 2;
		return;
	}
	for (i = 0; i + 1 < t->int_count; i++) {
		size_t e = find_edge(m, t->ints[i], t->ints[i + 1]);

		if (e == SIZE_MAX)
			t->missing++;
		else
			raise(&m->edge_sharp[e], t->floats[t->float_count > 1 ? i : 0]);
	}
}

static void read_corner(reyes_i_mesh *m, tag *t)
{
	size_t i;

	if (!t->int_count || !check_sharpness(m, t, t->int_count)) {
		t->missing += !t->int_count;
		return;
	}
	for (i = 0; i < t->int_count; i++) {
		if (t->ints[i] < 0 || (size_t)t->ints[i] >= m->vertex_count)
			t->missing++;
		else
			raise(&m->vertex_sharp[t->ints[i]], t->floats[t->float_count > 1 ? i : 0]);
	}
}

static void read_hole(reyes_i_mesh *m, tag *t)
{
	size_t i;

	for (i = 0; i < t->int_count; i++) {
		if (t->ints[i] < 0 || (size_t)t->ints[i] >= m->face_count)
			t->missing++;
		else
			m->face_flags[t->ints[i]] |= REYES_I_FACE_HOLE;
	}
}

static void read_tag(reyes_i_mesh *m, tag *t, int *boundary)
{
	if (strcmp(t->name, "crease") == 0) {
		read_crease(m, t);
	} else if (strcmp(t->name, "corner") == 0) {
		read_corner(m, t);
	} else if (strcmp(t->name, "hole") == 0) {
		read_hole(m, t);
	} else if (strcmp(t->name, "interpolateboundary") == 0) {
		*boundary = t->int_count ? (int)t->ints[0] : 1;
	} else if (strcmp(t->name, "facevaryinginterpolateboundary") != 0) {
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"tag \"%s\" is ignored; known are crease, "
			"corner, hole, interpolateboundary",
			t->name);
	}
	if (t->missing)
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"%zu arguments of tag \"%s\" name no part of the mesh and are ignored",
			t->missing, t->name);
}

void reyes_i_mesh_tags(reyes_i_mesh *m, int *boundary)
{
	const reyes_i_shape *s = m->l->s;
	const int32_t *counts = s->ints + s->counts[0] + s->counts[1];
	const int32_t *ints = counts + 2 * s->counts[2];
	size_t k, ints_left = s->counts[3], floats_left = s->counts[4];
	const float *floats = s->floats;

	*boundary = (int)s->interpolate_boundary;
	for (k = 0; k < s->counts[2]; k++, counts += 2) {
		tag t = { s->tags[k], ints, floats, (size_t)counts[0], (size_t)counts[1], 0 };

		if (counts[0] < 0 || counts[1] < 0 || t.int_count > ints_left ||
			t.float_count > floats_left) {
			reyes_i_defect(m->l, REYES_LEVEL_WARN,
				"tag %zu has %d integers and %d floats, which are not given; the "
				"tags from it on are ignored",
				k, (int)counts[0], (int)counts[1]);
			break;
		}
		if (t.name)
			read_tag(m, &t, boundary);
		ints += t.int_count;
		ints_left -= t.int_count;
		floats = floats ? floats + t.float_count : NULL;
		floats_left -= t.float_count;
	}
	if (*boundary < 0 || *boundary > 2)
		*boundary = 1;
}
