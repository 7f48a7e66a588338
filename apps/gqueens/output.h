/* What gqueens says: the count, a table, JSON, a remark. */
#ifndef APPS_GQUEENS_OUTPUT_H
#define APPS_GQUEENS_OUTPUT_H

#include <stdio.h>
#include "apps/common/outfile.h"
#include "apps/gqueens/count.h"
#include "libsched/core/json.h"

/* Nonzero: the row has a count that may be shown as one. */
int output_good(const gq_row *r);

/* Alone on a line. */
void output_count(const gq_row *r, const gq_options *o, FILE *f);
void output_table_head(const gq_options *o, FILE *f);
void output_table_row(const gq_row *r, const gq_options *o, FILE *f);
/* How it went, for standard error. */
void output_remark(const gq_row *r, const gq_options *o, logger *log);

/* "{ ..., "results": [", then rows, then the end. */
void output_json_begin(lsched_i_json *j, FILE *f, const char *what);
void output_json_row(lsched_i_json *j, const gq_row *r, const gq_options *o);
void output_json_end(lsched_i_json *j);

/* Standard output or a file, as `path` says. 0, or -1 with a message, in which `lost` (may be NULL) tells
 * what could not be written. Standard output itself is closed by nobody, but has to be written out. */
int output_open(outfile *f, const char *path, const gq_options *o, logger *log);
int output_close(outfile *f, const char *lost, logger *log);
int output_close_stdout(const char *lost, logger *log);
#endif
