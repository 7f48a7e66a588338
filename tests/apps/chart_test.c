/* Charts and the report: the output is XML, and the shapes are at the positions of the numbers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps/common/chart.h"
#include "apps/common/chart_scale.h"
#include "apps/common/report.h"
#include "tests/common/testmain.h"
#include "tests/apps/xml_check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t occurrences(const char *s, const char *what)
{
	size_t n = 0;

	while ((s = strstr(s, what)) != NULL) {
		n++;
		s += strlen(what);
	}
	return n;
}

static void expect_xml(const char *text)
{
	const char *wrong = text ? xml_check(text) : "no text";

	CU_ASSERT_PTR_NULL(wrong);
	if (wrong)
		printf("not XML: %.80s\n", wrong);
}

/* The text of a chart; the caller frees it. */
static char *draw(const chart *c)
{
	xml_buffer b = { NULL, 0, 0 };

	CU_ASSERT_EQUAL(chart_write(c, xml_buffer_write, &b), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b.text);
	expect_xml(b.text);
	return b.text;
}

/* xmllint or python3 parses the text too, where there is one. */
static void expect_parsed(const char *text, const char *root)
{
	char name[] = "/tmp/chart_test_XXXXXX", command[512];
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

/* ---- axes ---- */

static void marks_of_an_axis_stand_in_order_inside_it(void)
{
	static const double values[] = { 1e-120, 1e-9, 0.003, 0.5, 1, 3, 7, 64, 1000, 8448, 4.2e9,
		1e120 };

	for (int kind = CHART_LINEAR; kind <= CHART_LOG2; kind++)
		for (size_t lo = 0; lo < COUNT(values); lo++)
			for (size_t hi = lo; hi < COUNT(values); hi++)
				for (int round = 0; round < 2; round++) {
					const chart_axis axis = { .scale = (chart_scale)kind };
					chart_mapping r = { .from_px = 10, .to_px = 110 };

					chart_mapping_fit(&r, &axis, values[lo], values[hi], round,
						round, 300, 40);
					CU_ASSERT_TRUE(r.min < r.max);
					CU_ASSERT_TRUE(r.min <= values[lo] * (1 + 1e-6));
					CU_ASSERT_TRUE(r.max >= values[hi] * (1 - 1e-6));
					CU_ASSERT_DOUBLE_EQUAL(chart_px(&r, r.min), 10, 1e-6);
					CU_ASSERT_DOUBLE_EQUAL(chart_px(&r, r.max), 110, 1e-6);
					CU_ASSERT_TRUE(r.tick_count <= 9);
					CU_ASSERT_TRUE(!round || r.tick_count >= 2);
					for (size_t i = 0; i < r.tick_count; i++) {
						const double px = chart_px(&r, r.ticks[i]);

						CU_ASSERT_TRUE(px > 9.999 && px < 110.001);
						CU_ASSERT_TRUE(
							i == 0 || r.ticks[i] > r.ticks[i - 1]);
					}
				}
}

/* Coordinates of the first path that is a line: M and L pairs. */
static size_t line_points(const char *svg, double (*at)[2], size_t room, size_t *pieces)
{
	const char *s = strstr(svg, "<path fill=\"none\"");
	size_t n = 0;
	char *end;

	*pieces = 0;
	s = s ? strstr(s, " d=\"") : NULL;
	for (s = s ? s + 4 : ""; *s == 'M' || *s == 'L' || *s == 'h';) {
		if (*s == 'h') {
			s += 2;
			continue;
		}
		*pieces += *s == 'M';
		if (n == room)
			return 0;
		at[n][0] = strtod(s + 1, &end);
		at[n][1] = strtod(end, &end);
		n++;
		s = end;
	}
	return n;
}

static void a_line_goes_through_its_points(void)
{
	static const double x[] = { 1, 2, 4, 8, 16 }, y[] = { 1, 10, 100, 1000, 10000 };
	double at[5][2], step;
	size_t pieces;
	chart_series s = { .name = "s", .x = x, .y = y, .count = 5 };
	chart c = { .x = { .scale = CHART_LOG2 },
		.y = { .scale = CHART_LOG10 },
		.series = &s,
		.series_count = 1 };

	for (int reversed = 0; reversed < 2; reversed++) {
		char *svg;

		c.x.reversed = reversed;
		svg = draw(&c);
		CU_ASSERT_EQUAL_FATAL(line_points(svg, at, 5, &pieces), 5);
		CU_ASSERT_EQUAL(pieces, 1);
		step = at[1][0] - at[0][0];
		CU_ASSERT_TRUE(reversed ? step < -50 : step > 50);
		for (size_t i = 1; i < 5; i++) { /* equal factors are equal steps */
			CU_ASSERT_DOUBLE_EQUAL(at[i][0] - at[i - 1][0], step, 0.21);
			CU_ASSERT_DOUBLE_EQUAL(at[i][1] - at[i - 1][1], at[1][1] - at[0][1], 0.21);
			CU_ASSERT_TRUE(at[i][1] < at[i - 1][1]);
		}
		CU_ASSERT_EQUAL(occurrences(svg, "<title>s, "), 5);
		CU_ASSERT_EQUAL(occurrences(svg, "<title>s, 16: 10k</title>"), 1);
		free(svg);
	}
}

static void what_is_not_measured_is_a_gap(void)
{
	static const double y[] = { 1, 2, NAN, 4, 0, 5 };
	chart_series s = { .y = y, .count = 6 };
	chart c = { .series = &s, .series_count = 1 };
	double at[6][2];
	size_t pieces;
	char *svg = draw(&c);

	CU_ASSERT_EQUAL(line_points(svg, at, 6, &pieces), 5);
	CU_ASSERT_EQUAL(pieces, 2);
	free(svg);
	c.y.scale = CHART_LOG10; /* where zero has no place */
	svg = draw(&c);
	CU_ASSERT_EQUAL(line_points(svg, at, 6, &pieces), 4);
	CU_ASSERT_EQUAL(pieces, 3);
	CU_ASSERT_EQUAL(occurrences(svg, "nothing was measured"), 0);
	free(svg);
	s.count = 1;
	s.y = y + 2;
	svg = draw(&c);
	CU_ASSERT_EQUAL(occurrences(svg, "nothing was measured"), 1);
	free(svg);
}

/* ---- bars ---- */

static size_t bars(const char *svg, double (*at)[4], size_t room)
{
	size_t n = 0;

	while ((svg = strstr(svg, "<rect x=\"")) != NULL) {
		double v[4];

		if (sscanf(svg, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"><title>",
			    &v[0], &v[1], &v[2], &v[3]) == 4 &&
			strncmp(strchr(svg, '>'), "><title>", 8) == 0 && n < room)
			memcpy(at[n++], v, sizeof(v));
		svg++;
	}
	return n;
}

static void bars_are_as_high_as_their_values(void)
{
	static const double a[] = { 10, 20, 40 }, b[] = { 5, NAN, 15 }, idle[] = { 0.1, 0.3, 0.2 };
	static const char *const names[] = { "ring", "steal & donate", "prio" };
	const chart_series s[] = { { .name = "a", .y = a, .count = 3, .mark = CHART_BAR },
		{ .name = "b", .y = b, .count = 3, .mark = CHART_BAR },
		{ .name = "idle", .y = idle, .count = 3, .right = 1 } };
	const chart c = { .title = "t",
		.series = s,
		.series_count = 3,
		.categories = names,
		.category_count = 3,
		.value_labels = 1,
		.right = { .label = "idle (ms)" } };
	double at[8][4], line[4][2], left, top, bottom;
	size_t pieces;
	char *svg = draw(&c);
	const char *axis = strstr(svg, "</g><path d=\"M");

	CU_ASSERT_EQUAL_FATAL(bars(svg, at, 8), 5);
	for (size_t i = 0; i < 5; i++) {
		static const double value[] = { 10, 20, 40, 5, 15 };

		CU_ASSERT_DOUBLE_EQUAL(at[i][3] / value[i], at[0][3] / 10, 0.01);
		CU_ASSERT_DOUBLE_EQUAL(at[i][1] + at[i][3], at[0][1] + at[0][3], 0.02);
		CU_ASSERT_DOUBLE_EQUAL(at[i][2], at[0][2], 0.01);
	}
	/* on the axis, with room for the number above the highest */
	CU_ASSERT_PTR_NOT_NULL_FATAL(axis);
	CU_ASSERT_EQUAL(sscanf(axis, "</g><path d=\"M%lf %lfV%lf", &left, &top, &bottom), 3);
	CU_ASSERT_DOUBLE_EQUAL(at[2][1] + at[2][3], bottom, 0.1);
	CU_ASSERT_TRUE(at[2][1] > top + 12);
	/* side by side in one place, and free room between the places */
	CU_ASSERT_TRUE(at[0][0] + at[0][2] <= at[3][0] && at[3][0] + at[3][2] < at[1][0]);
	/* the line goes through the middles, on its own axis */
	CU_ASSERT_EQUAL_FATAL(line_points(svg, line, 4, &pieces), 3);
	CU_ASSERT_DOUBLE_EQUAL(line[0][0], (at[0][0] + at[3][0] + at[3][2]) / 2, 1);
	CU_ASSERT_TRUE(line[1][1] < line[2][1] && line[2][1] < line[0][1]);
	CU_ASSERT_EQUAL(occurrences(svg, ">40</text>"), 2); /* the value, and a mark of the axis */
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "steal &amp;"));
	free(svg);
}

static void thousands_of_bars_stay_visible_and_small(void)
{
	enum { WORKERS = 8448 };
	static double work[WORKERS], idle[WORKERS];
	const chart_series s[] = {
		{ .name = "work", .y = work, .count = WORKERS, .mark = CHART_BAR, .muted = 1 },
		{ .name = "idle", .y = idle, .count = WORKERS, .right = 1, .no_markers = 1 }
	};
	const chart c = { .series = s, .series_count = 2 };
	char *svg;

	for (size_t i = 0; i < WORKERS; i++) {
		work[i] = 100 + (double)(i * 7919 % 50);
		idle[i] = (double)(i * 104729 % 1000);
	}
	svg = draw(&c);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "Each bar is the mean of "));
	CU_ASSERT_TRUE(strlen(svg) < 100000);
	free(svg);
}

/* ---- whole pictures ---- */

static void names_and_texts_are_there_and_escaped(void)
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

static void names_at_the_ends_of_lines_do_not_overlap(void)
{
	enum { LINES = 9 };
	static double y[LINES][2];
	static const char *const names[LINES] = { "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7",
		"n8" };
	chart_series s[LINES];
	const chart c = { .series = s, .series_count = LINES, .end_labels = 1 };
	double at[LINES], line[2][2], mean = 0;
	size_t pieces;
	char *svg;

	memset(s, 0, sizeof(s));
	for (size_t i = 0; i < LINES; i++) {
		y[i][1] = 10 + (double)i * 0.01;
		s[i].name = names[i];
		s[i].y = y[i];
		s[i].count = 2;
	}
	svg = draw(&c);
	for (size_t i = 0; i < LINES; i++) {
		char text[16];
		const char *end;

		snprintf(text, sizeof(text), ">%s</text>", names[i]);
		end = strstr(svg, text);
		CU_ASSERT_PTR_NOT_NULL_FATAL(end);
		while (strncmp(end, " y=\"", 4) != 0)
			end--;
		at[i] = strtod(end + 4, NULL);
		CU_ASSERT_TRUE(at[i] > 0 && at[i] < 420);
		CU_ASSERT_TRUE(i == 0 || at[i - 1] - at[i] > 13); /* larger values stand higher */
		mean += at[i] / LINES;
	}
	/* all lines end at nearly the same height, with the names around it */
	CU_ASSERT_EQUAL_FATAL(line_points(svg, line, 2, &pieces), 2);
	CU_ASSERT_DOUBLE_EQUAL(mean, line[1][1] + 4, 8);
	free(svg);
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

/* xorshift, from a fixed seed. */
static uint32_t random_state = 12345;

static uint32_t any(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % n;
}

static double any_value(void)
{
	static const double special[] = { 0, -0.0, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324,
		1, -1, 1e-30 };

	return any(3) ? (double)any(1000) / (1 + any(100)) - (any(4) ? 0 : 500)
		      : special[any(COUNT(special))];
}

static void any_values_give_a_picture(void)
{
	static double x[4][2000], y[4][2000];
	static const char *const names[] = { "a", "a name that is longer than its place", "",
		NULL };

	for (int round = 0; round < 1500; round++) {
		chart_series s[4];
		chart c = { .series = s,
			.series_count = 1 + any(4),
			.width = any(2) ? 0 : 60 + any(900),
			.height = any(2) ? 0 : 60 + any(600),
			.end_labels = (int)any(2),
			.value_labels = (int)any(2) };
		chart_axis *axes[] = { &c.x, &c.y, &c.right };
		const uint32_t most = any(20) ? 12 : 2000;
		char *svg;

		memset(s, 0, sizeof(s));
		for (size_t k = 0; k < 3; k++) {
			axes[k]->scale = (chart_scale)any(3);
			axes[k]->label = names[any(4)];
			if (any(4) == 0) {
				axes[k]->min = any_value();
				axes[k]->max = any_value();
			}
		}
		c.title = names[any(4)];
		c.note = names[any(4)];
		if (any(3) == 0) {
			c.categories = names;
			c.category_count = 1 + any(4);
		}
		for (size_t k = 0; k < c.series_count; k++) {
			s[k] = (chart_series){ .name = names[any(4)],
				.x = any(2) ? x[k] : NULL,
				.y = y[k],
				.count = any(most + 1),
				.mark = (chart_mark)any(2),
				.right = !any(3),
				.no_markers = !any(3),
				.muted = !any(3) };
			for (size_t i = 0; i < s[k].count; i++) {
				x[k][i] = any(2) ? (double)i : any_value();
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

static int refuse_at(void *opaque, const char *text, size_t bytes)
{
	size_t *left = (size_t *)opaque;

	(void)text;
	if (*left < bytes)
		return 1;
	*left -= bytes;
	return 0;
}

static void a_writer_that_refuses_is_noticed(void)
{
	static const double y[] = { 1, 2 };
	const chart_series s = { .y = y, .count = 2 };
	const chart c = { .title = "t", .series = &s, .series_count = 1 };
	const chart none = { .title = "t" };
	const report_page page = { .title = "t" };
	size_t left = 100;

	CU_ASSERT_EQUAL(chart_write(&c, refuse_at, &left), -1);
	CU_ASSERT_EQUAL(chart_write_grid(&c, 1, 1, NULL, NULL, refuse_at, &left), -1);
	CU_ASSERT_EQUAL(report_write(&page, refuse_at, &left), -1);
	left = SIZE_MAX;
	CU_ASSERT_EQUAL(chart_write(&none, refuse_at, &left), -1);
	CU_ASSERT_EQUAL(chart_write(NULL, refuse_at, &left), -1);
	CU_ASSERT_EQUAL(chart_write(&c, NULL, NULL), -1);
	CU_ASSERT_EQUAL(chart_write_grid(&none, 1, 1, NULL, NULL, refuse_at, &left), -1);
	CU_ASSERT_EQUAL(left, SIZE_MAX);
	CU_ASSERT_EQUAL(chart_write(&c, refuse_at, &left), 0);
}

/* ---- the report ---- */

static void a_report_is_one_page_with_everything(void)
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
	/* nothing is fetched: the only address is the name of SVG itself */
	CU_ASSERT_EQUAL(occurrences(text, "://"),
		occurrences(text, "xmlns=\"http://www.w3.org/2000/svg\""));
	CU_ASSERT_PTR_NULL(strstr(text, "src="));
	CU_ASSERT_PTR_NULL(strstr(text, "url("));
	CU_ASSERT_PTR_NULL(strstr(text, "@import"));
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
		{ "marks of an axis stand in order inside it",
			marks_of_an_axis_stand_in_order_inside_it },
		{ "a line goes through its points", a_line_goes_through_its_points },
		{ "what is not measured is a gap", what_is_not_measured_is_a_gap },
		{ "bars are as high as their values", bars_are_as_high_as_their_values },
		{ "thousands of bars stay visible and small",
			thousands_of_bars_stay_visible_and_small },
		{ "names and texts are there and escaped", names_and_texts_are_there_and_escaped },
		{ "names at the ends of lines do not overlap",
			names_at_the_ends_of_lines_do_not_overlap },
		{ "a grid holds every chart", a_grid_holds_every_chart },
		{ "any values give a picture", any_values_give_a_picture },
		{ "a writer that refuses is noticed", a_writer_that_refuses_is_noticed },
		{ "a report is one page with everything", a_report_is_one_page_with_everything },
		{ "long paragraphs keep their characters", long_paragraphs_keep_their_characters },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "chart", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
