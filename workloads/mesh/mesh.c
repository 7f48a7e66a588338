#include "workloads/common/memory.h"
#include "workloads/mesh/text.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A larger file is refused: positions of corners have 32 bits. */
#define MAX_FILE_BYTES (UINT64_C(1) << 36)

__attribute__((format(printf, 4, 0))) static int fail_with(
	mesh_input *in, const char *where, uint64_t at, const char *format, va_list a)
{
	int n;

	if (in->failed)
		return -1;
	in->failed = 1;
	n = snprintf(in->msg, in->msg_bytes, "%s: %s %" PRIu64 ": ", in->name, where, at);

	if (n > 0 && (size_t)n < in->msg_bytes)
		vsnprintf(in->msg + n, in->msg_bytes - (size_t)n, format, a);
	return -1;
}

int mesh_fail(mesh_input *in, const char *format, ...)
{
	va_list a;

	va_start(a, format);
	(void)fail_with(in, "line", in->line, format, a);
	va_end(a);
	return -1;
}

int mesh_fail_at_byte(mesh_input *in, const char *format, ...)
{
	va_list a;

	va_start(a, format);
	(void)fail_with(in, "byte", (uint64_t)(in->at - in->begin), format, a);
	va_end(a);
	return -1;
}

/* Copies the first 63 characters of the next word, and returns its whole length. */
static size_t copy_word(mesh_input *in, char word[64])
{
	size_t n = 0;

	while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r'))
		in->at++;
	while (in->at<in->end && * in->at> ' ') {
		if (n < 63)
			word[n] = (char)*in->at;
		in->at++;
		n++;
	}
	word[n < 63 ? n : 63] = '\0';
	return n;
}

size_t mesh_keyword(mesh_input *in, char word[64])
{
	return copy_word(in, word);
}

size_t mesh_word(mesh_input *in, char word[64])
{
	const size_t n = copy_word(in, word);

	if (n <= 63)
		return n;
	(void)mesh_fail(in, "'%.20s...' has %zu characters; a word has at most 63", word, n);
	in->at = in->end;
	word[0] = '\0';
	return 0;
}

int mesh_next_line(mesh_input *in)
{
	while (in->at < in->end && *in->at != '\n')
		in->at++;
	if (in->at == in->end)
		return 0;
	in->at++;
	in->line++;
	return in->at < in->end;
}

int mesh_coordinate(mesh_input *in, const char *word, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(word, &end);
	if (end == word || *end || !isfinite(*out))
		return mesh_fail(in, "'%s' is no finite coordinate", word);
	return 0;
}

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

int mesh_add_value(mesh_input *in, mesh_lists *l, double v)
{
	double *xyz = grow(l->xyz, l->values, &l->xyz_room, sizeof(*xyz));

	if (!xyz)
		return mesh_fail(in,
			"out of memory after %" PRIu64 " vertices; a smaller mesh takes less",
			l->values / 3);
	l->xyz = xyz;
	xyz[l->values++] = v;
	return 0;
}

int mesh_add_triangle(mesh_input *in, mesh_lists *l, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *index = grow(l->index, l->corners + 2, &l->index_room, sizeof(*index));

	if (!index)
		return mesh_fail(in,
			"out of memory after %" PRIu64 " triangles; a smaller mesh takes less",
			l->corners / 3);
	l->index = index;
	index[l->corners++] = a;
	index[l->corners++] = b;
	index[l->corners++] = c;
	return 0;
}

/* Faces may precede their vertices, so the error has no line. */
static int check_corners(mesh_input *in, const mesh_lists *l)
{
	for (uint64_t i = 0; i < l->corners; i++)
		if (l->index[i] >= l->values / 3) {
			snprintf(in->msg, in->msg_bytes,
				"%s: a corner of triangle %" PRIu64 " is vertex %" PRIu32
				", but there are %" PRIu64 " vertices (both numbered from 0)",
				in->name, i / 3, l->index[i], l->values / 3);
			return -1;
		}
	return 0;
}

int wl_mesh_parse(
	wl_mesh *m, const char *name, const void *data, size_t bytes, char *msg, size_t msg_bytes)
{
	const unsigned char *at = data;
	mesh_input in = { name, at, at + bytes, at, 1, msg, msg_bytes, 0 };
	mesh_lists l;
	int bad;

	memset(m, 0, sizeof(*m));
	memset(&l, 0, sizeof(l));
	if (bytes == 0) {
		snprintf(msg, msg_bytes, "%s: the file is empty", name);
		return -1;
	}
	bad = bytes >= 4 && memcmp(data, "ply", 3) == 0 ? mesh_parse_ply(&in, &l)
							: mesh_parse_obj(&in, &l);
	bad = bad || in.failed;
	if (!bad && (l.values / 3 >= UINT32_MAX || l.corners / 3 >= UINT32_MAX))
		bad = mesh_fail(&in, "more than 4,294,967,294 vertices or triangles");
	if (bad || check_corners(&in, &l)) {
		free(l.xyz);
		free(l.index);
		return -1;
	}
	*m = (wl_mesh){ (uint32_t)(l.values / 3), (uint32_t)(l.corners / 3), l.xyz, l.index };
	return 0;
}

/* Is the beginning of a file text, or PLY? Devices such as /dev/zero have no end. */
static int may_be_mesh(const unsigned char *data, size_t bytes)
{
	return (bytes >= 3 && memcmp(data, "ply", 3) == 0) || !memchr(data, 0, bytes);
}

/* Reads a file whole, also a pipe. Returns its bytes, to be freed, or NULL with msg. */
static unsigned char *read_whole(const char *path, size_t *bytes, char *msg, size_t msg_bytes)
{
	FILE *f = fopen(path, "rb");
	unsigned char *data = NULL, *more;
	size_t room = 0, n = 1;

	*bytes = 0;
	if (!f) {
		snprintf(msg, msg_bytes, "%s: %s", path, strerror(errno));
		return NULL;
	}
	while (n) {
		if (*bytes == room) {
			room = room ? room * 2 : 1 << 16;
			more = room <= MAX_FILE_BYTES && wl_host_has(room / 2) ? realloc(data, room)
									       : NULL;
			if (!more) {
				snprintf(msg, msg_bytes,
					"%s: out of memory: %zu bytes for the file; a smaller file "
					"takes less",
					path, room);
				break;
			}
			data = more;
		}
		n = fread(data + *bytes, 1, room - *bytes, f);
		if (n && *bytes == 0 && !may_be_mesh(data, n)) {
			snprintf(msg, msg_bytes, "%s: this is neither PLY nor OBJ", path);
			break;
		}
		*bytes += n;
		if (n == 0 && ferror(f))
			snprintf(msg, msg_bytes, "%s: %s", path, strerror(errno));
	}
	if (n || ferror(f)) {
		free(data);
		data = NULL;
	}
	fclose(f);
	return data;
}

int wl_mesh_read(wl_mesh *m, const char *path, char *msg, size_t msg_bytes)
{
	size_t bytes;
	unsigned char *data;
	int bad;

	memset(m, 0, sizeof(*m));
	if (!*path || strcmp(path, "-") == 0) {
		snprintf(msg, msg_bytes,
			*path ? "--input -: a mesh cannot be read from standard input; name a file"
			      : "--input: the name of a file is empty");
		return -1;
	}
	data = read_whole(path, &bytes, msg, msg_bytes);
	if (!data)
		return -1;
	bad = wl_mesh_parse(m, path, data, bytes, msg, msg_bytes);
	free(data);
	return bad;
}

float wl_mesh_float(double at)
{
	return fabs(at) <= (double)FLT_MAX ? (float)at + 0.0f : NAN;
}

int wl_mesh_check_floats(const wl_mesh *m, const char *name, char *msg, size_t msg_bytes)
{
	for (size_t i = 0; i < (size_t)m->vertices * 3; i++)
		if (isnan(wl_mesh_float(m->xyz[i]))) {
			snprintf(msg, msg_bytes,
				"%s: vertex %zu: coordinate %c is %g; it must be a finite float",
				name, i / 3, "xyz"[i % 3], m -> xyz[i]);
			return -1;
		}
	return 0;
}

void wl_mesh_free(wl_mesh *m)
{
	free(m->xyz);
	free(m->index);
	memset(m, 0, sizeof(*m));
}

int wl_mesh_make(wl_mesh *m, uint64_t vertices, uint64_t triangles, char *msg, size_t msg_bytes)
{
	memset(m, 0, sizeof(*m));
	if (triangles > UINT64_C(1) << 28 || vertices > UINT64_C(3) << 28) {
		snprintf(msg, msg_bytes, "%" PRIu64 " triangles are more than 268,435,456",
			triangles);
		return -1;
	}
	if (wl_host_has(vertices * 3 * sizeof(*m->xyz) + triangles * 3 * sizeof(*m->index))) {
		m->xyz = malloc((vertices * 3 + 1) * sizeof(*m->xyz));
		m->index = malloc((triangles * 3 + 1) * sizeof(*m->index));
	}
	if (!m->xyz || !m->index) {
		wl_mesh_free(m);
		snprintf(msg, msg_bytes,
			"out of memory: a mesh of %" PRIu64 " triangles; a smaller one takes less",
			triangles);
		return -1;
	}
	m->vertices = (uint32_t)vertices;
	m->triangles = (uint32_t)triangles;
	return 0;
}

int wl_mesh_copy(wl_mesh *m, const wl_mesh *from, char *msg, size_t msg_bytes)
{
	if (wl_mesh_make(m, from->vertices, from->triangles, msg, msg_bytes))
		return -1;
	memcpy(m->xyz, from->xyz, (size_t)from->vertices * 3 * sizeof(*m->xyz));
	memcpy(m->index, from->index, (size_t)from->triangles * 3 * sizeof(*m->index));
	return 0;
}
