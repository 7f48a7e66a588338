/* Input of `sort`: keys by distributions that are usual for sorting, and lists. */
#include "workloads/common/memory.h"
#include "workloads/sort/host.h"

#include <inttypes.h>
#include <stdlib.h>

/* Returns 64 random bits in the middle of the range more often than at its ends: the mean of four
 * uniform numbers (Helman, Bader, JaJa 1998). */
static uint64_t gauss(uint64_t seed, uint64_t i)
{
	uint64_t sum = 0;

	for (uint64_t k = 0; k < 4; k++)
		sum += wl_hash64(seed + 4 * i + k) >> 2;
	return sum;
}

/* Blocks of the input whose keys are in one interval each, in an order that exchanges much (as
 * Helman et al.: of 128 blocks the first half has odd intervals, the second half even ones). */
static uint64_t staggered(uint64_t seed, uint64_t i, uint64_t n)
{
	const uint64_t blocks = 128, block = n < blocks ? i : i / ((n + blocks - 1) / blocks);
	const uint64_t place = block < blocks / 2 ? 2 * block + 1 : 2 * (block - blocks / 2);

	return place << 57 | wl_hash64(seed + i) >> 7;
}

/* Key i as a fraction of 2^64. */
static uint64_t key_of(const sort_options *o, uint64_t seed, uint64_t i)
{
	const uint64_t step = o->n ? UINT64_MAX / o->n : 0;

	switch (o->law) {
	case SORT_GAUSS:
		return gauss(seed, i);
	case SORT_EQUAL:
		return wl_hash64(seed);
	case SORT_FEW:
		return wl_hash64(seed + wl_hash64(seed + i) % 16);
	case SORT_SORTED:
		return step * i;
	case SORT_REVERSED:
		return step * (o->n - 1 - i);
	case SORT_STAGGERED:
		return staggered(seed, i, o->n);
	default:
		return wl_hash64(seed + i);
	}
}

void sort_generate(const sort_options *o, void *key)
{
	const uint64_t seed = wl_hash64(o->seed);

	for (uint64_t i = 0; i < o->n; i++) {
		const uint64_t k = key_of(o, seed, i);

		if (o->keys == SORT_U32)
			((uint32_t *)key)[i] = (uint32_t)(k >> 32);
		else if (o->keys == SORT_U64)
			((uint64_t *)key)[i] = k;
		else /* the value is the position */
			((uint64_t *)key)[i] = k >> 32 << 32 | i;
	}
}

/* Exchanges the lengths at random. */
static void shuffle(double *weight, uint64_t n, uint64_t seed)
{
	for (uint64_t i = n; i > 1; i--) {
		const uint64_t k = wl_hash64(seed + i) % i;
		const double w = weight[i - 1];

		weight[i - 1] = weight[k];
		weight[k] = w;
	}
}

/* Cuts the keys into lists: the k-th longest has a part of them that is proportional to 1 / k
 * (zipf), or all are equally long. */
static int make_lengths(sort_host *s)
{
	const uint64_t lists = s->o.lists;
	double *weight = malloc(lists * sizeof(*weight)), all = 0, sum = 0;

	if (!weight)
		return -1;
	for (uint64_t i = 0; i < lists; i++)
		all += weight[i] = s->o.lengths == SORT_ZIPF ? 1.0 / (double)(i + 1) : 1.0;
	shuffle(weight, lists, wl_hash64(s->o.seed ^ UINT64_C(0x5bd1e995)));
	for (uint64_t i = 0; i < lists; i++) {
		const double part = sum < all ? sum / all : 1; /* not above, by rounding */

		s->list[i] = (uint32_t)((double)s->o.n * part);
		sum += weight[i];
	}
	s->list[lists] = (uint32_t)s->o.n;
	free(weight);
	return 0;
}

/* A root is one list, or several short ones that follow each other. */
static void make_roots(sort_host *s)
{
	uint32_t in_pack = 0;

	s->roots = 0;
	for (uint32_t i = 0; i < (uint32_t)s->o.lists; i++) {
		const uint32_t length = s->list[i + 1] - s->list[i];
		const int is_short = length <= SORT_PACK_LIST;

		if (!in_pack || !is_short || in_pack + length > SORT_ROOM_MIN ||
			i - s->root[s->roots - 1] == SORT_ROOM_MIN) {
			s->root[s->roots++] = i;
			in_pack = 0;
		}
		in_pack = is_short ? in_pack + length + !in_pack : 0;
		s->largest = length > s->largest ? length : s->largest;
	}
	s->root[s->roots] = (uint32_t)s->o.lists;
}

int sort_make_lists(wl_device *d, sort_host *s, char *msg, size_t n)
{
	s->list = wl_own(d, (s->o.lists + 1) * sizeof(*s->list), msg, n);
	s->root = s->list ? wl_own(d, (s->o.lists + 1) * sizeof(*s->root), msg, n) : NULL;
	if (!s->root)
		return -1;
	if (make_lengths(s))
		return wl_no_memory(s->o.lists * sizeof(double), msg, n);
	make_roots(s);
	return 0;
}
