/* A measured table as text, JSON and CSV. */
#ifndef APPS_GSCHED_OUTPUT_H
#define APPS_GSCHED_OUTPUT_H

#include <stdio.h>
#include "apps/gsched/measure.h"

void output_text(const gs_table *t, FILE *f);
void output_json(const gs_table *t, FILE *f);
void output_csv(const gs_table *t, FILE *f);

void output_svg(const gs_table *t, FILE *f);

#endif
