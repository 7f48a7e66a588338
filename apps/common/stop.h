/* Ctrl-C: the first signal asks the program to finish its output. A second one kills it: a
 * different signal at once, the same one if it comes 0.3 s later or more. */
#ifndef APPS_COMMON_STOP_H
#define APPS_COMMON_STOP_H

/* Takes SIGINT, SIGTERM and SIGHUP, unless they are ignored (nohup, background jobs of a
 * script), and ignores SIGPIPE and SIGXFSZ: writing to a pipe without a reader, or beyond the
 * largest file size allowed, then is an error like others. To be called before any file is
 * opened: it sees to it that none gets the number of a standard stream that is closed. 0 or -1. */
int stop_init(void);

/* The signal that came, 0: none. */
int stop_signal(void);

/* The same as a flag, for libraries that look at one. */
const volatile int *stop_flag(void);

/* Readable once a signal came. */
int stop_fd(void);
#endif
