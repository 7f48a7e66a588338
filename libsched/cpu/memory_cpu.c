/* Memory of the CPU backend: host memory, aligned to LSCHED_I_LINE bytes. */
#include <stdlib.h>
#include <string.h>
#include "libsched/cpu/pool.h"

void *lsched_i_cpu_alloc_zeroed(size_t bytes)
{
	void *m = NULL;

	if (posix_memalign(&m, LSCHED_I_LINE, bytes ? bytes : 1))
		return NULL;
	memset(m, 0, bytes);
	return m;
}

lsched_status lsched_i_cpu_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes)
{
	*out = lsched_i_cpu_alloc_zeroed(bytes);
	if (!*out)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_NOMEM, "out of memory: %zu bytes", bytes);
	return LSCHED_OK;
}

/* In a lost context a task that does not return may still access the memory, so it is freed with
 * the pool. */
void lsched_i_cpu_mem_free(lsched_ctx *ctx, void *memory)
{
	cpu_pool *p = pool_of(ctx);
	cpu_deferred_free *d;

	if (!p->lost) {
		free(memory);
		return;
	}
	d = (cpu_deferred_free *)malloc(sizeof(*d));
	if (!d)
		return; /* no memory for the record: a leak is better than a use after free */
	d->memory = memory;
	d->next = p->deferred;
	p->deferred = d;
}

lsched_status lsched_i_cpu_mem_copy(lsched_ctx *ctx, void *to, const void *from, size_t bytes)
{
	(void)ctx;
	memmove(to, from, bytes);
	return LSCHED_OK;
}

lsched_status lsched_i_cpu_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes)
{
	(void)ctx;
	memset(memory, 0, bytes);
	return LSCHED_OK;
}
