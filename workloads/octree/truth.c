/* The tree by one thread: radix sort of the codes, and recursion on them. */
#include "workloads/common/random.h"
#include "workloads/octree/host.h"

#include <string.h>

static void pass(const uint64_t *code, const uint32_t *name, uint64_t *to, uint32_t *name_to,
	size_t n, uint32_t shift)
{
	size_t place[257] = { 0 };

	for (size_t i = 0; i < n; i++)
		place[(code[i] >> shift & 255u) + 1]++;
	for (int k = 0; k < 256; k++)
		place[k + 1] += place[k];
	for (size_t i = 0; i < n; i++) {
		const size_t p = place[code[i] >> shift & 255u]++;

		to[p] = code[i];
		if (name)
			name_to[p] = name[i];
	}
}

void oct_radix_sort(uint64_t *code, uint64_t *code2, uint32_t *name, uint32_t *name2, size_t n)
{
	for (uint32_t shift = 0; shift < 64; shift += 16) {
		pass(code, name, code2, name2, n, shift);
		pass(code2, name2, code, name, n, shift + 8);
	}
}

uint64_t oct_cell_hash(
	uint64_t code, uint32_t first, uint32_t count, uint32_t level, uint32_t octants)
{
	return wl_hash64(wl_hash64(code) ^ wl_hash64((uint64_t)first << 32 | count) ^
			 (uint64_t)octants << 8 ^ level);
}

typedef struct walker {
	const uint64_t *sorted;
	uint32_t bound, room;
	oct_truth *truth;
	oct_cell *cell; /* or NULL */
	uint64_t cells;
} walker;

static void put_cell(walker *w, uint64_t number, oct_cell v)
{
	if (w->cell && number < w->room)
		w->cell[number] = v;
}

/* `number` is the cell's; at most 21 calls deep. */
static void walk(
	walker *w, uint64_t number, uint32_t first, uint32_t count, uint32_t level, uint32_t parent)
{
	const uint64_t code = w->sorted[first] & ~oct_below(level);
	oct_cell v = { code, first, count, OCT_NONE, parent, level, 0 };
	uint32_t size[8] = { 0 };
	uint64_t child = w->cells;

	w->truth->depth = level > w->truth->depth ? level : w->truth->depth;
	if (count <= w->bound || level == OCT_LEVELS) {
		w->truth->leaves++;
	} else {
		w->truth->inner++;
		w->truth->moves += count;
		for (uint32_t i = 0; i < count; i++)
			size[oct_octant(w->sorted[first + i], level)]++;
		for (uint32_t k = 0; k < 8; k++)
			v.octants |= (uint32_t)(size[k] != 0) << k;
		v.child = (uint32_t)child;
		w->cells += lsched_popcount(v.octants);
	}
	w->truth->sum += oct_cell_hash(code, first, count, level, v.octants);
	put_cell(w, number, v);
	for (uint32_t k = 0; k < 8; k++) {
		if (size[k])
			walk(w, child++, first, size[k], level + 1, (uint32_t)number);
		first += size[k];
	}
}

void oct_walk(const uint64_t *sorted, uint32_t n, uint32_t bound, oct_truth *truth, oct_cell *cell,
	uint32_t room)
{
	walker w = { sorted, bound, room, truth, cell, 1 };

	memset(truth, 0, sizeof(*truth));
	if (n)
		walk(&w, 0, 0, n, 0, OCT_NONE);
}

int oct_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	oct_host *h = w->host_data;
	oct_ctx *c = &h->ctx;
	oct_truth truth;
	uint64_t begin;

	(void)d;
	(void)why;
	(void)n;
	do {
		begin = wl_now_ns();
		for (uint32_t i = 0; i < c->n; i++)
			c->name[OCT_OUTPUT][i] = i;
		memcpy(c->code[OCT_OUTPUT], c->code[OCT_INPUT], c->n * sizeof(uint64_t));
		oct_radix_sort(c->code[OCT_OUTPUT], c->code[OCT_SECOND], c->name[OCT_OUTPUT],
			c->name[OCT_SECOND], c->n);
		oct_walk(c->code[OCT_OUTPUT], c->n, c->bound, &truth, c->cell, c->room);
		*ns = wl_now_ns() - begin;
		*c->cells = (uint32_t)(truth.inner + truth.leaves);
	} while (w->again(w, d, why, n) > 0);
	return 0;
}
