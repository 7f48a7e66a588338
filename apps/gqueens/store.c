#include "apps/gqueens/store.h"
#include "libsched/core/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far above the checkpoint of any plan; a longer file is not read into memory. */
#define MOST_BYTES ((off_t)1 << 34)

static store_state bad(const char *path, const char *text, char why[STORE_WHY_BYTES])
{
	snprintf(why, STORE_WHY_BYTES, "%s %s", path, text);
	return STORE_BAD;
}

static store_state system_error(const char *path, char why[STORE_WHY_BYTES])
{
	const int e = errno;

	snprintf(why, STORE_WHY_BYTES, "%s: %s", path, strerror(e));
	return e == ENOENT ? STORE_MISSING : STORE_BAD;
}

/* Reads an open file completely. */
static int read_all(int fd, store_text *out, size_t bytes)
{
	out->text = malloc(bytes + 1);
	if (!out->text)
		return -1;
	while (out->bytes < bytes) {
		const ssize_t n = read(fd, out->text + out->bytes, bytes - out->bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break; /* truncated meanwhile; the checksum detects it */
		out->bytes += (size_t)n;
	}
	return 0;
}

store_state store_read(const char *path, store_text *out, char why[STORE_WHY_BYTES])
{
	/* nonblocking, because open() of a pipe without a writer would wait */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	store_state state = STORE_OK;
	struct stat st;
	char fault[128];

	memset(out, 0, sizeof(*out));
	nq_checkpoint_init(&out->head);
	if (fd < 0)
		return system_error(path, why);
	if (fstat(fd, &st) != 0)
		state = system_error(path, why);
	else if (!S_ISREG(st.st_mode))
		state = bad(path, "is no regular file", why);
	else if (st.st_size > MOST_BYTES)
		state = bad(path, "is no checkpoint", why);
	else if (read_all(fd, out, (size_t)st.st_size))
		state = system_error(path, why);
	close(fd);
	if (state == STORE_OK && nq_checkpoint_read(out->text, out->bytes, &out->head, fault,
					 sizeof(fault)) != NQ_OK) {
		bad(path, fault, why);
		state = out->bytes ? STORE_BAD : STORE_EMPTY;
	}
	if (state != STORE_OK)
		store_free(out);
	return state;
}

void store_free(store_text *s)
{
	free(s->text);
	s->text = NULL;
	s->bytes = 0;
}

/* ---- writing ---- */

int store_part_exists(const char *path, char why[STORE_WHY_BYTES])
{
	char *target = lsched_i_follow_links(path);
	char *part = target ? lsched_i_part_name(target) : NULL;
	struct stat st;
	const int is = part && lstat(part, &st) == 0 && st.st_size > 0;

	if (is)
		snprintf(why, STORE_WHY_BYTES,
			"%s exists already, and %s is first written under this name", part, path);
	free(part);
	free(target);
	return is;
}

int store_write(const char *path, const nq_plan *plan, const nq_plan_options *options,
	const nq_ledger *ledger, uint32_t part, uint32_t parts, char why[STORE_WHY_BYTES])
{
	struct stat st;
	outfile f;
	int kept;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		bad(path, "is no regular file", why);
		return -1;
	}
	if (outfile_open(&f, path, 1, why))
		return -1;
	kept = nq_checkpoint_write(plan, options, ledger, part, parts, outfile_put, f.to) == NQ_OK;
	if (outfile_close(&f, kept, why))
		return -1;
	if (!kept)
		bad(path, "cannot be written", why);
	return kept ? 0 : -1;
}
