#include "apps/gqueens/lock.h"
#include "libsched/core/part.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOST_BYTES = 256, LINE_BYTES = HOST_BYTES + 32 };

/* The process that a lock file names. */
typedef struct holder {
	char host[HOST_BYTES]; /* empty: unknown, the file is being written */
	long pid;
	int runs;  /* as far as is known */
	int known; /* the file system has locks, or the process was looked for */
} holder;

/* Returns FOLDER/.NAME.lock of a path whose links are followed, in memory to free, or NULL. */
static char *lock_name(const char *path)
{
	char *target = lsched_i_follow_links(path);
	const char *slash = target ? strrchr(target, '/') : NULL;
	const size_t folder_bytes = slash ? (size_t)(slash - target) + 1 : 0;
	const size_t bytes = target ? strlen(target) + sizeof(".") + sizeof(".lock") : 0;
	char *name = target ? malloc(bytes) : NULL;

	if (name)
		snprintf(name, bytes, "%.*s.%s.lock", (int)folder_bytes, target,
			target + folder_bytes);
	free(target);
	return name;
}

static void own_host(char host[HOST_BYTES])
{
	if (gethostname(host, HOST_BYTES) != 0 || !*host)
		strcpy(host, "localhost");
	host[HOST_BYTES - 1] = '\0';
}

/* Without locks: looks for the process, which may be of an earlier process with this number. */
static void look_for(holder *h)
{
	char own[HOST_BYTES];

	own_host(own);
	h->known = strcmp(h->host, own) == 0;
	h->runs = !h->known ||
		  (h->pid != (long)getpid() && (kill((pid_t)h->pid, 0) == 0 || errno != ESRCH));
}

/* Reads the process that a lock file names, and whether it still runs. */
static void read_holder(const char *name, holder *h)
{
	const int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char line[LINE_BYTES] = "";
	int rc;

	memset(h, 0, sizeof(*h));
	if (fd < 0) {
		h->runs = errno != ENOENT;
		return;
	}
	if (read(fd, line, sizeof(line) - 1) < 0 ||
		sscanf(line, "%255s %ld", h->host, &h->pid) != 2)
		h->host[0] = '\0';
	do
		rc = flock(fd, LOCK_SH | LOCK_NB);
	while (rc != 0 && errno == EINTR);
	h->known = rc == 0 || errno == EWOULDBLOCK;
	if (h->known)
		h->runs = rc != 0;
	else if (*h->host)
		look_for(h);
	close(fd);
}

static int refuse(const char *path, const char *name, const holder *h, char why[STORE_WHY_BYTES])
{
	const int n =
		*h->host ? snprintf(why, STORE_WHY_BYTES,
				   "%s is in use by process %ld on %s; two processes cannot "
				   "count into one checkpoint",
				   path, h->pid, h->host)
			 : snprintf(why, STORE_WHY_BYTES, "%s is in use by another process", path);

	if (!h->known && n > 0 && n < STORE_WHY_BYTES)
		snprintf(why + n, STORE_WHY_BYTES - (size_t)n,
			"; if that process has ended, remove %s", name);
	return -1;
}

static int system_error(const char *path, const char *name, char why[STORE_WHY_BYTES])
{
	const int e = errno;

	snprintf(why, STORE_WHY_BYTES, "%s cannot be locked: %s: %s", path, name, strerror(e));
	return -1;
}

/* Writes host and number of this process. */
static int write_holder(int fd)
{
	char host[HOST_BYTES], line[LINE_BYTES];
	int n;

	own_host(host);
	n = snprintf(line, sizeof(line), "%s %ld\n", host, (long)getpid());
	return write(fd, line, (size_t)n) == (ssize_t)n ? 0 : -1;
}

/* Creates the lock file, in the place of one whose process has ended. Returns the descriptor, or -1
 * with errno; EWOULDBLOCK: *h runs. */
static int create(const char *name, holder *h)
{
	int fd = lsched_i_part_open(name, 0666, 0);

	if (fd >= 0 || (errno != EEXIST && errno != EWOULDBLOCK && errno != EACCES))
		return fd;
	if (errno == EACCES && access(name, F_OK) != 0) {
		errno = EACCES;
		return -1;
	}
	read_holder(name, h);
	if (h->runs) {
		errno = EWOULDBLOCK;
		return -1;
	}
	if (access(name, W_OK) != 0)
		(void)unlink(name); /* of another user */
	fd = lsched_i_part_open(name, 0666, 1);
	if (fd < 0 && errno == EWOULDBLOCK)
		read_holder(name, h);
	return fd;
}

int gq_lock_take(gq_lock *l, const char *path, char why[STORE_WHY_BYTES])
{
	holder h = { .known = 1 };
	struct stat st;
	int fd, bad = 0;

	memset(l, 0, sizeof(*l));
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	l->name = lock_name(path);
	fd = l->name ? create(l->name, &h) : -1;
	if (fd >= 0 && write_holder(fd) == 0) {
		l->fd = fd;
		return 0;
	}
	if (fd >= 0 || !l->name)
		bad = system_error(path, l->name ? l->name : "its lock", why);
	else if (errno == EWOULDBLOCK)
		bad = refuse(path, l->name, &h, why);
	else if (errno != EACCES && errno != EROFS)
		bad = system_error(path, l->name, why);
	if (fd >= 0) {
		unlink(l->name);
		close(fd);
	}
	free(l->name);
	l->name = NULL;
	return bad;
}

int gq_lock_check(const gq_lock *l, const char *path, char why[STORE_WHY_BYTES])
{
	struct stat mine, named;
	holder h;
	int fd, is;

	if (!l->name)
		return 0;
	fd = open(l->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	/* opened, because NFS asks the server then */
	is = fd >= 0 && fstat(fd, &named) == 0 && fstat(l->fd, &mine) == 0 &&
	     mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
	if (fd >= 0)
		close(fd);
	if (is)
		return 0;
	read_holder(l->name, &h);
	if (*h.host)
		return refuse(path, l->name, &h, why);
	snprintf(why, STORE_WHY_BYTES, "%s was removed while the run needed it", l->name);
	return -1;
}

void gq_lock_release(gq_lock *l)
{
	if (!l->name)
		return;
	if (lsched_i_part_is(l->fd, l->name))
		unlink(l->name);
	close(l->fd);
	free(l->name);
	memset(l, 0, sizeof(*l));
}
