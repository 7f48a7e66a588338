#include "libsched/core/part.h"

#include <stdio.h>
#include <sys/file.h>

enum { MOST_TRIES = 100 };

static const char suffix[] = ".part";

char *lsched_i_part_name(const char *target)
{
	const size_t bytes = strlen(target);
	char *part = (char *)malloc(bytes + sizeof(suffix));

	if (part) {
		memcpy(part, target, bytes);
		memcpy(part + bytes, suffix, sizeof(suffix));
	}
	return part;
}

int lsched_i_part_is(int fd, const char *part)
{
	struct stat mine, named;

	return fstat(fd, &mine) == 0 && lstat(part, &named) == 0 && mine.st_dev == named.st_dev &&
	       mine.st_ino == named.st_ino;
}

/* A file system without locks is accepted. */
static int lock(int fd)
{
	while (flock(fd, LOCK_EX | LOCK_NB) != 0)
		if (errno != EINTR)
			return errno == EWOULDBLOCK ? -1 : 0;
	return 0;
}

/* Closes and sets errno. */
static int close_failed(int fd, int error)
{
	close(fd);
	errno = error;
	return -1;
}

/* Removes an older file that may be replaced. 0, or -1 with errno. The lock is held while the
 * name goes, so that a process which opened the same file finds the name changed. */
static int remove_older(const char *part, int overwrite)
{
	int fd = open(part, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), error = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(fd, &st) != 0)
		error = errno;
	else if (!S_ISREG(st.st_mode))
		error = EEXIST;
	else if (lock(fd) != 0)
		error = EWOULDBLOCK;
	else if (lsched_i_part_is(fd, part) && st.st_size > 0 && !overwrite)
		error = EEXIST;
	else if (lsched_i_part_is(fd, part) && unlink(part) != 0 && errno != ENOENT)
		error = errno;
	if (error)
		return close_failed(fd, error);
	close(fd);
	return 0;
}

int lsched_i_part_open(const char *part, mode_t mode, int overwrite)
{
	for (int i = 0; i < MOST_TRIES; i++) {
		int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);

		if (fd < 0 && errno == EINTR)
			continue;
		if (fd < 0 && (errno != EEXIST || remove_older(part, overwrite) != 0))
			return -1;
		if (fd < 0)
			continue;
		if (lock(fd) != 0)
			return close_failed(fd, EWOULDBLOCK);
		/* Between open and lock another process may have removed the file as an empty
		 * one. */
		if (lsched_i_part_is(fd, part))
			return fd;
		close(fd);
	}
	errno = EWOULDBLOCK;
	return -1;
}

static int rename_new(const char *part, const char *target)
{
	int fd;

#ifdef RENAME_NOREPLACE
	if (renameat2(AT_FDCWD, part, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
#endif
	/* This file system cannot do it in one step: an empty file takes the name first. */
	fd = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	close(fd);
	return rename(part, target);
}

int lsched_i_part_rename(const char *part, const char *target, int replace)
{
	if ((replace ? rename(part, target) : rename_new(part, target)) != 0)
		return -1;
	lsched_i_sync_folder(target);
	return 0;
}
