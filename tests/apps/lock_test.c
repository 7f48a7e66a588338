/* The lock of a checkpoint, on file systems with locks, without them, and with locks that end at a
 * host: this program's flock() takes the place of the C library's. */
#include "apps/gqueens/lock.h"
#include "tests/common/check.h"
#include "tests/common/testmain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int has_locks = 1;
static char host[256], why[STORE_WHY_BYTES];

/* A lock conflicts with another process's only, as no test has two descriptors in one process. */
int flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	if (has_locks)
		return 0;
	errno = ENOLCK;
	return -1;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", name);
}

/* The lock file names `pid` of `of`. Returns whether the checkpoint can be locked. */
static int takes(const char *of, long pid)
{
	char line[300];
	gq_lock l;
	int bad;

	snprintf(line, sizeof(line), "%s %ld\n", of, pid);
	put(".c.lock", line);
	bad = gq_lock_take(&l, "c", why);
	if (!bad)
		gq_lock_release(&l);
	return !bad;
}

/* Returns the number of a process that has ended. */
static long ended(void)
{
	const pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return waitpid(pid, NULL, 0) == pid ? (long)pid : -1;
}

static void test_stale(void)
{
	has_locks = 1;
	CHECK(takes(host, (long)getppid()), "without its lock a file is stale: %s", why);
	CHECK(takes("elsewhere", 1), "also one of another host: %s", why);
	CHECK(access(".c.lock", F_OK) != 0, "the lock file remains");
}

static void test_without_locks(void)
{
	char text[300];

	has_locks = 0;
	snprintf(text, sizeof(text), "c is in use by process %ld on %s; ", (long)getppid(), host);
	CHECK(!takes(host, (long)getppid()), "a process that runs");
	CHECK(strstr(why, text) == why && !strstr(why, "remove"), "'%s'", why);
	CHECK(takes(host, ended()), "a process that has ended: %s", why);
	CHECK(takes(host, (long)getpid()), "this number, of a process before: %s", why);
	CHECK(!takes("elsewhere", 1), "another host's process may run");
	CHECK(strstr(why, "process 1 on elsewhere") && strstr(why, "remove .c.lock"), "'%s'", why);
	has_locks = 1;
}

/* On a file system whose locks end at its host a second process takes over; the first one sees
 * it before it writes. */
static void test_taken_over(void)
{
	gq_lock first, second;

	CHECK(gq_lock_take(&first, "c", why) == 0, "%s", why);
	CHECK(gq_lock_check(&first, "c", why) == 0, "%s", why);
	CHECK(gq_lock_take(&second, "c", why) == 0, "%s", why);
	CHECK(gq_lock_check(&first, "c", why) != 0, "it is the second one's");
	CHECK(gq_lock_check(&second, "c", why) == 0, "%s", why);
	gq_lock_release(&first);
	CHECK(gq_lock_check(&second, "c", why) == 0, "the first one removed it: %s", why);
	CHECK(unlink(".c.lock") == 0, "no lock file");
	CHECK(gq_lock_check(&second, "c", why) != 0, "it was removed");
	CHECK(strstr(why, ".c.lock was removed"), "'%s'", why);
	gq_lock_release(&second);
}

static void test_names(void)
{
	gq_lock l;

	CHECK(mkdir("folder", 0777) == 0 && symlink("folder/real", "link") == 0, "no folder");
	CHECK(gq_lock_take(&l, "link", why) == 0, "%s", why);
	CHECK(access("folder/.real.lock", F_OK) == 0, "the lock is beside the link");
	gq_lock_release(&l);
	CHECK(rmdir("folder") == 0 && unlink("link") == 0, "something is left");
	CHECK(gq_lock_take(&l, "/dev/null", why) == 0 && !l.name, "no file is locked");
	CHECK(gq_lock_take(&l, "none/c", why) != 0, "no such folder");
	CHECK(strstr(why, "No such file"), "'%s'", why);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a lock file without a lock is replaced", test_stale },
		{ "without locks the process decides", test_without_locks },
		{ "a lock that is taken over is noticed", test_taken_over },
		{ "the lock file is beside the checkpoint", test_names },
		CU_TEST_INFO_NULL,
	};
	char folder[] = "/tmp/lock_test.XXXXXX";
	int rc;

	if (!mkdtemp(folder) || chdir(folder) || gethostname(host, sizeof(host)))
		return 1;
	rc = test_run_one("lock", tests);
	return rmdir(folder) == 0 ? rc : 1;
}
