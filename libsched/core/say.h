/* Messages in buffers of callers. */
#ifndef LIBSCHED_CORE_SAY_H
#define LIBSCHED_CORE_SAY_H

#include <stdarg.h>
#include <stdio.h>

/* Writes a message; msg may be NULL. Returns `status`, so that a refusal is one statement. */
__attribute__((format(printf, 4, 5))) static inline int lsched_i_say(
	int status, char *msg, size_t msg_bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (msg && msg_bytes)
		(void)vsnprintf(msg, msg_bytes, format, args);
	va_end(args);
	return status;
}

#endif
