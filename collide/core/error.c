#include "collide/core/error.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "libsched/core/sized.h"

enum { TEXT_BYTES = 512 };

static _Thread_local char last_error[TEXT_BYTES];

const char *collide_last_error(void)
{
	return last_error;
}

const char *collide_strstatus(collide_status status)
{
	switch (status) {
#define COLLIDE_X(name, number, text) \
	case COLLIDE_##name:          \
		return text;
		COLLIDE_STATUSES(COLLIDE_X)
#undef COLLIDE_X
	}
	return "unknown status";
}

collide_status collide_i_fail(collide_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	return status;
}

collide_status collide_i_no_memory(const char *what, uint64_t bytes)
{
	return collide_i_fail(COLLIDE_ERR_NOMEM,
		"out of memory: %" PRIu64 " bytes of host memory for %s; a smaller mesh takes less",
		bytes, what);
}

collide_status collide_i_sched_fail(lsched_status st, const char *message)
{
	collide_status status;

	switch (st) {
	case LSCHED_ERR_NOMEM:
		status = COLLIDE_ERR_NOMEM;
		break;
	case LSCHED_ERR_UNSUPPORTED:
		status = COLLIDE_ERR_UNSUPPORTED;
		break;
	case LSCHED_ERR_NO_DEVICE:
		status = COLLIDE_ERR_NO_DEVICE;
		break;
	case LSCHED_ERR_DEVICE:
		status = COLLIDE_ERR_DEVICE;
		break;
	default:
		status = COLLIDE_ERR_SCHED;
	}
	return collide_i_fail(status, "%s", message && *message ? message : lsched_strstatus(st));
}

static collide_status sized(const char *name, const char *why)
{
	return why ? collide_i_fail(COLLIDE_ERR_ARG, "%s %s", name, why) : COLLIDE_OK;
}

collide_status collide_i_read_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from)
{
	return sized(name, lsched_i_sized_in(to, known_bytes, least_bytes, from));
}

collide_status collide_i_write_sized(
	const char *name, void *to, size_t known_bytes, size_t least_bytes, const void *from)
{
	return sized(name, lsched_i_sized_out(to, known_bytes, least_bytes, from));
}
