/* The option parser: values of every type, ranges, lists, operands. */
#include "tests/apps/options_table.h"

/* The value is refused, and the message names it, the option and the allowed values. */
static void refuse(const char *option, const char *value, const char *allowed)
{
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "'%s'", value);
	CU_ASSERT_EQUAL(parse(option, value, NULL, NULL), CLI_BAD);
	if (!strstr(message, option) || !strstr(message, quoted) || !strstr(message, allowed))
		printf("\n%s %s: %s\n", option, value, message);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, option));
	CU_ASSERT_PTR_NOT_NULL(strstr(message, quoted));
	CU_ASSERT_PTR_NOT_NULL(strstr(message, allowed));
	CU_ASSERT_PTR_NULL(strchr(message, '\n'));
}

static void test_defaults(void)
{
	CU_ASSERT_EQUAL(parse(NULL, NULL, NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.flag, 0);
	CU_ASSERT_EQUAL(got.on, 1);
	CU_ASSERT_EQUAL(got.choice, 1);
	CU_ASSERT_EQUAL(got.number, -1);
	CU_ASSERT_EQUAL(got.count, 0);
	CU_ASSERT_EQUAL(got.bytes, 2048);
	CU_ASSERT_EQUAL(got.units, 10000);
	CU_ASSERT_PTR_NULL(got.text);
	CU_ASSERT_EQUAL(got.size.width, 0);
	CU_ASSERT_EQUAL(got.rate.den, 0);
}

static void test_ways(void)
{
	CU_ASSERT_EQUAL(parse("--count", "7", "--number=-5", "-f"), CLI_RUN);
	CU_ASSERT_EQUAL(got.count, 7);
	CU_ASSERT_EQUAL(got.number, -5);
	CU_ASSERT_EQUAL(got.flag, 1);
	CU_ASSERT_EQUAL(parse("-c", "8", "-n=-2", "-ft-"), CLI_RUN);
	CU_ASSERT_EQUAL(got.count, 8);
	CU_ASSERT_EQUAL(got.number, -2);
	CU_ASSERT_EQUAL(got.flag, 1);
	CU_ASSERT_STRING_EQUAL(got.text, "-");
	CU_ASSERT_EQUAL(parse("-c4294967295", "--text", "--flag", NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.count, UINT32_MAX);
	CU_ASSERT_STRING_EQUAL(got.text, "--flag");
	CU_ASSERT_EQUAL(got.flag, 0);
	CU_ASSERT_EQUAL(parse("--choice=blue", "-Ooff", "--choice", "red"), CLI_RUN);
	CU_ASSERT_EQUAL(got.choice, 0);
	CU_ASSERT_EQUAL(got.on, 0);
}

/* The field `given` is set for an option on the command line, with its default value, too. */
static void test_given(void)
{
	CU_ASSERT_EQUAL(parse("--count", "7", NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.choice_given + got.text_given + got.words_given, 0);
	CU_ASSERT_EQUAL(parse("--choice", "green", NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.choice_given, 1);
	CU_ASSERT_EQUAL(got.text_given, 0);
	CU_ASSERT_EQUAL(parse("-fta", NULL, NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.text_given, 1);
	CU_ASSERT_EQUAL(got.choice_given, 0);
	parsed = &collecting;
	CU_ASSERT_EQUAL(parse("word", NULL, NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.words_given, 1);
	parsed = &program;
}

static void test_negatives(void)
{
	CU_ASSERT_EQUAL(parse("--no-choice", "--count", "7", NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.choice, 2);
	CU_ASSERT_EQUAL(got.choice_given, 1);
	CU_ASSERT_EQUAL(got.count, 7);
	CU_ASSERT_EQUAL(parse("--no-choice", "--choice=red", NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.choice, 0);
	CU_ASSERT_EQUAL(parse("--no-choice=red", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_STRING_EQUAL(message, "--no-choice takes no value, but got 'red'");
	CU_ASSERT_EQUAL(parse("--no-on", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "unknown option '--no-on'"));
	CU_ASSERT_EQUAL(parse("--no-", NULL, NULL, NULL), CLI_BAD);
}

static void test_ranges(void)
{
	refuse("--number", "6", "-5..5");
	refuse("--number", "-6", "-5..5");
	refuse("--number", "1.5", "-5..5");
	refuse("--number", "", "-5..5");
	refuse("--number", "0x1", "-5..5");
	refuse("--number", "99999999999999999999", "-5..5");
	refuse("--count", "4294967296", "0..4294967295");
	refuse("--count", "-1", "0..4294967295");
	refuse("--count", " 1", "0..4294967295");
	refuse("--on", "yes", "on or off");
	refuse("--choice", "gree", "one of red, green, blue");
	refuse("--choice", "green|blue", "one of red, green, blue");
	refuse("--choice", "", "one of red, green, blue");
	CU_ASSERT_EQUAL(parse("--text", "", NULL, NULL), CLI_BAD);
	CU_ASSERT_STRING_EQUAL(message, "--text: the value is empty");
	refuse("--bytes", "2T", "number of bytes");
	refuse("--bytes", "17179869184G", "number of bytes");
	refuse("--bytes", "-1", "number of bytes");
	refuse("--units", "0", "1..20000000");
	refuse("--units", "21M", "1..20000000");
	refuse("--units", "1K5", "such as 10K");
	refuse("--units", "1e3", "such as 10K");
	refuse("--size", "10", "each 1..100");
	refuse("--size", "10x0", "each 1..100");
	refuse("--size", "101x10", "each 1..100");
	refuse("--size", "10x10x10", "each 1..100");
	refuse("--rate", "0", "a rate");
	refuse("--rate", "25/0", "a rate");
	refuse("--rate", "nan", "a rate");
	refuse("--rate", "25fps", "a rate");
	refuse("--real", "2.0001", "-1..2");
	refuse("--real", "nan", "-1..2");
	refuse("--real", "0.5x", "-1..2");
	refuse("--real", "", "-1..2");
	refuse("--list", "red,blue", "a list of all, red, green");
	refuse("--list", "red,", "a list of");
	refuse("--list", ",red", "a list of");
	refuse("--list", "", "a list of");
	refuse("--numbers", "1,65", "a list of 1..64");
	refuse("--numbers", "1,,2", "a list of 1..64");
	refuse("--numbers", "1,2,", "a list of 1..64");
	refuse("--numbers", "000000000000000000000000001", "a list of 1..64");
}

static void expect_rate(const char *text, uint32_t num, uint32_t den)
{
	CU_ASSERT_EQUAL(parse("--rate", text, NULL, NULL), CLI_RUN);
	if (got.rate.num != num || got.rate.den != den)
		printf("\n%s: %u/%u\n", text, got.rate.num, got.rate.den);
	CU_ASSERT_EQUAL(got.rate.num, num);
	CU_ASSERT_EQUAL(got.rate.den, den);
}

static void test_values(void)
{
	CU_ASSERT_EQUAL(parse("--size", "100x1", "--bytes", "3G"), CLI_RUN);
	CU_ASSERT_EQUAL(got.size.width, 100);
	CU_ASSERT_EQUAL(got.size.height, 1);
	CU_ASSERT_EQUAL(got.bytes, 3ull << 30);
	CU_ASSERT_EQUAL(parse("--units", "20m", "--units", "7"), CLI_RUN);
	CU_ASSERT_EQUAL(got.units, 7);
	CU_ASSERT_EQUAL(parse("--units", "20m", "--on", "off"), CLI_RUN);
	CU_ASSERT_EQUAL(got.units, 20000000);
	expect_rate("25", 25, 1);
	expect_rate("29.97", 30000, 1001);
	expect_rate("23.976", 24000, 1001);
	expect_rate("59.94", 60000, 1001);
	expect_rate("12.5", 125, 10);
	expect_rate("30000/1001", 30000, 1001);
}

static void test_lists(void)
{
	const char *at, *word;

	CU_ASSERT_EQUAL(parse("-r.25", "--list", "green,red", NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.real, 0.25);
	CU_ASSERT_STRING_EQUAL(got.list, "green,red");
	CU_ASSERT_EQUAL(parse("--real=-1", "--numbers", "1,64,7", NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.real, -1);
	CU_ASSERT_STRING_EQUAL(got.list, "all");
	at = got.numbers;
	CU_ASSERT_EQUAL(cli_next_word(&at, &word), 1);
	CU_ASSERT_EQUAL(cli_next_word(&at, &word), 2);
	CU_ASSERT_EQUAL(strncmp(word, "64", 2), 0);
	CU_ASSERT_EQUAL(cli_next_word(&at, &word), 1);
	CU_ASSERT_EQUAL(*at, '\0');
}

static void test_operands(void)
{
	parsed = &collecting;
	CU_ASSERT_EQUAL(parse("one", "-f", "-3", "two"), CLI_RUN);
	CU_ASSERT_EQUAL(got.words.count, 3);
	CU_ASSERT_STRING_EQUAL(got.words.at[0], "one");
	CU_ASSERT_STRING_EQUAL(got.words.at[1], "-3");
	CU_ASSERT_STRING_EQUAL(got.words.at[2], "two");
	CU_ASSERT_EQUAL(got.flag, 1);
	CU_ASSERT_EQUAL(parse("--words", "one", "-", NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.words.count, 2);
	CU_ASSERT_EQUAL(parse("-f", "--", "-f", "--flag"), CLI_RUN);
	CU_ASSERT_EQUAL(got.words.count, 2);
	CU_ASSERT_STRING_EQUAL(got.words.at[0], "-f");
	CU_ASSERT_STRING_EQUAL(got.words.at[1], "--flag");
	CU_ASSERT_EQUAL(parse("--", "--", NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.words.count, 1);
	CU_ASSERT_EQUAL(parse("one", "", NULL, NULL), CLI_BAD);
	CU_ASSERT_EQUAL(parse("-x", NULL, NULL, NULL), CLI_BAD);
	parsed = &program;
	CU_ASSERT_EQUAL(parse("-3", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "unknown option '-3'"));
}

static void test_values_that_may_be_missing(void)
{
	parsed = &collecting;
	CU_ASSERT_EQUAL(parse("--count", "1", NULL, NULL), CLI_RUN);
	CU_ASSERT_EQUAL(got.maybe.given, 0);
	CU_ASSERT_EQUAL(parse("--maybe", NULL, NULL, NULL), CLI_RUN);
	CU_ASSERT_TRUE(got.maybe.given && !got.maybe.text && !got.maybe.separate);
	CU_ASSERT_EQUAL(parse("--maybe", "5", "six", NULL), CLI_RUN);
	CU_ASSERT_TRUE(got.maybe.separate);
	CU_ASSERT_STRING_EQUAL(got.maybe.text, "5");
	CU_ASSERT_EQUAL(got.words.count, 1);
	CU_ASSERT_EQUAL(parse("--maybe", "six", "-m", "7"), CLI_RUN);
	CU_ASSERT_EQUAL(got.words.count, 1);
	CU_ASSERT_STRING_EQUAL(got.maybe.text, "7");
	CU_ASSERT_EQUAL(parse("--maybe=six", "-fm", "-f", NULL), CLI_RUN);
	CU_ASSERT_TRUE(got.maybe.given && !got.maybe.text && !got.maybe.separate);
	CU_ASSERT_EQUAL(parse("-mfive", "5", NULL, NULL), CLI_RUN);
	CU_ASSERT_STRING_EQUAL(got.maybe.text, "five");
	CU_ASSERT_FALSE(got.maybe.separate);
	CU_ASSERT_EQUAL(got.words.count, 1);
	CU_ASSERT_EQUAL(parse("--maybe=", NULL, NULL, NULL), CLI_BAD);
	parsed = &program;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "every option starts with its default", test_defaults },
		{ "values are separate arguments, or follow = or a letter", test_ways },
		{ "the field of an option that is given is set", test_given },
		{ "--no-NAME sets the negative value", test_negatives },
		{ "an error names the bad value and the allowed ones", test_ranges },
		{ "sizes, bytes and rates are parsed in their usual notations", test_values },
		{ "reals and lists are checked word by word", test_lists },
		{ "operands are collected in order", test_operands },
		{ "optional values may be omitted", test_values_that_may_be_missing },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("cli", tests);
}
