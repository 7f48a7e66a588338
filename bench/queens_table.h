/* queens_bench --table: measures nqueens/cost/table.h. */
#ifndef BENCH_QUEENS_TABLE_H
#define BENCH_QUEENS_TABLE_H

/* Prints the header file to standard output; the quick form measures n up to 17 only. Needs a CUDA
 * device, because all values have to come from one machine. Returns an exit code. */
int print_cost_table(void);

#endif
