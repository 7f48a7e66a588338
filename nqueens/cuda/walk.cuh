/* Third stage of backtracking: lanes walk subtrees. All lanes of a warp execute the same
 * straight-line code, the step: place a queen on the lowest free column of the topmost node of the
 * lane's stack. The rest of that node stays on the stack, or is removed if no free column is left.
 * The child is pushed if it has a free column; a child in the last row is a solution and is only
 * counted. Every WALK_STEPS steps the warp determines the lanes with an empty stack and assigns new
 * subtrees to them.
 *
 * Nodes are in shared memory: a step reads its node and writes the child, instead of selecting six
 * registers between child, parent and stack. That takes 29 instructions a step instead of 37: 414
 * instead of 340 G nodes/s (H200, n = 18). The bound is the bandwidth of shared memory: 11 words
 * per lane and step, 83 % of the peak.
 *
 * The stack of a lane: a level has a 16-byte part, then 4-byte parts, for 32 lanes each, so neither
 * has bank conflicts. Level 0 is a sentinel: no column of its row is blocked,
 * but its children have no free column, so none is pushed. A lane without work can execute 32 steps
 * on it before it would leave the stack, more than WALK_STEPS. */
#ifndef NQUEENS_CUDA_WALK_CUH
#define NQUEENS_CUDA_WALK_CUH

#include "nqueens/cuda/spread.h"

#define WALK_STEPS  8u /* between two assignments of subtrees */
#define WALK_CHUNK  32u
#define WALK_LEVELS (NQ_I_LEAF_ROWS_MAX + 0u) /* the sentinel, then nodes with 10 .. 2 empty rows */

/* Bytes of a level; of a warp: its levels and the subtrees that are not assigned to a lane yet. */
template <bool WIDE> struct walk_size {
	static const uint32_t level = WIDE ? 768u : 640u;
	static const uint32_t staged = WALK_LEVELS * level;
	static const uint32_t all = staged + WALK_CHUNK * (uint32_t)sizeof(nq_i_subtree);
};

/* The subtrees of a warp: first .. end-1 of the list. next: a counter from which all warps claim
 * chunks; NULL: this warp walks all of them. */
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

/* The end of a step: counts, removes the node or stores its rest, pushes the child. In assembly,
 * because the compiler turns these predicates into branches, which are slower. `at` is the address
 * of the first 4-byte part of the level; the blocked columns are `blocked_at` bytes after it. */
#define WALK_STORE(cols_too, blocked_at, level)                                       \
	asm volatile("{\n\t"                                                          \
		     ".reg .pred alive, kept, more;\n\t"                              \
		     ".reg .b32 at;\n\t"                                              \
		     "setp.ne.u32 alive, %3, -1;\n\t"                                 \
		     "setp.ne.and.u32 kept, %4, %12, alive;\n\t"                      \
		     "setp.ne.u32 more, %5, -1;\n\t"                                  \
		     "add.u32 at, %0, %6;\n\t"                                        \
		     "@alive add.u32 %1, %1, 1;\n\t"                                  \
		     "@kept add.u32 %2, %2, 1;\n\t"                                   \
		     "@more st.shared.b32 [at+" #blocked_at "], %5;\n\t"              \
		     "@!more sub.u32 %0, %0, " #level ";\n\t"                         \
		     "@kept add.u32 %0, %0, " #level ";\n\t"                          \
		     "add.u32 at, %0, %6;\n\t"                                        \
		     "@kept st.shared.v4.b32 [%0], {%7, %8, %9, %10};\n\t" cols_too   \
		     "@kept st.shared.b32 [at+" #blocked_at "], %3;\n\t"              \
		     "}"                                                              \
		     : "+r"(*top), "+r"(*alive), "+r"(*kept)                          \
		     : "r"(child), "r"(place), "r"(rest), "r"(offset4), "r"(node[0]), \
		     "r"(node[1]), "r"(node[2]), "r"(node[3]), "r"(cols),             \
		     "n"((int)NQ_I_LAST_BUT_ONE)                                      \
		     : "memory")

/* One step. top: the lane's topmost node; offset4: offset of the lane's first 4-byte part from its
 * 16-byte part. Adds to *alive the children with a free column, to *kept those of them above the
 * last row. */
template <bool WIDE>
static __device__ __forceinline__ void walk_step(
	uint32_t *top, uint32_t offset4, uint64_t order, uint32_t *alive, uint32_t *kept)
{
	const uint4 quad = walk_load4(*top);
	const uint32_t blocked = walk_load(*top + offset4 + (WIDE ? 128u : 0u));
	const uint32_t place = (WIDE ? quad.w : quad.z) >> NQ_I_PLACE_SHIFT;
	const uint32_t bit = ~blocked & (blocked + 1u), rest = blocked | (blocked + 1u);
	uint32_t node[4] = { quad.x, quad.y, quad.z, quad.w }, cols = 0, child;

	if (WIDE) {
		cols = walk_load(*top + offset4);
		child = nq_i_step_wide(node, &cols, bit, order);
	} else {
		child = nq_i_step_narrow(node, bit, order);
	}
	if (WIDE)
		WALK_STORE("@kept st.shared.b32 [at], %11;\n\t", 128, 768);
	else
		WALK_STORE("", 0, 640);
}

/* Claims the next subtrees of the source and starts their loads, one per lane; returns
 * their number. */
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

/* Adds the solutions counted so far to their unit. */
static __device__ __forceinline__ void walk_flush(
	uint64_t *found, uint32_t unit, uint32_t *alive, uint32_t *kept, uint64_t *nodes)
{
	if (*alive != *kept)
		(void)lsched_add(&found[unit], (uint64_t)(*alive - *kept), rlx, dev);
	*nodes += *kept;
	*alive = 0;
	*kept = 0;
}

/* Stores the root of a subtree at `top`. Returns 1, or 0 for a blank, which has all
 * columns blocked. */
template <bool WIDE>
static __device__ __forceinline__ uint32_t walk_push_root(
	uint32_t top, uint32_t offset4, const nq_i_subtree *t)
{
	uint32_t blocked;

	walk_store4(top, t->node);
	if (WIDE)
		walk_store(top + offset4, t->cols);
	blocked = nq_i_subtree_blocked(t, WIDE);
	walk_store(top + offset4 + (WIDE ? 128u : 0u), blocked);
	return blocked != ~0u;
}

/* Makes the claimed subtrees, whose loads have been started, available to all lanes. */
static __device__ __forceinline__ void walk_stage(uint4 *staged, const uint4 *got, uint32_t claimed)
{
	const uint32_t lane = lsched_lane();

	__syncwarp();
	if (lane < claimed) {
		staged[2 * lane] = got[0];
		staged[2 * lane + 1] = got[1];
	}
	__syncwarp();
}

/* Walks all subtrees of the source. memory: walk_size<WIDE>::all bytes of this warp, aligned to 16.
 * Returns the nodes of this lane, as nq_result counts them. */
template <bool WIDE>
static __device__ __forceinline__ uint64_t walk_all(
	walk_source s, unsigned char *memory, uint64_t *found)
{
	const uint32_t lane = lsched_lane(), level = walk_size<WIDE>::level;
	const uint32_t base = (uint32_t)__cvta_generic_to_shared(memory) + lane * 16u;
	const uint32_t offset4 = 512u - lane * 12u, at_blocked = offset4 + (WIDE ? 128u : 0u);
	uint4 *staged = (uint4 *)(memory + walk_size<WIDE>::staged), next[2];
	const uint32_t nothing[4] = { 0, 0,
		WIDE ? 0u : (uint32_t)NQ_I_LAST_BUT_ONE << NQ_I_PLACE_SHIFT, ~0u };
	uint32_t top = base, unit = 0, alive = 0, kept = 0, staged_count = 0, assigned = 0, claimed;
	uint64_t order = 0, nodes = 0;

	walk_store4(base, nothing);
	walk_store(base + offset4, ~0u);
	claimed = walk_claim(&s, next);
	for (;;) {
		uint32_t idle = lsched_ballot(top == base);

		if (idle && top == base)
			walk_store(base + at_blocked, 0);
		while (idle && (assigned < staged_count || claimed)) {
			const uint32_t rank = lsched_popcount(idle & ((1u << lane) - 1u));
			uint32_t available;

			if (assigned == staged_count) {
				walk_stage(staged, next, claimed);
				staged_count = claimed;
				assigned = 0;
				claimed = walk_claim(&s, next);
			}
			available = staged_count - assigned;
			if ((idle >> lane & 1u) && rank < available) {
				const uint4 node = staged[2 * (assigned + rank)];
				const uint4 rest = staged[2 * (assigned + rank) + 1];
				const nq_i_subtree t = { { node.x, node.y, node.z, node.w },
					{ rest.x, rest.y }, rest.z, rest.w };
				uint32_t is_node;

				if (t.unit != unit)
					walk_flush(found, unit, &alive, &kept, &nodes);
				unit = t.unit;
				order = (uint64_t)rest.y << 32 | rest.x;
				top = base + level;
				is_node = walk_push_root<WIDE>(top, offset4, &t);
				kept += is_node;
				alive += is_node;
			}
			assigned += lsched_popcount(idle) < available ? lsched_popcount(idle)
								      : available;
			idle = lsched_ballot(top == base);
		}
		if (idle == ~0u)
			break;
		LSCHED_UNROLL
		for (uint32_t k = 0; k < WALK_STEPS; k++)
			walk_step<WIDE>(&top, offset4, order, &alive, &kept);
	}
	walk_flush(found, unit, &alive, &kept, &nodes);
	return nodes;
}

#endif
