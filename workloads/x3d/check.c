/* Compares the result of an execution with the truth. */
#include "workloads/x3d/host.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of a tree; those of a context have the same order. */
enum { NODES, ATTRIBUTES, FLOATS, INTS, ARRAYS };
static const struct {
	const char *name;
	uint32_t count; /* X3D_N_NODES .. */
	size_t bytes;
} arrays[ARRAYS] = { { "node", X3D_N_NODES, sizeof(x3d_node) },
	{ "attribute", X3D_N_ATTRIBUTES, sizeof(x3d_attribute) },
	{ "float", X3D_N_FLOATS, sizeof(float) }, { "integer", X3D_N_INTS, sizeof(uint32_t) } };

static const void *array_of(const x3d_tree *t, int k)
{
	return k == NODES        ? (const void *)t->node
	       : k == ATTRIBUTES ? (const void *)t->attribute
	       : k == FLOATS     ? (const void *)t->floats
				 : (const void *)t->ints;
}

int x3d_compare(const x3d_tree *truth, const x3d_tree *t, char *why, size_t n)
{
	for (int k = 0; k < ARRAYS; k++) {
		const uint32_t count = truth->count[arrays[k].count];
		const unsigned char *a = array_of(truth, k), *b = array_of(t, k);
		uint32_t same = 0;

		if (t->count[arrays[k].count] != count)
			return wl_fail(why, n, "%" PRIu32 " %ss, not %" PRIu32,
				t->count[arrays[k].count], arrays[k].name, count);
		if (count == 0 || memcmp(a, b, count * arrays[k].bytes) == 0)
			continue;
		while (memcmp(a + same * arrays[k].bytes, b + same * arrays[k].bytes,
			       arrays[k].bytes) == 0)
			same++;
		return wl_fail(why, n, "%s %" PRIu32 " of %" PRIu32 " is wrong", arrays[k].name,
			same, count);
	}
	return 0;
}

/* Copies the result to the host. */
static int read_tree(const x3d_host *h, wl_device *d, x3d_tree *t, char *why, size_t n)
{
	const x3d_ctx *c = &h->ctx;
	x3d_state state;

	if (wl_read(d, &state, c->state, sizeof(state), why, n))
		return -1;
	memcpy(t->count, state.count, sizeof(t->count));
	if (state.error) {
		t->at = (uint32_t)(~state.error >> 8);
		t->error = (uint32_t)~state.error & 255u;
		return x3d_say(h->name, (const uint8_t *)h->text, t->at, t->error, why, n);
	}
	t->node = wl_host_copy(d, c->node, t->count[X3D_N_NODES] * sizeof(*t->node), why, n);
	t->attribute = wl_host_copy(
		d, c->attribute, t->count[X3D_N_ATTRIBUTES] * sizeof(*t->attribute), why, n);
	t->floats = wl_host_copy(d, c->floats, t->count[X3D_N_FLOATS] * sizeof(*t->floats), why, n);
	t->ints = wl_host_copy(d, c->ints, t->count[X3D_N_INTS] * sizeof(*t->ints), why, n);
	return t->node && t->attribute && t->floats && t->ints ? 0 : -1;
}

int x3d_check(wl_work *w, wl_device *d, char *why, size_t n)
{
	const x3d_host *h = w->host_data;
	const x3d_tree *truth = &h->truth;
	x3d_tree t = { 0 };
	uint32_t depth = 0;
	int bad = read_tree(h, d, &t, why, n);

	if (!bad)
		bad = x3d_compare(truth, &t, why, n);
	x3d_tree_free(&t);
	for (uint32_t k = 0; k < truth->count[X3D_N_NODES]; k++)
		depth = truth->node[k].depth > depth ? truth->node[k].depth : depth;
	w->operations = h->bytes;
	w->value = truth->count[X3D_N_NODES];
	wl_add_fact(w, "elements", truth->count[X3D_N_NODES]);
	wl_add_fact(w, "depth", depth);
	wl_add_fact(w, "attributes", truth->count[X3D_N_ATTRIBUTES]);
	wl_add_fact(w, "floats", truth->count[X3D_N_FLOATS]);
	wl_add_fact(w, "integers", truth->count[X3D_N_INTS]);
	wl_add_fact(w, "bytes copied from the host within the time", h->pinned ? h->bytes : 0);
	return bad;
}
