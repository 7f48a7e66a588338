#include "apps/common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const char *path, const char *what, char why[OUTFILE_WHY_BYTES])
{
	snprintf(why, OUTFILE_WHY_BYTES, "%s: %s", path, what);
	return -1;
}

static int complain_errno(const char *path, int e, char why[OUTFILE_WHY_BYTES])
{
	return complain(path, strerror(e ? e : EIO), why);
}

/* A new file beside the one it will become, so that both are in one file system; its name is this
 * process's alone. */
static int open_beside(outfile *f, mode_t mode)
{
	const size_t room = strlen(f->real) + 48;
	int fd = -1;

	f->beside = malloc(room);
	if (!f->beside) {
		errno = ENOMEM;
		return -1;
	}
	for (unsigned i = 0; i < 100 && fd < 0; i++) {
		snprintf(f->beside, room, "%s.%ld-%u.new", f->real, (long)getpid(), i);
		fd = open(f->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

static void forget(outfile *f)
{
	free(f->real);
	free(f->beside);
	memset(f, 0, sizeof(*f));
}

static int fail(outfile *f, const char *path, int e, int fd, char why[OUTFILE_WHY_BYTES])
{
	if (fd >= 0) {
		close(fd);
		if (f->beside)
			unlink(f->beside);
	}
	forget(f);
	return complain_errno(path, e, why);
}

/* The file's own name, behind links, in memory to free. Where a link points to nothing an empty file is put
 * there, to have its name. */
static char *own_name(const char *path)
{
	char *name = realpath(path, NULL);
	struct stat st;
	int fd;

	if (name)
		return name;
	if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return strdup(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	close(fd);
	return realpath(path, NULL);
}

int outfile_open(outfile *f, const char *path, int overwrite, char why[OUTFILE_WHY_BYTES])
{
	mode_t mode = 0666;
	struct stat st;
	int fd, there;

	memset(f, 0, sizeof(*f));
	f->path = path;
	if (strcmp(path, "-") == 0) {
		f->path = "standard output";
		f->to = stdout;
		return 0;
	}
	there = stat(path, &st) == 0;
	if (!there && errno != ENOENT)
		return complain_errno(path, errno, why);
	if (there && S_ISDIR(st.st_mode))
		return complain_errno(path, EISDIR, why);
	if (there && S_ISREG(st.st_mode) && !overwrite)
		return complain(path, "exists already; -y overwrites it", why);
	if (there && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		if (there && access(path, W_OK) != 0)
			return complain_errno(path, errno, why);
		/* through a link, that it stays one */
		f->real = own_name(path);
		if (!f->real)
			return fail(f, path, errno, -1, why);
		if (there)
			mode = st.st_mode & 0777;
		fd = open_beside(f, mode);
	}
	if (fd < 0)
		return fail(f, path, errno, -1, why);
	f->to = fdopen(fd, "w");
	return f->to ? 0 : fail(f, path, errno, fd, why);
}

/* That the new name lasts as well. Folders of some file systems cannot be synced, and need not be. */
static void sync_folder(char *path)
{
	char *slash = strrchr(path, '/');
	int fd;

	if (slash)
		slash[slash == path] = '\0';
	fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* Why a write failed some time ago, which nobody has kept: asked once more. What is written is lost anyway. */
static int ask_again(const outfile *f)
{
	errno = 0;
	return f->to != stdout && write(fileno(f->to), "", 1) < 0 ? errno : EIO;
}

int outfile_close(outfile *f, int keep, char why[OUTFILE_WHY_BYTES])
{
	const char *path = f->path;
	int e = 0, bad = 0;

	if (!f->to)
		return 0;
	if (ferror(f->to))
		bad = 1, e = ask_again(f);
	else if (fflush(f->to) != 0)
		bad = 1, e = errno;
	if (!bad && keep && f->beside && fsync(fileno(f->to)) != 0)
		bad = 1, e = errno;
	if (f->to != stdout && fclose(f->to) != 0 && !bad)
		bad = 1, e = errno;
	if (f->beside && !bad && keep && rename(f->beside, f->real) != 0)
		bad = 1, e = errno;
	if (f->beside && (bad || !keep))
		unlink(f->beside);
	else if (f->beside)
		sync_folder(f->real);
	forget(f);
	return bad ? complain_errno(path, e, why) : 0;
}

int outfile_put(void *opaque, const char *text, size_t bytes)
{
	return fwrite(text, 1, bytes, opaque) == bytes ? 0 : -1;
}
