#include "workloads/common/memory.h"
#include "workloads/mesh/text.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A larger file is refused: positions of corners have 32 bits. */
#define MAX_FILE_BYTES (UINT64_C(1) << 36)

/* Returns the length of a byte order mark of UTF-8 at the beginning, else 0. */
static size_t mark_bytes(const unsigned char *data, size_t bytes)
{
	return bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static int is_ply(const unsigned char *data, size_t bytes)
{
	const size_t mark = mark_bytes(data, bytes);

	return bytes - mark > 3 && memcmp(data + mark, "ply", 3) == 0;
}

/* Returns nonzero if the first line ends with CR alone: then all lines of the file do. */
static int has_lone_cr(const unsigned char *at, const unsigned char *end)
{
	while (at < end && *at != '\r' && *at != '\n')
		at++;
	return at < end && *at == '\r' && (at + 1 == end || at[1] != '\n');
}

/* Success leaves a warning in msg, or nothing. */
static void warn(const mesh_lists *l, const wl_mesh *m, const char *name, char *msg, size_t n)
{
	*msg = '\0';
	if (l->skipped)
		snprintf(msg, n,
			"%s: faces of fewer than 3 corners are skipped: %" PRIu64
			"; the first is face %" PRIu64 " (from 0) with %" PRIu64,
			name, l->skipped, l->skipped_face, l->skipped_corners);
	else if (!m->triangles)
		snprintf(msg, n, "%s: the mesh has no triangle", name);
}

int wl_mesh_parse(
	wl_mesh *m, const char *name, const void *data, size_t bytes, char *msg, size_t msg_bytes)
{
	const unsigned char *begin = data, *end = begin + bytes;
	mesh_input in = { name, begin + mark_bytes(data, bytes), end, begin, 1, msg, msg_bytes, 0,
		!is_ply(data, bytes), has_lone_cr(begin, end), 0 };
	mesh_lists l;
	int bad;

	memset(m, 0, sizeof(*m));
	memset(&l, 0, sizeof(l));
	if (bytes == 0)
		return wl_fail(msg, msg_bytes, "%s: the file is empty", name);
	bad = in.is_obj ? mesh_parse_obj(&in, &l) : mesh_parse_ply(&in, &l);
	bad = bad || in.failed || mesh_make_triangles(&in, &l, m);
	if (!bad)
		warn(&l, m, name, msg, msg_bytes);
	free(l.xyz);
	free(l.corner);
	free(l.face);
	return bad ? -1 : 0;
}

/* Is the beginning of a file text, or PLY? Devices such as /dev/zero have no end. */
static int may_be_mesh(const unsigned char *data, size_t bytes)
{
	return is_ply(data, bytes) || !memchr(data, 0, bytes);
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
	if (!*path || strcmp(path, "-") == 0)
		return wl_fail(msg, msg_bytes,
			*path ? "--input -: a mesh cannot be read from standard input; name a file"
			      : "--input: the name of a file is empty");
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
		if (isnan(wl_mesh_float(m->xyz[i])))
			return wl_fail(msg, msg_bytes,
				"%s: vertex %zu: coordinate %c is %g; it must be a finite float",
				name, i / 3, "xyz"[i % 3], m -> xyz[i]);
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
	if (triangles > UINT64_C(1) << 28 || vertices > UINT64_C(3) << 28)
		return wl_fail(msg, msg_bytes, "%" PRIu64 " triangles are more than 268,435,456",
			triangles);
	if (wl_host_has(vertices * 3 * sizeof(*m->xyz) + triangles * 3 * sizeof(*m->index))) {
		m->xyz = malloc((vertices * 3 + 1) * sizeof(*m->xyz));
		m->index = malloc((triangles * 3 + 1) * sizeof(*m->index));
	}
	if (!m->xyz || !m->index) {
		wl_mesh_free(m);
		return wl_fail(msg, msg_bytes,
			"out of memory: a mesh of %" PRIu64 " triangles; a smaller one takes less",
			triangles);
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
