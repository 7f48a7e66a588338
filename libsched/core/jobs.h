/* The host's side of services (<libsched/jobs.h>): data that its files share. jobs.c opens and
 * closes, jobs_call.c and jobs_wait.c have the calls on jobs, jobs_member.c starts, wakes and ends
 * members, jobs_stats.c counts, jobs_trace.c and jobs_svg.c have the timelines. */
#ifndef LIBSCHED_CORE_JOBS_H
#define LIBSCHED_CORE_JOBS_H

#include <libsched/jobs.h>
#include "libsched/core/backend.h"
#include "libsched/core/job_layout.h"

enum { JOBS_MEMBERS_MOST = 64 };

/* A place for a job. */
typedef struct jobs_slot {
	uint32_t generation; /* of the job that has it, or had it last; 0: none yet */
	int open;            /* from the post to the wait that returns it */
	int detached;        /* no wait follows */
	uint32_t kind, roots;
	lsched_status broken; /* not OK: the member's execution failed with this status */
	uint64_t broken_ns;
	uint64_t post_ns, due_ns; /* due: the post, or the start that it states if that is later */
	uint64_t deadline_ns;     /* 0: none */
} jobs_slot;

typedef struct jobs_member {
	lsched_ctx *ctx;
	lsched_run *run;
	void *program_ctx, *stream;
	lsched_i_jobs_shared *shared;
	uint64_t *messages; /* in `shared` */
	uint32_t message_mask, received;
	uint32_t counted;      /* messages that the statistics have; at least `received` */
	uint8_t *message_kind; /* [message_mask + 1]: the kinds of their jobs */
	int must_send_offset;  /* the memory was cleared since offset_ns was sent */
	uint32_t sent;         /* commands written since the memory was cleared */
	int running;           /* started and not finished */
	int closing;           /* CLOSE was sent */
	int64_t offset_ns;     /* the member's time minus that of the host, */
	uint64_t trip_ns;      /* by an exchange that took so long, */
	uint64_t measured_ns;  /* when; 0: not measured, the clocks are the same */
	uint64_t followed_ns;  /* the last attempt to know it better */
	jobs_slot *slot;       /* [max_jobs] */
	uint32_t *free_slots, free_count;
	struct jobs_member *alike;        /* the first one of the same device and program, */
	double root_ns[LSCHED_JOB_KINDS]; /* which has the mean times of roots; 0: not known */
} jobs_member;

/* A job that has ended, in the timeline. Times are the host's. */
typedef struct jobs_span {
	uint64_t id, due_ns, start_ns, end_ns; /* start 0: no root was drawn */
	uint32_t row;                          /* of a view */
	uint8_t kind, end, late;               /* end: the state of the answer, 0: it is broken */
} jobs_span;

/* A message that the host has received. */
typedef struct jobs_arrow {
	uint64_t id, ns, value;
	uint32_t kind;
	const jobs_span *span; /* of a view: its job; NULL: it has not been recorded */
} jobs_arrow;

/* The first `most` jobs and messages. Entries below the counts do not change. */
typedef struct jobs_trace {
	uint32_t most, spans, arrows;
	uint64_t dropped;
	jobs_span *span;
	jobs_arrow *arrow;
} jobs_trace;

/* The lock protects all that is not accessed by atomics, and all calls on runs and contexts. */
struct lsched_jobs {
	pthread_mutex_t lock;
	uint32_t max_jobs;
	lsched_stats stats; /* of the executions that have ended */
	lsched_job_stats kind[LSCHED_JOB_KINDS];
	jobs_trace trace;
	char error[LSCHED_I_TEXT_BYTES];
	uint32_t member_count, last; /* last: the member of the last post */
	jobs_member member[];
};

/* The payload of a command. */
typedef struct jobs_command {
	uint32_t word[LSCHED_I_COMMAND_WORDS];
} jobs_command;

/* core/jobs_member.c; under the lock. Records the text of an error; returns the status. */
lsched_status lsched_i_jobs_error(lsched_jobs *jobs, lsched_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Sends a command, and starts the member if it has left. */
lsched_status lsched_i_jobs_send(lsched_jobs *jobs, jobs_member *m, const jobs_command *command);
/* Whether a job of the member has not ended. */
int lsched_i_jobs_has_open(const lsched_jobs *jobs, const jobs_member *m);
/* Finishes the execution if it has ended; after a failure all open jobs are broken. */
void lsched_i_jobs_check(lsched_jobs *jobs, jobs_member *m);
/* Waits for the end of the execution, and finishes it. */
lsched_status lsched_i_jobs_finish(lsched_jobs *jobs, jobs_member *m);
/* Measures m->offset_ns; starts the member. follow: by a few exchanges, if the last ones are older
 * than the interval. */
lsched_status lsched_i_jobs_measure_clock(lsched_jobs *jobs, jobs_member *m);
lsched_status lsched_i_jobs_follow_clock(lsched_jobs *jobs, jobs_member *m, uint64_t interval_ns);
/* core/jobs_load.c. Sets the members' `alike`. */
void lsched_i_jobs_find_alike(lsched_jobs *jobs);
/* Under the lock. Returns the member with the least load of those that have a
 * place for a job and whose context is not lost; if there is none, any. measure: notes the time of
 * a job that has ended, which had so many roots. */
uint32_t lsched_i_jobs_least(lsched_jobs *jobs);
void lsched_i_jobs_measure(jobs_member *m, uint32_t kind, uint64_t roots, uint64_t ns);
/* core/jobs_stats.c; under the lock. Start and end of a job that has ended, in the host's time;
 * start 0: no root was drawn. */
void lsched_i_jobs_times(const jobs_member *m, uint32_t slot, uint64_t *start_ns, uint64_t *end_ns);
/* Counts a job before its place is freed; end: the state of its answer, 0: it is broken. */
void lsched_i_jobs_count(lsched_jobs *jobs, jobs_member *m, uint32_t slot, uint32_t end);
/* Reads message number n of those that the host has not received; returns 0 if it has not arrived
 * completely. Counts those that have arrived; and those that are lost when the execution fails. */
int lsched_i_jobs_read_message(const jobs_member *m, uint32_t n, uint64_t *words);
void lsched_i_jobs_count_messages(lsched_jobs *jobs, jobs_member *m);
void lsched_i_jobs_count_lost(lsched_jobs *jobs, jobs_member *m);
/* Counts the detached jobs that have ended, and the messages that have arrived. */
void lsched_i_jobs_count_all(lsched_jobs *jobs);
/* core/jobs_trace.c. Record a job and a message, under the lock; without a timeline no effect. */
void lsched_i_jobs_trace_span(lsched_jobs *jobs, const jobs_span *span);
void lsched_i_jobs_trace_message(lsched_jobs *jobs, const lsched_job_message *message);
/* core/jobs_call.c; under the lock. The place of a job, NULL: it is not open, an error. */
jobs_slot *lsched_i_jobs_slot_of(
	lsched_jobs *jobs, lsched_job job, jobs_member **m, uint32_t *slot);
lsched_status lsched_i_jobs_no_such(lsched_jobs *jobs, lsched_job job);
void lsched_i_jobs_free_slot(jobs_member *m, uint32_t slot);
/* Frees the places of detached jobs that have ended, also with the member's execution. */
void lsched_i_jobs_free_detached(lsched_jobs *jobs, jobs_member *m);
/* The id of the job in a place: generation << 32 | member << 16 | slot. */
static inline uint64_t lsched_i_jobs_id(
	const lsched_jobs *jobs, const jobs_member *m, uint32_t slot)
{
	return (uint64_t)m->slot[slot].generation << 32 | (uint64_t)(m - jobs->member) << 16 | slot;
}

/* Any thread, without the lock: returns the state of the answer, 0: the job has not ended. */
uint32_t lsched_i_jobs_ended(const jobs_member *m, uint32_t slot, uint32_t generation);

#endif
