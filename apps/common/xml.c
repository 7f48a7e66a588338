#include "apps/common/xml.h"

#include "libsched/core/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xml_begin(xml_out *x, xml_write_fn write, void *opaque)
{
	x->write = write;
	x->opaque = opaque;
	x->failed = 0;
	x->used = 0;
}

static void write_out(xml_out *x, const char *text, size_t bytes)
{
	if (bytes && !x->failed && x->write(x->opaque, text, bytes))
		x->failed = 1;
}

int xml_end(xml_out *x)
{
	write_out(x, x->block, x->used);
	x->used = 0;
	return x->failed ? -1 : 0;
}

void xml_put_raw(xml_out *x, const char *text, size_t bytes)
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

void xml_put(xml_out *x, const char *format, ...)
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
		xml_put_raw(x, text, (size_t)n);
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

void xml_put_text(xml_out *x, const char *text)
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
			xml_put_raw(x, instead, strlen(instead));
		else
			xml_put_raw(x, s, n);
		s += n ? n : 1;
	}
}

const char *xml_number(char text[XML_NUMBER_BYTES], double value)
{
	static const char units[] = " kMGT";
	size_t unit = 0;

	if (!isfinite(value)) {
		snprintf(text, XML_NUMBER_BYTES, "%s",
			isnan(value) ? "-"
			: value > 0  ? "infinite"
				     : "-infinite");
		return text;
	}
	if (fabs(value) >= 9999.5) { /* %.4g would round larger values to five digits */
		do {
			value /= 1000;
			unit++;
		} while (fabs(value) >= 999.5 && unit < 4);
		snprintf(text, XML_NUMBER_BYTES, fabs(value) < 999.5 ? "%.3g%c" : "%.0f%c", value,
			units[unit]);
	} else if (fabs(value) >= 999.5) {
		snprintf(text, XML_NUMBER_BYTES, "%.0f", value);
	} else {
		snprintf(text, XML_NUMBER_BYTES, "%.3g", value);
	}
	return text;
}

int xml_buffer_write(void *buffer, const char *text, size_t bytes)
{
	xml_buffer *b = (xml_buffer *)buffer;

	if (b->bytes + bytes + 1 > b->capacity) {
		const size_t capacity = 2 * (b->bytes + bytes) + 1;
		char *more = (char *)realloc(b->text, capacity);

		if (!more)
			return -1;
		b->text = more;
		b->capacity = capacity;
	}
	memcpy(b->text + b->bytes, text, bytes);
	b->bytes += bytes;
	b->text[b->bytes] = '\0';
	return 0;
}
