/* Measurements of reyes_bench: frames of scenes, also by numbers of CPU threads, split and dice
 * alone, split and dice under every queue. */
#ifndef BENCH_REYES_MEASURE_H
#define BENCH_REYES_MEASURE_H

#include <stdio.h>
#include <libsched/sched.h>
#include <reyes/reyes.h>
#include "libsched/core/json.h"
#include "reyes/alone/alone.h"

/* Options and results of the program. */
typedef struct reyes_bench {
	FILE *json;
	lsched_i_json writer; /* to json */
	const char *commit;
	uint32_t repeat; /* timed repetitions after a warm-up */
	int quick;       /* small pictures */
	int failed;
} reyes_bench;

extern reyes_bench bench;

enum { BENCH_REPEATS_MAX = 1000 };

/* A scene: RIB text, or a file if text is NULL. */
typedef struct bench_scene {
	const char *name, *text, *path;
} bench_scene;

/* Renders the first frame of a scene repeatedly; prints and records the medians. A scene that
 * cannot be rendered sets bench.failed. */
void measure_frames(lsched_backend backend, const bench_scene *s);

/* Renders the first frame of a scene repeatedly on so many CPU threads; prints and records
 * micropolygons per second of a thread, by the host's clock and by CPU time. */
void measure_threads(uint32_t threads, const bench_scene *s);

/* Measures form LIST with the renderer's queue, and with other numbers of CPU threads (0: all). */
void measure_split_dice(lsched_backend backend, uint32_t threads, const bench_scene *s);

/* Measures every form under every queue. */
void measure_queues(lsched_backend backend, const bench_scene *s);

#endif
