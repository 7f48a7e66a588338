/* Files that replace others: links in their names, and the order of writes to the disk. A rename
 * replaces a file by a whole one also after a power failure if lsched_i_sync_file is before it and
 * lsched_i_sync_folder after it. On the host only; sources define _GNU_SOURCE (config.h). */
#ifndef LIBSCHED_CORE_REPLACE_H
#define LIBSCHED_CORE_REPLACE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LSCHED_I_LINKS_MAX = 40 };

/* Returns the folder of a path in memory to free, or NULL without memory. */
static inline char *lsched_i_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* 1 if a link may be followed. In a folder such as /tmp it belongs to the user or to the owner of
 * the folder, as for the kernel with fs.protected_symlinks, which does not see readlink. */
static inline int lsched_i_may_follow(const char *link)
{
	char *folder = lsched_i_folder(link);
	struct stat of_link, of_folder;
	int may = 0;

	if (folder && lstat(link, &of_link) == 0 && stat(folder, &of_folder) == 0)
		may = !(of_folder.st_mode & S_ISVTX) || !(of_folder.st_mode & S_IWOTH) ||
		      of_link.st_uid == geteuid() || of_link.st_uid == of_folder.st_uid;
	free(folder);
	return may;
}

/* Follows symbolic links of the last component, also to a file that does not exist. Returns memory
 * to free, or NULL with errno: EACCES a link of another user, see above. */
static inline char *lsched_i_follow_links(const char *path)
{
	char *name = strdup(path), text[PATH_MAX];

	for (int i = 0; name; i++) {
		const ssize_t n = readlink(name, text, sizeof(text) - 1);
		const char *slash = strrchr(name, '/');
		size_t folder_bytes;
		char *next = NULL;

		if (n < 0)
			return name; /* no link */
		text[n] = '\0';
		folder_bytes = slash && text[0] != '/' ? (size_t)(slash - name) + 1 : 0;
		if (i == LSCHED_I_LINKS_MAX)
			errno = ELOOP;
		else if (!lsched_i_may_follow(name))
			errno = EACCES;
		else
			next = (char *)malloc(folder_bytes + (size_t)n + 1);
		if (next) {
			memcpy(next, name, folder_bytes);
			memcpy(next + folder_bytes, text, (size_t)n + 1);
		}
		free(name);
		name = next;
	}
	return NULL;
}

/* Writes the contents to the disk. Returns 0 or errno; 0 also for what has no disk (a pipe) and on
 * file systems without this operation. */
static inline int lsched_i_sync_file(int fd)
{
	while (fsync(fd) != 0)
		if (errno != EINTR)
			return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP ||
					       errno == EROFS
				       ? 0
				       : errno;
	return 0;
}

/* Writes the names in the folder of `path` to the disk. Ignores errors: some file systems cannot
 * sync a folder, and the file has its name. */
static inline void lsched_i_sync_folder(const char *path)
{
	char *folder = lsched_i_folder(path);
	const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(folder);
}
#endif
