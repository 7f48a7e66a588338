/* Messages of the reader: position, and the count of those that are repeated. A scene of a million
 * wrong requests logs a few lines. */
#include "reyes/rib/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { ERRORS_OF_A_KIND = 5, WARNINGS_OF_A_KIND = 1 };

void reyes_i_rib_where(const struct reyes_i_rib *b, char *text, size_t bytes)
{
	char end[40];
	size_t name, room;

	if (!bytes)
		return;
	text[0] = '\0';
	if (!b)
		return;
	if (!b->is_executing) {
		if (b->is_end && b->input)
			snprintf(text, bytes, "%.200s: ", b->input);
		return;
	}
	snprintf(end, sizeof(end), ":%" PRIu32 ":%" PRIu64 ": ", b->place.line, b->place.column);
	name = strlen(b->place.name);
	room = bytes > strlen(end) + 1 ? bytes - strlen(end) - 1 : 0;
	/* Of a long name the end is shown. */
	snprintf(text, bytes, "%s%s", b->place.name + (name > room ? name - room : 0), end);
}

void reyes_i_rib_set_place(struct reyes_i_rib *b, const reyes_i_rib_source *s)
{
	b->is_executing = 1;
	b->place.name = s->name;
	b->place.line = s->lex.token_line;
	b->place.column = s->lex.token_column;
}

reyes_status reyes_i_rib_report(struct reyes_i_rib *b, reyes_level level, const char *format, ...)
{
	const uint64_t most = level == REYES_LEVEL_ERROR ? ERRORS_OF_A_KIND : WARNINGS_OF_A_KIND;
	char text[512], where[256];
	uint64_t count;
	size_t n = 0;
	va_list list;

	if (b->request[0])
		n = (size_t)snprintf(text, sizeof(text), "%.64s: ", b->request);
	va_start(list, format);
	vsnprintf(text + n, sizeof(text) - n, format, list);
	va_end(list);
	if (level == REYES_LEVEL_ERROR) {
		reyes_i_rib_where(b, where, sizeof(where));
		reyes_i_fail(b->r, REYES_ERR_SCENE, "%s%s", where, text);
	}
	if (b->error_style == REYES_I_RIB_IGNORE)
		return level == REYES_LEVEL_ERROR ? REYES_ERR_SCENE : REYES_OK;
	if (level == REYES_LEVEL_ERROR && !b->has_errors) {
		b->has_errors = 1;
		snprintf(b->first_error, sizeof(b->first_error), "%s%s", where, text);
	}
	count = reyes_i_count_message(
		b->counts, REYES_I_RIB_MESSAGES, b->request, format, "", level, text);
	if (!count)
		b->uncounted++;
	else if (count <= most)
		reyes_i_log(b->r, level, "%s", text);
	return level == REYES_LEVEL_ERROR ? REYES_ERR_SCENE : REYES_OK;
}

void reyes_i_rib_flush_messages(struct reyes_i_rib *b)
{
	b->is_executing = 0;
	for (size_t i = 0; i < REYES_I_RIB_MESSAGES; i++) {
		reyes_i_message_count *c = &b->counts[i];
		const uint64_t logged =
			c->level == REYES_LEVEL_ERROR ? ERRORS_OF_A_KIND : WARNINGS_OF_A_KIND;

		if (c->count > logged)
			reyes_i_log(b->r, c->level, "and %" PRIu64 " more like \"%s\"",
				c->count - logged, c->text);
		memset(c, 0, sizeof(*c));
	}
	if (b->uncounted)
		reyes_i_log(b->r, REYES_LEVEL_ERROR, "and %" PRIu64 " more of other kinds",
			b->uncounted);
	b->uncounted = 0;
}
