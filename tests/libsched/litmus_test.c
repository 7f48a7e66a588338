/* The litmus tests on CPU threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/litmus_suite.h"
#include "tests/common/testmain.h"

typedef struct role_thread {
	const litmus_args *a;
	uint32_t group, role;
	pthread_t id;
} role_thread;

static void *role_main(void *arg)
{
	const role_thread *p = (const role_thread *)arg;

	litmus_run_rounds(p->a, p->group, p->role);
	return NULL;
}

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void *zeroed(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, 128, bytes))
		die("out of memory");
	memset(p, 0, bytes);
	return p;
}

static void run_threads(litmus_args *a, litmus_counts *sum)
{
	const uint32_t roles = litmus_roles(a->which), threads = a->groups * roles;
	const size_t cells = (size_t)a->groups * a->rounds;
	role_thread *p = (role_thread *)zeroed(threads * sizeof(*p));
	uint32_t late = 0;

	a->cells = (litmus_cell *)zeroed(cells * sizeof(*a->cells));
	a->barrier = (uint32_t *)zeroed(a->groups * LITMUS_BARRIER_STRIDE * sizeof(*a->barrier));
	a->late = &late;
	for (uint32_t k = 0; k < threads; k++) {
		p[k].a = a;
		p[k].group = k % a->groups;
		p[k].role = k / a->groups;
		if (pthread_create(&p[k].id, NULL, role_main, &p[k]))
			die("no thread");
	}
	for (uint32_t k = 0; k < threads; k++)
		pthread_join(p[k].id, NULL);
	sum->late += late;
	for (size_t k = 0; k < cells && !late; k++) {
		const uint32_t verdict = litmus_evaluate(a->which, &a->cells[k]);

		sum->forbidden += verdict & 1u;
		sum->conclusive += verdict >> 1;
	}
	free(a->barrier);
	free(a->cells);
	free(p);
}

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("orderings on threads", litmus_tests),
		CU_SUITE_INFO_NULL };

	litmus_on.run = run_threads;
	litmus_on.workers = 2;
	litmus_on.rounds = 1000;
	litmus_on.repeats = 8;
	litmus_on.jitter = 400;
#if defined(__SANITIZE_THREAD__)
	litmus_on.sound_only = 1;
	litmus_on.repeats = 3;
#endif
	return test_run(suites);
}
