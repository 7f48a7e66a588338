/* Tests of jobs that run on either backend: jobs_test.c on threads, jobs_gpu_test.c on a device. */
#ifndef TESTS_LIBSCHED_JOBS_SUITE_H
#define TESTS_LIBSCHED_JOBS_SUITE_H

#include <CUnit/CUnit.h>
#include "tests/common/sched_setup.h"
#include "tests/libsched/jobs_programs.h"

typedef struct jobs_place {
	lsched_ctx *ctx;
	const lsched_program *work, *crew;
	lsched_ctx *other; /* a context of CPU threads, for a second member */
	const lsched_program *other_work;
	uint32_t workers;        /* of most tests; 0: all */
	uint32_t crew_threads;   /* of a block item */
	uint64_t clock_error_ns; /* of the member's clock */
	uint32_t posts;          /* of each thread in the random test */
	uint32_t returns;        /* posts to a member that is leaving */
} jobs_place_type;

extern jobs_place_type jobs_place;

/* A service with the memory of its program, opened by the tests of all files. */
typedef struct jobs_service {
	lsched_jobs *jobs;
	work_ctx c;
	uint32_t numbers;
} jobs_service;

/* Opens a service for so many numbers; workers 0: jobs_place.workers. Returns the status. */
lsched_status service_open(jobs_service *s, const lsched_program *program, uint32_t numbers,
	uint32_t workers, lsched_jobs_options o);
/* Closes it; returns the status. */
lsched_status service_close(jobs_service *s, lsched_stats *stats);
/* Posts a job with arguments of jobs_programs.h; returns the status. */
lsched_status service_post(jobs_service *s, lsched_job_desc d, uint32_t what, uint32_t base,
	uint32_t depth, lsched_job *job);
/* Waits until a job's progress is at least 1. */
void service_wait_begun(jobs_service *s, lsched_job job);
/* Returns the number of jobs with units. */
uint32_t service_units(const jobs_service *s);
const char *service_error(jobs_service *s);
/* Returns a word of the member's memory, of 4 or 8 bytes, which workers may change. */
uint64_t service_read(const void *word, size_t bytes);

/* So many roots, the members given, and the defaults of the others. */
#define JOB(n, ...)                                                  \
	((lsched_job_desc){ .struct_bytes = sizeof(lsched_job_desc), \
		.roots = (n),                                        \
		.member = -1,                                        \
		__VA_ARGS__ })
#define JOBS_OPTIONS(...) \
	((lsched_jobs_options){ .struct_bytes = sizeof(lsched_jobs_options), __VA_ARGS__ })

extern CU_TestInfo jobs_tests[], jobs_failure_tests[], jobs_order_tests[], jobs_depend_tests[],
	jobs_time_tests[], jobs_member_tests[], jobs_random_tests[], jobs_stats_tests[];
#endif
