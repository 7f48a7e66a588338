/* What the two files that write timelines share: text in pieces, and looking at the arguments. */
#ifndef LIBSCHED_CORE_TRACE_H
#define LIBSCHED_CORE_TRACE_H

#include "libsched/core/backend.h"

/* Gathers text and hands it on in blocks. After a failure all text is dropped. */
typedef struct sched__writer {
	sched_write_fn write;
	void *opaque;
	int failed;
	size_t used;
	char block[4096];
} sched__writer;

void sched__writer_begin(sched__writer *w, sched_write_fn write, void *opaque);
void sched__put(sched__writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands on the rest; ARG when the caller's function refused. */
sched_status sched__writer_end(sched__writer *w);

/* ARG for missing arguments, STATE for a run that is not finished. */
sched_status sched__check_runs(sched_run *const *runs, size_t n, sched_write_fn write);

/* CPU and GPU count from different epochs, so each clock's timeline starts at its own first event. */
uint64_t sched__first_start(sched_run *const *runs, size_t n, sched_backend kind);

#endif
