/* Jobs: urgent, cancellable work inside one resident scheduler. C11, C++ and CUDA.
 *
 * A *job* is a number of roots of an item program (<libsched/generate_items.h>) with arguments, a
 * priority and a deadline. A *service* executes jobs on its *members*, each a context with a
 * program that defines LSCHED_JOBS. A member is one execution (on CUDA one kernel) that stays while
 * jobs arrive, so posting a job launches nothing; it leaves after some time without jobs, and the
 * next post starts it again. Jobs run in the order of priority (larger first), deadline (earlier
 * first; none is last) and post. A worker passes to a more urgent job after at most four turns; the
 * items of the other one wait with it.
 *
 *	#define LSCHED_JOBS				in the program
 *	...
 *	lsched_job_member m = { ctx, &foo_cuda_program, &foo, NULL, 0 };
 *	lsched_run_options o;  lsched_run_options_init(&o);  o.queue = LSCHED_QUEUE_PRIO;
 *	lsched_jobs *jobs;     lsched_jobs_open(&jobs, &m, 1, &o, NULL, msg, sizeof(msg));
 *	lsched_job_desc d;     lsched_job_desc_init(&d);  d.roots = 8;  d.priority = 2;
 *	lsched_job job;        lsched_job_post(jobs, &d, &job);
 *	lsched_job_result r;   lsched_job_result_init(&r);
 *	lsched_job_wait(jobs, job, 1000, &r);
 *	lsched_jobs_close(&jobs, NULL);
 *
 * Threads: any thread may call all functions but open and close, at any time between them. The
 * library has no thread of its own: a member that has left is started by a post, and a member that
 * has failed or hangs is detected by a thread in lsched_job_wait() or lsched_jobs_close(), or by a
 * post without room: jobs posted until then end with the member's status. A member's context
 * belongs to the service until close, except for lsched_mem_...(), which one thread at a time may
 * call.
 *
 * Memory: the items of a job observe all that the host has written before the post, in memory that
 * both access, and the host observes all that they have written after the wait. On CUDA copies of
 * device memory before the post and after the wait need a non-blocking stream: the default stream
 * may wait for the member's kernel, as may cudaMalloc() and cudaFree().
 *
 * Errors of a job end this job only: lsched_job_fail(). LSCHED_FAIL of a body, a trap and a hang
 * end the member's execution, as those of any run; its open jobs end with that status. The next
 * post starts the member again, unless its context is lost. lsched_jobs_error() returns the text.
 *
 * Limits: at least two workers, of which one, the controller, executes no items. Bodies should
 * return within 20 us. Priorities are strict, so less urgent jobs may wait for ever. */
#ifndef LIBSCHED_JOBS_H
#define LIBSCHED_JOBS_H

#include <libsched/sched.h>
#include <libsched/items.h>
#include "libsched/items/job.h"

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lsched_jobs lsched_jobs;

/* A job: a value, never used again. 0 is none. */
typedef struct lsched_job {
	uint64_t id;
} lsched_job;

typedef struct lsched_job_member {
	lsched_ctx *ctx;
	const lsched_program *program; /* with LSCHED_JOBS, of the context's backend */
	const void *program_ctx;       /* the program's LSCHED_CTX; copied by open */
	void *cuda_stream; /* of the member's kernel; NULL: the context's own. As in sched.h */
	/* 2 or more; 0: those of the run options, or the context's, or as many as are resident */
	uint32_t workers;
} lsched_job_member;

typedef struct lsched_jobs_options {
	size_t struct_bytes;
	uint32_t max_jobs;  /* open at once on a member, at most 1,024; 0: 64 */
	uint32_t linger_us; /* a member leaves after so long without jobs; 0: 1,000 */
	uint32_t messages;  /* of each member not received yet, at most 2^20; 0: 1,024 */
	uint32_t trace; /* most jobs, and most messages, of the timeline: the first ones; 0: none */
} lsched_jobs_options;

static inline void lsched_jobs_options_init(lsched_jobs_options *o)
{
	memset(o, 0, sizeof(*o));
	o->struct_bytes = sizeof(*o);
}

#define LSCHED_JOB_ARG_BYTES 96
#define LSCHED_JOB_KINDS     64

typedef struct lsched_job_desc {
	size_t struct_bytes;
	/* Roots first .. first + roots - 1; at most LSCHED_MAX_TASKS; first + roots below 2^32 */
	uint32_t first, roots;
	uint32_t priority; /* larger first; equal ones by deadline */
	/* From then on the job is cancelled, counted from its admission, which is at most some
	 * microseconds after the post; a resolution of 0.1 ms. 0: none */
	uint32_t limit_ms;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none, after all that have one. Orders jobs */
	int32_t member;       /* number; -1: the one with the least load */
	/* Nonzero: no wait follows, nor any other call on the job; its end frees its place. With a
	 * period it ends by limit_ms, lsched_job_fail() or lsched_jobs_close() */
	uint32_t detached;
	const void *args;   /* copied; NULL if there are none */
	uint32_t arg_bytes; /* at most LSCHED_JOB_ARG_BYTES */
	/* CLOCK_MONOTONIC: no root is drawn before start_ns, 0: at once; resolution 0.1 ms. With a
	 * period all roots are drawn again after each, unless those before still run, until the job
	 * is cancelled; its value is that of all. The member stays meanwhile. */
	uint64_t start_ns, period_ns;
	/* 0 .. LSCHED_JOB_KINDS - 1: the service keeps the mean time of a root of each kind on each
	 * member, or on those that are alike (device name, program, workers). The load is the sum
	 * of these times over the roots of the open jobs */
	uint32_t kind;
	/* Nonzero: it waits for lsched_job_change() with paused 0, lsched_job_resume() or
	 * lsched_job_begin(). Its roots are a part of the load, limit_ms counts meanwhile */
	uint32_t paused;
} lsched_job_desc;

/* One root, any member. */
static inline void lsched_job_desc_init(lsched_job_desc *d)
{
	memset(d, 0, sizeof(*d));
	d->struct_bytes = sizeof(*d);
	d->roots = 1;
	d->member = -1;
}

/* Times are of CLOCK_MONOTONIC. */
typedef struct lsched_job_result {
	size_t struct_bytes;
	uint64_t value;            /* returned to LSCHED_JOIN_ROOT in the job */
	uint64_t done, of;         /* lsched_job_advance() */
	uint64_t post_ns;          /* the call of lsched_job_post() */
	uint64_t start_ns, end_ns; /* its first root was drawn, 0: none was; its end */
	uint32_t member;
	int32_t code;     /* of lsched_job_fail() */
	uint32_t limited; /* nonzero: CANCELLED by limit_ms */
} lsched_job_result;

static inline void lsched_job_result_init(lsched_job_result *r)
{
	memset(r, 0, sizeof(*r));
	r->struct_bytes = sizeof(*r);
}

typedef struct lsched_job_info {
	size_t struct_bytes;
	uint64_t done, of; /* lsched_job_advance(), at most some 0.1 ms old */
	uint32_t ended;    /* nonzero: lsched_job_wait() returns at once */
	uint32_t member;
} lsched_job_info;

static inline void lsched_job_info_init(lsched_job_info *i)
{
	memset(i, 0, sizeof(*i));
	i->struct_bytes = sizeof(*i);
}

typedef struct lsched_job_message {
	size_t struct_bytes;
	lsched_job job;
	uint32_t kind;
	uint64_t value;
} lsched_job_message;

static inline void lsched_job_message_init(lsched_job_message *m)
{
	memset(m, 0, sizeof(*m));
	m->struct_bytes = sizeof(*m);
}

/* Sums since lsched_jobs_open(). A job has ended when its wait has returned it, a detached one as
 * soon as it has. */
typedef struct lsched_job_stats {
	size_t struct_bytes;
	uint64_t posted;
	uint64_t done, cancelled, failed; /* ended: OK; CANCELLED; any other status */
	uint64_t late;                    /* ended after their deadline */
	/* Ended, and a root was drawn: their number; the times from the post, or a later start_ns,
	 * to the first root, and from there to the end: sums and the largest. */
	uint64_t begun;
	uint64_t wait_ns, wait_max_ns, run_ns, run_max_ns;
	uint64_t messages;      /* that have arrived, received or not */
	uint64_t messages_lost; /* of these, see lsched_jobs_receive() */
} lsched_job_stats;

static inline void lsched_job_stats_init(lsched_job_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Opens a service of 1 to 64 members, each with a context of its own: devices, and CPU threads.
 * run_options: as for lsched_run_create(); scheme dynamic, queue prio; max_tasks is ignored;
 * never_keep, procedure_capacity, trace and run_limit_ms must be 0. options: NULL: all
 * defaults. msg, which may be NULL, receives the cause of a failure. ARG, NOMEM, DEVICE;
 * UNSUPPORTED: a program or option that jobs exclude, or a device that takes more than 1 ms to
 * answer (confidential computing). */
lsched_status lsched_jobs_open(lsched_jobs **out, const lsched_job_member *members,
	uint32_t member_count, const lsched_run_options *run_options,
	const lsched_jobs_options *options, char *msg, size_t msg_bytes);

/* Cancels periodic jobs, waits until only paused ones are open on a member, cancels these, waits
 * for the members, and frees the service; *jobs becomes NULL. A job without end delays it for ever,
 * and one of a later start_ns until then: cancel them first. stats: of all executions of the
 * members, sums; may be NULL. Returns the status of a member that has failed during the call. */
lsched_status lsched_jobs_close(lsched_jobs **jobs, lsched_stats *stats);

/* Posts a job. OVERFLOW: max_jobs are open; wait for one of them. ARG. DEVICE, NOMEM, ...: the
 * member cannot be started. *job is 0 then. job may be NULL if it is detached. */
lsched_status lsched_job_post(lsched_jobs *jobs, const lsched_job_desc *desc, lsched_job *job);

/* Waits at most timeout_ms (0: polls; LSCHED_NO_LIMIT_MS: no limit) for the end of a job, and
 * frees its place. result may be NULL.
 * OK. TIMEOUT: the job continues. CANCELLED. TASK_FAILED: by lsched_job_fail(), with its code; or
 * by an error that has ended the member's execution, also a hang; its other statuses are possible,
 * too; the result is zero then. STATE: an earlier wait has returned this job, or it is detached. */
lsched_status lsched_job_wait(
	lsched_jobs *jobs, lsched_job job, uint32_t timeout_ms, lsched_job_result *result);

/* Cancels a job: no more of its roots are drawn, lsched_job_cancelled() becomes true in its bodies,
 * and its items come first, so that it ends soon. With LSCHED_JOB_DISCARD its items are not
 * run. Returns at once; no effect on a job that has ended. STATE as above. */
lsched_status lsched_job_cancel(lsched_jobs *jobs, lsched_job job);

/* Changes priority and deadline of a job, as in lsched_job_desc, for all its items at once. paused,
 * nonzero: workers store its items after some turns and execute no more of it, until a change with
 * paused 0 or a cancel; a member may leave meanwhile. No effect on a job that has ended. STATE as
 * above. */
lsched_status lsched_job_change(
	lsched_jobs *jobs, lsched_job job, uint32_t priority, uint64_t deadline_ns, int paused);

/* Fills an initialised struct. STATE as above. */
lsched_status lsched_job_progress(lsched_jobs *jobs, lsched_job job, lsched_job_info *info);

/* Receives a message of any job into an initialised struct: returns 1, or 0 if there is none.
 * Messages of a lane arrive in their order, and all of a job before its wait returns; but one that
 * another job begins to send before them delays them until it has arrived. Those not received are
 * lost when the member's execution fails. */
int lsched_jobs_receive(lsched_jobs *jobs, lsched_job_message *message);

/* Fills an initialised struct with the statistics of a kind of jobs, 0 .. LSCHED_JOB_KINDS - 1, or
 * with the sums and maxima of all: LSCHED_JOB_KINDS. They are always recorded. ARG. */
lsched_status lsched_jobs_stats(lsched_jobs *jobs, uint32_t kind, lsched_job_stats *stats);

/* Write the timeline of the jobs that have ended, as Chrome/Perfetto JSON and as SVG: see
 * lsched_trace_write() and lsched_trace_write_svg(). For each member: a line for the host, then
 * jobs, each a band in a row where no other job is at that time: pale from its post (or a later
 * start_ns) to its first root, then in the colour of its kind to its end; and an arrow from the
 * band to the host's line where a message was received, from the band's end if that was later. The
 * times are the host's, and workers record nothing: items of jobs are not in the timeline.
 * kinds: names of the kinds, LSCHED_JOB_KINDS of them; it or a name may be NULL. options, which may
 * be NULL: its title, and kinds in its labels. A picture has at most the first 4,000 jobs and
 * messages. Any thread; other calls do not wait for the writing. ARG: arguments are missing or not
 * initialised, or `write` failed; STATE: lsched_jobs_options.trace was 0; NOMEM. */
lsched_status lsched_jobs_trace_write(
	lsched_jobs *jobs, const char *const *kinds, lsched_write_fn write, void *opaque);
lsched_status lsched_jobs_trace_write_svg(
	lsched_jobs *jobs, const lsched_svg_options *options, lsched_write_fn write, void *opaque);

/* Copies the text of the last error of the service: "" if there was none. The TIMEOUT of a wait
 * that polls has none. */
void lsched_jobs_error(lsched_jobs *jobs, char *msg, size_t msg_bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* ---- calls of a body and of LSCHED_ROOT, in programs with LSCHED_JOBS; x is the first argument.
 * Any lane. ---- */

/* The arguments of the job, LSCHED_JOB_ARG_BYTES, those beyond arg_bytes zero; aligned to 16.
 *	const void *lsched_job_args(x) */
#define lsched_job_args(x) lsched_i_job_args(&(x)->any)

/* Nonzero if the job was cancelled or has failed, or the member's execution has. Long bodies test
 * it. An item must return to its join all the same, if it has one.
 *	int lsched_job_cancelled(x) */
#define lsched_job_cancelled(x) lsched_i_job_cancelled(&(x)->any)

/* Nonzero if a more urgent job waits, the job was paused or cancelled, or the execution has failed.
 * Long bodies then store their progress in the item and continue it (lsched_continue), so that the
 * worker passes to the urgent job. Reads two or three words. The threads of a warp or block item
 * may receive different values: one of them calls it.
 *	int lsched_should_yield(x) */
#define lsched_should_yield(x) lsched_i_should_yield(&(x)->any)

/* The time of the host, CLOCK_MONOTONIC. On a device within half the time of the shortest of 64
 * exchanges at open, plus the drift of both clocks since then.
 *	uint64_t lsched_host_ns(x) */
#define lsched_host_ns(x) lsched_i_host_ns(&(x)->any)

/* The time until the deadline of the job, negative after it; INT64_MAX: it has none.
 *	int64_t lsched_job_left_ns(x) */
#define lsched_job_left_ns(x) lsched_i_job_left_ns(&(x)->any)

/* Adds to the progress of the job: `done` of `of` units of the program's choice.
 *	void lsched_job_advance(x, uint64_t done, uint64_t of) */
#define lsched_job_advance(x, done, of) lsched_i_job_advance(&(x)->any, (done), (of))

/* Sends a message to the host, see lsched_jobs_receive(). Returns 0 if there is no room now.
 *	int lsched_job_send(x, uint32_t kind, uint64_t value) */
#define lsched_job_send(x, kind, value) lsched_i_job_send(&(x)->any, (kind), (value))

/* Resumes a paused job, as lsched_job_change() does: what it waits for is there. Its items observe
 * what the caller has written before. That job was posted before this one, to the same member
 * (lsched_job_desc.member), and no wait has returned it yet. Returns 0 without effect if it is not
 * paused, was cancelled, has ended, or is of another member.
 *	int lsched_job_resume(x, uint64_t id) */
#define lsched_job_resume(x, id) lsched_i_job_resume(&(x)->any, (id))

/* Posts a job in a place that the host has provided: one that was posted `paused` before this job,
 * to the same member, as for lsched_job_resume(). It gets these roots and arguments instead of
 * those of its description, and is resumed; priority, deadline, kind and the rest stay. Once:
 * returns 1; 0 without effect if it was resumed or begun before, or cancelled, has ended, or is of
 * another member, or if roots or arg_bytes are beyond the limits of lsched_job_desc. A change that
 * leaves it paused is no resume. A place that no body begins is cancelled by the host, or by close,
 * before its wait returns. args: copied, NULL if there are none.
 *	int lsched_job_begin(x, uint64_t id, uint32_t first, uint32_t roots, const void *args,
 *		uint32_t arg_bytes) */
#define lsched_job_begin(x, id, first, roots, args, arg_bytes) \
	lsched_i_job_begin(&(x)->any, (id), (first), (roots), (args), (arg_bytes))

/* `return lsched_job_fail(x, code);` ends this job only, as a cancel does; its wait returns
 * TASK_FAILED with the first code. The item counts as done, and must have returned to its join.
 *	lsched_result lsched_job_fail(x, int code) */
#define lsched_job_fail(x, code) lsched_i_job_fail(&(x)->any, (code))

#endif
