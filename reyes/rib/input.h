/* Bytes of one RIB source, through a window of 64 KiB: a file, a pipe or memory, plain or
 * compressed by gzip. The lexer reads the window directly; a zero byte follows its last byte, so
 * that loops over characters need no test of the end. */
#ifndef REYES_RIB_INPUT_H
#define REYES_RIB_INPUT_H

#include "reyes/rib/gzip.h"
#include "reyes/rib/pool.h"

#include <reyes/reyes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { REYES_I_INPUT_BYTES = 1 << 16 };

/* Begins as { 0 }. */
typedef struct reyes_i_input {
	unsigned char *window;
	size_t window_bytes;
	unsigned char *at, *end;       /* bytes of the window that are not read yet; *end is 0 */
	const unsigned char *mark;     /* a refill keeps the bytes from here on; NULL: from `at` */
	uint64_t base;                 /* offset of window[0] in the stream */
	int is_last;                   /* no bytes follow `end` */
	const char *error;             /* reason why the stream ended early, or NULL */
	reyes_status status;           /* of the reason: ERR_FILE, ERR_NOMEM, else ERR_SCENE */
	reyes_i_pool *capture;         /* receives the bytes that leave the window, or NULL */
	const unsigned char *captured; /* end of what was captured */
	size_t capture_limit;
	int is_open;
	int fd;                      /* -1: memory */
	int is_shared_fd;            /* standard input: not closed */
	int is_pipe;                 /* not a regular file: reads may wait */
	int64_t deadline_ms;         /* of the monotonic clock, for pipes; 0: none */
	const atomic_int *cancelled; /* nonzero ends the wait for a pipe as its end; NULL: never */
	const unsigned char *memory; /* not read yet */
	size_t memory_bytes;
	struct reyes_i_gzip *gzip;
} reyes_i_input;

/* Milliseconds of the monotonic clock. */
int64_t reyes_i_now_ms(void);

/* Begin to read; detect gzip. They take over fd, also on failure. Return NULL or a static sentence
 * with the reason; in->status is then set. */
const char *reyes_i_input_open_fd(reyes_i_input *in, int fd, int is_shared_fd, int64_t deadline_ms,
	const atomic_int *cancelled);
const char *reyes_i_input_open_memory(reyes_i_input *in, const void *data, size_t bytes);
void reyes_i_input_close(reyes_i_input *in);

/* Moves the kept bytes to the beginning of the window and reads more behind them: `at`, `mark` and
 * `end` change. Returns 1 if there are new bytes; 0 at the end of the stream (is_last is set), and
 * if the kept bytes fill the window (is_last is not set). */
int reyes_i_input_refill(reyes_i_input *in);

/* Captures the bytes from `from` (in the window) on, into pool. */
void reyes_i_input_capture(
	reyes_i_input *in, reyes_i_pool *pool, size_t limit, const unsigned char *from);
/* Ends the capture at `to`. Returns -1 if a byte was lost (limit or no memory). */
int reyes_i_input_capture_end(reyes_i_input *in, const unsigned char *to);

/* Offset of p (in the window) in the stream. */
static inline uint64_t reyes_i_input_offset(const reyes_i_input *in, const unsigned char *p)
{
	return in->base + (uint64_t)(p - in->window);
}

#endif
