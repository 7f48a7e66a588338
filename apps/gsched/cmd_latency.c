/* gsched latency: messages, launches, releases and clocks of a device, as text or as JSON. */
#include "apps/common/outfile.h"
#include "apps/gsched/commands.h"
#include "apps/gsched/device.h"
#include "libsched/core/json.h"

#include <stdio.h>

static void print_text(const lat_table *t, const char *name, FILE *f)
{
	fprintf(f, "latencies on %s\n%-56s %10s %10s %10s\n", name, "", "median", "99 %", "least");
	for (uint32_t i = 0; i < t->count; i++) {
		const lat_figure *r = &t->row[i];

		fprintf(f, "%-56s %10.3f %10.3f %10.3f %s\n", r->what, r->median, r->p99, r->least,
			r->unit);
	}
}

static void print_json(const lat_table *t, const char *name, int interrupted, FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, f);
	j.padded = 1;
	lsched_i_json_object(&j, NULL);
	lsched_i_json_text(&j, "device", name);
	lsched_i_json_bool(&j, "interrupted", interrupted);
	lsched_i_json_array(&j, "latencies");
	for (uint32_t i = 0; i < t->count; i++) {
		const lat_figure *r = &t->row[i];

		lsched_i_json_line_object(&j, NULL);
		lsched_i_json_text(&j, "name", r->name);
		lsched_i_json_text(&j, "what", r->what);
		lsched_i_json_text(&j, "unit", r->unit);
		lsched_i_json_fixed(&j, "median", r->median, 3);
		lsched_i_json_fixed(&j, "p99", r->p99, 3);
		lsched_i_json_fixed(&j, "least", r->least, 3);
		lsched_i_json_uint(&j, "samples", r->samples);
		lsched_i_json_close(&j);
	}
	lsched_i_json_line_close(&j);
	lsched_i_json_close(&j);
	(void)lsched_i_json_end(&j); /* closing the file reports its errors */
}

int measure_latencies(const gs_options *o, uint32_t samples, lat_table *t, char *name,
	size_t name_bytes, char *msg, size_t msg_bytes)
{
	gs_options one = *o;
	wl_device d;
	int bad;

	/* one worker: threads that wait for work would delay the two that are measured */
	one.workers = "1";
	t->count = 0;
	bad = device_open(&d, &one, msg, msg_bytes);
	if (!bad) {
		snprintf(name, name_bytes, "%s", lsched_ctx_device_name(d.ctx));
		bad = lat_measure(&d, samples, t, msg, msg_bytes);
	}
	device_close(&d);
	return bad;
}

int command_latency(const gs_options *o, logger *log)
{
	enum { TIMEOUT_MS = 10000 };
	char msg[600], name[OUTFILE_WHY_BYTES];
	gs_options limited = *o;
	lat_table t;
	int bad;

	limited.timeout_ms = TIMEOUT_MS;
	bad = measure_latencies(&limited, o->samples, &t, name, sizeof(name), msg, sizeof(msg));
	if (bad < 0)
		return log_fail(log, CLI_EXIT_FAILED, msg);
	if (o->as_json)
		print_json(&t, name, bad == WL_STOPPED, stdout);
	else if (!o->quiet)
		print_text(&t, name, stdout);
	return outfile_flush_stdout(log) || bad ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}
