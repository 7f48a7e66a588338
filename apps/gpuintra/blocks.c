#include "apps/gpuintra/blocks.h"

#include <string.h>

void blocks_init(blocks *b, uint32_t limit)
{
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->lock, NULL);
	b->limit = limit < BLOCKS_MAX ? limit : BLOCKS_MAX;
}

static void *alloc_block(void *opaque, size_t bytes)
{
	blocks *b = opaque;
	void *block = NULL;

	pthread_mutex_lock(&b->lock);
	if (b->block_bytes == 0)
		b->block_bytes = bytes;
	if (bytes <= b->block_bytes) { /* the source refuses pictures that grow */
		if (b->unused_count > 0)
			block = b->unused[--b->unused_count];
		else
			b->missed++;
	}
	pthread_mutex_unlock(&b->lock);
	return block;
}

static void release_block(void *opaque, void *block)
{
	blocks *b = opaque;

	pthread_mutex_lock(&b->lock);
	b->unused[b->unused_count++] = block;
	pthread_mutex_unlock(&b->lock);
}

h264i_source_memory blocks_memory(blocks *b)
{
	h264i_source_memory m = h264i_source_memory_init();

	m.alloc = alloc_block;
	m.release = release_block;
	m.opaque = b;
	return m;
}

void blocks_grow(blocks *b, h264i_encoder *enc)
{
	size_t bytes;
	void *block;
	int wanted;

	pthread_mutex_lock(&b->lock);
	wanted = b->missed > 0 && b->unused_count == 0 && b->count < b->limit && !b->memory_ends;
	bytes = b->block_bytes;
	pthread_mutex_unlock(&b->lock);
	if (!wanted)
		return;
	if (h264i_host_alloc(enc, &block, bytes) != H264I_OK) {
		b->memory_ends = 1;
		return;
	}
	pthread_mutex_lock(&b->lock);
	b->missed = 0;
	b->all[b->count++] = block;
	b->unused[b->unused_count++] = block;
	pthread_mutex_unlock(&b->lock);
}

void blocks_free(blocks *b)
{
	if (b->unused_count == b->count)
		while (b->count > 0)
			h264i_host_free(b->all[--b->count]);
	pthread_mutex_destroy(&b->lock);
}
