#include "apps/gsched/options.h"
#include "apps/common/cli_options.h"
#include "apps/gsched/load_tree_items.h"

#define FIELD(member) CLI_FIELD(gs_options, member)

#define QUEUE_CHOICE(X, ENUM, name) "|" #name
#define QUEUES                      "all" LSCHED_QUEUES(QUEUE_CHOICE, 0)
#define SCHEME_CHOICE(ENUM, name)   "|" #name
#define SCHEMES                     "all" LSCHED_SCHEMES(SCHEME_CHOICE)

#define OPTION_BACKEND                                                                   \
	CLI_OPTION_BACKEND(                                                              \
		0, "select the backend; auto: CUDA if a device is usable", "Execution"), \
		CLI_OPTION_CURRENT_DEVICE
#define OPTION_OVERWRITE CLI_OPTION_OVERWRITE("overwrite existing files", "Reports")
#define OPTION_QUIET                                                     \
	CLI_OPTION_QUIET(0, "print errors only: no table, no progress"), \
		CLI_OPTION_LOG_LEVEL(                                    \
			"set the least severe messages to print: error, warn, info or debug")
#define OPTIONS_EXECUTION(default_repeat, default_queues, default_timeout)                         \
	OPTION_BACKEND,                                                                            \
		{ .name = "workers",                                                               \
			.letter = 't',                                                             \
			.type = CLI_NUMBERS,                                                       \
			.field = FIELD(workers),                                                   \
			.max = 1000000,                                                            \
			.preset = "0",                                                             \
			.metavar = "N[,N...]",                                                     \
			.help = "set the numbers of workers to measure: CPU threads or GPU warps " \
				"(0: one per processor, or all resident warps)",                   \
			.group = "Execution" },                                                    \
		{ .name = "queue",                                                                 \
			.type = CLI_LIST,                                                          \
			.field = FIELD(queues),                                                    \
			.choices = QUEUES,                                                         \
			.complete = "gsched list --names",                                         \
			.preset = default_queues,                                                  \
			.metavar = "NAME[,NAME...]",                                               \
			.help = "set the queues to measure: all, or names from gsched list",       \
			.group = "Execution" },                                                    \
		{ .name = "capacity",                                                              \
			.type = CLI_UINT,                                                          \
			.field = FIELD(capacity),                                                  \
			.max = LSCHED_MAX_TASKS,                                                   \
			.preset = "0",                                                             \
			.metavar = "N",                                                            \
			.help = "set the capacity of a queue that all workers share (items, 0: "   \
				"automatic)",                                                      \
			.group = "Execution" },                                                    \
		{ .name = "bin-size",                                                              \
			.type = CLI_UINT,                                                          \
			.field = FIELD(bin_size),                                                  \
			.max = 1 << 24,                                                            \
			.preset = "0",                                                             \
			.metavar = "N",                                                            \
			.help = "set the capacity of each worker's deque (items, rounded up "      \
				"to a power of two, 0: automatic)",                                \
			.group = "Execution" },                                                    \
		{ .name = "repeat",                                                                \
			.letter = 'r',                                                             \
			.type = CLI_UINT,                                                          \
			.field = FIELD(repeat),                                                    \
			.min = 1,                                                                  \
			.max = 100000,                                                             \
			.preset = default_repeat,                                                  \
			.metavar = "N",                                                            \
			.help = "set the number of timed runs per row, after one warm-up run; "    \
				"the table shows their median",                                    \
			.group = "Execution" },                                                    \
	{                                                                                          \
		.name = "timeout", .type = CLI_UINT, .field = FIELD(timeout_ms), .min = 1,         \
		.max = UINT32_MAX, .preset = default_timeout, .metavar = "MS",                     \
		.help = "fail a run in which no task finishes within MS milliseconds",             \
		.group = "Execution"                                                               \
	}
#define OPTION_OVERFLOW                                                                         \
	{                                                                                       \
		.name = "overflow", .type = CLI_CHOICE, .field = FIELD(overflow),               \
		.choices = "fail|inline", .preset = "inline",                                   \
		.help = "select the overflow policy of a full queue: fail the run, or let the " \
			"worker execute the item inline",                                       \
		.group = "Execution"                                                            \
	}
#define OPTION_NEVER_KEEP                                                                      \
	{                                                                                      \
		.name = "never-keep", .type = CLI_FLAG, .field = FIELD(never_keep),            \
		.help = "enqueue every ready task; without this option a worker keeps one to " \
			"execute next",                                                        \
		.group = "Execution"                                                           \
	}
#define OPTION_TIME_WORK                                                                           \
	{                                                                                          \
		.name = "time-work", .type = CLI_FLAG, .field = FIELD(time_work),                  \
		.help = "measure the time of the work itself, too (adds overhead); the remaining " \
			"time is shown as lost",                                                   \
		.group = "Load"                                                                    \
	}
#define OPTION_GRAIN(default_grain)                                                               \
	{                                                                                         \
		.name = "grain", .letter = 'g', .type = CLI_CHOICE, .field = FIELD(grain),        \
		.choices = "task|warp|lane", .preset = default_grain,                             \
		.help = "select what executes a unit; task: a worker, each unit enqueued by "     \
			"itself; warp, lane: a warp or one lane, units enqueued in chunks of 32", \
		.group = "Load"                                                                   \
	}
#define OPTION_SEED                                                                                \
	{                                                                                          \
		.name = "seed", .type = CLI_UINT, .field = FIELD(seed), .max = UINT32_MAX,         \
		.preset = "1", .metavar = "N", .help = "set the seed of the load", .group = "Load" \
	}
#define OPTIONS_LENGTH(default_work)                                                             \
	{ .name = "work",                                                                        \
		.letter = 'w',                                                                   \
		.type = CLI_UINT,                                                                \
		.field = FIELD(work),                                                            \
		.max = 100000000,                                                                \
		.preset = default_work,                                                          \
		.metavar = "N",                                                                  \
		.help = "set the mean length of a task (steps of one cosine)",                   \
		.group = "Load" },                                                               \
	{                                                                                        \
		.name = "law", .type = CLI_CHOICE, .field = FIELD(law),                          \
		.choices = "fixed|uniform|paper", .preset = "fixed",                             \
		.help = "select the lengths of tasks for --work N; fixed: N; uniform: 0 to 2N; " \
			"paper: N/8 times 1 to 16, as in the paper of 2012",                     \
		.group = "Load"                                                                  \
	}
#define OPTIONS_REPORTS                                                             \
	{ .name = "json",                                                           \
		.type = CLI_FILE,                                                   \
		.field = FIELD(json),                                               \
		.metavar = "FILE",                                                  \
		.help = "write all results to FILE, as JSON; - is standard output", \
		.group = "Reports" },                                               \
		{ .name = "csv",                                                    \
			.type = CLI_FILE,                                           \
			.field = FIELD(csv),                                        \
			.metavar = "FILE",                                          \
			.help = "write the table to FILE, as CSV",                  \
			.group = "Reports" },                                       \
		{ .name = "svg",                                                    \
			.type = CLI_FILE,                                           \
			.field = FIELD(svg),                                        \
			.metavar = "FILE",                                          \
			.help = "write a chart of the table to FILE, as SVG",       \
			.group = "Reports" },                                       \
		CLI_OPTION_TRACE("one more run"), OPTION_OVERWRITE, OPTION_QUIET

static const cli_opt list_opts[] = {
	{ .name = "json",
		.type = CLI_FLAG,
		.field = FIELD(as_json),
		.help = "print JSON instead of text",
		.group = "Reports" },
	{ .name = "names",
		.type = CLI_FLAG,
		.field = FIELD(names),
		.help = "print the names that --queue accepts",
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
		.help = "set the size of a picture (macroblocks, each side 1 to 4096); 120x68 is "
			"1080p",
		.group = "Load" },
	{ .name = "slices",
		.type = CLI_UINT,
		.field = FIELD(slices),
		.min = 1,
		.max = 4096,
		.preset = "1",
		.metavar = "N",
		.help = "set the slices per picture, at most one per macroblock row",
		.group = "Load" },
	{ .name = "frames",
		.type = CLI_UINT,
		.field = FIELD(frames),
		.min = 1,
		.max = 4096,
		.preset = "1",
		.metavar = "N",
		.help = "set the number of pictures per run (1 to 4096)",
		.group = "Load" },
	OPTIONS_LENGTH("0"),
	OPTION_SEED,
	{ .name = "sched",
		.type = CLI_LIST,
		.field = FIELD(schemes),
		.choices = SCHEMES,
		.preset = "all",
		.metavar = "NAME[,NAME...]",
		.help = "set the dependency schemes to measure: all, or names from gsched list",
		.group = "Execution" },
	OPTIONS_EXECUTION("11", "ring", "10000"),
	OPTION_OVERFLOW,
	OPTION_NEVER_KEEP,
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
		.help = "set the probability that a unit spawns units (0 to 1)",
		.group = "Load" },
	{ .name = "spawn",
		.letter = 'm',
		.type = CLI_UINT,
		.field = FIELD(children),
		.min = 1,
		.max = 1024,
		.preset = "2",
		.metavar = "M",
		.help = "set the number of units that such a unit spawns (1 to 1024)",
		.group = "Load" },
	{ .name = "initial",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(initial),
		.min = 1,
		.max = 1 << GSTREE_NAME_BITS,
		.preset = "10000",
		.metavar = "N",
		.help = "set the number of initial units",
		.group = "Load" },
	{ .name = "levels",
		.type = CLI_UINT,
		.field = FIELD(levels),
		.max = GSTREE_MAX_LEVEL,
		.preset = "254",
		.metavar = "N",
		.help = "set the last level of the tree (0 to 254); its units spawn nothing",
		.group = "Load" },
	OPTIONS_LENGTH("0"),
	OPTION_SEED,
	OPTION_TIME_WORK,
	OPTION_GRAIN("task"),
	OPTIONS_EXECUTION("5", "all", "10000"),
	OPTION_OVERFLOW,
	OPTION_NEVER_KEEP,
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
		.help = "set the number of units that a unit spawns (1 to 1024)",
		.group = "Load" },
	{ .name = "probability",
		.letter = 'p',
		.type = CLI_REAL,
		.field = FIELD(p),
		.max = 1,
		.preset = "0.3",
		.metavar = "P",
		.help = "set the probability that a unit spawns nothing (0 to 1)",
		.group = "Load" },
	{ .name = "levels",
		.type = CLI_UINT,
		.field = FIELD(levels),
		.max = GSTREE_MAX_LEVEL,
		.preset = "14",
		.metavar = "N",
		.help = "set the last level of the tree (0 to 254); its units spawn nothing",
		.group = "Load" },
	{ .name = "initial",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(initial),
		.min = 1,
		.max = 1 << GSTREE_NAME_BITS,
		.preset = "1",
		.metavar = "N",
		.help = "set the number of initial units",
		.group = "Load" },
	OPTIONS_LENGTH("100"),
	OPTION_SEED,
	OPTION_TIME_WORK,
	OPTION_GRAIN("task"),
	OPTIONS_EXECUTION("5", "all", "10000"),
	OPTION_OVERFLOW,
	OPTION_NEVER_KEEP,
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
		.help = "set the number of items per enqueue or dequeue (1 to 32)",
		.group = "Load" },
	{ .name = "rounds",
		.letter = 'n',
		.type = CLI_UINT,
		.field = FIELD(rounds),
		.min = 1,
		.max = 100000000,
		.preset = "10000",
		.metavar = "N",
		.help = "set the number of enqueues of each worker",
		.group = "Load" },
	{ .name = "latency",
		.type = CLI_FLAG,
		.field = FIELD(latency),
		.help = "measure the time of each operation, too (adds overhead)",
		.group = "Load" },
	OPTIONS_EXECUTION("5", "all", "60000"),
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
		.help = "compute Fibonacci number N (0 to 50)",
		.group = "Load" },
	OPTIONS_EXECUTION("5", "all", "10000"),
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
		.help = "set the number of tasks; all are ready at the start",
		.group = "Load" },
	OPTIONS_LENGTH("1000"),
	OPTION_SEED,
	OPTIONS_EXECUTION("5", "prio,ring", "10000"),
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
		.help = "write the page to FILE, and create its folder; - is standard output",
		.group = "Reports" },
	{ .name = "scale",
		.type = CLI_CHOICE,
		.field = FIELD(scale),
		.choices = "auto|tiny|small|full",
		.preset = "auto",
		.help = "select the sizes of the loads; auto: full on a GPU, small on the CPU "
			"(minutes)",
		.group = "Load" },
	{ .name = "scenes",
		.type = CLI_FILE,
		.field = FIELD(scenes),
		.metavar = "FOLDER",
		.help = "render the paper's scenes in FOLDER, NAME.rib or NAME/scene.rib: "
			"teapot_bez, teapot_motion, killeroo, bubbles, bigguy, grass1600, "
			"grass10000",
		.group = "Load" },
	OPTION_BACKEND,
	{ .name = "timeout",
		.type = CLI_UINT,
		.field = FIELD(timeout_ms),
		.min = 1,
		.max = UINT32_MAX,
		.preset = "60000",
		.metavar = "MS",
		.help = "fail a run in which no task finishes within MS milliseconds",
		.group = "Execution" },
	OPTION_OVERWRITE,
	OPTION_QUIET,
	{ 0 },
};

static const cli_program list_program = {
	.name = "gsched list",
	.synopsis = "[--json | --names]",
	.summary = "Lists devices, queues and dependency schemes.",
	.opts = list_opts,
};
static const cli_program wavefront_program = {
	.name = "gsched wavefront",
	.synopsis = "[options]",
	.summary =
		"Runs tasks with the dependencies of H.264 intra prediction.\n"
		"The load of Tzeng, Lloyd and Owens, \"A GPU Task-Parallel Model with Dependency\n"
		"Resolution\" (2012).",
	.epilogue = "Example: gsched wavefront --size 80x45 --slices 4 -w 4000 --law paper",
	.opts = wavefront_opts,
};
static const cli_program spawn_program = {
	.name = "gsched spawn",
	.synopsis = "[options]",
	.summary =
		"Runs units of work that spawn units at random.\n"
		"The synthetic work generator of Tzeng, Patney and Owens, \"Task Management for\n"
		"Irregular-Parallel Workloads on the GPU\" (2010), section 4.1.",
	.epilogue = "Example: gsched spawn --queue donate -p 0.3 -m 2 --bin-size 32",
	.opts = spawn_opts,
};
static const cli_program recurse_program = {
	.name = "gsched recurse",
	.synopsis = "[options]",
	.summary =
		"Runs a recursion that ends at random, or at the last level.\n"
		"The generic recursion kernel of Lauterbach, Mo and Manocha, \"Work distribution\n"
		"methods on GPUs\" (2009), section 4.4.",
	.epilogue = "Example: gsched recurse -t 3 -w 100 -p 0.3 --seed 7",
	.opts = recurse_opts,
};
static const cli_program queue_program = {
	.name = "gsched queue",
	.synopsis = "[options]",
	.summary = "Measures operations of the queues alone.\n"
		   "All workers enqueue and dequeue items; each item counts as two operations.",
	.epilogue = "Example: gsched queue --queue ring --lanes 32 --workers 132,528,2112",
	.opts = queue_opts,
};

static const cli_program fib_program = {
	.name = "gsched fib",
	.synopsis = "[N] [options]",
	.summary = "Computes a Fibonacci number by fork and join, one item per call.\n"
		   "fib(35) has 29.9 million items.",
	.epilogue = "Example: gsched fib 30 --queue abp,ring",
	.operand = "number",
	.opts = fib_opts,
};

static const cli_program priority_program = {
	.name = "gsched priority",
	.synopsis = "[options]",
	.summary = "Measures whether tasks start in the order of their priorities.\n"
		   "The scheduling accuracy of Steinberger et al., \"Softshell\" (2012): the\n"
		   "percentage of pairs of tasks in the right order. A random order gives 50 %.",
	.epilogue = "Example: gsched priority -n 20000 -w 2000 --queue prio,ring",
	.opts = priority_opts,
};
static const cli_program reproduce_program = {
	.name = "gsched reproduce",
	.synopsis = "[options]",
	.summary = "Measures the figures of five papers and writes one HTML page.\n"
		   "Each section has a picture, the numbers, a claim of the paper and the verdict.",
	.epilogue = "Example: gsched reproduce -o report/index.html",
	.opts = reproduce_opts,
};

const cli_program *const gs_programs[] = { &list_program, &wavefront_program, &spawn_program,
	&recurse_program, &queue_program, &fib_program, &priority_program, &reproduce_program,
	NULL };

const cli_program gs_program = {
	.name = "gsched",
	.synopsis = "COMMAND [options]",
	.summary = "Measures schedulers of many small tasks, on CPU threads or on a CUDA GPU.",
	.epilogue = "Each result is compared with the one that the host computes from the seed.\n"
		    "Exit code: 0 done, 1 failed or wrong result, 2 usage, 130 Ctrl-C.",
};

_Static_assert(LSCHED_BACKEND_AUTO == 0 && LSCHED_BACKEND_CPU == 1 && LSCHED_BACKEND_CUDA == 2,
	"the choices of --backend are in the order of lsched_backend");
_Static_assert(LSCHED_OVERFLOW_FAIL == 0 && LSCHED_OVERFLOW_INLINE == 1,
	"the choices of --overflow are in the order of lsched_overflow");
