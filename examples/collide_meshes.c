/* collide_meshes [FILE.obj]: prints which triangles of the mesh of an OBJ file may intersect.
 * Without a file: which vertices of a falling square meet which faces of a tetrahedron, and
 * when. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <collide/collide.h>

enum { MOST = 1000000, LINES = 10, LINE = 4096 };

static int failed(void)
{
	fprintf(stderr, "%s\n", collide_last_error());
	return 1;
}

/* A mesh at rest, or moved by `fall` along z during the step. */
static collide_mesh *make_mesh(collide_ctx *ctx, const float *start, uint32_t vertex_count,
	const uint32_t *index, uint32_t triangle_count, float fall)
{
	float *end = malloc((size_t)vertex_count * 3 * sizeof(*end) + 1);
	collide_mesh_options o;
	collide_positions p;
	collide_mesh *mesh = NULL;

	for (size_t i = 0; end && i < (size_t)vertex_count * 3; i++)
		end[i] = start[i] - (i % 3 == 2 ? fall : 0);
	collide_mesh_options_init(&o);
	o.vertices = vertex_count;
	o.triangles = triangle_count;
	o.index = index;
	collide_positions_init(&p);
	p.start = start;
	p.end = end; /* NULL: at rest */
	if (collide_mesh_create(&mesh, ctx, &o) == COLLIDE_OK &&
		collide_mesh_update(mesh, &p) != COLLIDE_OK)
		collide_mesh_destroy(&mesh);
	free(end);
	return mesh;
}

/* The mesh of a file. */
static float xyz[MOST * 3];
static uint32_t triangle[MOST * 3];
static uint32_t vertices, triangles;

/* Reads the corners of a face, "3", "3/1", "3//2" or "3/1/2" (below 0: from the last vertex), as a
 * fan of triangles. Returns NULL, or what is wrong. */
static const char *read_face(const char *at)
{
	uint32_t corner[3] = { 0, 0, 0 }, n = 0;
	char *end;

	for (long v = strtol(at, &end, 10); end != at; v = strtol(at, &end, 10)) {
		v = v < 0 ? (long)vertices + v : v - 1;
		if (v < 0 || v >= MOST)
			return "a corner is no vertex";
		corner[n < 2 ? n : 2] = (uint32_t)v;
		if (++n >= 3) {
			if (triangles == MOST)
				return "too many triangles";
			memcpy(&triangle[triangles++ * 3], corner, sizeof(corner));
			corner[1] = corner[2];
		}
		at = end + strcspn(end, " \t\r\n");
	}
	return at[strspn(at, " \t\r\n")] || n < 3 ? "a face has three or more corners" : NULL;
}

/* Reads a line: "v x y z" and "f a b c ..."; others are skipped. Returns as read_face(). */
static const char *read_line(const char *line)
{
	float *v = &xyz[(size_t)vertices * 3];

	if (!strchr(line, '\n') && strlen(line) == LINE - 1)
		return "the line is too long";
	if (strncmp(line, "f ", 2) == 0)
		return read_face(line + 2);
	if (strncmp(line, "v ", 2) != 0)
		return NULL;
	if (vertices == MOST)
		return "too many vertices";
	if (sscanf(line, "v %f %f %f", &v[0], &v[1], &v[2]) != 3)
		return "a vertex has three coordinates";
	vertices++;
	return NULL;
}

/* Returns 0, or -1 after a message. */
static int read_obj(const char *path)
{
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	char line[LINE];
	unsigned n = 0;
	int failed_read;

	while (file && !wrong && fgets(line, sizeof(line), file)) {
		n++;
		wrong = read_line(line);
	}
	failed_read = !file || ferror(file);
	if (failed_read)
		perror(path);
	else if (wrong)
		fprintf(stderr, "%s: line %u: %s\n", path, n, wrong);
	else if (!triangles)
		fprintf(stderr, "%s: no face; the file must be OBJ\n", path);
	if (file)
		fclose(file);
	return failed_read || wrong || !triangles ? -1 : 0;
}

/* The pairs of faces of one mesh. */
static int of_file(collide_ctx *ctx, const char *path)
{
	static collide_pair pair[LINES];
	const collide_pair *pairs;
	collide_find_options o;
	collide_mesh *mesh;
	uint64_t count;
	int bad;

	if (read_obj(path))
		return 1;
	mesh = make_mesh(ctx, xyz, vertices, triangle, triangles, 0);
	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	bad = !mesh || collide_find_all(ctx, mesh, mesh, COLLIDE_FACE_FACE, &o, &pairs, &count) ||
	      collide_mem_read(ctx, pair, pairs, (count < LINES ? count : LINES) * sizeof(*pair));
	if (bad)
		bad = failed();
	else
		printf("triangles: %" PRIu32 ", pairs of faces: %" PRIu64 "\n", triangles, count);
	for (uint64_t i = 0; !bad && i < count && i < LINES; i++)
		printf("%" PRIu32 " %" PRIu32 "\n", pair[i].a, pair[i].b);
	collide_mesh_destroy(&mesh);
	return bad;
}

/* Vertices of a square that falls by 2, and faces of a tetrahedron below it. */
static int of_two_meshes(collide_ctx *ctx)
{
	static const float square[] = { 0.1f, 0.1f, 1.5f, 0.3f, 0.1f, 1.5f, 0.3f, 0.3f, 1.5f, 0.1f,
		0.3f, 1.5f };
	static const uint32_t square_index[] = { 0, 1, 2, 0, 2, 3 };
	static const float tetrahedron[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	static const uint32_t tetrahedron_index[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
	collide_mesh *a = make_mesh(ctx, square, 4, square_index, 2, 2);
	collide_mesh *b = make_mesh(ctx, tetrahedron, 4, tetrahedron_index, 4, 0);
	collide_find_options o;
	collide_pair pair[16];
	uint32_t time[16];
	uint64_t count = 0;
	int bad;

	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	bad = !a || !b || collide_find(ctx, a, b, COLLIDE_VERTEX_FACE, &o, pair, 16, &count) ||
	      collide_contacts(ctx, a, b, COLLIDE_VERTEX_FACE, NULL, pair, count, time, NULL);
	if (bad)
		bad = failed();
	for (uint64_t i = 0; !bad && i < count; i++)
		if (time[i] != COLLIDE_NEVER)
			printf("vertex %" PRIu32 " meets face %" PRIu32 " at %.3f of the step\n",
				pair[i].a, pair[i].b, (double)time[i] / COLLIDE_TIME_STEP);
	collide_mesh_destroy(&a);
	collide_mesh_destroy(&b);
	return bad;
}

int main(int argc, char **argv)
{
	collide_ctx *ctx;
	int bad;

	if (collide_open(&ctx, NULL) != COLLIDE_OK)
		return failed();
	printf("on %s\n", collide_ctx_device_name(ctx));
	bad = argc > 1 ? of_file(ctx, argv[1]) : of_two_meshes(ctx);
	collide_close(&ctx);
	return bad;
}
