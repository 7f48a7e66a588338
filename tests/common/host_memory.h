/* Memory of the tasks on the host, for suites that call these functions through pointers. */
#ifndef TESTS_COMMON_HOST_MEMORY_H
#define TESTS_COMMON_HOST_MEMORY_H

#include <stdlib.h>
#include <string.h>

static inline void *host_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

static inline void host_zero(void *p, size_t bytes)
{
	memset(p, 0, bytes);
}

static inline void host_read(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

#endif
