/* Tables of the hider that the host makes: orders of samples, lens cells, filter weights. */
#ifndef REYES_RENDER_TABLES_H
#define REYES_RENDER_TABLES_H

#include "reyes/hide/filter.h"

/* All tables of a frame in one allocation of the host, for copying to a device; the pointers of
 * pattern and weights are into it. */
typedef struct reyes_i_tables {
	void *memory;
	size_t bytes;
	reyes_i_pattern pattern;
	reyes_i_weights weights;
} reyes_i_tables;

/* Returns 0, or -1 without memory. Free t->memory. */
int reyes_i_tables_make(reyes_i_tables *t, const reyes_i_camera *c);

#endif
