/* Writing XML, SVG and HTML in pieces through a callback, with the user's text escaped. */
#ifndef APPS_COMMON_XML_H
#define APPS_COMMON_XML_H

#include <stddef.h>

/* Receives text in pieces; nonzero stops the writing. The same type as lsched_write_fn. */
typedef int (*xml_write_fn)(void *opaque, const char *text, size_t bytes);

/* Gathers what is put and hands it on in blocks. After a failure everything put is dropped. */
typedef struct xml_out {
	xml_write_fn write;
	void *opaque;
	int failed;
	size_t used;
	char block[4096];
} xml_out;

void xml_begin(xml_out *x, xml_write_fn write, void *opaque);
/* Hands on the rest. 0, or -1 when a piece of text was refused. */
int xml_end(xml_out *x);

/* Markup, as it is. */
void xml_put(xml_out *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
void xml_put_raw(xml_out *x, const char *text, size_t bytes);
/* Text of anybody between tags or inside "..." of an attribute: & < > " ' are escaped; what XML does not
 * allow (control characters, bytes that are no UTF-8) becomes a question mark. NULL is "". */
void xml_put_text(xml_out *x, const char *text);

/* A number as an axis or a table shows it: three or four significant digits, with k, M, G, T from
 * 10,000 up ("0.25", "1200", "12.5k", "8.5G"). Returns `text`. */
enum { XML_NUMBER_BYTES = 32 };
const char *xml_number(char text[XML_NUMBER_BYTES], double value);

/* A text that grows: give xml_buffer_write and the buffer to whatever writes; free `text` at the end.
 * Starts as zero bytes; `text` ends with a zero byte and is NULL before the first write. */
typedef struct xml_buffer {
	char *text;
	size_t bytes, capacity;
} xml_buffer;
int xml_buffer_write(void *buffer, const char *text, size_t bytes); /* nonzero: out of memory */
#endif
