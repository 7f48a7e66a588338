/* The libsched programs of walk_tasks.h, for narrow and wide nodes. */
#include "nqueens/cuda/walk_tasks.h"
#include "nqueens/cuda/walk.cuh"

template <bool WIDE> struct walk_local {
	uint4 memory[walk_size<WIDE>::all / sizeof(uint4)];
};
typedef walk_local<false> narrow_local;
typedef walk_local<true> wide_local;

template <bool WIDE>
static __device__ __forceinline__ lsched_result walk_body(
	const nq_i_walks *c, walk_local<WIDE> *l, uint32_t task)
{
	const uint32_t first = task * c->batch, rest = c->end - first;
	const walk_source s = { c->list, first, first + (rest < c->batch ? rest : c->batch), NULL };
	const uint64_t nodes = walk_all<WIDE>(s, (unsigned char *)l->memory, c->found);

	if (nodes)
		(void)lsched_add(&c->counts->nodes, nodes, rlx, dev);
	return LSCHED_DONE;
}

static __device__ __forceinline__ lsched_result narrow_body(
	lsched_worker *w, const nq_i_walks *c, narrow_local *l, uint32_t task)
{
	(void)w;
	return walk_body<false>(c, l, task);
}

static __device__ __forceinline__ lsched_result wide_body(
	lsched_worker *w, const nq_i_walks *c, wide_local *l, uint32_t task)
{
	(void)w;
	return walk_body<true>(c, l, task);
}

#define LSCHED_NAME           nq_i_walk_narrow
#define LSCHED_CTX            nq_i_walks
#define LSCHED_LOCAL          narrow_local
#define LSCHED_BODY           narrow_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>

#define LSCHED_NAME           nq_i_walk_wide
#define LSCHED_CTX            nq_i_walks
#define LSCHED_LOCAL          wide_local
#define LSCHED_BODY           wide_body
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
