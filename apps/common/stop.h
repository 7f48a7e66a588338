/* Ctrl-C: after the first signal the program finishes its output. A second signal ends the program:
 * a different one at once, the same one if it follows after more than 0.3 s. */
#ifndef APPS_COMMON_STOP_H
#define APPS_COMMON_STOP_H

/* Handles SIGINT, SIGTERM and SIGHUP, unless they are ignored (nohup, background jobs of a script),
 * and ignores SIGPIPE and SIGXFSZ, so that writing to a pipe without a reader or beyond the file
 * size limit returns an error. Opens /dev/null for each closed standard stream, so that no file
 * gets its descriptor; therefore it must be called before any file is opened. If stdout is a pipe,
 * a signal ends a write to it (pipe_stream.h). Returns 0 or -1. */
int stop_init(void);

/* Between stop_at_once(1) and stop_at_once(0) the first signal ends the program: around calls that
 * read an input which may be a pipe, while there is no output to complete. */
void stop_at_once(int on);

/* Returns the first signal, 0: none. */
int stop_signal(void);

/* Returns the address of this value, for libraries that poll a flag. */
const volatile int *stop_flag(void);

/* Returns a descriptor that is readable after the first signal. */
int stop_fd(void);
#endif
