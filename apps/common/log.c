#include "apps/common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void log_init(logger *l, const char *program)
{
	memset(l, 0, sizeof(*l));
	pthread_mutex_init(&l->lock, NULL);
	l->program = program;
	l->level = LOG_LEVEL_INFO;
}

void log_print(logger *l, log_level level, const char *format, ...)
{
	static const char *const words[] = { "error: ", "warning: ", "", "debug: " };
	char text[1024];
	va_list args;

	if (level > l->level)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pthread_mutex_lock(&l->lock);
	progress_clear(&l->progress);
	fprintf(stderr, "%s: %s%s\n", l->program, words[level], text);
	pthread_mutex_unlock(&l->lock);
}

int log_fail(logger *l, int code, const char *why)
{
	log_print(l, LOG_LEVEL_ERROR, "%s", why);
	return code;
}

int log_progress_due(logger *l, int64_t now_ns)
{
	int due;

	pthread_mutex_lock(&l->lock);
	due = progress_due(&l->progress, now_ns);
	pthread_mutex_unlock(&l->lock);
	return due;
}

void log_progress(logger *l, int64_t now_ns, uint64_t done, int64_t total, const char *extra)
{
	pthread_mutex_lock(&l->lock);
	progress_show(&l->progress, now_ns, done, total, extra);
	pthread_mutex_unlock(&l->lock);
}

void log_progress_line(logger *l, int64_t now_ns, const char *text)
{
	pthread_mutex_lock(&l->lock);
	progress_line(&l->progress, now_ns, text);
	pthread_mutex_unlock(&l->lock);
}

void log_progress_clear(logger *l)
{
	pthread_mutex_lock(&l->lock);
	progress_clear(&l->progress);
	pthread_mutex_unlock(&l->lock);
}

void log_free(logger *l)
{
	log_progress_clear(l);
	pthread_mutex_destroy(&l->lock);
}
