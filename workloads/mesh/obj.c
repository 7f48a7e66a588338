/* Wavefront OBJ: v and f; the other statements are skipped. */
#include "workloads/mesh/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int parse_vertex(mesh_input *in, mesh_lists *l)
{
	char word[64], *end;

	for (int k = 0; k < 3; k++) {
		double v;

		if (!mesh_word(in, word))
			return mesh_fail(in, "a vertex has %d coordinates", k);
		v = strtod(word, &end);
		if (end == word || *end || !isfinite(v))
			return mesh_fail(in, "'%s' is no finite coordinate", word);
		if (mesh_add_value(in, l, v))
			return -1;
	}
	return 0;
}

/* A corner is V, V/VT, V//VN or V/VT/VN; V counts from 1, or from the last vertex if negative. */
static int parse_corner(mesh_input *in, mesh_lists *l, const char *word)
{
	const int64_t vertices = (int64_t)(l->values / 3);
	char *end;
	long long v;

	errno = 0;
	v = strtoll(word, &end, 10);
	if (end == word || (*end && *end != '/') || errno || v == 0)
		return mesh_fail(in, "'%s' is no corner of a face", word);
	v = v < 0 ? vertices + v : v - 1;
	if (v < 0 || v >= INT64_C(0xffffffff))
		return mesh_fail(in, "corner '%s' is no vertex; there are %" PRId64 " so far", word,
			vertices);
	return mesh_add_corner(in, l, (uint32_t)v);
}

static int parse_face(mesh_input *in, mesh_lists *l)
{
	char word[64];

	while (mesh_word(in, word))
		if (parse_corner(in, l, word))
			return -1;
	return mesh_end_face(in, l);
}

int mesh_parse_obj(mesh_input *in, mesh_lists *l)
{
	char word[64];
	int bad = 0;

	do {
		(void)mesh_keyword(in, word);
		if (strcmp(word, "v") == 0)
			bad = parse_vertex(in, l);
		else if (strcmp(word, "f") == 0)
			bad = parse_face(in, l);
	} while (!bad && mesh_next_line(in));
	if (!bad && l->values == 0)
		return mesh_fail(in, "no vertex: this is neither PLY nor OBJ");
	return bad;
}
