/* Output of results: the count, a table, JSON, a remark. */
#ifndef APPS_GQUEENS_OUTPUT_H
#define APPS_GQUEENS_OUTPUT_H

#include <stdio.h>
#include "apps/common/outfile.h"
#include "apps/gqueens/count.h"
#include "libsched/core/json.h"

/* Returns nonzero if the row has a count that no check refutes. */
int output_good(const gq_row *r);

/* Prints the count alone on a line. */
void output_count(const gq_row *r, const gq_options *o, FILE *f);
void output_table_head(const gq_options *o, FILE *f);
void output_table_row(const gq_row *r, const gq_options *o, FILE *f);
/* Logs time, method and comparison to standard error. */
void output_remark(const gq_row *r, const gq_options *o, logger *log);

/* "{ ..., "results": [", then rows, then the end; what: "results" or another name of the array. */
void output_json_begin(lsched_i_json *j, FILE *f, const char *what);
void output_json_row(lsched_i_json *j, const gq_row *r, const gq_options *o);
void output_json_end(lsched_i_json *j);

/* Closes a file, or standard output ("-"), which is flushed instead. Returns 0, or -1 after a
 * message; `lost` (may be NULL) is the unwritten output that the message has. */
int output_close(outfile *f, const char *lost, logger *log);
int output_close_stdout(const char *lost, logger *log);
#endif
