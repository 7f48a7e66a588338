/* A context: libsched's context, the runs of its programs, and memory that calls share. */
#ifndef COLLIDE_CORE_CONTEXT_H
#define COLLIDE_CORE_CONTEXT_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <pthread.h>
#include "collide/core/error.h"
#include "collide/core/steps.h"

/* The programs. */
enum {
	COLLIDE_I_STEPS,
	COLLIDE_I_BVH,
	COLLIDE_I_PAIRS,
	COLLIDE_I_CONTACTS,
	COLLIDE_I_ORDER,
	COLLIDE_I_PROGRAMS
};

/* Memory of the tasks that grows. */
typedef struct collide_i_buffer {
	void *memory;
	size_t bytes;
} collide_i_buffer;

/* The front of two trees, by the numbers of their constructions. */
typedef struct collide_i_front {
	uint64_t serial[2]; /* 0: an unused entry */
	uint32_t kind, most, roots;
	col_item *items; /* NULL: not made yet */
} collide_i_front;

enum { COLLIDE_I_FRONTS = 8 };

/* Ends of calls before their work is complete; see control.c. */
typedef struct collide_i_control {
	pthread_mutex_t lock;
	lsched_run *running;  /* under the lock: being executed, for a cancel; or NULL */
	uint32_t cancelled;   /* atomic */
	uint32_t limit_ms;    /* 0: none */
	uint64_t end_ns;      /* when the limit of this call has passed; 0: never */
	collide_status ended; /* OK, or the status with which this call ends */
} collide_i_control;

struct collide_ctx {
	collide_i_control control;
	lsched_ctx *sched;
	int is_cuda;
	void *stream;
	uint32_t workers; /* an upper bound */
	lsched_run *run[COLLIDE_I_PROGRAMS];
	uint32_t run_room[COLLIDE_I_PROGRAMS];  /* boxes of a tree that the run is for */
	uint32_t run_scale[COLLIDE_I_PROGRAMS]; /* of its queue: doubled after an overflow */
	uint64_t serials;                       /* constructions of trees */
	step_state *state;
	lsched_stream_state *counts; /* of the output */
	collide_i_buffer input;      /* copies of input in host memory */
	collide_i_buffer pairs;      /* of collide_find_all(), or of output in host memory */
	collide_i_buffer times;
	collide_i_buffer sort; /* scratch memory */
	collide_i_front front[COLLIDE_I_FRONTS];
	uint32_t next_front;
	col_item *root; /* of a walk without a front */
};

/* Begins a call of the caller's with its time limit. CANCELLED: it must not begin. */
collide_status collide_i_begin(collide_ctx *c);
/* CANCELLED or TIME_LIMIT if the call has to end, else OK. */
collide_status collide_i_check(collide_ctx *c);
/* Its short form for host loops, as col_poll.ended: nonzero. */
int collide_i_ended(void *ctx);
/* Starts a run and waits for its end, which a cancel or the limit makes earlier. */
collide_status collide_i_run(
	collide_ctx *c, lsched_run *run, const void *program_ctx, uint32_t tasks, lsched_status *s);

/* Makes a buffer at least so large; its contents are lost if it grows. */
collide_status collide_i_grow(collide_ctx *c, collide_i_buffer *b, uint64_t bytes);

/* lsched_mem_* with the errors of this library. */
collide_status collide_i_alloc(collide_ctx *c, void **out, uint64_t bytes);
collide_status collide_i_write(collide_ctx *c, void *memory, const void *from, size_t bytes);
collide_status collide_i_read(collide_ctx *c, void *to, const void *memory, size_t bytes);
collide_status collide_i_zero(collide_ctx *c, void *memory, size_t bytes);

/* The caller's input as memory of the tasks: `from` itself, or a copy of it in c->input at an
 * offset, a multiple of 16, for which the buffer has room. */
collide_status collide_i_input(collide_ctx *c, const void *from, size_t bytes,
	collide_memory memory, size_t offset, const void **out);

/* Runs a program to its end. `boxes`: of the tree, for COLLIDE_I_BVH. *again: its queue was too
 * small, and is larger now: the caller makes its memory as before and repeats the call. */
collide_status collide_i_execute(collide_ctx *c, int program, const void *program_ctx,
	uint32_t tasks, uint32_t boxes, int *again);

/* Runs a job of steps.h over k->n elements; bad: the least bad number or COLLIDE_NONE; bounds may
 * be NULL. */
collide_status collide_i_step(collide_ctx *c, step_ctx *k, uint32_t *bad, bvh_bounds *bounds);

/* Waits for what the caller has enqueued on the stream of the context. */
collide_status collide_i_wait(collide_ctx *c);

int collide_i_memory_is_valid(collide_memory m);

/* Words of 32 bits are read and written there: another address would fault on a device. */
int collide_i_is_aligned(const void *words);

extern const lsched_program collide_i_steps_cpu_program, collide_i_order_cpu_program;
extern const lsched_program collide_i_steps_cuda_program, collide_i_order_cuda_program;
#endif
