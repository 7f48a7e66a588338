/* Writes a report: one HTML page without other files. Facts of the measurement and a table of all
 * verdicts are followed by sections with pictures, a claim, its verdict and tables. The caller
 * computes all contents.
 *
 *	xml_buffer picture = { 0 };
 *	chart_write(&c, xml_buffer_write, &picture);
 *	const char *svgs[] = { picture.text };
 *	report_section s = { .heading = "Idle time", .source = "Tzeng et al. 2010, figure 6",
 *		.claim = "Stealing has 1/100 of the idle time of one queue.",
 *		.verdict = REPORT_HOLDS, .reason = "block 41.2 %, steal 0.3 %: 1/137",
 *		.svgs = svgs, .svg_count = 1 };
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
} report_table; /* cells with numbers are aligned to the right */

typedef struct report_section {
	const char *heading;
	const char *source;      /* paper and figure; NULL: none */
	const char *text;        /* the measurement; empty lines separate paragraphs; NULL: none */
	const char *const *svgs; /* <svg> elements, written unchanged; NULL entries are ignored */
	size_t svg_count;
	const report_table *tables;
	size_t table_count;
	const char *claim; /* one sentence; NULL: the section has no claim and no verdict */
	report_verdict verdict;
	const char *reason; /* the numbers that the verdict follows from; NULL: none */
	/* Reason why the claim does not hold; paragraphs as in text; NULL: none. */
	const char *explanation;
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

/* Writes the page. Returns 0, or -1 if `write` failed. All texts are UTF-8 and are escaped, except
 * the pictures. The page is well-formed XML, too, so that XML parsers can read it. */
int report_write(const report_page *page, xml_write_fn write, void *opaque);
#endif
