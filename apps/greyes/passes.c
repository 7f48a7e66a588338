/* The rendering thread: passes over the scene, frames, files. */
#include "apps/greyes/passes.h"
#include "apps/greyes/changes.h"
#include "apps/greyes/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Least time between two pictures of a frame that is not finished. */
static const int64_t BUCKETS_NS = 100000000;

/* ---- one frame ---- */

static void forward_log(void *user, reyes_level level, const char *message)
{
	gr_job *j = user;

	if (j->is_silent)
		return;
	log_print(j->log, (log_level)level, "%s", message);
	j->error_count += level == REYES_LEVEL_ERROR;
}

_Static_assert(
	(int)REYES_LEVEL_ERROR == LOG_LEVEL_ERROR && (int)REYES_LEVEL_DEBUG == LOG_LEVEL_DEBUG,
	"the levels are those of the library");

/* Returns -1 after an error; a cancelled call is none. */
static int fail(gr_job *j, reyes_status s, const char *why)
{
	if (s != REYES_CANCELLED) {
		log_print(j->log, LOG_LEVEL_ERROR, "%s", why);
		j->exit_code = CLI_EXIT_FAILED;
	}
	return -1;
}

/* The same for a call that reads the scene. An error in its text was printed with its position,
 * unless ErrorHandler "ignore" has suppressed it. errors: error_count before the call. */
static int fail_reading(gr_job *j, reyes_status s, uint64_t errors)
{
	if ((s != REYES_ERR_SCENE && s != REYES_ERR_FILE) || j->error_count == errors)
		return fail(j, s, reyes_last_error(j->r));
	j->exit_code = CLI_EXIT_FAILED;
	return -1;
}

/* Copies the image for the window. */
static void show(gr_job *j, const reyes_image *image, size_t display, double seconds)
{
	const size_t pixels = (size_t)image->width_px * image->height_px;
	float *rgba, *z;

	if (!j->has_window)
		return;
	rgba = malloc(pixels * 4 * sizeof(*rgba));
	z = malloc(pixels * sizeof(*z));
	if (!rgba || !z) {
		free(rgba);
		free(z);
		log_print(j->log, LOG_LEVEL_WARN, "no memory to show frame %" PRIu32, j->frame);
		return;
	}
	memcpy(rgba, image->rgba, pixels * 4 * sizeof(*rgba));
	memcpy(z, image->z, pixels * sizeof(*z));
	pthread_mutex_lock(&j->lock);
	free((float *)(uintptr_t)j->shown.image.rgba);
	free((float *)(uintptr_t)j->shown.image.z);
	j->shown.image = *image;
	j->shown.image.rgba = rgba;
	j->shown.image.z = z;
	reyes_encoding_init(&j->shown.encoding);
	(void)reyes_get_encoding(j->r, display, &j->shown.encoding);
	j->shown.frame = j->frame;
	j->shown.seconds = seconds;
	j->shown.serial++;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

/* Shows the picture while it is rendered, a few times a second. */
static void show_bucket(void *user, const reyes_image *image, uint32_t x, uint32_t y,
	uint32_t width, uint32_t height)
{
	gr_job *j = user;
	const int64_t now = progress_now_ns();
	size_t display;

	(void)x, (void)y, (void)width, (void)height;
	if (now - j->bucket_ns < BUCKETS_NS || gr_picture_display(j->r, &display) != 0)
		return;
	show(j, image, display, 0);
	j->bucket_ns = progress_now_ns();
}

/* Gives the loaded frame the user's camera; with is_shown first loads the frame that the window
 * shows. */
static int place_camera(gr_job *j, int is_shown)
{
	reyes_status s = is_shown ? gr_load_shown(j) : REYES_OK;

	if (s == REYES_OK)
		s = gr_place_camera(j);
	if (s == REYES_OK)
		return 0;
	return fail(j, s,
		s == REYES_END ? "the scene has changed: the frame is missing"
			       : reyes_last_error(j->r));
}

/* Renders the loaded frame. Returns 0, or -1 after an error. */
static int render(gr_job *j, uint32_t number, reyes_image *image, reyes_stats *figures)
{
	reyes_status s;

	reyes_image_init(image);
	reyes_stats_init(figures);
	gr_job_begin_frame(j, number);
	s = reyes_render(j->r, image); /* only this thread writes j->r */
	if (s != REYES_OK)
		return fail(j, s, reyes_last_error(j->r));
	gr_job_end_frame(j);
	(void)reyes_get_stats(j->r, figures);
	return 0;
}

/* Renders the loaded frame, writes and shows it. *waits: the window shows its picture, and no file
 * is written: the next frame comes when the user requests it. */
static int render_frame(gr_job *j, int *waits)
{
	const uint32_t number = gr_picture_number(&j->pictures, j->number);
	char why[GR_WHY_BYTES], names[300];
	reyes_renderer *r = j->r; /* only this thread writes it */
	reyes_image image;
	reyes_stats figures;
	size_t display;
	reyes_status s;

	if (render(j, number, &image, &figures))
		return -1;
	*waits = gr_picture_display(r, &display) == 0;
	if (*waits) {
		show(j, &image, display, (double)figures.total_ns * 1e-9);
		j->shown_number = number;
		j->shown_ordinal = j->ordinal;
	}
	s = gr_pictures_write(&j->pictures, r, number, names, sizeof(names), why);
	if (s != REYES_OK)
		return fail(j, s, why);
	*waits = *waits && (j->o->fly || !*names);
	gr_stats_frame(&j->stats, number, &image, &figures);
	if (gr_trace_write(&j->trace, r, why, sizeof(why)))
		(void)fail(j, REYES_ERR_FILE, why);
	j->rendered++;
	log_print(j->log, LOG_LEVEL_INFO, "frame %" PRIu32 ": %" PRIu32 "x%" PRIu32 ", %.3f s%s%s",
		number, image.width_px, image.height_px, (double)figures.total_ns * 1e-9,
		*names ? ", " : "", names);
	if (!*names && !j->has_window)
		log_print(j->log, LOG_LEVEL_WARN,
			"frame %" PRIu32 " has no file; name one with -o FILE", number);
	return 0;
}

/* ---- a pass over the scene ---- */

/* Reads up to the next frame that is to be rendered. Returns 1, 0 at the end, -1 after an error. */
static int next_frame(gr_job *j)
{
	uint32_t number;

	gr_job_set_phase(j, GR_PHASE_READING);
	for (;;) {
		const uint64_t errors = j->error_count;
		const reyes_status s = reyes_rib_next_frame(j->r);

		if (j->o->watch)
			gr_changes_publish(j);
		if (s == REYES_END)
			return 0;
		if (s != REYES_OK)
			return fail_reading(j, s, errors);
		j->ordinal++;
		j->is_read_again = 0;
		number = reyes_frame_number(j->r) ? reyes_frame_number(j->r) : j->ordinal;
		if (j->ordinal == 1)
			j->seen_first = number;
		j->seen_last = j->number = number;
		if (number >= j->o->first_frame && number <= j->o->last_frame)
			return 1;
	}
}

/* Returns whether the frame that the window shows can neither be rendered nor read again. */
static int is_lost(gr_job *j)
{
	if (j->ordinal == j->shown_ordinal || strcmp(j->o->scene, "-") != 0)
		return 0;
	log_print(j->log, LOG_LEVEL_WARN,
		"frame %" PRIu32 " cannot be rendered again, because standard input is read once",
		j->shown_number);
	return 1;
}

/* Renders frames up to a step that is neither NEXT nor AGAIN, and returns it. */
static gr_step frames(gr_job *j, gr_step step)
{
	int waits = 0;

	while (step == GR_STEP_NEXT || step == GR_STEP_AGAIN) {
		const int more = step == GR_STEP_NEXT ? next_frame(j) : 1;

		if (more < 0)
			return gr_job_current_step(j);
		if (!more && (!j->has_window || !j->rendered))
			return GR_STEP_NONE;
		pthread_mutex_lock(&j->lock);
		j->is_last = !more;
		pthread_mutex_unlock(&j->lock);
		if (step == GR_STEP_AGAIN && is_lost(j)) {
			step = gr_job_take_step(j);
			continue;
		}
		/* A flight's camera remains for the frames that follow. */
		if (more && (step == GR_STEP_NEXT || j->ordinal != j->shown_ordinal) &&
			place_camera(j, step == GR_STEP_AGAIN))
			return gr_job_current_step(j);
		if (more && render_frame(j, &waits))
			return gr_job_current_step(j);
		/* After --watch has reloaded the scene, the window shows the same frame as
		 * before. */
		step = j->has_window && (!more || (waits && j->ordinal >= j->skip_to))
			       ? gr_job_take_step(j)
			       : GR_STEP_NEXT;
		if (step == GR_STEP_NEXT && gr_job_current_step(j) >= GR_STEP_RELOAD)
			step = gr_job_current_step(j);
		if (step == GR_STEP_RELOAD)
			j->skip_to = j->shown_ordinal;
	}
	return step;
}

/* Renders the loaded frame with the moved camera, for the window only. */
static int fly_frame(gr_job *j)
{
	reyes_image image;
	reyes_stats figures;
	size_t display;

	j->has_flown = 1;
	if (place_camera(j, 1) || render(j, j->number, &image, &figures))
		return -1;
	(void)gr_picture_display(j->r, &display);
	show(j, &image, display, (double)figures.total_ns * 1e-9);
	return 0;
}

static void set_options(gr_job *j, reyes_options *ro)
{
	const gr_options *o = j->o;

	reyes_options_init(ro);
	ro->log = forward_log;
	ro->log_user = j;
	ro->backend = o->threads ? REYES_BACKEND_CPU : (reyes_backend)o->backend;
	ro->device = (int)o->device;
	ro->threads = o->threads;
	ro->queue = gr_queue_name(o);
	ro->memory_bytes = o->memory_bytes;
	ro->bucket_px = o->bucket_px;
	ro->trace_events = o->trace ? GR_TRACE_EVENTS : 0;
	if (j->has_window && !o->fly) {
		ro->on_bucket = show_bucket;
		ro->bucket_user = j;
	}
	ro->allow_programs = (uint32_t)o->allow_programs;
	ro->strict = (uint32_t)o->strict;
	ro->overwrite = (uint32_t)o->overwrite;
	ro->confine = o->confine;
	ro->search_path = o->search_path;
	ro->width_px = o->res.width;
	ro->height_px = o->res.height;
	ro->samples_x = o->samples_x;
	ro->samples_y = o->samples_y;
	ro->shading_rate = (float)o->shading_rate;
	memcpy(ro->crop, o->crop, sizeof(ro->crop));
}

/* Reports a scene in which no frame was rendered. */
static void check_pass(gr_job *j)
{
	const gr_options *o = j->o;
	char why[GR_WHY_BYTES];

	if (!j->ordinal)
		snprintf(why, sizeof(why), "%s has no frame: there is no complete world block",
			strcmp(o->scene, "-") == 0 ? "standard input" : o->scene);
	else if (!j->rendered)
		snprintf(why, sizeof(why),
			"--frames %s: the scene has no such frame; its frames are %" PRIu32
			" to %" PRIu32,
			o->frames_text, j->seen_first, j->seen_last);
	else if (o->output && !j->pictures.count)
		snprintf(why, sizeof(why),
			"%s is not written: the frames have displays of mode \"z\" only",
			o->output);
	else
		return;
	(void)fail(j, REYES_ERR_SCENE, why);
}

/* Opens a renderer and renders the scene's frames. Returns the step that ended the pass. */
static gr_step render_scene(gr_job *j)
{
	reyes_renderer *r = NULL;
	reyes_options ro;
	const uint64_t errors = j->error_count;
	char why[GR_WHY_BYTES];
	gr_step step;
	reyes_status s;

	set_options(j, &ro);
	gr_changes_stamp(j);
	gr_job_set_phase(j, GR_PHASE_READING);
	j->ordinal = j->rendered = j->shown_ordinal = 0;
	s = reyes_open(&r, &ro, why, sizeof(why));
	if (s != REYES_OK) {
		(void)fail(j, s, why);
		return gr_job_current_step(j);
	}
	gr_job_set_renderer(j, r);
	s = reyes_rib_open(r, j->o->scene);
	if (s != REYES_OK) {
		gr_changes_publish(j);
		(void)fail_reading(j, s, errors);
		step = gr_job_current_step(j);
	} else {
		step = frames(j, GR_STEP_NEXT);
		while (step == GR_STEP_FLY) {
			step = fly_frame(j) ? gr_job_current_step(j) : gr_job_take_step(j);
			if (step == GR_STEP_NEXT || step == GR_STEP_AGAIN)
				step = frames(j, step);
		}
		r = j->r;
		if (step == GR_STEP_NONE && j->exit_code == CLI_EXIT_OK)
			check_pass(j);
	}
	gr_job_set_renderer(j, NULL);
	reyes_close(&r);
	return step;
}

/* Reports the end of a file by outfile_close. */
static void check_closed(gr_job *j, int result, const char *why)
{
	if (result < 0)
		(void)fail(j, REYES_ERR_FILE, why);
	else if (result > 0)
		log_print(j->log, LOG_LEVEL_WARN, "%s", why);
}

void *gr_passes_run(void *any)
{
	gr_job *j = any;
	char why[OUTFILE_WHY_BYTES];
	outfile_end end;
	gr_step step;

	for (;;) {
		step = render_scene(j);
		if (step < GR_STEP_RELOAD && (j->o->watch || (j->has_window && j->shown.serial)))
			step = gr_job_take_step(j);
		if (step != GR_STEP_RELOAD)
			break;
		pthread_mutex_lock(&j->lock);
		if (j->step == GR_STEP_RELOAD)
			j->step = GR_STEP_NONE;
		pthread_mutex_unlock(&j->lock);
		gr_pictures_again(&j->pictures);
		j->exit_code = CLI_EXIT_OK;
	}
	end = j->exit_code == CLI_EXIT_OK ? OUTFILE_KEEP : OUTFILE_KEEP_PART;
	check_closed(j, gr_stats_end(&j->stats, end, why), why);
	check_closed(j, gr_trace_end(&j->trace, why), why);
	gr_job_set_phase(j, GR_PHASE_ENDED);
	return NULL;
}
