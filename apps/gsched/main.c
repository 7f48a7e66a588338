/* gsched: measures the schedulers of libsched on the loads of the papers that published them. */
#include <config.h>

#include "apps/common/cli.h"
#include "apps/common/log.h"
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

static int usage_error(logger *log, const char *text)
{
	log_print(log, LOG_LEVEL_ERROR, "%s", text);
	return CLI_EXIT_USAGE;
}

static int flush_stdout(void)
{
	return fflush(stdout) == 0 ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

static int run_command(gs_command command, const gs_options *o, logger *log)
{
	switch (command) {
	case GS_LIST:
		return command_list(o, log);
	case GS_REPRODUCE:
		return command_reproduce(o, log);
	default:
		return command_measure(command, o, log);
	}
}

/* Parses the options of the command argv[1] and runs it. Returns the exit code. */
static int parse_and_run(int argc, char **argv, logger *log)
{
	const int command = cli_find_command(gs_programs, argv[1]);
	char msg[600];
	gs_options o;

	if (command < 0) {
		snprintf(msg, sizeof(msg), "unknown command '%s'; see gsched --help", argv[1]);
		return usage_error(log, msg);
	}
	switch (cli_parse(
		gs_programs[command], &o, sizeof(o), argc - 1, argv + 1, msg, sizeof(msg))) {
	case CLI_SHOW_HELP:
		cli_print_help(gs_programs[command], stdout);
		return flush_stdout();
	case CLI_SHOW_COMPLETION:
		cli_print_commands_completion(&gs_program, gs_programs, stdout);
		return flush_stdout();
	case CLI_SHOW_VERSION:
		print_version();
		return flush_stdout();
	case CLI_RUN:
		if (gs_options_check((gs_command)command, &o, msg, sizeof(msg)) == 0)
			break;
		/* fall through */
	case CLI_BAD:
		return usage_error(log, msg);
	}
	log->level = o.quiet ? LOG_LEVEL_ERROR : (log_level)o.log_level;
	progress_init(&log->progress, "runs", !o.quiet && command != GS_LIST);
	return run_command((gs_command)command, &o, log);
}

static int dispatch(int argc, char **argv, logger *log)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		cli_print_commands(&gs_program, gs_programs, stdout);
		return flush_stdout();
	}
	if (strcmp(word, "--help=completion") == 0) {
		cli_print_commands_completion(&gs_program, gs_programs, stdout);
		return flush_stdout();
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		print_version();
		return flush_stdout();
	}
	if (argc < 2)
		return usage_error(log, "a command is missing; see gsched --help");
	return parse_and_run(argc, argv, log);
}

int main(int argc, char **argv)
{
	logger log;
	int code;

	log_init(&log, "gsched");
	if (stop_init()) {
		log_print(&log, LOG_LEVEL_ERROR, "%s", strerror(errno));
		return CLI_EXIT_FAILED;
	}
	code = dispatch(argc, argv, &log);
	log_free(&log);
	return stop_signal() ? 128 + stop_signal() : code;
}
