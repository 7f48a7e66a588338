/* ring: the tickets and the two counts of libsched/queue/ring.h.
 *
 * GIVERS + TAKERS processes push and pop for ever, in batches of up to BATCH, on a ring of 2
 * slots; with LINES the takers stand in line instead, with AT_ONCE (processors) a count and a ticket are
 * one word. Each may stop between two operations, so a
 * ticket holder that waits in vain is seen when nothing moves any more. Tickets wrap after TICKETS. `mirrors` names the lines, README.md says what each
 * variant breaks.
 *
 * Memory: additions act at once. A store to a slot, and the payload written before it, wait in a
 * buffer of their process and reach memory in any order, but a release store only behind all
 * before it. */
#ifndef GIVERS
#define GIVERS 2
#endif
#ifndef TAKERS
#define TAKERS 2
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef TICKETS
#define TICKETS 8
#endif
#define SLOTS    2
/* What is pushed. For one taker: giver and number, to see the order (numbers wrap; there are more
 * than can be on their way). For several, who have no common order, the ticket itself: fewer states. */
#define NUMBERS 4
#if TAKERS == 1
#define ITEM(me, t) ((me) * NUMBERS + number)
#define ITEMS       (GIVERS * NUMBERS)
#else
#define ITEM(me, t) (t)
#define ITEMS       TICKETS
#endif
#define WORKERS  (GIVERS + TAKERS)
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

/* the words of the queue */
short avail, used;
byte head, tail;
byte seq[SLOTS];  /* upper half of a slot */
byte item[SLOTS]; /* lower half: giver * NUMBERS + number */
bool payload[SLOTS];

/* the buffers */
byte buffered[WORKERS * SLOTS] = NONE; /* sequence of a store to a slot, NONE: none waits */
byte carried[WORKERS * SLOTS];         /* its item */
#ifdef RELAXED_PUBLISH
bool words[WORKERS * SLOTS]; /* the payload of that item waits */
#endif

/* what must hold, kept outside of the algorithm */
bool inside[ITEMS]; /* pushed and not popped */
byte count;                    /* of them */
byte budget = SLOTS;           /* NO_LIMIT: items that the host knows to fit into a start */
byte ended, waiting;
bool over; /* the run: who stands in line leaves */
#if TAKERS == 1
byte expected[GIVERS]; /* the next number from each giver */
#endif

#ifdef ONE_COUNT
#define PLACES avail
#else
#define PLACES used
#endif

/* The store buffer's own doing. The payload has to leave before the release store of its slot, and
 * matters to nobody until then, so the two leave in one step. */
#ifdef RELAXED_PUBLISH
#define PUBLISHED(p, s)
#define DRAIN_PAYLOAD(p, s) \
	:: d_step { words[AT(p, s)] -> words[AT(p, s)] = false; payload[s] = true }
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

/* A process sees its own store at once: until that has left, it reads no other value there. */
#define READS(p, t, value) (buffered[AT(p, SLOT(t))] == NONE && SAME(seq[SLOT(t)], value))

proctype giver(byte me)
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
			had = PLACES; PLACES = PLACES + n;
			got = (had < SLOTS -> SLOTS - had : 0);
			got = (got < n -> got : n)
		}
		if
		:: got < n -> PLACES = PLACES - (n - got)
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
			/* the load that waits and the store into the buffer: one step, for nobody
			 * sees the store yet */
			d_step {
#if BOUNDED && !defined(GIVER_NO_WAIT)
				READS(me, t, SEQ(t)) ->
#else
				buffered[AT(me, SLOT(t))] == NONE ->
#endif
				assert(!inside[ITEM(me, t)]); /* or NUMBERS is too small */
				inside[ITEM(me, t)] = true;
				count++;
#ifdef RELAXED_PUBLISH
				words[AT(me, SLOT(t))] = true;
#endif
				buffered[AT(me, SLOT(t))] = FILLED(t);
				carried[AT(me, SLOT(t))] = ITEM(me, t);
#if TAKERS == 1
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

/* What a ticket holder does with the filled slot: the load, the checks, the store into the buffer. */
inline take_out()
{
	v = item[SLOT(t)];
	assert(inside[v]); /* else twice, or never pushed */
#if TAKERS > 1
	assert(v == t);
#endif
	inside[v] = false;
	count--;
#ifndef RELAXED_TAKE
	early = payload[SLOT(t)];
#endif
	assert(early); /* what was written before the push is seen after the pop */
	early = false;
	payload[SLOT(t)] = false;
#if TAKERS == 1
	assert(v % NUMBERS == expected[v / NUMBERS]); /* first in, first out */
	expected[v / NUMBERS] = (expected[v / NUMBERS] + 1) % NUMBERS;
#endif
	v = 0;
#if BOUNDED
	buffered[AT(me, SLOT(t))] = NEXT(t)
#endif
}

proctype taker(byte me)
{
	short have;
	byte want, got, t, i, v;
	bool early;

	do
	:: break
#if !defined(LINES) || defined(MIXED)
	:: avail > 0 ->
		want = 1;
#if BATCH == 2
		if :: want = 2 :: skip fi;
#endif
		/* lsched_i_ring_claim */
		d_step {
			have = avail; avail = avail - want;
#ifdef UNSIGNED_TAKE
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
#ifdef RELAXED_TAKE
			/* what lies behind the item may be read before the slot is */
			early = payload[SLOT(t)];
#endif
			d_step {
#ifdef TAKER_NO_WAIT
				buffered[AT(me, SLOT(t))] == NONE ->
				assert(seq[SLOT(t)] == FILLED(t)); /* an unfilled slot is no item */
#else
				READS(me, t, FILLED(t)) ->
#endif
				take_out();
				t = (t + 1) % TICKETS;
				i++
			}
		od;
#if BOUNDED && !defined(ONE_COUNT) && !defined(AT_ONCE)
		used = used - got;
#endif
next:		atomic { i = 0; got = 0; t = 0 }
#endif
#ifdef LINES
	:: true ->
		/* --- lsched_ring_wait: a ticket first, then looking at its slot until the end --- */
		d_step { t = head; head = (head + 1) % TICKETS }
		avail = avail - 1;
		waiting++;
		if
		:: d_step {
			READS(me, t, FILLED(t)) ->
			take_out();
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
			:: p < GIVERS -> run giver(p); p++
			:: p >= GIVERS && p < WORKERS -> run taker(p); p++
			:: p == WORKERS -> break
			od;
			p = 0
		}
		/* Nothing moves any more: all have stopped, or stand in line, or else wait in vain. What
		 * the counts say is true, and nobody stands in line while an item is left. */
		timeout ->
		d_step {
			assert(ended + waiting == WORKERS);
			assert(waiting == 0 || count == 0);
			assert(avail == count - waiting);
			assert(!BOUNDED || PLACES == count);
			assert((tail + 2 * TICKETS - head) % TICKETS == (count + TICKETS - waiting) % TICKETS);
			/* lsched_ring_end, when all is done */
			if
			:: count == 0 ->
				head = tail; avail = 0;
				p = (tail + 1) % TICKETS;
#if BOUNDED
				assert(seq[SLOT(tail)] == SEQ(tail));
				assert(seq[SLOT(p)] == SEQ(p))
#else
				/* nothing is marked free: what lies there is no item of the next start */
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
		/* the host waits for a run's end before it starts the next: nothing is left inside */
		if
		:: starts < STARTS && count == 0 -> budget = SLOTS
		:: else -> break
		fi
	od
}
