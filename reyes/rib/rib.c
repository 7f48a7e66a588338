/* Frames from RIB: opening, the loop over requests, recovery after an error. */
#include "reyes/rib/rib.h"
#include "reyes/rib/archive.h"
#include "reyes/rib/control.h"
#include "reyes/rib/execute.h"
#include "reyes/rib/reader.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Nonzero if an error ends the frame. */
static int ends_at_errors(const struct reyes_i_rib *b)
{
	return b->options->strict || b->error_style == REYES_I_RIB_ABORT;
}

/* What a message states of the effect of an error: `text`, or nothing if the frame ends. */
static const char *effect(const struct reyes_i_rib *b, const char *text)
{
	return ends_at_errors(b) ? "" : text;
}

/* Notes that a token or an argument was lost for want of memory. */
static void note_no_memory(struct reyes_i_rib *b, const reyes_i_lexer *x)
{
	const reyes_i_values *v = &b->values;

	b->no_memory |= x->no_memory || x->text.no_memory || v->numbers.no_memory ||
			v->texts.no_memory || v->strings.no_memory || v->lists.no_memory ||
			v->params.no_memory;
}

/* Reads tokens up to the next request or the end. */
static void skip_arguments(reyes_i_lexer *x)
{
	reyes_i_token_kind kind;

	do {
		kind = reyes_i_lex_peek(x);
		x->is_peeked = kind == REYES_I_TOKEN_REQUEST || kind == REYES_I_TOKEN_END;
	} while (!x->is_peeked);
}

/* Reports the current token, which is no request, and skips to the next one. */
static reyes_status report_no_request(struct reyes_i_rib *b, reyes_i_lexer *x)
{
	char found[128];

	reyes_i_lex_describe(x, found, sizeof(found));
	reyes_i_rib_set_place(b, b->top);
	reyes_i_rib_report(b, REYES_LEVEL_ERROR,
		x->kind == REYES_I_TOKEN_BAD ? "%s%s" : "expected a request, found %s%s", found,
		effect(b, "; skipped up to the next request"));
	skip_arguments(x);
	note_no_memory(b, x);
	return REYES_ERR_SCENE;
}

/* Executes the request whose name is the current token. */
static reyes_status execute(struct reyes_i_rib *b, reyes_i_lexer *x)
{
	const reyes_i_rib_request *row = reyes_i_rib_find_request(b->index, b->request);
	const reyes_i_rib_place place = b->place;
	char text[256];
	const char *error;

	if (!row) {
		reyes_i_rib_report(b, REYES_LEVEL_ERROR, "this request is unknown%s",
			effect(b, "; skipped up to the next one"));
		skip_arguments(x);
		return REYES_ERR_SCENE;
	}
	error = reyes_i_args_parse(&b->args, &b->values, x, row->name, row->signature, text);
	if (error) {
		reyes_i_rib_set_place(b, b->top);
		reyes_i_rib_report(
			b, REYES_LEVEL_ERROR, "%s%s", error, effect(b, "; the request is skipped"));
		skip_arguments(x);
		note_no_memory(b, x);
		return REYES_ERR_SCENE;
	}
	b->place = place;
	if (b->args.has_stray) {
		b->place.line = b->args.stray_line;
		b->place.column = b->args.stray_column;
		reyes_i_rib_report(b, REYES_LEVEL_ERROR, "%s%s", text,
			effect(b, "; it is left out, the request is executed"));
		b->place = place;
		if (ends_at_errors(b))
			return REYES_ERR_SCENE;
	}
	return row->execute(b, &b->args);
}

reyes_status reyes_i_rib_step(struct reyes_i_rib *b)
{
	reyes_i_rib_source *s = b->top;
	reyes_i_lexer *x = &s->lex;
	reyes_status status = REYES_OK;

	switch (reyes_i_lex_next(x)) {
	case REYES_I_TOKEN_END:
		return reyes_i_rib_pop(b);
	case REYES_I_TOKEN_REQUEST:
		snprintf(b->request, sizeof(b->request), "%s", (const char *)x->text.data);
		break;
	default:
		if (reyes_i_rib_is_active(s))
			return report_no_request(b, x);
		skip_arguments(x);
		return REYES_OK;
	}
	if (!reyes_i_rib_is_active(s) && !reyes_i_rib_skip_request(s, b->request)) {
		skip_arguments(x);
		return REYES_OK;
	}
	reyes_i_rib_set_place(b, s);
	status = execute(b, x);
	b->is_executing = 0;
	return status;
}

void reyes_i_rib_destroy(struct reyes_i_rib *b)
{
	if (!b)
		return;
	reyes_i_rib_drop_sources(b);
	reyes_i_rib_free_archives(b);
	reyes_i_rib_free_variables(b);
	reyes_i_values_free(&b->values);
	for (size_t i = 0; i < b->file_count; i++)
		free(b->files[i]);
	free(b->folder);
	free(b->input);
	free(b);
}

void reyes_i_rib_set_program_limit(struct reyes_i_rib *b, uint32_t limit_ms)
{
	b->program_limit_ms = limit_ms;
}

/* Creates the reader of r; frees the one of a file that was opened before. */
static struct reyes_i_rib *create(reyes_renderer *r)
{
	const reyes_i_rib_link link = reyes_i_rib_get_link(r);
	struct reyes_i_rib *b = calloc(1, sizeof(*b));

	reyes_i_rib_destroy(*link.rib);
	*link.rib = b;
	if (!b)
		return NULL;
	b->r = r;
	b->options = link.options;
	b->cancelled = link.cancelled;
	b->program_limit_ms = REYES_I_RIB_PROGRAM_LIMIT_MS;
	reyes_i_rib_index_requests(b->index);
	return b;
}

/* Sets the folder of the main file: for archives, and for the renderer. Returns -1 without
 * memory. */
static int set_folder(struct reyes_i_rib *b, const char *path)
{
	const reyes_i_rib_link link = reyes_i_rib_get_link(b->r);

	free(*link.base_folder);
	*link.base_folder = NULL;
	if (!path)
		return 0;
	b->folder = reyes_i_rib_folder_of(path);
	*link.base_folder = reyes_i_rib_folder_of(path);
	return b->folder && *link.base_folder ? 0 : -1;
}

/* Ends an opening: without a source the reader is removed, and the message that was reported
 * becomes the one of the failed call. */
static reyes_status finish_open(struct reyes_i_rib *b, const char *name, int is_open)
{
	reyes_renderer *const r = b->r;
	const reyes_status s = b->push_status == REYES_ERR_NOMEM ? REYES_ERR_NOMEM : REYES_ERR_FILE;
	char text[sizeof(b->first_error)];

	if (is_open) {
		b->input = strdup(name); /* without memory messages have no name */
		return REYES_OK;
	}
	snprintf(text, sizeof(text), "%s", b->first_error[0] ? b->first_error : "out of memory");
	*reyes_i_rib_get_link(r).rib = NULL;
	reyes_i_rib_destroy(b);
	return reyes_i_fail(r, s, "%s", text);
}

reyes_status reyes_rib_open(reyes_renderer *r, const char *path)
{
	struct reyes_i_rib *b;
	int fd;

	if (!r)
		return REYES_ERR_ARG;
	if (!path || !*path)
		return reyes_i_fail(r, REYES_ERR_ARG, "the path of the RIB file is empty");
	b = create(r);
	if (!b || set_folder(b, strcmp(path, "-") == 0 ? NULL : path))
		return reyes_i_fail(r, REYES_ERR_NOMEM, "out of memory");
	if (strcmp(path, "-") == 0)
		return finish_open(b, "standard input",
			reyes_i_rib_push_fd(b, "standard input", STDIN_FILENO, 1, 0) != NULL);
	reyes_i_rib_record_file(b, path);
	fd = reyes_i_rib_open_file(path, 1);
	if (fd < 0) {
		const int error = errno;

		*reyes_i_rib_get_link(r).rib = NULL;
		reyes_i_rib_destroy(b);
		return reyes_i_fail(r, REYES_ERR_FILE,
			"the RIB file \"%.300s\" cannot be opened: %s", path, strerror(error));
	}
	return finish_open(b, path, reyes_i_rib_push_fd(b, path, fd, 0, 0) != NULL);
}

reyes_status reyes_rib_open_memory(
	reyes_renderer *r, const char *name, const void *data, size_t bytes)
{
	struct reyes_i_rib *b;

	if (!r)
		return REYES_ERR_ARG;
	if (!name || (!data && bytes))
		return reyes_i_fail(
			r, REYES_ERR_ARG, "the name or the data of the RIB text is NULL");
	b = create(r);
	if (!b || set_folder(b, NULL))
		return reyes_i_fail(r, REYES_ERR_NOMEM, "out of memory");
	return finish_open(b, name, reyes_i_rib_push_memory(b, name, data, bytes, 1, 1) != NULL);
}

/* Ends the frame: logs the counts of repeated messages. */
static void end_frame(struct reyes_i_rib *b)
{
	reyes_i_rib_flush_messages(b);
	b->archives_read = 0;
}

reyes_status reyes_rib_next_frame(reyes_renderer *r)
{
	struct reyes_i_rib *b = r ? *reyes_i_rib_get_link(r).rib : NULL;

	if (!r)
		return REYES_ERR_ARG;
	if (!b)
		return reyes_i_fail(
			r, REYES_ERR_STATE, "no RIB is open; call reyes_rib_open first");
	b->is_frame_ready = 0;
	b->has_errors = 0;
	while (b->top) {
		reyes_status s;
		int is_error;

		if (b->cancelled && atomic_load_explicit(b->cancelled, memory_order_relaxed)) {
			end_frame(b);
			return reyes_i_fail(r, REYES_CANCELLED, "reading was cancelled");
		}
		s = reyes_i_rib_step(b);
		is_error = s < 0 || b->has_errors;
		if (b->no_memory)
			s = reyes_i_fail(r, REYES_ERR_NOMEM, "out of memory");
		if (s == REYES_ERR_NOMEM || s == REYES_ERR_DEVICE || s == REYES_ERR_FILE ||
			s == REYES_CANCELLED) {
			end_frame(b);
			return s;
		}
		if (is_error && ends_at_errors(b)) {
			end_frame(b);
			return b->has_errors
				       ? reyes_i_fail(r, REYES_ERR_SCENE, "%s", b->first_error)
				       : REYES_ERR_SCENE;
		}
		if (b->is_frame_ready) {
			end_frame(b);
			return REYES_OK;
		}
	}
	end_frame(b);
	/* A cancelled pipe ends as if it had no more bytes. */
	if (b->cancelled && atomic_load_explicit(b->cancelled, memory_order_relaxed))
		return reyes_i_fail(r, REYES_CANCELLED, "reading was cancelled");
	if (!b->is_end) {
		b->is_end = 1;
		reyes_i_scene_end_of_input(r);
	}
	return REYES_END;
}

size_t reyes_rib_file_count(const reyes_renderer *r)
{
	const struct reyes_i_rib *b =
		r ? *reyes_i_rib_get_link((reyes_renderer *)(uintptr_t)r).rib : NULL;

	return b ? b->file_count : 0;
}

const char *reyes_rib_file(const reyes_renderer *r, size_t index)
{
	const struct reyes_i_rib *b =
		r ? *reyes_i_rib_get_link((reyes_renderer *)(uintptr_t)r).rib : NULL;

	return b && index < b->file_count ? b->files[index] : NULL;
}
