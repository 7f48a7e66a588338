/* Checks the files of a command line: no output may be another output or an input. */
#ifndef APPS_COMMON_NAMES_H
#define APPS_COMMON_NAMES_H

#include <stddef.h>

typedef struct named_file {
	const char *option; /* for messages: "--stats" */
	const char *path;   /* NULL: not given; "-": a standard stream */
	int is_input;
} named_file;

/* Compares all pairs except two inputs: existing files by device and inode, other files by folder
 * and name, after following symbolic links. NAME.part of an output belongs to this output. A
 * character device such as a terminal or /dev/null may occur more than once, "-" may not. Returns
 * 0, or -1 with one line in msg that names both options and files. */
int names_check(const named_file *files, size_t count, char *msg, size_t msg_bytes);

#endif
