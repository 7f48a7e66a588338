/* A temporary folder with files, for suites that read archives. */
#ifndef TESTS_REYES_RIB_FOLDER_H
#define TESTS_REYES_RIB_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char folder_names[64][64];
static unsigned folder_count;

/* Creates the folder. Returns 0, or -1 (pInitFunc of a suite). */
static inline int folder_open(void)
{
	snprintf(folder, sizeof(folder), "rib-test-XXXXXX");
	folder_count = 0;
	return mkdtemp(folder) ? 0 : -1;
}

/* Writes the path of a file in the folder. */
static inline const char *folder_path(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline void folder_remember(const char *name)
{
	for (unsigned i = 0; i < folder_count; i++)
		if (strcmp(folder_names[i], name) == 0)
			return;
	if (folder_count < 64)
		snprintf(folder_names[folder_count++], 64, "%s", name);
}

/* Writes a file; returns 0, or -1. */
static inline int folder_write(const char *name, const void *data, size_t bytes)
{
	FILE *f = fopen(folder_path(name), "wb");
	const int is_written = f && fwrite(data, 1, bytes, f) == bytes;

	folder_remember(name);
	return (f && fclose(f)) || !is_written ? -1 : 0;
}

static inline int folder_text(const char *name, const char *text)
{
	return folder_write(name, text, strlen(text));
}

/* Creates a folder in the folder. */
static inline int folder_make(const char *name)
{
	folder_remember(name);
	return mkdir(folder_path(name), 0700);
}

/* Removes everything, the newest first (pCleanupFunc of a suite). */
static inline int folder_close(void)
{
	while (folder_count--)
		remove(folder_path(folder_names[folder_count]));
	return rmdir(folder);
}

#endif
