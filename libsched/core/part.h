/* NAME.part: the name of an output file, in the folder of its target, until it is complete. The
 * process that writes it holds a lock on it (flock), so that two processes never write one file. */
#ifndef LIBSCHED_CORE_PART_H
#define LIBSCHED_CORE_PART_H

#include "libsched/core/replace.h"

/* Returns target with ".part" behind it, in memory to free, or NULL with errno. */
char *lsched_i_part_name(const char *target);

/* Creates the file and locks it. An older one is replaced if it is empty or `overwrite` is set.
 * Returns the descriptor, or -1 with errno: EEXIST an older file has contents, EWOULDBLOCK
 * another process writes it. */
int lsched_i_part_open(const char *part, mode_t mode, int overwrite);

/* 1: the name still belongs to the file that the descriptor writes. */
int lsched_i_part_is(int fd, const char *part);

/* Renames, and writes the name to the disk; the caller has synced the file. Without `replace` a
 * file with the new name is an error, EEXIST. Returns 0, or -1 with errno. */
int lsched_i_part_rename(const char *part, const char *target, int replace);
#endif
