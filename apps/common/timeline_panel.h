/* One run of a timeline picture: its lanes, drawn into a rectangle of the picture. */
#ifndef APPS_COMMON_TIMELINE_PANEL_H
#define APPS_COMMON_TIMELINE_PANEL_H

#include "apps/common/xml.h"
#include <libsched/sched.h>

/* Pixel columns of every panel, and rows of all panels together: what bounds the size of the
 * file. */
enum { TIMELINE_PX = 1100, TIMELINE_ROWS_MAX = 320 };

typedef struct timeline_panel {
	const lsched_event *events; /* of the run, sorted by start */
	size_t event_count;
	lsched_run_info info;
	uint64_t base_ns, span_ns; /* the time at the left edge; the time to the right edge */
	uint32_t lanes;            /* workers of the start */
	uint32_t *worker_of;       /* [lane] */
	uint32_t *lane_of;         /* [worker] */
	uint32_t *sm_of;           /* [lane]: of its first task, TIMELINE_NO_SM: it had none */
	uint32_t task_min, task_max;
	uint64_t first_ns, last_ns, busy_ns; /* of the recorded tasks */
	double top, height;                  /* px */
	uint32_t rows;                       /* <= lanes: how many workers' rows are drawn */
	unsigned char *cell; /* [rows][TIMELINE_PX] 0: idle; else 1 + hue * LEVELS + level - 1 */
	double *column;      /* [TIMELINE_PX] ns of all rows */
} timeline_panel;

#define TIMELINE_NO_SM UINT32_MAX

/* Lanes, their order and the sums; sets all but base, span, top, height and rows. NOMEM, OK. */
lsched_status timeline_panel_open(timeline_panel *p, const lsched_run *run);
void timeline_panel_close(timeline_panel *p);

/* With base_ns, span_ns, height and rows set: makes the cells and columns. NOMEM, OK. */
lsched_status timeline_panel_fill(timeline_panel *p);

/* A rectangle for each task, which names it; or the cells that fill made. */
void timeline_panel_put_tasks(xml_out *w, const timeline_panel *p, double left);
void timeline_panel_put_cells(xml_out *w, const timeline_panel *p, double left);
/* The part of the workers that is busy, column by column. */
void timeline_panel_put_load(
	xml_out *w, const timeline_panel *p, double left, double top, double height);

/* The colour of a task's place, 0 to TIMELINE_HUES - 1; `level` 1 to TIMELINE_LEVELS pales it. */
enum { TIMELINE_HUES = 12, TIMELINE_LEVELS = 4 };
const char *timeline_panel_colour(char text[8], uint32_t hue, uint32_t level);

#endif
