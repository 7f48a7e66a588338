/* One run of a timeline picture: its lanes and the graph of busy workers. */
#ifndef LIBSCHED_CORE_SVG_PANEL_H
#define LIBSCHED_CORE_SVG_PANEL_H

#include "libsched/core/backend.h"
#include "libsched/core/timeline.h"

/* Rows of all panels together. They limit the size of the file, as do the TIMELINE_PX columns. */
enum { TIMELINE_ROWS_MAX = 320 };

typedef struct lsched_i_panel {
	const lsched_event *events; /* of the run, sorted by start */
	size_t event_count;
	lsched_run_info info;
	const lsched_program *program;
	uint32_t procedures; /* 0: the colours are not those of procedures */
	struct {
		uint64_t batches, items, busy_ns;
	} of[LSCHED_MAX_PROCEDURES];
	uint64_t base_ns, span_ns; /* time at the left edge; time from the left to the right edge */
	uint32_t lanes;            /* workers of the execution */
	uint32_t *worker_of;       /* [lane] */
	uint32_t *lane_of;         /* [worker] */
	uint32_t *sm_of;           /* [lane]: SM of its first task, TIMELINE_NO_SM: no task */
	uint32_t task_min, task_max;
	uint64_t first_ns, last_ns, busy_ns; /* of the recorded tasks */
	double top, height;                  /* px */
	uint32_t rows;                       /* <= lanes; several lanes may share a row */
	unsigned char *cell; /* [rows][TIMELINE_PX] 0: idle; else 1 + hue * LEVELS + level - 1 */
	double *column;      /* [TIMELINE_PX]: busy time of all rows in ns */
} lsched_i_panel;

#define TIMELINE_NO_SM UINT32_MAX

/* Sets all members except base_ns, span_ns, top, height, rows, cell and column. Returns OK, NOMEM,
 * or STATE for a run that is executing. */
lsched_status lsched_i_panel_open(lsched_i_panel *p, const lsched_run *run);
void lsched_i_panel_close(lsched_i_panel *p);

/* Sets cell and column; base_ns, span_ns and rows must be set. Returns OK or NOMEM. */
lsched_status lsched_i_panel_fill(lsched_i_panel *p);

/* Write one rectangle with a tooltip per task, or the cells. */
void lsched_i_panel_put_tasks(lsched_i_xml *w, const lsched_i_panel *p, double left);
void lsched_i_panel_put_cells(lsched_i_xml *w, const lsched_i_panel *p, double left);
/* Writes the numbers of workers, or of SMs with lines between them, if there is space for them. */
void lsched_i_panel_put_lanes(lsched_i_xml *w, const lsched_i_panel *p, double left);
/* Writes the graph of busy workers. */
void lsched_i_panel_put_load(
	lsched_i_xml *w, const lsched_i_panel *p, double left, double top, double height);

/* Returns the hue of a procedure. */
uint32_t lsched_i_panel_procedure_hue(const lsched_i_panel *p, uint32_t procedure);

/* Returns the colour of a hue, 0 to TIMELINE_HUES - 1; a smaller `level`, 1 to TIMELINE_LEVELS, is
 * paler. */
enum { TIMELINE_HUES = 12, TIMELINE_LEVELS = 4 };
const char *lsched_i_panel_colour(char text[8], uint32_t hue, uint32_t level);

#endif
