/* Options and attributes that the reader uses itself: "user" for conditions, "searchpath" for
 * files. They are restored at the end of the block in which they are set. */
#define _GNU_SOURCE
#include "reyes/rib/reader.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { PATH_BYTES = 1 << 16, MOST_VARIABLES = 65536 };

static size_t variable_count(const struct reyes_i_rib *b)
{
	return b->variables.bytes / sizeof(reyes_i_rib_variable);
}

static reyes_i_rib_variable *variable(const struct reyes_i_rib *b, size_t i)
{
	return (reyes_i_rib_variable *)(void *)b->variables.data + i;
}

/* Finds the newest value of a name: that of the innermost scope. */
static reyes_i_rib_variable *find(const struct reyes_i_rib *b, const char *name)
{
	for (size_t i = variable_count(b); i--;)
		if (strcmp(variable(b, i)->name, name) == 0)
			return variable(b, i);
	return NULL;
}

const reyes_i_rib_variable *reyes_i_rib_find_variable(const struct reyes_i_rib *b, const char *name)
{
	if (strncmp(name, "Option:", 7) == 0)
		name += 7;
	else if (strncmp(name, "Attribute:", 10) == 0)
		name += 10;
	return find(b, name);
}

/* Sets a value in the current scope; takes over text, which may be NULL. */
static void set(struct reyes_i_rib *b, const char *name, double number, int is_number, char *text)
{
	reyes_i_rib_variable *old = find(b, name);
	reyes_i_rib_variable v = {
		.depth = b->scope_depth, .is_number = is_number, .number = number, .text = text
	};

	if (old && old->depth == b->scope_depth) {
		free(old->text);
		v.name = old->name;
		*old = v;
		return;
	}
	v.name = strdup(name);
	b->no_memory |= !v.name || (!is_number && !text);
	if (!v.name ||
		reyes_i_pool_append(&b->variables, &v, sizeof(v), MOST_VARIABLES * sizeof(v))) {
		b->no_memory |= b->variables.no_memory;
		free(v.name);
		free(v.text);
	}
}

/* Returns a search path in which "&" is the former one and "@" that of the options. */
static char *expand_path(const struct reyes_i_rib *b, const char *name, const char *text)
{
	const reyes_i_rib_variable *old = find(b, name);
	const char *configured = b->options->search_path;
	char *path = malloc(PATH_BYTES);
	size_t n = 0;

	while (path && *text) {
		const size_t length = strcspn(text, ":");
		const char *part = text;
		size_t bytes = length;

		if (length == 1 && (*text == '&' || *text == '@')) {
			part = *text == '@' ? configured : old ? old->text : NULL;
			part = part ? part : "";
			bytes = strlen(part);
		}
		if (n + bytes + 2 > PATH_BYTES)
			break;
		if (bytes) {
			memcpy(path + n, part, bytes);
			n += bytes;
			path[n++] = ':';
		}
		text += length + (text[length] != 0);
	}
	if (path)
		path[n] = '\0';
	return path;
}

void reyes_i_rib_keep_variable(struct reyes_i_rib *b, const char *name, const reyes_params *p)
{
	const int is_path = strcmp(name, "searchpath") == 0;
	char key[256];

	if (!is_path && strcmp(name, "user") != 0)
		return;
	for (size_t i = 0; i < p->count; i++) {
		const reyes_param *q = &p->list[i];
		const char *word = strrchr(q->token, ' ');
		const char *text = q->count && q->strings ? q->strings[0] : NULL;

		if (!q->count || (is_path && !text))
			continue;
		snprintf(key, sizeof(key), "%s:%.200s", name, word ? word + 1 : q->token);
		if (is_path)
			set(b, key, 0, 0, expand_path(b, key, text));
		else if (text)
			set(b, key, 0, 0, strdup(text));
		else
			set(b, key, (double)q->floats[0], 1, NULL);
	}
}

void reyes_i_rib_scope_push(struct reyes_i_rib *b)
{
	b->scope_depth++;
}

void reyes_i_rib_scope_pop(struct reyes_i_rib *b)
{
	if (!b->scope_depth)
		return;
	b->scope_depth--;
	for (size_t i = variable_count(b); i-- && variable(b, i)->depth > b->scope_depth;) {
		free(variable(b, i)->name);
		free(variable(b, i)->text);
		b->variables.bytes -= sizeof(reyes_i_rib_variable);
	}
}

void reyes_i_rib_free_variables(struct reyes_i_rib *b)
{
	for (size_t i = 0; i < variable_count(b); i++) {
		free(variable(b, i)->name);
		free(variable(b, i)->text);
	}
	reyes_i_pool_free(&b->variables);
}

/* Returns folder/name, malloc'd, if this is a regular file. A program needs the folder "." in its
 * path, because a bare name is searched in PATH. */
static char *try_file(struct reyes_i_rib *b, const char *folder, size_t folder_bytes,
	const char *name, int is_program)
{
	const size_t bytes = folder_bytes + strlen(name) + 2;
	char *path = malloc(bytes);
	struct stat st;

	b->no_memory |= !path;
	if (!path)
		return NULL;
	if (folder_bytes == 1 && folder[0] == '.' && !is_program)
		snprintf(path, bytes, "%s", name);
	else
		snprintf(path, bytes, "%.*s/%s", (int)folder_bytes, folder, name);
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

/* Tries each folder of a search path; relative ones also from the main file's folder. */
static char *try_path(struct reyes_i_rib *b, const char *list, const char *name, int program)
{
	char *path = NULL;

	while (list && *list && !path) {
		const size_t bytes = strcspn(list, ":");

		if (bytes)
			path = try_file(b, list, bytes, name, program);
		if (!path && bytes && *list != '/' && b->folder) {
			const size_t room = strlen(b->folder) + bytes + 2;
			char *folder = malloc(room);

			b->no_memory |= !folder;
			if (folder) {
				snprintf(folder, room, "%s/%.*s", b->folder, (int)bytes, list);
				path = try_file(b, folder, strlen(folder), name, program);
			}
			free(folder);
		}
		list += bytes + (list[bytes] != 0);
	}
	return path;
}

char *reyes_i_rib_find_file(struct reyes_i_rib *b, const char *kind, const char *name)
{
	const int is_program = strcmp(kind, "procedural") == 0;
	const reyes_i_rib_variable *v;
	char key[64], *path;

	if (!*name)
		return NULL;
	if (*name == '/') {
		struct stat st;

		path = !stat(name, &st) && S_ISREG(st.st_mode) ? strdup(name) : NULL;
		b->no_memory |= !path && errno == ENOMEM;
		return path;
	}
	snprintf(key, sizeof(key), "searchpath:%s", kind);
	v = find(b, key);
	path = try_path(b, b->options->search_path, name, is_program);
	if (!path && v)
		path = try_path(b, v->text, name, is_program);
	for (const reyes_i_rib_source *s = b->top; s && !path; s = s->below)
		if (s->folder) {
			path = try_file(b, s->folder, strlen(s->folder), name, is_program);
			break;
		}
	if (!path && b->folder)
		path = try_file(b, b->folder, strlen(b->folder), name, is_program);
	return path ? path : try_file(b, ".", 1, name, is_program);
}
