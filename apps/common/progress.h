/* A progress line on stderr; nothing is written if stderr is not a terminal. */
#ifndef APPS_COMMON_PROGRESS_H
#define APPS_COMMON_PROGRESS_H

#include <stdint.h>

typedef struct progress {
	int on;
	int shown; /* the line is on the terminal */
	int64_t start_ns, next_ns;
	const char *unit; /* "frames" */
} progress;

/* Returns the time of the monotonic clock. */
int64_t progress_now_ns(void);

/* Starts the clock of the rate. `unit` must be valid as long as p. */
void progress_init(progress *p, const char *unit, int enabled);

/* Returns 1 if the line should be updated: five times per second. */
int progress_due(const progress *p, int64_t now_ns);

/* Shows "done/total units, rate, extra, time left"; total <= 0: unknown. */
void progress_show(progress *p, int64_t now_ns, uint64_t done, int64_t total, const char *extra);

/* Shows a text of the caller as the line. */
void progress_line(progress *p, int64_t now_ns, const char *text);

/* Formats "12:34 left" or "1:02:03 left". Returns text. */
enum { PROGRESS_LEFT_BYTES = 48 };
char *progress_left(char text[PROGRESS_LEFT_BYTES], double seconds);

/* Erases the line. Called before other output, and at the end. */
void progress_clear(progress *p);
#endif
