/* What is to do in a run, and when it has to end. */
#include "nqueens/core/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsched/core/sized.h"
#include "nqueens/core/choose.h"
#include "nqueens/core/error.h"
#include "nqueens/cpu/walk.h"

enum { PROGRESS_MS = 200 };

uint64_t nq_i_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void nq_run_options_init_sized(nq_run_options *o, size_t struct_bytes)
{
	nq_run_options defaults = { .device = NQ_CURRENT_DEVICE };

	memset(o, 0, struct_bytes);
	memcpy(o, &defaults, struct_bytes < sizeof(defaults) ? struct_bytes : sizeof(defaults));
	o->struct_bytes = struct_bytes;
}

static void stop(nq_i_run *r, nq_status why)
{
	if (!nq_i_run_stopped(r))
		r->why = why;
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
}

void nq_i_run_watch(nq_i_run *r, uint64_t nodes)
{
	const uint64_t gone = nq_i_now_ns() - r->begin_ns;
	nq_progress p;

	if (r->o->cancel && *r->o->cancel)
		stop(r, NQ_CANCELLED);
	if (r->o->time_limit_ms && gone / 1000000u >= r->o->time_limit_ms)
		stop(r, NQ_TIME_LIMIT);
	r->told_ns = gone;
	if (!r->o->progress)
		return;
	p.struct_bytes = sizeof(p);
	p.units_done = r->done_before + __atomic_load_n(&r->units_done, __ATOMIC_RELAXED);
	p.units = r->result->units;
	p.work_done = r->work_before + __atomic_load_n(&r->work_done, __ATOMIC_RELAXED);
	p.work = r->work;
	p.nodes = nodes;
	p.elapsed_ns = gone;
	if (r->o->progress(r->o->progress_opaque, &p))
		stop(r, NQ_CANCELLED);
}

void nq_i_run_look(nq_i_run *r, uint64_t nodes)
{
	const uint64_t gone = nq_i_now_ns() - r->begin_ns;
	const uint64_t every_ms = r->o->progress_ms ? r->o->progress_ms : PROGRESS_MS;

	if (nq_i_run_stopped(r))
		return;
	if ((r->o->cancel && *r->o->cancel) ||
		(r->o->time_limit_ms && gone / 1000000u >= r->o->time_limit_ms) ||
		(r->o->progress && gone - r->told_ns >= every_ms * 1000000u))
		nq_i_run_watch(r, nodes);
}

/* Neighbours in the list cost about the same, so the parts take turns; and they shift their turns, because
 * the low bits of a unit's number mean something to a join. */
static int ours(const nq_run_options *o, size_t unit)
{
	if (o->parts == 0)
		return 1;
	return (unit + unit / o->parts + unit / o->parts / o->parts) % o->parts == o->part - 1;
}

/* The costliest first, so that all workers end at about the same time. */
static int dearer(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static nq_status sort_todo(nq_i_run *r)
{
	uint64_t *keys = (uint64_t *)malloc((r->todo_count + 1) * sizeof(*keys));

	if (!keys)
		return NQ_ERR_NOMEM;
	for (uint32_t i = 0; i < r->todo_count; i++)
		keys[i] = (uint64_t)(UINT32_MAX - r->plan->work[r->todo[i]]) << 32 | r->todo[i];
	qsort(keys, r->todo_count, sizeof(*keys), dearer);
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
		if (!ours(r->o, i))
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

static nq_status check(const nq_plan *plan, const nq_ledger *ledger, const nq_run_options *o)
{
	if (!plan || !ledger)
		return nq_i_fail(NQ_ERR_ARG, "nq_run needs a plan, its ledger and options");
	if (o->part > o->parts || (o->parts && !o->part))
		return nq_i_fail(NQ_ERR_ARG, "part %u of %u: must be 1 to the number of parts",
			o->part, o->parts);
	if ((unsigned)o->simd > NQ_SIMD_AVX512 || (unsigned)o->backend > NQ_BACKEND_CUDA)
		return nq_i_fail(NQ_ERR_ARG, "unknown backend or instruction set");
	if (o->device < NQ_ALL_DEVICES)
		return nq_i_fail(NQ_ERR_ARG, "device %d: 0 or more, %d for the current, %d for all",
			o->device, NQ_CURRENT_DEVICE, NQ_ALL_DEVICES);
	if (ledger->hash != plan->hash || ledger->units != plan->unit_count)
		return nq_i_fail(NQ_ERR_FOREIGN, "the ledger belongs to another plan");
	if (!nq_simd_usable(o->simd))
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "this processor or build has no %s",
			nq_simd_name(o->simd));
	return NQ_OK;
}

static nq_status write_result(nq_result *to, const nq_result *from)
{
	return nq_i_write_sized(
		"nq_result", to, sizeof(*from), LSCHED_I_SIZE_TO(nq_result, message), from);
}

static nq_status read_options(nq_run_options *o, lsched_queue *queue, const nq_run_options *from)
{
	nq_status st;

	nq_run_options_init(o);
	*queue = LSCHED_QUEUE_RING;
	if (!from)
		return nq_i_fail(NQ_ERR_ARG, "nq_run needs a plan, its ledger and options");
	st = nq_i_read_sized("nq_run_options", o, sizeof(*o),
		LSCHED_I_SIZE_TO(nq_run_options, progress_ms), from);
	if (st == NQ_OK && o->queue && lsched_queue_parse(o->queue, queue))
		return nq_i_fail(NQ_ERR_ARG, "there is no queue \"%s\"", o->queue);
	return st;
}

/* Counts what the ledger lacks, in r->result. */
static nq_status count_units(nq_i_run *r)
{
	nq_status st;

	r->begin_ns = nq_i_now_ns();
	r->result->simd = nq_i_simd_resolve(r->o->simd);
	st = list_units(r);
	/* a run that is cancelled before it begins must not begin, however short it is */
	if (st == NQ_OK && r->todo_count)
		nq_i_run_watch(r, 0);
	if (st == NQ_OK && r->todo_count && !nq_i_run_stopped(r)) {
		r->result->backend = nq_i_choose_backend(r);
		st = r->result->backend == NQ_BACKEND_CUDA ? nq_i_run_cuda(r) : nq_i_run_cpu(r);
	}
	if (st == NQ_OK && r->todo_count && !nq_i_run_stopped(r))
		nq_i_run_watch(r, r->result->nodes);
	r->result->units_done = r->done_before + r->units_done;
	r->result->elapsed_ns = nq_i_now_ns() - r->begin_ns;
	free(r->todo);
	if (st == NQ_OK && r->result->units_done < r->result->units)
		st = r->why;
	return st;
}

/* The caller's result as it is before anything is counted; result may be NULL. */
static nq_status clear_result(nq_result *result)
{
	nq_result none;

	nq_result_init(&none);
	return result ? write_result(result, &none) : NQ_OK;
}

nq_status nq_run(
	const nq_plan *plan, nq_ledger *ledger, const nq_run_options *options, nq_result *result)
{
	nq_result own;
	nq_run_options o;
	nq_i_run r = { .plan = plan, .ledger = ledger, .o = &o, .result = &own };
	nq_status st = clear_result(result);

	if (st != NQ_OK)
		return st;
	nq_result_init(&own);
	st = read_options(&o, &r.queue, options);
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
		(void)write_result(result, &own);
	return st;
}

/* The ledger of nq_solve(). */
static nq_status solve_plan(
	const nq_plan *plan, const nq_run_options *o, nq_count *out, nq_result *result)
{
	nq_ledger *ledger = NULL;
	nq_status st = nq_ledger_create(&ledger, plan);

	if (st == NQ_OK)
		st = nq_run(plan, ledger, o, result);
	if (st == NQ_OK)
		st = nq_ledger_total(ledger, plan, out);
	nq_ledger_destroy(&ledger);
	return st;
}

static nq_status solve(uint32_t n, const nq_run_options *options, nq_count *out, nq_result *result)
{
	nq_plan_options po;
	nq_run_options o;
	lsched_queue queue;
	nq_plan *plan;
	nq_status st;

	nq_run_options_init(&o);
	st = options ? read_options(&o, &queue, options) : NQ_OK;
	if (st == NQ_OK && o.parts)
		st = nq_i_fail(NQ_ERR_ARG,
			"nq_solve counts all units, not part %u of %u: use nq_run", o.part,
			o.parts);
	if (st != NQ_OK)
		return st;
	nq_plan_options_init(&po);
	po.n = n;
	po.backend = o.backend;
	st = nq_plan_create(&plan, &po);
	if (st != NQ_OK)
		return st;
	st = solve_plan(plan, &o, out, result);
	nq_plan_destroy(&plan);
	return st;
}

nq_status nq_solve(uint32_t n, const nq_run_options *options, nq_count *out, nq_result *result)
{
	nq_status st;

	if (out)
		*out = nq_count_of(0);
	st = clear_result(result);
	if (st != NQ_OK)
		return st;
	st = out ? solve(n, options, out, result)
		 : nq_i_fail(NQ_ERR_ARG, "nq_solve: no place for the count");
	/* also of what was refused before nq_run() came to it; each result has this member */
	if (st < 0 && result)
		memcpy(result->message, nq_last_error(), sizeof(result->message));
	return st;
}
