#include "apps/gqueens/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest that a plan can have, by far: what is longer is no checkpoint, and is not read into memory. */
#define MOST_BYTES ((off_t)1 << 34)

static store_state bad(const char *path, const char *text, char why[STORE_WHY_BYTES])
{
	snprintf(why, STORE_WHY_BYTES, "%s %s", path, text);
	return STORE_BAD;
}

static store_state system_error(const char *path, char why[STORE_WHY_BYTES])
{
	const int e = errno;

	snprintf(why, STORE_WHY_BYTES, "%s: %s", path, strerror(e));
	return e == ENOENT ? STORE_MISSING : STORE_BAD;
}

/* All of an open file. */
static int read_all(int fd, store_text *out, size_t bytes)
{
	out->text = malloc(bytes + 1);
	if (!out->text)
		return -1;
	while (out->bytes < bytes) {
		const ssize_t n = read(fd, out->text + out->bytes, bytes - out->bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break; /* became shorter; the checksum will tell */
		out->bytes += (size_t)n;
	}
	return 0;
}

store_state store_read(const char *path, store_text *out, char why[STORE_WHY_BYTES])
{
	/* a pipe that nobody writes to shall not keep us waiting */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	store_state state = STORE_OK;
	struct stat st;
	char fault[128];

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return system_error(path, why);
	if (fstat(fd, &st) != 0)
		state = system_error(path, why);
	else if (!S_ISREG(st.st_mode))
		state = bad(path, "is no regular file", why);
	else if (st.st_size > MOST_BYTES)
		state = bad(path, "is no checkpoint", why);
	else if (read_all(fd, out, (size_t)st.st_size))
		state = system_error(path, why);
	close(fd);
	if (state == STORE_OK && nq_checkpoint_read(out->text, out->bytes, &out->head, fault,
					 sizeof(fault)) != NQ_OK) {
		bad(path, fault, why);
		state = out->bytes ? STORE_BAD : STORE_EMPTY;
	}
	if (state != STORE_OK)
		store_free(out);
	return state;
}

void store_free(store_text *s)
{
	free(s->text);
	s->text = NULL;
	s->bytes = 0;
}

/* ---- writing ---- */

static int put(void *opaque, const char *text, size_t bytes)
{
	const int fd = *(const int *)opaque;

	while (bytes) {
		const ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		text += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* A new file beside `path`: of this process alone, for two may have the same checkpoint by mistake. */
static int open_beside(const char *path, char name[PATH_MAX])
{
	int fd = -1;

	for (unsigned i = 0; i < 100 && fd < 0; i++) {
		if (snprintf(name, PATH_MAX, "%s.%ld-%u.new", path, (long)getpid(), i) >=
			PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* That the new name lasts too. Folders of some file systems cannot be synced, and need not be. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* The file's own name, behind links, in memory to free; NULL: it is not there. Where a link points to nothing
 * an empty file is put there, to have its name. */
static char *own_name(const char *path)
{
	char *name = realpath(path, NULL);
	struct stat st;
	int fd;

	if (name || lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return name;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	return realpath(path, NULL);
}

int store_write(const char *path, const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, char why[STORE_WHY_BYTES])
{
	char *real = own_name(path);
	const char *place = real ? real : path;
	char name[PATH_MAX];
	struct stat st;
	nq_status written;
	int fd, e = 0;

	if (real && stat(real, &st) == 0 && !S_ISREG(st.st_mode)) {
		bad(path, "is no regular file", why);
		free(real);
		return -1;
	}
	fd = open_beside(place, name);
	if (fd < 0) {
		system_error(path, why);
		free(real);
		return -1;
	}
	errno = EINVAL; /* should the library refuse, which it has no reason for */
	written = nq_checkpoint_write(plan, options, ledger, part, parts, put, &fd);
	if (written != NQ_OK || fsync(fd) != 0)
		e = errno;
	if (close(fd) != 0 && !e)
		e = errno;
	if (!e && rename(name, place) != 0)
		e = errno;
	if (e) {
		unlink(name);
		errno = e;
		system_error(path, why);
	} else {
		sync_folder(place);
	}
	free(real);
	return e ? -1 : 0;
}
