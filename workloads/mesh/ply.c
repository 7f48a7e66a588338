/* PLY (Turk 1994): text, and binary of both byte orders. Of the elements `vertex`, `face` and
 * `tristrips` the properties x, y, z and vertex_indices (or vertex_index) are read, the others
 * skipped. */
#include "workloads/mesh/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum ply_format { PLY_TEXT, PLY_LITTLE, PLY_BIG } ply_format;

typedef enum ply_type {
	PLY_I8,
	PLY_U8,
	PLY_I16,
	PLY_U16,
	PLY_I32,
	PLY_U32,
	PLY_F32,
	PLY_F64
} ply_type;

/* What a property is for. */
typedef enum ply_role {
	ROLE_SKIP,
	ROLE_X,
	ROLE_Y,
	ROLE_Z,
	ROLE_CORNERS,
	ROLE_STRIPS /* -1 begins another strip */
} ply_role;

typedef struct ply_property {
	ply_type type;
	int is_list;
	ply_type count_type; /* of lists */
	ply_role role;
} ply_property;

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64 };

typedef struct ply_element {
	char name[64];
	uint64_t count;
	uint32_t properties;
	ply_property property[MAX_PROPERTIES];
} ply_element;

typedef struct ply_header {
	ply_format format;
	uint32_t elements;
	ply_element element[MAX_ELEMENTS];
} ply_header;

static int parse_type(mesh_input *in, ply_type *out)
{
	static const char *const names[][3] = { { "char", "int8" }, { "uchar", "uint8" },
		{ "short", "int16" }, { "ushort", "uint16" }, { "int", "int32" },
		{ "uint", "uint32" }, { "float", "float32" }, { "double", "float64" } };
	char word[64];

	mesh_word(in, word);
	for (int i = 0; i < 8; i++)
		if (strcmp(word, names[i][0]) == 0 || strcmp(word, names[i][1]) == 0) {
			*out = (ply_type)i;
			return 0;
		}
	return mesh_fail(in, "'%s' is no type of a property", word);
}

static ply_role role_of(const ply_element *e, const ply_property *p, const char *name)
{
	if (strcmp(e->name, "vertex") == 0 && !p->is_list && strlen(name) == 1 && name[0] >= 'x' &&
		name[0] <= 'z')
		return (ply_role)(ROLE_X + (name[0] - 'x'));
	if (!p->is_list || (strcmp(name, "vertex_indices") && strcmp(name, "vertex_index")))
		return ROLE_SKIP;
	return strcmp(e->name, "face") == 0        ? ROLE_CORNERS
	       : strcmp(e->name, "tristrips") == 0 ? ROLE_STRIPS
						   : ROLE_SKIP;
}

static int parse_property(mesh_input *in, ply_header *h)
{
	ply_element *e = h->elements ? &h->element[h->elements - 1] : NULL;
	ply_property *p;
	const unsigned char *at = in->at;
	char word[64];

	if (!e || e->properties == MAX_PROPERTIES)
		return mesh_fail(in, e ? "more than %d properties" : "a property without element",
			MAX_PROPERTIES);
	p = &e->property[e->properties];
	memset(p, 0, sizeof(*p));
	mesh_word(in, word);
	p->is_list = strcmp(word, "list") == 0;
	if (p->is_list) {
		if (parse_type(in, &p->count_type))
			return -1;
		if (p->count_type >= PLY_F32)
			return mesh_fail(in, "the number of a list's entries is no integer");
	} else {
		in->at = at;
	}
	if (parse_type(in, &p->type))
		return -1;
	if (!mesh_word(in, word))
		return mesh_fail(in, "a property has no name");
	p->role = role_of(e, p, word);
	if (p->role >= ROLE_CORNERS && p->type >= PLY_F32)
		return mesh_fail(in, "%s are no integers", word);
	e->properties++;
	return 0;
}

static int parse_element(mesh_input *in, ply_header *h)
{
	ply_element *e;
	char word[64], *end;

	if (h->elements == MAX_ELEMENTS)
		return mesh_fail(in, "more than %d elements", MAX_ELEMENTS);
	e = &h->element[h->elements];
	memset(e, 0, sizeof(*e));
	if (!mesh_word(in, e->name) || !mesh_word(in, word))
		return mesh_fail(in, "an element without name or count");
	errno = 0;
	e->count = strtoull(word, &end, 10);
	if (*end || word[0] == '-' || errno)
		return mesh_fail(in, "'%s' is no number of elements", word);
	h->elements++;
	return 0;
}

static int parse_format(mesh_input *in, ply_header *h)
{
	static const char *const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
	char word[64];

	mesh_word(in, word);
	for (int i = 0; i < 3; i++)
		if (strcmp(word, names[i]) == 0) {
			h->format = (ply_format)i;
			return 0;
		}
	return mesh_fail(in, "'%s' is no format of PLY", word);
}

static int parse_header(mesh_input *in, ply_header *h)
{
	char word[64];
	int bad = 0, formats = 0;

	memset(h, 0, sizeof(*h));
	while (mesh_next_line(in) && !bad) {
		mesh_keyword(in, word);
		if (strcmp(word, "end_header") == 0) {
			if (!formats)
				return mesh_fail(in, "the header states no format");
			(void)mesh_next_line(in);
			return 0;
		}
		if (strcmp(word, "format") == 0) {
			formats = 1;
			bad = parse_format(in, h);
		} else if (strcmp(word, "element") == 0) {
			bad = parse_element(in, h);
		} else if (strcmp(word, "property") == 0) {
			bad = parse_property(in, h);
		} else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0 && *word) {
			return mesh_fail(in, "'%s' is no statement of PLY's header", word);
		}
	}
	return bad ? bad : mesh_fail(in, "the header has no end_header");
}

static uint64_t load(const unsigned char *p, uint32_t bytes, int big)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < bytes; i++)
		v = v << 8 | p[big ? i : bytes - 1 - i];
	return v;
}

/* Reads a binary value as a double, which holds all types but no 64-bit integers. */
static int read_binary(mesh_input *in, ply_type type, int big, double *out)
{
	static const uint8_t bytes_of[] = { 1, 1, 2, 2, 4, 4, 4, 8 };
	const uint32_t n = bytes_of[type];
	const uint64_t sign = UINT64_C(1) << (8 * n - 1);
	uint64_t v;
	uint32_t word;
	float f;

	if ((size_t)(in->end - in->at) < n)
		return mesh_fail(in, "the file ends within its data");
	v = load(in->at, n, big);
	in->at += n;
	if (type == PLY_F64) {
		memcpy(out, &v, sizeof(*out));
	} else if (type == PLY_F32) {
		word = (uint32_t)v;
		memcpy(&f, &word, sizeof(f));
		*out = (double)f;
	} else { /* an even number is that of a signed type */
		*out = (double)v - (type % 2 == 0 && v & sign ? 2 * (double)sign : 0);
	}
	return 0;
}

/* Reads a value of text: entries may be separated by line ends, too. */
static int read_text(mesh_input *in, double *out)
{
	char word[64], *end;

	while (!mesh_word(in, word))
		if (!mesh_next_line(in))
			return mesh_fail(in, "the file ends within its data");
	*out = strtod(word, &end);
	return end == word || *end ? mesh_fail(in, "'%s' is no number", word) : 0;
}

static int read_value(mesh_input *in, const ply_header *h, ply_type type, double *out)
{
	return h->format == PLY_TEXT ? read_text(in, out)
				     : read_binary(in, type, h->format == PLY_BIG, out);
}

/* A strip of triangles: each corner makes one with the two before, every other one turned. */
typedef struct strip {
	uint32_t corner[2];
	uint64_t n;
} strip;

/* Triangles with a corner twice only continue the strip. */
static int add_to_strip(mesh_input *in, mesh_lists *l, strip *s, double v)
{
	const uint32_t c = (uint32_t)v, *t = s->corner;
	const uint64_t odd = s->n & 1;

	if (v < 0) {
		s->n = 0;
		return 0;
	}
	if (s->n >= 2 && t[0] != t[1] && t[0] != c && t[1] != c &&
		(mesh_add_corner(in, l, t[odd]) || mesh_add_corner(in, l, t[!odd]) ||
			mesh_add_corner(in, l, c) || mesh_end_face(in, l)))
		return -1;
	s->corner[0] = s->corner[1];
	s->corner[1] = c;
	s->n++;
	return 0;
}

static int read_list(mesh_input *in, const ply_header *h, const ply_property *p, mesh_lists *l)
{
	const double least = p->role == ROLE_STRIPS ? -1 : 0;
	strip s = { { 0, 0 }, 0 };
	double n, v;

	if (read_value(in, h, p->count_type, &n))
		return -1;
	if (!(n >= 0 && n <= 1e9) || n != floor(n))
		return mesh_fail(in, "a list has %g entries", n);
	for (double i = 0; i < n; i++) {
		if (read_value(in, h, p->type, &v))
			return -1;
		if (p->role < ROLE_CORNERS)
			continue;
		if (!(v >= least && v < 4294967295.0) || v != floor(v))
			return mesh_fail(in, "corner %g is no vertex", v);
		if (p->role == ROLE_STRIPS ? add_to_strip(in, l, &s, v)
					   : mesh_add_corner(in, l, (uint32_t)v))
			return -1;
	}
	return p->role == ROLE_CORNERS ? mesh_end_face(in, l) : 0;
}

static int read_element(mesh_input *in, const ply_header *h, const ply_element *e, mesh_lists *l)
{
	const int is_vertex = strcmp(e->name, "vertex") == 0;
	double xyz[3] = { 0, 0, 0 }, v;

	for (uint32_t k = 0; k < e->properties; k++) {
		const ply_property *p = &e->property[k];

		if (p->is_list) {
			if (read_list(in, h, p, l))
				return -1;
			continue;
		}
		if (read_value(in, h, p->type, &v))
			return -1;
		if (p->role == ROLE_SKIP)
			continue;
		if (!isfinite(v))
			return mesh_fail(in, "coordinate %g is not finite", v);
		xyz[p->role - ROLE_X] = v;
	}
	for (int k = 0; is_vertex && k < 3; k++)
		if (mesh_add_value(in, l, xyz[k]))
			return -1;
	return 0;
}

static int check_roles(mesh_input *in, const ply_header *h)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < h->elements; i++)
		for (uint32_t k = 0; k < h->element[i].properties; k++)
			seen |= 1u << h->element[i].property[k].role;
	if ((seen >> ROLE_X & 7) != 7)
		return mesh_fail(in, "no element `vertex` with x, y and z");
	if (!(seen >> ROLE_CORNERS))
		return mesh_fail(in, "no element `face` with vertex_indices");
	return 0;
}

int mesh_parse_ply(mesh_input *in, mesh_lists *l)
{
	ply_header *h = malloc(sizeof(*h));
	int bad;

	if (!h)
		return mesh_fail(in, "out of memory: %zu bytes for the header", sizeof(*h));
	bad = parse_header(in, h) || check_roles(in, h);
	in->is_binary = h->format != PLY_TEXT;
	for (uint32_t i = 0; i < h->elements && !bad; i++) {
		const ply_element *e = &h->element[i];

		/* without properties it takes no bytes, however many there are */
		for (uint64_t k = 0; e->properties && k < e->count && !bad; k++)
			bad = read_element(in, h, e, l);
	}
	free(h);
	return bad ? -1 : 0;
}
