/* Jobs (<libsched/jobs.h>): the memory of a member's jobs, and the memory that host and member
 * share. Both start as zero bytes.
 *
 * Each word that both sides access has one writer while workers run, because hosts on PCIe have no
 * atomics with the GPU, and is accessed by lsched_ld and lsched_st with scope sys. */
#ifndef LIBSCHED_CORE_JOB_LAYOUT_H
#define LIBSCHED_CORE_JOB_LAYOUT_H

#include "libsched/core/layout.h"

#define LSCHED_I_JOBS_MAX      1024u /* largest number of jobs of a member */
#define LSCHED_I_JOB_ARG_WORDS 24u   /* 96 bytes */

/* The command ring: slots of words of {sequence number, payload}, number in the upper half. The
 * number of command n, counted from 0, is n + 1. A reader takes a slot when all its words have the
 * number; so it needs no fence, and an incomplete command is detected. */
#define LSCHED_I_COMMAND_SLOTS 64u
#define LSCHED_I_COMMAND_WORDS 64u

/* Payload words of a command: the header; then, from COMMAND_ARGS on, the arguments. Words of 64
 * bits: the lower half first. */
enum {
	LSCHED_I_COMMAND_WHAT,
	LSCHED_I_COMMAND_SLOT,
	LSCHED_I_COMMAND_GENERATION,
	LSCHED_I_COMMAND_FIRST,
	LSCHED_I_COMMAND_ROOTS,
	LSCHED_I_COMMAND_PRIORITY,
	LSCHED_I_COMMAND_DEADLINE, /* host ns; 0: none */
	LSCHED_I_COMMAND_LIMIT_MS = LSCHED_I_COMMAND_DEADLINE + 2,
	LSCHED_I_COMMAND_PAUSED,
	LSCHED_I_COMMAND_MEMBER, /* number of the member in the service */
	LSCHED_I_COMMAND_START,  /* member ns; 0: at once */
	LSCHED_I_COMMAND_PERIOD = LSCHED_I_COMMAND_START + 2, /* ns; 0: once */
	LSCHED_I_COMMAND_ARGS = LSCHED_I_COMMAND_WORDS / 2
};

/* COMMAND_WHAT. CLOCK: answers with the member's time. OFFSET: in the words of START, the member's
 * time minus that of the host. CLOSE: the member leaves when it is idle, without lingering. */
enum {
	LSCHED_I_COMMAND_POST = 1,
	LSCHED_I_COMMAND_CANCEL,
	LSCHED_I_COMMAND_CHANGE,
	LSCHED_I_COMMAND_CLOCK,
	LSCHED_I_COMMAND_OFFSET,
	LSCHED_I_COMMAND_CLOSE
};

/* lsched_i_job.flags. */
#define LSCHED_I_JOB_CANCELLED 1u /* no more roots are drawn; bodies observe it */
#define LSCHED_I_JOB_FAILED    2u /* lsched_job_fail() was called */
#define LSCHED_I_JOB_LIMITED   4u /* limit_ms has passed */
#define LSCHED_I_JOB_PAUSED    8u /* workers park its items */
/* It was posted paused, and nothing has resumed it: a body may set its roots. */
#define LSCHED_I_JOB_POSTPONED 16u
/* A body sets its roots and arguments, and clears this flag and PAUSED at last; until then the
 * controller enqueues no item of the job. */
#define LSCHED_I_JOB_BEGINS 32u

/* The record of a job, in the memory of its member. The controller writes it when it reads the
 * post; then no worker has the job, because its units were zero. */
typedef struct lsched_i_job {
	/* One unit for each ticket and chunk in the queue, and for each worker with items of the
	 * job or with its ticket. The worker that subtracts the last one writes the answer. */
	uint32_t units;
	uint32_t next_root; /* those drawn; draws beyond `roots` find none */
	uint32_t flags;
	uint32_t failed; /* nonzero: a body has set `code` */
	uint32_t code;
	uint32_t rank;     /* jobs listed that are less urgent */
	uint64_t start_ns; /* the first root was drawn */
	/* Parked items, each with a unit of the job, but none of the run: one plus the newest chunk
	 * of a list, and a number of tickets. */
	uint32_t parked, parked_tickets;
	uint32_t busy; /* nonzero from its admission until its answer was written */
	uint32_t pad0[LSCHED_I_LINE / 4 - 11];
	/* Apart from the words above: bodies may add to these a billion times a second, and loads
	 * from the same line would wait for all that. */
	uint64_t value;
	uint64_t done, of; /* lsched_job_advance() */
	uint64_t pad_added[LSCHED_I_LINE / 8 - 3];
	/* not changed until the next post, but by lsched_job_begin() */
	uint32_t generation, first, roots, each; /* each: roots of one draw */
	uint32_t args[LSCHED_I_JOB_ARG_WORDS];
	uint64_t deadline_ns; /* changed by atomics */
	uint32_t member;      /* number of this member in the service */
	uint32_t at_once;     /* roots that a worker runs in a turn at most */
	/* only the controller accesses these */
	uint32_t listed; /* nonzero: it is in the order of jobs, until its end was observed */
	uint32_t priority;
	uint64_t order;              /* of posts */
	uint64_t admit_ns, limit_ns; /* member time; limit 0: none */
	uint64_t sent_done, sent_of; /* progress last written to the answer, */
	uint64_t sent_generation;    /* and of which job */
	uint32_t unparked; /* one plus the first chunk of a list that is to be enqueued again */
	uint32_t timed;    /* nonzero: the controller has a unit, and enqueues roots at next_ns */
	uint64_t next_ns, period_ns; /* member time */
	uint64_t pad2[LSCHED_I_LINE / 8 - 10];
} lsched_i_job;

/* A member's jobs, in its memory. What is before `job` stays between two starts. */
typedef struct lsched_i_jobs_state {
	lsched_i_line_word head;    /* commands read; the controller's alone */
	lsched_i_line_word beat;    /* turns of the controller, which waiting workers watch */
	lsched_i_line_word used;    /* messages that the host has not received, as known here */
	lsched_i_line_word tail;    /* messages sent */
	lsched_i_line_word resumed; /* jobs that bodies have resumed; wraps */
	/* One plus the index of a worker that waits here for the controller's next item, 0: none;
	 * in the upper half one plus the item. */
	uint64_t hand;
	uint64_t pad_hand[LSCHED_I_LINE / 8 - 1];
	/* the controller's alone: messages that the host has received, and the places for jobs that
	 * were used */
	uint32_t received, places;
	uint64_t offset_ns; /* the member's time minus that of the host */
	uint64_t pad[LSCHED_I_LINE / 8 - 2];
	lsched_i_job job[1]; /* lsched_i_args.jobs_places; then LSCHED_I_JOBS_NEXT */
} lsched_i_jobs_state;

/* lsched_i_job_answer.state: generation << 32 | one of these. */
enum {
	LSCHED_I_JOB_DONE = 1,
	LSCHED_I_JOB_WAS_CANCELLED,
	LSCHED_I_JOB_WAS_LIMITED,
	LSCHED_I_JOB_HAS_FAILED
};

/* The answer of a job, in host memory: written by the worker that ends the job, `state` last, by a
 * release store; the words from live_generation on by the controller. Times are the member's. */
typedef struct lsched_i_job_answer {
	uint64_t state;
	uint64_t value;
	uint64_t start_ns, end_ns;
	uint64_t done, of;
	uint64_t code;
	uint64_t roots;
	uint64_t live_generation, live_done, live_of;
	uint64_t pad2[LSCHED_I_LINE / 8 - 11];
} lsched_i_job_answer;

/* What host and member share, in host memory. */
typedef struct lsched_i_jobs_shared {
	uint64_t ring[LSCHED_I_COMMAND_SLOTS][LSCHED_I_COMMAND_WORDS]; /* by the host */
	lsched_i_line_word head; /* by the member: commands read */
	/* By the member, nonzero: it leaves, unless it finds a command at last. The host zeroes it
	 * before a start. */
	lsched_i_line_word leaving;
	lsched_i_line_word received; /* by the host: messages received */
	/* By the member, the answer to CLOCK: its time, then the number of the command plus one. */
	uint64_t clock_ns;
	uint64_t clock_number;
	uint64_t pad[LSCHED_I_LINE / 8 - 2];
	lsched_i_job_answer answer[1]; /* lsched_i_args.jobs_places; then the messages */
} lsched_i_jobs_shared;

/* A message: words of {number, payload} as in the command ring. Message n, counted from 0, is in
 * place n modulo the number of places, a power of two. */
#define LSCHED_I_JOB_MESSAGE_WORDS 8u
enum {
	LSCHED_I_MESSAGE_KIND,
	LSCHED_I_MESSAGE_VALUE,
	LSCHED_I_MESSAGE_SLOT = LSCHED_I_MESSAGE_VALUE + 2,
	LSCHED_I_MESSAGE_GENERATION,
	LSCHED_I_MESSAGE_USED_WORDS
};

/* For each chunk that is parked one plus the next one of its list. */
#define LSCHED_I_JOBS_NEXT(a) ((uint32_t *)((a)->jobs->job + (a)->jobs_places))

/* The word beside the requests of idle workers, which all workers load often: the end of the first
 * items of the queue with one key << 32 | one plus that key, as the controller last observed them;
 * 0 in the lower half: none. It is out of date when the head has come to that end. JOBS_PAUSES:
 * some job is paused, or, where the program discards, cancelled. */
#define LSCHED_I_JOBS_BEST(state) (&(state)->items.chunk_requests.jobs_best)
#define LSCHED_I_JOBS_PAUSES      0x80000000u

/* Bytes of both for `max` jobs. */
#define LSCHED_I_JOBS_STATE_BYTES(max) \
	(sizeof(lsched_i_jobs_state) + ((max)-1u) * sizeof(lsched_i_job))
#define LSCHED_I_JOBS_SHARED_BYTES(max) \
	(sizeof(lsched_i_jobs_shared) + ((max)-1u) * sizeof(lsched_i_job_answer))

#endif
