/* nq_run(): the list of units to count, progress, cancellation and time limit. */
#include "libsched/core/clock.h"
#include "nqueens/run/run.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/error.h"
#include "nqueens/core/simd.h"
#include "nqueens/run/backend.h"
#include "nqueens/run/choose_backend.h"
#include "nqueens/run/options.h"

enum { PROGRESS_MS = 200 };

/* ---- progress and stop ---- */

static void stop(nq_i_run *r, nq_status why)
{
	if (!nq_i_run_stopped(r))
		r->why = why;
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
}

/* Calls the progress callback, whether or not its interval is over. */
static void report(nq_i_run *r, uint64_t elapsed_ns, uint64_t nodes)
{
	nq_progress p;

	r->reported_ns = elapsed_ns;
	if (!r->o->progress)
		return;
	p.struct_bytes = sizeof(p);
	p.units_done = r->done_before + __atomic_load_n(&r->units_done, __ATOMIC_RELAXED);
	p.units = r->result->units;
	p.work_done = r->work_before + __atomic_load_n(&r->work_done, __ATOMIC_RELAXED);
	p.work = r->work;
	p.nodes = nodes;
	p.elapsed_ns = elapsed_ns;
	if (r->o->progress(r->o->progress_opaque, &p))
		stop(r, NQ_CANCELLED);
}

static void poll_limits(nq_i_run *r, uint64_t elapsed_ns)
{
	if (r->o->cancel && *r->o->cancel)
		stop(r, NQ_CANCELLED);
	if (r->o->time_limit_ms && elapsed_ns / 1000000u >= r->o->time_limit_ms)
		stop(r, NQ_TIME_LIMIT);
}

static void poll_and_report(nq_i_run *r, uint64_t nodes)
{
	const uint64_t elapsed_ns = lsched_i_clock_ns() - r->begin_ns;

	poll_limits(r, elapsed_ns);
	report(r, elapsed_ns, nodes);
}

void nq_i_run_poll(nq_i_run *r, uint64_t nodes)
{
	const uint64_t elapsed_ns = lsched_i_clock_ns() - r->begin_ns;
	const uint64_t interval_ms = r->o->progress_ms ? r->o->progress_ms : PROGRESS_MS;

	if (nq_i_run_stopped(r))
		return;
	poll_limits(r, elapsed_ns);
	if (nq_i_run_stopped(r) || elapsed_ns - r->reported_ns >= interval_ms * 1000000u)
		report(r, elapsed_ns, nodes);
}

/* ---- units to count ---- */

/* Neighbouring units have similar cost, so they go to the parts in turn. The turn is shifted after
 * each round, because the low bits of a JOIN unit's index are rows of its set. */
static int in_part(const nq_run_options *o, size_t unit)
{
	if (o->parts == 0)
		return 1;
	return (unit + unit / o->parts + unit / o->parts / o->parts) % o->parts == o->part - 1;
}

static int compare_keys(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

/* Sorts the most expensive units to the front, so that all workers end at about the same time. */
static nq_status sort_todo(nq_i_run *r)
{
	uint64_t *keys = (uint64_t *)malloc((r->todo_count + 1) * sizeof(*keys));

	if (!keys)
		return NQ_ERR_NOMEM;
	for (uint32_t i = 0; i < r->todo_count; i++)
		keys[i] = (uint64_t)(UINT32_MAX - r->plan->work[r->todo[i]]) << 32 | r->todo[i];
	qsort(keys, r->todo_count, sizeof(*keys), compare_keys);
	for (uint32_t i = 0; i < r->todo_count; i++)
		r->todo[i] = (uint32_t)keys[i];
	free(keys);
	return NQ_OK;
}

static nq_status list_units(nq_i_run *r)
{
	r->todo = (uint32_t *)calloc(r->plan->unit_count + 1, sizeof(*r->todo));
	if (!r->todo)
		return NQ_ERR_NOMEM;
	for (size_t i = 0; i < r->plan->unit_count; i++) {
		if (!in_part(r->o, i))
			continue;
		r->result->units++;
		r->work += r->plan->work[i];
		if (nq_ledger_done(r->ledger, i)) {
			r->done_before++;
			r->work_before += r->plan->work[i];
		} else {
			r->todo[r->todo_count++] = (uint32_t)i;
		}
	}
	return sort_todo(r);
}

/* ---- the run ---- */

static nq_status check(const nq_plan *plan, const nq_ledger *ledger, const nq_run_options *o)
{
	if (!plan || !ledger)
		return nq_i_fail(NQ_ERR_ARG, "nq_run: plan or ledger is NULL");
	if (o->part > o->parts || (o->parts && !o->part))
		return nq_i_fail(NQ_ERR_ARG, "part is %u of %u parts; it must be 1 to %u", o->part,
			o->parts, o->parts);
	if ((unsigned)o->simd > NQ_SIMD_AVX512 || (unsigned)o->backend > NQ_BACKEND_CUDA)
		return nq_i_fail(NQ_ERR_ARG, "unknown backend or instruction set");
	if (o->device < NQ_ALL_DEVICES)
		return nq_i_fail(NQ_ERR_ARG,
			"device is %d; it must be 0 or more, %d (current) or %d (all)", o->device,
			NQ_CURRENT_DEVICE, NQ_ALL_DEVICES);
	if (ledger->hash != plan->hash || ledger->units != plan->unit_count)
		return nq_i_fail(NQ_ERR_FOREIGN, "the ledger belongs to another plan");
	if (!nq_simd_usable(o->simd))
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "this processor or build does not support %s",
			nq_simd_name(o->simd));
	return NQ_OK;
}

/* Counts the units that are not in the ledger; writes r->result. */
static nq_status count_units(nq_i_run *r)
{
	nq_status st;

	r->begin_ns = lsched_i_clock_ns();
	r->result->simd = nq_i_simd_resolve(r->o->simd);
	st = list_units(r);
	/* a run that is cancelled before its start counts nothing, however short it would be */
	if (st == NQ_OK && r->todo_count)
		poll_and_report(r, 0);
	if (st == NQ_OK && r->todo_count && !nq_i_run_stopped(r)) {
		const double left = (double)(r->work - r->work_before);

		r->result->backend =
			nq_i_choose_backend(r->plan, r->o, r->work ? left / (double)r->work : 1);
		st = r->result->backend == NQ_BACKEND_CUDA ? nq_i_run_cuda(r) : nq_i_run_cpu(r);
	}
	if (st == NQ_OK && r->todo_count && !nq_i_run_stopped(r))
		poll_and_report(r, r->result->nodes);
	r->result->units_done = r->done_before + r->units_done;
	r->result->elapsed_ns = lsched_i_clock_ns() - r->begin_ns;
	free(r->todo);
	if (st == NQ_OK && r->result->units_done < r->result->units)
		st = r->why;
	return st;
}

nq_status nq_run(
	const nq_plan *plan, nq_ledger *ledger, const nq_run_options *options, nq_result *result)
{
	nq_result own;
	nq_run_options o;
	nq_i_run r = { .plan = plan, .ledger = ledger, .o = &o, .result = &own };
	nq_status st = nq_i_result_clear(result);

	if (st != NQ_OK)
		return st;
	nq_result_init(&own);
	st = nq_i_run_options_read(&o, &r.queue, options);
	if (st == NQ_OK)
		st = check(plan, ledger, &o);
	if (st == NQ_OK) {
		st = count_units(&r);
		if (st < 0)
			nq_i_fail(st, "%s", own.message[0] ? own.message : nq_strstatus(st));
	}
	if (st < 0)
		memcpy(own.message, nq_last_error(), sizeof(own.message));
	if (result)
		(void)nq_i_result_write(result, &own);
	return st;
}
