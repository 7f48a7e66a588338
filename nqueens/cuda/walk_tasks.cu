#include "nqueens/cuda/walk_tasks.h"
#include "nqueens/cuda/walk.cuh"

template <bool WIDE> struct walk_local {
	uint4 memory[walk_size<WIDE>::all / sizeof(uint4)];
};
typedef walk_local<false> narrow_local;
typedef walk_local<true> wide_local;

template <bool WIDE>
static __device__ __forceinline__ sched_result walk_body(
	const nq__walks *c, walk_local<WIDE> *l, uint32_t task)
{
	const uint32_t first = task * c->batch, rest = c->end - first;
	const walk_source s = { c->list, first, first + (rest < c->batch ? rest : c->batch), NULL };
	const uint64_t nodes = walk_all<WIDE>(s, (unsigned char *)l->memory, c->found);

	if (nodes)
		(void)sched_add(&c->counts->nodes, nodes, rlx, dev);
	return SCHED_DONE;
}

static __device__ __forceinline__ sched_result narrow_body(
	sched_worker *w, const nq__walks *c, narrow_local *l, uint32_t task)
{
	(void)w;
	return walk_body<false>(c, l, task);
}

static __device__ __forceinline__ sched_result wide_body(
	sched_worker *w, const nq__walks *c, wide_local *l, uint32_t task)
{
	(void)w;
	return walk_body<true>(c, l, task);
}

#define SCHED_NAME  nq__walk_narrow
#define SCHED_CTX   nq__walks
#define SCHED_LOCAL narrow_local
#define SCHED_BODY  narrow_body
#include <libsched/generate.h>

#define SCHED_NAME  nq__walk_wide
#define SCHED_CTX   nq__walks
#define SCHED_LOCAL wide_local
#define SCHED_BODY  wide_body
#include <libsched/generate.h>
