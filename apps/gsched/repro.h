/* gsched reproduce: the papers' figures about scheduling, measured here, in one HTML page. Each paper has
 * a file repro_YEAR.c that runs gsched's own commands and computes a verdict on each claim from what
 * they returned. */
#ifndef APPS_GSCHED_REPRO_H
#define APPS_GSCHED_REPRO_H

#include "apps/common/chart.h"
#include "apps/common/log.h"
#include "apps/common/report.h"
#include "apps/gsched/measure.h"

enum { REPRO_TINY, REPRO_SMALL, REPRO_FULL };

typedef struct repro {
	const gs_options *o; /* backend, device, timeout */
	logger *log;
	int scale;
	lsched_backend backend;
	uint32_t few_workers; /* workers: one a processor, one an SM */
	uint32_t all_workers; /* as many as are resident at once: 0 for --workers */
	report_section *sections;
	struct repro_parts *parts; /* of each section */
	size_t section_count;
	int failed;                 /* some start failed or was wrong */
	struct repro_block *blocks; /* what repro_alloc gave */
	struct repro_result *tables;
} repro;

/* Memory until the end of the report, zeroed. */
void *repro_alloc(repro *r, size_t bytes);
const char *repro_text(repro *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t repro_pick(const repro *r, uint32_t tiny, uint32_t small, uint32_t full);

/* Runs a command line without the first word ("spawn -p 0.3 ..."). Never NULL; the table has no rows when
 * it could not be run or Ctrl-C came. */
const gs_table *repro_run(repro *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The checked row of that queue, or of the scheme ("static", "sync"), NULL: none. With several numbers of
 * workers the `nth` of them. */
const gs_row *repro_row(const gs_table *t, const char *name, size_t nth);
/* Of that row, or NaN. */
double repro_ms(const gs_table *t, const char *name);

/* Begins a section; the pointer is good until the next one. */
report_section *repro_section(repro *r, const char *heading, const char *source);
/* A section of its own for a further claim about the figures before. */
report_section *repro_claim(repro *r, const char *heading, const char *claim);
/* The claim of a section: holds, does not hold, or with measured = 0 neither. The reason has the
 * figures; `otherwise` (may be NULL) is shown when it does not hold. */
void repro_judge(repro *r, report_section *s, const char *claim, int measured, int holds,
	const char *otherwise, const char *reason, ...) __attribute__((format(printf, 7, 8)));
void repro_chart(repro *r, report_section *s, const chart *c);
void repro_svg(repro *r, report_section *s, const xml_buffer *svg);

/* One more start of each row of a measured table, drawn as timelines one below the other. */
void repro_timelines(repro *r, report_section *s, const gs_table *t, const char *title);

/* Lines over points: a chart and a table at once. */
enum { REPRO_LINES = 12, REPRO_POINTS = 16 };
typedef struct repro_grid {
	const char *x_label, *y_label;
	chart_scale x_scale, y_scale;
	size_t lines, points;
	const char *names[REPRO_LINES];
	double x[REPRO_POINTS];
	double y[REPRO_LINES][REPRO_POINTS];
} repro_grid;
void repro_grid_show(repro *r, report_section *s, const repro_grid *g, const char *title);
/* As above, with a table only. */
void repro_grid_table(repro *r, report_section *s, const repro_grid *g, const char *caption);

/* A table by hand: columns separated by |, then the cells one by one. */
typedef struct repro_cells {
	report_table *table;
	const char **cells;
	size_t count;
} repro_cells;
repro_cells *repro_table(repro *r, report_section *s, const char *caption, const char *columns);
void repro_cell(repro *r, repro_cells *t, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void repro_free(repro *r);

void repro_2009(repro *r);
void repro_2010(repro *r);
void repro_2011(repro *r);
void repro_2012(repro *r);
void repro_queens(repro *r); /* of the same paper */
void repro_softshell(repro *r);
#endif
