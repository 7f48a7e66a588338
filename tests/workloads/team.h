/* Block items by several threads on the CPU: a program whose body is TEAM_BODY runs the body in as
 * many threads as team_size, with barriers for lsched_sync_item. Only thread 0 may call other
 * functions of <libsched/items.h>. To be included before the text of the workload. */
#ifndef TESTS_WORKLOADS_TEAM_H
#define TESTS_WORKLOADS_TEAM_H

#ifdef HAVE_CONFIG_H
#include "config.h" /* _GNU_SOURCE, for pthread_barrier_t */
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <libsched/items.h>

enum { TEAM_MOST = 64 };
extern uint32_t team_size;
extern _Thread_local pthread_barrier_t *team_barrier;

static inline void team_sync(void)
{
	pthread_barrier_wait(team_barrier);
}

/* Under lsched_sync_item and <libsched/group.h>. */
#define lsched_i_sync_item(x) ((void)(x), team_sync())
#define LSCHED_I_GROUP_PARTS  TEAM_MOST

/* Defines NAME_team, a body that calls `body` in the threads. */
#define TEAM_BODY(name, body, items, ctx, local, type)                                             \
	typedef struct name##_call {                                                               \
		items x;                                                                           \
		const ctx *c;                                                                      \
		local *l;                                                                          \
		uint32_t proc;                                                                     \
		type it;                                                                           \
		pthread_barrier_t *barrier;                                                        \
	} name##_call;                                                                             \
	static void *name##_thread(void *arg)                                                      \
	{                                                                                          \
		name##_call *k = arg;                                                              \
                                                                                                   \
		team_barrier = k->barrier;                                                         \
		return (void *)(uintptr_t)body(&k->x, k->c, k->l, k->proc, k->it);                 \
	}                                                                                          \
	static lsched_result name##_team(items *x, const ctx *c, local *l, uint32_t proc, type it) \
	{                                                                                          \
		static _Thread_local name##_call call[TEAM_MOST];                                  \
		pthread_t thread[TEAM_MOST];                                                       \
		pthread_barrier_t barrier;                                                         \
		const uint32_t was = x->any.threads;                                               \
		lsched_result r;                                                                   \
                                                                                                   \
		if (pthread_barrier_init(&barrier, NULL, team_size))                               \
			abort();                                                                   \
		x->any.threads = team_size;                                                        \
		for (uint32_t k = 1; k < team_size; k++) {                                         \
			call[k] = (name##_call){ *x, c, l, proc, it, &barrier };                   \
			call[k].x.any.thread = k;                                                  \
			if (pthread_create(&thread[k], NULL, name##_thread, &call[k]))             \
				abort();                                                           \
		}                                                                                  \
		team_barrier = &barrier;                                                           \
		r = body(x, c, l, proc, it);                                                       \
		for (uint32_t k = 1; k < team_size; k++)                                           \
			pthread_join(thread[k], NULL);                                             \
		pthread_barrier_destroy(&barrier);                                                 \
		x->any.threads = was;                                                              \
		return r;                                                                          \
	}

#endif
