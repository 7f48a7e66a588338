/* Split and dice alone: grids, positions and normals of a frame in memory, without shading and
 * hider, for measurements and for the paper's figures. programs.h explains the three forms. */
#ifndef REYES_ALONE_ALONE_H
#define REYES_ALONE_ALONE_H

#include <libsched/sched.h>
#include "reyes/alone/programs.h"
#include "reyes/scene/frame.h"

typedef enum reyes_i_alone_form {
	REYES_I_ALONE_LIST,
	REYES_I_ALONE_ITEMS,
	REYES_I_ALONE_TASKS,
	REYES_I_ALONE_FORMS
} reyes_i_alone_form;

typedef struct reyes_i_alone reyes_i_alone;

typedef struct reyes_i_alone_options {
	reyes_i_alone_form form;
	lsched_queue queue;
	lsched_overflow overflow;
	uint32_t workers;        /* 0: all */
	uint32_t bin_size;       /* units, or chunks of 32 items, of a deque; 0: default */
	uint32_t queue_capacity; /* units or items; 0: default, of TASKS 2^20 */
	uint32_t never_keep;     /* TASKS: nonzero: every unit passes through the queue */
} reyes_i_alone_options;

/* Figures of an execution. */
typedef struct reyes_i_alone_figures {
	uint64_t total_ns; /* host's clock, from the start to the end of dicing */
	/* LIST: of the stages, on CUDA the device's times; other forms: dice_ns is 0 */
	uint64_t split_ns, dice_ns;
	uint64_t grids, places; /* places: of points, with those that fill up sectors */
	lsched_stats stats;     /* of split, or of both */
	uint32_t attempts;      /* 1, and one for each time that memory was enlarged */
	/* Of the queue: high-water mark of the words in it, with one deque per worker that of the
	 * fullest deque times the workers. LIST and ITEMS: with the chunks of 32 items that the
	 * words number. */
	uint64_t peak_bytes;
	uint64_t room_bytes; /* of the queue: words of all deques or of the common queue; chunks */
} reyes_i_alone_figures;

/* Copies a frame to the context's memory. The context must outlive *out; the frame need not. On
 * failure *out is NULL and message has the reason. */
lsched_status reyes_i_alone_open(reyes_i_alone **out, lsched_ctx *ctx, const reyes_i_frame *f,
	char *message, size_t message_bytes);
void reyes_i_alone_close(reyes_i_alone **a);
/* Replaces the program of a form, for tests. NULL: the backend's. */
void reyes_i_alone_replace(
	reyes_i_alone *a, reyes_i_alone_form form, const lsched_program *program);

/* Makes a run with these options the current one. */
lsched_status reyes_i_alone_prepare(reyes_i_alone *a, const reyes_i_alone_options *o);
/* Executes it once. If the memory for grids and points is too small it is enlarged, and the run
 * repeated; the times are those of the last one. */
lsched_status reyes_i_alone_execute(reyes_i_alone *a, reyes_i_alone_figures *g);
/* What the last call of the two above failed with; never NULL. */
const char *reyes_i_alone_error(const reyes_i_alone *a);

/* Copies the grids of the last execution, in any order, and its points to the host. list and points
 * may be NULL; else free() them. *points: six arrays of *stride floats. */
lsched_status reyes_i_alone_read(reyes_i_alone *a, reyes_i_alone_grid **list, uint32_t *grids,
	float **points, size_t *stride);
/* Counts micropolygons and points of the last execution, from its grids. */
lsched_status reyes_i_alone_count(reyes_i_alone *a, uint64_t *micropolygons, uint64_t *points);

/* "list", "items", "tasks"; NULL out of range. */
const char *reyes_i_alone_form_name(reyes_i_alone_form form);

#endif
