/* One run of a timeline picture: its lanes, drawn into a rectangle of the picture. */
#ifndef LIBSCHED_CORE_TRACE_PANEL_H
#define LIBSCHED_CORE_TRACE_PANEL_H

#include "libsched/core/trace.h"

/* Pixel columns of every panel, and rows of all panels together: what bounds the size of the file. */
enum { SCHED__PANEL_PX = 1100, SCHED__PANEL_ROWS_MAX = 320 };

typedef struct sched__panel {
	const sched_run *run;
	uint64_t base_ns, span_ns; /* the time at the left edge; the time to the right edge */
	uint32_t lanes;            /* workers of the start */
	uint32_t *worker_of;       /* [lane] */
	uint32_t *lane_of;         /* [worker] */
	uint32_t *sm_of;           /* [lane]: of its first task, SCHED__NO_SM: it had none */
	uint32_t task_min, task_max;
	uint64_t first_ns, last_ns, busy_ns; /* of the recorded tasks */
	double top, height;                  /* px */
	uint32_t rows;                       /* <= lanes: how many workers' rows are drawn */
	unsigned char
		*cell;  /* [rows][SCHED__PANEL_PX] 0: idle; else 1 + hue * LEVELS + level - 1 */
	double *column; /* [SCHED__PANEL_PX] ns of all rows */
} sched__panel;

#define SCHED__NO_SM UINT32_MAX

/* Lanes, their order and the sums; sets all but base, span, top, height and rows. NOMEM, OK. */
sched_status sched__panel_open(sched__panel *p, const sched_run *run);
void sched__panel_close(sched__panel *p);

/* With base_ns, span_ns, height and rows set: makes the cells and columns. NOMEM, OK. */
sched_status sched__panel_fill(sched__panel *p);

/* A rectangle for each task, which names it; or the cells that fill made. */
void sched__panel_put_tasks(sched__writer *w, const sched__panel *p, double left);
void sched__panel_put_cells(sched__writer *w, const sched__panel *p, double left);
/* The part of the workers that is busy, column by column. */
void sched__panel_put_load(
	sched__writer *w, const sched__panel *p, double left, double top, double height);

/* The colour of a task's place, 0 to SCHED__HUES - 1; `level` 1 to SCHED__LEVELS pales it. */
enum { SCHED__HUES = 12, SCHED__LEVELS = 4 };
const char *sched__panel_colour(char text[8], uint32_t hue, uint32_t level);

#endif
