#include "apps/gsched/load_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void *host_alloc(size_t bytes, char *msg, size_t msg_bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory)
		snprintf(msg, msg_bytes, "out of memory");
	return memory;
}

void *host_copy(gs_device *d, const void *memory, size_t bytes, char *msg, size_t msg_bytes)
{
	void *copy = host_alloc(bytes, msg, msg_bytes);

	if (copy && device_read(d, copy, memory, bytes)) {
		snprintf(msg, msg_bytes, "cannot read the results of the tasks: %s",
			lsched_last_error(d->ctx));
		free(copy);
		return NULL;
	}
	return copy;
}

int host_clear(gs_device *d, void *memory, size_t bytes, char *msg, size_t msg_bytes)
{
	if (device_zero(d, memory, bytes) == 0)
		return 0;
	snprintf(msg, msg_bytes, "cannot clear the memory of the tasks: %s",
		lsched_last_error(d->ctx));
	return -1;
}

int host_check_workers(const gs_device *d, uint32_t workers, char *msg, size_t msg_bytes)
{
	if (workers <= d->max_workers)
		return 0;
	snprintf(msg, msg_bytes,
		"%" PRIu32 " workers are more than the %" PRIu32
		" that there is memory for; set a smaller number with --workers",
		workers, d->max_workers);
	return -1;
}

load_length host_length(const gs_options *o, uint32_t seed)
{
	const load_length length = { .law = (uint32_t)o->law, .steps = o->work, .seed = seed };

	return length;
}
