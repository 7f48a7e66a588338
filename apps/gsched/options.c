#include "apps/gsched/options.h"
#include "apps/common/log.h"
#include "apps/gsched/load_tree_items.h"

#define FIELD(member) CLI_FIELD(gs_options, member)

#define QUEUE_WORD(X, ENUM, name) "|" #name
#define QUEUES                    "all" LSCHED_QUEUES(QUEUE_WORD, 0)
#define SCHEMES                   "all|dynamic|static|sync|epoch"

#define OPTION_BACKEND                                                                             \
	{ .name = "backend",                                                                       \
		.type = CLI_CHOICE,                                                                \
		.field = FIELD(backend),                                                           \
		.choices = "auto|cpu|cuda",                                                        \
		.preset = "auto",                                                                  \
		.help = "where to run; auto: CUDA if there is a device",                           \
		.group = "Execution" },                                                            \
	{                                                                                          \
		.name = "device", .type = CLI_INT, .field = FIELD(device), .min = -1, .max = 1023, \
		.preset = "-1", .metavar = "N", .help = "CUDA device (-1: the current one)",       \
		.group = "Execution"                                                               \
	}
#define OPTION_OVERWRITE                                                                         \
	{                                                                                        \
		.name = "overwrite", .letter = 'y', .type = CLI_FLAG, .field = FIELD(overwrite), \
		.help = "overwrite files that exist", .group = "Reports"                         \
	}
#define OPTION_QUIET                                                                \
	{ .name = "quiet",                                                          \
		.type = CLI_FLAG,                                                   \
		.field = FIELD(quiet),                                              \
		.help = "no table and no progress, errors only",                    \
		.group = "Reports" },                                               \
	{                                                                           \
		.name = "log-level", .type = CLI_CHOICE, .field = FIELD(log_level), \
		.choices = LOG_LEVELS, .preset = "info", .metavar = "L",            \
		.help = "error, warn, info or debug", .group = "Reports"            \
	}
#define OPTIONS_EXECUTION(default_repeat, default_queues)                                          \
	OPTION_BACKEND,                                                                            \
		{ .name = "workers",                                                               \
			.letter = 't',                                                             \
			.type = CLI_NUMBERS,                                                       \
			.field = FIELD(workers),                                                   \
			.max = 1000000,                                                            \
			.preset = "0",                                                             \
			.metavar = "N[,N...]",                                                     \
			.help = "CPU threads, or warps on the GPU (0: all processors, all "        \
				"resident "                                                        \
				"warps); each number is measured",                                 \
			.group = "Execution" },                                                    \
		{ .name = "queue",                                                                 \
			.type = CLI_LIST,                                                          \
			.field = FIELD(queues),                                                    \
			.choices = QUEUES,                                                         \
			.complete = "gsched list --names",                                         \
			.preset = default_queues,                                                  \
			.metavar = "NAME[,NAME...]",                                               \
			.help = "where ready work waits: all, or names from gsched list",          \
			.group = "Execution" },                                                    \
		{ .name = "capacity",                                                              \
			.type = CLI_UINT,                                                          \
			.field = FIELD(capacity),                                                  \
			.max = LSCHED_MAX_TASKS,                                                   \
			.preset = "0",                                                             \
			.metavar = "N",                                                            \
			.help = "items that central queues hold (0: enough)",                      \
			.group = "Execution" },                                                    \
		{ .name = "bin-size",                                                              \
			.type = CLI_UINT,                                                          \
			.field = FIELD(bin_size),                                                  \
			.max = 1 << 24,                                                            \
			.preset = "0",                                                             \
			.metavar = "N",                                                            \
			.help = "items of each private bin, made a power of two (0: enough)",      \
			.group = "Execution" },                                                    \
		{ .name = "repeat",                                                                \
			.letter = 'r',                                                             \
			.type = CLI_UINT,                                                          \
			.field = FIELD(repeat),                                                    \
			.min = 1,                                                                  \
			.max = 100000,                                                             \
			.preset = default_repeat,                                                  \
			.metavar = "N",                                                            \
			.help = "starts that are timed, after one to warm up; the median counts",  \
			.group = "Execution" },                                                    \
	{                                                                                          \
		.name = "timeout", .type = CLI_UINT, .field = FIELD(timeout_ms), .min = 1,         \
		.max = UINT32_MAX, .preset = "10000", .metavar = "MS",                             \
		.help = "a start fails when nothing is finished for so long", .group = "Execution" \
	}
#define OPTION_OVERFLOW                                                                        \
	{                                                                                      \
		.name = "overflow", .type = CLI_CHOICE, .field = FIELD(overflow),              \
		.choices = "fail|inline", .preset = "inline",                                  \
		.help = "what finds the queue full: ends the start, or stays with its worker", \
		.group = "Execution"                                                           \
	}
#define OPTION_KEEP                                                                               \
	{                                                                                         \
		.name = "never-keep", .type = CLI_FLAG, .field = FIELD(never_keep),               \
		.help = "all ready work goes through the queue; else a worker keeps one task to " \
			"run next",                                                               \
		.group = "Execution"                                                              \
	}
#define OPTION_TIME_WORK                                                               \
	{                                                                              \
		.name = "time-work", .type = CLI_FLAG, .field = FIELD(time_work),      \
		.help = "time the work alone too, which costs some: all else is lost", \
		.group = "Load"                                                        \
	}
#define OPTION_GRAIN(default_grain)                                                                \
	{                                                                                          \
		.name = "grain", .letter = 'g', .type = CLI_CHOICE, .field = FIELD(grain),         \
		.choices = "task|warp|lane", .preset = default_grain,                              \
		.help = "a unit is a task in the queue, or waits in its worker's fast memory and " \
			"is run by a warp or by one lane of it",                                   \
		.group = "Load"                                                                    \
	}
#define OPTION_SEED                                                                           \
	{                                                                                     \
		.name = "seed", .type = CLI_UINT, .field = FIELD(seed), .max = UINT32_MAX,    \
		.preset = "1", .metavar = "N", .help = "makes another load of the same kind", \
		.group = "Load"                                                               \
	}
#define OPTIONS_LENGTH(default_work)                                                               \
	{ .name = "work",                                                                          \
		.letter = 'w',                                                                     \
		.type = CLI_UINT,                                                                  \
		.field = FIELD(work),                                                              \
		.max = 100000000,                                                                  \
		.preset = default_work,                                                            \
		.metavar = "N",                                                                    \
		.help = "mean length of a task in steps, each a cosine",                           \
		.group = "Load" },                                                                 \
	{                                                                                          \
		.name = "law", .type = CLI_CHOICE, .field = FIELD(law),                            \
		.choices = "fixed|uniform|paper", .preset = "fixed",                               \
		.help = "lengths of tasks: all N; 0 to 2N; N/8 times 1 to 16, as in the paper of " \
			"2012",                                                                    \
		.group = "Load"                                                                    \
	}
#define OPTIONS_REPORTS                                                                            \
	{ .name = "json",                                                                          \
		.type = CLI_FILE,                                                                  \
		.field = FIELD(json),                                                              \
		.metavar = "FILE",                                                                 \
		.help = "write everything as JSON; - is standard output",                          \
		.group = "Reports" },                                                              \
		{ .name = "csv",                                                                   \
			.type = CLI_FILE,                                                          \
			.field = FIELD(csv),                                                       \
			.metavar = "FILE",                                                         \
			.help = "write the table as CSV",                                          \
			.group = "Reports" },                                                      \
		{ .name = "svg",                                                                   \
			.type = CLI_FILE,                                                          \
			.field = FIELD(svg),                                                       \
			.metavar = "FILE",                                                         \
			.help = "draw the table",                                                  \
			.group = "Reports" },                                                      \
		{ .name = "trace",                                                                 \
			.type = CLI_FILE,                                                          \
			.field = FIELD(trace),                                                     \
			.metavar = "FILE",                                                         \
			.help = "write a timeline of one more start: .svg is a picture, all else " \
				"JSON "                                                            \
				"for Perfetto",                                                    \
			.group = "Reports" },                                                      \
		OPTION_OVERWRITE, OPTION_QUIET

static const cli_opt list_opts[] = {
	{ .name = "json",
		.type = CLI_FLAG,
		.field = FIELD(as_json),
		.help = "print JSON instead of text",
		.group = "Reports" },
	{ .name = "names",
		.type = CLI_FLAG,
		.field = FIELD(names),
		.help = "print the words that --queue takes",
		.group = "Reports" },
	{ 0 },
};

static const cli_opt wavefront_opts[] = {
	{ .name = "size",
		.type = CLI_SIZE,
		.field = FIELD(size),
		.min = 1,
		.max = 4096,
		.preset = "120x68",
		.metavar = "WxH",
		.help = "macroblocks of a picture; 120x68 is 1080p",
		.group = "Load" },
	{ .name = "slices",
		.type = CLI_UINT,
		.field = FIELD(slices),
		.min = 1,
		.max = 4096,
		.preset = "1",
		.metavar = "N",
		.help = "slices of a picture, at most its rows",
		.group = "Load" },
	{ .name = "frames",
		.type = CLI_UINT,
		.field = FIELD(frames),
		.min = 1,
		.max = 4096,
		.preset = "1",
		.metavar = "N",
		.help = "pictures at work at a time",
		.group = "Load" },
	OPTIONS_LENGTH("0"),
	OPTION_SEED,
	{ .name = "sched",
		.type = CLI_LIST,
		.field = FIELD(schemes),
		.choices = SCHEMES,
		.preset = "all",
		.metavar = "NAME[,NAME...]",
		.help = "when work is ready: dynamic, static, sync, epoch or all",
		.group = "Execution" },
	OPTIONS_EXECUTION("11", "ring"),
	OPTION_OVERFLOW,
	OPTION_KEEP,
	OPTIONS_REPORTS,
	{ 0 },
};

static const cli_opt spawn_opts[] = {
	{ .name = "probability",
		.letter = 'p',
		.type = CLI_REAL,
		.field = FIELD(p),
		.max = 1,
		.preset = "0.3",
		.metavar = "P",
		.help = "a unit spawns with this probability, else it leaves",
		.group = "Load" },
	{ .name = "spawn",
		.letter = 'm',
		.type = CLI_UINT,
		.field = FIELD(children),
		.min = 1,
		.max = 1024,
		.preset = "2",
		.metavar = "M",
		.help = "units that it then makes",
		.group = "Load" },
	{ .name = "initial",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(initial),
		.min = 1,
		.max = 1 << GSTREE_NAME_BITS,
		.preset = "10000",
		.metavar = "N",
		.help = "units at the start",
		.group = "Load" },
	{ .name = "levels",
		.type = CLI_UINT,
		.field = FIELD(levels),
		.max = GSTREE_MAX_LEVEL,
		.preset = "254",
		.metavar = "N",
		.help = "units of this level spawn no more",
		.group = "Load" },
	OPTIONS_LENGTH("0"),
	OPTION_SEED,
	OPTION_TIME_WORK,
	OPTION_GRAIN("task"),
	OPTIONS_EXECUTION("5", "all"),
	OPTION_OVERFLOW,
	OPTION_KEEP,
	OPTIONS_REPORTS,
	{ 0 },
};

static const cli_opt recurse_opts[] = {
	{ .name = "spawn",
		.letter = 't',
		.type = CLI_UINT,
		.field = FIELD(children),
		.min = 1,
		.max = 1024,
		.preset = "3",
		.metavar = "T",
		.help = "units that a unit makes, unless it ends",
		.group = "Load" },
	{ .name = "probability",
		.letter = 'p',
		.type = CLI_REAL,
		.field = FIELD(p),
		.max = 1,
		.preset = "0.3",
		.metavar = "P",
		.help = "a unit ends with this probability",
		.group = "Load" },
	{ .name = "levels",
		.type = CLI_UINT,
		.field = FIELD(levels),
		.max = GSTREE_MAX_LEVEL,
		.preset = "14",
		.metavar = "N",
		.help = "units of this level end",
		.group = "Load" },
	{ .name = "initial",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(initial),
		.min = 1,
		.max = 1 << GSTREE_NAME_BITS,
		.preset = "1",
		.metavar = "N",
		.help = "units at the start",
		.group = "Load" },
	OPTIONS_LENGTH("100"),
	OPTION_SEED,
	OPTION_TIME_WORK,
	OPTION_GRAIN("task"),
	OPTIONS_EXECUTION("5", "all"),
	OPTION_OVERFLOW,
	OPTION_KEEP,
	OPTIONS_REPORTS,
	{ 0 },
};

static const cli_opt queue_opts[] = {
	{ .name = "lanes",
		.letter = 'l',
		.type = CLI_UINT,
		.field = FIELD(lanes),
		.min = 1,
		.max = 32,
		.preset = "1",
		.metavar = "N",
		.help = "items that one operation puts in or takes out",
		.group = "Load" },
	{ .name = "rounds",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(rounds),
		.min = 1,
		.max = 100000000,
		.preset = "10000",
		.metavar = "N",
		.help = "times that every worker puts in and takes out",
		.group = "Load" },
	{ .name = "latency",
		.type = CLI_FLAG,
		.field = FIELD(latency),
		.help = "time each call too, which costs some",
		.group = "Load" },
	OPTIONS_EXECUTION("5", "all"),
	OPTIONS_REPORTS,
	{ 0 },
};

static const cli_opt fib_opts[] = {
	{ .name = "number",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(number),
		.max = 50,
		.preset = "25",
		.metavar = "N",
		.help = "which Fibonacci number",
		.group = "Load" },
	OPTIONS_EXECUTION("5", "all"),
	OPTION_OVERFLOW,
	OPTIONS_REPORTS,
	{ 0 },
};

static const cli_opt priority_opts[] = {
	{ .name = "initial",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(initial),
		.min = 1,
		.max = 1 << 24,
		.preset = "5000",
		.metavar = "N",
		.help = "tasks, all there at the start",
		.group = "Load" },
	OPTIONS_LENGTH("1000"),
	OPTION_SEED,
	OPTIONS_EXECUTION("5", "prio,ring"),
	OPTION_OVERFLOW,
	OPTIONS_REPORTS,
	{ 0 },
};

static const cli_opt reproduce_opts[] = {
	{ .name = "out",
		.letter = 'o',
		.type = CLI_FILE,
		.field = FIELD(out),
		.preset = "report/index.html",
		.metavar = "FILE",
		.help = "the page to write; its folder is made if need be; - is standard output",
		.group = "Reports" },
	{ .name = "scale",
		.type = CLI_CHOICE,
		.field = FIELD(scale),
		.choices = "auto|tiny|small|full",
		.preset = "auto",
		.help = "sizes of the loads; auto: full on a GPU, small on the CPU (minutes)",
		.group = "Load" },
	OPTION_BACKEND,
	{ .name = "timeout",
		.type = CLI_UINT,
		.field = FIELD(timeout_ms),
		.min = 1,
		.max = UINT32_MAX,
		.preset = "60000",
		.metavar = "MS",
		.help = "a start fails when nothing is finished for so long",
		.group = "Execution" },
	OPTION_OVERWRITE,
	OPTION_QUIET,
	{ 0 },
};

static const cli_program list_program = {
	.name = "gsched list",
	.synopsis = "[--json | --names]",
	.summary = "Devices, queues and dependency schemes.",
	.opts = list_opts,
};
static const cli_program wavefront_program = {
	.name = "gsched wavefront",
	.synopsis = "[options]",
	.summary =
		"Tasks that wait for each other as in H.264 intra prediction.\n"
		"The load of Tzeng, Lloyd and Owens, \"A GPU Task-Parallel Model with Dependency\n"
		"Resolution\" (2012).",
	.epilogue = "Example: gsched wavefront --size 80x45 --slices 4 -w 4000 --law paper",
	.opts = wavefront_opts,
};
static const cli_program spawn_program = {
	.name = "gsched spawn",
	.synopsis = "[options]",
	.summary =
		"Units of work that make more units, or leave.\n"
		"The synthetic work generator of Tzeng, Patney and Owens, \"Task Management for\n"
		"Irregular-Parallel Workloads on the GPU\" (2010), section 4.1.",
	.epilogue = "Example: gsched spawn --queue donate -p 0.3 -m 2 --bin-size 32",
	.opts = spawn_opts,
};
static const cli_program recurse_program = {
	.name = "gsched recurse",
	.synopsis = "[options]",
	.summary =
		"A recursion that ends at random, at the latest at the last level.\n"
		"The generic recursion kernel of Lauterbach, Mo and Manocha, \"Work distribution\n"
		"methods on GPUs\" (2009), section 4.4.",
	.epilogue = "Example: gsched recurse -t 3 -w 100 -p 0.3 --seed 7",
	.opts = recurse_opts,
};
static const cli_program queue_program = {
	.name = "gsched queue",
	.synopsis = "[options]",
	.summary = "Operations of the queues alone: items go in and come out.\n"
		   "An item put in and an item taken out count two.",
	.epilogue = "Example: gsched queue --queue ring --lanes 32 --workers 132,528,2112",
	.opts = queue_opts,
};

static const cli_program fib_program = {
	.name = "gsched fib",
	.synopsis = "[N] [options]",
	.summary = "Fibonacci numbers by fork and join, an item for each call.\n"
		   "fib(35) makes 29.9 million items.",
	.epilogue = "Example: gsched fib 30 --queue abp,ring",
	.operand = "number",
	.opts = fib_opts,
};

static const cli_program priority_program = {
	.name = "gsched priority",
	.synopsis = "[options]",
	.summary = "Tasks with random priorities: how well their order follows.\n"
		   "The scheduling accuracy of Steinberger et al., \"Softshell\" (2012): of all\n"
		   "pairs of tasks, how many came in the right order. 50 % is no order at all.",
	.epilogue = "Example: gsched priority -n 20000 -w 2000 --queue prio,ring",
	.opts = priority_opts,
};
static const cli_program reproduce_program = {
	.name = "gsched reproduce",
	.synopsis = "[options]",
	.summary = "The papers' figures, measured here, as one HTML page.\n"
		   "For each the picture, the numbers, the paper's claim, and whether it holds.",
	.epilogue = "Example: gsched reproduce -o report/index.html",
	.opts = reproduce_opts,
};

const cli_program *const gs_programs[] = { &list_program, &wavefront_program, &spawn_program,
	&recurse_program, &queue_program, &fib_program, &priority_program, &reproduce_program,
	NULL };

const cli_program gs_program = {
	.name = "gsched",
	.synopsis = "COMMAND [options]",
	.summary =
		"Shows what schedulers of many small tasks do, on CPU threads and on a CUDA GPU.",
	.epilogue = "Every result is checked against what the host computes from the seed.\n"
		    "Exit code: 0 done, 1 failed or wrong, 2 usage, 130 Ctrl-C.",
};

_Static_assert(LSCHED_BACKEND_AUTO == 0 && LSCHED_BACKEND_CPU == 1 && LSCHED_BACKEND_CUDA == 2,
	"the words of --backend are in the order of lsched_backend");
_Static_assert(LSCHED_OVERFLOW_FAIL == 0 && LSCHED_OVERFLOW_INLINE == 1,
	"the words of --overflow are in the order of lsched_overflow");
