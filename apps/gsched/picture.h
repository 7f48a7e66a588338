/* Charts of measured tables. */
#ifndef APPS_GSCHED_PICTURE_H
#define APPS_GSCHED_PICTURE_H

#include "apps/common/xml.h"
#include "apps/gsched/measure.h"

/* Selects the chart for the table and writes it: rates over numbers of workers if there are several
 * numbers; work and idle time of each worker for trees (2010, figure 6); else bars. Returns 0; -1
 * if there is nothing to draw, without memory, or if `write` failed. */
int picture_write(const gs_table *t, xml_write_fn write, void *opaque);

/* Writes the second of these charts; it draws rows in state ROW_CHECKED only. */
int picture_workers(const gs_table *t, const char *title, xml_write_fn write, void *opaque);
#endif
