/* Output files for results, reports and checkpoints: a FILE on h264intra/io/io_outfile.h, which
 * defines the rules. A file is opened before the work, so that a wrong name is an error at once. It
 * is written as NAME.part and renamed when it is complete and on the disk: until then, and after
 * any failure, an older file is unchanged. "-" is standard output; files that are not regular, such
 * as a pipe or /dev/null, are written directly. */
#ifndef APPS_COMMON_OUTFILE_H
#define APPS_COMMON_OUTFILE_H

#include <stdio.h>
#include "apps/common/log.h"

enum { OUTFILE_WHY_BYTES = 700 };

typedef struct outfile {
	FILE *to;                /* NULL: not open */
	const char *path;        /* for messages */
	struct io_outfile *file; /* internal; NULL for standard output */
} outfile;

typedef enum outfile_end {
	OUTFILE_DROP,     /* remove the new file */
	OUTFILE_KEEP,     /* rename it */
	OUTFILE_KEEP_PART /* as KEEP, but keep an older file and leave the new one as NAME.part */
} outfile_end;

/* Opens a file. The path must be valid until outfile_close(). overwrite: replace an existing file,
 * else it is an error. Returns 0, or -1 with one line in why that names the file. */
int outfile_open(outfile *f, const char *path, int overwrite, char why[OUTFILE_WHY_BYTES]);

/* Checks whether outfile_open() would succeed, without creating a file. Returns 0, or -1 with
 * why. */
int outfile_check(const char *path, int overwrite, char why[OUTFILE_WHY_BYTES]);

/* Closes the file. Returns 0; -1 with why after a write error, which removes the new file; 1 with
 * why if OUTFILE_KEEP_PART has kept an older file. Returns 0 for a file that is not open. */
int outfile_close(outfile *f, outfile_end end, char why[OUTFILE_WHY_BYTES]);

/* The same with an end that is KEEP or DROP; log the reason of an error. Return 0 or -1. */
int outfile_open_log(outfile *f, const char *path, int overwrite, logger *log);
int outfile_close_log(outfile *f, outfile_end end, logger *log);

/* Flushes standard output, after any number of writes, and logs the reason of an error. Returns an
 * exit code. */
int outfile_flush_stdout(logger *log);

/* Returns whether the name ends in .svg, in capitals or not. */
int outfile_is_svg(const char *path);

/* Writes to the FILE `opaque`; an xml_write_fn. Returns 0 or -1. */
int outfile_put(void *opaque, const char *text, size_t bytes);

#endif
