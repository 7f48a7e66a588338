/* Error texts of each thread; structs that carry their size. */
#ifndef COLLIDE_CORE_ERROR_H
#define COLLIDE_CORE_ERROR_H

#include <collide/collide.h>
#include <libsched/sched.h>

/* Sets collide_last_error() of this thread and returns the status. */
collide_status collide_i_fail(collide_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, ERR_NOMEM: `bytes` of host memory for `what`. */
collide_status collide_i_no_memory(const char *what, uint64_t bytes);

/* The same for an error of libsched; NULL or "" as message: the text of the status. */
collide_status collide_i_sched_fail(lsched_status st, const char *message);

/* lsched_i_sized_in() and lsched_i_sized_out() with error texts of this library. name: struct type.
 */
collide_status collide_i_read_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from);
collide_status collide_i_write_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from);

#endif
