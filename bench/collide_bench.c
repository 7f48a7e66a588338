/* collide_bench [BACKEND [FILE FILE]]: milliseconds of libcollide for a step of a mesh, whose
 * positions at its beginning and end are in two files, or are those of a generated cloth: setting
 * the positions, building and refitting a tree, finding pairs of each kind, sorted and not, and
 * contacts. Positions, pairs and times are in memory of the device. Medians. */
#include <collide/collide.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "workloads/mesh/mesh.h"

enum { REPEAT = 9, FEW = 3, TRIANGLES = 92000, KINDS = 3 };

static collide_ctx *ctx;

static void must(collide_status st)
{
	if (st == COLLIDE_OK)
		return;
	fprintf(stderr, "collide_bench: %s\n", collide_last_error());
	exit(1);
}

static void print_row(const char *name, double *ms, int n, uint64_t count)
{
	qsort(ms, (size_t)n, sizeof(*ms), by_value);
	printf("%-28s | %9.3f | %llu\n", name, ms[n / 2], (unsigned long long)count);
	fflush(stdout);
}

static void *upload(const void *from, size_t bytes)
{
	void *to;

	must(collide_mem_alloc(ctx, &to, bytes));
	must(collide_mem_write(ctx, to, from, bytes));
	return to;
}

/* What a step of each kind takes; every second step has the positions exchanged. */
typedef struct bench {
	collide_mesh *mesh;
	collide_positions p[2];
} bench;

static void bench_find(
	bench *b, collide_kind kind, collide_order order, collide_change change, const char *name)
{
	collide_find_options o;
	const collide_pair *pairs;
	double ms[REPEAT];
	uint64_t count = 0;

	collide_find_options_init(&o);
	o.order = order;
	for (int i = -2; i < REPEAT; i++) { /* two to begin with: memory and front */
		const double begin = now_s();

		b->p[i & 1].change = change;
		must(collide_mesh_update(b->mesh, &b->p[i & 1]));
		must(collide_find_all(ctx, b->mesh, b->mesh, kind, &o, &pairs, &count));
		if (i >= 0)
			ms[i] = (now_s() - begin) * 1e3;
	}
	print_row(name, ms, REPEAT, count);
}

static void bench_contacts(bench *b, collide_kind kind, const char *name)
{
	const collide_pair *pairs;
	collide_contact_options o;
	double ms[FEW];
	uint64_t count, touching = 0;
	void *times;

	collide_contact_options_init(&o);
	o.memory = COLLIDE_DEVICE;
	must(collide_mesh_update(b->mesh, &b->p[0]));
	must(collide_find_all(ctx, b->mesh, b->mesh, kind, NULL, &pairs, &count));
	must(collide_mem_alloc(ctx, &times, count * sizeof(uint32_t)));
	for (int i = 0; i < FEW; i++) {
		const double begin = now_s();

		must(collide_contacts(
			ctx, b->mesh, b->mesh, kind, &o, pairs, count, times, &touching));
		ms[i] = (now_s() - begin) * 1e3;
	}
	collide_mem_free(ctx, times);
	print_row(name, ms, FEW, touching);
}

static void load(wl_mesh m[2], char **file)
{
	char msg[WL_MESH_MESSAGE_BYTES];

	for (int k = 0; k < 2; k++)
		if (file ? wl_mesh_read(&m[k], file[k], msg, sizeof(msg))
			 : wl_mesh_cloth(&m[k], TRIANGLES, k ? 0.78 : 0.8, msg, sizeof(msg))) {
			fprintf(stderr, "collide_bench: %s\n", msg);
			exit(1);
		}
	if (m[0].vertices != m[1].vertices) {
		fprintf(stderr, "collide_bench: the files have other numbers of vertices\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "auto", "cpu", "cuda" };
	collide_mesh_options mo;
	collide_options o;
	wl_mesh m[2];
	void *xyz[2];
	bench b;
	int backend = 0;

	while (argc > 1 && backend < 2 && strcmp(argv[1], names[backend]) != 0)
		backend++;
	if (argc > 1 && argc != 2 && argc != 4) {
		fprintf(stderr, "usage: collide_bench [auto|cpu|cuda [FILE FILE]]\n");
		return 2;
	}
	load(m, argc == 4 ? argv + 2 : NULL);
	collide_options_init(&o);
	o.backend = (collide_backend)backend;
	must(collide_open(&ctx, &o));
	collide_mesh_options_init(&mo);
	mo.vertices = m[0].vertices;
	mo.triangles = m[0].triangles;
	mo.index = m[0].index;
	must(collide_mesh_create(&b.mesh, ctx, &mo));
	for (int k = 0; k < 2; k++)
		xyz[k] = upload(m[k].xyz, (size_t)m[k].vertices * 3 * sizeof(double));
	for (int k = 0; k < 2; k++) {
		collide_positions_init(&b.p[k]);
		b.p[k].start = xyz[k];
		b.p[k].end = xyz[1 - k];
		b.p[k].number = COLLIDE_DOUBLE;
		b.p[k].memory = COLLIDE_DEVICE;
	}
	printf("%s: %u vertices, %u triangles\n%-28s | %9s | pairs\n", collide_ctx_device_name(ctx),
		m[0].vertices, m[0].triangles, "step", "ms");
	bench_find(&b, COLLIDE_VERTEX_FACE, COLLIDE_ANY, COLLIDE_AUTO, "vertex-face");
	bench_find(&b, COLLIDE_EDGE_EDGE, COLLIDE_ANY, COLLIDE_AUTO, "edge-edge");
	bench_find(&b, COLLIDE_FACE_FACE, COLLIDE_ANY, COLLIDE_AUTO, "face-face");
	bench_find(&b, COLLIDE_FACE_FACE, COLLIDE_SORTED, COLLIDE_AUTO, "face-face, sorted");
	bench_find(&b, COLLIDE_FACE_FACE, COLLIDE_ANY, COLLIDE_REBUILD, "face-face, rebuilt");
	bench_contacts(&b, COLLIDE_VERTEX_FACE, "contacts, vertex-face");
	bench_contacts(&b, COLLIDE_EDGE_EDGE, "contacts, edge-edge");
	collide_mesh_destroy(&b.mesh);
	for (int k = 0; k < 2; k++) {
		collide_mem_free(ctx, xyz[k]);
		wl_mesh_free(&m[k]);
	}
	collide_close(&ctx);
	return 0;
}
