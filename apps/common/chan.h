/* A bounded queue of pointers between threads. */
#ifndef APPS_COMMON_CHAN_H
#define APPS_COMMON_CHAN_H

#include <pthread.h>
#include <stdint.h>

typedef struct chan {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void **items;
	uint32_t size, head, count;
	int closed;
} chan;

/* 0, or -1 without memory. */
int chan_init(chan *c, uint32_t size);

/* Waits for room. 0, or -1 when the queue is closed: the item stays the caller's. */
int chan_push(chan *c, void *item);

/* Waits for an item: up to wait_ms, or without end if that is negative. NULL: closed and empty, or
 * none came in time. */
void *chan_pop(chan *c, int wait_ms);

/* No more pushes; what is inside can still be popped. */
void chan_close(chan *c);

int chan_is_closed_and_empty(chan *c);

void chan_free(chan *c);
#endif
