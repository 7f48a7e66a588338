/* Fails one call of a program, for LD_PRELOAD: the FAULTS_AT-th one, from 1, of the kind
 * FAULTS_KIND after the start of main(). FAULTS_COUNT=FILE: writes the number of calls of each kind
 * to the file at the end. FAULTS_LOG=FILE: writes where the call was that failed. Linux with glibc.
 *
 * kind    calls                                                  errno
 * alloc   malloc, calloc, realloc, posix_memalign, aligned_alloc ENOMEM
 * open    open, fopen                                            EMFILE
 * read    read, pread, fread, fgets                              EIO
 * write   write, pwrite, ftruncate, fflush, fclose               ENOSPC
 * seek    lseek, fseeko                                          EIO
 * fsync   fsync, fdatasync                                       EIO
 * rename  rename, renameat2                                      EACCES
 *
 * Calls within libc, as of write() by fprintf(), are not seen; fflush and fclose stand for them. */
#undef _FORTIFY_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default)
enum kind { ALLOC, OPEN, READ, WRITE, SEEK, FSYNC, RENAME, KINDS };

static const char *const names[KINDS] = { "alloc", "open", "read", "write", "seek", "fsync",
	"rename" };
static const int numbers[KINDS] = { ENOMEM, EMFILE, EIO, ENOSPC, EIO, EIO, EACCES };

static unsigned long calls[KINDS], fail_at;
static int fail_kind = -1, running;
static const char *count_path, *log_path;
static int (*program_main)(int, char **, char **);

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* Writes to a file of its own by system calls, which are not counted. */
static int open_own(const char *path)
{
	return (int)syscall(
		SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void log_fault(enum kind k)
{
	void *frames[32];
	char line[64];
	const int fd = open_own(log_path), n = backtrace(frames, 32);

	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%s %lu\n", names[k], fail_at);
	if (syscall(SYS_write, fd, line, strlen(line)) > 0)
		backtrace_symbols_fd(frames, n, fd);
	syscall(SYS_close, fd);
}

/* Counts a call; returns nonzero, with errno, for the one that fails. */
static int fails(enum kind k)
{
	if (!__atomic_load_n(&running, __ATOMIC_RELAXED) ||
		__atomic_add_fetch(&calls[k], 1, __ATOMIC_RELAXED) != fail_at ||
		(int)k != fail_kind)
		return 0;
	if (log_path)
		log_fault(k);
	errno = numbers[k];
	return 1;
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

/* Declares `real`, libc's function of that name. */
#define REAL(type, name, ...)             \
	static type (*real)(__VA_ARGS__); \
	if (!real)                        \
	*(void **)&real = next(name)

static void write_counts(void)
{
	const int fd = count_path ? open_own(count_path) : -1;

	for (int k = 0; fd >= 0 && k < KINDS; k++) {
		char line[64];

		snprintf(line, sizeof(line), "%s %lu\n", names[k], calls[k]);
		if (syscall(SYS_write, fd, line, strlen(line)) < 0)
			break;
	}
}

static int counted_main(int argc, char **argv, char **envp)
{
	const char *kind = getenv("FAULTS_KIND"), *at = getenv("FAULTS_AT");
	void *frame[1];

	for (int k = 0; kind && k < KINDS; k++)
		if (strcmp(kind, names[k]) == 0)
			fail_kind = k;
	fail_at = at ? strtoul(at, NULL, 10) : 0;
	count_path = getenv("FAULTS_COUNT");
	log_path = getenv("FAULTS_LOG");
	/* The first call allocates. */
	(void)backtrace(frame, 1);
	atexit(write_counts);
	/* Programs that this one starts run without faults. */
	unsetenv("LD_PRELOAD");
	__atomic_store_n(&running, 1, __ATOMIC_RELAXED);
	return program_main(argc, argv, envp);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	REAL(int, "__libc_start_main", int (*)(int, char **, char **), int, char **, void (*)(void),
		void (*)(void), void (*)(void), void *);

	program_main = main;
	return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- memory ---- */

void *malloc(size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	void *p = fails(ALLOC) ? NULL : __libc_memalign(alignment, bytes);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

/* ---- files ---- */

static int open_file(const char *path, int flags, mode_t mode)
{
	return fails(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | __O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

FILE *fopen(const char *path, const char *mode)
{
	REAL(FILE *, "fopen64", const char *, const char *);

	return fails(OPEN) ? NULL : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

ssize_t read(int fd, void *to, size_t bytes)
{
	REAL(ssize_t, "read", int, void *, size_t);

	return fails(READ) ? -1 : real(fd, to, bytes);
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
	REAL(ssize_t, "pread64", int, void *, size_t, off64_t);

	return fails(READ) ? -1 : real(fd, to, bytes, at);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) __attribute__((alias("pread64")));

/* What _FORTIFY_SOURCE makes of both. */
ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room)
{
	return bytes > room ? (abort(), -1) : read(fd, to, bytes);
}

ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room)
{
	return bytes > room ? (abort(), -1) : pread64(fd, to, bytes, at);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
	REAL(ssize_t, "write", int, const void *, size_t);

	return fails(WRITE) ? -1 : real(fd, from, bytes);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
	REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);

	return fails(WRITE) ? -1 : real(fd, from, bytes, at);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at) __attribute__((alias("pwrite64")));

int ftruncate64(int fd, off64_t bytes)
{
	return fails(WRITE) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
}

int ftruncate(int fd, off_t bytes) __attribute__((alias("ftruncate64")));

off64_t lseek64(int fd, off64_t offset, int whence)
{
	return fails(SEEK) ? -1 : syscall(SYS_lseek, fd, offset, whence);
}

off_t lseek(int fd, off_t offset, int whence) __attribute__((alias("lseek64")));

int fsync(int fd)
{
	return fails(FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return fails(FSYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *from, const char *to)
{
	return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

/* ---- streams ---- */

/* Marks a stream as ferror() reads it. */
static void mark(FILE *f)
{
	f->_flags |= _IO_ERR_SEEN;
}

size_t fread(void *to, size_t bytes, size_t count, FILE *f)
{
	REAL(size_t, "fread", void *, size_t, size_t, FILE *);

	if (!fails(READ))
		return real(to, bytes, count, f);
	mark(f);
	return 0;
}

char *fgets(char *to, int bytes, FILE *f)
{
	REAL(char *, "fgets", char *, int, FILE *);

	if (!fails(READ))
		return real(to, bytes, f);
	mark(f);
	return NULL;
}

int fflush(FILE *f)
{
	REAL(int, "fflush", FILE *);
	const int result = real(f);

	if (!fails(WRITE))
		return result;
	if (f)
		mark(f);
	return EOF;
}

int fclose(FILE *f)
{
	REAL(int, "fclose", FILE *);
	const int result = real(f);

	return fails(WRITE) ? EOF : result;
}

int fseeko64(FILE *f, off64_t offset, int whence)
{
	REAL(int, "fseeko64", FILE *, off64_t, int);

	return fails(SEEK) ? -1 : real(f, offset, whence);
}

int fseeko(FILE *f, off_t offset, int whence) __attribute__((alias("fseeko64")));
#pragma GCC visibility pop
