/* Calls of the sink: position and errors. */
#include "h264intra/mp4/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

h264i_status h264i_i_mp4_fail(h264i_mp4 *m, h264i_status s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(m->error, sizeof(m->error), format, args);
	va_end(args);
	if (s == H264I_ERR_IO || s == H264I_ERR_NOMEM)
		m->failed = s;
	return s;
}

h264i_status h264i_i_mp4_no_memory(h264i_mp4 *m)
{
	return h264i_i_mp4_fail(m, H264I_ERR_NOMEM, "out of memory");
}

h264i_status h264i_i_mp4_begin_call(h264i_mp4 *m, const char *call)
{
	if (!m)
		return H264I_ERR_ARG;
	if (m->failed != H264I_OK)
		return m->failed;
	m->error[0] = '\0';
	if (m->finished)
		return h264i_i_mp4_fail(m, H264I_ERR_STATE, "%s after h264i_mp4_finish", call);
	return H264I_OK;
}

/* Turns the result of a function of the sink into a status. */
static h264i_status result(h264i_mp4 *m, int error, const char *what, size_t bytes, uint64_t offset)
{
	if (!error)
		return H264I_OK;
	return h264i_i_mp4_fail(m, H264I_ERR_IO,
		"cannot %s %zu bytes at offset %" PRIu64 " of the file: %s", what, bytes, offset,
		error > 0 ? strerror(error) : "the sink reported an error");
}

h264i_status h264i_i_mp4_append(h264i_mp4 *m, const void *data, size_t bytes)
{
	const uint64_t at = m->position;

	m->position += bytes;
	return result(m, m->sink.write(m->sink.opaque, data, bytes), "write", bytes, at);
}

h264i_status h264i_i_mp4_overwrite(h264i_mp4 *m, uint64_t offset, const void *data, size_t bytes)
{
	return result(
		m, m->sink.pwrite(m->sink.opaque, offset, data, bytes), "write", bytes, offset);
}

h264i_status h264i_i_mp4_read(h264i_mp4 *m, uint64_t offset, void *data, size_t bytes)
{
	return result(m, m->sink.read(m->sink.opaque, offset, data, bytes), "read", bytes, offset);
}

h264i_status h264i_i_mp4_truncate(h264i_mp4 *m, uint64_t bytes)
{
	const uint64_t from = m->position;

	if (!m->sink.truncate)
		return H264I_OK;
	m->position = bytes;
	return result(m, m->sink.truncate(m->sink.opaque, bytes), "remove", (size_t)(from - bytes),
		bytes);
}

h264i_status h264i_i_mp4_flush(h264i_mp4 *m)
{
	return result(
		m, m->sink.flush ? m->sink.flush(m->sink.opaque) : 0, "flush", 0, m->position);
}
