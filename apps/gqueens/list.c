/* --list: what there is to choose from. */
#include <libsched/sched.h>
#include "apps/gqueens/commands.h"
#include "apps/gqueens/output.h"

#include <inttypes.h>

static const char *const method_texts[] = {
	"what is fastest for this N",
	"each board is a task that spawns the next ones, under any --queue",
	"subtrees, several boards side by side; any N to 32, given queens, the torus",
	"quarters of the board are listed and joined; N from 4 to 22",
};

static void put_json(FILE *f)
{
	const int devices = lsched_device_count();

	fprintf(f, "{\n \"methods\": [");
	for (int m = 0; nq_method_name((nq_method)m); m++)
		fprintf(f, "%s\"%s\"", m ? ", " : "", nq_method_name((nq_method)m));
	fprintf(f, "],\n \"simd\": [");
	for (int s = 0, n = 0; nq_simd_name((nq_simd)s); s++)
		if (nq_simd_usable((nq_simd)s))
			fprintf(f, "%s\"%s\"", n++ ? ", " : "", nq_simd_name((nq_simd)s));
	fprintf(f, "],\n \"queues\": [");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		fprintf(f, "%s\"%s\"", q ? ", " : "", lsched_queue_name((lsched_queue)q));
	fprintf(f, "],\n \"devices\": [");
	for (int i = 0, n = 0; i < devices; i++) {
		lsched_device_info info;

		if (lsched_device_get_info(i, &info) != LSCHED_OK)
			continue;
		fprintf(f, "%s\n  { \"number\": %d, ", n++ ? "," : "", i);
		output_json_text(f, "name", info.name);
		fprintf(f, ", \"sms\": %d, \"memory_bytes\": %" PRIu64 " }", info.sm_count,
			info.memory_bytes);
	}
	fprintf(f, "\n ]\n}\n");
}

static void put_text(FILE *f)
{
	const int devices = lsched_device_count();

	fprintf(f, "Methods (--method)\n");
	for (int m = 0; nq_method_name((nq_method)m); m++)
		fprintf(f, "  %-10s  %s\n", nq_method_name((nq_method)m), method_texts[m]);
	fprintf(f, "\nInstructions of this processor (--simd)\n ");
	for (int s = 0; nq_simd_name((nq_simd)s); s++)
		if (nq_simd_usable((nq_simd)s))
			fprintf(f, " %s", nq_simd_name((nq_simd)s));
	fprintf(f, "\n\nQueues (--queue)\n ");
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		fprintf(f, " %s", lsched_queue_name((lsched_queue)q));
	fprintf(f, "\n\nCUDA devices (--device)\n");
	for (int i = 0; i < devices; i++) {
		lsched_device_info info;

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

	if (output_open(&f, o->json_path ? o->json_path : "-", o, log))
		return CLI_EXIT_FAILED;
	if (o->json_path)
		put_json(f.to);
	else
		put_text(f.to);
	return output_close(&f, NULL, log) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}
