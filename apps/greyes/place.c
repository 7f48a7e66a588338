/* The frame that the window shows, loaded again if necessary, and the user's camera in it: the
 * frame is moved, or the scene is read again. */
#include "apps/greyes/place.h"

#include <string.h>

/* Reads the scene up to the frame with this ordinal. camera: of reyes_move_camera, or NULL. */
static reyes_status read_again(gr_job *j, uint32_t wanted, const float *camera)
{
	reyes_renderer *r = j->r;
	reyes_status s;

	gr_job_set_phase(j, GR_PHASE_READING);
	gr_job_set_renderer(j, NULL);
	s = reyes_restart(&r);
	gr_job_set_renderer(j, r);
	reyes_move_camera(r, camera);
	j->is_silent = 1;
	if (s == REYES_OK)
		s = reyes_rib_open(r, j->o->scene);
	for (j->ordinal = 0; s == REYES_OK && j->ordinal < wanted; j->ordinal++)
		s = reyes_rib_next_frame(r);
	j->is_silent = 0;
	/* Further frames are read as the scene has them. */
	reyes_move_camera(r, NULL);
	return s;
}

reyes_status gr_load_shown(gr_job *j)
{
	if (j->ordinal == j->shown_ordinal || !j->shown_ordinal)
		return REYES_OK;
	j->number = j->shown_number;
	j->is_read_again = 0;
	return read_again(j, j->shown_ordinal, NULL);
}

reyes_status gr_place_camera(gr_job *j)
{
	float camera[16];
	reyes_status s;

	pthread_mutex_lock(&j->lock);
	memcpy(camera, j->camera, sizeof(camera));
	pthread_mutex_unlock(&j->lock);
	if (!j->has_flown)
		return REYES_OK;
	/* A frame that was read with a camera moves relative to that one. */
	if (!j->is_read_again) {
		s = reyes_move_frame(j->r, camera);
		if (s == REYES_OK)
			return s;
		log_print(j->log, LOG_LEVEL_INFO,
			"the scene is read again for each movement of the camera: %s",
			reyes_last_error(j->r));
		j->is_read_again = 1;
	}
	return read_again(j, j->ordinal, camera);
}
