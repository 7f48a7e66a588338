/* Writes XML, SVG and HTML through a callback, and escapes texts. Libraries and programs write all
 * XML with it; host code. */
#ifndef LIBSCHED_CORE_XML_H
#define LIBSCHED_CORE_XML_H

#include <stddef.h>
#include <libsched/sched.h>

/* A buffered writer. After a failure all further text is ignored. */
typedef struct lsched_i_xml {
	lsched_write_fn write;
	void *opaque;
	int failed;
	size_t used;
	char block[4096];
} lsched_i_xml;

void lsched_i_xml_begin(lsched_i_xml *x, lsched_write_fn write, void *opaque);
/* Writes the rest of the buffer. Returns 0, or -1 if a write has failed. */
int lsched_i_xml_end(lsched_i_xml *x);

/* Write markup without changes. */
void lsched_i_xml_put(lsched_i_xml *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void lsched_i_xml_put_raw(lsched_i_xml *x, const char *text, size_t bytes);
/* Writes text between tags or in an attribute value "...": escapes & < > " ' and replaces
 * characters that XML does not allow (control characters, invalid UTF-8) by question marks. NULL is
 * "". */
void lsched_i_xml_put_text(lsched_i_xml *x, const char *text);

#endif
