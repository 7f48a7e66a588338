/* Writes XML, SVG and HTML through a callback, and escapes texts. */
#ifndef APPS_COMMON_XML_H
#define APPS_COMMON_XML_H

#include <stddef.h>

/* Receives a piece of text; returns nonzero to stop writing. The same type as lsched_write_fn. */
typedef int (*xml_write_fn)(void *opaque, const char *text, size_t bytes);

/* A buffered writer. After a failure all further text is ignored. */
typedef struct xml_out {
	xml_write_fn write;
	void *opaque;
	int failed;
	size_t used;
	char block[4096];
} xml_out;

void xml_begin(xml_out *x, xml_write_fn write, void *opaque);
/* Writes the rest of the buffer. Returns 0, or -1 if a write has failed. */
int xml_end(xml_out *x);

/* Write markup without changes. */
void xml_put(xml_out *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
void xml_put_raw(xml_out *x, const char *text, size_t bytes);
/* Writes text between tags or in an attribute value "...": escapes & < > " ' and replaces
 * characters that XML does not allow (control characters, invalid UTF-8) by question marks. NULL is
 * "". */
void xml_put_text(xml_out *x, const char *text);

/* Formats a number for an axis or a table: three or four significant digits, with k, M, G or T from
 * 10,000 on ("0.25", "1200", "12.5k", "8.5G"). Returns `text`. */
enum { XML_NUMBER_BYTES = 32 };
const char *xml_number(char text[XML_NUMBER_BYTES], double value);

/* A growing text: pass xml_buffer_write and the buffer to a writer, and free `text` at the end. It
 * is initialised with zeros; `text` is zero-terminated, and NULL before the first write. */
typedef struct xml_buffer {
	char *text;
	size_t bytes, capacity;
} xml_buffer;
/* Returns nonzero without memory. */
int xml_buffer_write(void *buffer, const char *text, size_t bytes);
#endif
