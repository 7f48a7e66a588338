/* The option table engine. */
#include "apps/common/cli.h"
#include "tests/common/testmain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fields {
	int flag, on, choice, number;
	uint32_t count;
	uint64_t bytes;
	const char *text;
	cli_size size;
	cli_rate rate;
	double real;
	const char *list, *numbers;
	cli_words words;
	cli_optional maybe;
};

#define FIELD(member) CLI_FIELD(struct fields, member)

static int takes_digit(const char *next)
{
	return next[0] >= '0' && next[0] <= '9' && next[1] == '\0';
}

static const cli_opt opts[] = {
	{ .name = "flag",
		.letter = 'f',
		.type = CLI_FLAG,
		.field = FIELD(flag),
		.help = "a flag",
		.group = "One" },
	{ .name = "on",
		.letter = 'O',
		.type = CLI_SWITCH,
		.field = FIELD(on),
		.preset = "on",
		.help = "a switch",
		.group = "One" },
	{ .name = "choice",
		.type = CLI_CHOICE,
		.field = FIELD(choice),
		.choices = "red|green|blue",
		.preset = "green",
		.help = "a choice",
		.group = "One" },
	{ .name = "number",
		.letter = 'n',
		.type = CLI_INT,
		.field = FIELD(number),
		.min = -5,
		.max = 5,
		.preset = "-1",
		.metavar = "N",
		.help = "a number",
		.group = "Two" },
	{ .name = "count",
		.letter = 'c',
		.type = CLI_UINT,
		.field = FIELD(count),
		.max = UINT32_MAX,
		.metavar = "N",
		.help = "a count",
		.group = "Two" },
	{ .name = "bytes",
		.type = CLI_BYTES,
		.field = FIELD(bytes),
		.preset = "2K",
		.metavar = "BYTES",
		.help = "a size in bytes",
		.group = "Two" },
	{ .name = "text",
		.letter = 't',
		.type = CLI_TEXT,
		.field = FIELD(text),
		.metavar = "TEXT",
		.help = "a text",
		.group = "Two" },
	{ .name = "size",
		.type = CLI_SIZE,
		.field = FIELD(size),
		.min = 1,
		.max = 100,
		.metavar = "WxH",
		.help = "a size",
		.group = "Two" },
	{ .name = "rate",
		.type = CLI_RATE,
		.field = FIELD(rate),
		.metavar = "R",
		.help = "a rate",
		.group = "Two" },
	{ .name = "real",
		.letter = 'r',
		.type = CLI_REAL,
		.field = FIELD(real),
		.min = -1,
		.max = 2,
		.preset = "0.5",
		.metavar = "X",
		.help = "a real",
		.group = "Two" },
	{ .name = "list",
		.type = CLI_LIST,
		.field = FIELD(list),
		.choices = "all|red|green",
		.preset = "all",
		.metavar = "NAME[,NAME...]",
		.help = "a list",
		.group = "Two" },
	{ .name = "numbers",
		.type = CLI_NUMBERS,
		.field = FIELD(numbers),
		.min = 1,
		.max = 64,
		.metavar = "N[,N...]",
		.help = "numbers",
		.group = "Two" },
	{ .name = "words",
		.type = CLI_WORDS,
		.field = FIELD(words),
		.metavar = "W",
		.help = "words",
		.group = "Two" },
	{ .name = "maybe",
		.letter = 'm',
		.type = CLI_OPTIONAL,
		.field = FIELD(maybe),
		.accepts = takes_digit,
		.metavar = "K",
		.help = "a digit or nothing",
		.group = "Two" },
	{ 0 },
};

static const cli_program program = {
	.name = "prog",
	.synopsis = "[options]",
	.summary = "A program.",
	.opts = opts,
};

static const cli_program collecting = {
	.name = "prog",
	.synopsis = "[options] W...",
	.summary = "A program.",
	.operand = "words",
	.opts = opts,
	.files = 1,
};

static const cli_program *parsed = &program;
static struct fields got;
static char message[300];

/* Parses up to four arguments; NULL ends them. */
static cli_action parse(const char *a, const char *b, const char *c, const char *d)
{
	char *argv[6] = { (char *)"prog", (char *)a, (char *)b, (char *)c, (char *)d, NULL };
	int argc = 1;

	while (argv[argc])
		argc++;
	message[0] = '\0';
	return cli_parse(parsed, &got, sizeof(got), argc, argv, message, sizeof(message));
}

/* The whole value is bad, and the message names it and the option. */
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
	refuse("--text", "", "not empty");
	refuse("--bytes", "2T", "number of bytes");
	refuse("--bytes", "17179869184G", "number of bytes");
	refuse("--bytes", "-1", "number of bytes");
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

static void test_mistakes(void)
{
	CU_ASSERT_EQUAL(parse("--cuont", "7", NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "'--cuont'; the closest option is --count"));
	CU_ASSERT_EQUAL(parse("--elephant=7", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "'--elephant'; see prog --help"));
	CU_ASSERT_EQUAL(parse("-fx", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "'-x'"));
	CU_ASSERT_EQUAL(parse("--flag=1", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "takes no value"));
	CU_ASSERT_EQUAL(parse("--count", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "--count needs a value (N)"));
	CU_ASSERT_EQUAL(parse("-c", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_EQUAL(parse("stray", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "'stray'"));
	/* The prefix of a name is not the name. */
	CU_ASSERT_EQUAL(parse("--coun", "7", NULL, NULL), CLI_BAD);
	CU_ASSERT_EQUAL(parse("--counts", "7", NULL, NULL), CLI_BAD);
}

static void test_builtin(void)
{
	CU_ASSERT_EQUAL(parse("--help", NULL, NULL, NULL), CLI_SHOW_HELP);
	CU_ASSERT_EQUAL(parse("-f", "-h", "--nonsense", NULL), CLI_SHOW_HELP);
	CU_ASSERT_EQUAL(parse("--help=completion", NULL, NULL, NULL), CLI_SHOW_COMPLETION);
	CU_ASSERT_EQUAL(parse("--help=me", NULL, NULL, NULL), CLI_BAD);
	CU_ASSERT_EQUAL(parse("--version", NULL, NULL, NULL), CLI_SHOW_VERSION);
	CU_ASSERT_EQUAL(parse("-V", NULL, NULL, NULL), CLI_SHOW_VERSION);
}

/* What a function prints; freed by the caller. */
static char *printed(void (*print)(const cli_program *, FILE *))
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	print(&program, f);
	fclose(f);
	return text;
}

static void test_help(void)
{
	char *text = printed(cli_print_help), *completion = printed(cli_print_completion);

	for (int pass = 0; pass < 2; pass++)
		for (const cli_opt *o = pass ? cli_builtin : opts; o->name; o++) {
			char name[32];

			snprintf(name, sizeof(name), "--%s", o->name);
			CU_ASSERT_PTR_NOT_NULL(strstr(text, name));
			/* Those of ours are short enough for one line. */
			CU_ASSERT_TRUE(pass == 1 || strstr(text, o->help));
			CU_ASSERT_PTR_NOT_NULL(strstr(completion, name));
		}
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nOne\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nTwo\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "[green]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(completion, "'red green blue'"));
	CU_ASSERT_PTR_NOT_NULL(strstr(completion, "complete -F _prog prog"));
	free(text);
	free(completion);
}

/* Two commands: both are recognised, and both are in the help and in the completion. */
static void test_commands(void)
{
	static const cli_program one = {
		.name = "prog one", .summary = "The first.", .opts = opts
	};
	static const cli_program two = { .name = "prog two", .summary = "Another.", .opts = opts };
	static const cli_program *const commands[] = { &one, &two, NULL };
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(cli_find_command(commands, "two"), 1);
	CU_ASSERT_EQUAL(cli_find_command(commands, "tw"), -1);
	CU_ASSERT_EQUAL(cli_find_command(commands, "prog two"), -1);
	cli_print_commands(&program, commands, f);
	cli_print_commands_completion(&program, commands, f);
	fclose(f);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "The first."));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Another."));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "_prog_one()"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "_prog_two()"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "complete -F _prog prog"));
	free(text);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "every option starts with its default", test_defaults },
		{ "values come apart, with =, or behind a letter", test_ways },
		{ "a bad value is named with what is allowed", test_ranges },
		{ "sizes, bytes and rates are read as people write them", test_values },
		{ "reals and lists are checked word by word", test_lists },
		{ "operands are collected", test_operands },
		{ "values that may be missing", test_values_that_may_be_missing },
		{ "unknown options and missing values are different errors", test_mistakes },
		{ "help, completion and version need no table entry", test_builtin },
		{ "help and completion name every option", test_help },
		{ "commands are found, and their options completed", test_commands },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "cli", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
