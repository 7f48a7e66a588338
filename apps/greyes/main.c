/* greyes: renders RenderMan scenes. */
#include <reyes/reyes.h>
#include <config.h>

#include "apps/common/log.h"
#include "apps/common/stop.h"
#include "apps/greyes/changes.h"
#include "apps/greyes/options.h"
#include "apps/greyes/view.h"
#include "reyes/preview/window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { POLL_MS = 50, WINDOW_MS = 15, STOP_MS = 1000 };

static void print_version(void)
{
	const struct {
		const char *what;
		int is_built_in;
	} parts[] = {
#ifdef HAVE_CUDA
		{ "CUDA", 1 },
#else
		{ "CUDA", 0 },
#endif
		{ "PNG", reyes_check_picture_name("a.png") == REYES_OK },
		{ "TIFF", reyes_check_picture_name("a.tif") == REYES_OK },
		{ "OpenEXR", reyes_check_picture_name("a.exr") == REYES_OK },
		{ "window (SDL)", reyes_i_window_exists() },
#ifdef HAVE_ZLIB
		{ "compressed RIB", 1 },
#else
		{ "compressed RIB", 0 },
#endif
	};

	printf("greyes %s\n", reyes_version());
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		printf("%s: %s\n", parts[i].what,
			parts[i].is_built_in ? "built in" : "not built in");
}

/* The rendering has ended, or the user has ended it. */
static int is_over(gr_job *j, int *by_user)
{
	int over;

	pthread_mutex_lock(&j->lock);
	*by_user = j->step == GR_STEP_END;
	over = *by_user || j->phase == GR_PHASE_ENDED;
	pthread_mutex_unlock(&j->lock);
	return over;
}

/* The main thread's loop. */
static int render(const gr_options *o, logger *log)
{
	static gr_job j; /* the thread may still use it when the process ends */
	gr_changes changes = { 0 };
	char why[400];
	gr_view *view;
	int by_user = 0;

	view = gr_view_open(o, why, sizeof(why));
	if (*why)
		log_print(log, LOG_LEVEL_WARN, "no window: %s", why);
	if (o->fly && !view) {
		log_print(log, LOG_LEVEL_ERROR,
			"--fly needs a window: there is no display server, "
			"or greyes was built without SDL");
		return CLI_EXIT_FAILED;
	}
	if (gr_job_start(&j, o, view != NULL, log)) {
		gr_view_close(view);
		return CLI_EXIT_FAILED;
	}
	while (!stop_signal() && !is_over(&j, &by_user)) {
		if (view)
			gr_view_update(view, &j, WINDOW_MS);
		else
			gr_job_wait(&j, POLL_MS);
		gr_job_progress(&j);
		if (o->watch && gr_changes_check(&changes, &j))
			gr_job_step(&j, GR_STEP_RELOAD);
	}
	if (stop_signal())
		gr_job_step(&j, GR_STEP_END);
	gr_view_close(view);
	return gr_job_finish(&j, stop_signal() || by_user ? STOP_MS : -1);
}

/* Returns code, or CLI_EXIT_FAILED if standard output was not written. */
static int flush_stdout(logger *log, int code)
{
	/* Of an earlier failure the reason is lost. */
	const int had_failed = ferror(stdout);

	if (fflush(stdout) == 0 && (!had_failed || code != CLI_EXIT_OK))
		return code;
	log_print(log, LOG_LEVEL_ERROR, "standard output cannot be written%s%s",
		had_failed ? "" : ": ", had_failed ? "" : strerror(errno));
	return CLI_EXIT_FAILED;
}

static int parse_and_run(int argc, char **argv, logger *log)
{
	static gr_options o; /* as gr_job */
	char msg[1000];
	int code = CLI_EXIT_OK;

	switch (cli_parse(&gr_program, &o, sizeof(o), argc, argv, msg, sizeof(msg))) {
	case CLI_SHOW_HELP:
		cli_print_help(&gr_program, stdout);
		break;
	case CLI_SHOW_COMPLETION:
		cli_print_completion(&gr_program, stdout);
		break;
	case CLI_SHOW_VERSION:
		print_version();
		break;
	case CLI_RUN:
		if (gr_options_finish(&o, msg, sizeof(msg)) == 0) {
			log->level = o.quiet ? LOG_LEVEL_ERROR : (log_level)o.log_level;
			progress_init(
				&log->progress, "", !o.quiet && o.progress == GR_PROGRESS_AUTO);
			code = render(&o, log);
			break;
		}
		/* fall through */
	case CLI_BAD:
		return log_fail(log, CLI_EXIT_USAGE, msg);
	}
	return flush_stdout(log, code);
}

int main(int argc, char **argv)
{
	static logger log; /* as gr_job */
	int code;

	log_init(&log, "greyes");
	if (stop_init())
		return log_fail(&log, CLI_EXIT_FAILED, strerror(errno));
	code = parse_and_run(argc, argv, &log);
	log_progress_clear(&log);
	return stop_signal() ? 128 + stop_signal() : code;
}
