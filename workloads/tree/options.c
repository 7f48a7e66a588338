/* The workloads `spawn` and `recurse`: the same trees with other options. */
#include "workloads/tree/options.h"
#include "workloads/tree/tree_items.h"

#include <inttypes.h>

#define FIELD(member) WL_FIELD(tree_options, member)

#define PARAM_PROBABILITY(text)                                                           \
	{                                                                                 \
		.name = "probability", .letter = 'p', .kind = WL_REAL, .field = FIELD(p), \
		.max = 1, .preset = "0.3", .metavar = "P",                                \
		.help = "set the probability that a unit spawns " text " (0 to 1)"        \
	}
#define PARAM_SPAWN(short_name, value, meta, text)                                                \
	{                                                                                         \
		.name = "spawn", .letter = short_name, .kind = WL_UINT, .field = FIELD(children), \
		.min = 1, .max = 1024, .preset = value, .metavar = meta,                          \
		.help = "set the number of units that " text " spawns (1 to 1024)"                \
	}
#define PARAMS_REST(initial_units, last_level, work)                                          \
	{ .name = "initial",                                                                  \
		.letter = 'n',                                                                \
		.kind = WL_UINT,                                                              \
		.field = FIELD(initial),                                                      \
		.min = 1,                                                                     \
		.max = 1 << GSTREE_NAME_BITS,                                                 \
		.preset = initial_units,                                                      \
		.metavar = "N",                                                               \
		.help = "set the number of initial units" },                                  \
		{ .name = "levels",                                                           \
			.kind = WL_UINT,                                                      \
			.field = FIELD(levels),                                               \
			.max = GSTREE_MAX_LEVEL,                                              \
			.preset = last_level,                                                 \
			.metavar = "N",                                                       \
			.help = "set the last level of the tree (0 to 254); its units spawn " \
				"nothing" },                                                  \
		WL_PARAMS_LENGTH(tree_options, work),                                         \
		{ .name = "time-work",                                                        \
			.kind = WL_FLAG,                                                      \
			.field = FIELD(time_work),                                            \
			.help = "measure the time of the work itself, too (adds overhead); "  \
				"the remaining time is shown as lost" },                      \
		{ .name = "grain",                                                            \
			.letter = 'g',                                                        \
			.kind = WL_CHOICE,                                                    \
			.field = FIELD(grain),                                                \
			.preset = "task",                                                     \
			.choices = "task|warp|lane",                                          \
			.help = "select what executes a unit; task: a worker, each unit "     \
				"enqueued by itself; warp, lane: a warp or one lane, units "  \
				"enqueued in chunks of 32" },                                 \
	{                                                                                     \
		0                                                                             \
	}

static const wl_param spawn_params[] = {
	PARAM_PROBABILITY("units"),
	PARAM_SPAWN('m', "2", "M", "such a unit"),
	PARAMS_REST("10000", "254", "0"),
};

static const wl_param recurse_params[] = {
	PARAM_SPAWN('t', "3", "T", "a unit"),
	PARAM_PROBABILITY("nothing"),
	PARAMS_REST("1", "14", "100"),
};

/* Returns 0, or -1 with msg if --grain warp or lane does not support the other options. */
static int check_options(const void *options, char *msg, size_t msg_bytes)
{
	const tree_options *o = options;
	const int lane = o->grain == TREE_GRAIN_LANE;
	const uint32_t max = lane ? (uint32_t)GSLANE_MAX_CHILDREN : (uint32_t)GSWARP_MAX_CHILDREN;

	if (o->grain == TREE_GRAIN_TASK)
		return 0;
	if (o->children > max)
		return wl_fail(msg, msg_bytes,
			"--spawn %" PRIu32 " is more than the %" PRIu32 " units of --grain %s",
			o->children, max, lane ? "lane" : "warp");
	if (o->time_work)
		return wl_fail(msg, msg_bytes, "--time-work needs --grain task");
	return 0;
}

static int create_spawn(wl_work *l, wl_device *d, const void *options, char *msg, size_t n)
{
	const tree_options *o = options;

	return tree_create(l, d, o, o->p, msg, n);
}

static int create_recurse(wl_work *l, wl_device *d, const void *options, char *msg, size_t n)
{
	const tree_options *o = options;

	return tree_create(l, d, o, 1 - o->p, msg, n);
}

static const char *const spawn_cases[] = { "-n 1 -p 0", "-n 1 -p 1 -m 1 --levels 9",
	"-n 500 -w 5 --law uniform", "-n 99 -g lane", "-n 99 -g warp", NULL };
static const char *const recurse_cases[] = { "--spawn 1 -p 1", "-n 3 --levels 5",
	"--levels 6 -w 9 --time-work", "--levels 6 -g lane", "--levels 6 -g warp", NULL };

const wl_type wl_spawn_type = {
	.name = "spawn",
	.summary =
		"Runs units of work that spawn units at random.\n"
		"The synthetic work generator of Tzeng, Patney and Owens, \"Task Management for\n"
		"Irregular-Parallel Workloads on the GPU\" (2010), section 4.1.",
	.example = "--queue donate -p 0.3 -m 2 --bin-size 32",
	.unit = "tasks",
	.queues = "all",
	.cases = spawn_cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_TREES,
	.params = spawn_params,
	.options_bytes = sizeof(tree_options),
	.check_options = check_options,
	.create = create_spawn,
};

const wl_type wl_recurse_type = {
	.name = "recurse",
	.summary =
		"Runs a recursion that ends at random, or at the last level.\n"
		"The generic recursion kernel of Lauterbach, Mo and Manocha, \"Work distribution\n"
		"methods on GPUs\" (2009), section 4.4.",
	.example = "--spawn 3 -w 100 -p 0.3 --seed 7",
	.unit = "tasks",
	.queues = "all",
	.cases = recurse_cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_TREES,
	.params = recurse_params,
	.options_bytes = sizeof(tree_options),
	.check_options = check_options,
	.create = create_recurse,
};
