/* The samples of a track: sizes, durations and places in the file. */
#include "h264intra/mp4/samples.h"

#include <stdlib.h>
#include <string.h>

/* Returns the array with capacity for one more item, or NULL; the old one is then unchanged. */
static void *grow(void *array, size_t *capacity, size_t count, size_t item_bytes)
{
	const size_t more = *capacity + *capacity / 2 + 64;
	void *larger;

	if (count < *capacity)
		return array;
	if (more > SIZE_MAX / 2 / item_bytes)
		return NULL;
	larger = realloc(array, more * item_bytes);
	if (larger)
		*capacity = more;
	return larger;
}

int h264i_i_mp4_add_sample(mp4_samples *s, uint32_t bytes, uint32_t ticks)
{
	mp4_sample *larger = grow(s->sample, &s->capacity, s->count, sizeof(*larger));

	if (!larger)
		return -1;
	s->sample = larger;
	if (s->count)
		s->ticks += s->sample[s->count - 1].ticks;
	s->sample[s->count++] = (mp4_sample){ bytes, ticks };
	return 0;
}

int h264i_i_mp4_add_chunk(mp4_samples *s, uint64_t offset, uint32_t first)
{
	mp4_chunk *larger = grow(s->chunk, &s->chunk_capacity, s->chunk_count, sizeof(*larger));

	if (!larger)
		return -1;
	s->chunk = larger;
	s->chunk[s->chunk_count++] = (mp4_chunk){ offset, first };
	return 0;
}

uint64_t h264i_i_mp4_duration(const mp4_samples *s)
{
	return s->ticks + (s->count ? s->sample[s->count - 1].ticks : 0);
}

uint32_t h264i_i_mp4_chunk_end(const mp4_samples *s, uint32_t i)
{
	return i + 1 < s->chunk_count ? s->chunk[i + 1].first : s->count;
}

uint64_t h264i_i_mp4_sum_bytes(const mp4_samples *s, uint32_t first, uint32_t end)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i < end; i++)
		sum += s->sample[i].bytes;
	return sum;
}

uint64_t h264i_i_mp4_sum_ticks(const mp4_samples *s, uint32_t first, uint32_t end)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i < end; i++)
		sum += s->sample[i].ticks;
	return sum;
}

void h264i_i_mp4_drop_samples(mp4_samples *s, uint32_t count)
{
	if (!count)
		return;
	s->count -= count;
	memmove(s->sample, s->sample + count, s->count * sizeof(*s->sample));
	s->ticks = s->count ? h264i_i_mp4_sum_ticks(s, 0, s->count - 1) : 0;
}

void h264i_i_mp4_free_samples(mp4_samples *s)
{
	free(s->sample);
	free(s->chunk);
	memset(s, 0, sizeof(*s));
}
