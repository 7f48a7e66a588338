/* gsched list: what there is to choose from. */
#include "apps/gsched/commands.h"
#include "apps/gsched/output.h"

#include <inttypes.h>
#include <stdio.h>

static void print_json(FILE *f)
{
	const int devices = lsched_device_count();

	fprintf(f, "{\n \"devices\": [");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info;

		if (lsched_device_get_info(i, &info) != LSCHED_OK)
			continue;
		fprintf(f, "%s\n  { \"number\": %d, ", i ? "," : "", i);
		output_json_text(f, "name", info.name);
		fprintf(f,
			", \"sms\": %d, \"compute_capability\": \"%d.%d\", "
			"\"memory_bytes\": %" PRIu64 ", \"clock_khz\": %d }",
			info.sm_count, info.cc_major, info.cc_minor, info.memory_bytes,
			info.clock_khz);
	}
	fprintf(f, "\n ],\n \"queues\": [");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
		fprintf(f, "%s\n  { ", q ? "," : "");
		output_json_text(f, "name", lsched_queue_name((lsched_queue)q));
		fprintf(f, ", ");
		output_json_text(f, "text", gs_queue_text((lsched_queue)q));
		fprintf(f, " }");
	}
	fprintf(f, "\n ],\n \"schemes\": [");
	for (int s = 0; lsched_scheme_name((lsched_scheme)s); s++) {
		fprintf(f, "%s\n  { ", s ? "," : "");
		output_json_text(f, "name", lsched_scheme_name((lsched_scheme)s));
		fprintf(f, ", ");
		output_json_text(f, "text", gs_scheme_text((lsched_scheme)s));
		fprintf(f, " }");
	}
	fprintf(f, "\n ]\n}\n");
}

static void print_text(FILE *f)
{
	const int devices = lsched_device_count();

	fprintf(f, "Devices\n  cpu         as many threads as --workers says\n");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info;

		if (lsched_device_get_info(i, &info) == LSCHED_OK)
			fprintf(f,
				"  cuda %-5d  %s, %d SMs, compute capability %d.%d, %.1f GiB, "
				"%.2f GHz\n",
				i, info.name, info.sm_count, info.cc_major, info.cc_minor,
				(double)info.memory_bytes / (1024.0 * 1024.0 * 1024.0),
				(double)info.clock_khz * 1e-6);
	}
	if (devices == 0)
		fprintf(f, "  cuda        none\n");
	fprintf(f, "\nQueues (--queue): where ready work waits\n");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		fprintf(f, "  %-10s  %s\n", lsched_queue_name((lsched_queue)q),
			gs_queue_text((lsched_queue)q));
	fprintf(f, "\nSchemes (--sched): when work is ready\n");
	for (int s = 0; lsched_scheme_name((lsched_scheme)s); s++)
		fprintf(f, "  %-10s  %s\n", lsched_scheme_name((lsched_scheme)s),
			gs_scheme_text((lsched_scheme)s));
}

/* For completion. */
static void print_names(FILE *f)
{
	fprintf(f, "all\n");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		fprintf(f, "%s\n", lsched_queue_name((lsched_queue)q));
}

int command_list(const gs_options *o, logger *log)
{
	if (o->names)
		print_names(stdout);
	else if (o->as_json)
		print_json(stdout);
	else
		print_text(stdout);
	if (fflush(stdout) == 0)
		return CLI_EXIT_OK;
	log_print(log, LOG_LEVEL_ERROR, "standard output cannot be written");
	return CLI_EXIT_FAILED;
}
