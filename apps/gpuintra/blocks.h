/* Pool of page-locked memory for decoded frames. Any thread requests blocks; only the thread that
 * uses the encoder allocates them, later. Until then a decoder gets none and uses its own
 * memory. */
#ifndef APPS_GPUINTRA_BLOCKS_H
#define APPS_GPUINTRA_BLOCKS_H

#include <pthread.h>
#include <h264intra/source.h>

enum { BLOCKS_MAX = 1024 };

typedef struct blocks {
	pthread_mutex_t lock; /* guards all */
	size_t block_bytes;   /* of the first request; 0: none yet */
	uint32_t missed;      /* requests without a block since the last allocation */
	void *all[BLOCKS_MAX];
	void *unused[BLOCKS_MAX];
	uint32_t count, unused_count, limit;
	int memory_ends; /* 1: an allocation failed */
} blocks;

void blocks_init(blocks *b, uint32_t limit);

/* The interface for the source. Call blocks_free after its last release. */
h264i_source_memory blocks_memory(blocks *b);

/* Allocates a block if a request got none. Call it in the thread that uses the encoder. */
void blocks_grow(blocks *b, h264i_encoder *enc);

/* Frees the blocks if all were released; else they remain allocated until the process ends. */
void blocks_free(blocks *b);
#endif
