/* Memory of a frame: growing its arrays. */
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/frame_arrays.h"

/* The common shape of the arrays of a frame. */
typedef struct array {
	void *list;
	size_t count, room;
} array;

void *reyes_i_grow(reyes_i_frame *f, void *any, size_t element_bytes, size_t n, uint32_t *first)
{
	array *a = any;
	unsigned char *place;

	if (n > UINT32_MAX - 1 - a->count) {
		f->no_memory = 1;
		return NULL;
	}
	if (a->count + n > a->room) {
		size_t room = a->room + a->room / 2;
		void *list;

		if (room < a->count + n)
			room = a->count + n;
		if (room < 64)
			room = 64;
		list = room <= SIZE_MAX / element_bytes ? realloc(a->list, room * element_bytes)
							: NULL;
		if (!list) {
			f->no_memory = 1;
			return NULL;
		}
		a->list = list;
		a->room = room;
	}
	place = (unsigned char *)a->list + a->count * element_bytes;
	memset(place, 0, n * element_bytes);
	if (first)
		*first = (uint32_t)a->count;
	a->count += n;
	return place;
}

void reyes_i_frame_clear(reyes_i_frame *f)
{
#define CLEAR(type, name, moves) f->name.count = 0;
	REYES_I_FRAME_ARRAYS(CLEAR)
#undef CLEAR
	f->surface_count = 0;
	f->no_memory = 0;
}

void reyes_i_frame_free(reyes_i_frame *f)
{
#define FREE(type, name, moves) free(f->name.list);
	REYES_I_FRAME_ARRAYS(FREE)
#undef FREE
	memset(f, 0, sizeof(*f));
}
