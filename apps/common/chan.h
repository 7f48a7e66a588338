/* A bounded FIFO of pointers between threads, with a lock. */
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

/* Returns 0, or -1 without memory. */
int chan_init(chan *c, uint32_t size);

/* Enqueues an item, and waits while the queue is full. Returns 0, or -1 if the queue is closed; the
 * caller then keeps the item. */
int chan_push(chan *c, void *item);

/* Dequeues an item, and waits at most wait_ms while the queue is empty; without limit if wait_ms is
 * negative. Returns NULL if the queue is closed and empty, or after wait_ms. */
void *chan_pop(chan *c, int wait_ms);

/* Rejects further items; chan_pop() still returns those in the queue. */
void chan_close(chan *c);

void chan_free(chan *c);
#endif
