/* The third stage: subtrees are walked by lanes. All lanes of a warp run the same straight code, a step,
 * whatever they are at: a lane takes the node on top of its stack and puts a queen on its lowest free
 * column. What is left of the node stays where it was, or, if nothing is left, makes way; the child goes on
 * top if it has a free square, and if it is in the last row it is a solution and goes nowhere. Every few
 * steps the warp looks which lanes have run dry and gives them new subtrees.
 *
 * Nodes live in shared memory, not in registers: a step reads its node and writes the child, instead of
 * choosing in six registers between child, parent and stack. That is 29 instructions a step instead of 37, and
 * on an H200 414 instead of 340 G boards/s (n = 18). What bounds it is the bandwidth of shared memory:
 * 11 words a lane and step, 83 % of its peak.
 *
 * A lane's stack: a level has a 16-byte part, then 4-byte parts, for 32 lanes each, so neither has bank
 * conflicts. Level 0 is a node without free squares that is blocked nowhere: a lane without work tries
 * it for 32 steps before it would fall off, and long before the warp looks. */
#ifndef NQUEENS_CUDA_WALK_CUH
#define NQUEENS_CUDA_WALK_CUH

#include "nqueens/cuda/spread.h"

#define WALK_STEPS 8u /* from look to look */
#define WALK_CHUNK 32u
#define WALK_LEVELS \
	(NQ_I_LEAF_ROWS_MAX + 0u) /* the one without work, then nodes with 10 .. 2 rows */

/* Bytes of a level; of what a warp needs, with the subtrees that wait for lanes. */
template <bool WIDE> struct walk_size {
	static const uint32_t level = WIDE ? 768u : 640u;
	static const uint32_t waiting = WALK_LEVELS * level;
	static const uint32_t all = waiting + WALK_CHUNK * (uint32_t)sizeof(nq_i_subtree);
};

/* Where subtrees come from: first .. end-1 of the list; of these, chunks by a counter that all warps share, or
 * (NULL) all for this warp. */
typedef struct walk_source {
	const uint4 *list; /* two a subtree */
	uint32_t first, end;
	uint32_t *next;
} walk_source;

static __device__ __forceinline__ uint4 walk_load4(uint32_t at)
{
	uint4 v;

	asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
		     : "r"(at)
		     : "memory");
	return v;
}

static __device__ __forceinline__ uint32_t walk_load(uint32_t at)
{
	uint32_t v;

	asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
	return v;
}

static __device__ __forceinline__ void walk_store4(uint32_t at, const uint32_t *v)
{
	asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v[0]), "r"(v[1]),
		     "r"(v[2]), "r"(v[3])
		     : "memory");
}

static __device__ __forceinline__ void walk_store(uint32_t at, uint32_t v)
{
	asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

/* The end of a step: counts, takes the node off or leaves the rest of it, puts the child on. The predicates
 * are spelled out, for a compiler makes branches of them, which cost more than they save. `at` is where
 * the child's first 4-byte part would be; blocked columns stand `behind` it. */
#define WALK_STORE(cols_too, behind, level)                                                       \
	asm volatile("{\n\t"                                                                      \
		     ".reg .pred alive, kept, more;\n\t"                                          \
		     ".reg .b32 at;\n\t"                                                          \
		     "setp.ne.u32 alive, %3, -1;\n\t"                                             \
		     "setp.ne.and.u32 kept, %4, %12, alive;\n\t"                                  \
		     "setp.ne.u32 more, %5, -1;\n\t"                                              \
		     "add.u32 at, %0, %6;\n\t"                                                    \
		     "@alive add.u32 %1, %1, 1;\n\t"                                              \
		     "@kept add.u32 %2, %2, 1;\n\t"                                               \
		     "@more st.shared.b32 [at+" #behind "], %5;\n\t"                              \
		     "@!more sub.u32 %0, %0, " #level ";\n\t"                                     \
		     "@kept add.u32 %0, %0, " #level ";\n\t"                                      \
		     "add.u32 at, %0, %6;\n\t"                                                    \
		     "@kept st.shared.v4.b32 [%0], {%7, %8, %9, %10};\n\t" cols_too               \
		     "@kept st.shared.b32 [at+" #behind "], %3;\n\t"                              \
		     "}"                                                                          \
		     : "+r"(*top), "+r"(*alive), "+r"(*kept)                                      \
		     : "r"(child), "r"(place), "r"(rest), "r"(aside), "r"(node[0]), "r"(node[1]), \
		     "r"(node[2]), "r"(node[3]), "r"(cols), "n"((int)NQ_I_LAST_BUT_ONE)           \
		     : "memory")

/* A step. top: the lane's topmost node; aside: from a level's 16 bytes to the lane's first 4. alive counts
 * children with a free square, kept those of them that are not in the last row. */
template <bool WIDE>
static __device__ __forceinline__ void walk_step(
	uint32_t *top, uint32_t aside, uint64_t order, uint32_t *alive, uint32_t *kept)
{
	const uint4 quad = walk_load4(*top);
	const uint32_t blocked = walk_load(*top + aside + (WIDE ? 128u : 0u));
	const uint32_t place = (WIDE ? quad.w : quad.z) >> NQ_I_PLACE_SHIFT;
	const uint32_t bit = ~blocked & (blocked + 1u), rest = blocked | (blocked + 1u);
	uint32_t node[4] = { quad.x, quad.y, quad.z, quad.w }, cols = 0, child;

	if (WIDE) {
		cols = walk_load(*top + aside);
		child = nq_i_step_wide(node, &cols, bit, order);
	} else {
		child = nq_i_step_narrow(node, bit, order);
	}
	if (WIDE)
		WALK_STORE("@kept st.shared.b32 [at], %11;\n\t", 128, 768);
	else
		WALK_STORE("", 0, 640);
}

/* The next subtrees of the source, one a lane, on their way from memory; returns how many. */
static __device__ __forceinline__ uint32_t walk_claim(walk_source *s, uint4 *got)
{
	const uint32_t lane = lsched_lane();
	uint32_t first = s->first, n;

	if (s->next) {
		if (lane == 0)
			first = lsched_add(s->next, WALK_CHUNK, rlx, dev);
		first = lsched_bcast(first);
	}
	n = first >= s->end ? 0 : s->end - first < WALK_CHUNK ? s->end - first : WALK_CHUNK;
	if (!s->next)
		s->first += n;
	if (lane < n) {
		got[0] = s->list[2 * (size_t)(first + lane)];
		got[1] = s->list[2 * (size_t)(first + lane) + 1];
	}
	return n;
}

/* What was counted so far, to the unit that it is of. */
static __device__ __forceinline__ void walk_flush(
	uint64_t *found, uint32_t unit, uint32_t *alive, uint32_t *kept, uint64_t *nodes)
{
	if (*alive != *kept)
		(void)lsched_add(&found[unit], (uint64_t)(*alive - *kept), rlx, dev);
	*nodes += *kept;
	*alive = 0;
	*kept = 0;
}

/* Walks all subtrees of the source. memory: walk_size<WIDE>::all bytes of this warp's, aligned to 16.
 * Returns the lane's boards that have a free square in the next row. */
template <bool WIDE>
static __device__ __forceinline__ uint64_t walk_all(
	walk_source s, unsigned char *memory, uint64_t *found)
{
	const uint32_t lane = lsched_lane(), level = walk_size<WIDE>::level;
	const uint32_t base = (uint32_t)__cvta_generic_to_shared(memory) + lane * 16u;
	const uint32_t aside = 512u - lane * 12u, at_blocked = aside + (WIDE ? 128u : 0u);
	uint4 *waiting = (uint4 *)(memory + walk_size<WIDE>::waiting), next[2];
	const uint32_t nothing[4] = { 0, 0,
		WIDE ? 0u : (uint32_t)NQ_I_LAST_BUT_ONE << NQ_I_PLACE_SHIFT, ~0u };
	uint32_t top = base, unit = 0, alive = 0, kept = 0, here = 0, taken = 0, coming;
	uint64_t order = 0, nodes = 0;

	walk_store4(base, nothing);
	walk_store(base + aside, ~0u);
	coming = walk_claim(&s, next);
	for (;;) {
		uint32_t idle = lsched_ballot(top == base);

		if (idle && top == base)
			walk_store(base + at_blocked, 0);
		while (idle && (taken < here || coming)) {
			const uint32_t rank = nq_i_popcount(idle & ((1u << lane) - 1u));
			uint32_t give;

			if (taken == here) {
				__syncwarp();
				if (lane < coming) {
					waiting[2 * lane] = next[0];
					waiting[2 * lane + 1] = next[1];
				}
				__syncwarp();
				here = coming;
				taken = 0;
				coming = walk_claim(&s, next);
			}
			give = here - taken;
			if ((idle >> lane & 1u) && rank < give) {
				const uint4 node = waiting[2 * (taken + rank)];
				const uint4 how = waiting[2 * (taken + rank) + 1];
				const nq_i_subtree t = { { node.x, node.y, node.z, node.w },
					{ how.x, how.y }, how.z, how.w };
				uint32_t blocked;

				if (t.unit != unit)
					walk_flush(found, unit, &alive, &kept, &nodes);
				unit = t.unit;
				order = (uint64_t)how.y << 32 | how.x;
				top = base + level;
				walk_store4(top, t.node);
				if (WIDE)
					walk_store(top + aside, t.cols);
				blocked = nq_i_subtree_blocked(&t, WIDE);
				walk_store(top + at_blocked, blocked);
				kept += blocked !=
					~0u; /* it is a board itself; all ones: a blank */
				alive += blocked != ~0u;
			}
			taken += nq_i_popcount(idle) < give ? nq_i_popcount(idle) : give;
			idle = lsched_ballot(top == base);
		}
		if (idle == ~0u)
			break;
		LSCHED_UNROLL
		for (uint32_t k = 0; k < WALK_STEPS; k++)
			walk_step<WIDE>(&top, aside, order, &alive, &kept);
	}
	walk_flush(found, unit, &alive, &kept, &nodes);
	return nodes;
}

#endif
