/* abp: the deque of libsched/queue/abp.h, one owner and THIEVES thieves, on a weak memory.
 *
 * The owner pushes PUSHES items in batches of up to BATCH and pops up to BATCH at a time, in any
 * order; each thief tries to steal STEALS times. Every item must be popped once, its consumer must
 * see its producer's writes, and when a pop of the owner finds the deque empty all items must have
 * been popped. `mirrors` lists the atomics, README.md states what each variant breaks.
 *
 * Memory: a store reaches each other process at a time of its own, so two thieves may temporarily
 * see different values. The model keeps a list of the stores to each word and, for each process,
 * the length of the prefix that this process has seen: a load returns the last store of the prefix
 * or any later one. A release store records how many stores to the other words its process has
 * seen; an addition or a compare-and-swap that follows it in the list keeps that record (release
 * sequence); a relaxed store records what its process had seen at its last fence. An acquire load
 * of a store makes the recorded stores visible to the loading process. A fence.sc makes visible
 * what earlier fences have recorded, and records what its process has seen.
 *
 * A load can take place as late as the next store or fence of its process, because no older store
 * is removed from a list. Therefore a load and the operation after it are one step here; no
 * behaviour is lost. */
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef STEALS
#define STEALS 1
#endif
#ifndef PUSHES
#define PUSHES 3
#endif
#ifndef BATCH
#define BATCH 1
#endif
#define BIN     2
#define OWNER   THIEVES /* the owner's number */
#define NOTHING 255

/* Upper bounds of the number of stores: each pop or steal that stores removes at least one item. */
#define TOPS  (1 + THIEVES * STEALS + PUSHES)
#define TAILS (1 + 3 * PUSHES)

#ifdef NO_TAG
#define NEXT(tag) (tag)
#else
#define NEXT(tag) ((tag) + 1)
#endif

/* Stores to lsched_i_abp.top, the first being the initial value, and what each has recorded. */
byte top[TOPS], tag[TOPS], top_tails[TOPS], top_items[TOPS];
byte tops = 1;
/* Stores to lsched_i_abp.tail. */
byte tail[TAILS], tail_tops[TAILS], tail_items[TAILS];
byte tails = 1;
/* Stores to the items: the slot of the n-th pushed item. */
byte place[PUSHES];
byte items;

/* The number of stores to each word that a process has seen; the owner has seen all its own. */
byte seen_tops[THIEVES + 1] = 1;
byte seen_tails[THIEVES] = 1;
byte seen_items[THIEVES];
/* What the fences have recorded. */
byte fence_tops = 1, fence_tails = 1, fence_items;

/* Variables of the assertions, which the algorithm does not read. */
bool taken[PUSHES]; /* popped or stolen */
byte count;         /* of taken items */

#define RAISE(a, b) a = ((a) < (b) -> (b) : (a))

inline store_tail(index, with_tops, with_items)
{
	tail[tails] = index;
	tail_tops[tails] = with_tops;
	tail_items[tails] = with_items;
	tails++
}

inline store_top(p, to, with_tag, with_tails, with_items)
{
	top[tops] = to;
	tag[tops] = with_tag;
	top_tails[tops] = with_tails;
	top_items[tops] = with_items;
	tops++;
	seen_tops[p] = tops
}

/* Loads the top. which: the store that the load returns: the last one seen or any later one. */
inline load_top(p, which)
{
	which = seen_tops[p] - 1;
	do
	:: which + 1 < tops -> which++
	:: break
	od;
	seen_tops[p] = which + 1
}

inline take(item)
{
	assert(item != NOTHING); /* the slot has been written */
	assert(!taken[item]);
	taken[item] = true;
	count++
}

/* Clears stores that no process can read any more, so that fewer states differ. */
inline clear_old_stores()
{
	d_step {
		old = tails;
		i = 0;
		do
		:: i < THIEVES -> old = (seen_tails[i] < old -> seen_tails[i] : old); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i + 1 < old -> tail[i] = 0; tail_tops[i] = 0; tail_items[i] = 0; i++
		:: else -> break
		od;
		old = tops;
		i = 0;
		do
		:: i <= THIEVES -> old = (seen_tops[i] < old -> seen_tops[i] : old); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i + 1 < old -> top[i] = 0; tag[i] = 0; top_tails[i] = 0; top_items[i] = 0; i++
		:: else -> break
		od;
		i = 0;
		old = 0
	}
}

proctype owner()
{
	byte q_tail, q_top; /* of lsched_i_worker_private.q */
	byte fenced_tops = 1, fenced_items; /* what the owner had seen at its last fence */
	byte n, want, t, left, first, v;
	byte i, old;
	bool claimed;

	do
	:: items < PUSHES ->
		/* --- lsched_abp_push_n --- */
		n = 1;
#if BATCH > 1
		if :: items + 1 < PUSHES -> n = 2 :: skip fi;
#endif
		atomic {
			if
			:: BIN - (q_tail - q_top) < n ->
				load_top(OWNER, t); /* acquire; the other stores are seen */
				q_top = top[t];
				t = 0;
				n = (BIN - (q_tail - q_top) < n -> BIN - (q_tail - q_top) : n)
			:: else
			fi;
			i = 0;
			do
			:: i < n -> place[items] = (q_tail + i) % BIN; items++; i++
			:: else -> break
			od;
			i = 0
		}
		if
		:: n > 0 ->
			d_step {
				q_tail = q_tail + n;
#ifdef RELAXED_PUSH
				store_tail(q_tail, fenced_tops, fenced_items);
#else
				store_tail(q_tail, seen_tops[OWNER], items);
#endif
				n = 0
			}
		:: else
		fi
	:: q_tail != q_top ->
		/* --- lsched_i_abp_claim --- */
		want = 1;
#if BATCH > 1
		if :: q_tail - q_top > 1 -> want = 2 :: skip fi;
#endif
#ifdef PLAIN_LOWER
		d_step { store_tail(q_tail - want, fenced_tops, fenced_items) }
#else
		d_step { store_tail(q_tail - want, tail_tops[tails - 1], tail_items[tails - 1]) }
#endif
#ifndef OWNER_NO_FENCE
		d_step {
			RAISE(seen_tops[OWNER], fence_tops);
			fence_tops = seen_tops[OWNER];
			fence_tails = tails;
			fence_items = items;
			fenced_tops = seen_tops[OWNER];
			fenced_items = items
		}
#endif
		atomic {
			load_top(OWNER, t); /* relaxed */
			first = q_tail - want;
			left = q_tail - top[t];
			claimed = (left > want);
			if
			:: claimed -> q_tail = first; left = want
			:: else ->
				first = top[t];
#ifndef TOP_FIRST
				store_tail(0, fenced_tops, fenced_items)
#endif
			fi;
			want = 0
		}
		if
		:: !claimed ->
			atomic {
				if
#ifdef OWNER_NO_CAS
				:: left > 0 ->
#else
				:: left > 0 && top[tops - 1] == top[t] && tag[tops - 1] == tag[t] ->
#endif
					store_top(OWNER, 0, NEXT(tag[t]), tails, items);
					claimed = true
				:: else
				fi
			}
			if
			:: !claimed ->
				/* the value that the failed compare-and-swap returned is not used;
				 * the acquire load and the store are one step */
				atomic {
					v = NEXT(tag[t]);
					load_top(OWNER, t);
					store_top(OWNER, 0, v, tails, items);
					first++;
					left = (left > 0 -> left - 1 : 0);
					v = 0
				}
			:: else
			fi;
#ifdef TOP_FIRST
			d_step { store_tail(0, fenced_tops, fenced_items) }
#endif
			d_step { q_tail = 0; q_top = 0 }
		:: else
		fi;
		/* --- lsched_abp_pop_n: the items are the owner's own stores --- */
		d_step {
			if
			:: left == 0 -> assert(count == items)
			:: else
			fi;
			do
			:: left == 0 -> break
			:: else ->
				left--;
				v = items - 1;
				do
				:: place[v] == (first + left) % BIN -> break
				:: else -> v--
				od;
				take(v)
			od;
			v = 0; first = 0; t = 0; claimed = false
		}
		clear_old_stores()
	:: items == PUSHES && q_tail == q_top -> break
	od;
	assert(count == items)
}

proctype thief(byte me)
{
	byte tries, t, from, seen_tag, v;
	byte i, old;

	do
	:: tries == STEALS -> break
	:: else ->
		/* --- lsched_i_abp_steal --- */
		atomic {
			load_top(me, t);
			from = top[t];
			seen_tag = tag[t];
#ifndef THIEF_NO_FENCE
			/* an acquire load; a relaxed load before a fence has the same effect */
			RAISE(seen_tails[me], top_tails[t]);
			RAISE(seen_items[me], top_items[t]);
#endif
#if !defined(THIEF_NO_FENCE) && !defined(THIEF_ACQUIRES)
			RAISE(seen_tops[me], fence_tops);
			RAISE(seen_tails[me], fence_tails);
			RAISE(seen_items[me], fence_items);
			fence_tops = seen_tops[me];
			fence_tails = seen_tails[me];
			fence_items = seen_items[me];
#endif
			t = 0;
			tries++;
			clear_old_stores()
		}
		atomic {
			/* load the tail */
			t = seen_tails[me] - 1;
			do
			:: t + 1 < tails -> t++
			:: break
			od;
			RAISE(seen_tails[me], t + 1);
#ifndef RELAXED_STEAL
			RAISE(seen_tops[me], tail_tops[t]);
			RAISE(seen_items[me], tail_items[t]);
#endif
			if
			:: tail[t] > from ->
				/* load the item: the last seen store to its slot, or any later
				 * one */
				v = NOTHING;
				i = 0;
				do
				:: i < items && place[i] == from % BIN -> v = i; i++
				:: i < items && place[i] != from % BIN -> i++
				:: i >= seen_items[me] -> break
				od;
				if
				:: top[tops - 1] == from && tag[tops - 1] == seen_tag ->
					RAISE(seen_tails[me], top_tails[tops - 1]);
					RAISE(seen_items[me], top_items[tops - 1]);
					store_top(me, from + 1, seen_tag, seen_tails[me],
						seen_items[me]);
					take(v);
					/* the producer's writes before the push are visible, too */
					assert(v < seen_items[me])
				:: else
				fi
			:: else
			fi;
			t = 0; from = 0; seen_tag = 0; v = 0; i = 0;
			/* after the last attempt the thief's prefixes no longer matter */
			if
			:: tries == STEALS ->
				seen_tops[me] = TOPS; seen_tails[me] = TAILS;
				seen_items[me] = PUSHES
			:: else
			fi;
			clear_old_stores()
		}
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
}
