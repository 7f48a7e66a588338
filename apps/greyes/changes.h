/* Changes of files on the disk: --watch. */
#ifndef APPS_GREYES_CHANGES_H
#define APPS_GREYES_CHANGES_H

#include "apps/greyes/job.h"

typedef struct gr_changes {
	uint64_t sum;    /* of the stamps at the last look */
	int64_t next_ns; /* of the next look */
} gr_changes;

/* A number that changes with the file: of its size, times and inode; 0: it does not exist. */
uint64_t gr_file_stamp(const char *path);

/* Returns 1 if a file of the scene has changed since it was read, and not any more between the
 * last two looks (0.2 s): an editor may still be writing. */
int gr_changes_check(gr_changes *c, gr_job *j);

#endif
