#include "h264intra/io/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

/* GRACE_MS: a reader that is slow, but reads, receives the rest after a signal. */
enum { GRACE_MS = 1000 };

/* Returns 0 when the pipe is writable or has no reader any more, else errno. */
static int wait_writable(int fd, int stop_fd)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLOUT },
		{ .fd = stop_fd, .events = POLLIN } };
	int is_stopped = 0;

	for (;;) {
		const int n = poll(p, is_stopped ? 1 : 2, is_stopped ? GRACE_MS : -1);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0)
			return ECANCELED;
		if (n > 0 && p[0].revents)
			return 0;
		is_stopped |= n > 0;
	}
}

int h264i_i_pipe_write(int fd, int stop_fd, const void *data, size_t bytes)
{
	const int flags = fcntl(fd, F_GETFL), waits = flags < 0 || !(flags & O_NONBLOCK);
	const uint8_t *at = data;

	while (bytes > 0) {
		/* A writable pipe takes PIPE_BUF bytes without waiting. */
		const size_t part = waits && bytes > PIPE_BUF ? PIPE_BUF : bytes;
		int error = waits ? wait_writable(fd, stop_fd) : 0;
		const ssize_t n = error ? 0 : write(fd, at, part);

		if (n > 0) {
			at += n;
			bytes -= (size_t)n;
			continue;
		}
		if (!error && n < 0 && (errno == EAGAIN || errno == EINTR))
			error = errno == EAGAIN ? wait_writable(fd, stop_fd) : 0;
		else if (!error)
			error = n == 0 ? EIO : errno;
		if (error)
			return error;
	}
	return 0;
}

int h264i_i_pipe_is(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}
