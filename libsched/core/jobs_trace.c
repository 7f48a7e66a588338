/* Timelines of services: the records of jobs and messages, and writing them as Chrome/Perfetto
 * JSON. */
#include "libsched/core/jobs_trace.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/timeline.h"

void lsched_i_jobs_trace_span(lsched_jobs *jobs, const jobs_span *span)
{
	jobs_trace *t = &jobs->trace;
	jobs_span *s;

	if (t->spans == t->most) {
		t->dropped += t->most != 0;
		return;
	}
	s = t->span + t->spans++;
	*s = *span;
	/* the clock of a device is known within an error */
	if (s->start_ns && s->start_ns < s->due_ns)
		s->start_ns = s->due_ns;
	if (s->end_ns < lsched_i_jobs_span_begun_ns(s) || s->end_ns < s->due_ns)
		s->end_ns = s->start_ns ? s->start_ns : s->due_ns;
}

void lsched_i_jobs_trace_message(lsched_jobs *jobs, const lsched_job_message *message)
{
	jobs_trace *t = &jobs->trace;
	jobs_arrow *a;

	if (t->arrows == t->most) {
		t->dropped += t->most != 0;
		return;
	}
	a = t->arrow + t->arrows++;
	a->id = message->job.id;
	a->ns = lsched_i_cpu_now_ns();
	a->value = message->value;
	a->kind = message->kind;
}

/* ---- the view ---- */

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_due(const void *pa, const void *pb)
{
	const jobs_span *a = (const jobs_span *)pa, *b = (const jobs_span *)pb;

	return a->due_ns != b->due_ns ? by_number(a->due_ns, b->due_ns) : by_number(a->id, b->id);
}

static int by_member(const void *pa, const void *pb)
{
	const uint32_t a = lsched_i_jobs_span_member((const jobs_span *)pa);
	const uint32_t b = lsched_i_jobs_span_member((const jobs_span *)pb);

	return a != b ? by_number(a, b) : by_due(pa, pb);
}

static int by_id(const void *pa, const void *pb)
{
	const jobs_span *const *a = (const jobs_span *const *)pa;
	const jobs_span *const *b = (const jobs_span *const *)pb;

	return by_number((*a)->id, (*b)->id);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Copies the records of the first jobs and messages. */
static lsched_status copy_records(jobs_view *v, lsched_jobs *jobs, uint32_t most)
{
	jobs_trace t;

	pthread_mutex_lock(&jobs->lock);
	lsched_i_jobs_count_all(jobs);
	t = jobs->trace; /* the records below its counts do not change */
	pthread_mutex_unlock(&jobs->lock);
	v->span = (jobs_span *)malloc((t.spans + (size_t)1) * sizeof(*v->span));
	v->arrow = (jobs_arrow *)malloc((t.arrows + (size_t)1) * sizeof(*v->arrow));
	v->rows = (uint32_t *)calloc(jobs->member_count, sizeof(*v->rows));
	if (!v->span || !v->arrow || !v->rows)
		return LSCHED_ERR_NOMEM;
	memcpy(v->span, t.span, t.spans * sizeof(*v->span));
	memcpy(v->arrow, t.arrow, t.arrows * sizeof(*v->arrow));
	qsort(v->span, t.spans, sizeof(*v->span), by_due);
	v->spans = t.spans < most ? t.spans : most;
	v->arrows = t.arrows < most ? t.arrows : most;
	v->dropped = t.dropped + (t.spans - v->spans) + (t.arrows - v->arrows);
	v->first_ns = v->spans ? v->span[0].due_ns : 0;
	/* the view ends before the first job that it lacks */
	v->last_ns = v->spans < t.spans ? v->span[v->spans].due_ns : v->first_ns;
	for (uint32_t k = 0; k < v->spans && v->spans == t.spans; k++)
		v->last_ns = later(v->last_ns, v->span[k].end_ns);
	for (uint32_t k = 0; k < v->arrows && v->spans == t.spans; k++)
		v->last_ns = later(v->last_ns, v->arrow[k].ns);
	return LSCHED_OK;
}

/* Gives each job the first row that is free at its time; at most one for each place of a job. */
static lsched_status lay_rows(jobs_view *v, const lsched_jobs *jobs)
{
	uint64_t *free_ns = (uint64_t *)malloc(jobs->max_jobs * sizeof(*free_ns));

	if (!free_ns)
		return LSCHED_ERR_NOMEM;
	for (uint32_t k = 0; k < v->spans; k++) {
		jobs_span *s = v->span + k;
		uint32_t *rows = v->rows + lsched_i_jobs_span_member(s), row = 0;

		while (row < *rows && free_ns[row] > s->due_ns)
			row++;
		if (row == jobs->max_jobs) /* posts and waits of several threads at once */
			row--;
		else if (row == *rows)
			++*rows;
		s->row = row;
		free_ns[row] = s->end_ns;
	}
	free(free_ns);
	return LSCHED_OK;
}

/* Finds the jobs of the messages that are in the time of the view. */
static lsched_status find_jobs(jobs_view *v)
{
	const jobs_span **index =
		(const jobs_span **)malloc((v->spans + (size_t)1) * sizeof(*index));
	jobs_span wanted;
	const jobs_span *key = &wanted;

	if (!index)
		return LSCHED_ERR_NOMEM;
	for (uint32_t k = 0; k < v->spans; k++)
		index[k] = v->span + k;
	qsort(index, v->spans, sizeof(*index), by_id);
	for (uint32_t k = 0; k < v->arrows; k++) {
		const jobs_span **found;

		wanted.id = v->arrow[k].id;
		found = (const jobs_span **)bsearch(&key, index, v->spans, sizeof(*index), by_id);
		v->arrow[k].span = found && v->arrow[k].ns <= v->last_ns ? *found : NULL;
	}
	free(index);
	return LSCHED_OK;
}

lsched_status lsched_i_jobs_view_open(jobs_view *v, lsched_jobs *jobs, uint32_t most)
{
	lsched_status st;

	memset(v, 0, sizeof(*v));
	if (jobs->trace.most == 0) {
		pthread_mutex_lock(&jobs->lock);
		st = lsched_i_jobs_error(jobs, LSCHED_ERR_STATE,
			"no timeline was recorded: set lsched_jobs_options.trace");
		pthread_mutex_unlock(&jobs->lock);
		return st;
	}
	st = copy_records(v, jobs, most);
	if (st == LSCHED_OK) {
		qsort(v->span, v->spans, sizeof(*v->span), by_member);
		st = lay_rows(v, jobs);
	}
	return st == LSCHED_OK ? find_jobs(v) : st;
}

void lsched_i_jobs_view_close(jobs_view *v)
{
	free(v->span);
	free(v->arrow);
	free(v->rows);
}

const char *lsched_i_jobs_kind_name(char text[16], const char *const *kinds, uint32_t kind)
{
	if (kinds && kinds[kind])
		return kinds[kind];
	snprintf(text, 16, "kind %" PRIu32, kind);
	return text;
}

const char *lsched_i_jobs_end_name(const jobs_span *s)
{
	static const char *const names[] = { "ended with its member", "done", "cancelled",
		"cancelled by limit_ms", "failed" };

	return names[s->end];
}

/* ---- JSON ---- */

/* The thread of the host, before those of the rows. */
enum { HOST_THREAD, FIRST_ROW };

static int process_of(const jobs_span *s)
{
	return 1 + (int)lsched_i_jobs_span_member(s);
}

static void put_id(lsched_i_json *j, uint64_t id)
{
	char text[20]; /* a number of JSON has 53 bits */

	snprintf(text, sizeof(text), "0x%" PRIx64, id);
	lsched_i_json_text(j, "job", text);
}

static void put_names(lsched_i_json *j, const jobs_view *v, const lsched_jobs *jobs)
{
	char name[32];

	for (uint32_t k = 0; k < jobs->member_count; k++) {
		const int pid = 1 + (int)k;

		lsched_i_timeline_put_name(
			j, "process_name", pid, -1, lsched_ctx_device_name(jobs->member[k].ctx));
		lsched_i_timeline_put_name(j, "thread_name", pid, HOST_THREAD, "host");
		for (uint32_t row = 0; row < v->rows[k]; row++) {
			snprintf(name, sizeof(name), "jobs %" PRIu32, row);
			lsched_i_timeline_put_name(
				j, "thread_name", pid, (int64_t)FIRST_ROW + row, name);
		}
	}
}

static void put_span(
	lsched_i_json *j, const jobs_view *v, const jobs_span *s, const char *const *kinds)
{
	const uint64_t begun = lsched_i_jobs_span_begun_ns(s);
	char name[16];

	lsched_i_timeline_begin_event(
		j, "X", "waiting", process_of(s), FIRST_ROW + s->row, s->due_ns - v->first_ns);
	lsched_i_json_thousandths(j, "dur", begun - s->due_ns);
	lsched_i_json_object(j, "args");
	put_id(j, s->id);
	lsched_i_json_close(j);
	lsched_i_json_close(j);
	lsched_i_timeline_begin_event(j, "X", lsched_i_jobs_kind_name(name, kinds, s->kind),
		process_of(s), FIRST_ROW + s->row, begun - v->first_ns);
	lsched_i_json_thousandths(j, "dur", s->end_ns - begun);
	lsched_i_json_object(j, "args");
	put_id(j, s->id);
	lsched_i_json_text(j, "end", lsched_i_jobs_end_name(s));
	lsched_i_json_uint(j, "late", s->late);
	lsched_i_json_close(j);
	lsched_i_json_close(j);
}

/* A message: an event of the host, to which a flow from the job leads. */
static void put_arrow(lsched_i_json *j, const jobs_view *v, uint32_t number)
{
	const jobs_arrow *a = v->arrow + number;
	const int pid = process_of(a->span);

	lsched_i_timeline_begin_event(j, "X", "message", pid, HOST_THREAD, a->ns - v->first_ns);
	lsched_i_json_thousandths(j, "dur", 0);
	lsched_i_json_object(j, "args");
	put_id(j, a->id);
	lsched_i_json_uint(j, "kind", a->kind);
	lsched_i_json_uint(j, "value", a->value);
	lsched_i_json_close(j);
	lsched_i_json_close(j);
	for (int head = 0; head < 2; head++) {
		lsched_i_timeline_begin_event(j, head ? "f" : "s", "message", pid,
			head ? HOST_THREAD : FIRST_ROW + a->span->row,
			(head ? a->ns : lsched_i_jobs_arrow_ns(a)) - v->first_ns);
		lsched_i_json_text(j, "cat", "message");
		lsched_i_json_uint(j, "id", number);
		if (head)
			lsched_i_json_text(j, "bp", "e");
		lsched_i_json_close(j);
	}
}

lsched_status lsched_jobs_trace_write(
	lsched_jobs *jobs, const char *const *kinds, lsched_write_fn write, void *opaque)
{
	lsched_status st;
	lsched_i_json j;
	jobs_view v;

	if (!jobs || !write)
		return LSCHED_ERR_ARG;
	st = lsched_i_jobs_view_open(&v, jobs, UINT32_MAX);
	if (st == LSCHED_OK) {
		lsched_i_timeline_begin(&j, write, opaque);
		put_names(&j, &v, jobs);
		for (uint32_t k = 0; k < v.spans; k++)
			put_span(&j, &v, v.span + k, kinds);
		for (uint32_t k = 0; k < v.arrows; k++)
			if (v.arrow[k].span)
				put_arrow(&j, &v, k);
		st = lsched_i_timeline_end(&j) ? LSCHED_ERR_ARG : LSCHED_OK;
	}
	lsched_i_jobs_view_close(&v);
	return st;
}
