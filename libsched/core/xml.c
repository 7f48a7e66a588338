#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "libsched/core/utf8.h"
#include "libsched/core/xml.h"

void lsched_i_xml_begin(lsched_i_xml *x, lsched_write_fn write, void *opaque)
{
	x->write = write;
	x->opaque = opaque;
	x->failed = 0;
	x->used = 0;
}

static void write_out(lsched_i_xml *x, const char *text, size_t bytes)
{
	if (bytes && !x->failed && x->write(x->opaque, text, bytes))
		x->failed = 1;
}

int lsched_i_xml_end(lsched_i_xml *x)
{
	write_out(x, x->block, x->used);
	x->used = 0;
	return x->failed ? -1 : 0;
}

void lsched_i_xml_put_raw(lsched_i_xml *x, const char *text, size_t bytes)
{
	if (x->used + bytes > sizeof(x->block)) {
		write_out(x, x->block, x->used);
		x->used = 0;
	}
	if (bytes > sizeof(x->block)) {
		write_out(x, text, bytes);
		return;
	}
	memcpy(x->block + x->used, text, bytes);
	x->used += bytes;
}

void lsched_i_xml_put(lsched_i_xml *x, const char *format, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text))
		x->failed = 1; /* a truncated element is not well-formed */
	else
		lsched_i_xml_put_raw(x, text, (size_t)n);
}

/* Returns the number of bytes of the character at s, 0 if XML 1.0 (section 2.2) does not allow
 * it. */
static size_t character_bytes(const char *s)
{
	unsigned code;
	const size_t n = lsched_i_utf8_bytes(s, &code);

	if (code < 0x20)
		return code == '\t' || code == '\n';
	return (code & 0xfffe) == 0xfffe ? 0 : n;
}

void lsched_i_xml_put_text(lsched_i_xml *x, const char *text)
{
	const char *s = text;

	while (s && *s) {
		const size_t n = character_bytes(s);
		const char *instead = n == 0       ? "?"
				      : *s == '&'  ? "&amp;"
				      : *s == '<'  ? "&lt;"
				      : *s == '>'  ? "&gt;"
				      : *s == '"'  ? "&quot;"
				      : *s == '\'' ? "&#39;"
						   : NULL;

		if (instead)
			lsched_i_xml_put_raw(x, instead, strlen(instead));
		else
			lsched_i_xml_put_raw(x, s, n);
		s += n ? n : 1;
	}
}
