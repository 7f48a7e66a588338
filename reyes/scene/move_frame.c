/* reyes_move_frame: a copy of a complete frame for another camera. The scene's frame remains as it
 * was read, so that movements do not accumulate. Whatever the movement does not reach (choices by
 * the size in pixels, spaces that contain the camera's transform in the middle) makes the frame
 * unmovable: reyes_renderer.unmovable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reyes/image/texture.h"
#include "reyes/scene/camera.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/move_floats.h"

const char reyes_i_mixed_spaces[] =
	"a named coordinate system of the world block is used within an object, or outside of "
	"the block";

/* Deviation of the rows' products from those of a rotation. Widths, radii and bounds do not change
 * with the camera; at this deviation they would by 1e-4 of their size. */
static const double rigid_tolerance = 1e-4;
/* The largest coordinate of primitives (REYES_I_HUGE of the conversion). */
static const double largest_possible = 1e30;

const reyes_i_frame *reyes_i_frame_now(const reyes_renderer *r)
{
	return r->pose.is_moved ? &r->pose.frame : &r->frame;
}

void reyes_i_pose_free(reyes_i_pose *p)
{
	free(p->frame.floats.list);
	free(p->frame.lights.list);
	free(p->frame.textures.list);
	memset(p, 0, sizeof(*p));
}

/* Nonzero if a matrix is a rotation with a translation. */
static int is_rigid(const double m[16])
{
	int i, j, k;

	if (!reyes_i_matrix_finite(m) || m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
		return 0;
	for (i = 0; i < 3; i++)
		for (j = 0; j <= i; j++) {
			double dot = 0;

			for (k = 0; k < 3; k++)
				dot += m[4 * i + k] * m[4 * j + k];
			if (!(fabs(dot - (i == j)) <= rigid_tolerance))
				return 0;
		}
	return reyes_i_matrix_determinant(m) > 0;
}

/* Reserves the pose's arrays and fills those of a frame that it does not contain yet. Returns 0 if
 * there is no memory; the pose is then unchanged. */
static int copy_frame(reyes_renderer *r)
{
	reyes_i_pose *p = &r->pose;
	reyes_i_frame *to = &p->frame, from = r->frame;
	size_t i;
	int k;

	if (!reyes_i_reserve(&to->floats.list, &p->float_room, from.floats.count, sizeof(float)) ||
		!reyes_i_reserve(&to->lights.list, &p->light_room, from.lights.count,
			sizeof(*to->lights.list)) ||
		!reyes_i_reserve(&to->textures.list, &p->texture_room, from.textures.count,
			sizeof(*to->textures.list)))
		return 0;
	from.floats.list = to->floats.list;
	from.lights.list = to->lights.list;
	from.textures.list = to->textures.list;
	*to = from;
	if (p->world == r->world)
		return 1;
	if (from.floats.count)
		memcpy(to->floats.list, r->frame.floats.list, from.floats.count * sizeof(float));
	p->largest_coordinate = 0;
	p->largest_weight = 1;
	reyes_i_measure_floats(&r->frame, &p->largest_coordinate, &p->largest_weight);
	for (i = 0; i < from.lights.count; i++)
		for (k = 0; k < 3; k++)
			p->largest_coordinate = fmax(p->largest_coordinate,
				fabs((double)r->frame.lights.list[i].from[k]));
	p->world = r->world;
	return 1;
}

/* Nonzero if no coordinate can exceed the largest possible one. */
static int is_in_range(const reyes_i_pose *p, const double m[16])
{
	const double step = fmax(fabs(m[12]), fmax(fabs(m[13]), fabs(m[14])));

	/* The components of a rotated vector are at most its length, the root of 3 times the
	 * largest one before. */
	return 1.75 * p->largest_coordinate + p->largest_weight * step <= largest_possible;
}

static void to_floats(float out[3], const double v[3])
{
	int k;

	for (k = 0; k < 3; k++)
		out[k] = (float)v[k];
}

static void move_light(reyes_i_light *l, const double m[16])
{
	double v[3];

	if (l->fixed)
		return;
	reyes_i_matrix_point(v, m, l->from);
	to_floats(l->from, v);
	reyes_i_matrix_vector(v, m, l->to_light);
	to_floats(l->to_light, v);
	reyes_i_matrix_vector(v, m, l->axis);
	to_floats(l->axis, v);
}

/* Fills the moved arrays of the pose. `inverse` is that of m. */
static void move_all(reyes_renderer *r, const double m[16], const double inverse[16])
{
	const reyes_i_frame *from = &r->frame;
	reyes_i_frame *to = &r->pose.frame;
	double world[16];
	float back[16];
	size_t i;

	reyes_i_move_floats(from, m, to->floats.list);
	for (i = 0; i < from->lights.count; i++) {
		to->lights.list[i] = from->lights.list[i];
		move_light(&to->lights.list[i], m);
	}
	/* Maps are bound to the world, also those of lights that are not. */
	reyes_i_matrix_to_float(back, inverse);
	for (i = 0; i < from->textures.count; i++) {
		to->textures.list[i] = from->textures.list[i];
		if (from->textures.list[i].is_shadow || from->textures.list[i].environment)
			reyes_i_texture_to_camera(&to->textures.list[i], back);
	}
	reyes_i_matrix_multiply(world, r->world_matrix, m);
	reyes_i_camera_matrices(r, world);
}

reyes_status reyes_move_frame(reyes_renderer *r, const float m[16])
{
	double matrix[16], inverse[16];
	int k;

	if (!r)
		return REYES_ERR_ARG;
	if (!r->frame_ready)
		return reyes_i_fail(
			r, REYES_ERR_STATE, "no frame is complete: WorldEnd is missing");
	reyes_i_matrix_identity(inverse);
	for (k = 0; k < 16; k++)
		matrix[k] = m ? (double)m[k] : inverse[k];
	if (memcmp(matrix, inverse, sizeof(matrix)) == 0) {
		r->pose.is_moved = 0;
		r->pose.number++;
		reyes_i_camera_matrices(r, r->world_matrix);
		return REYES_OK;
	}
	if (!is_rigid(matrix) || !reyes_i_matrix_invert(inverse, matrix))
		return reyes_i_fail(r, REYES_ERR_ARG,
			"the camera's matrix is not a rotation with a translation");
	if (r->unmovable)
		return reyes_i_fail(
			r, REYES_ERR_STATE, "the frame cannot be moved: %s", r->unmovable);
	if (!copy_frame(r))
		return reyes_i_fail(r, REYES_ERR_NOMEM, "no memory for a second copy of the frame");
	if (!is_in_range(&r->pose, matrix))
		return reyes_i_fail(r, REYES_ERR_STATE,
			"the frame cannot be moved: a coordinate could exceed %g",
			largest_possible);
	move_all(r, matrix, inverse);
	r->pose.is_moved = 1;
	r->pose.number++;
	return REYES_OK;
}
