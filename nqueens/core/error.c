#include "nqueens/core/error.h"
#include <stdarg.h>
#include <stdio.h>
#include "libsched/core/sized.h"

enum { TEXT_BYTES = 256 };

static _Thread_local char last_error[TEXT_BYTES];

const char *nq_last_error(void)
{
	return last_error;
}

nq_status nq_i_fail(nq_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	return status;
}

static nq_status sized(const char *name, const char *why)
{
	return why ? nq_i_fail(NQ_ERR_ARG, "%s %s", name, why) : NQ_OK;
}

nq_status nq_i_read_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from)
{
	return sized(name, lsched_i_sized_in(to, known_bytes, least_bytes, from));
}

nq_status nq_i_write_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from)
{
	return sized(name, lsched_i_sized_out(to, known_bytes, least_bytes, from));
}
