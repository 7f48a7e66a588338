/* Checkpoints in files. A file is replaced as a whole: a reader finds the old one or the
 * new one, after a full disk or SIGKILL as well. */
#ifndef APPS_GQUEENS_STORE_H
#define APPS_GQUEENS_STORE_H

#include <nqueens/checkpoint.h>
#include "apps/common/outfile.h"

enum { STORE_WHY_BYTES = OUTFILE_WHY_BYTES };

/* A checkpoint as read. Zero bytes: none. */
typedef struct store_text {
	char *text;
	size_t bytes;
	nq_checkpoint head;
} store_text;

typedef enum store_state {
	STORE_OK,
	STORE_MISSING, /* there is no such file */
	STORE_EMPTY,   /* a file without contents */
	STORE_BAD      /* cannot be read, or is no checkpoint */
} store_state;

/* `why`: one line with the file's name, unless OK. */
store_state store_read(const char *path, store_text *out, char why[STORE_WHY_BYTES]);
void store_free(store_text *s);

/* 1, with why: a file that is not empty has the name under which the checkpoint is first
 * written. */
int store_part_exists(const char *path, char why[STORE_WHY_BYTES]);

/* 0, or -1 with why; what stood in the file is there still then. A link stays a link. */
int store_write(const char *path, const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, char why[STORE_WHY_BYTES]);

#endif
