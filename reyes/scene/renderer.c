/* Opening and closing a renderer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/sized.h"
#include "reyes/scene/blocks.h"
#include "reyes/scene/declare.h"
#include "reyes/scene/frame_arrays.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/motion.h"
#include "reyes/scene/renderer.h"
#include "reyes/scene/rib_seam.h"

#define OPTIONS_LEAST_BYTES LSCHED_I_SIZE_TO(reyes_options, crop)

int reyes_i_reserve(void *any, size_t *room, size_t need, size_t element_bytes)
{
	void **list = any;
	size_t count = *room;
	void *more;

	if (need <= count)
		return 1;
	count = count + count / 2 < need ? need : count + count / 2;
	if (count < 8)
		count = 8;
	more = count <= SIZE_MAX / element_bytes ? realloc(*list, count * element_bytes) : NULL;
	if (!more)
		return 0;
	memset((unsigned char *)more + *room * element_bytes, 0, (count - *room) * element_bytes);
	*list = more;
	*room = count;
	return 1;
}

char *reyes_i_copy_string(const char *s)
{
	return s ? strdup(s) : NULL;
}

static const reyes_options default_options = { .backend = REYES_BACKEND_AUTO };

void reyes_options_init_sized(reyes_options *o, size_t struct_bytes)
{
	lsched_i_sized_init(o, struct_bytes, sizeof(default_options), &default_options);
}

reyes_i_file_rules reyes_i_rules_of(const reyes_renderer *r)
{
	return (reyes_i_file_rules){ .keeps_others = !r->options.overwrite,
		.folder = r->options.confine,
		.cancelled = &r->cancelled };
}

/* The defect of the options; NULL: none. */
static const char *check_options(const reyes_options *o)
{
	int i;

	if ((unsigned)o->backend > REYES_BACKEND_CUDA)
		return "the backend is none of auto, cpu and cuda";
	if (o->device < 0)
		return "the device number is negative";
	if (o->width_px > REYES_I_SIZE_MAX_PX || o->height_px > REYES_I_SIZE_MAX_PX)
		return "the picture is larger than 65536 x 65536 pixels";
	if (o->samples_x > REYES_I_SAMPLES_MAX || o->samples_y > REYES_I_SAMPLES_MAX)
		return "there are more than 64 x 64 samples a pixel";
	if (!isfinite(o->shading_rate) || o->shading_rate < 0)
		return "the factor of the shading rate is negative or not finite";
	for (i = 0; i < 4; i++) {
		if (!(o->crop[i] >= 0 && o->crop[i] <= 1))
			return "the crop window is not within 0..1";
	}
	if (o->crop[0] > o->crop[1] || o->crop[2] > o->crop[3])
		return "the crop window has a minimum above its maximum";
	return NULL;
}

/* Allocates the parts of a new renderer; 0: no memory. */
static int set_up(reyes_renderer *r, const reyes_options *o)
{
	r->options = *o;
	r->option_queue = reyes_i_copy_string(o->queue);
	r->option_search_path = reyes_i_copy_string(o->search_path);
	r->options.queue = r->option_queue;
	r->strict_given = o->strict;
	r->options.search_path = r->option_search_path;
	r->option_confine = reyes_i_copy_string(o->confine);
	r->options.confine = r->option_confine;
	r->settings = reyes_i_settings_new();
	r->state = reyes_i_state_new();
	r->ctm = reyes_i_xform_new(1);
	r->base = reyes_i_xform_new(1);
	if (!r->settings || !r->state || !r->ctm || !r->base || (o->queue && !r->option_queue) ||
		(o->search_path && !r->option_search_path) || (o->confine && !r->option_confine))
		return 0;
	reyes_i_matrix_identity(r->ctm->matrix[0]);
	reyes_i_matrix_identity(r->base->matrix[0]);
	r->solid = REYES_I_NONE;
	reyes_i_matrix_identity(r->camera_move);
	r->pixel_aspect = 1;
	reyes_i_encoding_init(&r->encoding);
	return 1;
}

reyes_status reyes_open(
	reyes_renderer **out, const reyes_options *o, char *message, size_t message_bytes)
{
	reyes_options known = default_options;
	const char *wrong, *begin = "";
	reyes_renderer *r;

	if (message && message_bytes)
		message[0] = '\0';
	if (!out)
		return REYES_ERR_ARG;
	*out = NULL;
	wrong = o ? lsched_i_sized_in(&known, sizeof(known), OPTIONS_LEAST_BYTES, o) : "is NULL";
	if (wrong)
		begin = "reyes_options ";
	else
		wrong = check_options(&known);
	if (wrong) {
		if (message && message_bytes)
			snprintf(message, message_bytes, "%s%s", begin, wrong);
		return REYES_ERR_ARG;
	}
	r = calloc(1, sizeof(*r));
	if (!r || !set_up(r, &known)) {
		reyes_close(&r);
		if (message && message_bytes)
			snprintf(message, message_bytes, "out of memory");
		return REYES_ERR_NOMEM;
	}
	*out = r;
	return REYES_OK;
}

static void free_tables(reyes_renderer *r)
{
	size_t i;

	for (i = 0; i < r->space_room; i++)
		reyes_i_xform_unref(r->space_xforms[i]);
	free(r->space_xforms);
	for (i = 0; i < r->scoped_count; i++)
		reyes_i_xform_unref(r->scoped[i].before);
	free(r->scoped);
	for (i = 0; i < r->object_room; i++)
		reyes_i_object_clear(&r->objects[i]);
	free(r->objects);
	free(r->lights);
	free(r->textures);
	free(r->declarations);
	reyes_i_names_free(&r->once);
	reyes_i_names_free(&r->declared);
	reyes_i_names_free(&r->spaces);
	reyes_i_names_free(&r->object_names);
	reyes_i_names_free(&r->light_names);
	reyes_i_names_free(&r->texture_names);
	reyes_i_names_free(&r->unwritten);
	reyes_i_names_free(&r->object_labels);
}

void reyes_close(reyes_renderer **out)
{
	reyes_renderer *r = out ? *out : NULL;

	if (!r)
		return;
	*out = NULL;
	if (r->rib)
		reyes_i_rib_destroy(r->rib);
	if (r->backend && r->backend_free)
		r->backend_free(r->backend);
	while (r->block_count > 0)
		reyes_i_block_free(&r->blocks[--r->block_count]);
	free(r->blocks);
	reyes_i_motion_clear(&r->motion);
	reyes_i_displays_free(r->displays, r->display_count);
	reyes_i_settings_free(r->settings);
	reyes_i_state_unref(r->state);
	reyes_i_xform_unref(r->ctm);
	reyes_i_xform_unref(r->base);
	free_tables(r);
	reyes_i_pose_free(&r->pose);
	reyes_i_frame_free(&r->frame);
	free(r->option_queue);
	free(r->option_search_path);
	free(r->option_confine);
	free(r->base_folder);
	free(r);
}

reyes_status reyes_restart(reyes_renderer **out)
{
	reyes_renderer *r = out ? *out : NULL, *fresh;
	reyes_status s;

	if (!r)
		return REYES_ERR_ARG;
	s = reyes_open(&fresh, &r->options, r->error, sizeof(r->error));
	if (s != REYES_OK)
		return s;
	fresh->backend = r->backend;
	fresh->backend_free = r->backend_free;
	r->backend = NULL;
	/* The backend compares the number of the world to detect a new frame. */
	fresh->world = r->world + 1;
	reyes_close(out);
	*out = fresh;
	return REYES_OK;
}

void reyes_move_camera(reyes_renderer *r, const float m[16])
{
	if (!r)
		return;
	reyes_i_matrix_identity(r->camera_move);
	for (int k = 0; m && k < 16; k++)
		r->camera_move[k] = (double)m[k];
}
