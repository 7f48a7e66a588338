/* Counting for one N: plan, run, comparison. */
#include "apps/gqueens/count.h"
#include "apps/common/stop.h"
#include "apps/gqueens/ranks.h"
#include "nqueens/known.h"
#include <libsched/sched.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum {
	POLL_MS = 100,
	JOIN_PAYS_N = 20,
	ESTIMATE_UNITS = 30 /* fewer have no reliable error */
};

int gq_fail(gq_job *job, int exit_code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(job->row->why, sizeof(job->row->why), format, ap);
	va_end(ap);
	job->row->exit_code = exit_code;
	return -1;
}

void gq_job_begin(gq_job *job, gq_row *row, const gq_options *o, logger *log)
{
	memset(job, 0, sizeof(*job));
	memset(row, 0, sizeof(*row));
	nq_result_init(&row->result);
	job->o = o;
	job->log = log;
	job->row = row;
	job->begin_ns = job->saved_ns = progress_now_ns();
	job->work_before = UINT64_MAX;
	nq_plan_options_init(&job->po);
}

static void free_plan(gq_job *job)
{
	nq_ledger_destroy(&job->ledger);
	nq_plan_destroy(&job->plan);
}

void gq_job_free(gq_job *job)
{
	gq_lock_release(&job->lock);
	free_plan(job);
}

/* ---- what to count ---- */

int gq_job_make_plan(gq_job *job)
{
	nq_status st = nq_plan_create(&job->plan, &job->po);

	job->row->n = job->po.n;
	job->row->toroidal = job->po.toroidal != 0;
	job->row->given = job->po.given;
	job->row->given_count = job->po.given_count;
	if (st == NQ_ERR_UNSUPPORTED)
		return gq_fail(job, CLI_EXIT_USAGE,
			"%" PRIu32
			" queens: --method %s does not support this board; join counts 4 to %d "
			"queens without --given and --toroidal, tasks without --toroidal",
			job->po.n, nq_method_name(job->po.method), NQ_JOIN_MAX_N);
	if (st == NQ_OK)
		st = nq_ledger_create(&job->ledger, job->plan);
	if (st != NQ_OK)
		return gq_fail(job, CLI_EXIT_FAILED, "%" PRIu32 " queens: %s", job->po.n,
			nq_strstatus(st));
	job->row->method = nq_plan_method(job->plan);
	return 0;
}

static void take_options(gq_job *job, uint32_t n)
{
	const gq_options *o = job->o;

	gq_plan_options(o, n, &job->po);
	memcpy(job->given, o->given, o->given_count * sizeof(*o->given));
	job->po.given = o->given_count ? job->given : NULL;
	job->row->part = o->part;
	job->row->parts = o->parts;
	gq_ranks_share(&job->row->part, &job->row->parts);
}

/* ---- the run ---- */

static void show(gq_job *job, int64_t now_ns, const nq_progress *p)
{
	const double seconds = (double)p->elapsed_ns * 1e-9;
	const double work = (double)(p->work_done - job->work_before);
	char rate[64] = "", left[PROGRESS_LEFT_BYTES + 2] = "", number[32];
	char line[256];

	if (p->nodes && seconds > 0) {
		const double per_s = (double)p->nodes / seconds;

		snprintf(number, sizeof(number), per_s >= 1e9 ? "%.2f G" : "%.1f M",
			per_s >= 1e9 ? per_s * 1e-9 : per_s * 1e-6);
		snprintf(rate, sizeof(rate), ", %s nodes/s", number);
	}
	if (work > 0) {
		memcpy(left, ", ", 2);
		progress_left(left + 2, seconds * (double)(p->work - p->work_done) / work);
	}
	snprintf(line, sizeof(line), "%" PRIu32 " queens: %.1f %%, %zu/%zu units%s%s", job->po.n,
		p->work ? 100 * (double)p->work_done / (double)p->work : 0, p->units_done, p->units,
		rate, left);
	log_progress_line(job->log, now_ns, line);
}

int gq_progress(void *opaque, const nq_progress *p)
{
	gq_job *job = opaque;
	const int64_t now = progress_now_ns();

	if (job->work_before == UINT64_MAX)
		job->work_before = p->work_done;
	if (log_progress_due(job->log, now))
		show(job, now, p);
	if (job->checkpoint && (double)(now - job->saved_ns) * 1e-9 >= job->o->interval_s)
		gq_job_save_during_run(job);
	return stop_signal() != 0 || job->lock_lost;
}

static nq_status run(gq_job *job)
{
	const gq_options *o = job->o;
	nq_run_options ro;
	nq_status st;

	nq_run_options_init(&ro);
	ro.backend = (nq_backend)o->backend;
	ro.device = gq_ranks_device(o->device, o->backend);
	ro.workers = gq_ranks_workers(o->workers);
	gq_run_queue(o, &ro);
	ro.simd = (nq_simd)o->simd;
	ro.memory_bytes = (uint64_t)(o->memory_gb * 1e9);
	ro.part = job->row->part;
	ro.parts = job->row->parts;
	if (o->time_limit_s > 0)
		ro.time_limit_ms = (uint64_t)(o->time_limit_s * 1000) + 1;
	ro.progress = gq_progress;
	ro.progress_opaque = job;
	ro.progress_ms = POLL_MS;
	if (job->checkpoint && o->interval_s * 1000 < POLL_MS)
		ro.progress_ms = (uint32_t)(o->interval_s * 1000) + 1;
	st = nq_run(job->plan, job->ledger, &ro, &job->row->result);
	log_progress_clear(job->log);
	job->row->units = job->row->result.units;
	job->row->units_done = job->row->result.units_done;
	job->row->complete = st == NQ_OK;
	return st;
}

/* Describes an unfinished run, after its last checkpoint. */
static int explain(gq_job *job, nq_status st)
{
	const gq_row *r = job->row;
	const char *message = r->result.message;
	const char *advice = "";
	char resume[STORE_WHY_BYTES] = "";

	/* such as too little memory, or an error of another program on the device */
	if (r->result.backend == NQ_BACKEND_CUDA)
		advice = "; use --backend cpu to count without CUDA";
	if (job->lock_lost)
		return gq_job_save(job); /* has the reason */
	if (job->checkpoint && !job->save_failed)
		snprintf(resume, sizeof(resume), "; continue with gqueens --resume %s",
			job->checkpoint);
	if (st == NQ_CANCELLED || st == NQ_TIME_LIMIT) {
		job->row->interrupted = 1;
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: %s after %zu of %zu units%s", r->n,
			st == NQ_CANCELLED ? "cancelled" : "time limit reached", r->units_done,
			r->units, resume);
	}
	return gq_fail(job, st == NQ_ERR_ARG ? CLI_EXIT_USAGE : CLI_EXIT_FAILED,
		"%" PRIu32 " queens: %s%s%s", r->n, *message ? message : nq_strstatus(st), advice,
		resume);
}

/* ---- afterwards ---- */

static void compare_published(gq_job *job)
{
	gq_row *r = job->row;
	const nq_count *mine = job->o->unique ? &r->unique : &r->count;
	nq_status st = NQ_ERR_UNSUPPORTED;

	if (r->parts == 0 && r->given_count == 0)
		st = r->toroidal      ? nq_known_toroidal(r->n, &r->published_count)
		     : job->o->unique ? nq_known_unique(r->n, &r->published_count)
				      : nq_known_count(r->n, &r->published_count);
	if (st == NQ_OK)
		r->published = nq_count_cmp(*mine, r->published_count) ? GQ_DIFFERS : GQ_AGREES;
}

/* Prints the total that the finished units of a part of a join predict. */
static void print_estimate(gq_job *job)
{
	const size_t done = nq_ledger_done_count(job->ledger), all = nq_ledger_units(job->ledger);
	char published[NQ_COUNT_TEXT_BYTES], compared[128] = "";
	double total, error;
	nq_count known;

	if (nq_plan_method(job->plan) != NQ_METHOD_JOIN || done < ESTIMATE_UNITS || done == all ||
		nq_ledger_estimate(job->ledger, job->plan, &total, &error) != NQ_OK)
		return;
	if (nq_known_count(job->po.n, &known) == NQ_OK && error > 0)
		snprintf(compared, sizeof(compared), "; published: %s, %.2f standard errors away",
			nq_count_text(known, published),
			fabs(total - nq_count_double(known)) / error);
	log_print(job->log, LOG_LEVEL_INFO,
		"%" PRIu32 " queens: %zu of %zu units predict %.6e +- %.1e solutions%s", job->po.n,
		done, all, total, error, compared);
}

int gq_job_conclude(gq_job *job)
{
	gq_row *r = job->row;
	char mine[NQ_COUNT_TEXT_BYTES], theirs[NQ_COUNT_TEXT_BYTES];
	nq_status st = nq_ledger_total(job->ledger, job->plan, &r->count);

	if (st != NQ_OK && !(st == NQ_ERR_MISSING && r->parts))
		return gq_fail(
			job, CLI_EXIT_FAILED, "%" PRIu32 " queens: %s", r->n, nq_strstatus(st));
	st = job->o->unique
		     ? nq_unique_count_given(r->n, r->given, r->given_count, r->count, &r->unique)
		     : NQ_OK;
	r->counted = st == NQ_OK;
	if (r->counted)
		compare_published(job);
	if (r->parts)
		print_estimate(job);
	/* before the error messages below, because this one names the wrong unit */
	if (job->o->verify_units && gq_verify(job, job->o->verify_units))
		return -1;
	if (st != NQ_OK)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32
			" queens: %s cannot be the count of all boards, because it contradicts the "
			"number of symmetric boards; check this machine and build",
			r->n, nq_count_text(r->count, mine));
	if (r->published == GQ_DIFFERS)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: counted %s, but the published count is %s; find the "
			"wrong units with --verify-sample",
			r->n, nq_count_text(job->o->unique ? r->unique : r->count, mine),
			nq_count_text(r->published_count, theirs));
	return 0;
}

/* From JOIN_PAYS_N on every GPU that can join does it faster than it backtracks, so method auto
 * chooses backtracking only if one cannot. */
static void explain_method(const gq_job *job)
{
	const gq_options *o = job->o;

	if (job->po.method != NQ_METHOD_AUTO || o->backend == NQ_BACKEND_CPU ||
		nq_plan_method(job->plan) == NQ_METHOD_JOIN || job->po.n < JOIN_PAYS_N ||
		job->po.n > NQ_JOIN_MAX_N || job->po.given_count || job->po.toroidal ||
		job->po.plain || lsched_device_count() < 1)
		return;
	log_print(job->log, LOG_LEVEL_INFO,
		"%" PRIu32 " queens: not each GPU has tensor cores of compute capability 8 and the "
		"shared memory that a join needs; counting by backtracking, which takes longer",
		job->po.n);
}

/* A join that method auto selected, and for which the memory does not suffice, is counted by
 * backtracking. Units that a checkpoint has, and ranks that share a plan, stay with the join. */
static int may_fall_back(const gq_job *job, nq_status st)
{
	return (st == NQ_ERR_NOMEM || st == NQ_ERR_UNSUPPORTED) &&
	       job->o->method == NQ_METHOD_AUTO && job->po.method == NQ_METHOD_AUTO &&
	       nq_plan_method(job->plan) == NQ_METHOD_JOIN && job->row->units_done == 0 &&
	       gq_ranks() == 1;
}

static int fall_back(gq_job *job)
{
	const char *message = job->row->result.message;

	log_print(job->log, LOG_LEVEL_INFO,
		"%" PRIu32 " queens: the join cannot run (%s); counting by backtracking, which "
		"takes longer",
		job->po.n, *message ? message : nq_strstatus(NQ_ERR_NOMEM));
	job->po.method = NQ_METHOD_BACKTRACK;
	free_plan(job);
	job->work_before = UINT64_MAX;
	nq_result_init(&job->row->result);
	return gq_job_make_plan(job);
}

/* Counts the part of this rank. */
static int count_part(gq_job *job)
{
	nq_status st;

	if (gq_job_open_checkpoint(job))
		return -1;
	explain_method(job);
	st = run(job);
	if (may_fall_back(job, st)) {
		if (fall_back(job) || (job->checkpoint && gq_job_save(job)))
			return -1;
		st = run(job);
	}
	/* A finished checkpoint that is resumed stays as it is, and may be read-only. */
	job->row->unsaved = job->checkpoint && !gq_job_is_saved(job) && gq_job_save(job);
	if (st != NQ_OK)
		return explain(job, st);
	return job->row->unsaved && gq_ranks() > 1 ? -1 : 0;
}

static void count(gq_job *job)
{
	const int bad = count_part(job);

	if (!gq_ranks_all(!bad)) {
		if (!bad)
			gq_fail(job, CLI_EXIT_FAILED,
				"%" PRIu32 " queens: another rank did not finish its part",
				job->row->n);
		job->row->complete = 0;
		return;
	}
	/* an unsaved checkpoint is an error of the row, but the count is valid */
	if (gq_ranks_gather(job) == 0 && gq_rank() == 0)
		(void)gq_job_conclude(job);
}

void gq_count(gq_job *job, gq_row *row, uint32_t n, const gq_options *o, logger *log)
{
	gq_job_begin(job, row, o, log);
	take_options(job, n);
	count(job);
	row->wall_ns = (uint64_t)(progress_now_ns() - job->begin_ns);
}
