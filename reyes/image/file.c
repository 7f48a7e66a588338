/* Reading and replacing files as a whole. */
#include <config.h>
#include "reyes/image/file.h"
#include "libsched/core/part.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAUSE_MS = 20 };

static reyes_status fail_errno(reyes_i_note *note, int error)
{
	if (error == ECANCELED)
		return reyes_i_note_fail(note, REYES_CANCELLED, "cancelled");
	return reyes_i_note_fail(note, error == ENOMEM ? REYES_ERR_NOMEM : REYES_ERR_FILE, "%s",
		error == ENXIO ? "no program has opened this pipe for reading" : strerror(error));
}

/* The same for a file that cannot be opened for reading. */
static reyes_status fail_open(reyes_i_note *note, int error)
{
	const int is_absent = error == ENOENT || error == ENOTDIR || error == EACCES ||
			      error == EISDIR || error == ELOOP || error == ENAMETOOLONG;

	fail_errno(note, error);
	return is_absent ? REYES_ERR_SCENE : error == ENOMEM ? REYES_ERR_NOMEM : REYES_ERR_FILE;
}

static ssize_t read_some(int fd, void *data, size_t n)
{
	ssize_t got;

	do
		got = read(fd, data, n);
	while (got < 0 && errno == EINTR);
	return got;
}

static reyes_status read_all(int fd, reyes_i_bytes *out, reyes_i_note *note)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fail_errno(note, errno);
	if (S_ISDIR(st.st_mode))
		return fail_open(note, EISDIR);
	if (!S_ISREG(st.st_mode))
		return reyes_i_note_fail(note, REYES_ERR_SCENE, "is no regular file");
	if ((uintmax_t)st.st_size >= SIZE_MAX / 8)
		return fail_errno(note, EFBIG);
	out->room = (size_t)st.st_size + 1;
	out->data = malloc(out->room);
	if (!out->data)
		return fail_errno(note, ENOMEM);
	while (out->count < out->room) {
		const ssize_t got = read_some(fd, out->data + out->count, out->room - out->count);

		if (got < 0)
			return fail_errno(note, errno);
		if (got == 0)
			return REYES_OK;
		out->count += (size_t)got;
	}
	return reyes_i_note_fail(note, REYES_ERR_FILE, "the file grows while it is read");
}

reyes_status reyes_i_file_read(const char *path, reyes_i_bytes *out, reyes_i_note *note)
{
	/* O_NONBLOCK: the opening of a pipe without a writer returns, and is then refused. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	reyes_status s;

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return fail_open(note, errno);
	s = read_all(fd, out, note);
	close(fd);
	if (s != REYES_OK)
		reyes_i_bytes_free(out);
	return s;
}

/* Waits a short time until fd (-1: none) has room. Returns 0, or ECANCELED. */
static int pause_for(int fd, const reyes_i_file_rules *rules)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	if (rules && rules->cancelled &&
		atomic_load_explicit(rules->cancelled, memory_order_relaxed))
		return ECANCELED;
	(void)poll(&p, 1, PAUSE_MS);
	return 0;
}

/* Returns 0 or errno. */
static int write_all(int fd, const reyes_i_bytes *b, const reyes_i_file_rules *rules)
{
	for (size_t at = 0; at < b->count;) {
		const ssize_t n = write(fd, b->data + at, b->count - at);

		if (n < 0 && errno == EAGAIN) {
			if (pause_for(fd, rules))
				return ECANCELED;
			continue;
		}
		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0)
			return EIO;
		if (n > 0)
			at += (size_t)n;
	}
	return 0;
}

/* Opens a device, or a pipe that has a reader. Returns -1 with errno. */
static int open_direct(const char *path, const reyes_i_file_rules *rules)
{
	for (;;) {
		const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

		if (fd >= 0 || (errno != EINTR && !(errno == ENXIO && rules && rules->waits)))
			return fd;
		errno = pause_for(-1, rules);
		if (errno)
			return -1;
	}
}

static reyes_status write_direct(const char *path, const reyes_i_bytes *b,
	const reyes_i_file_rules *rules, reyes_i_note *note)
{
	const reyes_status s = reyes_i_check_rules(rules, path, b, note);
	int fd, error;

	if (s != REYES_OK)
		return s;
	fd = open_direct(path, rules);
	if (fd < 0)
		return fail_errno(note, errno);
	error = write_all(fd, b, rules);
	if (close(fd) != 0 && errno != EINTR && !error)
		error = errno;
	return error ? fail_errno(note, error) : REYES_OK;
}

/* Writes, syncs, closes and renames the locked file. A second descriptor holds the lock up to the
 * renaming, because close may report that the disk is full. Returns 0 or errno. */
static int complete_part(int fd, const char *part, const char *target, const reyes_i_bytes *b)
{
	const int lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int error = lock < 0 ? errno : write_all(fd, b, NULL);

	if (!error)
		error = lsched_i_sync_file(fd);
	if (close(fd) != 0 && errno != EINTR && !error)
		error = errno;
	if (!error && !lsched_i_part_is(lock, part))
		error = ENOENT;
	if (!error && lsched_i_part_rename(part, target, 1) != 0)
		error = errno;
	if (error && (lock < 0 || lsched_i_part_is(lock, part)))
		unlink(part);
	if (lock >= 0)
		close(lock);
	return error;
}

/* Checks a file and its NAME.part, which may be empty, against the rules. */
static reyes_status check_both(const char *target, const char *part, const reyes_i_bytes *b,
	const reyes_i_file_rules *rules, reyes_i_note *note)
{
	const reyes_status s = reyes_i_check_rules(rules, target, b, note);
	struct stat st;

	if (s != REYES_OK || lstat(part, &st) != 0 || (S_ISREG(st.st_mode) && st.st_size == 0))
		return s;
	if (reyes_i_check_rules(rules, part, b, note) == REYES_OK)
		return REYES_OK;
	note->text[0] = '\0';
	return reyes_i_note_fail(note, REYES_ERR_FILE,
		"NAME.part exists already and is no picture of this format; -y replaces it");
}

static reyes_status replace(const char *target, const struct stat *old, const reyes_i_bytes *b,
	const reyes_i_file_rules *rules, reyes_i_note *note)
{
	char *part = lsched_i_part_name(target);
	reyes_status s;
	int fd, error;

	if (!part)
		return fail_errno(note, ENOMEM);
	s = check_both(target, part, b, rules, note);
	if (s != REYES_OK) {
		free(part);
		return s;
	}
	fd = lsched_i_part_open(part, old ? old->st_mode & 0777 : 0666, 1);
	error = errno;
	if (fd >= 0) {
		if (old)
			(void)fchmod(fd, old->st_mode & 0777);
		error = complete_part(fd, part, target, b);
	}
	free(part);
	if (error == 0)
		return REYES_OK;
	if (fd < 0 && error == EWOULDBLOCK)
		return reyes_i_note_fail(note, REYES_ERR_FILE,
			"another process is writing it (NAME.part is locked)");
	if (fd < 0 && error == EEXIST)
		return reyes_i_note_fail(note, REYES_ERR_FILE, "NAME.part is no regular file");
	return fail_errno(note, error);
}

reyes_status reyes_i_file_write(const char *path, const reyes_i_bytes *b,
	const reyes_i_file_rules *rules, reyes_i_note *note)
{
	struct stat old;
	const int exists = stat(path, &old) == 0;
	reyes_status s;
	char *target;

	if (*path == '\0')
		return reyes_i_note_fail(note, REYES_ERR_FILE, "the name of the file is empty");
	if (exists && S_ISDIR(old.st_mode))
		return fail_errno(note, EISDIR);
	if (exists && !S_ISREG(old.st_mode))
		return write_direct(path, b, rules, note);
	if (exists && access(path, W_OK) != 0)
		return fail_errno(note, errno);
	target = lsched_i_follow_links(path);
	if (!target)
		return fail_errno(note, errno);
	s = replace(target, exists ? &old : NULL, b, rules, note);
	free(target);
	return s;
}
