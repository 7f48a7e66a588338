/* What the rendering thread uses of a job. */
#ifndef APPS_GREYES_PASSES_H
#define APPS_GREYES_PASSES_H

#include "apps/greyes/job.h"

/* The rendering thread; any: the job. */
void *gr_passes_run(void *any);

void gr_job_set_phase(gr_job *j, gr_phase phase);
/* Publishes the renderer; cancels it if the selected step requires that. */
void gr_job_set_renderer(gr_job *j, reyes_renderer *r);
gr_step gr_job_current_step(gr_job *j);
/* Waits for a step other than NONE and returns it; then none is selected. */
gr_step gr_job_take_step(gr_job *j);
/* Begin and end of reyes_render: phase and progress. */
void gr_job_begin_frame(gr_job *j, uint32_t frame);
void gr_job_end_frame(gr_job *j);

#endif
