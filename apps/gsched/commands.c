/* The commands: list, run, those of the synthetic loads, latency, reproduce; and one of `gsched
 * run` for each workload. Made once from the table of workloads. */
#include "apps/gsched/options.h"
#include "libsched/core/say.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WORKLOADS = 24 };

static struct workload_command {
	cli_program program;
	cli_opt opts[GS_MAX_OPTIONS];
	char name[40], example[160];
} made[MAX_WORKLOADS];
static const cli_program *commands[MAX_WORKLOADS + 5], *run_commands[MAX_WORKLOADS + 1];

/* Makes the command of a workload: "gsched run sort", or "gsched spawn" for a synthetic load. */
static const cli_program *make_command(struct workload_command *c, const wl_type *type)
{
	snprintf(c->name, sizeof(c->name), "gsched %s%s", wl_is_synthetic(type) ? "" : "run ",
		type->name);
	snprintf(c->example, sizeof(c->example), "Example: %s %s", c->name, type->example);
	gs_workload_options(type, c->opts);
	c->program = (cli_program){
		.name = c->name,
		.synopsis = type->operand ? "[N] [options]" : "[options]",
		.summary = type->summary,
		.epilogue = c->example,
		.operand = type->operand,
		.opts = c->opts,
	};
	return &c->program;
}

void gs_commands_init(void)
{
	size_t n = 0;

	commands[n++] = &gs_list_program;
	commands[n++] = &gs_run_program;
	for (size_t i = 0; wl_types[i] && i < MAX_WORKLOADS; i++) {
		run_commands[i] = make_command(&made[i], wl_types[i]);
		if (wl_is_synthetic(wl_types[i]))
			commands[n++] = run_commands[i];
	}
	commands[n++] = &gs_latency_program;
	commands[n++] = &gs_service_program;
	commands[n] = &gs_reproduce_program;
}

const cli_program *const *gs_commands(void)
{
	return commands;
}

const cli_program *const *gs_run_commands(void)
{
	return run_commands;
}

int gs_find_command(gs_command *c, int argc, char **argv, char *msg, size_t msg_bytes)
{
	const int is_run = argc > 0 && strcmp(argv[0], "run") == 0;
	const cli_program *const *list = is_run ? run_commands : commands;
	const char *word = argc > is_run ? argv[is_run] : NULL;
	int found;

	if (is_run && (!word || word[0] == '-')) {
		*c = (gs_command){ GS_RUN, &gs_run_program, NULL };
		return 1;
	}
	found = word ? cli_find_command(list, word) : -1;
	if (found < 0)
		return lsched_i_say(0, msg, msg_bytes,
			is_run ? "unknown workload '%s'; see gsched run --help"
			       : "unknown command '%s'; see gsched --help",
			word ? word : "");
	c->program = list[found];
	c->type = wl_find(word);
	c->kind = c->type                               ? GS_WORKLOAD
		  : c->program == &gs_latency_program   ? GS_LATENCY
		  : c->program == &gs_service_program   ? GS_SERVICE
		  : c->program == &gs_reproduce_program ? GS_REPRODUCE
							: GS_LIST;
	return 1 + is_run;
}
