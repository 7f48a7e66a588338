/* Arrays in the memory of a context of libsched, and the copy of a frame there. */
#include "reyes/render/memory.h"

void reyes_i_memory_free(lsched_ctx *ctx, reyes_i_memory *m)
{
	lsched_mem_free(ctx, m->list);
	m->list = NULL;
	m->bytes = 0;
}

lsched_status reyes_i_memory_reserve(
	lsched_ctx *ctx, reyes_i_memory *m, uint64_t count, size_t element_bytes)
{
	lsched_status st;

	if (count * element_bytes <= m->bytes && m->list)
		return LSCHED_OK;
	reyes_i_memory_free(ctx, m);
	st = lsched_mem_alloc_array(ctx, &m->list, (size_t)count, element_bytes);
	if (st == LSCHED_OK)
		m->bytes = (size_t)count * element_bytes;
	return st;
}

lsched_status reyes_i_memory_write(
	lsched_ctx *ctx, reyes_i_memory *m, const void *from, size_t count, size_t element_bytes)
{
	lsched_status st = reyes_i_memory_reserve(ctx, m, count, element_bytes);

	if (st == LSCHED_OK && count)
		st = lsched_mem_write(ctx, m->list, from, count * element_bytes);
	return st;
}

lsched_status reyes_i_memory_write_frame(lsched_ctx *ctx,
	reyes_i_memory m[REYES_I_FRAME_ARRAY_COUNT], const reyes_i_frame *f,
	enum reyes_i_fresh fresh, reyes_i_view *v)
{
	lsched_status st = LSCHED_OK;

#define UPLOAD(type, name, moves)                                                             \
	if (st == LSCHED_OK &&                                                                \
		(fresh == REYES_I_FRESH_ALL || (fresh == REYES_I_FRESH_PLACES && (moves))))   \
		st = reyes_i_memory_write(ctx, m, f->name.list, f->name.count, sizeof(type)); \
	v->name = m++->list;
	REYES_I_FRAME_ARRAYS(UPLOAD)
#undef UPLOAD
	return st;
}
