/* The options of a workload's command: its own ones, then those of its executions and reports. */
#include "apps/common/cli_options.h"
#include "apps/gsched/options.h"

#include <string.h>

#define FIELD(member) CLI_FIELD(gs_options, member)

#define QUEUE_CHOICE(X, ENUM, name) "|" #name
#define QUEUES                      "all" LSCHED_QUEUES(QUEUE_CHOICE, 0)
#define SCHEME_CHOICE(ENUM, name)   "|" #name
#define SCHEMES                     "all" LSCHED_SCHEMES(SCHEME_CHOICE)

static const cli_opt scheme_opt = {
	.name = "sched",
	.type = CLI_LIST,
	.field = FIELD(schemes),
	.choices = SCHEMES,
	.preset = "all",
	.metavar = "NAME[,NAME...]",
	.help = "set the dependency schemes to measure: all, or names from gsched list",
	.group = "Execution",
};

/* The defaults of --queue, --repeat and --timeout are the workload's. */
static const cli_opt execution_opts[] = {
	GS_OPTIONS_DEVICE,
	{ .name = "workers",
		.letter = 't',
		.type = CLI_NUMBERS,
		.field = FIELD(workers),
		.max = 1000000,
		.preset = "0",
		.metavar = "N[,N...]",
		.help = "set the numbers of workers to measure: CPU threads or GPU warps "
			"(0: one per processor, or all resident warps)" },
	{ .name = "queue",
		.type = CLI_LIST,
		.field = FIELD(queues),
		.choices = QUEUES,
		.complete = "gsched list --names",
		.metavar = "NAME[,NAME...]",
		.help = "set the queues to measure: all, or names from gsched list" },
	{ .name = "capacity",
		.type = CLI_UINT,
		.field = FIELD(capacity),
		.max = LSCHED_MAX_TASKS,
		.preset = "0",
		.metavar = "N",
		.help = "set the capacity of a queue that all workers share (items, 0: "
			"automatic)" },
	{ .name = "bin-size",
		.type = CLI_UINT,
		.field = FIELD(bin_size),
		.max = 1 << 24,
		.preset = "0",
		.metavar = "N",
		.help = "set the capacity of each worker's deque (items, rounded up to a power "
			"of two, 0: automatic)" },
	{ .name = "repeat",
		.letter = 'r',
		.type = CLI_UINT,
		.field = FIELD(repeat),
		.max = 100000,
		.metavar = "N",
		.help = "set the number of timed runs per row, after one warm-up run; the table "
			"shows their median (0: 5; a solver runs once, without a warm-up run)" },
	{ .name = "timeout",
		.type = CLI_UINT,
		.field = FIELD(timeout_ms),
		.min = 1,
		.max = UINT32_MAX,
		.metavar = "MS",
		.help = "fail a run in which no task finishes within MS milliseconds" },
	{ 0 },
};

/* These follow `execution_opts`. */
static const cli_opt overflow_opt = {
	.name = "overflow",
	.type = CLI_CHOICE,
	.field = FIELD(overflow),
	.choices = "fail|inline",
	.preset = "inline",
	.help = "select the overflow policy of a full queue: fail the run, or let the worker "
		"execute the item inline",
};

static const cli_opt never_keep_opt = {
	.name = "never-keep",
	.type = CLI_FLAG,
	.field = FIELD(never_keep),
	.help = "enqueue every ready task, and all items after each batch; without this option a "
		"worker keeps one task to execute next, or nearly all items",
};

static const cli_opt no_plain_opt = {
	.name = "no-plain",
	.type = CLI_FLAG,
	.field = FIELD(no_plain),
	.help = "leave out the row of the same work without the scheduler",
};

static const cli_opt report_opts[] = {
	{ .name = "json",
		.type = CLI_FILE,
		.field = FIELD(json),
		.metavar = "FILE",
		.help = "write all results to FILE, as JSON; - is standard output",
		.group = "Reports" },
	{ .name = "csv",
		.type = CLI_FILE,
		.field = FIELD(csv),
		.metavar = "FILE",
		.help = "write the table to FILE, as CSV" },
	{ .name = "svg",
		.type = CLI_FILE,
		.field = FIELD(svg),
		.metavar = "FILE",
		.help = "write a chart of the table to FILE, as SVG" },
	CLI_OPTION_TRACE("one more run"),
	{ .name = "stats",
		.type = CLI_FLAG,
		.field = FIELD(stats),
		.help = "print counts, times and mean fill of the procedures in one more run, "
			"too" },
	CLI_OPTION_OVERWRITE("overwrite existing files", "Reports"),
	GS_OPTIONS_MESSAGES,
	{ 0 },
};

_Static_assert(LSCHED_BACKEND_AUTO == 0 && LSCHED_BACKEND_CPU == 1 && LSCHED_BACKEND_CUDA == 2,
	"the choices of --backend are in the order of lsched_backend");
_Static_assert(LSCHED_OVERFLOW_FAIL == 0 && LSCHED_OVERFLOW_INLINE == 1,
	"the choices of --overflow are in the order of lsched_overflow");
_Static_assert(sizeof(wl_size) == sizeof(cli_size), "an option of WL_SIZE is a cli_size");

/* The option of the program for an option of a workload. */
static cli_opt convert(const wl_param *p)
{
	static const cli_type types[] = {
		[WL_FLAG] = CLI_FLAG,
		[WL_CHOICE] = CLI_CHOICE,
		[WL_COUNT] = CLI_COUNT,
		[WL_UINT] = CLI_UINT,
		[WL_REAL] = CLI_REAL,
		[WL_SIZE] = CLI_SIZE,
		[WL_TEXT] = CLI_TEXT,
		[WL_OUTPUT] = CLI_FILE,
		[WL_FILE] = CLI_FILE,
	};
	const cli_opt o = {
		.name = p->name,
		.letter = p->letter,
		.type = types[p->kind],
		.field = FIELD(work) + p->field,
		.min = p->min,
		.max = p->max,
		.preset = p->preset,
		.choices = p->choices,
		.metavar = p->metavar,
		.help = p->help,
		.group = "Load",
	};

	return o;
}

static const char *preset_of(const wl_type *type, const cli_opt *o)
{
	if (strcmp(o->name, "queue") == 0)
		return type->queues;
	if (strcmp(o->name, "repeat") == 0)
		return type->repeat ? type->repeat : "5";
	if (strcmp(o->name, "timeout") == 0)
		return type->timeout_ms ? type->timeout_ms : "10000";
	return o->preset;
}

void gs_workload_options(const wl_type *type, cli_opt *out)
{
	for (const wl_param *p = type->params; p->name; p++)
		*out++ = convert(p);
	if (type->accepts & WL_SCHEMES)
		*out++ = scheme_opt;
	for (const cli_opt *o = execution_opts; o->name; o++) {
		*out = *o;
		out++->preset = preset_of(type, o);
	}
	if (type->accepts & WL_OVERFLOW)
		*out++ = overflow_opt;
	if (type->accepts & WL_NEVER_KEEP)
		*out++ = never_keep_opt;
	if (type->accepts & WL_PLAIN)
		*out++ = no_plain_opt;
	for (const cli_opt *o = report_opts; o->name; o++)
		*out++ = *o;
	memset(out, 0, sizeof(*out));
}
