/* gsched: measures the schedulers of libsched on the loads of the papers that published them. */
#include <config.h>

#include "apps/common/cli.h"
#include "apps/common/log.h"
#include "apps/common/outfile.h"
#include "apps/common/stop.h"
#include "apps/gsched/commands.h"
#include "apps/gsched/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_version(void)
{
	printf("gsched %s\n", lsched_version_string());
#ifdef HAVE_CUDA
	printf("CUDA: built in\n");
#else
	printf("CUDA: not built in\n");
#endif
	printf("queues:");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		printf(" %s", lsched_queue_name((lsched_queue)q));
	printf("\n");
}

static int run_command(const gs_command *c, const gs_options *o, logger *log)
{
	switch (c->kind) {
	case GS_LIST:
		return command_list(o, log);
	case GS_LATENCY:
		return command_latency(o, log);
	case GS_SERVICE:
		return command_service(o, log);
	case GS_REPRODUCE:
		return command_reproduce(o, log);
	default:
		return command_measure(c, o, log);
	}
}

static int print_completion(logger *log)
{
	cli_print_commands_completion(
		&gs_program, gs_commands(), &gs_run_program, gs_run_commands(), stdout);
	return outfile_flush_stdout(log);
}

/* `gsched run` without a workload. */
static int run_alone(int argc, char **argv, logger *log)
{
	const char *word = argc > 2 ? argv[2] : "";

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		cli_print_commands(&gs_run_program, gs_run_commands(), stdout);
		return outfile_flush_stdout(log);
	}
	if (strcmp(word, "--names") == 0) {
		for (size_t i = 0; wl_types[i]; i++)
			printf("%s\n", wl_types[i]->name);
		return outfile_flush_stdout(log);
	}
	return log_fail(log, CLI_EXIT_USAGE, "a workload is missing; see gsched run --help");
}

/* Parses the options of the command and runs it. Returns the exit code. */
static int parse_and_run(int argc, char **argv, logger *log)
{
	char msg[600];
	gs_command c;
	gs_options o;
	const int words = gs_find_command(&c, argc - 1, argv + 1, msg, sizeof(msg));

	if (!words)
		return log_fail(log, CLI_EXIT_USAGE, msg);
	if (c.kind == GS_RUN)
		return run_alone(argc, argv, log);
	switch (cli_parse(c.program, &o, sizeof(o), argc - words, argv + words, msg, sizeof(msg))) {
	case CLI_SHOW_HELP:
		cli_print_help(c.program, stdout);
		return outfile_flush_stdout(log);
	case CLI_SHOW_COMPLETION:
		return print_completion(log);
	case CLI_SHOW_VERSION:
		print_version();
		return outfile_flush_stdout(log);
	case CLI_RUN:
		if (gs_options_check(&c, &o, msg, sizeof(msg)) == 0)
			break;
		/* fall through */
	case CLI_BAD:
		return log_fail(log, CLI_EXIT_USAGE, msg);
	}
	log->level = o.quiet ? LOG_LEVEL_ERROR : (log_level)o.log_level;
	progress_init(&log->progress, c.kind == GS_SERVICE ? "requests" : "runs",
		!o.quiet &&
			(c.kind == GS_WORKLOAD || c.kind == GS_SERVICE || c.kind == GS_REPRODUCE));
	return run_command(&c, &o, log);
}

static int dispatch(int argc, char **argv, logger *log)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		cli_print_commands(&gs_program, gs_commands(), stdout);
		return outfile_flush_stdout(log);
	}
	if (strcmp(word, "--help=completion") == 0)
		return print_completion(log);
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		print_version();
		return outfile_flush_stdout(log);
	}
	if (argc < 2)
		return log_fail(log, CLI_EXIT_USAGE, "a command is missing; see gsched --help");
	return parse_and_run(argc, argv, log);
}

int main(int argc, char **argv)
{
	logger log;
	int code;

	log_init(&log, "gsched");
	gs_commands_init();
	if (stop_init())
		return log_fail(&log, CLI_EXIT_FAILED, strerror(errno));
	code = dispatch(argc, argv, &log);
	log_free(&log);
	return stop_signal() ? 128 + stop_signal() : code;
}
