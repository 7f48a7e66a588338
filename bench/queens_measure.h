/* One figure of queens_bench: repeated runs of a method, medians, ncu. */
#ifndef BENCH_QUEENS_MEASURE_H
#define BENCH_QUEENS_MEASURE_H

#include <stdio.h>
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "bench/bench.h"
#include "libsched/core/json.h"

enum { MOST_REPEATS = 31 };

/* Options and results of the program. */
typedef struct queens_bench {
	FILE *json;
	lsched_i_json writer; /* to json */
	const char *self, *commit, *gqueens;
	lsched_device_info gpu;
	int quick, repeat, no_ncu, has_ncu, failed;
} queens_bench;

extern queens_bench bench;

typedef struct figure {
	nq_method method;
	nq_backend backend;
	lsched_queue queue;
	uint32_t n, by_queue;
	double seconds, whole_s, cpu_s;
	uint64_t nodes;
	double instructions, int_share; /* 0: not measured */
	int right;                      /* the count is the published one */
} figure;

/* Counts once; fills in nodes, whole_s, cpu_s and right. *seconds: kernel time of CUDA, else
 * whole_s. Prints the reason of a failure. */
nq_status count_once(figure *f, double *seconds);

/* Counts bench.repeat times, prints and records the medians. ncu: also run ncu if there is one. */
void measure(nq_method method, nq_backend backend, lsched_queue queue, uint32_t by_queue,
	uint32_t n, int ncu);

/* The members that all records of the JSON report share. */
void begin_record(const char *method, const char *backend, const char *queue, uint32_t n);
void end_record(int right);

#endif
