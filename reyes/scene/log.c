/* Messages of the graphics state: positions, request names, messages that are logged once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "reyes/scene/renderer.h"
#include "reyes/scene/rib_seam.h"

enum { TEXT_BYTES = 512, MESSAGES_OF_A_KIND = 5 };

static void write_log(reyes_renderer *r, reyes_level level, const char *text)
{
	char where[256], line[TEXT_BYTES + 300];

	if (!r->options.log)
		return;
	where[0] = '\0';
	if (r->rib)
		reyes_i_rib_where(r->rib, where, sizeof(where));
	snprintf(line, sizeof(line), "%s%s", where, text);
	r->options.log(r->options.log_user, level, line);
}

/* Formats with the request's name in front. */
__attribute__((format(printf, 3, 0))) static void with_request(
	const reyes_renderer *r, char text[TEXT_BYTES], const char *format, va_list arguments)
{
	int n = 0;

	if (r->request)
		n = snprintf(text, TEXT_BYTES, "%s: ", r->request);
	vsnprintf(text + n, (size_t)(TEXT_BYTES - n), format, arguments);
}

void reyes_i_log(reyes_renderer *r, reyes_level level, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	write_log(r, level, text);
}

void reyes_i_log_counted(reyes_renderer *r, reyes_level level, const char *kind, const char *text)
{
	/* without its numbers, which differ from shape to shape */
	const uint64_t n = reyes_i_count_message(r->message_counts, REYES_I_MESSAGE_KINDS,
		r->request, kind, "0123456789.-", level, text);

	if (!n)
		r->uncounted_messages++;
	else if (n <= MESSAGES_OF_A_KIND)
		write_log(r, level, text);
}

void reyes_i_flush_messages(reyes_renderer *r)
{
	char line[TEXT_BYTES];

	for (size_t i = 0; i < REYES_I_MESSAGE_KINDS; i++) {
		const reyes_i_message_count *c = &r->message_counts[i];

		if (c->count <= MESSAGES_OF_A_KIND || !r->options.log)
			continue;
		/* Without a position: each of them has one of its own. */
		snprintf(line, sizeof(line), "and %" PRIu64 " more like \"%s\"",
			c->count - MESSAGES_OF_A_KIND, c->text);
		r->options.log(r->options.log_user, c->level, line);
	}
	if (r->uncounted_messages && r->options.log) {
		snprintf(line, sizeof(line), "and %" PRIu64 " more of other kinds",
			r->uncounted_messages);
		r->options.log(r->options.log_user, REYES_LEVEL_ERROR, line);
	}
	memset(r->message_counts, 0, sizeof(r->message_counts));
	r->uncounted_messages = 0;
}

reyes_status reyes_i_error(reyes_renderer *r, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	with_request(r, text, format, arguments);
	va_end(arguments);
	snprintf(r->error, sizeof(r->error), "%s", text);
	if (r->error_style != REYES_I_IGNORE)
		reyes_i_log_counted(r, REYES_LEVEL_ERROR, format, text);
	return REYES_ERR_SCENE;
}

reyes_status reyes_i_fail(reyes_renderer *r, reyes_status s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(r->error, sizeof(r->error), format, arguments);
	va_end(arguments);
	return s;
}

reyes_status reyes_i_no_memory(reyes_renderer *r)
{
	return reyes_i_fail(r, REYES_ERR_NOMEM, "%s: out of memory", r->request ? r->request : "-");
}

reyes_status reyes_i_file_failure(reyes_renderer *r, reyes_status s, const char *message)
{
	char text[TEXT_BYTES];

	if (s == REYES_ERR_NOMEM)
		return reyes_i_no_memory(r);
	snprintf(text, sizeof(text), "%s: %.400s", r->request ? r->request : "-", message);
	if (s != REYES_CANCELLED)
		write_log(r, REYES_LEVEL_ERROR, text);
	return reyes_i_fail(r, s, "%s", text);
}

void reyes_i_warn(reyes_renderer *r, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	with_request(r, text, format, arguments);
	va_end(arguments);
	write_log(r, REYES_LEVEL_WARN, text);
}

/* Nonzero if a message with this key was logged before. Without memory for keys, messages are
 * repeated. */
static int was_logged(reyes_renderer *r, const char *key)
{
	int is_new;
	const uint32_t number = reyes_i_names_add(&r->once, key, &is_new);

	return number != REYES_I_NONE && !is_new;
}

/* Logs a message with the request's name, once in the life of the renderer for each key. */
__attribute__((format(printf, 4, 0))) static void log_once(reyes_renderer *r, reyes_level level,
	const char *key, const char *format, va_list arguments)
{
	char text[TEXT_BYTES];

	if (was_logged(r, key))
		return;
	with_request(r, text, format, arguments);
	write_log(r, level, text);
}

void reyes_i_warn_once(reyes_renderer *r, const char *key, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_once(r, REYES_LEVEL_WARN, key, format, arguments);
	va_end(arguments);
}

void reyes_i_info_once(reyes_renderer *r, const char *key, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_once(r, REYES_LEVEL_INFO, key, format, arguments);
	va_end(arguments);
}

const char *reyes_last_error(const reyes_renderer *r)
{
	return r ? r->error : "the renderer is NULL";
}
