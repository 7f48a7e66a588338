/* The stack of sources: files, inline archives, and the output of programs. */
#define _GNU_SOURCE
#include "reyes/rib/archive.h"
#include "reyes/rib/control.h"
#include "reyes/rib/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char *reyes_i_rib_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int reyes_i_rib_open_file(const char *path, int is_main)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -1;
	/* A device or a pipe as an archive can block, or have no end. */
	if (S_ISDIR(st.st_mode) || (!is_main && !S_ISREG(st.st_mode))) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	do {
		/* O_NONBLOCK: of a pipe the reader waits for its writer, and can be cancelled. */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

void reyes_i_rib_record_file(struct reyes_i_rib *b, const char *path)
{
	for (size_t i = 0; i < b->file_count; i++)
		if (strcmp(b->files[i], path) == 0)
			return;
	if (b->file_count == REYES_I_RIB_FILES_MAX)
		return;
	b->files[b->file_count] = strdup(path);
	if (b->files[b->file_count])
		b->file_count++;
}

static void free_source(reyes_i_rib_source *s)
{
	reyes_i_lex_close(&s->lex);
	if (s->child)
		reyes_i_rib_end_program(s->child, NULL);
	reyes_i_rib_release_archive(s->archive);
	reyes_i_pool_free(&s->ifs);
	free(s->name);
	free(s->folder);
	free(s);
}

void reyes_i_rib_drop_sources(struct reyes_i_rib *b)
{
	while (b->top) {
		reyes_i_rib_source *s = b->top;

		b->top = s->below;
		free_source(s);
	}
}

/* Removes all sources above the main one: after an error that repeats itself in all of them. */
static void unwind(struct reyes_i_rib *b)
{
	while (b->top && b->top->below) {
		reyes_i_rib_source *s = b->top;
		const int closes_attributes = s->closes_attributes;

		b->top = s->below;
		free_source(s);
		if (closes_attributes)
			reyes_i_rib_scope_end(b, reyes_attribute_end(b->r));
	}
}

/* Checks the bounds of depth and number. Returns nonzero after it has reported an error. */
static int is_refused(struct reyes_i_rib *b, const char *name)
{
	const char *what = NULL;

	if (b->top && b->top->depth + 1 >= REYES_I_RIB_DEPTH_MAX)
		what = "archives are nested more than 64 deep; an archive probably reads itself";
	else if (b->archives_read >= REYES_I_RIB_ARCHIVES_MAX)
		what = "the frame reads more than 1000000 archives";
	if (!what) {
		b->archives_read += b->top != NULL;
		return 0;
	}
	reyes_i_rib_report(b, REYES_LEVEL_ERROR,
		"\"%.100s\" is not read, and the archives that are open are ended: %s", name, what);
	/* The place names a source that is removed now. */
	b->is_executing = 0;
	unwind(b);
	b->push_status = REYES_ERR_SCENE;
	return 1;
}

/* Creates a source that is not on the stack yet. */
static reyes_i_rib_source *create(struct reyes_i_rib *b, const char *name)
{
	reyes_i_rib_source *s = calloc(1, sizeof(*s));

	if (s)
		s->name = strdup(name);
	if (!s || !s->name) {
		free(s);
		b->push_status = reyes_i_fail(b->r, REYES_ERR_NOMEM, "out of memory");
		return NULL;
	}
	s->below = b->top;
	s->depth = b->top ? b->top->depth + 1 : 0;
	return s;
}

/* Puts a source with an open input on the stack, or frees it and reports the error. */
static reyes_i_rib_source *finish(
	struct reyes_i_rib *b, reyes_i_rib_source *s, const char *name, const char *error)
{
	if (error) {
		reyes_i_rib_report(
			b, REYES_LEVEL_ERROR, "\"%.100s\" cannot be read: %s", name, error);
		b->push_status = s->lex.in.status;
		free_source(s);
		return NULL;
	}
	reyes_i_lex_skip_mark(&s->lex);
	b->top = s;
	return s;
}

reyes_i_rib_source *reyes_i_rib_push_fd(
	struct reyes_i_rib *b, const char *name, int fd, int is_shared_fd, int64_t deadline_ms)
{
	reyes_i_rib_source *s = is_refused(b, name) ? NULL : create(b, name);

	if (!s) {
		if (!is_shared_fd)
			close(fd);
		return NULL;
	}
	reyes_i_lex_begin(&s->lex, 1, 1);
	return finish(b, s, name,
		reyes_i_input_open_fd(&s->lex.in, fd, is_shared_fd, deadline_ms, b->cancelled));
}

reyes_i_rib_source *reyes_i_rib_push_memory(struct reyes_i_rib *b, const char *name,
	const void *data, size_t bytes, uint32_t line, uint64_t column)
{
	reyes_i_rib_source *s = is_refused(b, name) ? NULL : create(b, name);

	if (!s)
		return NULL;
	reyes_i_lex_begin(&s->lex, line, column);
	return finish(b, s, name, reyes_i_input_open_memory(&s->lex.in, data, bytes));
}

/* Ends the program of a source, and reports at its request how it has ended. */
static reyes_status finish_program(struct reyes_i_rib *b, reyes_i_rib_source *s)
{
	const int is_cut = s->lex.in.error != NULL; /* which was reported */
	reyes_status status = REYES_OK;
	int result, is_over;

	/* A program that writes more after its end receives SIGPIPE instead of waiting. */
	reyes_i_input_close(&s->lex.in);
	is_over = reyes_i_rib_end_program(s->child, &result) && !is_cut;
	s->child = 0;
	b->place = s->start;
	snprintf(b->request, sizeof(b->request), "Procedural");
	if (is_over && WIFEXITED(result) && WEXITSTATUS(result))
		status = reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the program \"%.200s\" has failed with exit status %d", s->name,
			WEXITSTATUS(result));
	else if (is_over && WIFSIGNALED(result) && !(s->lex.has_end && WTERMSIG(result) == SIGPIPE))
		status = reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the program \"%.200s\" was ended by signal %d (%s)", s->name,
			WTERMSIG(result), strsignal(WTERMSIG(result)));
	else if (!is_cut && !s->lex.has_end && !b->is_missing_end_reported++)
		reyes_i_rib_report(b, REYES_LEVEL_WARN,
			"the output of the program \"%.200s\" may be incomplete: it does not end "
			"with the byte 0377 (octal)",
			s->name);
	b->request[0] = '\0';
	reyes_i_rib_set_place(b, s);
	return status;
}

reyes_status reyes_i_rib_pop(struct reyes_i_rib *b)
{
	reyes_i_rib_source *s = b->top;
	reyes_status status = REYES_OK;
	int is_fatal = 0;

	b->request[0] = '\0';
	reyes_i_rib_set_place(b, s);
	if (s->lex.in.error) {
		reyes_i_rib_report(
			b, REYES_LEVEL_ERROR, "the input ends early: %s", s->lex.in.error);
		status = s->lex.in.status;
		is_fatal = status != REYES_ERR_SCENE;
	}
	for (size_t i = is_fatal ? 0 : s->ifs.bytes / sizeof(reyes_i_rib_if); i--;) {
		const reyes_i_rib_if *open = (const reyes_i_rib_if *)(const void *)s->ifs.data + i;

		b->place.line = open->line;
		b->place.column = open->column;
		status = reyes_i_rib_report(
			b, REYES_LEVEL_ERROR, "IfBegin without IfEnd; add IfEnd to the same file");
	}
	if (s->child) {
		const reyes_status program = finish_program(b, s);

		status = program == REYES_OK || is_fatal ? status : program;
	}
	if (s->closes_attributes) {
		const reyes_status end = reyes_i_rib_scope_end(b, reyes_attribute_end(b->r));

		status = end == REYES_OK || is_fatal ? status : end;
	}
	b->is_executing = 0;
	b->top = s->below;
	free_source(s);
	return status;
}
