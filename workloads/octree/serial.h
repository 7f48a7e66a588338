/* Sorts the particles of a small cell by one CPU thread: radix sort by the bits below the cell's,
 * then by comparison, which is left to do for few particles and equal codes. */
#ifndef WORKLOADS_OCTREE_SERIAL_H
#define WORKLOADS_OCTREE_SERIAL_H

/* Moves n particles from a to b, in the order of up to 11 bits. */
static inline void oct_serial_pass(
	const oct_room *a, oct_room *b, uint32_t n, uint32_t shift, uint32_t bits)
{
	const uint32_t digits = 1u << bits, mask = digits - 1;
	uint32_t place[(1 << 11) + 1];

	for (uint32_t k = 0; k <= digits; k++)
		place[k] = 0;
	for (uint32_t i = 0; i < n; i++)
		place[(oct_code_at(a, i) >> shift & mask) + 1]++;
	for (uint32_t k = 0; k < digits; k++)
		place[k + 1] += place[k];
	for (uint32_t i = 0; i < n; i++) {
		const oct_particle p = oct_get(a, i);

		oct_put(b, place[p.code >> shift & mask]++, p);
	}
}

/* Sorts n particles of a cell of that level, which are in `a`, with the help of `b`. Returns the
 * one that has the result. */
static inline oct_room *oct_serial_sort(oct_room *a, oct_room *b, uint32_t n, uint32_t level)
{
	const uint32_t bits = n > 1024 ? 11 : n > 64 ? 8 : 5;

	for (uint32_t shift = 0; n > 16 && shift < 3 * (OCT_LEVELS - level); shift += bits) {
		oct_room *const from = a;

		oct_serial_pass(from, b, n, shift, bits);
		a = b;
		b = from;
	}
	for (uint32_t i = 1; i < n; i++) {
		const oct_particle p = oct_get(a, i);
		uint32_t k = i;

		for (; k && oct_before(p, oct_get(a, k - 1)); k--)
			oct_put(a, k, oct_get(a, k - 1));
		oct_put(a, k, p);
	}
	return a;
}

#endif
