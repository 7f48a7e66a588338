/* The lock of a checkpoint during a run: two processes would replace each other's units. It is a
 * file .NAME.lock in the checkpoint's folder with the host and the number of the process. The
 * process holds a lock on it (flock, which NFS passes to the server), so that a file that a killed
 * process left behind is recognised. Where there are no such locks, the process is looked for on
 * this host; one of another host counts as running. */
#ifndef APPS_GQUEENS_LOCK_H
#define APPS_GQUEENS_LOCK_H

#include "apps/gqueens/store.h"

typedef struct gq_lock {
	char *name; /* NULL: not locked */
	int fd;
} gq_lock;

/* Locks the checkpoint `path`. Returns 0, or -1 with why if another process has it or the lock
 * cannot be written. A checkpoint that cannot be replaced (no regular file, a folder without write
 * permission) is not locked, and 0 is returned. */
int gq_lock_take(gq_lock *l, const char *path, char why[STORE_WHY_BYTES]);

/* Returns 0 while the lock file is that of this process, or -1 with why: it was removed, or another
 * process took it over on a file system whose locks end at its host. */
int gq_lock_check(const gq_lock *l, const char *path, char why[STORE_WHY_BYTES]);

/* Removes the lock file. */
void gq_lock_release(gq_lock *l);
#endif
