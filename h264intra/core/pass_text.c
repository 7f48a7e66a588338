/* The log between two passes, as text. */
#include <h264intra/h264intra.h>
#include "libsched/core/say.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QPS = 52 };

/* Memory of h264i_pass_read: the pictures, and behind them their details. */
typedef uint32_t detail[QPS];

size_t h264i_pass_write_size(char line[H264I_PASS_LINE_BYTES], uint32_t width, uint32_t height)
{
	return (size_t)snprintf(line, H264I_PASS_LINE_BYTES,
		"gpuintra pass 1, %" PRIu32 "x%" PRIu32 "\n", width, height);
}

size_t h264i_pass_write_picture(char line[H264I_PASS_LINE_BYTES], const h264i_packet *p)
{
	size_t n;

	if (p->struct_bytes < offsetof(h264i_packet, detail_count) + sizeof(p->detail_count)) {
		line[0] = '\0';
		return 0;
	}
	n = (size_t)snprintf(line, H264I_PASS_LINE_BYTES, "%d %zu", p->qp, p->data_bytes);
	for (uint32_t i = 0; i < QPS; i++)
		n += (size_t)snprintf(line + n, H264I_PASS_LINE_BYTES - n, " %" PRIu32,
			i < p->detail_count ? p->detail[i] : 0);
	n += (size_t)snprintf(line + n, H264I_PASS_LINE_BYTES - n, " %" PRIu64 "\n", p->time_ns);
	return n;
}

size_t h264i_pass_write_end(char line[H264I_PASS_LINE_BYTES], uint64_t pictures)
{
	return (size_t)snprintf(line, H264I_PASS_LINE_BYTES, "end %" PRIu64 "\n", pictures);
}

/* Moves *at behind the number there, at most `most`, which is below 2^60. Returns 0, or -1. */
static int take_number(const char **at, uint64_t most, uint64_t *to)
{
	uint64_t v = 0;

	if (**at < '0' || **at > '9')
		return -1;
	for (; **at >= '0' && **at <= '9'; ++*at) {
		v = 10 * v + (uint64_t)(**at - '0');
		if (v > most)
			return -1;
	}
	*to = v;
	return 0;
}

/* Moves *at behind the line of a picture. Returns 0, or -1. */
static int take_picture(const char **at, h264i_pass_picture *p, uint32_t *to)
{
	uint64_t n;

	memset(p, 0, sizeof(*p));
	if (take_number(at, QPS - 1, &n))
		return -1;
	p->qp = (int)n;
	if (*(*at)++ != ' ' || take_number(at, UINT32_MAX, &p->bytes) || !p->bytes)
		return -1;
	for (int i = 0; i < QPS; i++) {
		if (*(*at)++ != ' ' || take_number(at, UINT32_MAX, &n))
			return -1;
		to[i] = (uint32_t)n;
	}
	p->detail = to;
	p->detail_count = QPS;
	if (*(*at)++ != ' ' || take_number(at, INT64_MAX / 16, &p->time_ns))
		return -1;
	return *(*at)++ == '\n' ? 0 : -1;
}

/* Reads the lines behind the first. Returns whether all are there and right; *count: of those that
 * are. */
static int take_lines(const char *at, h264i_pass_picture *pictures, detail *details, size_t *count)
{
	uint64_t n;

	for (*count = 0; strncmp(at, "end ", 4) != 0; ++*count)
		if (take_picture(&at, &pictures[*count], details[*count]))
			return 0;
	at += 4;
	return take_number(&at, *count, &n) == 0 && n == *count && strcmp(at, "\n") == 0;
}

static size_t lines_of(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Writes how a text differs from the first line of a log, `head`. Quotes printable characters only,
 * because a terminal interprets others. */
static void describe_head(char *what, size_t what_bytes, const char *text, const char *head)
{
	const int most = (int)strlen(head) - 1;
	int first = 0;

	while (first < 60 && text[first] >= ' ' && text[first] <= '~')
		first++;
	if (first == most && strncmp(text, head, (size_t)most) == 0)
		snprintf(what, what_bytes, "line 1 does not end with a newline (LF) alone");
	else
		snprintf(what, what_bytes,
			"begins with '%.*s', not with '%.*s': not the log of this video", first,
			text, most, head);
}

h264i_status h264i_pass_read(const char *text, uint32_t width, uint32_t height,
	h264i_pass_picture **pictures, size_t *count, char *msg, size_t msg_bytes)
{
	char head[H264I_PASS_LINE_BYTES], what[300];
	h264i_pass_picture *p;
	size_t n, lines;

	if (!text || !pictures || !count)
		return lsched_i_say(
			H264I_ERR_ARG, msg, msg_bytes, "an argument of h264i_pass_read is NULL");
	*pictures = NULL;
	*count = 0;
	if (!*text)
		return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes, "the log is empty");
	n = h264i_pass_write_size(head, width, height);
	if (strncmp(text, head, n) != 0) {
		describe_head(what, sizeof(what), text, head);
		return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes, "%s", what);
	}
	lines = lines_of(text);
	p = calloc(lines, sizeof(*p) + sizeof(detail));
	if (!p)
		return lsched_i_say(H264I_ERR_NOMEM, msg, msg_bytes, "out of memory");
	if (!take_lines(text + n, p, (detail *)(void *)(p + lines), count)) {
		const size_t line = *count + 2;

		*count = 0;
		free(p);
		return lsched_i_say(
			H264I_ERR_ARG, msg, msg_bytes, "line %zu is wrong or missing", line);
	}
	*pictures = p;
	return H264I_OK;
}

void h264i_pass_free(h264i_pass_picture *pictures)
{
	free(pictures);
}
