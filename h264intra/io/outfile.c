#include <config.h>

#include "h264intra/io/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_BYTES = 1024 * 1024 };

static const char *name_of(const io_outfile *o)
{
	return o->is_stdout ? "standard output" : o->path;
}

static h264i_io_status fail_open(const io_outfile *o, int error, char *msg)
{
	if (error == EEXIST) {
		snprintf(msg, IO_OUT_MSG_BYTES, "%s: exists already", name_of(o));
		return H264I_IO_ERR_EXISTS;
	}
	snprintf(msg, IO_OUT_MSG_BYTES, "%s: %s", name_of(o), strerror(error));
	return H264I_IO_ERR_OPEN;
}

/* 0 or why a file cannot be created beside others in its folder. */
static int check_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int error = 0;

	if (!folder)
		return ENOMEM;
	if (access(folder, W_OK | X_OK) != 0)
		error = errno;
	else if (slash && slash[1] == '\0')
		error = EISDIR;
	free(folder);
	return error;
}

h264i_io_status h264i_i_outfile_init(io_outfile *o, const char *path, int overwrite, char *msg)
{
	struct stat st;
	int error = 0;

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->overwrite = overwrite;
	o->path = strdup(path);
	if (!o->path) {
		snprintf(msg, IO_OUT_MSG_BYTES, "%s: out of memory", path);
		return H264I_IO_ERR_NOMEM;
	}
	if (strcmp(path, "-") == 0) {
		o->is_stdout = o->is_stream = 1;
		return H264I_IO_OK;
	}
	if (stat(path, &st) == 0) {
		o->is_stream = !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
		if (S_ISDIR(st.st_mode))
			error = EISDIR;
		else if (!o->is_stream && !overwrite)
			error = EEXIST;
		else if (access(path, W_OK) != 0)
			error = errno;
	} else if (errno == ENOENT) {
		error = *path ? check_folder(path) : ENOENT;
	} else {
		error = errno;
	}
	if (error) {
		h264i_io_status s = fail_open(o, error, msg);

		h264i_i_outfile_close(o, 0);
		return s;
	}
	return H264I_IO_OK;
}

h264i_io_status h264i_i_outfile_create(io_outfile *o, char *msg)
{
	int flags = O_WRONLY | O_CLOEXEC;

	if (o->is_stdout) {
		o->fd = STDOUT_FILENO;
	} else {
		/* Without leave to overwrite, a file that appeared meanwhile is safe as well. */
		if (!o->is_stream)
			flags |= O_CREAT | (o->overwrite ? O_TRUNC : O_EXCL);
		do
			o->fd = open(o->path, flags, 0666);
		while (o->fd < 0 && errno == EINTR);
		if (o->fd < 0)
			return fail_open(o, errno, msg);
	}
#ifdef F_SETPIPE_SZ
	if (o->is_stream)
		(void)fcntl(o->fd, F_SETPIPE_SZ, PIPE_BYTES); /* fails on what is no pipe */
#endif
	return H264I_IO_OK;
}

int h264i_i_outfile_write(io_outfile *o, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	if (o->error)
		return -1;
	while (bytes > 0) {
		ssize_t n = write(o->fd, at, bytes);

		if (n > 0) {
			at += n;
			bytes -= (size_t)n;
			o->bytes += (uint64_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			/* Somebody else set the pipe to non-blocking. */
			struct pollfd p = { .fd = o->fd, .events = POLLOUT };

			(void)poll(&p, 1, -1);
		} else if (n == 0 || errno != EINTR) {
			o->error = n == 0 ? EIO : errno;
			return -1;
		}
	}
	return 0;
}

int64_t h264i_i_outfile_seek(io_outfile *o, int64_t offset, int whence)
{
	return lseek(o->fd, (off_t)offset, whence);
}

h264i_io_status h264i_i_outfile_explain(const io_outfile *o, char *msg)
{
	snprintf(msg, IO_OUT_MSG_BYTES, "%s: %s", name_of(o),
		o->error ? strerror(o->error) : "writing failed");
	return o->error == EPIPE ? H264I_IO_ERR_PIPE : H264I_IO_ERR_WRITE;
}

int h264i_i_outfile_finish(io_outfile *o)
{
	if (o->fd >= 0 && !o->is_stdout) {
		if (close(o->fd) != 0 && errno != EINTR && !o->error)
			o->error = errno;
		o->fd = -1;
	}
	return o->error ? -1 : 0;
}

void h264i_i_outfile_close(io_outfile *o, int remove_file)
{
	if (o->fd >= 0 && !o->is_stdout)
		close(o->fd);
	if (remove_file && !o->is_stream)
		unlink(o->path);
	free(o->path);
	o->path = NULL;
	o->fd = -1;
}
