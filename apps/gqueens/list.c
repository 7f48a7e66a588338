/* The command --list: methods, instruction sets, queues, devices. */
#include <libsched/sched.h>
#include "apps/gqueens/commands.h"
#include "apps/gqueens/output.h"

static const char *const method_texts[] = {
	"the fastest for this N",
	"each node is a task that spawns its children, under any --queue",
	"depth-first search of subtrees; N to 32, given queens, torus",
	"lists the placements of board quarters and joins them; N from 4 to 28",
};

static void put_devices(lsched_i_json *j)
{
	const int devices = lsched_device_count();
	int any = 0;

	lsched_i_json_line_array(j, "devices");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info = { .struct_bytes = sizeof(info) };

		if (lsched_device_get_info(i, &info) != LSCHED_OK)
			continue;
		any = 1;
		lsched_i_json_line_object(j, NULL);
		lsched_i_json_sint(j, "number", i);
		lsched_i_json_text(j, "name", info.name);
		lsched_i_json_sint(j, "sms", info.sm_count);
		lsched_i_json_uint(j, "memory_bytes", info.memory_bytes);
		lsched_i_json_close(j);
	}
	if (any)
		lsched_i_json_line(j);
	lsched_i_json_close(j);
}

static void put_json(FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, f);
	j.padded = 1;
	lsched_i_json_object(&j, NULL);
	lsched_i_json_line_array(&j, "methods");
	for (int m = 0; nq_method_name((nq_method)m); m++)
		lsched_i_json_text(&j, NULL, nq_method_name((nq_method)m));
	lsched_i_json_close(&j);
	lsched_i_json_line_array(&j, "simd");
	for (int s = 0; nq_simd_name((nq_simd)s); s++)
		if (nq_simd_usable((nq_simd)s))
			lsched_i_json_text(&j, NULL, nq_simd_name((nq_simd)s));
	lsched_i_json_close(&j);
	lsched_i_json_line_array(&j, "queues");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		lsched_i_json_text(&j, NULL, lsched_queue_name((lsched_queue)q));
	lsched_i_json_close(&j);
	put_devices(&j);
	lsched_i_json_line_close(&j);
	(void)lsched_i_json_end(&j); /* closing the file reports its errors */
}

static void put_text(FILE *f)
{
	const int devices = lsched_device_count();

	fprintf(f, "Methods (--method)\n");
	for (int m = 0; nq_method_name((nq_method)m); m++)
		fprintf(f, "  %-10s  %s\n", nq_method_name((nq_method)m), method_texts[m]);
	fprintf(f, "\nInstruction sets of this processor (--simd)\n ");
	for (int s = 0; nq_simd_name((nq_simd)s); s++)
		if (nq_simd_usable((nq_simd)s))
			fprintf(f, " %s", nq_simd_name((nq_simd)s));
	fprintf(f, "\n\nQueues (--queue)\n ");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		fprintf(f, " %s", lsched_queue_name((lsched_queue)q));
	fprintf(f, "\n\nCUDA devices (--device)\n");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info = { .struct_bytes = sizeof(info) };

		if (lsched_device_get_info(i, &info) == LSCHED_OK)
			fprintf(f, "  %-10d  %s, %d SMs, %.1f GiB\n", i, info.name, info.sm_count,
				(double)info.memory_bytes / (1024.0 * 1024.0 * 1024.0));
	}
	if (devices == 0)
		fprintf(f, "  none\n");
}

int gq_command_list(const gq_options *o, logger *log)
{
	outfile f;

	if (outfile_open_log(&f, o->json_path ? o->json_path : "-", o->overwrite, log))
		return CLI_EXIT_FAILED;
	if (o->json_path)
		put_json(f.to);
	else
		put_text(f.to);
	return output_close(&f, NULL, log) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}
