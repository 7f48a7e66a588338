/* Version of libsched: the macros say what a program was compiled against, sched_version() what it
 * was linked with. A program descriptor carries SCHED_ABI, and sched_run_create() refuses another. */
#ifndef LIBSCHED_VERSION_H
#define LIBSCHED_VERSION_H

#define SCHED_VERSION_MAJOR 0
#define SCHED_VERSION_MINOR 1
#define SCHED_VERSION_PATCH 0
#define SCHED_VERSION \
	((SCHED_VERSION_MAJOR << 16) | (SCHED_VERSION_MINOR << 8) | SCHED_VERSION_PATCH)
#define SCHED_VERSION_STRING "0.1.0"

/* Changes whenever generated programs and the library stop fitting together. */
#define SCHED_ABI 2

#ifdef __cplusplus
extern "C" {
#endif
/* The linked library's SCHED_VERSION, and as text. Safe from any thread. */
int sched_version(void);
const char *sched_version_string(void);
#ifdef __cplusplus
}
#endif
#endif
