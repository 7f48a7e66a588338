/* Memory of the tasks: argument checks in front of the executors. */
#include <string.h>
#include "libsched/core/backend.h"

/* The most bytes of a block: differences of pointers into it still fit. */
#define MOST_BYTES ((size_t)PTRDIFF_MAX - SCHED__LINE)

sched_status sched_mem_alloc(sched_ctx *ctx, void **out, size_t bytes)
{
	if (out)
		*out = NULL;
	if (!ctx)
		return SCHED_ERR_ARG;
	if (!out)
		return sched__error(ctx, NULL, SCHED_ERR_ARG, "no place for the memory's address");
	if (ctx->lost)
		return sched__refuse(ctx, NULL);
	if (bytes > MOST_BYTES)
		return sched__error(ctx, NULL, SCHED_ERR_NOMEM, "out of memory: %zu bytes", bytes);
	return ctx->b->mem_alloc(ctx, out, bytes ? bytes : 1);
}

sched_status sched_mem_alloc_array(sched_ctx *ctx, void **out, size_t count, size_t item_bytes)
{
	if (out)
		*out = NULL;
	if (!ctx)
		return SCHED_ERR_ARG;
	if (item_bytes && count > MOST_BYTES / item_bytes)
		return sched__error(ctx, NULL, SCHED_ERR_NOMEM,
			"out of memory: %zu items of %zu bytes", count, item_bytes);
	return sched_mem_alloc(ctx, out, count * item_bytes);
}

void sched_mem_free(sched_ctx *ctx, void *memory)
{
	if (ctx && memory)
		ctx->b->mem_free(ctx, memory);
}

/* Nonzero, with *st, when there is nothing to be done. */
static int over(sched_ctx *ctx, const void *a, const void *b, size_t bytes, sched_status *st)
{
	*st = SCHED_OK;
	if (!ctx)
		*st = SCHED_ERR_ARG;
	else if (ctx->lost)
		*st = sched__refuse(ctx, NULL);
	else if (bytes > MOST_BYTES || (bytes && (!a || !b)))
		*st = sched__error(
			ctx, NULL, SCHED_ERR_ARG, "no memory, or %zu bytes of it", bytes);
	return *st != SCHED_OK || bytes == 0;
}

sched_status sched_mem_write(sched_ctx *ctx, void *memory, const void *from, size_t bytes)
{
	sched_status st;

	if (over(ctx, memory, from, bytes, &st))
		return st;
	return ctx->b->mem_write(ctx, memory, from, bytes);
}

sched_status sched_mem_read(sched_ctx *ctx, void *to, const void *memory, size_t bytes)
{
	sched_status st;

	if (over(ctx, to, memory, bytes, &st))
		return st;
	return ctx->b->mem_read(ctx, to, memory, bytes);
}

sched_status sched_mem_zero(sched_ctx *ctx, void *memory, size_t bytes)
{
	sched_status st;

	if (over(ctx, memory, memory, bytes, &st))
		return st;
	return ctx->b->mem_zero(ctx, memory, bytes);
}
