/* Messages on stderr, "program: text", from any thread. A message erases the progress line
 * first. */
#ifndef APPS_COMMON_LOG_H
#define APPS_COMMON_LOG_H

#include <pthread.h>
#include "apps/common/progress.h"

typedef enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
} log_level;

/* The choices of --log-level, in the order of the enum. */
#define LOG_LEVELS "error|warn|info|debug"

typedef struct logger {
	pthread_mutex_t lock;
	const char *program;
	log_level level; /* messages above this level are not printed */
	progress progress;
} logger;

void log_init(logger *l, const char *program);
void log_print(logger *l, log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Logs an error. Returns `code`. */
int log_fail(logger *l, int code, const char *why);

/* The functions of progress.h, with the lock held. */
void log_progress(logger *l, int64_t now_ns, uint64_t done, int64_t total, const char *extra);
void log_progress_line(logger *l, int64_t now_ns, const char *text);
void log_progress_clear(logger *l);
int log_progress_due(logger *l, int64_t now_ns);

void log_free(logger *l);
#endif
