/* live: the outstanding count, by which libsched/core detects the end of a run. Spawning, flushing,
 * dequeueing and leaving as in core/flow.h, core/worker.h and deps/dynamic.h, for a program without
 * a rule.
 *
 * WORKERS workers run ROOTS tasks and what these spawn: up to CHILDREN in all, in batches of up to
 * BATCH, by any task, as often as it likes. A worker settles after any task or does not, whatever
 * its pace, and pays for PREPAID children in advance (LSCHED_I_CREDIT). No worker may leave while a
 * task is queued, kept or running; none may wait for ever when no task is (an invalid end state);
 * and the last one must leave the words valid for the next start. `mirrors` lists the atomics,
 * README.md states what each variant breaks.
 *
 * Memory: only one word matters, changed by additions only, so that all workers see its changes in
 * one order; and an addition before a release store precedes any addition after the acquire load
 * that saw the store. Sequential consistency therefore covers all executions. The queue
 * may say "empty" and "full" at any time: a false "empty" only delays, a false "full" sends an item
 * to the own list. */
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef ROOTS
#define ROOTS 2
#endif
#ifndef CHILDREN
#define CHILDREN 4
#endif
#ifndef BATCH
#define BATCH 2
#endif
#ifndef PREPAID
#define PREPAID 1
#endif

short live; /* lsched_i_state.live: tasks known of and not settled, minus ROOTS */
byte queued, ticket, exits;
bool failed;

/* What must hold, kept outside of the algorithm: tasks made and not finished; children made. */
byte unfinished = ROOTS, spawned;

#ifdef CREDIT_RUNNING
#define UNSETTLED (unsettled + 1)
#else
#define UNSETTLED unsettled
#endif
#ifdef ROOTS_UNKNOWN
#define ALL_DONE (live == 0)
#elif defined(EMPTY_IS_DONE)
#define ALL_DONE (queued == 0)
#else
#define ALL_DONE (live + ROOTS == 0)
#endif

inline settle()
{
	if
	:: unsettled > 0 -> atomic { live = live - unsettled; unsettled = 0 }
	:: else
	fi
}

proctype worker()
{
	/* worker.finished - worker_private.flushed: finished, or counted in advance */
	byte unsettled;
	byte own;       /* items in the own list */
	byte n, add;
	bool keep, no_more_roots;

next:	/* --- LSCHED_I_N(_dynamic): which task is next --- */
	if
	:: keep -> keep = false; goto body
	:: !keep && own > 0 -> own--; goto body
	:: !keep && own == 0 && !no_more_roots ->
		atomic {
			ticket++;
			if
			:: ticket <= ROOTS && !failed -> goto body
			:: else -> no_more_roots = true
			fi
		}
	:: !keep && own == 0 && no_more_roots -> skip
	fi;

	/* --- lsched_i_dequeue: a look at the queue, then settled, and looking from then on --- */
	if
	:: atomic { queued > 0 -> queued--; goto body }
	:: skip
	fi;
#ifndef NO_SETTLE
	settle();
#endif
	if
	:: atomic { queued > 0 -> queued-- }
	:: atomic { ALL_DONE -> assert(failed || unfinished == 0); goto leave }
	:: failed -> goto leave
	fi;

body:	/* --- the body, and lsched_i_spawn from it --- */
	do
	:: atomic { spawned < CHILDREN -> n = 1 }
#if BATCH > 1
		if :: n = 2 :: skip fi;
#endif
		atomic {
			if
			:: spawned + n > CHILDREN -> n = CHILDREN - spawned
			:: else
			fi;
			spawned = spawned + n;
			unfinished = unfinished + n;
			if
			:: n > UNSETTLED ->
				add = n - UNSETTLED + PREPAID;
				unsettled = PREPAID
			:: else ->
#ifndef CREDIT_TWICE
				unsettled = UNSETTLED - n
#endif
			fi;
#ifdef PREPAID_FREE
			add = (add > 0 -> add - PREPAID : 0);
#endif
#ifdef KEPT_FREE
			add = (!keep && add > 0 -> add - 1 : add)
#endif
		}
#ifndef LATE_ADD
		if
		:: add > 0 -> atomic { live = live + add; add = 0 }
		:: else
		fi;
#endif
#ifndef NEVER_KEEP
		atomic {
			if
			:: !keep && n > 0 -> keep = true; n--
			:: else
			fi
		}
#endif
		do
		:: n == 0 -> break
		:: n > 0 -> atomic { queued++; n-- }
		:: n > 0 -> atomic { own++; n-- }
		od;
#ifdef LATE_ADD
		if
		:: add > 0 -> atomic { live = live + add; add = 0 }
		:: else
		fi
#endif
#ifdef FAILURES
	:: failed = true; goto leave
#endif
	:: atomic { unfinished--; break }
	od;

	/* --- lsched_i_task_finished: by its clock and pace it settles now, or later --- */
	unsettled++;
	if
	:: settle();
		if
		:: failed -> goto leave
		:: else
		fi
	:: skip
	fi;
	goto next;

leave:	/* --- lsched_i_add_counters, lsched_i_reset_state --- */
	settle();
	atomic {
		exits++;
		assert(failed || unfinished == 0);
#ifdef FIRST_CLEANS
		if
		:: exits == 1 -> live = 0
		:: else
		fi;
#endif
		if
		:: exits == WORKERS && !failed ->
			assert(queued == 0);
#ifndef FIRST_CLEANS
			assert(live + ROOTS == 0);
#endif
			live = 0; ticket = 0
		:: else
		fi
	}
}

init
{
	byte p;

	atomic {
		do
		:: p < WORKERS -> run worker(); p++
		:: else -> break
		od
	}
}
