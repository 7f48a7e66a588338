/* first_program [BACKEND [QUEUE]]: runs first_program.h where BACKEND says (auto, cpu, cuda) and checks
 * what comes out. With -DWITH_CUDA, first_program.cu is linked in too. */
#include <stdio.h>
#include "first_program.h"

#ifdef WITH_CUDA
extern const sched_program area_cuda_program;
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
	sched_options o;
	sched_run_options ro;
	sched_ctx *ctx = NULL;
	sched_run *run = NULL;
	sched_stats stats;
	sched_status st;
	int cuda;

	sched_options_init(&o);
	sched_run_options_init(&ro);
#ifndef WITH_CUDA
	o.backend = SCHED_BACKEND_CPU;
#endif
	ro.max_tasks = 1; /* roots: the whole interval */
	if ((argc > 1 && sched_backend_parse(argv[1], &o.backend)) ||
		(argc > 2 && sched_queue_parse(argv[2], &ro.queue)) ||
		sched_open(&ctx, &o, why, sizeof(why)) != SCHED_OK) {
		fprintf(stderr, "%s\n", why);
		return 2;
	}
	cuda = sched_ctx_backend(ctx) == SCHED_BACKEND_CUDA;
	st = sched_mem_alloc(ctx, &memory, sizeof(intervals)); /* zero */
	area.intervals = (uint32_t *)memory;
	if (st == SCHED_OK)
		st = sched_run_create(
			&run, ctx, cuda ? &area_cuda_program : &area_cpu_program, &ro);
	if (st == SCHED_OK)
		st = sched_run_start(run, &area, 1, NULL);
	if (st == SCHED_OK)
		st = sched_run_finish(run, &stats);
	if (st == SCHED_OK)
		st = sched_mem_read(ctx, &intervals, memory, sizeof(intervals));
	if (st == SCHED_OK) {
		value = (double)stats.value / AREA_UNIT;
		error = value > right ? value - right : right - value;
		printf("%.9f from %u intervals, wrong by %.0e, in %.1f ms on %s\n", value,
			intervals, error, (double)stats.elapsed_ns / 1e6,
			sched_ctx_device_name(ctx));
		if (error > 1e-8 || stats.tasks != 2 * (uint64_t)intervals - 1)
			st = SCHED_ERR_TASK_FAILED;
	} else {
		fprintf(stderr, "%s\n", sched_last_error(ctx));
	}
	sched_run_destroy(&run);
	sched_mem_free(ctx, memory);
	sched_close(&ctx);
	return st == SCHED_OK ? 0 : 1;
}
