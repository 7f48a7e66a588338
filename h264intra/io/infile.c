#include <config.h>

#include "h264intra/io/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/error.h>
#include <libavutil/mem.h>

/* For parsing only: packets larger than the buffer are read directly to their destination. */
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

/* Waits for data (timeout -1) or polls (0). Returns 1 if the reader has to stop. */
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

int h264i_i_infile_read(io_infile *in, void *buf, int bytes)
{
	size_t kept = in->head_bytes - in->head_used;

	if (kept > 0) {
		size_t n = (size_t)bytes < kept ? (size_t)bytes : kept;

		memcpy(buf, in->head + in->head_used, n);
		in->head_used += n;
		in->position += (int64_t)n;
		return (int)n;
	}
	for (;;) {
		ssize_t n;

		if (wait_readable(in, !in->regular, in->regular ? 0 : -1))
			return AVERROR_EXIT;
		n = read(in->fd, buf, (size_t)bytes);
		if (n >= 0) {
			in->position += n;
			return (int)n;
		}
		if (errno != EINTR && errno != EAGAIN) {
			in->error = errno;
			return AVERROR(errno);
		}
	}
}

int64_t h264i_i_infile_read_at(const io_infile *in, void *buf, size_t bytes, int64_t position)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(in->fd, (uint8_t *)buf + done, bytes - done,
			(off_t)(in->base + position + (int64_t)done));

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return AVERROR(errno);
		done += n > 0 ? (size_t)n : 0;
	}
	return (int64_t)done;
}

/* 1 if more bytes can change the result of peek. */
static int is_unfinished(const uint8_t *buf, size_t bytes, const char *begin)
{
	size_t n = strlen(begin);

	return memcmp(buf, begin, bytes < n ? bytes : n) == 0 && !memchr(buf, '\n', bytes);
}

int h264i_i_infile_peek(io_infile *in, const char *begin, uint8_t *buf)
{
	if (in->regular) {
		int64_t n = h264i_i_infile_read_at(in, buf, IO_HEAD_BYTES, 0);

		if (n < 0)
			in->error = AVUNERROR((int)n);
		return (int)n;
	}
	if (!in->head && !(in->head = malloc(IO_HEAD_BYTES)))
		return AVERROR(ENOMEM);
	while (in->head_bytes < IO_HEAD_BYTES && is_unfinished(in->head, in->head_bytes, begin)) {
		size_t used = in->head_bytes;
		int n;

		in->head_used = used; /* the read is to go to the system */
		n = h264i_i_infile_read(in, in->head + used, (int)(IO_HEAD_BYTES - used));
		if (n <= 0) {
			in->head_used = 0;
			in->position = 0;
			if (n < 0)
				return n;
			break;
		}
		in->head_bytes += (size_t)n;
	}
	in->head_used = 0;
	in->position = 0;
	memcpy(buf, in->head, in->head_bytes);
	return (int)in->head_bytes;
}

int h264i_i_infile_at_end(io_infile *in)
{
	int n;

	if (in->head_used < in->head_bytes)
		return 0;
	if (!in->head && !(in->head = malloc(IO_HEAD_BYTES)))
		return AVERROR(ENOMEM);
	in->head_bytes = in->head_used = 0;
	n = h264i_i_infile_read(in, in->head, 1);
	if (n <= 0)
		return n == 0 ? 1 : n;
	in->position -= n;
	in->head_bytes = (size_t)n;
	return 0;
}

static int read_bytes(void *opaque, uint8_t *buf, int bytes)
{
	int n = h264i_i_infile_read(opaque, buf, bytes);

	return n == 0 ? AVERROR_EOF : n;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
	io_infile *in = opaque;
	off_t at;

	if (whence & AVSEEK_SIZE)
		return in->size >= 0 ? in->size : AVERROR(ENOSYS);
	whence &= ~AVSEEK_FORCE;
	if (whence == SEEK_CUR) {
		offset += in->position;
		whence = SEEK_SET;
	}
	at = lseek(in->fd, (off_t)(whence == SEEK_SET ? in->base + offset : offset), whence);
	if (at < 0)
		return AVERROR(errno);
	if (at < in->base) {
		(void)lseek(in->fd, (off_t)(in->base + in->position), SEEK_SET);
		return AVERROR(EINVAL);
	}
	in->head_used = in->head_bytes; /* of the place before */
	in->position = at - in->base;
	return in->position;
}

static int poll_input(io_infile *in)
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

void h264i_i_infile_update_size(io_infile *in)
{
	struct stat st;

	if (in->regular && fstat(in->fd, &st) == 0)
		in->size = st.st_size > in->base ? st.st_size - in->base : 0;
}

/* Opens a named pipe without waiting for its writer: the first read waits, and can be stopped.
 * Until a writer has come, poll reports no end of the pipe. */
static int open_file(const char *path)
{
	struct stat st;
	const int is_pipe = stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
	int fd = open(path, O_RDONLY | O_CLOEXEC | (is_pipe ? O_NONBLOCK : 0)), flags;

	if (fd >= 0 && is_pipe) {
		flags = fcntl(fd, F_GETFL);
		if (flags >= 0)
			(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	}
	return fd;
}

int h264i_i_infile_open(io_infile *in, const char *path)
{
	in->is_stdin = strcmp(path, "-") == 0;
	do
		in->fd = in->is_stdin ? STDIN_FILENO : open_file(path);
	while (in->fd < 0 && errno == EINTR && !h264i_i_infile_interrupted(in));
	if (in->fd < 0)
		return errno;
	return poll_input(in);
}

int h264i_i_infile_make_avio(io_infile *in)
{
	uint8_t *buffer = av_malloc(BUFFER_BYTES);

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
	free(in->head);
	in->head = NULL;
	if (in->fd >= 0 && !in->is_stdin)
		close(in->fd);
	for (int i = 0; i < 2; i++)
		if (in->wake_fd[i] >= 0)
			close(in->wake_fd[i]);
	in->fd = in->wake_fd[0] = in->wake_fd[1] = -1;
}
