/* XML, SVG and HTML of the programs: libsched's writer, numbers, and texts in memory. */
#ifndef APPS_COMMON_XML_H
#define APPS_COMMON_XML_H

#include "libsched/core/xml.h"

typedef lsched_i_xml xml_out;
typedef lsched_write_fn xml_write_fn;
#define xml_begin    lsched_i_xml_begin
#define xml_end      lsched_i_xml_end
#define xml_put      lsched_i_xml_put
#define xml_put_raw  lsched_i_xml_put_raw
#define xml_put_text lsched_i_xml_put_text

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
