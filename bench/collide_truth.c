/* collide_truth KIND START END PAIRS RESULTS: compares the contacts of a step with known ones. KIND
 * is vf (vertices with faces) or ee (edges with edges); START and END are two positions of a mesh.
 * PAIRS is JSON, [[a,b],...]: numbers of primitives, where vertices come first, then edges by
 * (larger vertex, smaller vertex), then faces. RESULTS has true or false for each of them. The data
 * Sample-Scalable-CCD-Data has such files in the folders boxes and mma_bool. Exit code 1: a pair is
 * no candidate, or a contact is missed. */
#include <collide/collide.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "workloads/mesh/mesh.h"

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "collide_truth: %s: %s\n", what, why);
	exit(1);
}

static void must(collide_status st)
{
	if (st != COLLIDE_OK)
		fail(collide_strstatus(st), collide_last_error());
}

/* Returns the text of a file, which ends with a zero. */
static char *read_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t room = 1 << 16, n = 0, more = 1;
	char *text = malloc(room);

	while (f && text && more) {
		if (n + 1 == room)
			text = realloc(text, room *= 2);
		more = text ? fread(text + n, 1, room - n - 1, f) : 0;
		n += more;
	}
	if (!f || !text || ferror(f))
		fail(path, "cannot be read");
	fclose(f);
	text[n] = '\0';
	return text;
}

/* Reads the pairs of primitives with both meshes' numbers: each of a kind from 0. */
static collide_pair *read_pairs(
	const char *path, collide_kind kind, const collide_mesh *mesh, uint64_t *count)
{
	const uint64_t vertices = collide_mesh_count(mesh, COLLIDE_VERTEX);
	const uint64_t edges = collide_mesh_count(mesh, COLLIDE_EDGE);
	const uint64_t faces = collide_mesh_count(mesh, COLLIDE_FACE);
	const uint64_t first[2] = { kind == COLLIDE_EDGE_EDGE ? vertices : 0,
		kind == COLLIDE_EDGE_EDGE ? vertices : vertices + edges };
	const uint64_t end[2] = { kind == COLLIDE_EDGE_EDGE ? vertices + edges : vertices,
		kind == COLLIDE_EDGE_EDGE ? vertices + edges : vertices + edges + faces };
	char *text = read_text(path), *at = text;
	collide_pair *pair = malloc((strlen(text) / 4 + 1) * sizeof(*pair));
	uint32_t number[2];
	uint64_t n = 0;

	for (; pair && *at; at++) {
		if (!isdigit((unsigned char)*at))
			continue;
		for (int k = 0; k < 2; k++) {
			const unsigned long long v = strtoull(at, &at, 10);

			if (v < first[k] || v >= end[k] || *at != (k ? ']' : ','))
				fail(path, "a pair is none of this kind of this mesh");
			number[k] = (uint32_t)(v - first[k]);
			at += !k;
		}
		pair[n++] = (collide_pair){ number[0], number[1] };
	}
	if (!pair || !n)
		fail(path, "has no pairs");
	free(text);
	*count = n;
	return pair;
}

/* Reads as many results: 1 for true. */
static char *read_results(const char *path, uint64_t count)
{
	char *text = read_text(path);
	uint64_t n = 0;

	for (const char *at = text; *at; at++)
		if ((strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) && n < count)
			text[n++] = *at == 't'; /* behind the reading position */
	if (n != count)
		fail(path, "has fewer results than pairs");
	return text;
}

static int by_numbers(const void *a, const void *b)
{
	const collide_pair *p = a, *q = b;

	return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

/* Returns the number of pairs that are no candidates of the library. */
static uint64_t count_lost(collide_ctx *ctx, collide_mesh *mesh, collide_kind kind,
	const collide_pair *pair, uint64_t count)
{
	const collide_pair *d_found;
	collide_find_options o;
	collide_pair *found;
	uint64_t n, lost = 0;

	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	must(collide_find_all(ctx, mesh, mesh, kind, &o, &d_found, &n));
	found = malloc((n + 1) * sizeof(*found));
	if (!found)
		fail("candidates", "out of memory");
	must(collide_mem_read(ctx, found, d_found, n * sizeof(*found)));
	for (uint64_t i = 0; i < count; i++) {
		const int turn = kind == COLLIDE_EDGE_EDGE && pair[i].a > pair[i].b;
		const collide_pair p = { turn ? pair[i].b : pair[i].a,
			turn ? pair[i].a : pair[i].b };

		lost += !bsearch(&p, found, n, sizeof(p), by_numbers);
	}
	printf("candidates %" PRIu64 ", listed %" PRIu64 ", of these no candidates %" PRIu64 "\n",
		n, count, lost);
	free(found);
	return lost;
}

/* Returns the number of missed contacts. */
static uint64_t count_missed(collide_ctx *ctx, collide_mesh *mesh, collide_kind kind,
	const collide_pair *pair, const char *touches, uint64_t count)
{
	uint32_t *time = malloc(count * sizeof(*time));
	uint64_t contacts = 0, missed = 0, more = 0;

	if (!time)
		fail("times", "out of memory");
	must(collide_contacts(ctx, mesh, mesh, kind, NULL, pair, count, time, NULL));
	for (uint64_t i = 0; i < count; i++) {
		contacts += (uint64_t)touches[i];
		missed += touches[i] && time[i] == COLLIDE_NEVER;
		more += !touches[i] && time[i] != COLLIDE_NEVER;
	}
	printf("contacts %" PRIu64 ", missed %" PRIu64 ", reported besides %" PRIu64 "\n", contacts,
		missed, more);
	free(time);
	return missed;
}

static collide_mesh *load_mesh(collide_ctx *ctx, char **file)
{
	char msg[WL_MESH_MESSAGE_BYTES];
	collide_mesh_options mo;
	collide_positions p;
	collide_mesh *mesh;
	wl_mesh m[2];

	for (int k = 0; k < 2; k++)
		if (wl_mesh_read(&m[k], file[k], msg, sizeof(msg)))
			fail("mesh", msg);
	if (m[0].vertices != m[1].vertices)
		fail(file[1], "has another number of vertices");
	collide_mesh_options_init(&mo);
	mo.vertices = m[0].vertices;
	mo.triangles = m[0].triangles;
	mo.index = m[0].index;
	must(collide_mesh_create(&mesh, ctx, &mo));
	collide_positions_init(&p);
	p.start = m[0].xyz;
	p.end = m[1].xyz;
	p.number = COLLIDE_DOUBLE;
	must(collide_mesh_update(mesh, &p));
	for (int k = 0; k < 2; k++)
		wl_mesh_free(&m[k]);
	return mesh;
}

int main(int argc, char **argv)
{
	const int edges = argc == 6 && strcmp(argv[1], "ee") == 0;
	const collide_kind kind = edges ? COLLIDE_EDGE_EDGE : COLLIDE_VERTEX_FACE;
	collide_ctx *ctx;
	collide_mesh *mesh;
	collide_pair *pair;
	char *touches;
	uint64_t count, wrong;

	if (argc != 6 || (!edges && strcmp(argv[1], "vf") != 0)) {
		fprintf(stderr, "usage: collide_truth vf|ee START END PAIRS RESULTS\n");
		return 2;
	}
	must(collide_open(&ctx, NULL));
	mesh = load_mesh(ctx, argv + 2);
	pair = read_pairs(argv[4], kind, mesh, &count);
	touches = read_results(argv[5], count);
	wrong = count_lost(ctx, mesh, kind, pair, count);
	wrong += count_missed(ctx, mesh, kind, pair, touches, count);
	free(pair);
	free(touches);
	collide_mesh_destroy(&mesh);
	collide_close(&ctx);
	return wrong != 0;
}
