/* One run of a timeline picture: its lanes, drawn into a rectangle of the picture. */
#ifndef LIBSCHED_CORE_TRACE_PANEL_H
#define LIBSCHED_CORE_TRACE_PANEL_H

#include "libsched/core/trace.h"

/* Pixel columns of every panel, and rows of all panels together: what bounds the size of the file. */
enum { LSCHED_I_PANEL_PX = 1100, LSCHED_I_PANEL_ROWS_MAX = 320 };

typedef struct lsched_i_panel {
	const lsched_run *run;
	uint64_t base_ns, span_ns; /* the time at the left edge; the time to the right edge */
	uint32_t lanes;            /* workers of the start */
	uint32_t *worker_of;       /* [lane] */
	uint32_t *lane_of;         /* [worker] */
	uint32_t *sm_of;           /* [lane]: of its first task, LSCHED_I_NO_SM: it had none */
	uint32_t task_min, task_max;
	uint64_t first_ns, last_ns, busy_ns; /* of the recorded tasks */
	double top, height;                  /* px */
	uint32_t rows;                       /* <= lanes: how many workers' rows are drawn */
	unsigned char
		*cell;  /* [rows][LSCHED_I_PANEL_PX] 0: idle; else 1 + hue * LEVELS + level - 1 */
	double *column; /* [LSCHED_I_PANEL_PX] ns of all rows */
} lsched_i_panel;

#define LSCHED_I_NO_SM UINT32_MAX

/* Lanes, their order and the sums; sets all but base, span, top, height and rows. NOMEM, OK. */
lsched_status lsched_i_panel_open(lsched_i_panel *p, const lsched_run *run);
void lsched_i_panel_close(lsched_i_panel *p);

/* With base_ns, span_ns, height and rows set: makes the cells and columns. NOMEM, OK. */
lsched_status lsched_i_panel_fill(lsched_i_panel *p);

/* A rectangle for each task, which names it; or the cells that fill made. */
void lsched_i_panel_put_tasks(lsched_i_writer *w, const lsched_i_panel *p, double left);
void lsched_i_panel_put_cells(lsched_i_writer *w, const lsched_i_panel *p, double left);
/* The part of the workers that is busy, column by column. */
void lsched_i_panel_put_load(
	lsched_i_writer *w, const lsched_i_panel *p, double left, double top, double height);

/* The colour of a task's place, 0 to LSCHED_I_HUES - 1; `level` 1 to LSCHED_I_LEVELS pales it. */
enum { LSCHED_I_HUES = 12, LSCHED_I_LEVELS = 4 };
const char *lsched_i_panel_colour(char text[8], uint32_t hue, uint32_t level);

#endif
