/* Which files may be written: scenes from other people name files, too. */
#ifndef REYES_IMAGE_RULES_H
#define REYES_IMAGE_RULES_H

#include <stdatomic.h>
#include "reyes/image/bytes.h"

typedef struct reyes_i_file_rules {
	/* Nonzero: of files that exist only a picture of the same format is replaced, and nothing
	 * is written to pipes and devices. */
	int keeps_others;
	int waits;          /* nonzero: waits for the reader of a pipe, else it must have one */
	const char *folder; /* files are written below this one only; NULL: anywhere */
	const atomic_int *cancelled; /* nonzero ends the wait for a pipe; NULL: never */
} reyes_i_file_rules;

/* Returns 1 if the file is in the folder or below it, after symbolic links and "..", or would be
 * if it were created; 0 if not; -1 with errno. */
int reyes_i_file_is_below(const char *folder, const char *path);
/* Checks a path behind its symbolic links against the rules (NULL: none), before `contents` are
 * written to it. */
reyes_status reyes_i_check_rules(const reyes_i_file_rules *rules, const char *target,
	const reyes_i_bytes *contents, reyes_i_note *note);

#endif
