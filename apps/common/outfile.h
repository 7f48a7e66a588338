/* A file of results, a report or a checkpoint: a FILE over h264intra/io/io_outfile.h, which has the
 * rules. The file is opened before the work, so that a name that cannot be written is an error
 * at once. It is written as NAME.part and gets its name when it is complete: until then, and
 * after any failure, an older file with this name stays. "-" is standard output; what is no
 * regular file, as a pipe or /dev/null, is written in place. */
#ifndef APPS_COMMON_OUTFILE_H
#define APPS_COMMON_OUTFILE_H

#include <stdio.h>

enum { OUTFILE_WHY_BYTES = 700 };

typedef struct outfile {
	FILE *to;                /* NULL: not open */
	const char *path;        /* for messages */
	struct io_outfile *file; /* internal; NULL for standard output */
} outfile;

typedef enum outfile_end {
	OUTFILE_DROP, /* remove what was written */
	OUTFILE_KEEP,
	OUTFILE_KEEP_PART /* complete, but an older file stays, and the new one remains as NAME.part */
} outfile_end;

/* path has to last as long as the file. overwrite: an older file will be replaced, else it is an
 * error. Folders are not made. 0, or -1 with one line in why that names the file. */
int outfile_open(outfile *f, const char *path, int overwrite, char why[OUTFILE_WHY_BYTES]);

/* 0, or -1 with why if the file could not be written; then, and with OUTFILE_DROP, nothing is
 * left of it. 1 with why: the older file stays (OUTFILE_KEEP_PART). Closes nothing and returns
 * 0 if it is not open. */
int outfile_close(outfile *f, outfile_end end, char why[OUTFILE_WHY_BYTES]);

/* Writes to the FILE that is `opaque`; what pictures, pages and timelines are written with. 0 or
 * -1. */
int outfile_put(void *opaque, const char *text, size_t bytes);

#endif
