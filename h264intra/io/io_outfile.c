#include <config.h>

#include "h264intra/io/io_outfile.h"
#include "h264intra/io/pipe.h"
#include "h264intra/io/shown.h"
#include "libsched/core/part.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* READER_MS: interval at which a named pipe is tried until it has a reader. */
enum { PIPE_BYTES = 1024 * 1024, READER_MS = 10 };

static const char *name_of(const io_outfile *o)
{
	return o->is_stdout ? "standard output" : o->path;
}

static h264i_io_status refuse(h264i_io_status status, const char *name, const char *text, char *msg)
{
	char shown[IO_SHOWN_BYTES];

	snprintf(msg, IO_MSG_BYTES, "%s: %s", h264i_i_show_name(shown, name), text);
	return status;
}

static h264i_io_status fail_open(const io_outfile *o, int error, char *msg)
{
	if (error == EEXIST)
		return refuse(H264I_IO_ERR_EXISTS, name_of(o), "exists already", msg);
	if (error == ECANCELED)
		return refuse(H264I_IO_INTERRUPTED, name_of(o),
			"interrupted; no program has opened this pipe for reading", msg);
	return refuse(error == ENOMEM ? H264I_IO_ERR_NOMEM : H264I_IO_ERR_OPEN, name_of(o),
		strerror(error), msg);
}

static h264i_io_status fail_part(const io_outfile *o, int error, char *msg)
{
	if (error == EWOULDBLOCK)
		return refuse(H264I_IO_ERR_OPEN, o->part, "another process is writing it", msg);
	if (error == EEXIST)
		return refuse(H264I_IO_ERR_EXISTS, o->part,
			"exists already, left by a run that was killed or written by another "
			"process; rename or remove it",
			msg);
	return refuse(H264I_IO_ERR_OPEN, o->part, strerror(error), msg);
}

/* Checks that a file can be created in the folder of `path`. Returns 0 or errno. */
static int check_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = lsched_i_folder(path);
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

/* Resolves the path: *old is the file to be replaced, or has st_mode 0. Returns 0 or errno. */
static int resolve_path(io_outfile *o, struct stat *old)
{
	if (stat(o->path, old) != 0) {
		memset(old, 0, sizeof(*old));
		return errno == ENOENT && *o->path ? 0 : errno;
	}
	if (S_ISDIR(old->st_mode))
		return EISDIR;
	o->is_stream = !S_ISREG(old->st_mode);
	o->is_fifo = S_ISFIFO(old->st_mode);
	if (!o->is_stream && !o->overwrite)
		return EEXIST;
	return access(o->path, W_OK) != 0 ? errno : 0;
}

/* Sets target and part, and checks that part can be created. */
static h264i_io_status check_part(io_outfile *o, const struct stat *old, char *msg)
{
	struct stat st;
	int error;

	o->target = lsched_i_follow_links(o->path);
	if (!o->target)
		return fail_open(o, errno, msg);
	/* A file that is open here but has no name any more (/proc/self/fd/3) cannot be
	 * replaced. */
	if (old->st_mode &&
		(stat(o->target, &st) != 0 || st.st_dev != old->st_dev || st.st_ino != old->st_ino))
		return H264I_IO_OK;
	error = check_folder(o->target);
	if (error && old->st_mode) {
		char text[200];

		snprintf(text, sizeof(text),
			"cannot be replaced, because no file can be created in its folder: %s",
			strerror(error));
		return refuse(H264I_IO_ERR_OPEN, o->path, text, msg);
	}
	if (error)
		return fail_open(o, error, msg);
	o->part = lsched_i_part_name(o->target);
	if (!o->part)
		return fail_open(o, ENOMEM, msg);
	if (lstat(o->part, &st) != 0)
		return errno == ENOENT ? H264I_IO_OK : fail_part(o, errno, msg);
	if (!S_ISREG(st.st_mode))
		return refuse(H264I_IO_ERR_OPEN, o->part, "is no regular file", msg);
	return st.st_size > 0 && !o->overwrite ? fail_part(o, EEXIST, msg) : H264I_IO_OK;
}

h264i_io_status h264i_i_outfile_init(io_outfile *o, const char *path, int overwrite, char *msg)
{
	h264i_io_status s = H264I_IO_OK;
	struct stat old;
	int error;

	memset(o, 0, sizeof(*o));
	o->fd = o->lock_fd = o->interrupt_fd = -1;
	if (!path)
		return refuse(H264I_IO_ERR_ARG, "output", "the path is NULL", msg);
	o->overwrite = overwrite;
	o->path = strdup(path);
	if (!o->path)
		return refuse(H264I_IO_ERR_NOMEM, path, "out of memory", msg);
	if (strcmp(path, "-") == 0) {
		o->is_stdout = o->is_stream = 1;
		return H264I_IO_OK;
	}
	error = resolve_path(o, &old);
	if (error)
		s = fail_open(o, error, msg);
	else if (!o->is_stream)
		s = check_part(o, &old, msg);
	if (s != H264I_IO_OK)
		h264i_i_outfile_close(o, 0);
	return s;
}

/* The new file has the mode of the one that it replaces, and its owner where the system allows
 * it. */
static void copy_mode(int fd, const struct stat *old)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
		fchown(fd, old->st_uid, old->st_gid) != 0) {
		/* the owner remains this user */
	}
	(void)fchmod(fd, old->st_mode & 0777);
}

static h264i_io_status create_part(io_outfile *o, char *msg)
{
	struct stat old;
	const int there = stat(o->target, &old) == 0;

	/* Without `overwrite` a file that appeared meanwhile is not replaced either. */
	if (there && !o->overwrite)
		return fail_open(o, EEXIST, msg);
	o->fd = lsched_i_part_open(o->part, there ? old.st_mode & 0777 : 0666, o->overwrite);
	if (o->fd < 0)
		return fail_part(o, errno, msg);
	o->state = IO_OUT_PART;
	if (there)
		copy_mode(o->fd, &old);
	o->lock_fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
	if (o->lock_fd >= 0)
		return H264I_IO_OK;
	fail_open(o, errno, msg);
	unlink(o->part);
	o->state = IO_OUT_NOTHING;
	return H264I_IO_ERR_OPEN;
}

/* Opens a named pipe when it has a reader. open() would wait for one too, but a handler of a signal
 * in another thread does not end it. Returns -1 with errno, ECANCELED after an interrupt. */
static int open_fifo(const io_outfile *o)
{
	struct pollfd stop = { .fd = o->interrupt_fd, .events = POLLIN };
	int fd;

	while ((fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0) {
		if (errno != ENXIO && errno != EINTR)
			return -1;
		if (poll(&stop, 1, READER_MS) > 0) {
			errno = ECANCELED;
			return -1;
		}
	}
	return fd;
}

static int open_in_place(const io_outfile *o)
{
	int fd;

	if (o->is_stdout)
		return STDOUT_FILENO;
	if (o->is_fifo && o->interrupt_fd >= 0)
		return open_fifo(o);
	do
		fd = open(o->path, O_WRONLY | O_CLOEXEC | (o->is_stream ? 0 : O_TRUNC));
	while (fd < 0 && errno == EINTR);
	return fd;
}

h264i_io_status h264i_i_outfile_create(io_outfile *o, char *msg)
{
	if (o->part)
		return create_part(o, msg);
	o->fd = open_in_place(o);
	if (o->fd < 0)
		return fail_open(o, errno, msg);
	o->state = IO_OUT_NAMED;
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
	if (o->is_stream && h264i_i_pipe_is(o->fd)) {
		o->error = h264i_i_pipe_write(o->fd, o->interrupt_fd, data, bytes);
		o->bytes += o->error ? 0 : bytes;
		return o->error ? -1 : 0;
	}
	while (bytes > 0) {
		ssize_t n = write(o->fd, at, bytes);

		if (n > 0) {
			at += n;
			bytes -= (size_t)n;
			o->bytes += (uint64_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			/* Another process set the pipe to non-blocking. */
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
	const off_t at = lseek(o->fd, (off_t)offset, whence);

	if (at < 0 && !o->error)
		o->error = errno;
	return at;
}

/* Adds the result of one pwrite or pread to the bytes done, or sets o->error. */
static void count_bytes(io_outfile *o, ssize_t n, size_t *done)
{
	if (n > 0)
		*done += (size_t)n;
	else if (n == 0 || errno != EINTR)
		o->error = n == 0 ? EIO : errno;
}

int h264i_i_outfile_write_at(io_outfile *o, uint64_t offset, const void *data, size_t bytes)
{
	const uint8_t *from = data;
	size_t n = 0;

	while (n < bytes && !o->error)
		count_bytes(o, pwrite(o->fd, from + n, bytes - n, (off_t)(offset + n)), &n);
	return o->error ? -1 : 0;
}

int h264i_i_outfile_read_at(io_outfile *o, uint64_t offset, void *data, size_t bytes)
{
	uint8_t *to = data;
	size_t n = 0;

	while (n < bytes && !o->error)
		count_bytes(o, pread(o->fd, to + n, bytes - n, (off_t)(offset + n)), &n);
	return o->error ? -1 : 0;
}

int h264i_i_outfile_truncate(io_outfile *o, uint64_t bytes)
{
	if (!o->error && ftruncate(o->fd, (off_t)bytes) != 0)
		o->error = errno;
	if (o->error)
		return -1;
	o->bytes = bytes;
	return 0;
}

void h264i_i_outfile_say_where(const io_outfile *o, int keep, char *msg)
{
	const size_t n = strlen(msg);
	char part[IO_SHOWN_BYTES];

	if (o->state != IO_OUT_PART)
		return;
	if (o->complete || (keep && o->bytes > 0))
		snprintf(msg + n, IO_MSG_BYTES - n, "; %s is in %s",
			o->complete ? "the new file" : "what was written",
			h264i_i_show_name(part, o->part));
	else
		snprintf(msg + n, IO_MSG_BYTES - n, "; nothing is left of the new file");
}

h264i_io_status h264i_i_outfile_explain(const io_outfile *o, int keep, char *msg)
{
	const int is_lost = o->complete && o->state == IO_OUT_NOTHING;
	const int appeared = o->complete && o->error == EEXIST;
	const char *what = is_lost                 ? "moved or removed during the run"
			   : !o->error             ? "writing failed"
			   : o->error == ECANCELED ? "interrupted; the pipe's reader does not read"
			   : appeared              ? "appeared during the run"
						   : strerror(o->error);
	const h264i_io_status s = appeared            ? H264I_IO_ERR_EXISTS
				  : o->error == EPIPE ? H264I_IO_ERR_PIPE
						      : H264I_IO_ERR_WRITE;

	refuse(s, !is_lost ? name_of(o) : o->part ? o->part : "", what, msg);
	h264i_i_outfile_say_where(o, keep, msg);
	return s;
}

static void unlock(io_outfile *o)
{
	if (o->lock_fd >= 0)
		close(o->lock_fd);
	o->lock_fd = -1;
}

int h264i_i_outfile_finish(io_outfile *o, int replace)
{
	if (o->fd >= 0 && !o->is_stdout) {
		if (close(o->fd) != 0 && errno != EINTR && !o->error)
			o->error = errno;
		o->fd = -1;
	}
	if (!o->error && o->state == IO_OUT_PART)
		o->error = lsched_i_sync_file(o->lock_fd);
	if (o->error)
		return -1;
	o->complete = 1;
	if (o->state != IO_OUT_PART)
		return 0;
	if (!lsched_i_part_is(o->lock_fd, o->part)) {
		o->error = ENOENT; /* it was moved or removed */
		o->state = IO_OUT_NOTHING;
	} else if (lsched_i_part_rename(o->part, o->target, replace && o->overwrite) == 0) {
		o->state = IO_OUT_NAMED;
	} else if (replace || errno != EEXIST) {
		o->error = errno;
	}
	unlock(o);
	return o->error ? -1 : 0;
}

const char *h264i_i_outfile_where(const io_outfile *o)
{
	return o->state == IO_OUT_NOTHING ? NULL : o->state == IO_OUT_PART ? o->part : o->path;
}

void h264i_i_outfile_close(io_outfile *o, int keep)
{
	if (o->state == IO_OUT_PART && !o->complete && !(keep && o->bytes > 0) &&
		lsched_i_part_is(o->lock_fd, o->part))
		unlink(o->part);
	if (o->fd >= 0 && !o->is_stdout)
		close(o->fd);
	unlock(o);
	free(o->path);
	free(o->target);
	free(o->part);
	memset(o, 0, sizeof(*o));
	o->fd = o->lock_fd = -1;
}
