/* The commands of gsched and their options. */
#ifndef APPS_GSCHED_OPTIONS_H
#define APPS_GSCHED_OPTIONS_H

#include <libsched/sched.h>
#include "apps/common/cli.h"
#include "workloads/table.h"

typedef enum gs_kind { GS_LIST, GS_RUN, GS_WORKLOAD, GS_LATENCY, GS_SERVICE, GS_REPRODUCE } gs_kind;

/* A command line without its options. */
typedef struct gs_command {
	gs_kind kind;
	const cli_program *program;
	const wl_type *type; /* of GS_WORKLOAD */
} gs_command;

/* The options of all commands; each command has its own table of those that it accepts. */
typedef struct gs_options {
	int backend, device;          /* lsched_backend */
	const char *workers;          /* numbers, separated by commas */
	const char *queues, *schemes; /* names, separated by commas, or all */
	uint32_t repeat;
	int overflow; /* lsched_overflow */
	uint32_t bin_size, capacity, timeout_ms;
	int never_keep, no_plain;
	const char *trace, *json, *csv, *svg;
	int overwrite, quiet, log_level;
	uint64_t work[WL_OPTIONS_BYTES / sizeof(uint64_t)]; /* the workload's own */

	int as_json, names;                                     /* list, latency, service */
	uint32_t samples;                                       /* latency */
	uint32_t requests, work_us, body_us, deadline_us, seed; /* service */
	double rate;
	int stats;                                   /* service, and of workloads */
	const char *out, *scenes, *meshes, *compare; /* reproduce */
	int scale;                                   /* 0 auto, then REPRO_TINY + 1 ... */
} gs_options;

extern const cli_program gs_program; /* gsched itself */

/* Makes the tables of the commands; before any of the next functions. */
void gs_commands_init(void);

/* The commands of gsched, and those of `gsched run`; end with NULL. */
const cli_program *const *gs_commands(void);
const cli_program *const *gs_run_commands(void);

/* Finds the command of the words argv[0..argc), such as "run sort" or "spawn". `run` alone is
 * GS_RUN. Returns the number of words of the command, 0: there is none, and msg says which word is
 * unknown. */
int gs_find_command(gs_command *c, int argc, char **argv, char *msg, size_t msg_bytes);

/* Rows of several tables of options, see apps/common/cli_options.h. */
#define GS_OPTIONS_DEVICE                                                                \
	CLI_OPTION_BACKEND(                                                              \
		0, "select the backend; auto: CUDA if a device is usable", "Execution"), \
		CLI_OPTION_CURRENT_DEVICE
#define GS_OPTIONS_MESSAGES                                              \
	CLI_OPTION_QUIET(0, "print errors only: no table, no progress"), \
		CLI_OPTION_LOG_LEVEL(                                    \
			"set the least severe messages to print: error, warn, info or debug")

/* The entries of the option tables, all but those of workloads. */
enum { GS_MAX_OPTIONS = 48 };
extern const cli_program gs_list_program, gs_run_program, gs_latency_program, gs_service_program,
	gs_reproduce_program;
/* Writes the options of a workload to out[GS_MAX_OPTIONS]. */
void gs_workload_options(const wl_type *type, cli_opt *out);

/* Return a description of a queue or scheme, never NULL. */
const char *gs_queue_text(lsched_queue q);
const char *gs_scheme_text(lsched_scheme s);

/* Parse the lists of queues, schemes and numbers of workers, in their order. Return the number of
 * entries. */
enum { GS_MAX_LISTED = 64 };
size_t gs_list_queues(const gs_options *o, lsched_queue out[GS_MAX_LISTED]);
size_t gs_list_schemes(const gs_options *o, lsched_scheme out[GS_MAX_LISTED]);
size_t gs_list_workers(const gs_options *o, uint32_t out[GS_MAX_LISTED]);

/* Checks combinations of options. Returns 0, or -1 with msg: a usage error. */
int gs_options_check(const gs_command *c, const gs_options *o, char *msg, size_t msg_bytes);
#endif
