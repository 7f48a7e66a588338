/* Rules for the files that are written: place, and what may be replaced. */
#include <config.h>
#include "reyes/image/rules.h"
#include "reyes/image/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the resolved path, of a file that does not exist that of its folder. Memory to free, or
 * NULL with errno. */
static char *resolve(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *found = realpath(path, NULL), *folder;

	if (found || errno != ENOENT)
		return found;
	if (!slash)
		return realpath(".", NULL);
	folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!folder)
		return NULL;
	found = realpath(folder, NULL);
	free(folder);
	return found;
}

int reyes_i_file_is_below(const char *folder, const char *path)
{
	char *base = realpath(folder, NULL), *file = base ? resolve(path) : NULL;
	const int error = errno;
	int is_below = -1;

	if (file) {
		const size_t n = strcmp(base, "/") == 0 ? 0 : strlen(base);

		is_below = strncmp(file, base, n) == 0 && (!file[n] || file[n] == '/');
	}
	free(base);
	free(file);
	errno = error;
	return is_below;
}

/* Whether a file that exists may be replaced: it is a picture of the same format. */
static int may_replace(const char *path, const reyes_i_bytes *contents)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t old[4];
	ssize_t n = 0;

	if (fd < 0)
		return 0;
	do
		n = read(fd, old, sizeof(old));
	while (n < 0 && errno == EINTR);
	close(fd);
	return n == (ssize_t)sizeof(old) && reyes_i_format_of_bytes(old, sizeof(old)) &&
	       reyes_i_format_of_bytes(old, sizeof(old)) ==
		       reyes_i_format_of_bytes(contents->data, contents->count);
}

reyes_status reyes_i_check_rules(const reyes_i_file_rules *rules, const char *target,
	const reyes_i_bytes *contents, reyes_i_note *note)
{
	const int is_below =
		rules && rules->folder ? reyes_i_file_is_below(rules->folder, target) : 1;
	struct stat st;

	if (is_below < 0)
		return reyes_i_note_fail(note, REYES_ERR_FILE, "%s", strerror(errno));
	if (!is_below)
		return reyes_i_note_fail(note, REYES_ERR_FILE,
			"is not below \"%.200s\", to which --confine limits files", rules->folder);
	if (!rules || !rules->keeps_others || lstat(target, &st) != 0)
		return REYES_OK;
	if (!S_ISREG(st.st_mode))
		return reyes_i_note_fail(note, REYES_ERR_FILE,
			"is no regular file; the scene may write to it with -y only");
	if (!may_replace(target, contents))
		return reyes_i_note_fail(note, REYES_ERR_FILE,
			"exists already and is no picture of the new one's format; -y replaces it");
	return REYES_OK;
}
