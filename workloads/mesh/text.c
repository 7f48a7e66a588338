#include "workloads/mesh/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int mesh_fail(mesh_input *in, const char *format, ...)
{
	const uint64_t at = in->is_binary ? (uint64_t)(in->at - in->begin) : in->line;
	va_list a;
	int n;

	if (in->failed)
		return -1;
	in->failed = 1;
	n = snprintf(in->msg, in->msg_bytes, "%s: %s %" PRIu64 ": ", in->name,
		in->is_binary ? "byte" : "line", at);
	va_start(a, format);
	if (n > 0 && (size_t)n < in->msg_bytes)
		vsnprintf(in->msg + n, in->msg_bytes - (size_t)n, format, a);
	va_end(a);
	return -1;
}

/* ---- words and lines ---- */

/* Returns the length of the line end at `at`: LF, CR or CR LF; 0: there is none. */
static size_t line_end(const mesh_input *in, const unsigned char *at)
{
	if (at == in->end || (*at != '\n' && *at != '\r'))
		return 0;
	return *at == '\r' && !in->lone_cr && at + 1 < in->end && at[1] == '\n' ? 2 : 1;
}

/* Returns the length of a backslash and a line end, which are a blank in OBJ; else 0. */
static size_t joint(const mesh_input *in)
{
	const size_t n = in->is_obj && *in->at == '\\' ? line_end(in, in->at + 1) : 0;

	return n ? n + 1 : 0;
}

static void skip_blanks(mesh_input *in)
{
	size_t n;

	while (in->at < in->end) {
		n = joint(in);
		if (!n && (*in->at > ' ' || line_end(in, in->at)))
			return;
		in->line += n > 0;
		in->at += n ? n : 1;
	}
}

size_t mesh_keyword(mesh_input *in, char word[64])
{
	size_t n = 0;

	skip_blanks(in);
	for (; in->at<in->end && * in->at> ' ' && !joint(in); in->at++, n++) {
		if (in->is_obj && *in->at == '#')
			break;
		if (n < 63)
			word[n] = (char)*in->at;
	}
	word[n < 63 ? n : 63] = '\0';
	return n;
}

size_t mesh_word(mesh_input *in, char word[64])
{
	const size_t n = mesh_keyword(in, word);

	if (n <= 63)
		return n;
	(void)mesh_fail(in, "'%.20s...' has %zu characters; a word has at most 63", word, n);
	in->at = in->end;
	word[0] = '\0';
	return 0;
}

int mesh_next_line(mesh_input *in)
{
	int comment = 0; /* no line is joined to it */
	size_t n = 0;

	while (in->at < in->end && !(n = line_end(in, in->at))) {
		comment |= *in->at == '#';
		n = comment ? 0 : joint(in);
		in->line += n > 0;
		in->at += n ? n : 1;
	}
	if (in->at == in->end)
		return 0;
	in->at += n;
	in->line++;
	return in->at < in->end;
}

/* ---- lists ---- */

/* Enlarges a list to hold n + 1 elements. */
static void *grow(void *list, uint64_t n, uint64_t *room, size_t bytes)
{
	const uint64_t more = *room ? *room * 2 : 1024;
	void *larger;

	if (n < *room)
		return list;
	larger = realloc(list, more * bytes);
	if (larger)
		*room = more;
	return larger;
}

static int no_memory(mesh_input *in, const mesh_lists *l)
{
	return mesh_fail(in,
		"out of memory after %" PRIu64 " vertices and %" PRIu64
		" faces; a smaller mesh takes less",
		l->values / 3, l->faces);
}

int mesh_add_value(mesh_input *in, mesh_lists *l, double v)
{
	double *xyz = grow(l->xyz, l->values, &l->xyz_room, sizeof(*xyz));

	if (!xyz)
		return no_memory(in, l);
	l->xyz = xyz;
	xyz[l->values++] = v;
	return 0;
}

int mesh_add_corner(mesh_input *in, mesh_lists *l, uint32_t v)
{
	uint32_t *corner = grow(l->corner, l->corners, &l->corner_room, sizeof(*corner));

	if (!corner)
		return no_memory(in, l);
	l->corner = corner;
	corner[l->corners++] = v;
	return 0;
}

int mesh_end_face(mesh_input *in, mesh_lists *l)
{
	const uint64_t n = l->corners - l->first;
	uint32_t *face = grow(l->face, l->faces, &l->face_room, sizeof(*face));

	if (!face)
		return no_memory(in, l);
	l->face = face;
	if (n > INT32_MAX)
		return mesh_fail(in, "a face has %" PRIu64 " corners, more than %d", n, INT32_MAX);
	if (n < 3) {
		if (l->skipped++ == 0) {
			l->skipped_corners = n;
			l->skipped_face = l->faces;
		}
		l->corners = l->first;
		return 0;
	}
	face[l->faces++] = (uint32_t)n;
	l->first = l->corners;
	return 0;
}
