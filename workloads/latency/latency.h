/* Latencies between the host and the workers of a device: messages through memory of the host,
 * launches, releases, clocks. They bound what a resident run can gain over launches (Steinberger et
 * al. 2012, section 6.1). One thread measures at a time. */
#ifndef WORKLOADS_LATENCY_LATENCY_H
#define WORKLOADS_LATENCY_LATENCY_H

#ifdef __cplusplus
extern "C" {
#endif

#include "workloads/common/workload.h"

typedef struct lat_figure {
	const char *name;          /* a word: "round-trip" */
	const char *what;          /* one line */
	const char *unit;          /* "us" or "ppm" */
	double least, median, p99; /* of the samples, by the nearest rank; never negative */
	uint32_t samples;
} lat_figure;

enum { LAT_MAX_FIGURES = 24, LAT_MIN_SAMPLES = 2, LAT_MAX_SAMPLES = 100000 };

typedef struct lat_table {
	lat_figure row[LAT_MAX_FIGURES];
	uint32_t count;
	uint32_t samples; /* of each figure but those of clocks */
	double *sample;   /* [samples] of the figure that is measured; NULL after lat_measure() */
	const wl_device *d;
} lat_table;

/* Measures all figures of the device's backend, each with LAT_MIN_SAMPLES to LAT_MAX_SAMPLES
 * samples. Returns 0; -1 with msg; WL_STOPPED: the table has the figures measured until then. */
int lat_measure(const wl_device *d, uint32_t samples, lat_table *t, char *msg, size_t n);

/* Returns the figure of that name, or NULL if it was not measured. */
const lat_figure *lat_find(const lat_table *t, const char *name);

/* For the backends: sorts t->sample[0 .. n - 1], n > 0, and appends a figure. The texts are
 * literals. One more than LAT_MAX_FIGURES is dropped. */
void lat_add(lat_table *t, const char *name, const char *what, const char *unit, uint32_t n);

/* The backends; as lat_measure(), on a table with memory for the samples. */
int lat_cpu(lat_table *t, char *msg, size_t n);
int lat_cuda(lat_table *t, char *msg, size_t n);

/* A request that ends the other side. */
#define LAT_LEAVE UINT32_MAX

/* A side gives up after so long without a word from the other one. */
#define LAT_LOST_NS UINT64_C(2000000000)

#ifdef __cplusplus
}
#endif

#endif
