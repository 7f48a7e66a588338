/* The pictures of docs/workloads.md, drawn from what the tasks left; bench/workload_pictures.sh
 * runs it:
 *
 *	workload_pictures octree PARTICLES BOUND >FILE.svg
 *	workload_pictures lod TRIANGLES DISTANCE PIXELS >FILE.svg
 *	workload_pictures contacts MESH0 MESH1 PICTURE.png >FILE.rib */
#include <collide/collide.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/workloads/harness.h"
#include "workloads/lod/host.h"
#include "workloads/mesh/mesh.h"
#include "workloads/octree/host.h"

extern const wl_type wl_octree_type, wl_lod_type;

/* ---- the leaves of an octree that a plane cuts ---- */

enum { CUBE = 1 << OCT_LEVELS, PLANE = CUBE / 2, SIDE_PX = 640 };

/* The picture shows the middle quarter of the plane's side. */
enum { ZOOM = 4 };

static double px(uint32_t v)
{
	return ((double)v / CUBE - 0.5) * SIDE_PX * ZOOM + SIDE_PX / 2;
}

static int outside(double from, double to)
{
	return to < 0 || from > SIDE_PX;
}

/* Draws the leaf if the plane goes through it, darker with each level. */
static void draw_leaf(const oct_cell *c)
{
	const uint32_t side = (uint32_t)CUBE >> c->level;
	const uint32_t x = oct_gather(c->code >> 2), y = oct_gather(c->code >> 1);
	const uint32_t z = oct_gather(c->code);
	const double size = px(x + side) - px(x);

	if (z > PLANE || PLANE - z >= side || outside(px(x), px(x) + size) ||
		outside(px(y), px(y) + size))
		return;
	printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
	       "fill-opacity=\"%.2f\"/>\n",
		px(x), px(y), size, size, 0.04 * c->level);
}

static void draw_octree(const oct_host *h)
{
	const uint32_t near = CUBE / 1500; /* particles this close to the plane */

	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	       "viewBox=\"-1 -1 %d %d\">\n<rect x=\"-1\" y=\"-1\" width=\"100%%\" height=\"100%%\" "
	       "fill=\"#fff\"/>\n<g fill=\"#2b6cb0\" stroke=\"#1a4971\" stroke-width=\".5\">\n",
		SIDE_PX + 2, SIDE_PX + 2, SIDE_PX + 2, SIDE_PX + 2);
	for (uint32_t k = 0; k < *h->ctx.cells; k++)
		if (h->ctx.cell[k].child == OCT_NONE)
			draw_leaf(&h->ctx.cell[k]);
	printf("</g>\n<g fill=\"#c05621\">\n");
	for (uint32_t k = 0; k < h->ctx.n; k++) {
		const uint64_t code = h->ctx.code[OCT_OUTPUT][k];
		const int64_t z = oct_gather(code);
		const double x = px(oct_gather(code >> 2)), y = px(oct_gather(code >> 1));

		if (llabs(z - PLANE) < near && !outside(x, x) && !outside(y, y))
			printf("<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.2\"/>\n", x, y);
	}
	printf("</g>\n</svg>\n");
}

static int octree(const char *particles, const char *bound)
{
	const octree_options o = { strtoull(particles, NULL, 10),
		(uint32_t)strtoul(bound, NULL, 10), 1, OCT_PLUMMER };
	harness h;
	int bad = harness_open(&h, &wl_octree_type, &o, 2);

	if (!bad)
		bad = harness_run(&h, LSCHED_QUEUE_RING, 2);
	if (bad)
		fprintf(stderr, "workload_pictures: octree: %s\n", h.why);
	else
		draw_octree((const oct_host *)h.w.host_data);
	harness_close(&h);
	return bad;
}

/* ---- a field of spheres from above, simplified for an eye beside it ---- */

/* Draws a triangle unless it faces down. */
static void draw_triangle(const lod_host *h, const lod_triangle *t)
{
	const float *a = h->vertex[t->corner[0]].xyz, *b = h->vertex[t->corner[1]].xyz;
	const float *c = h->vertex[t->corner[2]].xyz;

	if ((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0)
		printf("M%.0f %.0fL%.0f %.0fL%.0f %.0fz\n", 100 * a[0], 100 * a[2], 100 * b[0],
			100 * b[2], 100 * c[0], 100 * c[2]);
}

static int lod(const char *triangles, const char *distance, const char *pixels)
{
	const lod_options o = { .direction = "-1,0,1",
		.n = strtoull(triangles, NULL, 10),
		.seed = 1,
		.scene = LOD_FIELD,
		.distance = strtod(distance, NULL),
		.pixels = strtod(pixels, NULL) };
	harness h;
	int bad = harness_open(&h, &wl_lod_type, &o, 2);

	if (!bad)
		bad = harness_run(&h, LSCHED_QUEUE_RING, 2);
	if (bad)
		fprintf(stderr, "workload_pictures: lod: %s\n", h.why);
	else {
		const lod_host *host = (const lod_host *)h.w.host_data;

		printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		       "viewBox=\"-120 -120 1780 1780\">\n<rect x=\"-120\" y=\"-120\" "
		       "width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<path fill=\"#d9e8f6\" "
		       "stroke=\"#1a4971\" stroke-width=\"2\" d=\"",
			SIDE_PX, SIDE_PX);
		for (uint64_t k = 0; k < host->needed[LOD_TRIANGLE_SET]; k++)
			draw_triangle(host, &lod_triangles_elements(&host->ctx.triangles)[k]);
		printf("\"/>\n</svg>\n");
	}
	harness_close(&h);
	return bad;
}

/* ---- a mesh whose faces in contact have another colour ---- */

/* Two positions of a mesh, and which of its faces touch within the step. */
typedef struct scene {
	wl_mesh start, end;
	uint8_t *touches; /* [triangles] */
	uint64_t contacts;
} scene;

static int fail(const char *what)
{
	fprintf(stderr, "workload_pictures: %s: %s\n", what, collide_last_error());
	return -1;
}

/* Marks the face of a contact, and the faces around its vertex. */
static void mark(scene *s, const collide_pair *pairs, const uint32_t *times, uint64_t count)
{
	uint8_t *vertex = (uint8_t *)calloc(s->start.vertices, 1);

	if (!vertex)
		return;
	for (uint64_t k = 0; k < count; k++)
		if (times[k] != COLLIDE_NEVER) {
			vertex[pairs[k].a] = 1;
			s->touches[pairs[k].b] = 1;
			s->contacts++;
		}
	for (uint32_t k = 0; k < 3 * s->start.triangles; k++)
		if (vertex[s->start.index[k]])
			s->touches[k / 3] = 1;
	free(vertex);
}

static int touch(scene *s, collide_ctx *ctx, collide_mesh *mesh)
{
	collide_pair *pairs;
	uint32_t *times;
	uint64_t count = 0;
	int bad = -1;

	(void)collide_find(ctx, mesh, mesh, COLLIDE_VERTEX_FACE, NULL, NULL, 0, &count);
	pairs = (collide_pair *)malloc((size_t)(count + 1) * sizeof(*pairs));
	times = (uint32_t *)malloc((size_t)(count + 1) * sizeof(*times));
	if (!pairs || !times)
		fprintf(stderr, "workload_pictures: out of memory\n");
	else if (collide_find(ctx, mesh, mesh, COLLIDE_VERTEX_FACE, NULL, pairs, count, &count) !=
		 COLLIDE_OK)
		fail("candidates");
	else if (collide_contacts(ctx, mesh, mesh, COLLIDE_VERTEX_FACE, NULL, pairs, count, times,
			 NULL) != COLLIDE_OK)
		fail("contacts");
	else {
		mark(s, pairs, times, count);
		bad = 0;
	}
	free(pairs);
	free(times);
	return bad;
}

static int find_contacts(scene *s)
{
	collide_mesh_options mo;
	collide_positions p;
	collide_ctx *ctx = NULL;
	collide_mesh *mesh = NULL;
	int bad;

	collide_mesh_options_init(&mo);
	mo.vertices = s->start.vertices;
	mo.triangles = s->start.triangles;
	mo.index = s->start.index;
	collide_positions_init(&p);
	p.start = s->start.xyz;
	p.end = s->end.xyz;
	p.number = COLLIDE_DOUBLE;
	if (collide_open(&ctx, NULL) != COLLIDE_OK ||
		collide_mesh_create(&mesh, ctx, &mo) != COLLIDE_OK ||
		collide_mesh_update(mesh, &p) != COLLIDE_OK)
		bad = fail("mesh");
	else
		bad = touch(s, ctx, mesh);
	collide_mesh_destroy(&mesh);
	collide_close(&ctx);
	return bad;
}

/* The mesh is scaled into a cube of side 2 around the origin. */
static void write_points(const wl_mesh *m)
{
	double lo[3] = { 1e300, 1e300, 1e300 }, hi[3] = { -1e300, -1e300, -1e300 }, size = 0;

	for (uint32_t k = 0; k < 3 * m->vertices; k++) {
		lo[k % 3] = m->xyz[k] < lo[k % 3] ? m->xyz[k] : lo[k % 3];
		hi[k % 3] = m->xyz[k] > hi[k % 3] ? m->xyz[k] : hi[k % 3];
	}
	for (int a = 0; a < 3; a++)
		size = hi[a] - lo[a] > size ? hi[a] - lo[a] : size;
	for (uint32_t k = 0; k < 3 * m->vertices; k++)
		printf("%.5f%c", (2 * m->xyz[k] - lo[k % 3] - hi[k % 3]) / size,
			k % 3 == 2 ? '\n' : ' ');
}

static void write_scene(const scene *s, const char *picture)
{
	printf("version 3.03\nDisplay \"%s\" \"file\" \"rgb\"\nFormat 640 480 1\n"
	       "PixelSamples 4 4\nPixelFilter \"gaussian\" 2 2\n"
	       "Imager \"background\" \"background\" [.95 .95 .95]\n"
	       "Projection \"perspective\" \"fov\" [27]\nTranslate 0 0.12 3.6\nRotate -28 1 0 0\n"
	       "Rotate 25 0 1 0\nScale 1 1 -1\nWorldBegin\n"
	       "LightSource \"ambientlight\" 1 \"intensity\" [.25]\n"
	       "LightSource \"distantlight\" 2 \"from\" [3 6 5] \"to\" [0 0 0] "
	       "\"intensity\" [.8]\nSurface \"matte\"\nSides 2\nPointsPolygons [\n",
		picture);
	for (uint32_t k = 0; k < s->start.triangles; k++)
		printf("3%c", k % 40 == 39 ? '\n' : ' ');
	printf("] [\n");
	for (uint32_t k = 0; k < 3 * s->start.triangles; k++)
		printf("%" PRIu32 "%c", s->start.index[k], k % 12 == 11 ? '\n' : ' ');
	printf("] \"P\" [\n");
	write_points(&s->start);
	printf("] \"uniform color Cs\" [\n");
	for (uint32_t k = 0; k < s->start.triangles; k++)
		printf("%s", s->touches[k] ? ".9 .15 .05\n" : ".35 .5 .7\n");
	printf("]\nWorldEnd\n");
}

static int contacts(const char *const path[2], const char *picture)
{
	char msg[WL_MESH_MESSAGE_BYTES] = "";
	scene s;
	int bad = -1;

	memset(&s, 0, sizeof(s));
	if (wl_mesh_read(&s.start, path[0], msg, sizeof(msg)) ||
		wl_mesh_read(&s.end, path[1], msg, sizeof(msg)))
		fprintf(stderr, "workload_pictures: %s\n", msg);
	else if (s.start.vertices != s.end.vertices)
		fprintf(stderr, "workload_pictures: %s and %s differ in vertices\n", path[0],
			path[1]);
	else {
		s.touches = (uint8_t *)calloc(s.start.triangles + 1u, 1);
		bad = s.touches ? find_contacts(&s) : -1;
	}
	if (!bad) {
		fprintf(stderr, "%" PRIu64 " contacts of vertices and faces\n", s.contacts);
		write_scene(&s, picture);
	}
	free(s.touches);
	wl_mesh_free(&s.start);
	wl_mesh_free(&s.end);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = -1;

	if (argc == 4 && strcmp(argv[1], "octree") == 0)
		bad = octree(argv[2], argv[3]);
	else if (argc == 5 && strcmp(argv[1], "lod") == 0)
		bad = lod(argv[2], argv[3], argv[4]);
	else if (argc == 5 && strcmp(argv[1], "contacts") == 0)
		bad = contacts((const char *const[2]){ argv[2], argv[3] }, argv[4]);
	else
		fprintf(stderr, "usage: workload_pictures octree PARTICLES BOUND\n"
				"       workload_pictures lod TRIANGLES DISTANCE PIXELS\n"
				"       workload_pictures contacts MESH0 MESH1 PICTURE.png\n");
	return bad || fflush(stdout) != 0;
}
