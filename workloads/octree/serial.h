/* Sorts the particles of a small cell by one CPU thread: radix sort by the bits below the cell's,
 * then equal codes by name. */
#ifndef WORKLOADS_OCTREE_SERIAL_H
#define WORKLOADS_OCTREE_SERIAL_H

/* Moves n particles from a to b, in the order of eight bits. */
static inline void oct_serial_pass(const oct_room *a, oct_room *b, uint32_t n, uint32_t shift)
{
	uint32_t place[257] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		place[(oct_code_at(a, i) >> shift & 255u) + 1]++;
	for (uint32_t k = 0; k < 256; k++)
		place[k + 1] += place[k];
	for (uint32_t i = 0; i < n; i++) {
		const oct_particle p = oct_get(a, i);

		oct_put(b, place[p.code >> shift & 255u]++, p);
	}
}

/* Sorts n particles of a cell of that level, which are in `a`, with the help of `b`. Returns the
 * one that has the result. */
static inline oct_room *oct_serial_sort(oct_room *a, oct_room *b, uint32_t n, uint32_t level)
{
	for (uint32_t shift = 0; shift < 3 * (OCT_LEVELS - level); shift += 8) {
		oct_room *const from = a;

		oct_serial_pass(from, b, n, shift);
		a = b;
		b = from;
	}
	for (uint32_t i = 1; i < n; i++) {
		const oct_particle p = oct_get(a, i);
		uint32_t k = i;

		for (; k && oct_code_at(a, k - 1) == p.code && oct_get(a, k - 1).name > p.name; k--)
			oct_put(a, k, oct_get(a, k - 1));
		oct_put(a, k, p);
	}
	return a;
}

#endif
