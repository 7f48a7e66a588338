/* gsched list: devices, queues, dependency schemes and workloads, as text or as JSON. */
#include "apps/gsched/commands.h"
#include "apps/common/outfile.h"
#include "libsched/core/json.h"

#include <stdio.h>
#include <string.h>

static void put_devices(lsched_i_json *j)
{
	const int devices = lsched_device_count();

	lsched_i_json_array(j, "devices");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info = { .struct_bytes = sizeof(info) };
		char capability[24];

		if (lsched_device_get_info(i, &info) != LSCHED_OK)
			continue;
		snprintf(capability, sizeof(capability), "%d.%d", info.cc_major, info.cc_minor);
		lsched_i_json_line_object(j, NULL);
		lsched_i_json_sint(j, "number", i);
		lsched_i_json_text(j, "name", info.name);
		lsched_i_json_sint(j, "sms", info.sm_count);
		lsched_i_json_text(j, "compute_capability", capability);
		lsched_i_json_uint(j, "memory_bytes", info.memory_bytes);
		lsched_i_json_sint(j, "clock_khz", info.clock_khz);
		lsched_i_json_close(j);
	}
	lsched_i_json_line_close(j);
}

static void put_name(lsched_i_json *j, const char *name, const char *text)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_text(j, "name", name);
	lsched_i_json_text(j, "text", text);
	lsched_i_json_close(j);
}

static void put_workloads(lsched_i_json *j)
{
	lsched_i_json_line_array(j, "workloads");
	for (size_t i = 0; wl_types[i]; i++) {
		const char *text = wl_types[i]->summary;
		char line[160];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		put_name(j, wl_types[i]->name, line);
	}
	lsched_i_json_line_close(j);
}

static void print_json(FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, f);
	j.padded = 1;
	lsched_i_json_object(&j, NULL);
	lsched_i_json_line(&j);
	put_devices(&j);
	lsched_i_json_line_array(&j, "queues");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		put_name(&j, lsched_queue_name((lsched_queue)q), gs_queue_text((lsched_queue)q));
	lsched_i_json_line_close(&j);
	lsched_i_json_line_array(&j, "schemes");
	for (int s = 0; lsched_scheme_name((lsched_scheme)s); s++)
		put_name(
			&j, lsched_scheme_name((lsched_scheme)s), gs_scheme_text((lsched_scheme)s));
	lsched_i_json_line_close(&j);
	put_workloads(&j);
	lsched_i_json_line_close(&j);
	(void)lsched_i_json_end(&j); /* closing the file reports its errors */
}

static void print_text(FILE *f)
{
	const int devices = lsched_device_count();

	fprintf(f, "Devices\n  cpu         threads; --workers sets their number\n");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info = { .struct_bytes = sizeof(info) };

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
	fprintf(f, "\nQueues (--queue): storage and order of ready tasks\n");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		fprintf(f, "  %-10s  %s\n", lsched_queue_name((lsched_queue)q),
			gs_queue_text((lsched_queue)q));
	fprintf(f, "\nSchemes (--sched): the rule by which a task becomes ready\n");
	for (int s = 0; lsched_scheme_name((lsched_scheme)s); s++)
		fprintf(f, "  %-10s  %s\n", lsched_scheme_name((lsched_scheme)s),
			gs_scheme_text((lsched_scheme)s));
	fprintf(f, "\nWorkloads (gsched run)\n");
	for (size_t i = 0; wl_types[i]; i++)
		fprintf(f, "  %-10s  %.*s\n", wl_types[i]->name,
			(int)strcspn(wl_types[i]->summary, "\n"), wl_types[i]->summary);
}

/* Prints the values of --queue, one per line, for the completion script. */
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
	return outfile_flush_stdout(log);
}
