/* Checkpoint files. A file is replaced atomically: a reader finds the old or the new one, also
 * after a full disk or SIGKILL. */
#ifndef APPS_GQUEENS_STORE_H
#define APPS_GQUEENS_STORE_H

#include <nqueens/checkpoint.h>
#include "apps/common/outfile.h"

enum { STORE_WHY_BYTES = OUTFILE_WHY_BYTES };

/* The text of a checkpoint; 0 bytes: none. */
typedef struct store_text {
	char *text;
	size_t bytes;
	nq_checkpoint head;
} store_text;

typedef enum store_state {
	STORE_OK,
	STORE_MISSING, /* the file does not exist */
	STORE_EMPTY,   /* a file without contents */
	STORE_BAD      /* cannot be read, or is no checkpoint */
} store_state;

/* why: one line with the name of the file, unless the state is OK. */
store_state store_read(const char *path, store_text *out, char why[STORE_WHY_BYTES]);
void store_free(store_text *s);

/* Returns 1, with why, if a nonempty file has the name under which the checkpoint is
 * first written. */
int store_part_exists(const char *path, char why[STORE_WHY_BYTES]);

/* Returns 0, or -1 with why; the file is unchanged then. A symbolic link stays a link. */
int store_write(const char *path, const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, char why[STORE_WHY_BYTES]);

#endif
