/* Seconds and rates of the counting methods on one machine, printed by
 *	queens_bench --table >nqueens/cost/table.h
 * CPU: one thread of an x86-64 server with AVX-512. GPU: one NVIDIA H200. The model (model.h)
 * compares these values with each other only, so measure all of them on the same machine. */
#ifndef NQUEENS_COST_TABLE_H
#define NQUEENS_COST_TABLE_H

/* Index 0 is n = 14, the last index is n = NQ_JOIN_MAX_N. Empty board, all units.
 * After n = 22: estimates, which queens_bench does not measure. */
enum { COST_TABLE_FROM = 14 };
static const double cost_join_cpu_s[] = { 0.005, 0.085, 0.06, 1.2, 1.7, 20, 85, 600, 5000, 1.4e6,
	3.2e7, 4e8, 8e9, 1e11, 2e12 };
static const double cost_join_gpu_s[] = { 0.001, 0.001, 0.001, 0.0046, 0.0096, 0.077, 0.37, 2.8,
	9.4, 117, 616, 1e4, 7.1e4, 1.14e6, 8.6e6 };
static const double cost_backtrack_cpu_s[] = { 0.004, 0.02, 0.13, 0.83, 7.4, 54, 480, 4400, 42000,
	4e5, 4e6, 4e7, 4e8, 4.2e9, 4.5e10 };
static const double cost_backtrack_gpu_s[] = { 0.0004, 0.0005, 0.0006, 0.002, 0.0077, 0.055, 0.42,
	3.4, 33, 320, 3.6e3, 3.7e4, 3.8e5, 4e6, 4.7e7 };

/* Nodes per second. */
#define COST_BACKTRACK_CPU_NODES_S 5e8
#define COST_TASKS_CPU_NODES_S     1.4e7
#define COST_BACKTRACK_GPU_NODES_S 5.8e11
#define COST_TASKS_GPU_NODES_S     5e10

/* Multiprocessors times clock (Hz) of the measured GPU: scales the rates to other GPUs. */
#define COST_GPU_CLOCKS_S (132 * 1.98e9)
/* First use of CUDA in a process: driver, context, memory, loading of the kernels. */
#define COST_GPU_START_S 0.3

#endif
