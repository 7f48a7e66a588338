/* What the two files that write timelines share: text in pieces, and looking at the arguments. */
#ifndef LIBSCHED_CORE_TRACE_H
#define LIBSCHED_CORE_TRACE_H

#include "libsched/core/backend.h"

/* Gathers text and hands it on in blocks. After a failure all text is dropped. */
typedef struct lsched_i_writer {
	lsched_write_fn write;
	void *opaque;
	int failed;
	size_t used;
	char block[4096];
} lsched_i_writer;

void lsched_i_writer_begin(lsched_i_writer *w, lsched_write_fn write, void *opaque);
void lsched_i_put(lsched_i_writer *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Hands on the rest; ARG when the caller's function refused. */
lsched_status lsched_i_writer_end(lsched_i_writer *w);

/* ARG for missing arguments, STATE for a run that is not finished. */
lsched_status lsched_i_check_runs(lsched_run *const *runs, size_t n, lsched_write_fn write);

/* CPU and GPU count from different epochs, so each clock's timeline starts at its own first event. */
uint64_t lsched_i_first_start(lsched_run *const *runs, size_t n, lsched_backend kind);

#endif
