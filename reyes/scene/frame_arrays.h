/* Memory of a frame: growing its arrays. */
#ifndef REYES_SCENE_FRAME_ARRAYS_H
#define REYES_SCENE_FRAME_ARRAYS_H

#include "reyes/scene/frame.h"

/* Returns the place of n new elements at the end of an array of the frame, with the value zero, and
 * writes the index of the first to *first (not if first is NULL). Returns NULL and sets
 * f->no_memory if there is no memory, or if the array would have more than 2^32 - 1 elements. The
 * place is valid until the next addition to the same array. */
void *reyes_i_grow(reyes_i_frame *f, void *array, size_t element_bytes, size_t n, uint32_t *first);

#define reyes_i_add(f, array, n, first) \
	reyes_i_grow((f), &(f)->array, sizeof(*(f)->array.list), (n), (first))

/* Empties the arrays; their memory stays for the next frame. */
void reyes_i_frame_clear(reyes_i_frame *f);
/* Frees the arrays. */
void reyes_i_frame_free(reyes_i_frame *f);

#endif
