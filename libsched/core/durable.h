/* Writes files and names to the disk, so that a rename replaces a file by a whole one also after a
 * power failure: lsched_i_sync_file, rename, lsched_i_sync_folder. On the host only. */
#ifndef LIBSCHED_CORE_DURABLE_H
#define LIBSCHED_CORE_DURABLE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
	const int fd = slash && !folder
			       ? -1
			       : open(folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(folder);
}
#endif
