/* Messages of the RIB reader: position, request, value; counts; recovery; strict reading. */
#include "tests/reyes/rib_common.h"

#include <stdio.h>

struct example {
	const char *text, *message, *calls;
};

static const struct example examples[] = {
	{ "Sides 1\nUnknown 1 [2] \"x\"\nSides 2",
		"error t.rib:2:1: Unknown: this request is unknown", "Sides 1\nSides 2\n" },
	{ "Sphere 1 -1\n\t1\n  Sides 2",
		"error t.rib:3:3: Sphere: expected number 4 of 4, found the request Sides",
		"Sides 2\n" },
	{ "Sphere 1 -1 \"x y\" Sides 2",
		"error t.rib:1:13: Sphere: expected number 3 of 4, found string \"x y\"",
		"Sides 2\n" },
	{ "Sphere [1 -1 1 360 5] Sides 2", "Sphere: expected 4 numbers, found an array of 5",
		"Sides 2\n" },
	{ "Sphere [1 -1",
		"t.rib:1:13: Sphere: expected a number or \"]\", found the end of the file", "" },
	{ "Sphere nan -1 1 360 Sides 2",
		"error t.rib:1:8: Sphere: expected number 1 of 4, found not "
		"a number: \"nan\"",
		"Sides 2\n" },
	{ "Color [1 -inf 0] Sides 2",
		"error t.rib:1:10: Color: expected a number or \"]\", found not "
		"a number: \"-inf\"",
		"Sides 2\n" },
	{ "Color [1 Infinity 0] Sides 2", "error t.rib:1:10: ", "Sides 2\n" },
	{ "Color [1 2.5.5 0] Sides 2",
		"error t.rib:1:10: Color: expected a number or \"]\", found "
		"not a number: \"2.5.5\"",
		"Sides 2\n" },
	{ "Color [1 2x 0] Sides 2", "not a number: \"2x\"", "Sides 2\n" },
	{ "Color [1 1e 0] Sides 2", "not a number: \"1e\"", "Sides 2\n" },
	{ "Color [1 - 0] Sides 2", "not a number: \"-\"", "Sides 2\n" },
	{ "Color [1 [2] 3] Sides 2", "expected a number or \"]\", found \"[\"", "Sides 2\n" },
	{ "Color \"red\" Sides 2", "expected numbers, found string \"red\"", "Sides 2\n" },
	{ "Color [1 \"red\"] Sides 2", "expected a number or \"]\", found string \"red\"",
		"Sides 2\n" },
	{ "GeneralPolygon [3 2.5] Sides 2",
		"t.rib:1:19: GeneralPolygon: not an integer: number 2.5", "Sides 2\n" },
	{ "GeneralPolygon [3 2147483648] Sides 2", "not an integer: number 2.14748365e+09",
		"Sides 2\n" },
	{ "Surface 3 Sides 2", "t.rib:1:9: Surface: expected a string, found number 3",
		"Sides 2\n" },
	{ "Surface \"a\" 3 Sides 2",
		"t.rib:1:13: Surface: expected the name of a parameter, or the next request, found "
		"number 3; it is left out, the request is executed",
		"Surface \"a\"\nSides 2\n" },
	{ "Surface \"a\" $$$ Sides 2", "t.rib:1:13: Surface: ", "Surface \"a\"\nSides 2\n" },
	{ "Surface \"a\" [1 2] 3 Sides 2", "found \"[\"; it is left out",
		"Surface \"a\"\nSides 2\n" },
	{ "Sides 1 \032 Sides 2", "t.rib:1:9: Sides: a character that begins no token: \"?\"",
		"Sides 1\nSides 2\n" },
	{ "Color [1 \032 0 0] Sides 2", "t.rib:1:10: Color: expected a number", "Sides 2\n" },
	{ "\357\273\277Sides 1 X", "t.rib:1:9: X: ", "Sides 1\n" },
	{ "Surface \"a\" \"b\" Sides 2", "expected numbers, found the request Sides", "Sides 2\n" },
	{ "Surface \"a\" \"b\" [1 \"c\"] Sides 2", "expected a number or \"]\", found string \"c\"",
		"Sides 2\n" },
	{ "Surface \"a\" \"b\" [\"c\" 1] Sides 2", "expected a string or \"]\", found number 1",
		"Sides 2\n" },
	{ "LightSource \"a\" [1] Sides 2", "expected a handle: a string or a number, found \"[\"",
		"Sides 2\n" },
	{ "Sides 1 2 Sides 2", "t.rib:1:9: Sides: expected a request, found number 2",
		"Sides 1\nSides 2\n" },
	{ "] Sides 2", "t.rib:1:1: expected a request, found \"]\"", "Sides 2\n" },
	{ "Sides 1 { Sides 2", "a character that begins no token: \"{\"", "Sides 1\nSides 2\n" },
	{ "Sides 1\n\"a\nb\n", "t.rib:2:1: Sides: a string without closing quote", "Sides 1\n" },
	{ "Basis \"bezel\" 3 \"bezier\" 3 Sides 2", "Basis: \"bezel\" is not a basis",
		"Sides 2\n" },
	{ "NuPatch 3 3 [0 0 1 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [1] Sides 2",
		"NuPatch: 3 and 2 control points of order 3 and 2 have 5 and 4 knots",
		"Sides 2\n" },
	{ "NuPatch -3 3 [] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [1] Sides 2", "NuPatch: -3 and 2",
		"Sides 2\n" },
	{ "TrimCurve [2] [2] [0] [0] [1] [2] [0 1] [0 1] [1 1] Sides 2",
		"TrimCurve: the loops need", "Sides 2\n" },
	{ "TrimCurve [-1 2] [2] [0] [0] [1] [2] [0 1] [0 1] [1 1] Sides 2",
		"TrimCurve: the loops need", "Sides 2\n" },
	{ "TrimCurve [1] [2] [0] [0] [1] [3] [0 1] [0 1] [1 1] Sides 2",
		"TrimCurve: the counts of points", "Sides 2\n" },
	{ "TrimCurve [1] [2] [0] [0] [1] [2] [0 1] [0] [1 1] Sides 2",
		"TrimCurve: the counts of points", "Sides 2\n" },
	{ "TrimCurve [1] [2] [0] [0] [1] [2] [0 1] [0 1] [1] Sides 2",
		"TrimCurve: the counts of points", "Sides 2\n" },
	{ "TrimCurve [1] [2] [0] [0] [1 1] [2] [0 1] [0 1] [1 1] Sides 2",
		"TrimCurve: the loops need", "Sides 2\n" },
	{ "SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"hole\"] [1] [0] [] \"P\" [1] Sides 2",
		"SubdivisionMesh: 1 tags have 1 counts", "Sides 2\n" },
	{ "ColorSamples [1 1] [1 1] Sides 2", "ColorSamples: the arrays have 2 and 2 numbers",
		"Sides 2\n" },
	/* Line ends of all kinds, tabs as one column. */
	{ "Sides 1\r\n\r\r\n\tX", "t.rib:4:2: X: ", "Sides 1\n" },
	{ "Surface \"a\nb\\\nc\"  X", "t.rib:3:5: X: ", "Surface \"a\\012bc\"\n" },
};

static void errors_name_position_request_and_value(void)
{
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];

		CHECK(read_text(&r, e->text) == 0 && r.errors == 1 && !r.unplaced, "%s: %s",
			e->text, log_of(&r));
		CHECK(strstr(log_of(&r), e->message), "%s: %s", e->text, log_of(&r));
		CHECK(strcmp(calls_of(&r), e->calls) == 0, "%s: %s", e->text, calls_of(&r));
	}
	record_free(&r);
}

/* The mark of UTF-8 at the beginning; the bytes with which editors and disks fill the end. */
static void marks_and_padding_are_no_errors(void)
{
	static const struct {
		const char *text;
		size_t bytes;
	} cases[] = { { "\357\273\277Sides 1", 10 }, { "Sides 1\n\032", 9 },
		{ "Sides 1\n\0\0\0\0\0\0\0\0", 16 }, { "Sides 1\0", 8 },
		{ "Sides 1\r\n\032\r\n# \0 end\n\0", 19 } };
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK(read_bytes(&r, cases[i].text, cases[i].bytes) == 0 && r.errors == 0,
			"%zu: %s", i, log_of(&r));
		CHECK(strcmp(calls_of(&r), "Sides 1\n") == 0, "%zu: %s", i, calls_of(&r));
	}
	record_free(&r);
}

/* The line of an error behind more than one window of text. */
static void positions_are_right_in_long_files(void)
{
	enum { LINES = 30000 };
	test_text text = { 0 };
	reyes_renderer r;
	char expected[60];

	record_init(&r);
	r.rejected = "Sphere";
	for (int i = 0; i < LINES; i++)
		test_text_append(&text, "Sides 2 # a comment\r\n", 21);
	test_text_append(&text, "   X", 4);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors == 1, "%s", log_of(&r));
	snprintf(expected, sizeof(expected), "error t.rib:%d:4: X: ", LINES + 1);
	CHECK(strstr(log_of(&r), expected) == log_of(&r), "%s", log_of(&r));
	free(text.s);
	record_free(&r);
}

static void repeated_messages_are_counted(void)
{
	test_text text = { 0 };
	reyes_renderer r;

	record_init(&r);
	test_text_append(&text, "WorldBegin\n", 11);
	for (int i = 0; i < 817; i++)
		test_text_append(&text, "Unknown 1 Sphere 1 Surface 2 Surface 3\n", 39);
	test_text_append(&text, "WorldEnd\n", 9);
	test_text_append(&text, "Unknown 2\n", 10);
	CHECK(read_bytes(&r, text.s, text.bytes) == 1, "%s", log_of(&r));
	CHECK(r.errors == 3 * 5 + 3 + 1, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "error and 812 more like \"Unknown: this request is unknown"),
		"%s", log_of(&r));
	CHECK(strstr(log_of(&r), "error and 812 more like \"Sphere: expected number 2 of 4"), "%s",
		log_of(&r));
	CHECK(strstr(log_of(&r), "error and 1629 more like \"Surface: expected a string"), "%s",
		log_of(&r));
	/* Each frame counts from the beginning. */
	CHECK(strstr(log_of(&r), "t.rib:820:1: Unknown"), "%s", log_of(&r));
	free(text.s);
	record_free(&r);
}

static void many_kinds_of_messages_are_bounded(void)
{
	test_text text = { 0 };
	reyes_renderer r;
	char line[40];

	record_init(&r);
	for (int i = 0; i < 100000; i++) {
		const int n = snprintf(line, sizeof(line), "Unknown%d\n", i);

		test_text_append(&text, line, (size_t)n);
	}
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors == 513, "%u", r.errors);
	CHECK(strstr(log_of(&r), "error and 99488 more of other kinds"), "%u", r.errors);
	free(text.s);
	record_free(&r);
}

static void a_strict_reader_ends_the_frame_at_the_first_error(void)
{
	static const char text[] = "WorldBegin Sides 1 X Sides 2 WorldEnd WorldBegin WorldEnd";
	reyes_renderer r;

	record_init(&r);
	r.options.strict = 1;
	CHECK(reyes_rib_open_memory(&r, "t.rib", text, strlen(text)) == REYES_OK, "%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_ERR_SCENE, "%s", log_of(&r));
	CHECK(strstr(r.error, "t.rib:1:20: X: this request is unknown"), "%s", r.error);
	/* Nothing was skipped. */
	CHECK(strcmp(log_of(&r), "error t.rib:1:20: X: this request is unknown\n") == 0, "%s",
		log_of(&r));
	CHECK(strcmp(calls_of(&r), "WorldBegin\nSides 1\n") == 0, "%s", calls_of(&r));
	CHECK(reyes_rib_next_frame(&r) == REYES_OK && reyes_rib_next_frame(&r) == REYES_OK, "%s",
		calls_of(&r));
	CHECK(reyes_rib_next_frame(&r) == REYES_END, "%s", calls_of(&r));
	/* An error of a call counts, too; a warning does not. */
	r.rejected = "Sides";
	CHECK(read_text(&r, "WorldBegin Sides 1 WorldEnd") == -1 && r.call_count == 2, "%s",
		calls_of(&r));
	r.rejected = NULL;
	CHECK(read_text(&r, "version 9 WorldBegin WorldEnd") == 1 && r.warnings == 1, "%s",
		log_of(&r));
	record_free(&r);
}

static void error_handlers_select_the_effect_of_errors(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, "ErrorHandler \"ignore\" X WorldBegin WorldEnd") == 1 && !r.errors,
		"%s", log_of(&r));
	CHECK(read_text(&r, "ErrorHandler \"abort\" X WorldBegin WorldEnd") == -1 && r.errors == 1,
		"%s", log_of(&r));
	CHECK(!strstr(log_of(&r), "skipped"), "%s", log_of(&r));
	CHECK(read_text(&r, "ErrorHandler \"abort\" Sphere 1 WorldBegin WorldEnd") == -1, "%s",
		log_of(&r));
	CHECK(r.errors == 1 && !strstr(log_of(&r), "skipped"), "%s", log_of(&r));
	CHECK(read_text(&r, "ErrorHandler \"abort\" 7 WorldBegin WorldEnd") == -1, "%s",
		log_of(&r));
	CHECK(r.errors == 1 && !strstr(log_of(&r), "skipped"), "%s", log_of(&r));
	CHECK(read_text(&r, "ErrorHandler \"print\" X WorldBegin WorldEnd") == 1 && r.errors == 1,
		"%s", log_of(&r));
	record_free(&r);
}

static void a_world_end_that_fails_ends_no_frame(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, "WorldEnd Sides 1") == 0, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "WorldEnd\nSides 1\n") == 0, "%s", calls_of(&r));
	record_free(&r);
}

static void the_place_of_a_request_is_its_name(void)
{
	char text[40] = "x";
	reyes_renderer r;

	record_init(&r);
	reyes_i_rib_where(NULL, text, sizeof(text));
	CHECK(text[0] == '\0', "%s", text);
	CHECK(reyes_rib_open_memory(&r, "a/very/long/path/to/a/file/of/a/scene.rib", "X", 1) ==
			REYES_OK,
		"%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_END, "%s", r.error);
	CHECK(strstr(log_of(&r), "a/very/long/path/to/a/file/of/a/scene.rib:1:1: X: "), "%s",
		log_of(&r));
	CHECK(reyes_rib_open_memory(&r, NULL, "X", 1) == REYES_ERR_ARG, "%s", r.error);
	CHECK(reyes_rib_open_memory(&r, "a", NULL, 1) == REYES_ERR_ARG, "%s", r.error);
	CHECK(reyes_rib_open_memory(&r, "a", NULL, 0) == REYES_OK, "%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_END, "%s", r.error);
	record_free(&r);
}

static CU_TestInfo tests[] = {
	{ "errors name position, request and value", errors_name_position_request_and_value },
	{ "marks and padding are no errors", marks_and_padding_are_no_errors },
	{ "positions are right in long files", positions_are_right_in_long_files },
	{ "repeated messages are counted", repeated_messages_are_counted },
	{ "many kinds of messages are bounded", many_kinds_of_messages_are_bounded },
	{ "a strict reader ends the frame at the first error",
		a_strict_reader_ends_the_frame_at_the_first_error },
	{ "error handlers select the effect of errors",
		error_handlers_select_the_effect_of_errors },
	{ "a WorldEnd that fails ends no frame", a_world_end_that_fails_ends_no_frame },
	{ "the place of a request is its name", the_place_of_a_request_is_its_name },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "RIB messages", .pTests = tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
