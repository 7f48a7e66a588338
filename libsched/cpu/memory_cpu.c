/* Memory of the CPU backend: host memory, aligned to LSCHED_I_LINE bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/cpu/pool.h"

/* calloc leaves large memory to the kernel, which zeroes a page at its first use: much of a queue's
 * or a renderer's memory is never used, and the threads share the rest. posix_memalign would need a
 * memset. The word before the result is calloc's. */
void *lsched_i_cpu_alloc_zeroed(size_t bytes)
{
	const size_t more = sizeof(void *) + LSCHED_I_LINE;
	char *raw = bytes > SIZE_MAX - more ? NULL : (char *)calloc(1, bytes + more);
	void **m;

	if (!raw)
		return NULL;
	m = (void **)(raw + more - (uintptr_t)(raw + sizeof(void *)) % LSCHED_I_LINE);
	m[-1] = raw;
	return m;
}

void lsched_i_cpu_free_zeroed(void *memory)
{
	if (memory)
		free(((void **)memory)[-1]);
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
		lsched_i_cpu_free_zeroed(memory);
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
