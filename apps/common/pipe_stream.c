#define _GNU_SOURCE
#include "apps/common/pipe_stream.h"
#include "apps/common/stop.h"
#include "h264intra/io/pipe.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct pipe_end {
	int fd;
	int error; /* errno of the first write that failed; 0: none */
} pipe_end;

static ssize_t write_pipe(void *any, const char *data, size_t bytes)
{
	pipe_end *p = any;

	if (!p->error)
		p->error = h264i_i_pipe_write(p->fd, stop_fd(), data, bytes);
	errno = p->error;
	return p->error ? 0 : (ssize_t)bytes; /* 0 is an error: fopencookie(3) */
}

static int close_pipe(void *any)
{
	pipe_end *p = any;
	const int fd = p->fd;

	if (fd == STDOUT_FILENO)
		return 0;
	free(p);
	return close(fd);
}

static FILE *stream_of(pipe_end *p)
{
	const cookie_io_functions_t calls = { .write = write_pipe, .close = close_pipe };

	return fopencookie(p, "w", calls);
}

FILE *pipe_stream_open(int fd)
{
	pipe_end *p;
	FILE *f;

	if (!h264i_i_pipe_is(fd))
		return fdopen(fd, "w");
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->fd = fd;
	f = stream_of(p);
	if (!f)
		free(p);
	return f;
}

void pipe_stream_stdout(void)
{
	static pipe_end end = { STDOUT_FILENO, 0 }; /* the stream lives until the program ends */
	FILE *f = h264i_i_pipe_is(STDOUT_FILENO) ? stream_of(&end) : NULL;

	if (f)
		stdout = f;
}
