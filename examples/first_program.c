/* first_program [BACKEND [QUEUE]]: runs first_program.h on BACKEND (auto, cpu, cuda) and checks the
 * result. With -DWITH_CUDA, first_program.cu is linked, too. */
#include <stdio.h>
#include "first_program.h"

#ifdef WITH_CUDA
extern const lsched_program area_cuda_program;
#else
#define area_cuda_program area_cpu_program
#endif

int main(int argc, char **argv)
{
	const double right = 1.5707963267948966 - 1e-3 + 1e-9 / 3; /* the arc tangent of 1000 */
	char why[256] = "usage: first_program [BACKEND [QUEUE]]";
	area_ctx area = { 1e-14, NULL };
	uint32_t intervals;
	double value, error;
	void *memory = NULL;
	lsched_options o;
	lsched_run_options ro;
	lsched_ctx *ctx = NULL;
	lsched_run *run = NULL;
	lsched_stats stats;
	lsched_status st;
	int cuda;

	lsched_options_init(&o);
	lsched_stats_init(&stats);
	lsched_run_options_init(&ro);
#ifndef WITH_CUDA
	o.backend = LSCHED_BACKEND_CPU;
#endif
	ro.max_tasks = 1; /* roots: the whole interval */
	if ((argc > 1 && lsched_backend_parse(argv[1], &o.backend)) ||
		(argc > 2 && lsched_queue_parse(argv[2], &ro.queue)) ||
		lsched_open(&ctx, &o, why, sizeof(why)) != LSCHED_OK) {
		fprintf(stderr, "%s\n", why);
		return 2;
	}
	cuda = lsched_ctx_backend(ctx) == LSCHED_BACKEND_CUDA;
	st = lsched_mem_alloc(ctx, &memory, sizeof(intervals)); /* zero */
	area.intervals = (uint32_t *)memory;
	if (st == LSCHED_OK)
		st = lsched_run_create(
			&run, ctx, cuda ? &area_cuda_program : &area_cpu_program, &ro);
	if (st == LSCHED_OK)
		st = lsched_run_start(run, &area, 1, NULL);
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, &stats);
	if (st == LSCHED_OK)
		st = lsched_mem_read(ctx, &intervals, memory, sizeof(intervals));
	if (st == LSCHED_OK) {
		value = (double)stats.value / AREA_UNIT;
		error = value > right ? value - right : right - value;
		printf("%.9f from %u intervals, wrong by %.0e, in %.1f ms on %s\n", value,
			intervals, error, (double)stats.elapsed_ns / 1e6,
			lsched_ctx_device_name(ctx));
		if (error > 1e-8 || stats.tasks != 2 * (uint64_t)intervals - 1)
			st = LSCHED_ERR_TASK_FAILED;
	} else {
		fprintf(stderr, "%s\n", lsched_last_error(ctx));
	}
	lsched_run_destroy(&run);
	lsched_mem_free(ctx, memory);
	lsched_close(&ctx);
	return st == LSCHED_OK ? 0 : 1;
}
