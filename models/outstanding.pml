/* outstanding: the outstanding count, by which libsched/core detects the end of a run. Spawning,
 * flushing, dequeueing and leaving as in core/flow.h, core/worker.h and deps/dynamic.h, for a
 * program without a rule.
 *
 * WORKERS workers run ROOTS tasks and their children: up to CHILDREN in all, spawned by any task in
 * batches of up to BATCH. A worker flushes its finished tasks after any task or after none,
 * independent of its clock, and counts PREPAID children in advance (LSCHED_I_CREDIT). No worker may
 * leave while a task is queued, kept or running; no worker may wait for ever when there is no such
 * task (an invalid end state); and the last one must leave the words valid for the next start.
 * `mirrors` lists the atomics, README.md states what each variant breaks.
 *
 * Memory: only one word matters. It is changed by additions only, so all workers see its changes in
 * one order, and an addition before a release store precedes any addition after the acquire load of
 * that store. Sequential consistency therefore covers all executions. The queue may report "empty"
 * and "full" at any time: a false "empty" only delays a worker, a false "full" moves an item to the
 * worker's own list. */
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

/* lsched_i_state.outstanding: tasks counted and not flushed as finished, minus ROOTS */
short outstanding;
byte queued, ticket, exits;
bool failed;

/* Variables of the assertions, which the algorithm does not read: tasks spawned and not finished;
 * children spawned. */
byte unfinished = ROOTS, spawned;

#ifdef CREDIT_RUNNING
#define UNFLUSHED (unflushed + 1)
#else
#define UNFLUSHED unflushed
#endif
#ifdef ROOTS_UNKNOWN
#define ALL_DONE (outstanding == 0)
#elif defined(EMPTY_IS_DONE)
#define ALL_DONE (queued == 0)
#else
#define ALL_DONE (outstanding + ROOTS == 0)
#endif

inline flush_finished()
{
	if
	:: unflushed > 0 -> atomic { outstanding = outstanding - unflushed; unflushed = 0 }
	:: else
	fi
}

proctype worker()
{
	/* worker.finished - worker_private.flushed: tasks finished or counted in advance */
	byte unflushed;
	byte own;       /* items in the own list */
	byte n, add;
	bool keep, no_more_roots;

next:	/* --- LSCHED_I_N(_dynamic): select the next task --- */
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

	/* --- lsched_i_dequeue: one attempt; if it fails, flush, then further attempts --- */
	if
	:: atomic { queued > 0 -> queued--; goto body }
	:: skip
	fi;
#ifndef NO_FLUSH
	flush_finished();
#endif
	if
	:: atomic { queued > 0 -> queued-- }
	:: atomic { ALL_DONE -> assert(failed || unfinished == 0); goto leave }
	:: failed -> goto leave
	fi;

body:	/* --- the body, which calls lsched_i_spawn --- */
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
			:: n > UNFLUSHED ->
				add = n - UNFLUSHED + PREPAID;
				unflushed = PREPAID
			:: else ->
#ifndef CREDIT_TWICE
				unflushed = UNFLUSHED - n
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
		:: add > 0 -> atomic { outstanding = outstanding + add; add = 0 }
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
		:: add > 0 -> atomic { outstanding = outstanding + add; add = 0 }
		:: else
		fi
#endif
#ifdef FAILURES
	:: failed = true; goto leave
#endif
	:: atomic { unfinished--; break }
	od;

	/* --- lsched_i_task_finished: flush now or later, depending on the clock --- */
	unflushed++;
	if
	:: flush_finished();
		if
		:: failed -> goto leave
		:: else
		fi
	:: skip
	fi;
	goto next;

leave:	/* --- lsched_i_add_counters, lsched_i_reset_state --- */
	flush_finished();
	atomic {
		exits++;
		assert(failed || unfinished == 0);
#ifdef FIRST_CLEANS
		if
		:: exits == 1 -> outstanding = 0
		:: else
		fi;
#endif
		if
		:: exits == WORKERS && !failed ->
			assert(queued == 0);
#ifndef FIRST_CLEANS
			assert(outstanding + ROOTS == 0);
#endif
			outstanding = 0; ticket = 0
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
