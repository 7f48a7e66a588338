/* Fuzzer of libcollide: the input is a mesh, 4 bytes of counts and kind, corners of a byte each,
 * and positions as the bits of floats. Checks that what is refused has a reason, and that the pairs
 * of an accepted mesh are those of all its boxes. */
#include "fuzz/fuzz.h"
#include <collide/collide.h>

#include <math.h>
#include <string.h>

enum { MOST = 48, HEAD = 4 };

static collide_ctx *ctx;

typedef struct input {
	uint32_t vertices, triangles;
	uint32_t index[MOST * 3];
	float start[MOST * 3], end[MOST * 3];
} input;

/* Missing bytes are zero. */
static void load(input *in, const uint8_t *data, size_t bytes)
{
	const uint8_t *at = data + HEAD, *stop = data + bytes;

	memset(in, 0, sizeof(*in));
	in->vertices = data[0] % MOST;
	in->triangles = data[1] % MOST;
	for (uint32_t i = 0; i < in->triangles * 3 && at < stop; i++)
		in->index[i] = *at++;
	for (uint32_t i = 0; i < in->vertices * 3; i++) {
		float *to[2] = { &in->start[i], &in->end[i] };

		for (int k = 0; k < 2; k++)
			if (stop - at >= (ptrdiff_t)sizeof(float)) {
				memcpy(to[k], at, sizeof(float));
				at += sizeof(float);
			}
	}
}

static int overlap(const input *in, uint32_t f, uint32_t g)
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		float lo[2] = { INFINITY, INFINITY }, hi[2] = { -INFINITY, -INFINITY };

		for (uint32_t k = 0; k < 12; k++) {
			const uint32_t second = k / 6;
			const uint32_t v = in->index[(second ? g : f) * 3 + k % 3];
			const float x = (k % 6 < 3 ? in->start : in->end)[v * 3 + axis];

			lo[second] = x < lo[second] ? x : lo[second];
			hi[second] = x > hi[second] ? x : hi[second];
		}
		if (lo[0] > hi[1] || lo[1] > hi[0])
			return 0;
	}
	return 1;
}

static int adjacent(const input *in, uint32_t f, uint32_t g)
{
	for (uint32_t k = 0; k < 9; k++)
		if (in->index[f * 3 + k / 3] == in->index[g * 3 + k % 3])
			return 1;
	return 0;
}

/* The pairs of faces, which are sorted. */
static void check_faces(const input *in, const collide_pair *pair, uint64_t count)
{
	uint64_t n = 0;

	for (uint32_t f = 0; f < in->triangles; f++)
		for (uint32_t g = f + 1; g < in->triangles; g++) {
			if (!overlap(in, f, g) || adjacent(in, f, g))
				continue;
			FUZZ_EXPECT(n < count && pair[n].a == f && pair[n].b == g);
			n++;
		}
	FUZZ_EXPECT(n == count);
}

static void find(const input *in, collide_mesh *mesh, collide_kind kind)
{
	static collide_pair pair[MOST * MOST * 9];
	static uint32_t time[MOST * MOST * 9];
	const uint64_t room = sizeof(pair) / sizeof(pair[0]);
	collide_find_options o;
	uint64_t count;

	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	FUZZ_EXPECT(collide_find(ctx, mesh, mesh, kind, &o, pair, room, &count) == COLLIDE_OK);
	for (uint64_t i = 1; i < count; i++)
		FUZZ_EXPECT(pair[i - 1].a < pair[i].a ||
			    (pair[i - 1].a == pair[i].a && pair[i - 1].b < pair[i].b));
	if (kind == COLLIDE_FACE_FACE) {
		check_faces(in, pair, count);
	} else { /* contacts of some, which may take long */
		collide_contact_options co;

		collide_contact_options_init(&co);
		co.tolerance = 1e30;
		FUZZ_EXPECT(collide_contacts(ctx, mesh, mesh, kind, &co, pair,
				    count < 8 ? count : 8, time, NULL) == COLLIDE_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static input in;
	collide_mesh_options mo;
	collide_options o;
	collide_positions p;
	collide_mesh *mesh;
	int valid = 1;

	if (bytes < HEAD)
		return 0;
	if (!ctx) {
		collide_options_init(&o);
		o.backend = COLLIDE_BACKEND_CPU;
		o.workers = 1;
		FUZZ_EXPECT(collide_open(&ctx, &o) == COLLIDE_OK);
	}
	load(&in, data, bytes);
	collide_mesh_options_init(&mo);
	mo.vertices = in.vertices;
	mo.triangles = in.triangles;
	mo.index = in.index;
	for (uint32_t i = 0; i < in.triangles * 3; i++)
		valid &= in.index[i] < in.vertices;
	FUZZ_EXPECT(
		collide_mesh_create(&mesh, ctx, &mo) == (valid ? COLLIDE_OK : COLLIDE_ERR_VALUE));
	if (!valid) {
		FUZZ_EXPECT(!mesh && strstr(collide_last_error(), "corner"));
		return 0;
	}
	for (uint32_t i = 0; i < in.vertices * 3; i++)
		valid &= isfinite(in.start[i]) && isfinite(in.end[i]);
	collide_positions_init(&p);
	p.start = in.start;
	p.end = in.end;
	FUZZ_EXPECT(collide_mesh_update(mesh, &p) == (valid ? COLLIDE_OK : COLLIDE_ERR_VALUE));
	if (valid)
		find(&in, mesh, (collide_kind)(data[2] % 3));
	collide_mesh_destroy(&mesh);
	return 0;
}
