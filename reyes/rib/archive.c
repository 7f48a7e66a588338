/* ReadArchive, inline archives, Procedural. */
#include "reyes/rib/archive.h"
#include "reyes/rib/control.h"

#include <errno.h>
#include <stdio.h>

enum { PROGRAM_ARGUMENTS = 64, PROGRAM_AREA_PX = 512 * 512 };

void reyes_i_rib_release_archive(reyes_i_rib_archive *archive)
{
	if (!archive || --archive->references)
		return;
	reyes_i_pool_free(&archive->text);
	reyes_i_codes_release(archive->codes);
	free(archive->name);
	free(archive->file);
	free(archive);
}

void reyes_i_rib_free_archives(struct reyes_i_rib *b)
{
	for (size_t i = 0; i < REYES_I_RIB_ARCHIVE_BUCKETS; i++) {
		while (b->archives[i]) {
			reyes_i_rib_archive *archive = b->archives[i];

			b->archives[i] = archive->next;
			reyes_i_rib_release_archive(archive);
		}
	}
}

/* Returns the link that points to the archive of this name, or to NULL. */
static reyes_i_rib_archive **find_archive(struct reyes_i_rib *b, const char *name)
{
	reyes_i_rib_archive **link;
	uint32_t h = 2166136261u;

	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619u;
	link = &b->archives[h % REYES_I_RIB_ARCHIVE_BUCKETS];
	while (*link && strcmp((*link)->name, name) != 0)
		link = &(*link)->next;
	return link;
}

/* Memory that counts for REYES_I_RIB_INLINE_BYTES. */
static size_t bytes_of(const reyes_i_rib_archive *archive)
{
	return sizeof(*archive) + archive->text.room;
}

/* Adds an archive, in the place of one of the same name. */
static void define_archive(struct reyes_i_rib *b, reyes_i_rib_archive *archive)
{
	reyes_i_rib_archive **link = find_archive(b, archive->name);
	reyes_i_rib_archive *old = *link;

	archive->next = old ? old->next : NULL;
	*link = archive;
	b->inline_bytes += bytes_of(archive);
	if (old) {
		b->inline_bytes -= bytes_of(old);
		reyes_i_rib_release_archive(old);
	}
}

/* Creates an archive that begins at the token that was peeked. */
static reyes_i_rib_archive *create_archive(reyes_i_rib_source *s, const char *name)
{
	reyes_i_rib_archive *archive = calloc(1, sizeof(*archive));

	if (!archive)
		return NULL;
	archive->references = 1;
	archive->name = strdup(name);
	archive->file = strdup(s->name);
	archive->line = s->lex.token_line;
	archive->column = s->lex.token_column;
	archive->codes = s->lex.codes;
	if (archive->codes)
		archive->codes->references++;
	if (archive->name && archive->file)
		return archive;
	reyes_i_rib_release_archive(archive);
	return NULL;
}

/* Reads tokens up to the ArchiveEnd of this archive. Returns -1 if there is none. */
static int skip_to_archive_end(reyes_i_lexer *x)
{
	unsigned depth = 1;

	for (;;) {
		const reyes_i_token_kind kind = reyes_i_lex_next(x);
		const char *name = (const char *)x->text.data;

		if (kind == REYES_I_TOKEN_END)
			return -1;
		if (kind != REYES_I_TOKEN_REQUEST)
			continue;
		if (strcmp(name, "ArchiveBegin") == 0)
			depth++;
		else if (strcmp(name, "ArchiveEnd") == 0 && --depth == 0)
			return 0;
	}
}

reyes_status reyes_i_rib_archive_begin(struct reyes_i_rib *b, const reyes_i_args *a)
{
	reyes_i_rib_source *s = b->top;
	reyes_i_input *in = &s->lex.in;
	reyes_i_rib_archive *archive = create_archive(s, a->string[0]);
	size_t left = REYES_I_RIB_INLINE_BYTES;
	int is_closed, is_whole;

	if (!archive)
		return REYES_ERR_NOMEM;
	left -= b->inline_bytes < left ? b->inline_bytes : left;
	/* The parameter list has ended at a token that was peeked: it is the first of the archive,
	 * and in.mark is its first byte. */
	reyes_i_input_capture(in, &archive->text, left, in->mark ? in->mark : in->at);
	is_closed = !skip_to_archive_end(&s->lex);
	is_whole = !reyes_i_input_capture_end(in, in->mark ? in->mark : in->at);
	b->no_memory |= archive->text.no_memory;
	if (is_closed && is_whole && bytes_of(archive) <= left) {
		define_archive(b, archive);
		return REYES_OK;
	}
	reyes_i_rib_release_archive(archive);
	if (!is_closed)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"\"%.100s\" has no ArchiveEnd; the rest of the file is skipped",
			a->string[0]);
	return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
		"\"%.100s\" is not kept: the inline archives exceed 1 GiB, or there is no memory",
		a->string[0]);
}

reyes_status reyes_i_rib_archive_end(struct reyes_i_rib *b)
{
	return reyes_i_rib_report(b, REYES_LEVEL_ERROR, "there is no open ArchiveBegin");
}

/* Reads an archive: an inline one, or a file. Returns NULL after it has reported the error. */
static reyes_i_rib_source *push_archive(struct reyes_i_rib *b, const char *name)
{
	reyes_i_rib_archive *archive = *find_archive(b, name);
	reyes_i_rib_source *s;
	char *path;
	int fd;

	if (archive) {
		s = reyes_i_rib_push_memory(b, archive->file, archive->text.data,
			archive->text.bytes, archive->line, archive->column);
		if (!s)
			return NULL;
		s->archive = archive;
		archive->references++;
		s->lex.codes = archive->codes;
		if (archive->codes)
			archive->codes->references++;
		return s;
	}
	path = reyes_i_rib_find_file(b, "archive", name);
	b->push_status = REYES_ERR_SCENE;
	if (!path) {
		reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the archive \"%.200s\" is in no folder of the search path; set Option "
			"\"searchpath\" \"archive\"",
			name);
		return NULL;
	}
	reyes_i_rib_record_file(b, path);
	fd = reyes_i_rib_open_file(path, 0);
	if (fd < 0) {
		const int error = errno;

		b->push_status = reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"the archive \"%.200s\" cannot be opened: %s", path, strerror(error));
		if (error != EACCES && error != EINVAL)
			b->push_status = REYES_ERR_FILE;
		s = NULL;
	} else {
		s = reyes_i_rib_push_fd(b, path, fd, 0, 0);
	}
	if (s) {
		s->folder = reyes_i_rib_folder_of(path);
		b->no_memory |= !s->folder;
	}
	free(path);
	return s;
}

reyes_status reyes_i_rib_read_archive(struct reyes_i_rib *b, const reyes_i_args *a)
{
	return push_archive(b, a->string[0]) ? REYES_OK : b->push_status;
}

/* Opens the attribute block in which the contents of a procedural are executed. */
static reyes_status open_block(struct reyes_i_rib *b, reyes_i_rib_source *s)
{
	const reyes_status status = reyes_attribute_begin(b->r);

	s->closes_attributes = status == REYES_OK;
	return reyes_i_rib_scope_begin(b, status);
}

/* Splits a command at blanks, in place. Returns the number of words. */
static size_t split_words(char *command, char *words[PROGRAM_ARGUMENTS])
{
	char *rest = NULL;
	size_t n = 0;

	for (char *w = strtok_r(command, " \t", &rest); w && n < PROGRAM_ARGUMENTS - 1;
		w = strtok_r(NULL, " \t", &rest))
		words[n++] = w;
	words[n] = NULL;
	return n;
}

/* Starts a program and pushes its output. */
static reyes_status run_program(struct reyes_i_rib *b, const char *command, const char *data)
{
	char *words[PROGRAM_ARGUMENTS], *line = NULL, *path = NULL, *copy = strdup(command);
	const size_t line_bytes = strlen(data) + 32;
	reyes_status status = REYES_ERR_NOMEM;
	const char *problem = "the name of the program is empty";
	reyes_i_rib_source *s;
	pid_t child = 0;
	int fd = -1;

	line = malloc(line_bytes);
	if (copy && line) {
		/* The area that the bound covers is not available when the request is read. */
		snprintf(line, line_bytes, "%d %s\n", PROGRAM_AREA_PX, data);
		if (split_words(copy, words)) {
			path = reyes_i_rib_find_file(b, "procedural", words[0]);
			if (path)
				words[0] = path;
			fd = reyes_i_rib_start_program(words, line, &child, &problem);
		}
		status = fd < 0 ? reyes_i_rib_report(b, REYES_LEVEL_ERROR,
					  "the program \"%.200s\" cannot be started: %s", command,
					  problem)
				: REYES_OK;
	}
	free(copy);
	free(line);
	free(path);
	if (fd < 0)
		return status;
	s = reyes_i_rib_push_fd(b, command, fd, 0, reyes_i_now_ms() + b->program_limit_ms);
	if (!s) {
		reyes_i_rib_end_program(child, NULL);
		return b->push_status;
	}
	s->child = child;
	s->start = b->place;
	s->lex.is_program = 1;
	return open_block(b, s);
}

reyes_status reyes_i_rib_procedural(struct reyes_i_rib *b, const reyes_i_args *a)
{
	const char *const *data = a->array[0].strings;
	const size_t count = a->array[0].count;
	const char *kind = a->string[0];
	reyes_i_rib_source *s;

	if (strcmp(kind, "DynamicLoad") == 0) {
		if (!b->is_dynamic_load_reported++)
			reyes_i_rib_report(b, REYES_LEVEL_WARN,
				"\"DynamicLoad\" is not supported and is left out; use "
				"\"RunProgram\" or \"DelayedReadArchive\"");
		return REYES_OK;
	}
	if (strcmp(kind, "DelayedReadArchive") == 0) {
		if (count < 1)
			return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
				"\"DelayedReadArchive\" has no name of an archive");
		s = push_archive(b, data[0]);
		return s ? open_block(b, s) : b->push_status;
	}
	if (strcmp(kind, "RunProgram") != 0)
		return reyes_i_rib_report(b, REYES_LEVEL_ERROR,
			"\"%.100s\" is not a procedural; use \"DelayedReadArchive\" or "
			"\"RunProgram\"",
			kind);
	if (count < 1)
		return reyes_i_rib_report(
			b, REYES_LEVEL_ERROR, "\"RunProgram\" has no name of a program");
	if (!b->options->allow_programs) {
		reyes_i_rib_report(b, REYES_LEVEL_WARN,
			"\"RunProgram\" \"%.100s\" is not executed, because programs are not "
			"allowed; allow them with --allow-programs",
			data[0]);
		return REYES_OK;
	}
	return run_program(b, data[0], count > 1 ? data[1] : "");
}
