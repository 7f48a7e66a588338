#include "apps/common/stop.h"
#include "apps/common/pipe_stream.h"
#include "libsched/core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The same signal within this time counts once: timeout(1) and others signal a program and then its
 * process group. */
enum { REPEAT_MS = 300 };

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* Atomic, because the handler of a second signal may run in another thread. */
static volatile sig_atomic_t first_signal;
_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "stop_flag");
static int wake_pipe[2] = { -1, -1 };

/* Nonzero: the first signal ends the program. */
static volatile sig_atomic_t is_at_once;

/* Time of the first signal; 0: not stored yet. */
static volatile sig_atomic_t first_ms;

/* Returns a time that wraps; only differences, modulo 2^32, are used. */
static uint32_t now_ms(void)
{
	return (uint32_t)(lsched_i_clock_ns() / 1000000u);
}

static void on_signal(int sig)
{
	const int saved = errno;
	const uint32_t now = now_ms();
	sig_atomic_t first = 0;

	if (is_at_once) {
		signal(sig, SIG_DFL);
		raise(sig);
	} else if (__atomic_compare_exchange_n(
			   &first_signal, &first, sig, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		__atomic_store_n(&first_ms, now ? (int)now : 1, __ATOMIC_RELAXED);
		if (write(wake_pipe[1], "", 1) < 0) {
			/* No action: `first_signal` is set. */
		}
	} else {
		const int since = __atomic_load_n(&first_ms, __ATOMIC_RELAXED);

		if (sig != first || (since && now - (uint32_t)since > REPEAT_MS)) {
			signal(sig, SIG_DFL);
			raise(sig); /* ends the program when the handler returns */
		}
	}
	errno = saved;
}

/* Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed, because the next file
 * would get its number and receive the output to the stream. The access mode is the opposite of the
 * stream's, so that reading and writing fail as with a closed descriptor. */
static int fill_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return -1;
	return 0;
}

int stop_init(void)
{
	struct sigaction act, old;

	if (fill_standard_streams() || pipe(wake_pipe) != 0)
		return -1;
#ifdef __SANITIZE_THREAD__
	/* ThreadSanitizer makes a thread's list of pending signals at its first call that can
	 * block, and loses those that come meanwhile. */
	(void)poll(NULL, 0, 0);
#endif
	for (int i = 0; i < 2; i++)
		fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
	memset(&act, 0, sizeof(act));
	sigemptyset(&act.sa_mask);
	act.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &act, NULL);
	sigaction(SIGXFSZ, &act, NULL);
	act.sa_handler = on_signal;
	act.sa_flags = SA_RESTART;
	/* A handler blocks all three signals, so that it stores signal and time before another
	 * handler of the same thread runs. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&act.sa_mask, signals[i]);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	pipe_stream_stdout();
	return 0;
}

void stop_at_once(int on)
{
	is_at_once = on;
	if (on && stop_signal()) {
		signal(stop_signal(), SIG_DFL);
		raise(stop_signal());
	}
}

int stop_signal(void)
{
	return __atomic_load_n(&first_signal, __ATOMIC_RELAXED);
}

const volatile int *stop_flag(void)
{
	return &first_signal;
}

int stop_fd(void)
{
	return wake_pipe[0];
}
