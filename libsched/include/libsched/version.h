/* Version of libsched: the macros say what a program was compiled against, lsched_version() what it
 * was linked with. A program descriptor carries LSCHED_ABI, and lsched_run_create() refuses
 * another. */
#ifndef LIBSCHED_VERSION_H
#define LIBSCHED_VERSION_H

#define LSCHED_VERSION_MAJOR 0
#define LSCHED_VERSION_MINOR 2
#define LSCHED_VERSION_PATCH 0
#define LSCHED_VERSION \
	((LSCHED_VERSION_MAJOR << 16) | (LSCHED_VERSION_MINOR << 8) | LSCHED_VERSION_PATCH)
#define LSCHED_VERSION_STRING "0.2.0"

/* Changes whenever generated programs and the library stop fitting together. */
#define LSCHED_ABI 7

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif
/* The linked library's LSCHED_VERSION, and as text. Safe from any thread. */
int lsched_version(void);
const char *lsched_version_string(void);
#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
