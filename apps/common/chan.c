#include "apps/common/chan.h"
#include "libsched/core/thread.h"

#include <stdlib.h>
#include <string.h>

int chan_init(chan *c, uint32_t size)
{
	memset(c, 0, sizeof(*c));
	c->items = calloc(size, sizeof(*c->items));
	if (!c->items)
		return -1;
	c->size = size;
	pthread_mutex_init(&c->lock, NULL);
	lsched_i_cond_init(&c->changed);
	return 0;
}

int chan_push(chan *c, void *item)
{
	int closed;

	pthread_mutex_lock(&c->lock);
	while (c->count == c->size && !c->closed)
		pthread_cond_wait(&c->changed, &c->lock);
	closed = c->closed;
	if (!closed) {
		c->items[(c->head + c->count++) % c->size] = item;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return closed ? -1 : 0;
}

void *chan_pop(chan *c, int wait_ms)
{
	struct timespec until;
	void *item = NULL;

	if (wait_ms > 0)
		until = lsched_i_deadline_ms(wait_ms);
	pthread_mutex_lock(&c->lock);
	while (c->count == 0 && !c->closed && wait_ms != 0) {
		if (wait_ms < 0)
			pthread_cond_wait(&c->changed, &c->lock);
		else if (pthread_cond_timedwait(&c->changed, &c->lock, &until) != 0)
			break;
	}
	if (c->count > 0) {
		item = c->items[c->head];
		c->head = (c->head + 1) % c->size;
		c->count--;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return item;
}

void chan_close(chan *c)
{
	pthread_mutex_lock(&c->lock);
	c->closed = 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void chan_free(chan *c)
{
	if (!c->items)
		return;
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c->items);
	c->items = NULL;
}
