/* Measured tables as charts. */
#ifndef APPS_GSCHED_PICTURE_H
#define APPS_GSCHED_PICTURE_H

#include "apps/common/xml.h"
#include "apps/gsched/measure.h"

/* The picture that fits the table: rates over numbers of workers when there are several, work and idle
 * time of each worker for spawned work (2010, figure 6), else bars. 0, or -1 when there is nothing to
 * draw, no memory, or `write` refused. */
int picture_write(const gs_table *t, xml_write_fn write, void *opaque);

/* The three of them. What is not checked is not drawn. */
int picture_curves(const gs_table *t, const char *title, xml_write_fn write, void *opaque);
int picture_workers(const gs_table *t, const char *title, xml_write_fn write, void *opaque);
int picture_bars(const gs_table *t, const char *title, xml_write_fn write, void *opaque);

/* "dynamic ring", "static", or just "ring" where all are dynamic. */
enum { PICTURE_LABEL_BYTES = 32 };
const char *picture_label(const gs_table *t, const gs_row *r, char out[PICTURE_LABEL_BYTES]);
#endif
