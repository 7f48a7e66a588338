/* Memory and runs of split and dice alone, shared by the files of this folder. */
#ifndef REYES_ALONE_PARTS_H
#define REYES_ALONE_PARTS_H

#include "reyes/alone/alone.h"
#include "reyes/alone/dice.h"

enum reyes_i_alone_array {
	REYES_I_ALONE_A_PRIMS,
	REYES_I_ALONE_A_ATTRS,
	REYES_I_ALONE_A_SHADERS,
	REYES_I_ALONE_A_LIGHTS,
	REYES_I_ALONE_A_FLOATS,
	REYES_I_ALONE_A_WORDS,
	REYES_I_ALONE_A_USED,
	REYES_I_ALONE_A_GRIDS,
	REYES_I_ALONE_A_POINTS,
	REYES_I_ALONE_ARRAYS
};

struct reyes_i_alone {
	lsched_ctx *ctx;
	reyes_i_alone_cuda *cuda; /* NULL: CPU */
	reyes_i_alone_ctx c;
	void *array[REYES_I_ALONE_ARRAYS];
	const lsched_program *replaced[REYES_I_ALONE_FORMS];
	reyes_i_alone_options o;
	uint32_t bin_size;  /* of o, or the default */
	lsched_run *run;    /* split, or both */
	lsched_run *dice;   /* LIST on CPU threads */
	uint32_t dice_room; /* its tasks */
	uint32_t grids;     /* of the last execution */
	char error[400];
};

/* Set the error and return a status. `why` may be empty, or NULL of CUDA: no failure. */
lsched_status reyes_i_alone_failed(reyes_i_alone *a, lsched_status st, const char *why);
lsched_status reyes_i_alone_cuda_failed(reyes_i_alone *a, const char *why);
/* Makes room for the results; it never becomes smaller. */
lsched_status reyes_i_alone_reserve(reyes_i_alone *a, uint32_t grids, uint32_t places);

#endif
