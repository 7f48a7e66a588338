/* Error texts of each thread; structs that carry their size. */
#ifndef NQUEENS_CORE_ERROR_H
#define NQUEENS_CORE_ERROR_H

#include <nqueens/nqueens.h>

/* Sets nq_last_error() of this thread and returns the status. */
nq_status nq_i_fail(nq_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* lsched_i_sized_in() and lsched_i_sized_out() with error texts of this library. name:
 * struct type. */
nq_status nq_i_read_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from);
nq_status nq_i_write_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from);

#endif
