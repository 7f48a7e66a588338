#include <config.h>

#include "h264intra/io/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/error.h>
#include <libavutil/mem.h>

/* Packets larger than the buffer are read straight into place, so it only serves parsing. */
enum { BUFFER_BYTES = 64 * 1024, PIPE_BYTES = 1024 * 1024 };

int h264i_i_infile_init(io_infile *in, int interrupt_fd)
{
	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->interrupt_fd = interrupt_fd;
	in->size = -1;
	if (pipe(in->wake_fd) != 0) {
		in->wake_fd[0] = in->wake_fd[1] = -1;
		return errno;
	}
	fcntl(in->wake_fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(in->wake_fd[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

/* Waits for data (timeout -1) or only looks (0). 1: the reader has to stop. */
static int wait_readable(const io_infile *in, int with_data, int timeout_ms)
{
	struct pollfd p[3] = {
		{ .fd = in->wake_fd[0], .events = POLLIN },
		{ .fd = in->interrupt_fd, .events = POLLIN },
		{ .fd = with_data ? in->fd : -1, .events = POLLIN },
	};

	while (poll(p, 3, timeout_ms) < 0)
		if (errno != EINTR)
			return 0;
	return p[0].revents != 0 || p[1].revents != 0;
}

int h264i_i_infile_interrupted(const io_infile *in)
{
	return wait_readable(in, 0, 0);
}

void h264i_i_infile_wake(io_infile *in)
{
	while (write(in->wake_fd[1], "", 1) < 0 && errno == EINTR)
		;
}

static int read_bytes(void *opaque, uint8_t *buf, int bytes)
{
	io_infile *in = opaque;

	for (;;) {
		ssize_t n;

		if (wait_readable(in, !in->regular, in->regular ? 0 : -1))
			return AVERROR_EXIT;
		n = read(in->fd, buf, (size_t)bytes);
		if (n > 0) {
			in->position += n;
			return (int)n;
		}
		if (n == 0)
			return AVERROR_EOF;
		if (errno != EINTR && errno != EAGAIN) {
			in->error = errno;
			return AVERROR(errno);
		}
	}
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
	io_infile *in = opaque;
	off_t at;

	if (whence & AVSEEK_SIZE)
		return in->size >= 0 ? in->size : AVERROR(ENOSYS);
	whence &= ~AVSEEK_FORCE;
	at = lseek(in->fd, (off_t)(whence == SEEK_SET ? in->base + offset : offset), whence);
	if (at < 0)
		return AVERROR(errno);
	if (at < in->base) {
		(void)lseek(in->fd, (off_t)(in->base + in->position), SEEK_SET);
		return AVERROR(EINVAL);
	}
	in->position = at - in->base;
	return in->position;
}

static int look_at(io_infile *in)
{
	struct stat st;

	if (fstat(in->fd, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	in->regular = S_ISREG(st.st_mode);
	if (in->regular || S_ISBLK(st.st_mode)) {
		/* Standard input may be a file that was read from before. */
		off_t at = lseek(in->fd, 0, SEEK_CUR);

		in->seekable = at >= 0;
		in->base = at > 0 ? at : 0;
		if (in->regular)
			in->size = st.st_size > in->base ? st.st_size - in->base : 0;
#ifdef POSIX_FADV_SEQUENTIAL
		(void)posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	}
#ifdef F_SETPIPE_SZ
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(in->fd, F_SETPIPE_SZ, PIPE_BYTES);
#endif
	return 0;
}

int h264i_i_infile_open(io_infile *in, const char *path)
{
	uint8_t *buffer;
	int error;

	in->is_stdin = strcmp(path, "-") == 0;
	do
		in->fd = in->is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	while (in->fd < 0 && errno == EINTR && !h264i_i_infile_interrupted(in));
	if (in->fd < 0)
		return errno;
	error = look_at(in);
	if (error)
		return error;
	buffer = av_malloc(BUFFER_BYTES);
	if (!buffer)
		return ENOMEM;
	in->pb = avio_alloc_context(
		buffer, BUFFER_BYTES, 0, in, read_bytes, NULL, in->seekable ? seek_bytes : NULL);
	if (!in->pb) {
		av_free(buffer);
		return ENOMEM;
	}
	return 0;
}

void h264i_i_infile_close(io_infile *in)
{
	if (in->pb)
		av_freep(&in->pb->buffer);
	avio_context_free(&in->pb);
	if (in->fd >= 0 && !in->is_stdin)
		close(in->fd);
	for (int i = 0; i < 2; i++)
		if (in->wake_fd[i] >= 0)
			close(in->wake_fd[i]);
	in->fd = in->wake_fd[0] = in->wake_fd[1] = -1;
}
