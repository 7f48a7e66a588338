/* A service of jobs (<libsched/jobs.h>) under a load of requests: one client posts short urgent
 * jobs, due at random times, beside a long job that occupies all workers. One thread measures at a
 * time. */
#ifndef WORKLOADS_SERVICE_SERVICE_H
#define WORKLOADS_SERVICE_SERVICE_H

#include <libsched/jobs.h>
#include "workloads/common/workload.h"

enum { SVC_MAX_REQUESTS = 1000000, SVC_MAX_US = 10000000 };

/* The kinds of jobs. */
enum { SVC_REQUEST, SVC_LONG, SVC_KINDS };
extern const char *const svc_kinds[LSCHED_JOB_KINDS];

typedef struct svc_load {
	uint32_t requests; /* 1 to SVC_MAX_REQUESTS */
	double rate;       /* requests a second, at random times; 0: one after the other */
	uint32_t work_us;  /* of the body of a request */
	uint32_t body_us;  /* of the bodies of the long job on average, each half of it to one and
			       * a half; 0: no long job */
	uint32_t deadline_us; /* of a request, from the time when it is due; 0: none */
	uint32_t seed;        /* of the times */
	/* Receives the timeline of the jobs; NULL: none is recorded. With it the long job sends
	 * messages. */
	lsched_write_fn write;
	void *file;
	int as_svg; /* a picture; else JSON */
	/* Called after each request, and every 0.1 s of a wait; NULL: never. */
	void (*show)(void *opaque, lsched_jobs *jobs, uint32_t requests);
	void *opaque;
} svc_load;

/* Times are in us, each array sorted: from the time when a request is due to its first root and to
 * the return of its wait. A request that is due while the client waits for another one waits for
 * it, too. */
typedef struct svc_result {
	double *start_us, *total_us; /* [requests] */
	uint32_t requests;           /* answered */
	uint32_t late;               /* after their deadline */
	uint32_t wrong;              /* with another value than the client's */
	double seconds;              /* of all requests */
	double alone, beside; /* bodies of the long job a second, without and beside requests */
	lsched_job_stats jobs[SVC_KINDS + 1]; /* of each kind, and of all */
	lsched_stats items;
} svc_result;

/* Returns 0; -1 with msg; WL_STOPPED: the result has the requests until then. The caller frees the
 * result in any case. */
int svc_measure(const wl_device *d, const svc_load *load, svc_result *r, char *msg, size_t n);
void svc_free(svc_result *r);

/* Returns the sample below which `percent` of them are, by the nearest rank; 0 without any. */
double svc_rank(const double *sorted, uint32_t n, double percent);
#endif
