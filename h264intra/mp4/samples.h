/* The samples of a track: sizes, durations and places in the file. */
#ifndef H264INTRA_MP4_SAMPLES_H
#define H264INTRA_MP4_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

typedef struct mp4_sample {
	uint32_t bytes;
	uint32_t ticks; /* duration */
} mp4_sample;

/* Samples that follow each other in the file. */
typedef struct mp4_chunk {
	uint64_t offset; /* in the file */
	uint32_t first;  /* number of its first sample */
} mp4_chunk;

typedef struct mp4_samples {
	mp4_sample *sample;
	mp4_chunk *chunk;
	uint32_t count, chunk_count;
	size_t capacity, chunk_capacity;
	uint64_t ticks; /* sum of the durations before the last sample's */
} mp4_samples;

/* Append one. Return 0, or -1 without memory. */
int h264i_i_mp4_add_sample(mp4_samples *s, uint32_t bytes, uint32_t ticks);
int h264i_i_mp4_add_chunk(mp4_samples *s, uint64_t offset, uint32_t first);

/* The duration of all samples, in ticks. */
uint64_t h264i_i_mp4_duration(const mp4_samples *s);

/* The samples of chunk i end before this one. */
uint32_t h264i_i_mp4_chunk_end(const mp4_samples *s, uint32_t i);

/* Bytes of the samples first..end-1. */
uint64_t h264i_i_mp4_sum_bytes(const mp4_samples *s, uint32_t first, uint32_t end);

/* Sum of the durations of the samples first..end-1. */
uint64_t h264i_i_mp4_sum_ticks(const mp4_samples *s, uint32_t first, uint32_t end);

/* Removes the first `count` samples. */
void h264i_i_mp4_drop_samples(mp4_samples *s, uint32_t count);

void h264i_i_mp4_free_samples(mp4_samples *s);

#endif
