/* gsched reproduce: measures figures about scheduling from several papers and writes one HTML page.
 * Each paper has a file that runs command lines of gsched and computes a verdict on each claim from
 * their results. */
#ifndef APPS_GSCHED_REPRO_H
#define APPS_GSCHED_REPRO_H

#include <stdarg.h>
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
	uint32_t few_workers; /* workers: one per processor or SM, at least 2 */
	uint32_t all_workers; /* argument of --workers for all resident workers */
	report_section *sections;
	struct section_parts *parts; /* [section_count] */
	size_t section_count;
	const struct lat_table *latencies; /* once measured */
	const char *costs;                 /* of repro_costs(), once measured */
	int failed;                        /* an execution failed or had a wrong result */
	struct repro_block *blocks;        /* memory of repro_alloc() */
	struct repro_result *results;
} repro;

/* Return zeroed memory, or a formatted text, that lasts until repro_free(). Without memory the
 * program ends. */
void *repro_alloc(repro *r, size_t bytes);
const char *repro_text(repro *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *repro_vtext(repro *r, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/* Returns the value for the size of the loads, r->scale. */
uint32_t repro_pick(const repro *r, uint32_t tiny, uint32_t small, uint32_t full);

/* Runs a command line without the name of the program ("spawn -p 0.3 ..."). A backslash makes the
 * next character part of a word. Never returns NULL; the table has no rows after an error or a
 * signal. */
const gs_table *repro_run(repro *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the path of a scene of the folder --scenes: NAME.rib or NAME/scene.rib. NULL: there is no
 * such file, or no folder. */
const char *repro_scene_path(repro *r, const char *name);
/* Returns the name of the paper's kth scene, or NULL. */
const char *repro_scene_name(size_t k);
/* Checks that the folder --scenes has a scene of the paper. Returns 0, or -1 after a message. */
int repro_check_scenes(repro *r);
/* The same of the folder --meshes and its meshes, NAME.ply. */
const char *repro_mesh_path(repro *r, const char *name);
int repro_check_meshes(repro *r);

/* Returns the row of a queue, of a scheme without queues ("static", "sync") or of the work without
 * libsched ("plain"), with the nth number of workers. NULL: there is none, or it is not checked. */
const gs_row *repro_row(const gs_table *t, const char *name, size_t nth);
/* Returns the time of that row, or NaN. */
double repro_ms(const gs_table *t, const char *name);
/* Returns a result that the table shows beside the times, or NaN. */
double repro_fact(const gs_table *t, const char *name);

/* Returns an explanation and, behind it, the costs of a launch and of an enqueue here. */
const char *repro_costs(repro *r, const char *explanation);

/* A page has at most so many sections, tables in a section, cells and columns in a table. */
enum { REPRO_SECTIONS = 128, REPRO_PARTS = 8, REPRO_CELLS = 1024, REPRO_COLUMNS = 24 };

/* Begins a section. */
report_section *repro_section(repro *r, const char *heading, const char *source);
/* Begins a section for a further claim about the figures of the section before. */
report_section *repro_claim(repro *r, const char *heading, const char *claim);
/* Sets the claim of a section and its verdict: not measured if `measured` is 0, else holds or does
 * not hold. The reason has the numbers and the criterion. `explanation` is shown if the claim does
 * not hold; it may be NULL. */
void repro_judge(repro *r, report_section *s, const char *claim, int measured, int holds,
	const char *explanation, const char *reason, ...) __attribute__((format(printf, 7, 8)));
void repro_chart(repro *r, report_section *s, const chart *c);
void repro_svg(repro *r, report_section *s, const xml_buffer *svg);

/* Executes each row of a measured table once more and adds their timelines. */
void repro_timelines(repro *r, report_section *s, const gs_table *t, const char *title);

/* Lines over common points, for a chart and a table. */
enum { REPRO_LINES = 12, REPRO_POINTS = 16 };
typedef struct repro_grid {
	const char *x_label, *y_label;
	chart_scale x_scale, y_scale;
	size_t lines, points;
	const char *names[REPRO_LINES];
	double x[REPRO_POINTS];
	double y[REPRO_LINES][REPRO_POINTS];
} repro_grid;
/* Adds the grid as a chart and a table, or as a table only. */
void repro_grid_show(repro *r, report_section *s, const repro_grid *g, const char *title);
void repro_grid_table(repro *r, report_section *s, const repro_grid *g, const char *caption);

/* A table: `columns` has the headings, separated by |; repro_cell() adds the cells, row by row. */
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
void repro_hierarchies(repro *r); /* of the same paper, by workloads */
void repro_collisions(repro *r);
void repro_quicksort(repro *r);
void repro_2010(repro *r);
void repro_split(repro *r);  /* of the same paper */
void repro_scenes(repro *r); /* of the same paper */
void repro_subdivision(repro *r);
void repro_2011(repro *r);
void repro_octree(repro *r); /* of the same paper */
void repro_2012(repro *r);
void repro_encoder(repro *r);
void repro_queens(repro *r); /* of the same paper */
void repro_softshell(repro *r);
void repro_lod(repro *r);   /* of the same paper */
void repro_trace(repro *r); /* of the same paper */
void repro_hull(repro *r);  /* of the same paper */
void repro_x3d(repro *r);   /* of the same paper */
void repro_code(repro *r);  /* of the same paper */
#endif
