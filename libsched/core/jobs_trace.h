/* The view of a service's timeline that jobs_trace.c writes as JSON and jobs_svg.c draws. */
#ifndef LIBSCHED_CORE_JOBS_TRACE_H
#define LIBSCHED_CORE_JOBS_TRACE_H

#include "libsched/core/jobs.h"

/* A copy of the records. */
typedef struct jobs_view {
	jobs_span *span; /* by member, then by due_ns; those in a row do not overlap */
	jobs_arrow *arrow;
	uint32_t spans, arrows;
	uint32_t *rows; /* [member_count] */
	uint64_t first_ns, last_ns;
	uint64_t dropped; /* jobs and messages that the view lacks */
} jobs_view;

/* Fills the view with the first `most` jobs and messages. Returns OK, STATE or NOMEM. Close it in
 * any case. */
lsched_status lsched_i_jobs_view_open(jobs_view *v, lsched_jobs *jobs, uint32_t most);
void lsched_i_jobs_view_close(jobs_view *v);

static inline uint32_t lsched_i_jobs_span_member(const jobs_span *s)
{
	return (uint32_t)(s->id >> 16) & 0xffffu;
}

/* The end of the time in which the job waited. */
static inline uint64_t lsched_i_jobs_span_begun_ns(const jobs_span *s)
{
	return s->start_ns ? s->start_ns : s->end_ns;
}

/* The time at which a message leaves the band of its job. */
static inline uint64_t lsched_i_jobs_arrow_ns(const jobs_arrow *a)
{
	const uint64_t begun = lsched_i_jobs_span_begun_ns(a->span);

	return a->ns > a->span->end_ns ? a->span->end_ns : a->ns > begun ? a->ns : begun;
}

/* Names of a kind, written to text[] if the caller has none, and of how a job has ended. */
const char *lsched_i_jobs_kind_name(char text[16], const char *const *kinds, uint32_t kind);
const char *lsched_i_jobs_end_name(const jobs_span *s);

#endif
