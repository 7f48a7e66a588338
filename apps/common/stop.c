#include "apps/common/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t came;
static int wake[2] = { -1, -1 };

static void on_signal(int sig)
{
	int saved = errno;

	came = sig;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	if (write(wake[1], "", 1) < 0) {
		/* Nothing to be done here; `came` is set. */
	}
	errno = saved;
}

int stop_init(void)
{
	struct sigaction act, old;

	if (pipe(wake) != 0)
		return -1;
	for (int i = 0; i < 2; i++)
		fcntl(wake[i], F_SETFD, FD_CLOEXEC);
	memset(&act, 0, sizeof(act));
	sigemptyset(&act.sa_mask);
	act.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &act, NULL);
	sigaction(SIGXFSZ, &act, NULL);
	act.sa_handler = on_signal;
	act.sa_flags = SA_RESTART;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	return 0;
}

int stop_signal(void)
{
	return came;
}

int stop_fd(void)
{
	return wake[0];
}
