/* A warp of 32 lanes on one thread: enough of CUDA's device side for libsched's device text to be
 * compiled as C11 and run without a GPU. Include it before any header of libsched. The names with
 * two underscores are CUDA's.
 *
 * Each lane has a stack; it runs until it waits for the other lanes of its warp (a vote, a shuffle,
 * __syncwarp) or sleeps, then the next lane runs. Each thread may run a warp; between threads the
 * atomics are real, all of them sequentially consistent. So this finds errors in the cooperation of
 * lanes, but no missing memory order between warps. When the lanes of a warp synchronise at
 * different places of the program, which CUDA leaves undefined, the test ends and names both
 * places. */
#ifndef TESTS_LIBSCHED_LANES_H
#define TESTS_LIBSCHED_LANES_H

#undef _FORTIFY_SOURCE /* its longjmp rejects a change of the stack */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include "libsched/cpu/relax.h"

enum { LANES = 32, LANE_STACK = 65536 };

typedef struct lanes_lane {
	struct {
		uint32_t x;
	} index;
	jmp_buf at;
	int started, done;
	uint32_t together; /* the lanes with which it last left lanes_active() */
} lanes_lane;

/* The barrier of some lanes. A lane may wait at those of several masks, one after another, while
 * other lanes are at another one of them. */
typedef struct lanes_barrier {
	const char *place;
	uint32_t mask, met, meetings, used;
	uint64_t value[2][LANES];
} lanes_barrier;

enum { LANES_BARRIERS = 64 };

/* Lanes that act together while others do not; of the first to come. */
typedef struct lanes_group {
	const char *gathers; /* the place where lanes may join, or NULL */
	uint32_t gathered;
} lanes_group;

typedef struct lanes_warp {
	lanes_lane lane[LANES];
	uint32_t now; /* the lane that runs */
	jmp_buf out;
	void (*body)(void *arg);
	void *arg;
	unsigned char *stacks;
	/* barrier of the lanes; two sets of values, since a fast lane may be one barrier ahead */
	const char *place;
	uint32_t met, meetings;
	uint64_t value[2][LANES];
	lanes_group group[LANES];
	lanes_barrier barrier[LANES_BARRIERS];
	uint32_t used;  /* barriers so far */
	uint32_t joins; /* random: whether a lane joins a group */
} lanes_warp;

static _Thread_local lanes_warp *lanes_mine;
static pthread_key_t lanes_key;
static pthread_once_t lanes_once = PTHREAD_ONCE_INIT;

static void lanes_free(void *p)
{
	free(((lanes_warp *)p)->stacks);
	free(p);
}

static void lanes_init(void)
{
	pthread_key_create(&lanes_key, lanes_free);
}

static void lanes_begin(void);

/* Continues with lane `now`. AddressSanitizer may not mark its frame, which stays behind on the
 * stack of the lane before. */
__attribute__((no_sanitize("address"))) static void lanes_go(lanes_warp *w)
{
	lanes_lane *l = &w->lane[w->now];
	ucontext_t c;

	if (l->started)
		_longjmp(l->at, 1);
	l->started = 1;
	getcontext(&c);
	c.uc_stack.ss_sp = w->stacks + (size_t)w->now * LANE_STACK;
	c.uc_stack.ss_size = LANE_STACK;
	c.uc_link = NULL;
	makecontext(&c, lanes_begin, 0);
	setcontext(&c);
}

/* Switches to the next lane; returns when this lane is next again. */
static void lanes_yield(void)
{
	lanes_warp *w = lanes_mine;
	lanes_lane *l = &w->lane[w->now];

	do
		w->now = (w->now + 1) % LANES;
	while (w->lane[w->now].done);
	if (&w->lane[w->now] != l && _setjmp(l->at) == 0)
		lanes_go(w);
}

static void lanes_begin(void)
{
	lanes_warp *w = lanes_mine;

	w->body(w->arg);
	w->lane[w->now].done = 1;
	for (uint32_t k = 0; k < LANES; k++) {
		w->now = k;
		if (!w->lane[k].done)
			lanes_go(w);
	}
	_longjmp(w->out, 1);
}

/* Runs body(arg) in 32 lanes, to the end of all. */
static void lanes_run(void (*body)(void *arg), void *arg)
{
	lanes_warp *w;

	pthread_once(&lanes_once, lanes_init);
	if (!lanes_mine) {
		lanes_mine = (lanes_warp *)calloc(1, sizeof(*lanes_mine));
		if (lanes_mine)
			lanes_mine->stacks = (unsigned char *)malloc((size_t)LANES * LANE_STACK);
		if (!lanes_mine || !lanes_mine->stacks) {
			fputs("no memory for 32 lanes\n", stderr);
			exit(1);
		}
		pthread_setspecific(lanes_key, lanes_mine);
	}
	w = lanes_mine;
	w->body = body;
	w->arg = arg;
	w->met = 0;
	for (uint32_t k = 0; k < LANES; k++) {
		w->lane[k].index.x = k;
		w->lane[k].started = w->lane[k].done = 0;
	}
	w->now = 0;
	if (_setjmp(w->out) == 0)
		lanes_go(w);
}

/* ---- blocks: shared memory, allocated as long as a warp of the block runs ---- */

typedef struct lanes_block {
	const void *run; /* which run's */
	uint32_t index, warps;
	uint32_t *words;
	struct lanes_block *next;
} lanes_block;

static lanes_block *lanes_blocks;
static pthread_mutex_t lanes_blocks_lock = PTHREAD_MUTEX_INITIALIZER;

/* The block's position in the list, or the end of the list. */
static lanes_block **lanes_block_find(const void *run, uint32_t index)
{
	lanes_block **b = &lanes_blocks;

	while (*b && ((*b)->run != run || (*b)->index != index))
		b = &(*b)->next;
	return b;
}

/* The block's shared words, all zero for its first warp. */
static inline uint32_t *lanes_block_enter(const void *run, uint32_t index, uint32_t words)
{
	lanes_block **b;
	uint32_t *shared;

	pthread_mutex_lock(&lanes_blocks_lock);
	b = lanes_block_find(run, index);
	if (!*b) {
		*b = (lanes_block *)calloc(1, sizeof(**b));
		if (*b)
			(*b)->words = (uint32_t *)calloc(words, 4);
		if (!*b || !(*b)->words) {
			fputs("no memory for a block\n", stderr);
			exit(1);
		}
		(*b)->run = run;
		(*b)->index = index;
	}
	(*b)->warps++;
	shared = (*b)->words;
	pthread_mutex_unlock(&lanes_blocks_lock);
	return shared;
}

static inline void lanes_block_leave(const void *run, uint32_t index)
{
	lanes_block **b, *gone;

	pthread_mutex_lock(&lanes_blocks_lock);
	b = lanes_block_find(run, index);
	gone = *b;
	if (--gone->warps == 0) {
		*b = gone->next;
		free(gone->words);
		free(gone);
	}
	pthread_mutex_unlock(&lanes_blocks_lock);
}

/* Barrier of all lanes; each reads the values of all. */
static const uint64_t *lanes_meet(uint64_t value, const char *place)
{
	lanes_warp *w = lanes_mine;
	const uint32_t meeting = w->meetings;

	if (w->met == 0) {
		w->place = place;
	} else if (w->place != place) {
		fprintf(stderr, "lane %u is at %s while others are at %s\n", w->now, place,
			w->place);
		exit(1);
	}
	w->value[meeting % 2][w->now] = value;
	if (++w->met == LANES) {
		w->met = 0;
		w->meetings++;
	}
	while (w->meetings == meeting)
		lanes_yield();
	return w->value[meeting % 2];
}

/* The barrier of these lanes: that of the mask, or the one that was used least recently. */
static lanes_barrier *lanes_barrier_of(lanes_warp *w, uint32_t mask)
{
	lanes_barrier *oldest = NULL;

	for (uint32_t k = 0; k < LANES_BARRIERS; k++) {
		lanes_barrier *b = &w->barrier[k];

		if (b->mask == mask) {
			b->used = ++w->used;
			return b;
		}
		if (!b->met && (!oldest || b->used < oldest->used))
			oldest = b;
	}
	if (!oldest) {
		fprintf(stderr, "more than %d barriers of a warp are in use\n", LANES_BARRIERS);
		exit(1);
	}
	oldest->mask = mask;
	oldest->used = ++w->used;
	return oldest;
}

/* The same for the lanes of `mask`. */
static const uint64_t *lanes_meet_of(uint32_t mask, uint64_t value, const char *place)
{
	lanes_warp *w = lanes_mine;
	lanes_barrier *g;
	uint32_t meeting;

	if (mask == UINT32_MAX)
		return lanes_meet(value, place);
	g = lanes_barrier_of(w, mask);
	meeting = g->meetings;
	if (g->met == 0) {
		g->place = place;
	} else if (g->place != place) {
		fprintf(stderr, "lane %u of %08x is at %s while others are at %s\n", w->now, mask,
			place, g->place);
		exit(1);
	}
	g->value[meeting % 2][w->now] = value;
	if (++g->met == (uint32_t)__builtin_popcount(mask)) {
		g->met = 0;
		g->meetings++;
	}
	do /* at least once: slower lanes read the values before those of the next but one */
		lanes_yield();
	while (g->meetings == meeting);
	return g->value[meeting % 2];
}

/* The lanes that come to a place while the first of them waits a turn of all lanes. A device may
 * divide them in any way, so that a quarter of the lanes does not join and begins a group of its
 * own. */
static inline uint32_t lanes_active(const char *place)
{
	lanes_warp *w = lanes_mine;
	const uint32_t me = w->now;
	lanes_group *g;

	w->joins = w->joins * 1664525u + 1013904223u;
	for (uint32_t k = 0; k < LANES; k++) {
		g = &w->group[k];
		if (g->gathers != place || w->joins >> 30 == 0)
			continue;
		g->gathered |= 1u << me;
		w->lane[me].together = 0;
		while (!w->lane[me].together)
			lanes_yield();
		return w->lane[me].together;
	}
	g = &w->group[me];
	g->gathers = place;
	g->gathered = 1u << me;
	lanes_yield();
	for (uint32_t k = 0; k < LANES; k++)
		if (g->gathered >> k & 1u)
			w->lane[k].together = g->gathered;
	g->gathers = NULL;
	return g->gathered;
}

/* The values are computed before the barrier: arguments are evaluated before the call. */
static inline uint64_t lanes_from(uint32_t mask, uint64_t v, uint32_t lane, const char *place)
{
	return lanes_meet_of(mask, v, place)[lane % LANES];
}

static inline uint32_t lanes_vote(uint32_t among, uint32_t v, const char *place)
{
	const uint64_t *value = lanes_meet_of(among, v, place);
	uint32_t mask = 0;

	for (uint32_t k = 0; k < LANES; k++)
		mask |= (uint32_t)((among >> k & 1u) && value[k] != 0) << k;
	return mask;
}

static inline uint32_t lanes_match(uint32_t among, uint64_t v, const char *place)
{
	const uint64_t *value = lanes_meet_of(among, v, place);
	uint32_t mask = 0;

	for (uint32_t k = 0; k < LANES; k++)
		mask |= (uint32_t)((among >> k & 1u) && value[k] == v) << k;
	return mask;
}

static inline uint32_t lanes_sum(uint32_t v, const char *place)
{
	const uint64_t *value = lanes_meet(v, place);
	uint32_t sum = 0;

	for (uint32_t k = 0; k < LANES; k++)
		sum += (uint32_t)value[k];
	return sum;
}

/* The minimum of values of 32 bits, with or without a sign. */
static inline int64_t lanes_least(int64_t v, const char *place)
{
	const uint64_t *value = lanes_meet((uint64_t)v, place);
	int64_t least = v;

	for (uint32_t k = 0; k < LANES; k++)
		least = (int64_t)value[k] < least ? (int64_t)value[k] : least;
	return least;
}

static inline uint64_t lanes_from_below(uint64_t v, uint32_t distance, const char *place)
{
	const uint64_t *value = lanes_meet(v, place);
	const uint32_t me = lanes_mine->now;

	return value[me >= distance ? me - distance : me];
}

static inline uint64_t lanes_from_above(uint64_t v, uint32_t distance, const char *place)
{
	const uint64_t *value = lanes_meet(v, place);
	const uint32_t me = lanes_mine->now;

	return value[me + distance < LANES ? me + distance : me];
}

static inline uint64_t lanes_across(uint64_t v, uint32_t k, const char *place)
{
	return lanes_meet(v, place)[(lanes_mine->now ^ k) % LANES];
}

static inline uint64_t lanes_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void lanes_sleep(uint32_t ns)
{
	(void)ns;
	lanes_yield();
	lsched_i_cpu_relax(0);  /* a new wait */
	lsched_i_cpu_relax(40); /* which yields */
}

#define LANES_TEXT_(x) #x
#define LANES_TEXT(x)  LANES_TEXT_(x)
#define LANES_PLACE    __FILE__ ":" LANES_TEXT(__LINE__)

#include "tests/libsched/lanes_cuda.h"

#endif
