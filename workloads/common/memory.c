#include "workloads/common/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a work. */
typedef struct wl_block {
	struct wl_block *next;
	void *memory;
	int of_tasks;
} wl_block;

int wl_host_has(uint64_t bytes)
{
	enum { FEW_BYTES = 1 << 26 }; /* not worth reading a file */
	FILE *f = bytes > FEW_BYTES ? fopen("/proc/meminfo", "r") : NULL;
	uint64_t available_kb = UINT64_MAX;
	char line[128];

	while (f && fgets(line, sizeof(line), f) &&
		sscanf(line, "MemAvailable: %" SCNu64, &available_kb) != 1)
		continue;
	if (f)
		fclose(f);
	return bytes / 1024 <= available_kb;
}

int wl_no_memory(size_t bytes, char *msg, size_t n)
{
	return wl_fail(msg, n, "out of memory: %.1f MB of host memory; a smaller input takes less",
		(double)bytes * 1e-6);
}

void *wl_host_alloc(size_t bytes, char *msg, size_t n)
{
	void *memory = wl_host_has(bytes) ? calloc(1, bytes ? bytes : 1) : NULL;

	if (!memory)
		wl_no_memory(bytes, msg, n);
	return memory;
}

static void release(wl_device *d, wl_block **at)
{
	wl_block *b = *at;

	*at = b->next;
	if (b->of_tasks)
		lsched_mem_free(d->ctx, b->memory);
	else
		free(b->memory);
	free(b);
}

/* Adds memory, unless it is NULL, to that of the work. */
static void *own(wl_device *d, void *memory, int of_tasks, char *msg, size_t n)
{
	wl_block *b = memory ? wl_host_alloc(sizeof(*b), msg, n) : NULL;

	if (b) {
		*b = (wl_block){ d->blocks, memory, of_tasks };
		d->blocks = b;
	} else if (of_tasks) {
		lsched_mem_free(d->ctx, memory);
	} else {
		free(memory);
	}
	return b ? memory : NULL;
}

void *wl_own(wl_device *d, size_t bytes, char *msg, size_t n)
{
	return own(d, wl_host_alloc(bytes, msg, n), 0, msg, n);
}

int wl_cannot_allocate(const wl_device *d, lsched_status st, const char *what, char *msg, size_t n)
{
	return wl_fail(msg, n, "cannot allocate %s: %s%s", what, lsched_last_error(d->ctx),
		st == LSCHED_ERR_NOMEM ? "; a smaller input takes less" : "");
}

void *wl_alloc(wl_device *d, size_t bytes, char *msg, size_t n)
{
	char what[64];
	void *memory;
	lsched_status st;

	if (!wl_is_cuda(d) && !wl_host_has(bytes)) {
		wl_no_memory(bytes, msg, n);
		return NULL;
	}
	st = lsched_mem_alloc(d->ctx, &memory, bytes ? bytes : 1);

	if (st == LSCHED_OK)
		return own(d, memory, 1, msg, n);
	snprintf(what, sizeof(what), "%.1f MB for the tasks", (double)bytes * 1e-6);
	(void)wl_cannot_allocate(d, st, what, msg, n);
	return NULL;
}

void wl_free(wl_device *d, void *memory)
{
	for (wl_block **b = &d->blocks; memory && *b; b = &(*b)->next)
		if ((*b)->memory == memory) {
			release(d, b);
			return;
		}
}

void wl_destroy(const wl_type *type, wl_work *w, wl_device *d)
{
	if (type->destroy)
		type->destroy(w, d);
	while (d->blocks)
		release(d, &d->blocks);
	memset(w, 0, sizeof(*w));
}

int wl_zero(wl_device *d, void *memory, size_t bytes, char *msg, size_t n)
{
	const size_t piece = (size_t)64 << 20; /* new memory of a CPU: about 50 ms */

	for (size_t from = 0; from < bytes; from += piece) {
		const size_t length = bytes - from < piece ? bytes - from : piece;

		if (wl_stopped(d))
			return wl_fail(msg, n, "a signal stopped the clearing of memory");
		if (lsched_mem_zero(d->ctx, (char *)memory + from, length) != LSCHED_OK)
			return wl_fail(msg, n, "cannot clear the memory of the tasks: %s",
				lsched_last_error(d->ctx));
	}
	return 0;
}

int wl_read(wl_device *d, void *to, const void *memory, size_t bytes, char *msg, size_t n)
{
	if (lsched_mem_read(d->ctx, to, memory, bytes) == LSCHED_OK)
		return 0;
	return wl_fail(
		msg, n, "cannot read the results of the tasks: %s", lsched_last_error(d->ctx));
}

int wl_write(wl_device *d, void *memory, const void *from, size_t bytes, char *msg, size_t n)
{
	if (lsched_mem_write(d->ctx, memory, from, bytes) == LSCHED_OK)
		return 0;
	return wl_fail(msg, n, "cannot copy the input to the memory of the tasks: %s",
		lsched_last_error(d->ctx));
}

void *wl_upload(wl_device *d, const void *from, size_t bytes, char *msg, size_t n)
{
	void *to = wl_alloc(d, bytes, msg, n);

	return to && bytes && wl_write(d, to, from, bytes, msg, n) ? NULL : to;
}

void *wl_host_copy(wl_device *d, const void *memory, size_t bytes, char *msg, size_t n)
{
	void *copy = wl_host_alloc(bytes, msg, n);

	if (copy && wl_read(d, copy, memory, bytes, msg, n)) {
		free(copy);
		return NULL;
	}
	return copy;
}

int wl_check_workers(const wl_device *d, uint32_t workers, char *msg, size_t n)
{
	if (workers <= d->max_workers)
		return 0;
	return wl_fail(msg, n,
		"%" PRIu32 " workers are more than the %" PRIu32
		" that there is memory for; set a smaller number with --workers",
		workers, d->max_workers);
}
