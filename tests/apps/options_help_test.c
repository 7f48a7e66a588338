/* The option parser: unknown options, help, completion, version, commands. */
#include "tests/apps/options_table.h"

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
	/* A prefix of a name is not accepted. */
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

/* Returns the text that a function prints of a program; the caller frees it. */
static char *printed(void (*print)(const cli_program *, FILE *), const cli_program *p)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	print(p, f);
	fclose(f);
	return text;
}

static void test_help(void)
{
	char *text = printed(cli_print_help, &program);
	char *completion = printed(cli_print_completion, &program);

	for (int pass = 0; pass < 2; pass++)
		for (const cli_opt *o = pass ? cli_builtin : opts; o->name; o++) {
			char name[32];

			snprintf(name, sizeof(name), "--%s", o->name);
			CU_ASSERT_PTR_NOT_NULL(strstr(text, name));
			/* The help texts of this table fit one line. */
			CU_ASSERT_TRUE(pass == 1 || strstr(text, o->help));
			CU_ASSERT_PTR_NOT_NULL(strstr(completion, name));
		}
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nOne\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nTwo\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "[green]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "a choice; --no-choice: blue [green]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(completion, " --choice --no-choice --number "));
	CU_ASSERT_PTR_NOT_NULL(strstr(completion, "'red green blue'"));
	CU_ASSERT_PTR_NOT_NULL(strstr(completion, "compgen -W \"$(echo rose lily 2>/dev/null)\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(completion, "complete -F _prog prog"));
	free(text);
	free(completion);
}

/* Options of a small table have no group: one head for all. */
static void test_no_groups(void)
{
	static const cli_opt plain[] = {
		{ .name = "first", .type = CLI_FLAG, .help = "one" },
		{ .name = "second", .type = CLI_FLAG, .help = "two" },
		{ 0 },
	};
	static const cli_program small = {
		.name = "small", .synopsis = "[options]", .summary = "Is small.", .opts = plain
	};
	char *text = printed(cli_print_help, &small);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Is small.\n\nOptions\n      --first"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "one\n      --second"));
	CU_ASSERT_PTR_NULL(strstr(text, "(null)"));
	free(text);
}

/* Two commands: both are recognised, and both are in the help and in the completion. */
static void test_commands(void)
{
	static const cli_program one = {
		.name = "prog one", .summary = "The first.", .opts = opts
	};
	static const cli_program two = { .name = "prog two", .summary = "Another.", .opts = opts };
	static const cli_program run = {
		.name = "prog run", .synopsis = "THING", .summary = "Runs."
	};
	static const cli_program three = {
		.name = "prog run three", .summary = "The third.", .opts = opts
	};
	static const cli_program *const commands[] = { &one, &two, &run, NULL };
	static const cli_program *const members[] = { &two, &three, NULL };
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(cli_find_command(commands, "two"), 1);
	CU_ASSERT_EQUAL(cli_find_command(commands, "tw"), -1);
	CU_ASSERT_EQUAL(cli_find_command(commands, "prog two"), -1);
	cli_print_commands(&program, commands, f);
	cli_print_commands(&run, members, f);
	cli_print_commands_completion(&program, commands, &run, members, f);
	fclose(f);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "The first."));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Another."));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "_prog_one()"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "_prog_two()"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nThings\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "prog run THING --help"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "The third."));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "_prog_run_three()"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "three)\n\t\t_prog_run_three\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "two)\n\t\t_prog_two\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "complete -F _prog prog"));
	free(text);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "unknown options and missing values are different errors", test_mistakes },
		{ "help, completion and version need no table entry", test_builtin },
		{ "help and completion name every option", test_help },
		{ "options without groups have one head", test_no_groups },
		{ "commands are found, and their options completed", test_commands },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("cli help", tests);
}
