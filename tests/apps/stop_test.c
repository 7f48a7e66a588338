/* Signals: the first one sets a flag, a different second one ends the program. */
#include "apps/common/stop.h"
#include "tests/common/testmain.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `child` in a process of its own, whose signals have their default action. Returns its
 * wait status. */
static int in_child(int (*child)(void))
{
	const pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		_exit(stop_init() ? 99 : child());
	}
	CU_ASSERT_TRUE_FATAL(pid > 0);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	return status;
}

static int take_one(void)
{
	struct pollfd p = { .fd = stop_fd(), .events = POLLIN };

	if (stop_signal() != 0 || poll(&p, 1, 0) != 0)
		return 98;
	raise(SIGTERM);
	return poll(&p, 1, 0) == 1 && *stop_flag() == SIGTERM ? stop_signal() : 97;
}

static void test_first(void)
{
	const int status = in_child(take_one);

	CU_ASSERT_TRUE(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), SIGTERM);
}

static int take_int_then_term(void)
{
	raise(SIGINT);
	raise(SIGTERM);
	return stop_signal();
}

static int take_hup_then_int(void)
{
	raise(SIGHUP);
	raise(SIGINT);
	return stop_signal();
}

static void test_different(void)
{
	int status = in_child(take_int_then_term);

	CU_ASSERT_TRUE(WIFSIGNALED(status));
	CU_ASSERT_EQUAL(WTERMSIG(status), SIGTERM);
	status = in_child(take_hup_then_int);
	CU_ASSERT_TRUE(WIFSIGNALED(status));
	CU_ASSERT_EQUAL(WTERMSIG(status), SIGINT);
}

/* Both are pending, so the handler of one could start inside that of the other. */
static int take_both(void)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	raise(SIGINT);
	raise(SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return stop_signal();
}

static void test_pending(void)
{
	const int status = in_child(take_both);

	CU_ASSERT_TRUE(WIFSIGNALED(status));
}

/* A second signal between the test for a first one and its record must not be lost. */
static int look_at_masks(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (int i = 0; i < 3; i++) {
		struct sigaction act;

		if (sigaction(signals[i], NULL, &act) != 0)
			return 1;
		for (int k = 0; k < 3; k++)
			if (!sigismember(&act.sa_mask, signals[k]))
				return 2;
	}
	return 0;
}

static void test_masks(void)
{
	const int status = in_child(look_at_masks);

	CU_ASSERT_TRUE(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the first signal sets a flag and ends a poll", test_first },
		{ "a different second signal ends the program at once", test_different },
		{ "two signals at the same time end the program", test_pending },
		{ "no handler interrupts another", test_masks },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("stop", tests);
}
