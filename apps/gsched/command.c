/* The part that all measuring commands share: opens the device, creates the load, measures and
 * writes the table. */
#include "apps/gsched/commands.h"
#include "apps/gsched/output.h"
#include "apps/common/outfile.h"
#include "apps/common/stop.h"

#include <string.h>

/* Files that receive the table, besides standard output: --json, --csv, --svg. */
enum { FILES = 3 };

typedef struct reports {
	outfile table[FILES], trace;
} reports;

/* Checks that the workload's own files can be written. Returns 0, or -1 with msg. */
static int check_outputs(const gs_command *c, const gs_options *o, char *msg)
{
	int bad = 0;

	for (const wl_param *p = c->type->params; p && p->name && !bad; p++) {
		const char *path = NULL;

		if (p->kind == WL_OUTPUT)
			memcpy(&path, (const char *)o->work + p->field, sizeof(path));
		if (path)
			bad = outfile_check(path, o->overwrite, msg);
	}
	return bad;
}

/* Opens the files, with `is_check` only checks that they can be opened. Returns 0, or -1 with
 * msg. */
static int open_reports(reports *r, const gs_options *o, int is_check, char *msg)
{
	const char *const paths[] = { o->json, o->csv, o->svg, o->trace };
	int bad = 0;

	for (size_t i = 0; i <= FILES && !bad; i++) {
		outfile *f = i < FILES ? &r->table[i] : &r->trace;

		if (paths[i])
			bad = is_check ? outfile_check(paths[i], o->overwrite, msg)
				       : outfile_open(f, paths[i], o->overwrite, msg);
	}
	return bad;
}

/* Creates the load. Its files may be pipes, and it may take minutes to make; there is no output yet
 * that a signal would cut off. */
static int create_work(
	const gs_command *c, wl_work *l, wl_device *d, const gs_options *o, char *msg, size_t bytes)
{
	int bad;

	stop_at_once(1);
	bad = c->type->create(l, d, o->work, msg, bytes);
	stop_at_once(0);
	return bad;
}

/* Whether standard output has no text: an option uses it, or --quiet. */
static int is_silent(const reports *r, const gs_options *o)
{
	int used = o->quiet || (o->trace && strcmp(o->trace, "-") == 0);

	for (size_t i = 0; i < FILES; i++)
		used |= r->table[i].to == stdout;
	return used;
}

/* Writes text to standard output. Returns nonzero after an error. */
static int write_text(const gs_table *t, void (*write)(const gs_table *, FILE *), logger *log)
{
	outfile text = { 0 };

	if (outfile_open_log(&text, "-", 1, log))
		return 0;
	write(t, text.to);
	return outfile_close_log(&text, 1, log);
}

/* Writes the table to the files. Returns nonzero after an error. */
static int write_files(const gs_table *t, reports *r, logger *log)
{
	static void (*const write[FILES])(
		const gs_table *, FILE *) = { output_json, output_csv, output_svg };
	int bad = 0;

	for (size_t i = 0; i < FILES; i++) {
		if (!r->table[i].to)
			continue;
		write[i](t, r->table[i].to);
		bad |= outfile_close_log(&r->table[i], 1, log);
	}
	return bad;
}

/* Measures and writes the timeline and the statistics of procedures of the last row:
 * gs_options_check() accepts --trace and --stats for a table of one row only, beside the program
 * without libsched. Returns nonzero after an error. */
static int write_trace(
	gs_table *t, wl_work *l, wl_device *d, const gs_options *o, outfile *f, logger *log)
{
	gs_row r = t->rows[t->row_count - 1]; /* the table keeps its own */
	const char *path = f->to ? f->path : "--stats";
	gs_procedures p = { 0 };
	const int bad = measure_trace(
		&r, l, d, o, &p, f->to && outfile_is_svg(path), f->to ? outfile_put : NULL, f->to);

	if (o->stats)
		t->procedures = p;
	/* A write error is reported here, because its message is more precise than the row's. */
	if (outfile_close_log(f, !bad, log))
		return -1;
	if (bad)
		log_print(log, LOG_LEVEL_ERROR, "%s: %s", path, r.why);
	else if (o->stats && p.count == 0)
		log_print(log, LOG_LEVEL_WARN, "--stats: the load has tasks, but no procedures");
	return bad;
}

/* Writes all that the options name; with `more` after one more execution, for the timeline and the
 * statistics of procedures. Returns nonzero after an error. */
static int write_reports(gs_table *t, wl_work *l, wl_device *d, const gs_options *o, reports *r,
	int more, logger *log)
{
	const int silent = is_silent(r, o);
	int bad = silent ? 0 : write_text(t, output_text, log);

	if (more && (r->trace.to || o->stats))
		bad |= write_trace(t, l, d, o, &r->trace, log);
	if (t->procedures.count && !silent)
		bad |= write_text(t, output_procedures, log);
	return bad | write_files(t, r, log);
}

/* Closes the files that were not written, and removes them. */
static void discard_reports(reports *r)
{
	char msg[OUTFILE_WHY_BYTES];

	for (size_t i = 0; i < FILES; i++)
		(void)outfile_close(&r->table[i], 0, msg);
	(void)outfile_close(&r->trace, 0, msg);
}

int command_measure(const gs_command *command, const gs_options *o, logger *log)
{
	int code = CLI_EXIT_FAILED;
	char msg[OUTFILE_WHY_BYTES] = "";
	reports files = { 0 };
	gs_table t;
	wl_device d;
	wl_work l;

	memset(&t, 0, sizeof(t));
	memset(&l, 0, sizeof(l));
	t.command = *command;
	/* A wrong name is an error before the load is made, which may take long. */
	if (open_reports(&files, o, 1, msg) || check_outputs(command, o, msg) ||
		device_open(&d, o, msg, sizeof(msg))) {
		log_print(log, LOG_LEVEL_ERROR, "%s", msg);
		discard_reports(&files);
		return CLI_EXIT_FAILED;
	}
	*msg = '\0';
	if (create_work(command, &l, &d, o, msg, sizeof(msg)) || open_reports(&files, o, 0, msg)) {
		log_print(log, LOG_LEVEL_ERROR, "%s", msg);
	} else {
		if (*msg)
			log_print(log, LOG_LEVEL_WARN, "%s", msg);
		if (measure(&t, &l, &d, o, log) == 0)
			code = CLI_EXIT_OK;
		if (code == CLI_EXIT_OK && l.write && !t.rows[t.row_count - 1].plain &&
			l.write(&l, &d, msg, sizeof(msg)))
			code = log_fail(log, CLI_EXIT_FAILED, msg);
		if (t.rows && write_reports(&t, &l, &d, o, &files, code == CLI_EXIT_OK, log))
			code = CLI_EXIT_FAILED;
	}
	discard_reports(&files);
	table_free(&t);
	wl_destroy(command->type, &l, &d);
	device_close(&d);
	return code;
}
