/* Choice of a member for a job: the one with the least load. The load of a member is the sum over
 * its open jobs of their roots times the mean time of a root of their kind there. Members that are
 * alike have one mean: the time of a root counts what it waits for other jobs, so one that has got
 * more jobs by chance would seem slower. */
#include <string.h>
#include "libsched/core/jobs.h"

/* The time of a root of a kind that no member has executed. */
#define UNKNOWN_NS 1000.0

static int alike(const jobs_member *m, const jobs_member *other)
{
	return m->ctx->b == other->ctx->b && m->run->program == other->run->program &&
	       m->run->max_workers == other->run->max_workers &&
	       strcmp(m->ctx->device_name, other->ctx->device_name) == 0;
}

void lsched_i_jobs_find_alike(lsched_jobs *jobs)
{
	for (uint32_t k = 0; k < jobs->member_count; k++) {
		jobs_member *m = jobs->member + k;

		m->alike = jobs->member;
		while (!alike(m, m->alike))
			m->alike++;
	}
}

/* The mean time of a root on the member; where it is not known, that on another one. */
static double mean_ns(const lsched_jobs *jobs, const jobs_member *m, uint32_t kind)
{
	if (m->alike->root_ns[kind] > 0)
		return m->alike->root_ns[kind];
	for (uint32_t k = 0; k < jobs->member_count; k++)
		if (jobs->member[k].root_ns[kind] > 0)
			return jobs->member[k].root_ns[kind];
	return UNKNOWN_NS;
}

static double load_ns(const lsched_jobs *jobs, const jobs_member *m)
{
	double sum = 0;

	for (uint32_t k = 0; k < jobs->max_jobs; k++) {
		const jobs_slot *s = m->slot + k;

		if (s->open && s->broken == LSCHED_OK && !lsched_i_jobs_ended(m, k, s->generation))
			sum += s->roots * mean_ns(jobs, m, s->kind);
	}
	return sum;
}

/* Of equal ones the next one after the last, so that they get jobs in turn. A member whose context
 * is lost has no load, but cannot start. */
uint32_t lsched_i_jobs_least(lsched_jobs *jobs)
{
	uint32_t least = jobs->last;
	double least_ns = -1;

	for (uint32_t k = 1; jobs->member_count > 1 && k <= jobs->member_count; k++) {
		const uint32_t member = (jobs->last + k) % jobs->member_count;
		jobs_member *m = jobs->member + member;
		double ns;

		if (m->free_count == 0)
			lsched_i_jobs_free_detached(jobs, m);
		if (m->free_count == 0 || lsched_i_ctx_lost(m->ctx))
			continue;
		ns = load_ns(jobs, m);
		if (least_ns < 0 || ns < least_ns) {
			least = member;
			least_ns = ns;
		}
	}
	jobs->last = least;
	return least;
}

/* A moving mean, so that it follows changes of the program's data. */
void lsched_i_jobs_measure(jobs_member *m, uint32_t kind, uint64_t roots, uint64_t ns)
{
	const double each = roots ? (double)ns / (double)roots : 0;
	double *mean = m->alike->root_ns + kind;

	if (each > 0)
		*mean = *mean > 0 ? 0.75 * *mean + 0.25 * each : each;
}
