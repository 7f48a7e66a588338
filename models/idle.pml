/* idle: the sleep of idle CPU workers, as in core/idle.h, core/wake.h and cpu/sleep.c.
 *
 * A producer enqueues ITEMS items in batches and wakes one worker after each. Each task waits until
 * all items have been dequeued, so as many workers must be awake at the same time; the last task
 * wakes all. A sleep has no end of its own here, unlike in the library: a worker that sleeps for
 * ever while an item is left, or after the end, is an invalid end state. `mirrors` lists the
 * atomics, README.md states what each variant breaks.
 *
 * Memory: what a thread stores (items, finished tasks) is visible to others at any later time, so a
 * poll may find it or not, and at the latest after a worker's barrier, which acts on all threads
 * (membarrier). The words of the
 * sleep itself are changed by atomic operations and stores that the worker's barrier follows.
 * A poll that finds no item although there is one, because another worker is stealing, is not
 * modelled. */
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef ITEMS
#define ITEMS WORKERS
#endif

byte items, hidden_items;       /* in the queue; stored, but not visible to others yet */
byte finished, hidden_finished; /* tasks */
byte taken;                     /* items dequeued; the tasks read it */
byte sleepers;                  /* lsched_i_state.idle */
bool searching;
bool wakes[WORKERS]; /* whether idle.wakes was incremented since this worker has read it */
bool asleep[WORKERS]; /* in futex(2) */

#if WORKERS > 2
#define OF_ALL(word, value) atomic { word[0] = value; word[1] = value; word[2] = value }
#else
#define OF_ALL(word, value) atomic { word[0] = value; word[1] = value }
#endif

/* Makes all stores visible. */
inline drain()
{
	items = items + hidden_items;
	hidden_items = 0;
	finished = finished + hidden_finished;
	hidden_finished = 0
}

/* futex(2), FUTEX_WAKE of one sleeper; which one is not determined. */
inline wake_sleeper()
{
	atomic {
		if
		:: asleep[0] -> asleep[0] = false
		:: asleep[1] -> asleep[1] = false
#if WORKERS > 2
		:: asleep[2] -> asleep[2] = false
#endif
		:: else
		fi
	}
}

inline wake_one()
{
	if
	:: sleepers > 0 ->
		if
		:: !searching ->
			atomic {
				won = !searching;
				searching = true
			}
			if
			:: won ->
				won = false;
				OF_ALL(wakes, true);
				wake_sleeper()
			:: else
			fi
		:: else
		fi
	:: else
	fi
}

active proctype producer()
{
	byte left = ITEMS;
	bool won;

	do
	:: left > 0 ->
#ifdef WAKE_FIRST
		wake_one();
#endif
		atomic {
			if
			:: left = left - 1; hidden_items = hidden_items + 1
			:: left > 1 -> left = left - 2; hidden_items = hidden_items + 2
			fi
		}
#ifndef WAKE_FIRST
		wake_one()
#endif
	:: else -> break
	od
}

/* One step of the wait after a poll that found no item. */
inline idle_wait()
{
	if
	:: !announced ->
#ifndef SEEN_LATE
		wakes[_pid - 1] = false;
#endif
		searching = false;
		sleepers++;
#ifndef NO_BARRIER
		atomic { drain() };
#endif
#ifdef SEEN_LATE
		wakes[_pid - 1] = false;
#endif
		announced = true
	:: else ->
		atomic {
			if
			:: !wakes[_pid - 1] -> asleep[_pid - 1] = true
			:: else
			fi
		}
		atomic {
			!asleep[_pid - 1];
			sleepers--;
			announced = false;
			slept = true
		}
	fi
}

inline idle_end()
{
	if
	:: announced -> atomic { sleepers--; announced = false; slept = true }
	:: else
	fi;
	if
	:: slept ->
#ifndef KEEPS_SEARCHING
		searching = false;
#endif
		slept = false;
#ifndef NO_CHAIN
		wake_one()
#endif
	:: else
	fi
}

active [WORKERS] proctype worker()
{
	bool announced, slept, won, last;

	do
	:: atomic { items + hidden_items > 0 -> drain(); items--; taken++ };
		idle_end();
		taken == ITEMS;
		atomic {
			hidden_finished++;
			last = finished + hidden_finished == ITEMS
		}
		if
		:: last && sleepers > 0 ->
			OF_ALL(wakes, true);
			last = false;
			OF_ALL(asleep, false)
		:: else
		fi
	:: finished + hidden_finished == ITEMS -> break
	:: items == 0 && finished != ITEMS ->
#ifdef SLEEP_AT_ONCE
		if
		:: !announced -> idle_wait()
		:: else
		fi;
#endif
		idle_wait()
	od;
	idle_end()
}
