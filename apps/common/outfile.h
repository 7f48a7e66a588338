/* A file of results. It is opened before the work, so that a name that cannot be written is told at once, and
 * it takes its name when it is whole: until then, and after any failure, what stood under the name stands
 * there. "-" is standard output; what is no regular file, as a pipe or /dev/null, is written as it is. */
#ifndef APPS_COMMON_OUTFILE_H
#define APPS_COMMON_OUTFILE_H

#include <stdio.h>

enum { OUTFILE_WHY_BYTES = 700 };

typedef struct outfile {
	FILE *to; /* NULL: not open */
	/* internal */
	const char *path; /* for messages */
	char *real,
		*beside; /* where it goes to, and where it is till then; NULL: written directly */
} outfile;

/* path has to last as long as the file. overwrite: what is there already will be replaced, else it is an
 * error. Folders are not made. 0, or -1 with one line in why that names the file. */
int outfile_open(outfile *f, const char *path, int overwrite, char why[OUTFILE_WHY_BYTES]);

/* keep: it is whole. 0, or -1 with why if it could not be written; then, and without keep, nothing is
 * left of it. Closes nothing and returns 0 if it is not open. */
int outfile_close(outfile *f, int keep, char why[OUTFILE_WHY_BYTES]);

/* Writes to the FILE that is `opaque`; what pictures, pages and timelines are written with. 0 or -1. */
int outfile_put(void *opaque, const char *text, size_t bytes);

#endif
