/* Rows of the tables of options that several programs have. A file that uses them defines
 * FIELD(member), the place of a member of its struct of options. */
#ifndef APPS_COMMON_CLI_OPTIONS_H
#define APPS_COMMON_CLI_OPTIONS_H

#include <libsched/sched.h>
#include "apps/common/cli.h"
#include "apps/common/log.h"

/* Words of CLI_CHOICE: "auto" and the names of the queues of libsched. */
#define CLI_QUEUE_WORD(X, ENUM, name) "|" #name
#define CLI_AUTO_QUEUES               "auto" LSCHED_QUEUES(CLI_QUEUE_WORD, 0)

/* short_name: a letter, or 0. */
#define CLI_OPTION_BACKEND(short_name, help_text, help_group)                          \
	{                                                                              \
		.name = "backend", .letter = short_name, .type = CLI_CHOICE,           \
		.field = FIELD(backend), .choices = "auto|cpu|cuda", .preset = "auto", \
		.help = help_text, .group = help_group                                 \
	}
#define CLI_OPTION_CURRENT_DEVICE                                                                  \
	{                                                                                          \
		.name = "device", .type = CLI_INT, .field = FIELD(device), .min = -1, .max = 1023, \
		.preset = "-1", .metavar = "N",                                                    \
		.help = "select the CUDA device (-1: the current one)", .group = "Execution"       \
	}
#define CLI_OPTION_THREADS(help_text)                                                        \
	{                                                                                    \
		.name = "threads", .letter = 't', .type = CLI_UINT, .field = FIELD(threads), \
		.max = 4096, .preset = "0", .metavar = "N", .help = help_text,               \
		.group = "Execution"                                                         \
	}
/* of_what: literal, completes "a timeline of ". */
#define CLI_OPTION_TRACE(of_what)                                                            \
	{                                                                                    \
		.name = "trace", .type = CLI_FILE, .field = FIELD(trace), .metavar = "FILE", \
		.help = "write a timeline of " of_what                                       \
			" to FILE: a picture if it ends in .svg, else JSON for Perfetto",    \
		.group = "Reports"                                                           \
	}
#define CLI_OPTION_OVERWRITE(help_text, help_group)                                              \
	{                                                                                        \
		.name = "overwrite", .letter = 'y', .type = CLI_FLAG, .field = FIELD(overwrite), \
		.help = help_text, .group = help_group                                           \
	}
#define CLI_OPTION_QUIET(short_name, help_text)                                                 \
	{                                                                                       \
		.name = "quiet", .letter = short_name, .type = CLI_FLAG, .field = FIELD(quiet), \
		.help = help_text, .group = "Reports"                                           \
	}
#define CLI_OPTION_LOG_LEVEL(help_text)                                                     \
	{                                                                                   \
		.name = "log-level", .type = CLI_CHOICE, .field = FIELD(log_level),         \
		.choices = LOG_LEVELS, .preset = "info", .metavar = "L", .help = help_text, \
		.group = "Reports"                                                          \
	}

#endif
