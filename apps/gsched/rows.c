#include "apps/gsched/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int table_make_rows(gs_table *t, const wl_work *l, const gs_options *o)
{
	lsched_scheme schemes[GS_MAX_LISTED] = { LSCHED_SCHEME_DYNAMIC };
	lsched_queue queues[GS_MAX_LISTED];
	uint32_t workers[GS_MAX_LISTED];
	const int uses_schemes = t->command.type->accepts & WL_SCHEMES;
	const size_t scheme_count = uses_schemes ? gs_list_schemes(o, schemes) : 1;
	const size_t queue_count = gs_list_queues(o, queues);
	const size_t worker_count = gs_list_workers(o, workers);

	t->rows = calloc(scheme_count * queue_count * worker_count + 2, sizeof(*t->rows));
	if (!t->rows)
		return -1;
	if (l->plain && !o->no_plain)
		t->rows[t->row_count++] = (gs_row){ .plain = l->plain, .plain_name = "plain" };
	if (l->plain2 && !o->no_plain)
		t->rows[t->row_count++] =
			(gs_row){ .plain = l->plain2, .plain_name = l->plain2_name };
	for (size_t s = 0; s < scheme_count; s++)
		for (size_t q = 0; q < queue_count; q++) {
			if (schemes[s] != LSCHED_SCHEME_DYNAMIC && q > 0)
				break;
			for (size_t w = 0; w < worker_count; w++) {
				gs_row *r = &t->rows[t->row_count++];
				const char *why;

				r->scheme = schemes[s];
				r->queue = queues[q];
				r->workers_requested = workers[w];
				why = l->unsupported && schemes[s] == LSCHED_SCHEME_DYNAMIC
					      ? l->unsupported(queues[q])
					      : NULL;
				if (why) {
					r->state = ROW_LEFT_OUT;
					snprintf(r->why, sizeof(r->why), "%s", why);
				}
			}
		}
	return 0;
}

void table_free(gs_table *t)
{
	for (size_t i = 0; i < t->row_count; i++) {
		free(t->rows[i].per_worker);
		free(t->rows[i].work_ns);
	}
	free(t->rows);
	t->rows = NULL;
	t->row_count = 0;
}

uint64_t row_work(const gs_row *r)
{
	return r->operations != WL_TASKS_COUNT ? r->operations : r->stats.tasks;
}

double row_rate(const gs_row *r)
{
	return r->median_ns ? (double)row_work(r) * 1e9 / (double)r->median_ns : 0;
}

double row_idle(const gs_row *r)
{
	const double all = (double)r->stats.idle_ns + (double)r->stats.busy_ns;

	return all > 0 ? (double)r->stats.idle_ns / all : 0;
}

double row_lost(const gs_row *r)
{
	double work = 0, all = 0;

	for (uint32_t k = 0; r->work_ns && r->per_worker && k < r->stats.workers; k++) {
		work += (double)r->work_ns[k];
		all += (double)r->per_worker[k].idle_ns + (double)r->per_worker[k].busy_ns;
	}
	return all > 0 ? 1 - work / all : NAN;
}

const char *row_queue_name(const gs_row *r)
{
	return !r->plain && r->scheme == LSCHED_SCHEME_DYNAMIC ? lsched_queue_name(r->queue) : "-";
}

const char *row_scheme_name(const gs_row *r)
{
	return r->plain ? r->plain_name : lsched_scheme_name(r->scheme);
}

const char *row_state_name(const gs_row *r)
{
	static const char *const names[] = { "checked", "WRONG", "FAILED", "left out" };

	return names[r->state];
}
