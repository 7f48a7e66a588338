/* Checkpoints of a count: resuming from one, and saving it. */
#include "apps/gqueens/count.h"
#include "apps/gqueens/ranks.h"

#include <inttypes.h>
#include <string.h>

/* ---- resuming ---- */

int gq_job_from_head(gq_job *job, const nq_checkpoint *head, const char *path)
{
	job->po = head->plan;
	memcpy(job->given, head->given, sizeof(job->given));
	job->po.given = head->plan.given_count ? job->given : NULL;
	/* tasks and backtrack have the same units, so the option may select either */
	if (job->o->method != NQ_METHOD_AUTO && job->po.method != NQ_METHOD_JOIN &&
		job->o->method != NQ_METHOD_JOIN)
		job->po.method = (nq_method)job->o->method;
	if (gq_job_make_plan(job))
		return -1;
	if (nq_plan_hash(job->plan) != head->hash || nq_ledger_units(job->ledger) != head->units)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%s was written by another version of gqueens, whose work units differ; "
			"resume it with that version",
			path);
	job->row->part = head->part;
	job->row->parts = head->parts;
	return 0;
}

/* Compares the given queens in any order; options name none twice. */
static int same_squares(const gq_options *o, const nq_checkpoint *head)
{
	size_t same = 0;

	for (size_t i = 0; i < o->given_count; i++)
		for (size_t k = 0; k < head->plan.given_count; k++)
			same += o->given[i].row == head->given[k].row &&
				o->given[i].col == head->given[k].col;
	return same == o->given_count && same == head->plan.given_count;
}

/* Options may repeat or omit what the checkpoint says, but not contradict it. */
static int compare_head(gq_job *job, const nq_checkpoint *head, const char *path)
{
	const gq_options *o = job->o;
	const int join = head->plan.method == NQ_METHOD_JOIN;

	if (o->n_count && o->n[0] != head->plan.n)
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is a checkpoint of %" PRIu32 " queens, not %" PRIu32
			"; omit N to resume it",
			path, head->plan.n, o->n[0]);
	if (o->method != NQ_METHOD_AUTO && (o->method == NQ_METHOD_JOIN) != join)
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is a checkpoint of --method %s, whose units differ from those of %s; "
			"omit --method to resume it",
			path, nq_method_name(head->plan.method),
			nq_method_name((nq_method)o->method));
	if ((o->given_count && !same_squares(o, head)) || (o->toroidal && !head->plan.toroidal))
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is a checkpoint of other boards; omit --given and --toroidal to "
			"resume it",
			path);
	if (o->unique && (head->plan.toroidal || head->parts))
		return gq_fail(job, CLI_EXIT_USAGE,
			"--unique needs a checkpoint of all boards; %s has a torus or a part",
			path);
	if ((o->parts || gq_ranks() > 1) &&
		(job->row->part != head->part || job->row->parts != head->parts))
		return gq_fail(job, CLI_EXIT_USAGE,
			"%s is a checkpoint of part %" PRIu32 "/%" PRIu32 ", not %" PRIu32
			"/%" PRIu32,
			path, head->part, head->parts, job->row->part, job->row->parts);
	return 0;
}

/* Makes plan and ledger from the checkpoint, or from the options if there is none and
 * that is no error. */
static int resume(gq_job *job, const char *path)
{
	store_text s;
	char why[STORE_WHY_BYTES];
	const store_state state = store_read(path, &s, why);
	int bad;

	if ((state == STORE_MISSING || state == STORE_EMPTY) && job->o->resume_if_there) {
		log_print(job->log, LOG_LEVEL_DEBUG, "%s; counting starts from zero", why);
		if (!job->po.n)
			return gq_fail(job, CLI_EXIT_FAILED, "%s", why);
		return gq_job_make_plan(job);
	}
	if (state != STORE_OK)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%s; to start from zero, name another file with --checkpoint", why);
	bad = compare_head(job, &s.head, path) || gq_job_from_head(job, &s.head, path);
	if (!bad && nq_checkpoint_enter(s.text, s.bytes, job->ledger, NULL) != NQ_OK)
		bad = gq_fail(job, CLI_EXIT_FAILED, "%s contradicts its own plan", path);
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
	int bad = gq_lock_check(&job->lock, job->checkpoint, why);

	job->lock_lost = bad;
	if (!bad)
		bad = store_write(job->checkpoint, job->plan, &job->po, job->ledger, job->row->part,
			job->row->parts, why);
	job->saved_ns = progress_now_ns();
	job->save_failed = bad;
	if (!bad)
		job->saved_units = nq_ledger_done_count(job->ledger);
	return bad;
}

int gq_job_is_saved(const gq_job *job)
{
	return !job->save_failed && job->saved_units == nq_ledger_done_count(job->ledger);
}

int gq_job_save(gq_job *job)
{
	char why[STORE_WHY_BYTES];

	return save(job, why)
		       ? gq_fail(job, CLI_EXIT_FAILED, "cannot write the checkpoint: %s", why)
		       : 0;
}

/* A failure is logged once; the next interval tries again. */
void gq_job_save_during_run(gq_job *job)
{
	const int failed_before = job->save_failed;
	char why[STORE_WHY_BYTES];

	if (save(job, why) && !failed_before && !job->lock_lost)
		log_print(job->log, LOG_LEVEL_WARN,
			"cannot write the checkpoint: %s; the previous one is kept and counting "
			"continues",
			why);
}

int gq_job_lock(gq_job *job)
{
	char why[STORE_WHY_BYTES];

	return gq_lock_take(&job->lock, job->checkpoint, why)
		       ? gq_fail(job, CLI_EXIT_FAILED, "%s", why)
		       : 0;
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
			"%s; the file is unchanged; name another file, or replace it with "
			"--overwrite",
			why);
	if (state == STORE_OK)
		bad = gq_fail(job, CLI_EXIT_FAILED,
			"%s is a checkpoint of %" PRIu32 " queens, with %" PRIu64 " of %" PRIu64
			" units; continue it with --resume or replace it with --overwrite",
			path, s.head.plan.n, s.head.done, s.head.units);
	store_free(&s);
	if (!bad && store_part_exists(path, why))
		bad = gq_fail(job, CLI_EXIT_FAILED,
			"%s; rename or remove it, or replace it with --overwrite", why);
	return bad;
}

/* The first checkpoint is written before the run, so that an unwritable file is an early error. */
int gq_job_open_checkpoint(gq_job *job)
{
	static char own[4096];
	const char *from = job->o->resume_path;
	char from_own[4096];

	job->checkpoint = gq_ranks_file(job->o->checkpoint, own, sizeof(own));
	if (from && gq_ranks_file(from, from_own, sizeof(from_own)) == from_own)
		from = from_own;
	if (job->checkpoint && gq_job_lock(job))
		return -1;
	if (from ? resume(job, from) : gq_job_make_plan(job))
		return -1;
	if (!job->checkpoint)
		return 0;
	if (from && strcmp(from, job->checkpoint) == 0 && job->row->units_before) {
		job->saved_units = job->row->units_before;
		return 0;
	}
	if (!(from && strcmp(from, job->checkpoint) == 0) && gq_job_claim(job))
		return -1;
	return gq_job_save(job);
}
