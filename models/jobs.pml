/* jobs: units of jobs, the hand, leaving and return of a member, as in items/job.h,
 * items/job_wait.h, items/job_work.h, items/job_control.h and core/jobs_member.c.
 *
 * A host posts JOBS jobs, each at any time. The controller admits them, and gives each to the
 * worker that waits in the hand, or enqueues it; workers execute their items, which enqueue up to
 * CHILDREN chunks a job. When nothing is outstanding but the service's unit the controller may
 * leave at any time, and then all workers do; the host starts them again. Each job must be answered
 * once, after all of its items, and no job may be left: an invalid end state. README.md states what
 * each variant breaks.
 *
 * RESUME: all jobs but the last are posted paused, so that the member may leave while they are
 * parked. Each but the first begins the one before it: its worker claims that job, writes its roots
 * and arguments, and resumes it. The host may cancel the first job at any time. Pauses of jobs that
 * have begun are not modelled.
 *
 * Memory: the stores that matter between host and member, of a command and of `leaving`, are hidden
 * from the other side until a fence of their process, or until any later time. All other words are
 * changed by atomic operations of the workers, in whose order Spin executes them. */
#ifndef JOBS
#define JOBS 2
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CHILDREN
#define CHILDREN 1
#endif

byte sent;         /* commands that the member can observe */
bool hidden_sent;  /* one more is stored */
bool leaving, hidden_leaving;
byte admitted;     /* commands read; stays between executions */
byte outstanding;  /* outstanding count of the run */
byte units[JOBS], queued[JOBS], spawned[JOBS];
byte work_left[JOBS]; /* items that are not finished */
byte answers[JOBS];
byte hand;         /* 0: no worker waits in it, 1: one does, else 2 + the job that it was given */
bool running;      /* as the host has recorded it */
bool paused[JOBS], parked[JOBS], begins[JOBS], cancelled[JOBS], has_begun[JOBS];
byte resumed;      /* jobs that bodies have resumed */
byte starts;       /* executions */
byte exits;        /* workers and controller that have left this one */

#ifdef NO_SERVICE_UNIT
#define SERVICE_UNIT 0
#else
#define SERVICE_UNIT 1
#endif

#if JOBS > 2
#define ANY_QUEUED (queued[0] + queued[1] + queued[2] > 0)
#else
#define ANY_QUEUED (queued[0] + queued[1] > 0)
#endif

inline start()
{
	atomic {
		leaving = false;
		outstanding = SERVICE_UNIT;
		exits = 0;
		running = true;
		starts++
	}
}

/* Makes the hidden stores visible at any time. */
active proctype memory()
{
end:	do
	:: atomic { hidden_sent -> hidden_sent = false; sent++ }
	:: atomic { hidden_leaving -> hidden_leaving = false; leaving = true }
	od
}

active proctype host()
{
	byte j;
	bool observed;

	do
	:: j < JOBS ->
		!hidden_sent;
#ifdef HOST_READS_FIRST
		observed = leaving;
#endif
		hidden_sent = true;
#ifndef HOST_NO_FENCE
		!hidden_sent;
#endif
#ifndef HOST_READS_FIRST
		observed = leaving;
#endif
		if
		:: !running -> start()
		:: running && observed ->
			do
			:: !leaving -> break
			:: exits == WORKERS + 1 -> start(); break
			od
		:: else
		fi;
		j++
#ifndef RESUME /* the wait for a job that none begins yet does not return */
	:: j > 0 && answers[j - 1] == 0 -> answers[j - 1] == 1 /* a wait, now or later */
#endif
	:: j == JOBS -> break
	od;
	for (j : 0 .. JOBS - 1) {
		answers[j] == 1
	}
}

/* Enqueues a parked job; j and its loop are the controller's. */
inline unpark(j)
{
	if
	:: parked[j] -> parked[j] = false; outstanding++; queued[j]++
	:: else
	fi
}

inline sweep()
{
	for (k : 0 .. JOBS - 1) {
		atomic { ready = (!paused[k] || cancelled[k]) && !begins[k] };
		if
		:: ready -> unpark(k)
		:: else
		fi
	}
}

active proctype controller()
{
	byte seen, before, k;
	bool ready;

end_next:
	atomic { starts > seen -> seen = starts };
	do
	:: sent > admitted ->
admit:		atomic { units[admitted] = 1; work_left[admitted] = 1 };
#ifdef RESUME
		if
		:: atomic { admitted < JOBS - 1 ->
			paused[admitted] = true; parked[admitted] = true; admitted++ };
			goto next
		:: else
		fi;
#endif
		outstanding++;
		if
		:: atomic { hand == 1 -> hand = 2 + admitted; admitted++ }
		:: atomic { hand != 1 -> queued[admitted]++; admitted++ }
		fi
#ifdef RESUME
	:: sweep()
	:: atomic { admitted > 0 && !cancelled[0] -> cancelled[0] = true; ready = !begins[0] };
#ifdef CANCEL_BLIND
		ready = true;
#endif
		if
		:: ready -> unpark(0)
		:: else
		fi
	:: outstanding == SERVICE_UNIT && sent == admitted ->
		before = resumed;
#ifndef NO_SWEEP
		sweep();
#endif
#ifndef SWEEP_ONCE
		if
		:: outstanding == SERVICE_UNIT
		:: else -> goto next
		fi;
		if
		:: resumed == before
		:: else -> goto next
		fi;
#endif
		hidden_leaving = true;
#else
	:: atomic { outstanding == SERVICE_UNIT && sent == admitted -> hidden_leaving = true };
#endif
#ifndef MEMBER_NO_FENCE
		!hidden_leaving;
#endif
#ifndef READS_ONCE
		if
		:: sent > admitted ->
			!hidden_leaving;
			leaving = false;
			goto admit
		:: else
		fi;
#endif
		atomic { outstanding = outstanding - SERVICE_UNIT; break };
next:		skip
	od;
	exits++;
	goto end_next
}

/* The worker's job begins the one before it, once. */
inline begin_other()
{
	if
	:: atomic { job > 0 && !has_begun[job] -> has_begun[job] = true };
		if
		:: atomic { paused[job - 1] && !cancelled[job - 1] -> begins[job - 1] = true };
			assert(answers[job - 1] == 0); /* nothing else has the record */
			atomic { begins[job - 1] = false; paused[job - 1] = false };
			resumed++
		:: else
		fi
	:: else
	fi
}

/* Enqueues a chunk of the worker's job. */
inline push_chunk()
{
	work_left[job]++;
#ifndef UNIT_LATE
	units[job]++;
#endif
	outstanding++;
	queued[job]++;
#ifdef UNIT_LATE
	units[job]++
#endif
}

inline release_unit()
{
	atomic {
		units[job]--;
		last = units[job] == 0
	}
	if
	:: last ->
		atomic {
			assert(!parked[job]);
			assert(work_left[job] == 0);
			answers[job]++;
			assert(answers[job] == 1)
		}
	:: else
	fi
}

active [WORKERS] proctype worker()
{
	byte seen, job;
	bool last;

end_next:
	atomic { starts > seen -> seen = starts };
	do
	:: atomic {
			ANY_QUEUED ->
			if
			:: queued[0] > 0 -> job = 0
			:: queued[1] > 0 -> job = 1
#if JOBS > 2
			:: queued[2] > 0 -> job = 2
#endif
			fi;
			queued[job]--
		}
execute:
#ifdef UNIT_EARLY
		release_unit();
#endif
		do
		:: atomic { spawned[job] < CHILDREN -> spawned[job]++; skip };
			push_chunk()
		:: break
		od;
#if defined(RESUME) && !defined(RESUME_LATE)
		begin_other();
#endif
		work_left[job]--;
#ifndef UNIT_EARLY
		release_unit();
#endif
#ifdef RESUME_LATE
		outstanding--;
		begin_other()
#else
		outstanding--
#endif
	:: atomic { hand == 0 && outstanding > 0 -> hand = 1 };
		if
		:: atomic { hand > 1 -> job = hand - 2; hand = 0; goto execute }
		:: ANY_QUEUED || outstanding == 0 ->
#ifdef WITHDRAW_BLIND
			hand = 0
#else
			if
			:: atomic { hand > 1 -> job = hand - 2; hand = 0; goto execute }
			:: atomic { hand == 1 -> hand = 0 }
			fi
#endif
		fi
	:: outstanding == 0 -> break
	od;
	exits++;
	goto end_next
}
