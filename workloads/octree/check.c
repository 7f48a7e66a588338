/* The result of `octree` against the tree by recursion, and each particle against its leaf. */
#include "workloads/octree/host.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* Each inner cell's children follow each other, cover its particles, and name it as parent. */
static int check_family(const oct_cell *cell, uint32_t cells, uint32_t i, char *why, size_t n)
{
	const oct_cell *p = &cell[i];
	const uint32_t kids = lsched_popcount(p->octants);
	uint32_t first = p->first, octants = p->octants;

	if (p->child == OCT_NONE && kids == 0)
		return 0;
	if (kids == 0 || kids > 8 || p->child >= cells || cells - p->child < kids)
		return wl_fail(why, n, "cell %" PRIu32 " has wrong children", i);
	for (uint32_t k = 0; k < kids; k++, octants &= octants - 1) {
		const oct_cell *q = &cell[p->child + k];

		if (q->parent == i && q->level == p->level + 1 && q->first == first && q->count &&
			(q->code & ~oct_below(p->level)) == p->code &&
			(octants & (0u - octants)) == 1u << oct_octant(q->code, p->level)) {
			first += q->count;
			continue;
		}
		return wl_fail(why, n,
			"child %" PRIu32 " of cell %" PRIu32 " has other particles or another box",
			k, i);
	}
	if (first == p->first + p->count)
		return 0;
	return wl_fail(why, n, "the children of cell %" PRIu32 " lack particles", i);
}

int oct_check_cells(const oct_host *h, const oct_cell *cell, uint32_t cells, char *why, size_t n)
{
	const oct_truth *t = &h->truth;
	uint64_t inner = 0, sum = 0;

	for (uint32_t i = 0; i < cells; i++) {
		const oct_cell *p = &cell[i];

		inner += p->child != OCT_NONE;
		sum += oct_cell_hash(p->code, p->first, p->count, p->level, p->octants);
	}
	if (cells != t->inner + t->leaves || inner != t->inner || sum != t->sum)
		return wl_fail(why, n,
			"%" PRIu64 " inner cells and %" PRIu64 " leaves, not %" PRIu64
			" and %" PRIu64 ", or others than those",
			inner, cells - inner, t->inner, t->leaves);
	for (uint32_t i = 0; i < cells; i++)
		if (check_family(cell, cells, i, why, n))
			return -1;
	return 0;
}

/* Particle k is of the leaf and in the order of codes and names, which large leaves do not have. */
static int in_place(const oct_host *h, const oct_cell *p, const uint64_t *code,
	const uint32_t *name, uint32_t k)
{
	if (code[k] != h->code[name[k]] || (code[k] & ~oct_below(p->level)) != p->code)
		return 0;
	return k == p->first || p->count > OCT_ROOM || code[k - 1] < code[k] ||
	       (code[k - 1] == code[k] && name[k - 1] < name[k]);
}

int oct_check_particles(const oct_host *h, const oct_cell *cell, uint32_t cells,
	const uint64_t *code, const uint32_t *name, char *why, size_t n)
{
	const uint32_t count = (uint32_t)h->o.n;
	unsigned char *seen = calloc(1, (size_t)count + 1);
	uint32_t bad = count, in_leaves = 0;

	if (!seen)
		return wl_no_memory((size_t)count + 1, why, n);
	for (uint32_t i = 0; i < cells; i++) {
		const oct_cell *p = &cell[i];

		for (uint32_t k = p->first; p->child == OCT_NONE && k < p->first + p->count; k++) {
			in_leaves++;
			if (bad != count)
				continue;
			if (k >= count || name[k] >= count || seen[name[k]]++ ||
				!in_place(h, p, code, name, k))
				bad = k;
		}
	}
	free(seen);
	if (bad == count && in_leaves == count)
		return 0;
	if (bad != count)
		return wl_fail(why, n,
			"particle %" PRIu32 " of the output is in a wrong leaf or place", bad);
	return wl_fail(
		why, n, "%" PRIu32 " particles are in leaves, not %" PRIu32, in_leaves, count);
}
