/* ring: the tickets and the two counts of libsched/queue/ring.h.
 *
 * PRODUCERS + CONSUMERS processes push and pop for ever, in batches of up to BATCH, on a ring of 2
 * slots. With TICKET_WAIT the consumers wait on tickets instead; with AT_ONCE (CPU) a count and a
 * ticket are one word. Each process may end between two operations, so a ticket holder that waits
 * for ever is detected: no process can continue. Tickets wrap after TICKETS. `mirrors` lists the
 * atomics, README.md states what each variant breaks.
 *
 * Memory: additions act at once. A store to a slot, and the payload written before it, wait in a
 * buffer of their process and reach memory in any order, except that a release store follows all
 * stores before it. */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef TICKETS
#define TICKETS 8
#endif
#define SLOTS    2
/* An item is, with one consumer, the producer and a number, for a check of the order; numbers wrap
 * after more items than can be queued at once. Several consumers have no common order, so there an
 * item is its ticket, which leads to fewer states. */
#define NUMBERS 4
#if CONSUMERS == 1
#define ITEM(me, t) ((me) * NUMBERS + number)
#define ITEMS       (PRODUCERS * NUMBERS)
#else
#define ITEM(me, t) (t)
#define ITEMS       TICKETS
#endif
#define WORKERS  (PRODUCERS + CONSUMERS)
#define NONE     255
#define AT(p, s) ((p) * SLOTS + (s))

#if defined(NO_LIMIT)
#define STARTS 4
#define BOUNDED 0
#else
#define STARTS 1
#define BOUNDED 1
#endif


/* tickets */
#define SLOT(t)   ((t) % SLOTS)
#define SEQ(t)    ((t) - SLOT(t))
#define FILLED(t) (SEQ(t) + 1)
#ifdef NO_ROUND
#define SAME(a, b) ((a) % 2 == (b) % 2)
#else
#define SAME(a, b) ((a) == (b))
#endif
#ifdef SAME_ROUND
#define NEXT(t) SEQ(t)
#else
#define NEXT(t) ((SEQ(t) + SLOTS) % TICKETS)
#endif

/* the payload_buffered of the queue */
short avail, used;
byte head, tail;
byte seq[SLOTS];  /* upper half of a slot */
byte item[SLOTS]; /* lower half: producer * NUMBERS + number */
bool payload[SLOTS];

/* the buffers */
byte buffered[WORKERS * SLOTS] = NONE; /* sequence number of a buffered store, NONE: no store */
byte carried[WORKERS * SLOTS];         /* the item of that store */
#ifdef RELAXED_PUBLISH
bool payload_buffered[WORKERS * SLOTS]; /* the payload of that item is in the buffer */
#endif

/* variables of the assertions, which the algorithm does not read */
bool inside[ITEMS];  /* pushed and not popped */
byte count;          /* of such items */
byte budget = SLOTS; /* NO_LIMIT: pushes left in this start, which the host limits to SLOTS */
byte ended, waiting; /* number of processes */
bool over;           /* end of the run: waiting consumers leave */
#if CONSUMERS == 1
byte expected[PRODUCERS]; /* the next number from each producer */
#endif

#ifdef ONE_COUNT
#define RESERVED avail
#else
#define RESERVED used
#endif

/* The store buffer. The payload leaves it before the release store of its slot, and no process
 * reads the payload before that store, so both leave in one step. */
#ifdef RELAXED_PUBLISH
#define PUBLISHED(p, s)
#define DRAIN_PAYLOAD(p, s) \
	:: d_step {                                  \
		payload_buffered[AT(p, s)] ->        \
		payload_buffered[AT(p, s)] = false;  \
		payload[s] = true                    \
	}
#else
#define PUBLISHED(p, s)     if :: seq[s] % 2 -> payload[s] = true :: else fi;
#define DRAIN_PAYLOAD(p, s)
#endif
#define DRAIN(p, s)                                                            \
	:: d_step {                                                            \
		buffered[AT(p, s)] != NONE ->                                  \
		seq[s] = buffered[AT(p, s)]; item[s] = carried[AT(p, s)];      \
		PUBLISHED(p, s) buffered[AT(p, s)] = NONE; carried[AT(p, s)] = 0 \
	}                                                                      \
	DRAIN_PAYLOAD(p, s)

active proctype memory()
{
end:	do
	DRAIN(0, 0)
	DRAIN(0, 1)
	DRAIN(1, 0)
	DRAIN(1, 1)
#if WORKERS > 2
	DRAIN(2, 0)
	DRAIN(2, 1)
#endif
#if WORKERS > 3
	DRAIN(3, 0)
	DRAIN(3, 1)
#endif
	od
}

/* Whether process p reads this value in the slot of ticket t. A process sees its own store at once:
 * while the store is in the buffer, the process reads no other value there. */
#define READS(p, t, value) (buffered[AT(p, SLOT(t))] == NONE && SAME(seq[SLOT(t)], value))

proctype producer(byte me)
{
	short had;
	byte n, got, t, number;

	do
	:: break
	:: true ->
		n = 1;
#if BATCH == 2
		if :: n = 2 :: skip fi;
#endif
#if BOUNDED
		/* lsched_i_ring_reserve */
		d_step {
			had = RESERVED; RESERVED = RESERVED + n;
			got = (had < SLOTS -> SLOTS - had : 0);
			got = (got < n -> got : n)
		}
		if
		:: got < n -> RESERVED = RESERVED - (n - got)
		:: else
		fi;
#else
		d_step {
			got = (budget < n -> budget : n);
			budget = budget - got
		}
#endif
		had = 0;
		if
		:: got == 0 -> n = 0; goto next
		:: else
		fi;
		n = 0;
		d_step {
			t = tail; tail = (tail + got) % TICKETS;
#ifdef AT_ONCE
			avail = avail + got
#endif
		}
		do
		:: n == got -> break
		:: else ->
			/* the load that waits and the store into the buffer
			 * are one step, because no other process sees the
			 * store yet */
			d_step {
#if BOUNDED && !defined(PRODUCER_NO_WAIT)
				READS(me, t, SEQ(t)) ->
#else
				buffered[AT(me, SLOT(t))] == NONE ->
#endif
				assert(!inside[ITEM(me, t)]); /* fails if NUMBERS is too small */
				inside[ITEM(me, t)] = true;
				count++;
#ifdef RELAXED_PUBLISH
				payload_buffered[AT(me, SLOT(t))] = true;
#endif
				buffered[AT(me, SLOT(t))] = FILLED(t);
				carried[AT(me, SLOT(t))] = ITEM(me, t);
#if CONSUMERS == 1
				number = (number + 1) % NUMBERS;
#endif
				t = (t + 1) % TICKETS;
				n++
			}
		od;
#if !defined(ONE_COUNT) && !defined(AT_ONCE)
		avail = avail + got;
#endif
next:		atomic { n = 0; got = 0; t = 0 }
	od;
	ended++
}

/* Dequeues as the holder of ticket t: the load, the assertions, the store into the buffer. */
inline dequeue()
{
	v = item[SLOT(t)];
	assert(inside[v]); /* pushed, and not popped before */
#if CONSUMERS > 1
	assert(v == t);
#endif
	inside[v] = false;
	count--;
#ifndef RELAXED_POP
	early = payload[SLOT(t)];
#endif
	assert(early); /* writes before the push are visible after the pop */
	early = false;
	payload[SLOT(t)] = false;
#if CONSUMERS == 1
	assert(v % NUMBERS == expected[v / NUMBERS]); /* first in, first out */
	expected[v / NUMBERS] = (expected[v / NUMBERS] + 1) % NUMBERS;
#endif
	v = 0;
#if BOUNDED
	buffered[AT(me, SLOT(t))] = NEXT(t)
#endif
}

proctype consumer(byte me)
{
	short have;
	byte want, got, t, i, v;
	bool early;

	do
	:: break
#if !defined(TICKET_WAIT) || defined(MIXED)
	:: avail > 0 ->
		want = 1;
#if BATCH == 2
		if :: want = 2 :: skip fi;
#endif
		/* lsched_i_ring_claim */
		d_step {
			have = avail; avail = avail - want;
#ifdef UNSIGNED_POP
			got = (have == 0 -> 0 : (have > 0 && have < want -> have : want))
#else
			got = (have <= 0 -> 0 : (have < want -> have : want))
#endif
			have = 0
		}
		if
		:: got < want ->
#ifdef NO_UNDO
			skip
#else
			avail = avail + (want - got)
#endif
		:: else
		fi;
		want = 0;
		if
		:: got == 0 -> goto next
		:: else
		fi;
		d_step {
			t = head; head = (head + got) % TICKETS;
#if BOUNDED && defined(AT_ONCE)
			used = used - got
#endif
		}
		do
		:: i == got -> break
		:: else ->
#ifdef RELAXED_POP
			/* without acquire, the payload may be read before the slot */
			early = payload[SLOT(t)];
#endif
			d_step {
#ifdef CONSUMER_NO_WAIT
				buffered[AT(me, SLOT(t))] == NONE ->
				assert(seq[SLOT(t)] == FILLED(t)); /* an unfilled slot is no item */
#else
				READS(me, t, FILLED(t)) ->
#endif
				dequeue();
				t = (t + 1) % TICKETS;
				i++
			}
		od;
#if BOUNDED && !defined(ONE_COUNT) && !defined(AT_ONCE)
		used = used - got;
#endif
next:		atomic { i = 0; got = 0; t = 0 }
#endif
#ifdef TICKET_WAIT
	:: true ->
		/* --- lsched_ring_wait: draws a ticket, then polls its slot until the end --- */
		d_step { t = head; head = (head + 1) % TICKETS }
		avail = avail - 1;
		waiting++;
		if
		:: d_step {
			READS(me, t, FILLED(t)) ->
			dequeue();
			waiting--
		}
#if BOUNDED
			used = used - 1;
#endif
			t = 0
		:: d_step { over -> waiting--; t = 0; early = false }
			break
		fi
#endif
	od;
	ended++
}

init
{
	byte p, starts;

	do
	:: starts == STARTS -> break
	:: else ->
		atomic {
			p = 0;
			do
			:: p < PRODUCERS -> run producer(p); p++
			:: p >= PRODUCERS && p < WORKERS -> run consumer(p); p++
			:: p == WORKERS -> break
			od;
			p = 0
		}
		/* No process can continue: each has ended, waits on a ticket, or waits for ever.
		 * The counts are exact, and no consumer waits while an item is left. */
		timeout ->
		d_step {
			assert(ended + waiting == WORKERS);
			assert(waiting == 0 || count == 0);
			assert(avail == count - waiting);
			assert(!BOUNDED || RESERVED == count);
			assert((tail + 2 * TICKETS - head) % TICKETS ==
				(count + TICKETS - waiting) % TICKETS);
			/* lsched_ring_end, at the end of the run */
			if
			:: count == 0 ->
				head = tail; avail = 0;
				p = (tail + 1) % TICKETS;
#if BOUNDED
				assert(seq[SLOT(tail)] == SEQ(tail));
				assert(seq[SLOT(p)] == SEQ(p))
#else
				/* slots are not cleared: their contents are no item of the next
				 * start */
				assert(seq[SLOT(tail)] != FILLED(tail));
				assert(seq[SLOT(p)] != FILLED(p))
#endif
			:: else
			fi;
			p = 0;
			over = true;
			starts++
		}
		d_step { ended == WORKERS -> ended = 0; over = false }
		/* the host starts the next run after the end of this one, when the ring is empty */
		if
		:: starts < STARTS && count == 0 -> budget = SLOTS
		:: else -> break
		fi
	od
}
