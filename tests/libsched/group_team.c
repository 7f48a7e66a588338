/* <libsched/group.h> with several CPU threads of one lane. */
#ifdef HAVE_CONFIG_H
#include "config.h" /* _GNU_SOURCE, for pthread_barrier_t */
#endif
#include "tests/libsched/group_run.h"
#include <stdlib.h>
#include <libsched/items.h>

static _Thread_local pthread_barrier_t *team_barrier;
#define lsched_i_sync_item(x) ((void)(x), (void)pthread_barrier_wait(team_barrier))
#define LSCHED_I_GROUP_PARTS  GROUP_TEAM_MOST
#include "tests/libsched/group_programs.h"

typedef struct member {
	group_items x;
	group_local *l;
	pthread_barrier_t *barrier;
	pthread_t thread;
	uint32_t seed, wrong;
} member;

static void *run_member(void *arg)
{
	member *m = arg;

	team_barrier = m->barrier;
	m->wrong = group_wrong(&m->x, m->l, m->seed);
	return NULL;
}

uint32_t group_run_team(uint32_t threads, uint32_t seed)
{
	static member team[GROUP_TEAM_MOST];
	static group_local local;
	pthread_barrier_t barrier;
	uint32_t wrong = 0;

	if (pthread_barrier_init(&barrier, NULL, threads))
		abort();
	for (uint32_t k = 0; k < threads; k++) {
		team[k].x.any.thread = k;
		team[k].x.any.threads = threads;
		team[k].l = &local;
		team[k].barrier = &barrier;
		team[k].seed = seed;
		if (pthread_create(&team[k].thread, NULL, run_member, &team[k]))
			abort();
	}
	for (uint32_t k = 0; k < threads; k++) {
		pthread_join(team[k].thread, NULL);
		wrong += team[k].wrong;
	}
	pthread_barrier_destroy(&barrier);
	return wrong;
}
