/* Wavefront OBJ: v and f; the other statements are skipped. */
#include "workloads/mesh/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A corner is V, V/VT, V//VN or V/VT/VN; V counts from 1, or from the last vertex if negative. */
static int parse_corner(mesh_input *in, const mesh_lists *l, const char *word, uint32_t *out)
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
	*out = (uint32_t)v;
	return 0;
}

static int parse_face(mesh_input *in, mesh_lists *l)
{
	uint32_t corner = 0, first = 0, before = 0;
	uint32_t n = 0;
	char word[64];

	while (mesh_word(in, word)) {
		if (parse_corner(in, l, word, &corner))
			return -1;
		if (n >= 2 && mesh_add_triangle(in, l, first, before, corner))
			return -1;
		first = n == 0 ? corner : first;
		before = corner;
		n++;
	}
	return n < 3 ? mesh_fail(in, "a face has %" PRIu32 " corners", n) : 0;
}

int mesh_parse_obj(mesh_input *in, mesh_lists *l)
{
	char word[64];

	do {
		if (!mesh_keyword(in, word))
			continue;
		if (strcmp(word, "v") == 0) {
			for (int k = 0; k < 3; k++) {
				double v;

				if (!mesh_word(in, word))
					return mesh_fail(in, "a vertex has %d coordinates", k);
				if (mesh_coordinate(in, word, &v) || mesh_add_value(in, l, v))
					return -1;
			}
		} else if (strcmp(word, "f") == 0) {
			if (parse_face(in, l))
				return -1;
		}
	} while (mesh_next_line(in));
	if (l->values == 0)
		return mesh_fail(in, "no vertex: this is neither PLY nor OBJ");
	return 0;
}
