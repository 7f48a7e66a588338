#include "apps/common/progress.h"
#include "libsched/core/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { INTERVAL_NS = 200 * 1000 * 1000 };

int64_t progress_now_ns(void)
{
	return (int64_t)lsched_i_clock_ns();
}

void progress_init(progress *p, const char *unit, int enabled)
{
	memset(p, 0, sizeof(*p));
	p->on = enabled && isatty(STDERR_FILENO);
	p->unit = unit;
	p->start_ns = progress_now_ns();
	p->next_ns = p->start_ns + INTERVAL_NS;
}

int progress_due(const progress *p, int64_t now_ns)
{
	return p->on && now_ns >= p->next_ns;
}

char *progress_left(char text[PROGRESS_LEFT_BYTES], double seconds)
{
	/* 0 for NaN and for times that are too long */
	const uint64_t s = seconds >= 0 && seconds < 1e15 ? (uint64_t)(seconds + 0.5) : 0;

	if (s >= 3600)
		snprintf(text, PROGRESS_LEFT_BYTES, "%" PRIu64 ":%02u:%02u left", s / 3600,
			(unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else
		snprintf(text, PROGRESS_LEFT_BYTES, "%u:%02u left", (unsigned)(s / 60),
			(unsigned)(s % 60));
	return text;
}

void progress_show(progress *p, int64_t now_ns, uint64_t done, int64_t total, const char *extra)
{
	double seconds = (double)(now_ns - p->start_ns) * 1e-9;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char of[32] = "", left[PROGRESS_LEFT_BYTES] = "";

	if (!p->on)
		return;
	p->next_ns = now_ns + INTERVAL_NS;
	if (total > 0 && (uint64_t)total >= done) {
		snprintf(of, sizeof(of), "/%" PRId64, total);
		if (rate > 0)
			progress_left(left, (double)((uint64_t)total - done) / rate);
	}
	/* The escape sequence erases the rest of a longer line. */
	fprintf(stderr, "\r%" PRIu64 "%s %s, %.*f %s/s%s%s%s\033[K", done, of, p->unit,
		rate < 100 ? 1 : 0, rate, p->unit, extra, *left ? ", " : "", left);
	fflush(stderr);
	p->shown = 1;
}

void progress_line(progress *p, int64_t now_ns, const char *text)
{
	if (!p->on)
		return;
	p->next_ns = now_ns + INTERVAL_NS;
	fprintf(stderr, "\r%s\033[K", text);
	fflush(stderr);
	p->shown = 1;
}

void progress_clear(progress *p)
{
	if (!p->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	p->shown = 0;
}
