/* The rendering of a scene in a thread of its own. The main thread shows pictures and progress,
 * selects the next step, and cancels. */
#ifndef APPS_GREYES_JOB_H
#define APPS_GREYES_JOB_H

#include <pthread.h>
#include <reyes/reyes.h>
#include "apps/common/log.h"
#include "apps/greyes/options.h"
#include "apps/greyes/pictures.h"
#include "apps/greyes/stats.h"
#include "apps/greyes/trace.h"

/* What the rendering thread does after a frame. */
typedef enum gr_step {
	GR_STEP_NONE, /* no step is selected yet */
	GR_STEP_NEXT,
	GR_STEP_AGAIN,  /* renders the frame again */
	GR_STEP_FLY,    /* renders the frame with the moved camera */
	GR_STEP_RELOAD, /* reads the scene again */
	GR_STEP_END
} gr_step;

typedef enum gr_phase {
	GR_PHASE_READING,
	GR_PHASE_RENDERING,
	GR_PHASE_WRITING,
	GR_PHASE_WAITING, /* for a step */
	GR_PHASE_ENDED
} gr_phase;

/* A finished picture, for the window. */
typedef struct gr_shown {
	uint64_t serial; /* 1 for the first one; 0: none */
	uint32_t frame;
	reyes_image image; /* its arrays belong to this struct */
	reyes_encoding encoding;
	double seconds; /* of reyes_render */
} gr_shown;

/* A file of the scene, for --watch. */
typedef struct gr_file {
	char *path;
	uint64_t stamp; /* of size and times, before it was read */
} gr_file;

typedef struct gr_job {
	const gr_options *o;
	logger *log;
	int has_window;

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Protected by lock. */
	reyes_renderer *r; /* for reyes_cancel and reyes_progress; NULL: none */
	gr_phase phase;
	gr_step step;
	uint32_t frame;   /* the current one */
	int64_t begin_ns; /* of its rendering */
	int is_last;      /* the scene has no further frame */
	float camera[16]; /* of GR_STEP_FLY: reyes_move_frame */
	int percent;      /* of the last line of --progress r90000; -1: none */
	gr_shown shown;
	gr_file *files; /* that the scene consists of; see reyes_rib_file */
	size_t file_count;

	/* Of the rendering thread. */
	gr_pictures pictures;
	gr_stats stats;
	gr_trace trace;
	uint32_t number;  /* of the loaded frame */
	uint32_t ordinal; /* of the frame in the scene, from 1 */
	/* Of the frame that the window shows; others may have been read since. 0: none. */
	uint32_t shown_number, shown_ordinal;
	uint32_t skip_to;  /* ordinal of the frame that was shown before the scene was reloaded */
	uint32_t rendered; /* frames */
	int64_t bucket_ns; /* when the last unfinished picture was shown */
	uint32_t seen_first, seen_last;
	int is_silent;        /* the scene is read again: its messages are known */
	int has_flown;        /* camera is the user's */
	int is_read_again;    /* the loaded frame was read with the user's camera */
	uint64_t error_count; /* messages of the library that were printed */
	int exit_code;
} gr_job;

/* Checks files and starts the thread. Returns 0, or -1 after it has logged the reason. */
int gr_job_start(gr_job *j, const gr_options *o, int has_window, logger *log);

/* Selects the step after this frame; GR_STEP_RELOAD and GR_STEP_END also cancel the frame. */
void gr_job_step(gr_job *j, gr_step step);

/* Renders the frame with this camera, unless another step is selected. */
void gr_job_fly(gr_job *j, const double camera[16]);

/* Waits until the phase may have changed, at most so long. Returns the phase. */
gr_phase gr_job_wait(gr_job *j, int limit_ms);

/* Shows or prints the progress of the frame, if it is due. */
void gr_job_progress(gr_job *j);

/* Waits for the end of the thread and frees everything. Returns the exit code. If the thread has
 * not ended after so long because it reads from a pipe, the memory remains; the process is
 * expected to end. limit_ms < 0: no limit. */
int gr_job_finish(gr_job *j, int limit_ms);

#endif
