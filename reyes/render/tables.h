/* Tables of the hider that the host makes: orders of samples, lens cells, filter weights. */
#ifndef REYES_RENDER_TABLES_H
#define REYES_RENDER_TABLES_H

#include <stdatomic.h>
#include "reyes/hide/filter.h"

/* All tables of a frame in one allocation of the host, for copying to a device; the pointers of
 * pattern and weights are into it. */
typedef struct reyes_i_tables {
	void *memory;
	size_t bytes;
	reyes_i_pattern pattern;
	reyes_i_weights weights;
} reyes_i_tables;

enum reyes_i_tables_result { REYES_I_TABLES_MADE, REYES_I_TABLES_NOMEM, REYES_I_TABLES_CANCELLED };

/* Makes the tables; free t->memory. The widest filter of the most samples takes a minute, so that
 * *cancelled is read, too; NULL: it is never set. */
enum reyes_i_tables_result reyes_i_tables_make(
	reyes_i_tables *t, const reyes_i_camera *c, const atomic_int *cancelled);

#endif
