/* Charts: the shapes are at the positions of the numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/common/chart_scale.h"
#include "tests/apps/chart_check.h"

/* ---- axes ---- */

static void the_ticks_of_an_axis_are_in_order_and_inside_it(void)
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

static void missing_values_are_gaps_in_the_line(void)
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
	c.y.scale = CHART_LOG10; /* a logarithmic axis has no zero */
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
	/* bars are on the axis, with room for the number above the highest bar */
	CU_ASSERT_PTR_NOT_NULL_FATAL(axis);
	CU_ASSERT_EQUAL(sscanf(axis, "</g><path d=\"M%lf %lfV%lf", &left, &top, &bottom), 3);
	CU_ASSERT_DOUBLE_EQUAL(at[2][1] + at[2][3], bottom, 0.1);
	CU_ASSERT_TRUE(at[2][1] > top + 12);
	/* bars of a category are side by side, with a gap between categories */
	CU_ASSERT_TRUE(at[0][0] + at[0][2] <= at[3][0] && at[3][0] + at[3][2] < at[1][0]);
	/* the line passes through the middles, on its own axis */
	CU_ASSERT_EQUAL_FATAL(line_points(svg, line, 4, &pieces), 3);
	CU_ASSERT_DOUBLE_EQUAL(line[0][0], (at[0][0] + at[3][0] + at[3][2]) / 2, 1);
	CU_ASSERT_TRUE(line[1][1] < line[2][1] && line[2][1] < line[0][1]);
	CU_ASSERT_EQUAL(occurrences(svg, ">40</text>"), 2); /* the value, and a mark of the axis */
	CU_ASSERT_PTR_NOT_NULL(strstr(svg, "steal &amp;"));
	free(svg);
}

static void thousands_of_bars_are_merged_into_a_small_picture(void)
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

/* ---- names at lines ---- */

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
		CU_ASSERT_TRUE(i == 0 || at[i - 1] - at[i] > 13); /* larger values are higher */
		mean += at[i] / LINES;
	}
	/* all lines end at nearly the same height, with the names around it */
	CU_ASSERT_EQUAL_FATAL(line_points(svg, line, 2, &pieces), 2);
	CU_ASSERT_DOUBLE_EQUAL(mean, line[1][1] + 4, 8);
	free(svg);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the ticks of an axis are in order and inside it",
			the_ticks_of_an_axis_are_in_order_and_inside_it },
		{ "a line goes through its points", a_line_goes_through_its_points },
		{ "missing values are gaps in the line", missing_values_are_gaps_in_the_line },
		{ "bars are as high as their values", bars_are_as_high_as_their_values },
		{ "thousands of bars are merged into a small picture",
			thousands_of_bars_are_merged_into_a_small_picture },
		{ "names at the ends of lines do not overlap",
			names_at_the_ends_of_lines_do_not_overlap },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("chart", tests);
}
