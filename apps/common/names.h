/* The files of one command line: no output may be another output or an input of the same run. */
#ifndef APPS_COMMON_NAMES_H
#define APPS_COMMON_NAMES_H

#include <stddef.h>

typedef struct named_file {
	const char *option; /* for messages: "--stats" */
	const char *path;   /* NULL: not given; "-": a standard stream */
	int is_input;
} named_file;

/* Compares all pairs but two inputs, by device and inode, and for files that do not exist yet by
 * folder and name, behind symbolic links. NAME.part of an output belongs to it. A character
 * device, as a terminal or /dev/null, may occur more than once, "-" not. 0, or -1 with a line in
 * msg that names both options and files. */
int names_check(const named_file *files, size_t count, char *msg, size_t msg_bytes);

#endif
