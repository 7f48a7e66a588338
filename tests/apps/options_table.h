/* An option table with an option of each type, and calls of the parser with it. */
#ifndef TESTS_APPS_OPTIONS_TABLE_H
#define TESTS_APPS_OPTIONS_TABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/common/cli.h"
#include "tests/common/testmain.h"

struct fields {
	int flag, on, choice, number;
	uint32_t count;
	uint64_t bytes, units;
	const char *text;
	cli_size size;
	cli_rate rate;
	double real;
	const char *list, *numbers;
	cli_words words;
	cli_optional maybe;
	int choice_given, text_given, words_given;
};

#define FIELD(member) CLI_FIELD(struct fields, member)

static inline int takes_digit(const char *next)
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
		.given = FIELD(choice_given),
		.negative = "blue",
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
	{ .name = "units",
		.type = CLI_COUNT,
		.field = FIELD(units),
		.min = 1,
		.max = 20000000,
		.preset = "10K",
		.metavar = "N",
		.help = "a number of units",
		.group = "Two" },
	{ .name = "text",
		.letter = 't',
		.type = CLI_TEXT,
		.field = FIELD(text),
		.given = FIELD(text_given),
		.complete = "echo rose lily",
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
		.given = FIELD(words_given),
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
static inline cli_action parse(const char *a, const char *b, const char *c, const char *d)
{
	char *argv[6] = { (char *)"prog", (char *)a, (char *)b, (char *)c, (char *)d, NULL };
	int argc = 1;

	while (argv[argc])
		argc++;
	message[0] = '\0';
	return cli_parse(parsed, &got, sizeof(got), argc, argv, message, sizeof(message));
}

#endif
