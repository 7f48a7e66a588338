/* Programs of Procedural "RunProgram": start without a shell, end without a zombie. */
#define _GNU_SOURCE
#include "reyes/rib/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_WAIT_MS = 1000, END_POLL_MS = 2 };

/* Spawns the program with in and out as its standard input and output. It gets the environment of
 * this process and a process group of its own, so that its children are ended with it. */
static int spawn(char *const *arguments, int in, int out, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error;

	if (posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(&attributes, &signals);
	sigaddset(&signals, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(
			child, arguments[0], &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Fills the pipe before the program starts: this process has its other end, so that there is no
 * SIGPIPE, and the program cannot make it wait. */
static const char *fill_pipe(int fd, const char *line)
{
	const size_t bytes = strlen(line);
	ssize_t n;

	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		return "its standard input cannot be made";
	do {
		n = write(fd, line, bytes);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)bytes ? NULL : "its argument is too long for a pipe";
}

int reyes_i_rib_start_program(
	char *const *arguments, const char *line, pid_t *child, const char **problem)
{
	int in[2], out[2], error;

	*child = 0;
	if (pipe2(in, O_CLOEXEC)) {
		*problem = "its standard input cannot be made";
		return -1;
	}
	*problem = fill_pipe(in[1], line);
	close(in[1]);
	if (*problem || pipe2(out, O_CLOEXEC)) {
		if (!*problem)
			*problem = "its standard output cannot be made";
		close(in[0]);
		return -1;
	}
	error = spawn(arguments, in[0], out[1], child);
	close(in[0]);
	close(out[1]);
	if (error) {
		*child = 0;
		*problem = error == ENOENT   ? "it is in no folder of the search path and of PATH"
			   : error == EACCES ? "it is not executable"
					     : "the system cannot start it";
		close(out[0]);
		return -1;
	}
	return out[0];
}

int reyes_i_rib_end_program(pid_t child, int *status)
{
	const int64_t end_ms = reyes_i_now_ms() + END_WAIT_MS;
	siginfo_t info = { .si_pid = 0 };
	pid_t ended;
	int result;

	/* Without WNOWAIT the number of the process group could be reused before kill(). */
	while (!waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) &&
		info.si_pid != child && reyes_i_now_ms() < end_ms)
		poll(NULL, 0, END_POLL_MS);
	kill(-child, SIGKILL);
	do {
		ended = waitpid(child, &result, 0);
	} while (ended < 0 && errno == EINTR);
	if (status)
		*status = ended == child ? result : 0;
	return ended == child && info.si_pid == child;
}
