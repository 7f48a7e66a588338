/* collide_meshes [FILE.obj]: prints which triangles of the mesh of an OBJ file may intersect.
 * Without a file: which vertices of a falling square meet which faces of a tetrahedron, and
 * when. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <collide/collide.h>

enum { MOST = 100000, LINES = 10 };

static int failed(void)
{
	fprintf(stderr, "%s\n", collide_last_error());
	return 1;
}

/* A mesh at rest, or moved by `fall` along z during the step. */
static collide_mesh *make_mesh(collide_ctx *ctx, const float *xyz, uint32_t vertices,
	const uint32_t *index, uint32_t triangles, float fall)
{
	float *end = malloc((size_t)vertices * 3 * sizeof(*end) + 1);
	collide_mesh_options o;
	collide_positions p;
	collide_mesh *mesh = NULL;

	for (size_t i = 0; end && i < (size_t)vertices * 3; i++)
		end[i] = xyz[i] - (i % 3 == 2 ? fall : 0);
	collide_mesh_options_init(&o);
	o.vertices = vertices;
	o.triangles = triangles;
	o.index = index;
	collide_positions_init(&p);
	p.start = xyz;
	p.end = end; /* NULL: at rest */
	if (collide_mesh_create(&mesh, ctx, &o) == COLLIDE_OK &&
		collide_mesh_update(mesh, &p) != COLLIDE_OK)
		collide_mesh_destroy(&mesh);
	free(end);
	return mesh;
}

/* Reads the lines "v x y z" and "f a b c" of a file. Returns 0, or -1. */
static int read_obj(
	const char *path, float *xyz, uint32_t *vertices, uint32_t *index, uint32_t *triangles)
{
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned a, b, c;

	if (!file) {
		perror(path);
		return -1;
	}
	*vertices = *triangles = 0;
	while (fgets(line, sizeof(line), file) && *vertices < MOST && *triangles < MOST) {
		float *v = xyz + (size_t)*vertices * 3;

		if (sscanf(line, "v %f %f %f", &v[0], &v[1], &v[2]) == 3)
			++*vertices;
		else if (sscanf(line, "f %u%*[^ ] %u%*[^ ] %u", &a, &b, &c) == 3 ||
			 sscanf(line, "f %u %u %u", &a, &b, &c) == 3) {
			index[*triangles * 3] = a - 1;
			index[*triangles * 3 + 1] = b - 1;
			index[*triangles * 3 + 2] = c - 1;
			++*triangles;
		}
	}
	fclose(file);
	return 0;
}

/* The pairs of faces of one mesh. */
static int of_file(collide_ctx *ctx, const char *path)
{
	static float xyz[(MOST + 1) * 3];
	static uint32_t index[MOST * 3];
	static collide_pair pair[LINES];
	const collide_pair *pairs;
	uint32_t vertices, triangles;
	collide_find_options o;
	collide_mesh *mesh;
	uint64_t count;
	int bad;

	if (read_obj(path, xyz, &vertices, index, &triangles))
		return 1;
	mesh = make_mesh(ctx, xyz, vertices, index, triangles, 0);
	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	bad = !mesh || collide_find_all(ctx, mesh, mesh, COLLIDE_FACE_FACE, &o, &pairs, &count) ||
	      collide_mem_read(ctx, pair, pairs, (count < LINES ? count : LINES) * sizeof(*pair));
	if (bad)
		return failed();
	printf("%" PRIu32 " triangles, %" PRIu64 " pairs of faces\n", triangles, count);
	for (uint64_t i = 0; i < count && i < LINES; i++)
		printf("%" PRIu32 " %" PRIu32 "\n", pair[i].a, pair[i].b);
	collide_mesh_destroy(&mesh);
	return 0;
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
	uint64_t count;

	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	if (!a || !b || collide_find(ctx, a, b, COLLIDE_VERTEX_FACE, &o, pair, 16, &count) ||
		collide_contacts(ctx, a, b, COLLIDE_VERTEX_FACE, NULL, pair, count, time, NULL))
		return failed();
	for (uint64_t i = 0; i < count; i++)
		if (time[i] != COLLIDE_NEVER)
			printf("vertex %" PRIu32 " meets face %" PRIu32 " at %.3f of the step\n",
				pair[i].a, pair[i].b, (double)time[i] / COLLIDE_TIME_STEP);
	collide_mesh_destroy(&a);
	collide_mesh_destroy(&b);
	return 0;
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
