/* Memory and runs of split and dice alone, shared by the files of this folder. */
#ifndef REYES_ALONE_PARTS_H
#define REYES_ALONE_PARTS_H

#include "reyes/alone/alone.h"
#include "reyes/alone/dice.h"
#include "reyes/render/memory.h"

struct reyes_i_alone {
	lsched_ctx *ctx;
	reyes_i_alone_cuda *cuda; /* NULL: CPU */
	reyes_i_alone_ctx c;
	reyes_i_memory frame[REYES_I_FRAME_ARRAY_COUNT], used, grid_list, points;
	const lsched_program *replaced[REYES_I_ALONE_FORMS];
	reyes_i_alone_options o;
	uint32_t bin_size;  /* of o, or the default */
	lsched_run *run;    /* split, or both */
	lsched_run *dice;   /* LIST on CPU threads */
	uint32_t dice_room; /* its tasks */
	uint32_t grids;     /* of the last execution */
	char error[400];
};

/* Sets the error and returns a status. `why` may be empty; NULL: libsched's last error. */
lsched_status reyes_i_alone_failed(reyes_i_alone *a, lsched_status st, const char *why);
/* The same for a call of CUDA; NULL: no failure. */
lsched_status reyes_i_alone_cuda_failed(reyes_i_alone *a, const char *why);
/* Makes room for the results; it never becomes smaller. */
lsched_status reyes_i_alone_reserve(reyes_i_alone *a, uint32_t grids, uint32_t places);

#endif
