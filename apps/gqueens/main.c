/* gqueens: counts the ways to place N queens on a board. */
#include <libsched/sched.h>
#include <config.h>

#include "apps/common/cli.h"
#include "apps/common/log.h"
#include "apps/common/stop.h"
#include "apps/gqueens/commands.h"
#include "apps/gqueens/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_version(void)
{
	printf("gqueens %s\n", lsched_version_string());
#ifdef HAVE_CUDA
	printf("CUDA: built in\n");
#else
	printf("CUDA: not built in\n");
#endif
	printf("MPI: %s\n", gq_ranks_library());
	printf("checkpoints: version %d\n", NQ_CHECKPOINT_VERSION);
}

/* Logs on the first rank only. */
static int complain(logger *log, int exit_code, const char *text)
{
	return gq_rank() == 0 ? log_fail(log, exit_code, text) : exit_code;
}

static int run_mode(const gq_options *o, logger *log)
{
	if (o->mode == GQ_COUNT)
		return gq_command_count(o, log);
	if (gq_rank() != 0)
		return CLI_EXIT_OK; /* the other commands run on the first rank only */
	switch (o->mode) {
	case GQ_MERGE:
		return gq_command_merge(o, log);
	case GQ_ESTIMATE:
		return gq_command_estimate(o, log);
	case GQ_LIST:
		return gq_command_list(o, log);
	default:
		return gq_command_show(o, log);
	}
}

static int parse_and_run(int argc, char **argv, logger *log)
{
	static gq_options o; /* large */
	char msg[600];

	switch (cli_parse(&gq_program, &o, sizeof(o), argc, argv, msg, sizeof(msg))) {
	case CLI_SHOW_HELP:
		cli_print_help(&gq_program, stdout);
		break;
	case CLI_SHOW_COMPLETION:
		cli_print_completion(&gq_program, stdout);
		break;
	case CLI_SHOW_VERSION:
		print_version();
		break;
	case CLI_RUN:
		if (gq_options_finish(&o, msg, sizeof(msg)) == 0) {
			log->level = o.quiet ? LOG_LEVEL_ERROR : (log_level)o.log_level;
			progress_init(&log->progress, "", !o.quiet && gq_rank() == 0);
			return run_mode(&o, log);
		}
		/* fall through */
	case CLI_BAD:
		return complain(log, CLI_EXIT_USAGE, msg);
	}
	return fflush(stdout) == 0 ? CLI_EXIT_OK : complain(log, CLI_EXIT_FAILED, strerror(errno));
}

int main(int argc, char **argv)
{
	logger log;
	char msg[300];
	int code;

	log_init(&log, "gqueens");
	if (stop_init())
		return complain(&log, CLI_EXIT_FAILED, strerror(errno));
	if (gq_ranks_begin(msg, sizeof(msg)))
		return complain(&log, CLI_EXIT_FAILED, msg);
	code = parse_and_run(argc, argv, &log);
	gq_ranks_end();
	log_free(&log);
	return stop_signal() ? 128 + stop_signal() : code;
}
