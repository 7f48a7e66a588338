/* A line on the terminal that says how far a program is. Nothing at all when stderr is no terminal. */
#ifndef APPS_COMMON_PROGRESS_H
#define APPS_COMMON_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

typedef struct progress {
	int on;
	int shown; /* a line stands there */
	int64_t start_ns, next_ns;
	const char *unit; /* "frames" */
} progress;

/* Monotonic clock. */
int64_t progress_now_ns(void);

/* `unit` lives as long as p. Starts the clock of the rate. */
void progress_init(progress *p, const char *unit, int enabled);

/* 1 when it is time for progress_show: five times a second. */
int progress_due(const progress *p, int64_t now_ns);

/* done of total (total <= 0: unknown) with rate and time left; `extra` (may be "") goes in between. */
void progress_show(progress *p, int64_t now_ns, uint64_t done, int64_t total, const char *extra);

/* The same place with a line of the caller's. */
void progress_line(progress *p, int64_t now_ns, const char *text);

/* "12:34 left" or "1:02:03 left". Returns text. */
enum { PROGRESS_LEFT_BYTES = 48 };
char *progress_left(char text[PROGRESS_LEFT_BYTES], double seconds);

/* Takes the line away, before anything else is printed and at the end. */
void progress_clear(progress *p);
#endif
