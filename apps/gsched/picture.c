#include "apps/gsched/picture.h"
#include "apps/common/chart.h"

#include <stdio.h>
#include <stdlib.h>

/* With more workers than MAX_BARS a bar shows the mean of several workers. */
enum { MAX_BARS = 66, GRID_COLUMNS = 2 };

enum { LABEL_BYTES = 32 };

/* Formats "dynamic ring" or "static", or "ring" if all rows have scheme dynamic. Returns out. */
static const char *row_label(const gs_table *t, const gs_row *r, char out[LABEL_BYTES])
{
	int schemes = 0;

	for (size_t i = 0; i < t->row_count; i++)
		schemes |= t->rows[i].scheme != LSCHED_SCHEME_DYNAMIC;
	if (r->plain || r->scheme != LSCHED_SCHEME_DYNAMIC)
		snprintf(out, LABEL_BYTES, "%s", row_scheme_name(r));
	else
		snprintf(out, LABEL_BYTES, "%s%s", schemes ? "dynamic " : "",
			lsched_queue_name(r->queue));
	return out;
}

static int drawn(const gs_row *r)
{
	return r->state == ROW_CHECKED && r->median_ns;
}

static int same_curve(const gs_row *a, const gs_row *b)
{
	return a->plain == b->plain && a->scheme == b->scheme &&
	       (a->scheme != LSCHED_SCHEME_DYNAMIC || a->queue == b->queue);
}

/* The label lasts until the next call. */
static const char *rate_label(const gs_table *t)
{
	static char label[40];

	snprintf(label, sizeof(label), "%s/s", t->command.type->unit);
	return label;
}

static int write_curves(const gs_table *t, const char *title, xml_write_fn write, void *opaque)
{
	const size_t n = t->row_count;
	double *x = calloc(n, sizeof(*x)), *y = calloc(n, sizeof(*y));
	chart_series *s = calloc(n, sizeof(*s));
	char(*names)[LABEL_BYTES] = calloc(n, sizeof(*names));
	chart c = { .title = title,
		.subtitle = t->device,
		.x = { .label = "workers", .scale = CHART_LOG2 },
		.series = s };
	int bad = -1;

	c.y.label = rate_label(t);
	for (size_t i = 0; x && y && s && names && i < n; i++) {
		const gs_row *r = &t->rows[i];

		if (!drawn(r))
			continue;
		x[i] = r->stats.workers;
		y[i] = row_rate(r);
		if (i == 0 || !drawn(r - 1) || !same_curve(r, r - 1)) {
			s[c.series_count].name = row_label(t, r, names[c.series_count]);
			s[c.series_count].x = &x[i];
			s[c.series_count].y = &y[i];
			c.series_count++;
		}
		s[c.series_count - 1].count++;
	}
	if (c.series_count)
		bad = chart_write(&c, write, opaque);
	free(names);
	free(s);
	free(y);
	free(x);
	return bad;
}

/* Returns the waiting time of a worker, or with --time-work all its time outside the work of
 * tasks. */
static double worker_idle_ms(const gs_row *r, uint32_t k)
{
	const lsched_worker_stats *w = &r->per_worker[k];

	if (!r->work_ns)
		return (double)w->idle_ns * 1e-6;
	return ((double)w->idle_ns + (double)w->busy_ns - (double)r->work_ns[k]) * 1e-6;
}

/* Fills in the chart of one queue. values[0..bars): units of work, [bars..2 bars): idle time. */
static void workers_chart(chart *c, chart_series s[2], double *values, const gs_row *r, size_t bars)
{
	static const char *const numbers[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
		"10", "11", "12", "13", "14", "15" };
	const uint32_t workers = r->stats.workers;

	for (size_t b = 0; b < bars; b++) {
		const uint32_t from = (uint32_t)((uint64_t)b * workers / bars);
		const uint32_t to = (uint32_t)((uint64_t)(b + 1) * workers / bars);

		for (uint32_t k = from; k < to; k++) {
			values[b] += (double)r->per_worker[k].tasks / (to - from);
			values[bars + b] += worker_idle_ms(r, k) / (to - from);
		}
	}
	s[0] = (chart_series){
		.name = "work units", .y = values, .count = bars, .mark = CHART_BAR, .muted = 1
	};
	s[1] = (chart_series){ .name = r->work_ns ? "time without work" : "idle time",
		.y = values + bars,
		.count = bars,
		.right = 1,
		.no_markers = bars > 32 };
	c->x.label = bars < workers ? "groups of workers" : "worker";
	c->y.label = "work units";
	c->right.label = r->work_ns ? "time without work (ms)" : "idle time (ms)";
	if (bars <= sizeof(numbers) / sizeof(numbers[0])) {
		c->categories = numbers;
		c->category_count = bars;
	}
	c->series = s;
	c->series_count = 2;
	c->width = 520;
	c->height = 300;
}

int picture_workers(const gs_table *t, const char *title, xml_write_fn write, void *opaque)
{
	chart *c = calloc(t->row_count, sizeof(*c));
	chart_series(*s)[2] = calloc(t->row_count, sizeof(*s));
	double(*values)[2 * MAX_BARS] = calloc(t->row_count, sizeof(*values));
	char(*names)[LABEL_BYTES] = calloc(t->row_count, sizeof(*names));
	size_t n = 0;
	int bad = -1;

	for (size_t i = 0; c && s && values && names && i < t->row_count; i++) {
		const gs_row *r = &t->rows[i];
		const uint32_t workers = r->stats.workers;

		if (!drawn(r) || !r->per_worker)
			continue;
		c[n].title = row_label(t, r, names[n]);
		workers_chart(&c[n], s[n], values[n], r, workers < MAX_BARS ? workers : MAX_BARS);
		n++;
	}
	if (n)
		bad = chart_write_grid(c, n, GRID_COLUMNS, title, t->device, write, opaque);
	free(names);
	free(values);
	free(s);
	free(c);
	return bad;
}

static int write_bars(const gs_table *t, const char *title, xml_write_fn write, void *opaque)
{
	const size_t n = t->row_count;
	double *y = calloc(n, sizeof(*y)), *idle = calloc(n, sizeof(*idle));
	char(*names)[LABEL_BYTES] = calloc(n, sizeof(*names));
	const char **categories = calloc(n, sizeof(*categories));
	size_t bars = 0;
	int bad = -1;

	for (size_t i = 0; y && idle && names && categories && i < n; i++) {
		const gs_row *r = &t->rows[i];

		if (!drawn(r))
			continue;
		y[bars] = row_rate(r);
		idle[bars] = row_idle(r) * 100;
		categories[bars] = row_label(t, r, names[bars]);
		bars++;
	}
	if (bars) {
		const chart_series s[] = { { .name = rate_label(t),
						   .y = y,
						   .count = bars,
						   .mark = CHART_BAR,
						   .muted = 1 },
			{ .name = "idle", .y = idle, .count = bars, .right = 1 } };
		const chart c = { .title = title,
			.subtitle = t->device,
			.y = { .label = rate_label(t) },
			.right = { .label = "idle (% of the workers' time)", .max = 100 },
			.categories = categories,
			.category_count = bars,
			.series = s,
			.series_count = 2,
			.value_labels = 1,
			.width = (uint32_t)(bars > 7 ? 100 * bars : 720) };

		bad = chart_write(&c, write, opaque);
	}
	free(categories);
	free(names);
	free(idle);
	free(y);
	return bad;
}

int picture_write(const gs_table *t, xml_write_fn write, void *opaque)
{
	int several = 0;

	for (size_t i = 1; i < t->row_count; i++)
		several |= t->rows[i].workers_requested != t->rows[0].workers_requested;
	if (several)
		return write_curves(t, t->command.program->name, write, opaque);
	if (t->command.type->accepts & WL_TREES)
		return picture_workers(t, t->command.program->name, write, opaque);
	return write_bars(t, t->command.program->name, write, opaque);
}
