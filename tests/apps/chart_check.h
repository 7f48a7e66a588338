/* Checks that the suites of charts and of reports share. */
#ifndef TESTS_APPS_CHART_CHECK_H
#define TESTS_APPS_CHART_CHECK_H

#include <stdio.h>
#include "apps/common/chart.h"
#include "tests/apps/xml_check.h"
#include "tests/common/testmain.h"
#include "tests/common/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void expect_xml(const char *text)
{
	const char *wrong = text ? xml_check(text) : "no text";

	CU_ASSERT_PTR_NULL(wrong);
	if (wrong)
		printf("not XML: %.80s\n", wrong);
}

/* Returns the text of a chart; the caller frees it. */
static inline char *draw(const chart *c)
{
	xml_buffer b = { NULL, 0, 0 };

	CU_ASSERT_EQUAL(chart_write(c, xml_buffer_write, &b), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b.text);
	expect_xml(b.text);
	return b.text;
}

#endif
