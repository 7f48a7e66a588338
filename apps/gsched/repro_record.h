/* Records of reports: a page without its pictures as JSON, for comparisons of machines. */
#ifndef APPS_GSCHED_REPRO_RECORD_H
#define APPS_GSCHED_REPRO_RECORD_H

#include <stdio.h>
#include "apps/gsched/repro.h"

/* Writes the record. Closing the file reports its errors. */
void record_write(const report_page *page, FILE *f);

/* Reads a record; *page lasts until repro_free(r). Returns 0, or -1 after a message that names the
 * file. */
int record_read(repro *r, const char *path, report_page *page);

/* Adds the sections of a page that compares two records; `names` are those of the files. */
void repro_compare(repro *r, const report_page both[2], const char *const names[2]);
#endif
