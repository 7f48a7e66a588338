/* Changes of files on the disk: --watch. */
#ifndef APPS_GREYES_CHANGES_H
#define APPS_GREYES_CHANGES_H

#include "apps/greyes/job.h"

typedef struct gr_changes {
	uint64_t sum;    /* of the stamps at the last look */
	int64_t next_ns; /* of the next look */
} gr_changes;

/* Adds the files that the reader has opened since the last call. A file is stamped before it is
 * read if it was known before, else now. */
void gr_changes_publish(gr_job *j);
/* Stamps the files of the last pass again, before they are read. */
void gr_changes_stamp(gr_job *j);

/* Returns 1 if a file of the scene has changed since it was read, and not any more between the
 * last two looks (0.2 s): an editor may still be writing. */
int gr_changes_check(gr_changes *c, gr_job *j);

#endif
