#include "apps/gqueens/count.h"
#include "apps/common/stop.h"
#include "apps/gqueens/ranks.h"
#include "nqueens/known.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { LOOK_MS = 100 };

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

void gq_job_free(gq_job *job)
{
	nq_ledger_destroy(&job->ledger);
	nq_plan_destroy(&job->plan);
}

/* ---- what to count ---- */

static int make_plan(gq_job *job)
{
	nq_status st = nq_plan_create(&job->plan, &job->po);

	job->row->n = job->po.n;
	job->row->toroidal = job->po.toroidal != 0;
	job->row->given = job->po.given;
	job->row->given_count = job->po.given_count;
	if (st == NQ_ERR_UNSUPPORTED)
		return gq_fail(job, CLI_EXIT_USAGE,
			"%" PRIu32 " queens: --method %s cannot count this; join takes whole plain "
			"boards of 4 to %d queens, tasks no torus",
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

int gq_job_from_head(gq_job *job, const nq_checkpoint *head, const char *path)
{
	job->po = head->plan;
	memcpy(job->given, head->given, sizeof(job->given));
	job->po.given = head->plan.given_count ? job->given : NULL;
	/* of the two that count the same units, the one that is asked for */
	if (job->o->method != NQ_METHOD_AUTO && job->po.method != NQ_METHOD_JOIN &&
		job->o->method != NQ_METHOD_JOIN)
		job->po.method = (nq_method)job->o->method;
	if (make_plan(job))
		return -1;
	if (nq_plan_hash(job->plan) != head->hash || nq_ledger_units(job->ledger) != head->units)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%s was made by another version of this program, which cuts the work in "
			"another way; that version can go on with it",
			path);
	job->row->part = head->part;
	job->row->parts = head->parts;
	return 0;
}

/* In any order; options name none twice. */
static int same_squares(const gq_options *o, const nq_checkpoint *head)
{
	size_t same = 0;

	for (size_t i = 0; i < o->given_count; i++)
		for (size_t k = 0; k < head->plan.given_count; k++)
			same += o->given[i].row == head->given[k].row &&
				o->given[i].col == head->given[k].col;
	return same == o->given_count && same == head->plan.given_count;
}

/* What was asked for may be said again or left out, but it must not be something else. */
static int compare_head(gq_job *job, const nq_checkpoint *head, const char *path)
{
	const gq_options *o = job->o;
	const int join = head->plan.method == NQ_METHOD_JOIN;

	if (o->n_count && o->n[0] != head->plan.n)
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is of %" PRIu32 " queens, not %" PRIu32
			"; without N, --resume takes it from there",
			path, head->plan.n, o->n[0]);
	if (o->method != NQ_METHOD_AUTO && (o->method == NQ_METHOD_JOIN) != join)
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is of --method %s, whose units are not those of %s", path,
			nq_method_name(head->plan.method), nq_method_name((nq_method)o->method));
	if ((o->given_count && !same_squares(o, head)) || (o->toroidal && !head->plan.toroidal))
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is of other boards; leave --given and --toroidal out, --resume takes "
			"them from there",
			path);
	if (o->unique && (head->plan.given_count || head->plan.toroidal || head->parts))
		return gq_fail(job, CLI_EXIT_USAGE,
			"--unique needs all plain boards, and %s is not of these", path);
	if ((o->parts || gq_ranks() > 1) &&
		(job->row->part != head->part || job->row->parts != head->parts))
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is of part %" PRIu32 "/%" PRIu32 ", not %" PRIu32 "/%" PRIu32, path,
			head->part, head->parts, job->row->part, job->row->parts);
	return 0;
}

/* 0: all is ready. With a checkpoint the plan is its. */
static int resume(gq_job *job, const char *path)
{
	store_text s;
	char why[STORE_WHY_BYTES];
	const store_state state = store_read(path, &s, why);
	int bad;

	if ((state == STORE_MISSING || state == STORE_EMPTY) && job->o->resume_if_there) {
		log_print(job->log, LOG_LEVEL_DEBUG, "%s, so this begins anew", why);
		if (!job->po.n)
			return gq_fail(job, CLI_EXIT_FAILED, "%s", why);
		return make_plan(job);
	}
	if (state != STORE_OK)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%s; to begin anew, give --checkpoint another file", why);
	bad = compare_head(job, &s.head, path) || gq_job_from_head(job, &s.head, path);
	if (!bad && nq_checkpoint_enter(s.text, s.bytes, job->ledger, NULL) != NQ_OK)
		bad = gq_fail(job, CLI_EXIT_FAILED, "%s does not fit its own plan", path);
	if (!bad) {
		job->row->units_before = nq_ledger_done_count(job->ledger);
		log_print(job->log, LOG_LEVEL_INFO, "%s: %zu of %zu units are counted already",
			path, job->row->units_before, nq_ledger_units(job->ledger));
	}
	store_free(&s);
	return bad;
}

/* ---- checkpoints ---- */

static int save(gq_job *job, char why[STORE_WHY_BYTES])
{
	const int bad = store_write(job->checkpoint, job->plan, &job->po, job->ledger,
		job->row->part, job->row->parts, why);

	job->saved_ns = progress_now_ns();
	job->save_failed = bad;
	return bad;
}

int gq_job_save(gq_job *job)
{
	char why[STORE_WHY_BYTES];

	return save(job, why) ? gq_fail(job, CLI_EXIT_FAILED, "no checkpoint: %s", why) : 0;
}

/* In the middle of a run: tried again later, and said once. */
static void save_meanwhile(gq_job *job)
{
	const int failed_before = job->save_failed;
	char why[STORE_WHY_BYTES];

	if (save(job, why) && !failed_before)
		log_print(job->log, LOG_LEVEL_WARN,
			"no checkpoint: %s; the one before is kept, and counting goes on", why);
}

int gq_job_claim(gq_job *job)
{
	const char *path = job->checkpoint;
	char why[STORE_WHY_BYTES];
	store_text s;
	store_state state;
	int bad = 0;

	if (job->o->overwrite)
		return 0;
	state = store_read(path, &s, why);
	if (state == STORE_BAD)
		bad = gq_fail(job, CLI_EXIT_FAILED,
			"%s: it is left as it is; choose another file, or --overwrite", why);
	if (state == STORE_OK)
		bad = gq_fail(job, CLI_EXIT_FAILED,
			"%s is a checkpoint of %" PRIu32 " queens, with %" PRIu64 " of %" PRIu64
			" units: --resume goes on with it, --overwrite begins anew",
			path, s.head.plan.n, s.head.done, s.head.units);
	store_free(&s);
	if (!bad && store_part_exists(path, why))
		bad = gq_fail(job, CLI_EXIT_FAILED,
			"%s; rename or remove it, or --overwrite replaces it", why);
	return bad;
}

/* The first one is written before anything is counted: better to know now that it cannot be. */
static int open_checkpoint(gq_job *job)
{
	static char own[4096];
	const char *from = job->o->resume_path;
	char from_own[4096];

	job->checkpoint = gq_ranks_file(job->o->checkpoint, own, sizeof(own));
	if (from && gq_ranks_file(from, from_own, sizeof(from_own)) == from_own)
		from = from_own;
	if (from ? resume(job, from) : make_plan(job))
		return -1;
	if (!job->checkpoint)
		return 0;
	if (from && strcmp(from, job->checkpoint) == 0 && job->row->units_before)
		return 0;
	if (!(from && strcmp(from, job->checkpoint) == 0) && gq_job_claim(job))
		return -1;
	return gq_job_save(job);
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
		save_meanwhile(job);
	return stop_signal() != 0;
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
	ro.part = job->row->part;
	ro.parts = job->row->parts;
	if (o->time_limit_s > 0)
		ro.time_limit_ms = (uint64_t)(o->time_limit_s * 1000) + 1;
	ro.progress = gq_progress;
	ro.progress_opaque = job;
	ro.progress_ms = LOOK_MS;
	if (job->checkpoint && o->interval_s * 1000 < LOOK_MS)
		ro.progress_ms = (uint32_t)(o->interval_s * 1000) + 1;
	st = nq_run(job->plan, job->ledger, &ro, &job->row->result);
	log_progress_clear(job->log);
	job->row->units = job->row->result.units;
	job->row->units_done = job->row->result.units_done;
	job->row->complete = st == NQ_OK;
	return st;
}

/* The words for a run that did not come to its end; what is counted is saved by now if it can be. */
static int explain(gq_job *job, nq_status st)
{
	const gq_row *r = job->row;
	const char *message = r->result.message;
	const char *way_out = "";
	char kept[STORE_WHY_BYTES] = "";

	/* too little memory there, or somebody else's error */
	if (r->result.backend == NQ_BACKEND_CUDA)
		way_out = "; --backend cpu counts without it";
	if (job->checkpoint && !job->save_failed)
		snprintf(kept, sizeof(kept), "; gqueens --resume %s goes on", job->checkpoint);
	if (st == NQ_CANCELLED || st == NQ_TIME_LIMIT) {
		job->row->interrupted = 1;
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: %s after %zu of %zu units%s", r->n,
			st == NQ_CANCELLED ? "ended" : "the time was over", r->units_done, r->units,
			kept);
	}
	return gq_fail(job, st == NQ_ERR_ARG ? CLI_EXIT_USAGE : CLI_EXIT_FAILED,
		"%" PRIu32 " queens: %s%s%s", r->n, *message ? message : nq_strstatus(st), way_out,
		kept);
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

int gq_job_conclude(gq_job *job)
{
	gq_row *r = job->row;
	char mine[NQ_COUNT_TEXT_BYTES], theirs[NQ_COUNT_TEXT_BYTES];
	nq_status st = nq_ledger_total(job->ledger, job->plan, &r->count);

	if (st != NQ_OK && !(st == NQ_ERR_MISSING && r->parts))
		return gq_fail(
			job, CLI_EXIT_FAILED, "%" PRIu32 " queens: %s", r->n, nq_strstatus(st));
	st = job->o->unique ? nq_unique_count(r->n, r->count, &r->unique) : NQ_OK;
	r->counted = st == NQ_OK;
	if (r->counted)
		compare_published(job);
	/* first, for it names the unit that is wrong */
	if (job->o->verify_units && gq_verify(job, job->o->verify_units))
		return -1;
	if (st != NQ_OK)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: %s cannot be the count of all boards: it is not one "
			"with the symmetric ones. Something is wrong with this machine or program",
			r->n, nq_count_text(r->count, mine));
	if (r->published == GQ_DIFFERS)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: counted %s, but the published count is %s: something "
			"is wrong with this machine, program or checkpoint; --verify-sample looks "
			"for it",
			r->n, nq_count_text(job->o->unique ? r->unique : r->count, mine),
			nq_count_text(r->published_count, theirs));
	return 0;
}

/* This rank's part. */
static int count_part(gq_job *job)
{
	nq_status st;
	int not_kept;

	if (open_checkpoint(job))
		return -1;
	st = run(job);
	not_kept = job->checkpoint && gq_job_save(job);
	if (st != NQ_OK)
		return explain(job, st);
	return not_kept && gq_ranks() > 1 ? -1 : 0;
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
	/* counted, if perhaps not kept, which the row knows: so the count can be said */
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
