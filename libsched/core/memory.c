/* Memory of the tasks: checks the arguments and calls the backend. */
#include "libsched/core/backend.h"

/* The largest block: differences of pointers into it still fit into ptrdiff_t. */
#define MAX_BYTES ((size_t)PTRDIFF_MAX - LSCHED_I_LINE)

lsched_status lsched_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes)
{
	if (out)
		*out = NULL;
	if (!ctx)
		return LSCHED_ERR_ARG;
	if (!out)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"memory of the tasks: out, the place for the address, is NULL");
	if (lsched_i_ctx_lost(ctx))
		return lsched_i_lost_error(ctx, NULL);
	if (bytes > MAX_BYTES)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_NOMEM, "out of memory: %zu bytes", bytes);
	return ctx->b->mem_alloc(ctx, out, bytes ? bytes : 1);
}

lsched_status lsched_mem_alloc_array(lsched_ctx *ctx, void **out, size_t count, size_t item_bytes)
{
	if (out)
		*out = NULL;
	if (!ctx)
		return LSCHED_ERR_ARG;
	if (item_bytes && count > MAX_BYTES / item_bytes)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
			"out of memory: %zu items of %zu bytes", count, item_bytes);
	return lsched_mem_alloc(ctx, out, count * item_bytes);
}

void lsched_mem_free(lsched_ctx *ctx, void *memory)
{
	if (!ctx || !memory)
		return;
	(void)lsched_i_ctx_lost(ctx);
	ctx->b->mem_free(ctx, memory);
}

/* Checks the arguments of a copy. Returns nonzero, with *st to return, if there is nothing to
 * do. */
static int nothing_to_do(
	lsched_ctx *ctx, const void *a, const void *b, size_t bytes, lsched_status *st)
{
	*st = LSCHED_OK;
	if (!ctx)
		*st = LSCHED_ERR_ARG;
	else if (lsched_i_ctx_lost(ctx))
		*st = lsched_i_lost_error(ctx, NULL);
	else if (bytes > MAX_BYTES)
		*st = lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"memory of the tasks: %zu bytes are more than a block can have", bytes);
	else if (bytes && (!a || !b))
		*st = lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"memory of the tasks: an address is NULL, for %zu bytes", bytes);
	return *st != LSCHED_OK || bytes == 0;
}

lsched_status lsched_mem_write(lsched_ctx *ctx, void *memory, const void *from, size_t bytes)
{
	lsched_status st;

	if (nothing_to_do(ctx, memory, from, bytes, &st))
		return st;
	return ctx->b->mem_write(ctx, memory, from, bytes);
}

lsched_status lsched_mem_read(lsched_ctx *ctx, void *to, const void *memory, size_t bytes)
{
	lsched_status st;

	if (nothing_to_do(ctx, to, memory, bytes, &st))
		return st;
	return ctx->b->mem_read(ctx, to, memory, bytes);
}

lsched_status lsched_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes)
{
	lsched_status st;

	if (nothing_to_do(ctx, memory, memory, bytes, &st))
		return st;
	return ctx->b->mem_zero(ctx, memory, bytes);
}
