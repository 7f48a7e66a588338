/* The commands count (for each N) and --merge. */
#include "apps/gqueens/commands.h"
#include "apps/common/stop.h"
#include "apps/gqueens/output.h"
#include "apps/gqueens/ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Output of the rows. */
typedef struct report {
	const gq_options *o;
	logger *log;
	outfile json;
	lsched_i_json writer; /* to json.to, unless NULL */
	int table;            /* several N; else the count alone */
	int exit_code;
} report;

static int report_begin(report *r, const gq_options *o, logger *log)
{
	memset(r, 0, sizeof(*r));
	r->o = o;
	r->log = log;
	r->table = o->n_count > 1;
	if (o->json_path && gq_rank() == 0) {
		if (outfile_open_log(&r->json, o->json_path, o->overwrite, log))
			return -1;
		output_json_begin(&r->writer, r->json.to, "results");
	}
	if (r->table && r->json.to != stdout && gq_rank() == 0)
		output_table_head(o, stdout);
	return 0;
}

static void report_row(report *r, const gq_row *row)
{
	if (row->exit_code > r->exit_code)
		r->exit_code = row->exit_code;
	/* a usage error is the same on all ranks */
	if (row->exit_code && (gq_rank() == 0 || row->exit_code != CLI_EXIT_USAGE))
		log_print(r->log, LOG_LEVEL_ERROR, "%s", row->why);
	if (gq_rank() != 0)
		return;
	if (row->exit_code != CLI_EXIT_USAGE && r->json.to)
		output_json_row(&r->writer, row, r->o);
	if (r->json.to == stdout)
		return;
	if (r->table)
		output_table_row(row, r->o, stdout);
	else if (output_good(row))
		output_count(row, r->o, stdout);
	if (!r->table)
		output_remark(row, r->o, r->log);
}

/* If standard output cannot be written, the message has the count of `last`, which may
 * have taken days. */
static int report_end(report *r, const gq_row *last)
{
	char lost[NQ_COUNT_TEXT_BYTES] = "";

	if (last && output_good(last))
		nq_count_text(r->o->unique ? last->unique : last->count, lost);
	if (r->json.to)
		output_json_end(&r->writer);
	if (r->json.to != stdout && output_close(&r->json, NULL, r->log))
		r->exit_code = CLI_EXIT_FAILED;
	if (gq_rank() == 0 && output_close_stdout(*lost ? lost : NULL, r->log))
		r->exit_code = CLI_EXIT_FAILED;
	return r->exit_code;
}

/* A part has to be named: else each of several processes counts the same. */
static void warn_of_processes(const gq_options *o, logger *log)
{
	const char *name = o->parts ? NULL : gq_ranks_unknown();

	if (name)
		log_print(log, LOG_LEVEL_WARN,
			"%s is %s, but each of these processes counts everything; to share the "
			"work, use --range I/N, or mpirun with a build --with-mpi",
			name, getenv(name));
}

int gq_command_count(const gq_options *o, logger *log)
{
	const size_t rounds = o->n_count ? o->n_count : 1;
	static gq_job job; /* large */
	gq_row row;
	report r;

	if (!gq_ranks_all(report_begin(&r, o, log) == 0))
		return CLI_EXIT_FAILED;
	warn_of_processes(o, log);
	for (size_t i = 0; i < rounds; i++) {
		/* all ranks continue, or none */
		if (i && !gq_ranks_all(!stop_signal() && !ferror(stdout)))
			break;
		gq_count(&job, &row, o->n_count ? o->n[i] : 0, o, log);
		report_row(&r, &row);
		gq_job_free(&job);
		if (r.table)
			(void)fflush(stdout); /* ferror remembers */
	}
	return report_end(&r, r.table ? NULL : &row);
}

/* ---- --merge ---- */

/* Returns the first of `before` files that contains the unit, by reading them again. */
static const char *file_with_unit(
	const gq_options *o, uint32_t before, const nq_plan *plan, uint64_t unit)
{
	const char *name = "another file";
	nq_ledger *one = NULL;
	char why[STORE_WHY_BYTES];

	for (uint32_t i = 0; i < before; i++) {
		store_text s;

		if (store_read(o->words.at[i], &s, why) != STORE_OK)
			continue;
		if (nq_ledger_create(&one, plan) == NQ_OK &&
			nq_checkpoint_enter(s.text, s.bytes, one, NULL) == NQ_OK &&
			nq_ledger_done(one, (size_t)unit))
			name = o->words.at[i];
		nq_ledger_destroy(&one);
		store_free(&s);
	}
	return name;
}

static int merge_text(gq_job *job, const store_text *s, uint32_t number)
{
	const gq_options *o = job->o;
	const char *path = o->words.at[number];
	uint64_t unit;
	nq_status st;

	if (number == 0) {
		if (gq_job_from_head(job, &s->head, path))
			return -1;
		job->row->part = job->row->parts = 0;
	}
	st = nq_checkpoint_enter(s->text, s->bytes, job->ledger, &unit);
	if (st == NQ_ERR_TWICE)
		return gq_fail(job, CLI_EXIT_FAILED,
			"unit %" PRIu64 " is in %s and in %s; merge each unit only once", unit,
			file_with_unit(o, number, job->plan, unit), path);
	if (st != NQ_OK)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%s (%" PRIu32 " queens, %s) belongs to another plan than %s (%" PRIu32
			" queens, %s)",
			path, s->head.plan.n, nq_method_name(s->head.plan.method), o->words.at[0],
			job->row->n, nq_method_name(job->row->method));
	return 0;
}

/* The parts among the files, if all have the same number of parts. */
typedef struct parts_seen {
	uint32_t parts; /* 0: not known, or not the same */
	uint8_t seen[CLI_WORDS_MAX + 2];
} parts_seen;

static void see_part(parts_seen *p, uint32_t number, const nq_checkpoint *head)
{
	if (number == 0)
		p->parts = head->parts;
	if (head->parts != p->parts || head->parts > CLI_WORDS_MAX)
		p->parts = 0;
	else
		p->seen[head->part] = 1;
}

static uint32_t part_unseen(const parts_seen *p)
{
	for (uint32_t i = 1; i <= p->parts; i++)
		if (!p->seen[i])
			return i;
	return 0;
}

static int read_parts(gq_job *job, parts_seen *seen)
{
	for (uint32_t i = 0; i < job->o->words.count; i++) {
		char why[STORE_WHY_BYTES];
		store_text s;
		int bad;

		if (store_read(job->o->words.at[i], &s, why) != STORE_OK)
			return gq_fail(job, CLI_EXIT_FAILED,
				"%s; its part has to be counted again (--range)", why);
		see_part(seen, i, &s.head);
		bad = merge_text(job, &s, i);
		store_free(&s);
		if (bad)
			return -1;
	}
	return 0;
}

static int merge(gq_job *job)
{
	parts_seen seen = { 0 };
	gq_row *row = job->row;
	size_t first = 0;
	uint32_t unseen;

	if (read_parts(job, &seen))
		return -1;
	row->units = nq_ledger_units(job->ledger);
	row->units_done = row->units_before = nq_ledger_done_count(job->ledger);
	row->complete = row->units_done == row->units;
	job->checkpoint = job->o->checkpoint;
	if (job->checkpoint && (gq_job_lock(job) || gq_job_claim(job) || gq_job_save(job)))
		return -1;
	if (row->complete)
		return gq_job_conclude(job);
	while (nq_ledger_done(job->ledger, first))
		first++;
	unseen = part_unseen(&seen);
	if (unseen)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: %zu of %zu units are missing: part %" PRIu32
			"/%" PRIu32 " is not among the files",
			row->n, row->units - row->units_done, row->units, unseen, seen.parts);
	return gq_fail(job, CLI_EXIT_FAILED,
		"%" PRIu32 " queens: %zu of %zu units are missing, the first is %zu: a part is not "
		"finished (gqueens --resume FILE), or not among the files",
		row->n, row->units - row->units_done, row->units, first);
}

int gq_command_merge(const gq_options *o, logger *log)
{
	static gq_job job; /* large */
	gq_row row;
	report r;

	if (report_begin(&r, o, log))
		return CLI_EXIT_FAILED;
	gq_job_begin(&job, &row, o, log);
	(void)merge(&job);
	row.wall_ns = (uint64_t)(progress_now_ns() - job.begin_ns);
	report_row(&r, &row);
	gq_job_free(&job);
	return report_end(&r, &row);
}
