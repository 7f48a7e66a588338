/* The option table of gqueens. */
#include "apps/gqueens/options.h"
#include "apps/common/cli_options.h"

#include <string.h>

#define FIELD(member) CLI_FIELD(gq_options, member)

static int is_digits(const char *text)
{
	return text[strspn(text, "0123456789")] == '\0';
}

/* "16", "1-20", "8,10-12" */
static int is_numbers(const char *text)
{
	return text[strspn(text, "0123456789,-")] == '\0';
}

/* A file whose name is like a number of queens needs the prefix ./ */
static int takes_file(const char *next)
{
	return next[0] != '-' && !is_numbers(next);
}

static const cli_opt opts[] = {
	{ .name = "queens",
		.letter = 'n',
		.type = CLI_WORDS,
		.field = FIELD(words),
		.metavar = "N",
		.help = "set the number of queens N, or a range such as 1-20; same as the "
			"argument N",
		.group = "What" },
	{ .name = "unique",
		.letter = 'u',
		.type = CLI_FLAG,
		.field = FIELD(unique),
		.help = "count or print symmetry classes: rotated or reflected boards count once" },
	{ .name = "given",
		.letter = 'g',
		.type = CLI_TEXT,
		.field = FIELD(given_text),
		.metavar = "R:C[,R:C...]",
		.help = "count only boards with queens on these squares (row, column, from 0)" },
	{ .name = "toroidal",
		.type = CLI_FLAG,
		.field = FIELD(toroidal),
		.help = "count on a torus: diagonals wrap around the edges" },
	{ .name = "print",
		.letter = 'p',
		.type = CLI_OPTIONAL,
		.field = FIELD(print),
		.accepts = is_digits,
		.metavar = "K",
		.help = "print boards, the first K or all, instead of counting" },
	{ .name = "first",
		.type = CLI_FLAG,
		.field = FIELD(first),
		.help = "print one solution as the columns of its rows; N up to 1000000000" },
	{ .name = "svg",
		.type = CLI_FILE,
		.field = FIELD(svg),
		.metavar = "FILE",
		.help = "write the boards of --print or --first as an SVG picture" },
	{ .name = "estimate",
		.letter = 'e',
		.type = CLI_FLAG,
		.field = FIELD(estimate),
		.help = "estimate solutions and time, instead of counting" },
	{ .name = "list",
		.type = CLI_FLAG,
		.field = FIELD(list),
		.help = "list methods, instruction sets, queues and devices" },

	{ .name = "method",
		.letter = 'm',
		.type = CLI_CHOICE,
		.field = FIELD(method),
		.choices = "auto|tasks|backtrack|join",
		.preset = "auto",
		.metavar = "NAME",
		.help = "select the method: auto, tasks, backtrack or join, see --list",
		.group = "How" },
	CLI_OPTION_BACKEND('b', "select the backend that counts", "How"),
	{ .name = "device",
		.type = CLI_TEXT,
		.field = FIELD(device_text),
		.complete = "echo all",
		.metavar = "N|all",
		.help = "select the CUDA device, or all; without it the current one" },
	{ .name = "workers",
		.letter = 't',
		.type = CLI_UINT,
		.field = FIELD(workers),
		.max = 1000000,
		.preset = "0",
		.metavar = "N",
		.help = "set the number of CPU threads or GPU workers (0: all available)" },
	{ .name = "threads",
		.type = CLI_UINT,
		.field = FIELD(workers),
		.max = 1000000,
		.metavar = "N",
		.help = "same as --workers" },
	{ .name = "memory-limit",
		.type = CLI_REAL,
		.field = FIELD(memory_gb),
		.max = 1000000,
		.preset = "0",
		.metavar = "GB",
		.help = "limit the memory of each GPU for joins from 22 queens on (GB, 0: what "
			"is free, at most 30)" },
	{ .name = "queue",
		.type = CLI_CHOICE,
		.field = FIELD(queue),
		.choices = CLI_AUTO_QUEUES,
		.metavar = "NAME",
		.preset = "auto",
		.help = "select the queue of tasks, see --list (auto: ring, or a counter where "
			"that is faster)" },
	{ .name = "simd",
		.type = CLI_CHOICE,
		.field = FIELD(simd),
		.choices = "auto|scalar|avx2|avx512",
		.preset = "auto",
		.metavar = "NAME",
		.help = "select the instruction set: auto, scalar, avx2 or avx512" },

	{ .name = "time-limit",
		.type = CLI_REAL,
		.field = FIELD(time_limit_s),
		.max = 1000000000,
		.preset = "0",
		.metavar = "S",
		.help = "stop after S seconds (0: no limit)",
		.group = "Long runs" },
	{ .name = "checkpoint",
		.letter = 'c',
		.type = CLI_FILE,
		.field = FIELD(checkpoint),
		.metavar = "FILE",
		.help = "save finished units in FILE, periodically and at the end" },
	{ .name = "checkpoint-interval",
		.type = CLI_REAL,
		.field = FIELD(interval_s),
		.max = 1000000000,
		.preset = "60",
		.metavar = "S",
		.help = "set the time between two checkpoints (s)" },
	{ .name = "resume",
		.letter = 'r',
		.type = CLI_OPTIONAL,
		.field = FIELD(resume),
		.accepts = takes_file,
		.metavar = "FILE",
		.help = "continue from a checkpoint; without FILE from that of --checkpoint, if it "
			"exists" },
	{ .name = "range",
		.type = CLI_TEXT,
		.field = FIELD(range_text),
		.metavar = "I/N",
		.help = "count part I of N only (I from 1); --checkpoint saves it for --merge" },
	{ .name = "merge",
		.type = CLI_FLAG,
		.field = FIELD(merge),
		.help = "add the checkpoints given as arguments; each unit must be in exactly "
			"one" },
	{ .name = "verify-sample",
		.type = CLI_OPTIONAL,
		.field = FIELD(verify),
		.accepts = is_digits,
		.metavar = "K",
		.help = "count K random finished units (16) again on the CPU and compare; "
			"joins of more than 22 queens: K random sets of rows, by join and "
			"by backtracking" },

	{ .name = "json",
		.type = CLI_OPTIONAL,
		.field = FIELD(json),
		.accepts = cli_takes_json,
		.metavar = "FILE.json",
		.help = "write the results as JSON, without FILE to standard output instead of the "
			"count",
		.group = "Reports" },
	CLI_OPTION_OVERWRITE("overwrite existing files", "Reports"),
	CLI_OPTION_QUIET('q', "print errors only, no progress and no remarks"),
	CLI_OPTION_LOG_LEVEL("set the log level: error, warn, info or debug"),
	{ 0 },
};

const cli_program gq_program = {
	.name = "gqueens",
	.synopsis = "[options] N|N-N...",
	.summary =
		"Counts the ways to put N queens on an N x N board so that none attacks another.",
	.epilogue =
		"gqueens 16                          the count, alone on standard output\n"
		"gqueens 1-14 --unique               a table\n"
		"gqueens 20 -c q20 --range 1/3       a third of the work, saved in the file q20\n"
		"gqueens --merge q20 other third     the sum of the three parts\n"
		"gqueens 8 --given 0:3,5:2 --print   boards with these two queens",
	.operand = "queens",
	.opts = opts,
	.files = 1,
};

_Static_assert(NQ_METHOD_AUTO == 0 && NQ_METHOD_TASKS == 1 && NQ_METHOD_BACKTRACK == 2 &&
		       NQ_METHOD_JOIN == 3,
	"the names of --method are in the order of nq_method");
_Static_assert(NQ_SIMD_AUTO == 0 && NQ_SIMD_SCALAR == 1 && NQ_SIMD_AVX2 == 2 && NQ_SIMD_AVX512 == 3,
	"the names of --simd are in the order of nq_simd");
_Static_assert(NQ_BACKEND_AUTO == 0 && NQ_BACKEND_CPU == 1 && NQ_BACKEND_CUDA == 2,
	"the names of --backend are in the order of nq_backend");
