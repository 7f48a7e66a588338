/* Contexts and runs as the library sees them, and what an executor must do. */
#ifndef LIBSCHED_CORE_BACKEND_H
#define LIBSCHED_CORE_BACKEND_H

#include <stdarg.h>
#include "libsched/core/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCHED__TEXT_BYTES 512

typedef struct sched__backend {
	sched_backend kind;
	/* Fill ctx->workers, device, device_name and impl, or say why not in ctx->error. */
	sched_status (*open)(sched_ctx *ctx);
	void (*close)(sched_ctx *ctx);
	/* Set run->max_workers and resident, call sched__plan_memory(), then allocate run->plan.bytes zeroed at
	 * run->memory and the events. */
	sched_status (*create)(sched_run *run);
	/* Also of a half created run; never while it executes, unless the context is lost. Not OK: the
	 * run's memory is still in use, and it is not for the caller to free it. */
	sched_status (*destroy)(sched_run *run);
	/* run->args is complete; run->clear asks for the memory to be zeroed before. */
	sched_status (*start)(sched_run *run, const void *program_ctx, void *stream);
	int (*done)(sched_run *run);
	/* Waits; then *run->args.result and run->events_raw are readable on the host. */
	sched_status (*wait)(sched_run *run);
	/* Memory of the tasks; core/memory.c has checked the arguments. bytes > 0. */
	sched_status (*mem_alloc)(sched_ctx *ctx, void **out, size_t bytes);
	void (*mem_free)(sched_ctx *ctx, void *memory);
	sched_status (*mem_write)(sched_ctx *ctx, void *memory, const void *from, size_t bytes);
	sched_status (*mem_read)(sched_ctx *ctx, void *to, const void *memory, size_t bytes);
	sched_status (*mem_zero)(sched_ctx *ctx, void *memory, size_t bytes);
} sched__backend;

struct sched_ctx {
	const sched__backend *b;
	sched_options o;
	uint32_t workers; /* 0: as many as are resident (CUDA) */
	int device;
	char device_name[256];
	char error[SCHED__TEXT_BYTES];
	int lost; /* SCHED__LOST_...: no call but the last ones works any more */
	char lost_why[SCHED__TEXT_BYTES];
	void *impl;
};

/* HANG: a task that will not return still uses the memory, so none is freed now. ERROR: the device's
 * context is broken, and freeing does nothing. */
enum { SCHED__LOST_HANG = 1, SCHED__LOST_ERROR };

/* How long the host goes on waiting for an execution, see core/patience.c. */
typedef struct sched__patience {
	uint64_t last_ns;   /* the last look; 0: none since the start */
	uint64_t waited_ns; /* time looked on without a change */
	uint32_t seen;
	int told; /* 1: to leave, by the host; -1: the run has failed by itself */
} sched__patience;

/* One word that is another after any progress, nearly always. */
static inline uint32_t sched__progress(uint32_t live, uint32_t ticket, uint32_t beat)
{
	return live + ticket * 0x9e3779b1u + beat * 0x85ebca6bu;
}

enum { SCHED__WAIT_ON, SCHED__TELL, SCHED__GIVE_UP };

/* Offsets of the parts of a run's memory. */
typedef struct sched__plan {
	size_t bytes;
	size_t slots, task_words, spill, worker_stats, now;
	size_t chunk_items, chunk_head, chunk_busy, chunk_own, joins, join_busy, join_then;
} sched__plan;

struct sched_run {
	sched_ctx *ctx;
	const sched_program *program;
	const sched__entry *entry;
	sched_run_options o; /* with the defaults filled in */
	sched__plan plan;
	uint32_t max_workers;
	uint32_t resident; /* workers that are sure to run side by side */
	sched__args args;
	unsigned char *memory;   /* host or device */
	sched_event *events_raw; /* host: max_workers x o.trace; end_ns 0 = unused */
	sched_event *events;     /* sorted; what the user sees */
	size_t event_count;
	sched_worker_stats *worker_stats; /* host, max_workers; NULL: not wanted */
	int started;                      /* between start and finish */
	int no_work;                      /* started with nothing to do */
	int clear;                        /* memory is not as a start needs it */
	sched__patience patience;
	int stuck; /* it is what the context was lost to; error says so */
	char error[SCHED__TEXT_BYTES];
	uint32_t error_task;
	int error_code;
	void *impl;
};

extern const sched__backend sched__backend_cpu;
/* Always linked; without CUDA it says UNSUPPORTED (cuda/none.c). */
extern const sched__backend sched__backend_cuda;
int sched__cuda_device_count(void);
sched_status sched__cuda_device_info(int device, sched_device_info *info);

/* core/plan.c: what the run needs in memory, now that the number of workers is known; all of it in one
 * block, so that one memset puts it back after a failure. Then, with the block at run->memory, where
 * the workers find it. */
sched_status sched__plan_memory(sched_run *run);
void sched__lay_out(sched_run *run);

/* core/log.c: the text goes to the buffer of SCHED__TEXT_BYTES and, as an error, to the log. */
void sched__log(const sched_ctx *ctx, sched_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
sched_status sched__error(sched_ctx *ctx, sched_run *run, sched_status status, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* core/failure.c: turns the workers' record into a status and a sentence. */
sched_status sched__explain(sched_run *run, const sched__failure *f);

/* core/patience.c. begin: at each start. look: what to do now; begun, progress and failed are what can be
 * seen of the workers. look_every_ns: how often that is worth while; 0: never. */
void sched__patience_begin(sched_run *run);
uint64_t sched__patience_look_every_ns(const sched_run *run);
int sched__patience_look(sched_run *run, uint64_t now_ns, int begun, uint32_t progress, int failed);
/* The sentences: workers that were told did leave; one did not, so the context is lost. now[]: the task
 * each worker is in, plus one; NULL: not known. */
sched_status sched__explain_told(sched_run *run);
sched_status sched__explain_stuck(sched_run *run, const uint32_t *now);
/* What a call on a lost context returns. run may be NULL. */
sched_status sched__refuse(sched_ctx *ctx, sched_run *run);

/* core/trace.c: from events_raw to events. */
void sched__collect_events(sched_run *run);

#ifdef __cplusplus
}
#endif
#endif
