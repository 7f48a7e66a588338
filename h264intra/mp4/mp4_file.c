/* A file of the file system, a pipe or a device. */
#include <config.h>

#include "h264intra/mp4/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct mp4_file {
	int fd;
	char path[]; /* to remove an empty file; "" if it is no regular file */
} mp4_file;

typedef enum transfer_kind { APPEND, WRITE_AT, READ_AT } transfer_kind;

/* Transfers all bytes, in as many calls as it takes. Returns 0 or errno. */
static int transfer(const mp4_file *f, transfer_kind how, uint64_t offset, void *data, size_t bytes)
{
	char *at = data;

	while (bytes > 0) {
		const ssize_t n = how == APPEND     ? write(f->fd, at, bytes)
				  : how == WRITE_AT ? pwrite(f->fd, at, bytes, (off_t)offset)
						    : pread(f->fd, at, bytes, (off_t)offset);

		if (n > 0) {
			at += n;
			offset += (uint64_t)n;
			bytes -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			return n == 0 ? EIO : errno;
		}
	}
	return 0;
}

static int append_bytes(void *opaque, const void *data, size_t bytes)
{
	return transfer(opaque, APPEND, 0, (void *)data, bytes);
}

static int write_at(void *opaque, uint64_t offset, const void *data, size_t bytes)
{
	return transfer(opaque, WRITE_AT, offset, (void *)data, bytes);
}

static int read_at(void *opaque, uint64_t offset, void *data, size_t bytes)
{
	return transfer(opaque, READ_AT, offset, data, bytes);
}

static int cut_at(void *opaque, uint64_t bytes)
{
	const mp4_file *f = opaque;

	return ftruncate(f->fd, (off_t)bytes) == 0 ? 0 : errno;
}

/* 1: the path still leads to the file. The program may have changed its folder, or another program
 * may have replaced the file. */
static int is_at_path(const mp4_file *f)
{
	struct stat at, open;

	return f->path[0] && fstat(f->fd, &open) == 0 && lstat(f->path, &at) == 0 &&
	       at.st_dev == open.st_dev && at.st_ino == open.st_ino;
}

static void close_file(void *opaque, int nothing)
{
	mp4_file *f = opaque;

	if (f->fd >= 0 && nothing && is_at_path(f))
		unlink(f->path);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

static int is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

static int open_file(const char *path)
{
	const int flags = is_regular(path) ? O_RDWR | O_CREAT | O_TRUNC : O_WRONLY;
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC, 0666);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Returns a file that is not open yet, or NULL without memory. */
static mp4_file *make_file(const char *path)
{
	const char *kept = is_regular(path) ? path : "";
	mp4_file *f = malloc(sizeof(*f) + strlen(kept) + 1);

	if (f) {
		f->fd = -1;
		strcpy(f->path, kept);
	}
	return f;
}

static h264i_status fail_open(
	h264i_status s, const char *path, const char *why, char *msg, size_t msg_bytes)
{
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "cannot open '%s': %s", path, why);
	return s;
}

/* Options are checked before a file is truncated. */
h264i_status h264i_mp4_open_path(
	h264i_mp4 **out, const h264i_mp4_options *o, const char *path, char *msg, size_t msg_bytes)
{
	h264i_mp4_sink sink;
	h264i_status s;
	mp4_file *f;

	if (!out)
		return H264I_ERR_ARG;
	*out = NULL;
	if (!path)
		return fail_open(H264I_ERR_ARG, "", "the path is NULL", msg, msg_bytes);
	f = make_file(path);
	if (!f)
		return fail_open(H264I_ERR_NOMEM, path, "out of memory", msg, msg_bytes);
	h264i_mp4_sink_init(&sink);
	sink.opaque = f;
	sink.write = append_bytes;
	if (f->path[0]) {
		sink.pwrite = write_at;
		sink.read = read_at;
		sink.truncate = cut_at;
	}
	s = h264i_i_mp4_open(out, o, &sink, close_file, msg, msg_bytes);
	if (s != H264I_OK)
		return s;
	f->fd = open_file(path);
	if (f->fd >= 0)
		return s;
	s = fail_open(H264I_ERR_IO, path, strerror(errno), msg, msg_bytes);
	h264i_mp4_close(out);
	return s;
}
