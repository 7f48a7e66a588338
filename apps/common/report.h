/* A report: one HTML page that needs no other file. It opens with what was measured where and a table
 * of all verdicts; then each section has a picture, a table of numbers, a claim and whether it holds.
 * The caller computes everything; this is only the writer.
 *
 *	xml_buffer picture = { 0 };
 *	chart_write(&c, xml_buffer_write, &picture);
 *	const char *svgs[] = { picture.text };
 *	report_section s = { .heading = "Idle time", .source = "Tzeng et al. 2010, figure 6",
 *		.claim = "Stealing idles 100 times less than one queue.", .verdict = REPORT_HOLDS,
 *		.reason = "block 41.2 %, steal 0.3 %: 137 times less", .svgs = svgs, .svg_count = 1 };
 *	report_page page = { .title = "...", .sections = &s, .section_count = 1 };
 *	report_write(&page, write, opaque);
 */
#ifndef APPS_COMMON_REPORT_H
#define APPS_COMMON_REPORT_H

#include <stddef.h>
#include "apps/common/xml.h"

typedef enum report_verdict {
	REPORT_NOT_MEASURED,
	REPORT_HOLDS,
	REPORT_DOES_NOT_HOLD
} report_verdict;

/* "holds", "does not hold", "not measured". */
const char *report_verdict_name(report_verdict v);

typedef struct report_table {
	const char *caption;        /* NULL: none */
	const char *const *columns; /* column_count headings */
	size_t column_count;
	const char *const *cells; /* row_count x column_count, row by row; NULL is an empty cell */
	size_t row_count;
} report_table; /* a cell that reads as a number is set to the right */

typedef struct report_section {
	const char *heading;
	const char *source; /* paper and figure; NULL: none */
	const char *
		text; /* what was run and how to read it; empty lines part paragraphs; NULL: none */
	const char *const
		*svgs; /* whole <svg> elements, put in as they are; NULL ones are left out */
	size_t svg_count;
	const report_table *tables;
	size_t table_count;
	const char *claim; /* one sentence; NULL: the section has no claim and no verdict */
	report_verdict verdict;
	const char *reason; /* the figures that the verdict was computed from; NULL: none */
	const char *
		explanation; /* why, where a claim no longer holds; paragraphs as in text; NULL: none */
} report_section;

typedef struct report_fact {
	const char *name, *value; /* "device", "NVIDIA H200" */
} report_fact;

typedef struct report_page {
	const char *title;
	const char *intro; /* paragraphs as above; NULL: none */
	const report_fact *facts;
	size_t fact_count;
	const report_section *sections;
	size_t section_count;
} report_page;

/* 0, or -1 when `write` refused. All text is UTF-8 and is escaped, the pictures apart. The page is
 * well-formed XML too, so that it can be checked and taken apart by any XML reader. */
int report_write(const report_page *page, xml_write_fn write, void *opaque);
#endif
