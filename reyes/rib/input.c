/* Bytes of one RIB source: reading of files, pipes and memory, the window, the capture. */
#define _GNU_SOURCE
#include "reyes/rib/input.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MS = 20 };

int64_t reyes_i_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Sets the reason why the stream ends. Returns -1. */
static int end_early(reyes_i_input *in, reyes_status status, const char *error)
{
	in->status = status;
	in->error = error;
	return -1;
}

/* Waits until the pipe has bytes or its end. Returns -1 after the deadline; 1 after a
 * cancellation. */
static int wait_for_bytes(reyes_i_input *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	for (;;) {
		const int64_t left =
			in->deadline_ms ? in->deadline_ms - reyes_i_now_ms() : INT64_MAX;
		const int n = left > 0 ? poll(&p, 1, left < POLL_MS ? (int)left : POLL_MS) : 0;

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return end_early(in, REYES_ERR_FILE, "the file cannot be read");
		if (left <= 0)
			return end_early(in, REYES_ERR_SCENE, "the program exceeds its time limit");
		if (in->cancelled && atomic_load_explicit(in->cancelled, memory_order_relaxed))
			return 1;
	}
}

/* Reads bytes as they are in the file. */
static ptrdiff_t read_plain(void *user, unsigned char *to, size_t bytes)
{
	reyes_i_input *in = user;
	ssize_t n;

	if (in->fd < 0) {
		const size_t part = bytes < in->memory_bytes ? bytes : in->memory_bytes;

		if (!part)
			return 0;
		memcpy(to, in->memory, part);
		in->memory += part;
		in->memory_bytes -= part;
		return (ptrdiff_t)part;
	}
	do {
		const int failed = in->is_pipe ? wait_for_bytes(in) : 0;

		if (failed)
			return failed < 0 ? -1 : 0;
		n = read(in->fd, to, bytes);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n < 0 ? end_early(in, REYES_ERR_FILE, "the file cannot be read") : n;
}

/* Reads bytes into the window behind `end`. Returns 1 if there are any. */
static int read_more(reyes_i_input *in)
{
	const size_t room = (size_t)(in->window + in->window_bytes - in->end);
	ptrdiff_t n;

	if (in->is_last || !room)
		return 0;
	n = in->gzip ? reyes_i_gzip_read(in->gzip, in->end, room, &in->error)
		     : read_plain(in, in->end, room);
	if (n <= 0) {
		in->is_last = 1;
		if (in->error && in->status == REYES_OK)
			in->status = REYES_ERR_SCENE; /* damaged data */
		return 0;
	}
	in->end += n;
	*in->end = 0;
	return 1;
}

/* Allocates the window, reads its first bytes, and replaces them if they begin a gzip stream. */
static const char *begin(reyes_i_input *in, size_t window_bytes)
{
	const char *error;

	in->window_bytes = window_bytes;
	in->window = malloc(window_bytes + 1);
	if (!in->window) {
		end_early(in, REYES_ERR_NOMEM, "out of memory");
		return in->error;
	}
	in->at = in->end = in->window;
	*in->end = 0;
	while (in->end - in->window < 2 && read_more(in))
		;
	if (in->error)
		return in->error;
	if (in->end - in->window < 2 || in->window[0] != 0x1f || in->window[1] != 0x8b)
		return NULL;
	error = reyes_i_gzip_open(
		&in->gzip, read_plain, in, in->window, (size_t)(in->end - in->window));
	in->end = in->window;
	*in->end = 0;
	in->is_last = 0;
	in->status = error ? REYES_ERR_NOMEM : REYES_OK;
	return error;
}

const char *reyes_i_input_open_fd(reyes_i_input *in, int fd, int is_shared_fd, int64_t deadline_ms,
	const atomic_int *cancelled)
{
	struct stat st;

	in->is_open = 1;
	in->fd = fd;
	in->is_pipe = fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
	in->cancelled = cancelled;
	in->is_shared_fd = is_shared_fd;
	in->deadline_ms = deadline_ms;
	return begin(in, REYES_I_INPUT_BYTES);
}

const char *reyes_i_input_open_memory(reyes_i_input *in, const void *data, size_t bytes)
{
	const unsigned char *p = data;
	const int is_gzip = bytes >= 2 && p[0] == 0x1f && p[1] == 0x8b;

	in->is_open = 1;
	in->fd = -1;
	in->memory = p;
	in->memory_bytes = bytes;
	/* Scenes consist of many small inline archives: a small window each. */
	return begin(in, is_gzip || bytes > REYES_I_INPUT_BYTES ? REYES_I_INPUT_BYTES : bytes + 2);
}

void reyes_i_input_close(reyes_i_input *in)
{
	reyes_i_gzip_close(in->gzip);
	if (in->is_open && in->fd >= 0 && !in->is_shared_fd)
		close(in->fd);
	free(in->window);
	memset(in, 0, sizeof(*in));
}

/* Appends the bytes up to `to` to the capture. After a failure nothing more is appended. */
static void capture(reyes_i_input *in, const unsigned char *to)
{
	if (in->captured && to > in->captured) {
		if (reyes_i_pool_append(in->capture, in->captured, (size_t)(to - in->captured),
			    in->capture_limit))
			in->captured = NULL;
		else
			in->captured = to;
	}
}

int reyes_i_input_refill(reyes_i_input *in)
{
	const unsigned char *keep = in->mark ? in->mark : in->at;
	const size_t moved = (size_t)(keep - in->window);

	if (in->is_last)
		return 0;
	if (in->capture) {
		capture(in, keep);
		if (in->captured)
			in->captured -= moved;
	}
	if (moved) {
		memmove(in->window, keep, (size_t)(in->end - keep) + 1);
		in->at -= moved;
		in->end -= moved;
		in->base += moved;
		if (in->mark)
			in->mark = in->window;
	}
	return read_more(in);
}

void reyes_i_input_capture(
	reyes_i_input *in, reyes_i_pool *pool, size_t limit, const unsigned char *from)
{
	in->capture = pool;
	in->capture_limit = limit;
	in->captured = from;
}

int reyes_i_input_capture_end(reyes_i_input *in, const unsigned char *to)
{
	const int is_whole = (capture(in, to), in->captured != NULL);

	in->capture = NULL;
	in->captured = NULL;
	return is_whole ? 0 : -1;
}
