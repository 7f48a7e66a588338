/* steal: the deque of libsched/queue/deque.h, one owner and THIEVES thieves, with the THE protocol.
 *
 * The owner pushes PUSHES items and pops up to BATCH at a time, in any order; each thief tries to
 * steal STEALS times, half of the items it sees. Every item must be popped once, with the value
 * that the owner pushed, and when the owner finds the deque empty no item may be left. `mirrors`
 * lists the atomics, README.md states what each variant breaks.
 *
 * Memory: stores wait in a buffer of their process and reach memory at any later time, in order for
 * each word, in any order for different words; a release store follows all stores before it. The
 * owner's addition to the tail waits like a store: only the owner writes the tail. A fence waits
 * until the buffer is empty. Compare-and-swaps act at once; loads read memory in program order. */
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef STEALS
#define STEALS 2
#endif
#ifndef PUSHES
#define PUSHES 4
#endif
#ifndef BATCH
#define BATCH 1
#endif
#define BIN     2
#define NOTHING 255

/* the words of the bin */
byte tail, head, freed, slot[BIN] = NOTHING;
bool lock;

/* the buffers: the owner's stores to the tail (value, whether it is a release store) and to the
 * items; the thieves' stores to head and freed */
chan tails = [3] of { byte, bool };
byte late[BIN] = NOTHING, waiting;
byte late_head[THIEVES] = NOTHING, late_freed[THIEVES] = NOTHING;

/* variables of the assertions, which the algorithm does not read */
bool taken[PUSHES]; /* popped or stolen */
byte count, items;

inline take(item)
{
	assert(item != NOTHING); /* the slot has been written */
	assert(!taken[item]);
	taken[item] = true;
	count++
}

#define DRAIN_THIEF(p)                                                                       \
	:: d_step { late_head[p] != NOTHING -> head = late_head[p]; late_head[p] = NOTHING } \
	:: d_step { late_freed[p] != NOTHING && late_head[p] == NOTHING ->                   \
		freed = late_freed[p]; late_freed[p] = NOTHING }

active proctype memory()
{
	byte v;

end:	do
	:: atomic { tails?[v, false] -> tails?v, false; tail = v; v = 0 }
#ifdef RELAXED_PUSH
	:: atomic { tails?[v, true] -> tails?v, true; tail = v; v = 0 }
#else
	:: atomic { waiting == 0 && tails?[v, true] -> tails?v, true; tail = v; v = 0 }
#endif
	:: d_step { late[0] != NOTHING -> slot[0] = late[0]; late[0] = NOTHING; waiting-- }
	:: d_step { late[1] != NOTHING -> slot[1] = late[1]; late[1] = NOTHING; waiting-- }
	DRAIN_THIEF(0)
#if THIEVES > 1
	DRAIN_THIEF(1)
#endif
	od
}

#define OWNER_DRAINED (len(tails) == 0 && waiting == 0)

proctype owner()
{
	byte q_tail, q_freed; /* of lsched_i_worker_private.q */
	byte got, h, v;

	do
	:: items < PUSHES ->
		/* --- lsched_i_deque_push --- */
		if
		:: q_tail - q_freed == BIN ->
#ifdef ROOM_BY_HEAD
			q_freed = head
#else
			q_freed = freed
#endif
		:: else
		fi;
		if
		:: q_tail - q_freed < BIN ->
			atomic {
				/* the buffer holds one store per word */
				late[q_tail % BIN] == NOTHING;
				late[q_tail % BIN] = items;
				waiting++;
				items++
			}
			q_tail++;
			tails!q_tail, true
		:: else
		fi
	:: q_tail != q_freed ->
		/* --- lsched_i_deque_pop --- */
		got = 1;
#if BATCH > 1
		if :: q_tail - q_freed > 1 -> got = 2 :: skip fi;
#endif
		tails!q_tail - got, false;
#ifndef OWNER_NO_FENCE
		OWNER_DRAINED;
#endif
		h = head;
		if
		:: h > q_tail - got ->
			/* --- lsched_i_deque_settle --- */
#ifndef OWNER_NO_LOCK
			atomic { !lock -> lock = true }
#endif
			h = head;
			got = (got < q_tail - h -> got : q_tail - h);
			tails!q_tail - got, false;
			q_freed = h;
#ifndef OWNER_NO_LOCK
			OWNER_DRAINED;
			assert(freed == h); /* no thief is between its two stores */
			lock = false
#endif
		:: else
		fi;
		q_tail = q_tail - got;
		h = 0;
		/* the items are the owner's own stores */
		do
		:: got > 0 ->
			d_step {
				got--;
				v = (late[(q_tail + got) % BIN] != NOTHING ->
					late[(q_tail + got) % BIN] : slot[(q_tail + got) % BIN]);
				take(v);
				v = 0
			}
		:: else -> break
		od
	:: items == PUSHES && q_tail == q_freed -> break
	od
}

proctype thief(byte me)
{
	byte tries, h, got, n, v[BIN];

	do
	:: tries == STEALS -> break
	:: else ->
		/* --- lsched_i_deque_steal --- */
		tries++;
		if
		:: atomic { !lock -> lock = true }
			h = head;
			got = (tail > h -> (tail - h + 1) / 2 : 0);
			if
			:: got > 0 ->
				late_head[me] = h + got;
#ifndef THIEF_NO_FENCE
				late_head[me] == NOTHING;
#endif
#ifndef THIEF_KEEPS
				if
				:: tail < h + got ->
					/* the previous store to the same word */
					late_head[me] == NOTHING;
#ifndef NO_DRAW_BACK
					late_head[me] = h;
#endif
					got = 0
				:: else
				fi
#endif
			:: else
			fi;
#ifndef UNLOCK_EARLY
			if
			:: got == 0 ->
#endif
				late_head[me] == NOTHING;
				lock = false
#ifndef UNLOCK_EARLY
			:: else
			fi
#endif
			;
			n = 0;
			do
			:: n < got -> v[n] = slot[(h + n) % BIN]; n++
			:: else -> break
			od;
			if
			:: got > 0 ->
				d_step {
					n = 0;
					do
					:: n < got -> take(v[n]); v[n] = 0; n++
					:: else -> break
					od
				}
				late_freed[me] == NOTHING;
				late_freed[me] = h + got;
#ifndef UNLOCK_EARLY
				late_head[me] == NOTHING && late_freed[me] == NOTHING;
				lock = false
#endif
			:: else
			fi;
			h = 0; got = 0; n = 0
		:: lock -> skip /* another process holds the lock: the attempt ends */
		fi
	od
}

init
{
	byte p;

	atomic {
		run owner();
		do
		:: p < THIEVES -> run thief(p); p++
		:: else -> break
		od
	}
	/* owner and thieves have ended and the buffers are empty: no item is lost */
	_nr_pr == 2 && OWNER_DRAINED;
	assert(count == items && head == tail)
}
