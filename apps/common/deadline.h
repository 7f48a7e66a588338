/* Waits on condition variables that end at a time of CLOCK_MONOTONIC, which is never set. */
#ifndef APPS_COMMON_DEADLINE_H
#define APPS_COMMON_DEADLINE_H

#include <pthread.h>
#include <time.h>

/* Initialises a condition variable for pthread_cond_timedwait with deadline_after_ms. */
void deadline_cond_init(pthread_cond_t *cond);

/* Returns the time in that many milliseconds, 0 or more. */
struct timespec deadline_after_ms(int ms);

#endif
