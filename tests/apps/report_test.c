/* Whole pictures and reports: texts are escaped, any values are drawn, a report is one page. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps/common/report.h"
#include "tests/apps/chart_check.h"
#include "tests/common/rng.h"

/* python3 or xmllint parses the text, too, if one is installed. */
static void expect_parsed(const char *text, const char *root)
{
	char name[] = "/tmp/report_test_XXXXXX", command[512];
	const int fd = mkstemp(name);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_TRUE(fputs(text, f) >= 0 && fclose(f) == 0);
	if (system("python3 -c 'import xml.etree' 2>/dev/null") == 0)
		snprintf(command, sizeof(command),
			"python3 -c 'import sys, xml.etree.ElementTree as e; "
			"sys.exit(not e.parse(sys.argv[1]).getroot().tag.endswith(\"%s\"))' %s",
			root, name);
	else if (system("xmllint --version 2>/dev/null") == 0)
		snprintf(command, sizeof(command), "xmllint --nonet --noout %s", name);
	else
		snprintf(command, sizeof(command), "echo no XML parser beside our own");
	CU_ASSERT_EQUAL(system(command), 0);
	unlink(name);
}

/* ---- whole pictures ---- */

static void names_and_texts_are_written_and_escaped(void)
{
	static const double y[] = { 1, 2, 3 };
	const chart_series s[] = { { .name = "one <1>", .y = y, .count = 3 },
		{ .name = "two \"2\"", .y = y, .count = 2, .dashed = 1 } };
	chart c = { .title = "A & B",
		.subtitle = "<GPU>",
		.note = "a note",
		.x = { .label = "x'" },
		.y = { .label = "y & z" },
		.series = s,
		.series_count = 2 };

	for (c.end_labels = 0; c.end_labels < 2; c.end_labels++) {
		char *svg = draw(&c);

		CU_ASSERT_EQUAL(strncmp(svg, "<svg xmlns=", 11), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">A &amp; B</text>"));
		CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">&lt;GPU&gt;</text>"));
		CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">a note</text>"));
		CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">x&#39;</text>"));
		CU_ASSERT_PTR_NOT_NULL(strstr(svg, ">y &amp; z</text>"));
		CU_ASSERT_EQUAL(occurrences(svg, ">one &lt;1&gt;</text>"), 1);
		CU_ASSERT_EQUAL(occurrences(svg, ">two &quot;2&quot;</text>"), 1);
		CU_ASSERT_PTR_NULL(strstr(svg, " id=\""));
		expect_parsed(svg, "svg");
		free(svg);
	}
}

static void a_grid_holds_every_chart(void)
{
	static const double y[] = { 3, 1, 2 };
	const chart_series s = { .name = "s", .y = y, .count = 3 };
	const chart c[] = {
		{ .title = "first", .series = &s, .series_count = 1, .width = 300, .height = 200 },
		{ .title = "second", .series = &s, .series_count = 1 },
		{ .title = "third", .series = &s, .series_count = 1 }
	};
	xml_buffer b = { NULL, 0, 0 };

	CU_ASSERT_EQUAL(chart_write_grid(c, 3, 2, "all", "note", xml_buffer_write, &b), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b.text);
	expect_xml(b.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.text, " width=\"600\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(b.text, ">first<"));
	CU_ASSERT_PTR_NOT_NULL(strstr(b.text, ">second<"));
	CU_ASSERT_PTR_NOT_NULL(strstr(b.text, ">third<"));
	CU_ASSERT_EQUAL(occurrences(b.text, "<path fill=\"none\""), 3);
	free(b.text);
}

static double any_value(void)
{
	static const double special[] = { 0, -0.0, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324,
		1, -1, 1e-30 };

	return rng_below(3)
		       ? (double)rng_below(1000) / (1 + rng_below(100)) - (rng_below(4) ? 0 : 500)
		       : special[rng_below(COUNT(special))];
}

static void any_values_can_be_drawn(void)
{
	static double x[4][2000], y[4][2000];
	static const char *const names[] = { "a", "a name that is longer than its place", "",
		NULL };

	for (int round = 0; round < 1500; round++) {
		chart_series s[4];
		chart c = { .series = s,
			.series_count = 1 + rng_below(4),
			.width = rng_below(2) ? 0 : 60 + rng_below(900),
			.height = rng_below(2) ? 0 : 60 + rng_below(600),
			.end_labels = (int)rng_below(2),
			.value_labels = (int)rng_below(2) };
		chart_axis *axes[] = { &c.x, &c.y, &c.right };
		const uint32_t most = rng_below(20) ? 12 : 2000;
		char *svg;

		memset(s, 0, sizeof(s));
		for (size_t k = 0; k < 3; k++) {
			axes[k]->scale = (chart_scale)rng_below(3);
			axes[k]->label = names[rng_below(4)];
			if (rng_below(4) == 0) {
				axes[k]->min = any_value();
				axes[k]->max = any_value();
			}
		}
		c.title = names[rng_below(4)];
		c.note = names[rng_below(4)];
		if (rng_below(3) == 0) {
			c.categories = names;
			c.category_count = 1 + rng_below(4);
		}
		for (size_t k = 0; k < c.series_count; k++) {
			s[k] = (chart_series){ .name = names[rng_below(4)],
				.x = rng_below(2) ? x[k] : NULL,
				.y = y[k],
				.count = rng_below(most + 1),
				.mark = (chart_mark)rng_below(2),
				.right = !rng_below(3),
				.no_markers = !rng_below(3),
				.muted = !rng_below(3) };
			for (size_t i = 0; i < s[k].count; i++) {
				x[k][i] = rng_below(2) ? (double)i : any_value();
				y[k][i] = any_value();
			}
		}
		svg = draw(&c);
		CU_ASSERT_PTR_NULL(strstr(svg, "nan"));
		CU_ASSERT_PTR_NULL(strstr(svg, "inf"));
		CU_ASSERT_TRUE(strlen(svg) < 2000000);
		free(svg);
	}
}

static void a_writer_that_refuses_is_noticed(void)
{
	static const double y[] = { 1, 2 };
	const chart_series s = { .y = y, .count = 2 };
	const chart c = { .title = "t", .series = &s, .series_count = 1 };
	const chart none = { .title = "t" };
	const report_page page = { .title = "t" };
	size_t left = 100;

	CU_ASSERT_EQUAL(chart_write(&c, test_text_refuse, &left), -1);
	CU_ASSERT_EQUAL(chart_write_grid(&c, 1, 1, NULL, NULL, test_text_refuse, &left), -1);
	CU_ASSERT_EQUAL(report_write(&page, test_text_refuse, &left), -1);
	left = SIZE_MAX;
	CU_ASSERT_EQUAL(chart_write(&none, test_text_refuse, &left), -1);
	CU_ASSERT_EQUAL(chart_write(NULL, test_text_refuse, &left), -1);
	CU_ASSERT_EQUAL(chart_write(&c, NULL, NULL), -1);
	CU_ASSERT_EQUAL(chart_write_grid(&none, 1, 1, NULL, NULL, test_text_refuse, &left), -1);
	CU_ASSERT_EQUAL(left, SIZE_MAX);
	CU_ASSERT_EQUAL(chart_write(&c, test_text_refuse, &left), 0);
}

/* ---- the report ---- */

/* Checks the page that a_report_is_one_page_with_texts_tables_and_charts() makes. */
static void check_report(const char *text)
{
	CU_ASSERT_EQUAL(occurrences(text, "<section id="), 5);
	CU_ASSERT_EQUAL(occurrences(text, "<a href=\"#s"), 5);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<title>All &quot;of&quot; it</title>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "&lt;GPU&gt; &amp; more"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<p>first</p>\n<p>second\nstill</p>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<p>since &lt;then&gt;</p>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Of 4 claims, 2 "));
	CU_ASSERT_EQUAL(occurrences(text, ">holds</span>"), 4); /* two in the summary, two below */
	CU_ASSERT_EQUAL(occurrences(text, ">does not hold</span>"), 3);
	CU_ASSERT_EQUAL(occurrences(text, ">not measured</span>"), 2);
	CU_ASSERT_EQUAL(occurrences(text, ">was not measured</span>"), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<td class=\"n\">1.2M</td>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<td>ring &amp; co</td>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<td class=\"n\">-3 %</td>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<td>steal</td><td></td>"));
	/* the page loads nothing: the only address is the namespace of SVG */
	CU_ASSERT_EQUAL(occurrences(text, "://"),
		occurrences(text, "xmlns=\"http://www.w3.org/2000/svg\""));
	CU_ASSERT_PTR_NULL(strstr(text, "src="));
	CU_ASSERT_PTR_NULL(strstr(text, "url("));
	CU_ASSERT_PTR_NULL(strstr(text, "@import"));
}

static void a_report_is_one_page_with_texts_tables_and_charts(void)
{
	static const double y[] = { 1, 2 };
	static const char *const columns[] = { "queue", "tasks/s" };
	static const char *const cells[] = { "ring & co", "1.2M", "steal", NULL, "-3 %", "12 us" };
	const chart_series line = { .y = y, .count = 2 };
	const chart c = { .title = "the picture", .series = &line, .series_count = 1 };
	const report_table table = { .caption = "numbers",
		.columns = columns,
		.column_count = 2,
		.cells = cells,
		.row_count = 3 };
	const report_fact facts[] = { { "device", "<GPU> & more" } };
	xml_buffer b = { NULL, 0, 0 };
	char *svg = draw(&c), *text;
	const char *const svgs[] = { svg, NULL, svg };
	const report_section sections[] = {
		{ .heading = "One & only",
			.source = "2010, figure 6",
			.text = "first\n\nsecond\nstill",
			.svgs = svgs,
			.svg_count = 3,
			.tables = &table,
			.table_count = 1,
			.claim = "a < b",
			.verdict = REPORT_HOLDS,
			.reason = "1 < 2" },
		{ .heading = "Two",
			.claim = "c",
			.verdict = REPORT_DOES_NOT_HOLD,
			.explanation = "since <then>" },
		{ .heading = "Three", .claim = "d" },
		{ .heading = "Four", .claim = "e", .verdict = REPORT_HOLDS },
		{ .heading = "No claim", .verdict = REPORT_HOLDS },
	};
	const report_page page = { .title = "All \"of\" it",
		.intro = "why",
		.facts = facts,
		.fact_count = 1,
		.sections = sections,
		.section_count = 5 };

	CU_ASSERT_EQUAL(report_write(&page, xml_buffer_write, &b), 0);
	text = b.text;
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	expect_xml(text);
	expect_parsed(text, "html");
	CU_ASSERT_EQUAL(occurrences(text, "<svg "), 2 * occurrences(svg, "<svg "));
	check_report(text);
	free(text);
	free(svg);
}

/* Paragraphs are written in pieces; no character may be split between two. */
static void long_paragraphs_keep_their_characters(void)
{
	char text[3001];
	report_page page = { .title = "t", .intro = text };

	for (size_t shift = 0; shift < 3; shift++) {
		xml_buffer b = { NULL, 0, 0 };

		memset(text, 'a', shift);
		for (size_t i = shift; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 4);
		CU_ASSERT_EQUAL(report_write(&page, xml_buffer_write, &b), 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(b.text);
		CU_ASSERT_PTR_NOT_NULL(strstr(b.text, text));
		free(b.text);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "names and texts are written, and escaped",
			names_and_texts_are_written_and_escaped },
		{ "a grid holds every chart", a_grid_holds_every_chart },
		{ "any values can be drawn", any_values_can_be_drawn },
		{ "a writer that refuses is noticed", a_writer_that_refuses_is_noticed },
		{ "a report is one page with texts, tables and charts",
			a_report_is_one_page_with_texts_tables_and_charts },
		{ "long paragraphs keep their characters", long_paragraphs_keep_their_characters },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("report", tests);
}
