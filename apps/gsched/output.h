/* Writes a measured table as text, JSON, CSV or SVG. Errors of the file are detected when it is
 * closed. */
#ifndef APPS_GSCHED_OUTPUT_H
#define APPS_GSCHED_OUTPUT_H

#include <stdio.h>
#include "apps/gsched/measure.h"

void output_text(const gs_table *t, FILE *f);
void output_procedures(const gs_table *t, FILE *f); /* the text of --stats */
void output_json(const gs_table *t, FILE *f);
void output_csv(const gs_table *t, FILE *f);
void output_svg(const gs_table *t, FILE *f);

#endif
