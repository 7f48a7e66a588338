/* libtiff's input and output functions on memory. */
#define _GNU_SOURCE /* strcasestr */
#include <config.h>
#include "reyes/image/tiff_memory.h"
#include "reyes/image/picture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Largest allocation of libtiff: a file cannot request more than the largest picture. */
enum { ALLOCATION_BYTES_MAX = 1 << 30 };

const reyes_i_tiff_text reyes_i_tiff_texts[REYES_I_TIFF_TEXTS] = {
	{ TIFFTAG_SOFTWARE, REYES_I_META_SOFTWARE },
	{ TIFFTAG_PIXAR_WRAPMODES, REYES_I_META_WRAP },
	{ TIFFTAG_PIXAR_TEXTUREFORMAT, REYES_I_META_TEXTURE },
};

static tmsize_t read_bytes(thandle_t handle, void *out, tmsize_t n)
{
	reyes_i_tiff_memory *m = handle;
	const uint8_t *data = m->out ? m->out->data : m->data;
	const size_t count = m->out ? m->out->count : m->count;
	size_t got = m->at < count ? count - (size_t)m->at : 0;

	if (n < 0)
		return -1;
	if (got > (size_t)n)
		got = (size_t)n;
	if (got)
		memcpy(out, data + m->at, got);
	m->at += got;
	return (tmsize_t)got;
}

static tmsize_t write_bytes(thandle_t handle, void *data, tmsize_t n)
{
	reyes_i_tiff_memory *m = handle;

	if (n < 0 || !m->out || !reyes_i_bytes_write(m->out, m->at, data, (size_t)n)) {
		reyes_i_note_fail(m->note, REYES_ERR_NOMEM, "out of memory");
		return -1;
	}
	m->at += (uint64_t)n;
	return n;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
	reyes_i_tiff_memory *m = handle;

	if (whence == SEEK_CUR)
		m->at += offset;
	else if (whence == SEEK_END)
		m->at = (m->out ? m->out->count : m->count) + offset;
	else
		m->at = offset;
	return m->at;
}

static toff_t size(thandle_t handle)
{
	const reyes_i_tiff_memory *m = handle;

	return m->out ? m->out->count : m->count;
}

static int close_nothing(thandle_t handle)
{
	(void)handle;
	return 0;
}

/* libtiff has no status for it; "Insertion" is that into a table. "exceeds" is the limit of an
 * allocation, by a damaged file. */
static int is_about_memory(const char *text)
{
	return (strcasestr(text, "memory") || strstr(text, "alloc") || strstr(text, "No space") ||
		       strstr(text, "Insertion")) &&
	       !strstr(text, "exceeds");
}

reyes_status reyes_i_tiff_status(const reyes_i_tiff_memory *m, reyes_status s)
{
	return m->no_memory ? reyes_i_note_fail(m->note, REYES_ERR_NOMEM, "out of memory") : s;
}

__attribute__((format(printf, 4, 0))) static int on_error(
	TIFF *tiff, void *user, const char *module, const char *format, va_list list)
{
	reyes_i_tiff_memory *m = user;
	char text[300];

	(void)tiff;
	(void)module;
	vsnprintf(text, sizeof(text), format, list);
	m->no_memory |= is_about_memory(text);
	reyes_i_note_fail(m->note, REYES_ERR_FILE, "libtiff: %s", text);
	return 1; /* handled */
}

__attribute__((format(printf, 4, 0))) static int on_warning(
	TIFF *tiff, void *user, const char *module, const char *format, va_list list)
{
	reyes_i_tiff_memory *m = user;
	char text[300];

	(void)tiff;
	(void)module;
	vsnprintf(text, sizeof(text), format, list);
	m->no_memory |= is_about_memory(text);
	return 1;
}

TIFF *reyes_i_tiff_open(reyes_i_tiff_memory *m)
{
	TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
	TIFF *tiff = NULL;

	m->no_memory = !o;
	if (o) {
		TIFFOpenOptionsSetErrorHandlerExtR(o, on_error, m);
		TIFFOpenOptionsSetWarningHandlerExtR(o, on_warning, m);
		TIFFOpenOptionsSetMaxSingleMemAlloc(o, ALLOCATION_BYTES_MAX);
		/* m: no mapping of memory */
		tiff = TIFFClientOpenExt("memory", m->out ? "w" : "rm", m, read_bytes, write_bytes,
			seek, close_nothing, size, NULL, NULL, o);
		TIFFOpenOptionsFree(o);
	}
	if (!tiff)
		reyes_i_note_fail(m->note, REYES_ERR_FILE, "libtiff cannot open the file");
	return tiff;
}
