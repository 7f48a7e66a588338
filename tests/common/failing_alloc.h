/* Allocations that fail where the suite decides it: the linker redirects malloc, calloc and realloc
 * to these functions (GNU ld and lld: --wrap). */
#ifndef TESTS_COMMON_FAILING_ALLOC_H
#define TESTS_COMMON_FAILING_ALLOC_H

#include <stddef.h>

/* Defined by the suite: returns nonzero if this allocation fails. */
static int fails_now(void);

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
	return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return fails_now() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
	return fails_now() ? NULL : __real_realloc(p, bytes);
}

#endif
