/* Conditional requests: expressions, branches, variables and their scope. */
#include "tests/reyes/rib_common.h"

#include <stdio.h>

static const char *const preamble =
	"Option \"user\" \"string pass\" \"shadow\" \"float quality\" [2.5]\n"
	"FrameBegin 12 Attribute \"user\" \"uniform int lod\" 3\n";

struct expression {
	const char *text;
	int value; /* 1, 0, or -1: a syntax error */
};

static const struct expression expressions[] = {
	{ "1", 1 },
	{ "0", 0 },
	{ "-1", 1 },
	{ "0.0", 0 },
	{ "'a'", 1 },
	{ "''", 0 },
	{ "!1", 0 },
	{ "!!1", 1 },
	{ "1 + 1 == 2", 1 },
	{ "2 + 3 * 4 == 14", 1 },
	{ "(2 + 3) * 4 == 20", 1 },
	{ "7 - 2 - 1 == 4", 1 },
	{ "8 / 2 / 2 == 2", 1 },
	{ "1 / 0 == 1 / 0", 0 },
	{ "- 3 + 4 == 1", 1 },
	{ "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3", 1 },
	{ "2 < 2 || 2 > 2", 0 },
	{ "1 != 2", 1 },
	{ "1 || 0 && 0", 1 },
	{ "'a' == 'a'", 1 },
	{ "'a' == 'b'", 0 },
	{ "'a' != 'b'", 1 },
	{ "'a' < 'b'", 1 },
	{ "'1' == 1", 0 },
	{ "concat('a', 'b') == 'ab'", 1 },
	{ "concat('a', 1 + 1) == 'a2'", 1 },
	{ "$Frame == 12", 1 },
	{ "$Frame < 12", 0 },
	{ "$user:pass == 'shadow'", 1 },
	{ "$user:pass == \\\"shadow\\\"", 1 },
	{ "$Option:user:pass == 'shadow'", 1 },
	{ "$user:quality > 2 && $user:quality * 2 == 5", 1 },
	{ "$user:lod == 3", 1 },
	{ "$Attribute:user:lod == 3", 1 },
	{ "${user:lod} == 3", 1 },
	{ "defined(user:pass)", 1 },
	{ "defined($user:pass)", 1 },
	{ "defined(user:none)", 0 },
	{ "!defined(user:none)", 1 },
	{ "$user:none", 0 },
	{ "$user:none == 0", 0 },
	{ "$user:none == $user:none", 0 },
	{ "$user:none != 'x'", 1 },
	{ "$user:none + 1 == 1", 0 },
	{ "$limits:bucketsize == 1", 0 },
	{ "", -1 },
	{ "1 +", -1 },
	{ "(1", -1 },
	{ "1 1", -1 },
	{ "1)", -1 },
	{ "'a", -1 },
	{ "$", -1 },
	{ "${a", -1 },
	{ "defined", -1 },
	{ "defined(", -1 },
	{ "concat('a')", -1 },
	{ "1 = 1", -1 },
	{ "a", -1 },
	{ "@", -1 },
};

static void expressions_have_the_usual_values(void)
{
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
		const struct expression *e = &expressions[i];
		char text[400];

		snprintf(text, sizeof(text), "%sIfBegin \"%s\" Matte 1 Else Matte 0 IfEnd",
			preamble, e->text);
		CHECK(read_text(&r, text) == 0 && (r.errors == 1) == (e->value < 0), "%s: %s",
			e->text, log_of(&r));
		CHECK(strstr(calls_of(&r), e->value == 1 ? "Matte 1\n" : "Matte 0\n"), "%s: %s",
			e->text, calls_of(&r));
	}
	record_free(&r);
}

static void long_and_deep_expressions_are_bounded(void)
{
	char text[20000];
	reyes_renderer r;

	record_init(&r);
	strcpy(text, "IfBegin \"");
	memset(text + 9, '(', 9000);
	strcpy(text + 9009, "1\" Matte 1 IfEnd");
	CHECK(read_text(&r, text) == 0 && r.errors == 1 && !calls_of(&r)[0], "%s", log_of(&r));
	memset(text + 9, '!', 9000);
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	memset(text + 9, '-', 9000);
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	text[9] = '\'';
	memset(text + 10, 'x', 8998);
	text[9008] = '\'';
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	text[9] = '$';
	memset(text + 10, 'x', 8999);
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	record_free(&r);
}

/* Blocks of conditions and the Sides requests that are executed. */
static const char *const branches[][2] = {
	{ "IfBegin \"1\" Sides 1 IfEnd Sides 2", "Sides 1\nSides 2\n" },
	{ "IfBegin \"0\" Sides 1 IfEnd Sides 2", "Sides 2\n" },
	{ "IfBegin \"1\" Sides 1 ElseIf \"1\" Sides 2 Else Sides 3 IfEnd", "Sides 1\n" },
	{ "IfBegin \"0\" Sides 1 ElseIf \"0\" Sides 2 ElseIf \"1\" Sides 3 ElseIf \"1\" Sides 4 "
	  "Else Sides 5 IfEnd",
		"Sides 3\n" },
	{ "IfBegin \"0\" IfBegin \"1\" Sides 1 Else Sides 2 IfEnd Else Sides 3 IfEnd",
		"Sides 3\n" },
	{ "IfBegin \"1\" IfBegin \"0\" Sides 1 Else Sides 2 IfEnd Else Sides 3 IfEnd",
		"Sides 2\n" },
	/* What is skipped is not parsed. */
	{ "IfBegin \"0\" Sides \"IfEnd\" ] nan Unknown 3 {} Else Sides 1 IfEnd", "Sides 1\n" },
	{ "IfBegin \"0\" ReadArchive \"none\" ElseIf \"1\" Sides 1 IfEnd", "Sides 1\n" },
	/* Undefined names in a condition that is not evaluated. */
	{ "IfBegin \"1\" Sides 1 ElseIf \"(((\" Sides 2 IfEnd", "Sides 1\n" },
};

static void one_branch_is_executed(void)
{
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		CHECK(read_text(&r, branches[i][0]) == 0 && !r.errors, "%s: %s", branches[i][0],
			log_of(&r));
		CHECK(strcmp(calls_of(&r), branches[i][1]) == 0, "%s: %s", branches[i][0],
			calls_of(&r));
	}
	record_free(&r);
}

static void unbalanced_conditions_are_errors(void)
{
	static const char *const texts[][2] = {
		{ "Sides 1\n IfBegin \"1\" Sides 2", "t.rib:2:2: IfBegin without IfEnd" },
		{ "IfBegin \"0\" Sides 2", "t.rib:1:1: IfBegin without IfEnd" },
		{ "IfEnd", "t.rib:1:1: IfEnd: " },
		{ "Else", "t.rib:1:1: Else: " },
		{ "ElseIf \"1\"", "t.rib:1:1: ElseIf: " },
		{ "IfBegin \"1\" Else Else IfEnd", "t.rib:1:18: Else: it follows Else" },
		{ "IfBegin \"1\" Else ElseIf \"1\" IfEnd", "t.rib:1:18: ElseIf: it follows Else" },
		/* A block ends in the archive in which it begins. */
		{ "ArchiveBegin \"a\" IfEnd ArchiveEnd IfBegin \"1\" ReadArchive \"a\" IfEnd",
			"t.rib:1:18: IfEnd: " },
	};
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK(read_text(&r, texts[i][0]) == 0 && r.errors == 1 &&
				strstr(log_of(&r), texts[i][1]),
			"%s: %s", texts[i][0], log_of(&r));
	record_free(&r);
}

static void deep_conditions_are_bounded(void)
{
	test_text text = { 0 };
	reyes_renderer r;

	record_init(&r);
	for (int i = 0; i < 5000; i++)
		test_text_append(&text, "IfBegin \"1\"\n", 12);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors > 1 && r.errors < 20, "%s",
		log_of(&r));
	CHECK(strstr(log_of(&r), "conditions are nested more than 1000 deep"), "%s", log_of(&r));
	text.bytes = 0;
	for (int i = 0; i < 5000; i++)
		test_text_append(&text, "IfBegin \"0\"\n", 12);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors == 1, "%s", log_of(&r));
	free(text.s);
	record_free(&r);
}

static void variables_are_restored_at_the_end_of_their_block(void)
{
	static const char text[] =
		"Attribute \"user\" \"float x\" 1 AttributeBegin Attribute \"user\" \"float x\" 2 "
		"IfBegin \"$user:x == 2\" Sides 2 IfEnd "
		"AttributeBegin IfBegin \"$user:x == 2\" Sides 3 IfEnd "
		"Attribute \"user\" \"float x\" 4 Attribute \"user\" \"float x\" 5 "
		"IfBegin \"$user:x == 5\" Sides 4 IfEnd AttributeEnd "
		"IfBegin \"$user:x == 2\" Sides 5 IfEnd AttributeEnd "
		"IfBegin \"$user:x == 1\" Sides 6 IfEnd AttributeEnd AttributeEnd "
		"IfBegin \"$user:x == 1\" Sides 7 IfEnd";
	char sides[] = "Sides 2\n";
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, text) == 0 && !r.errors, "%s", log_of(&r));
	for (; sides[6] <= '7'; sides[6]++)
		CHECK(strstr(calls_of(&r), sides), "%s: %s", sides, calls_of(&r));
	/* A procedural has an attribute block of its own. */
	CHECK(read_text(&r, "ArchiveBegin \"a\" Attribute \"user\" \"float x\" 1 ArchiveEnd "
			    "Procedural \"DelayedReadArchive\" \"a\" 0 0 0 0 0 0 "
			    "IfBegin \"defined(user:x)\" Sides 1 IfEnd ReadArchive \"a\" "
			    "IfBegin \"defined(user:x)\" Sides 2 IfEnd") == 0 &&
			!r.errors,
		"%s", log_of(&r));
	CHECK(!strstr(calls_of(&r), "Sides 1") && strstr(calls_of(&r), "Sides 2"), "%s",
		calls_of(&r));
	record_free(&r);
}

static CU_TestInfo tests[] = {
	{ "expressions have the usual values", expressions_have_the_usual_values },
	{ "long and deep expressions are bounded", long_and_deep_expressions_are_bounded },
	{ "one branch is executed", one_branch_is_executed },
	{ "unbalanced conditions are errors", unbalanced_conditions_are_errors },
	{ "deep conditions are bounded", deep_conditions_are_bounded },
	{ "variables are restored at the end of their block",
		variables_are_restored_at_the_end_of_their_block },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "conditional RIB", .pTests = tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
