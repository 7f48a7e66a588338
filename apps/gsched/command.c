/* What every measuring command does: open the device, make the load, measure, write. */
#include "apps/gsched/commands.h"
#include "apps/gsched/output.h"

#include <errno.h>
#include <string.h>

/* Text to standard output, unless a file goes there. */
static int write_all(const gs_table *t, const gs_options *o, logger *log)
{
	const struct {
		const char *path;
		void (*write)(const gs_table *, FILE *);
	} files[] = { { o->json, output_json }, { o->csv, output_csv }, { o->svg, output_svg } };
	int taken = o->quiet, bad = 0;
	char msg[600];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		taken |= files[i].path && strcmp(files[i].path, "-") == 0;
	taken |= o->trace && strcmp(o->trace, "-") == 0;
	if (!taken && output_file("-", output_text, t, msg, sizeof(msg))) {
		log_print(log, LOG_LEVEL_ERROR, "%s", msg);
		bad = 1;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].path &&
			output_file(files[i].path, files[i].write, t, msg, sizeof(msg))) {
			log_print(log, LOG_LEVEL_ERROR, "%s", msg);
			bad = 1;
		}
	return bad ? -1 : 0;
}

static int put_text(void *opaque, const char *text, size_t bytes)
{
	return fwrite(text, 1, bytes, opaque) == bytes ? 0 : -1;
}

/* The table has one row. */
static int write_trace(gs_table *t, gs_load *l, gs_device *d, const gs_options *o, logger *log)
{
	const char *dot = strrchr(o->trace, '.');
	const int to_stdout = strcmp(o->trace, "-") == 0;
	FILE *f = to_stdout ? stdout : fopen(o->trace, "we");
	int bad = 1, failed;

	if (f)
		bad = measure_trace(
			&t->rows[0], l, d, o, dot && strcmp(dot, ".svg") == 0, put_text, f);
	failed = !f || fflush(f) != 0 || ferror(f);
	if (failed || bad)
		log_print(log, LOG_LEVEL_ERROR, "%s: %s", o->trace,
			failed ? strerror(errno ? errno : EIO) : t->rows[0].why);
	if (f && !to_stdout && fclose(f) != 0)
		bad = 1;
	return failed || bad ? -1 : 0;
}

int command_measure(gs_command command, const load_maker *m, const gs_options *o, logger *log)
{
	int code = CLI_EXIT_FAILED;
	char msg[600] = "";
	gs_table t;
	gs_device d;
	gs_load l;

	memset(&t, 0, sizeof(t));
	memset(&l, 0, sizeof(l));
	t.command = command;
	if (device_open(&d, o, msg, sizeof(msg))) {
		log_print(log, LOG_LEVEL_ERROR, "%s", msg);
		return CLI_EXIT_FAILED;
	}
	if (m->make(&l, &d, o, msg, sizeof(msg))) {
		log_print(log, LOG_LEVEL_ERROR, "%s", msg);
	} else {
		if (measure(&t, &l, &d, o, log) == 0)
			code = CLI_EXIT_OK;
		if (t.rows && write_all(&t, o, log))
			code = CLI_EXIT_FAILED;
		if (o->trace && code == CLI_EXIT_OK && write_trace(&t, &l, &d, o, log))
			code = CLI_EXIT_FAILED;
	}
	table_free(&t);
	m->unmake(&l, &d);
	device_close(&d);
	return code;
}
