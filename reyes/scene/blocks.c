/* Blocks: nesting, saving, restoring. */
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/blocks.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/motion.h"

const char *reyes_i_block_name(enum reyes_i_block_kind kind)
{
	static const char *const names[REYES_I_BLOCK_KINDS] = { "Motion", "Transform", "Attribute",
		"Solid", "Object", "World", "Frame" };

	return names[kind];
}

void reyes_i_block_free(reyes_i_block *b)
{
	reyes_i_state_unref(b->state);
	reyes_i_xform_unref(b->ctm);
	reyes_i_xform_unref(b->base);
	reyes_i_settings_free(b->settings);
}

reyes_status reyes_i_block_open(
	reyes_renderer *r, enum reyes_i_block_kind kind, unsigned saves, reyes_i_block **out)
{
	reyes_i_block *b;
	reyes_i_settings *settings = NULL;

	if (out)
		*out = NULL;
	if (!reyes_i_reserve(&r->blocks, &r->block_room, r->block_count + 1, sizeof(*r->blocks)))
		return reyes_i_no_memory(r);
	if (saves & REYES_I_SAVE_SETTINGS) {
		settings = reyes_i_settings_copy(r->settings);
		if (!settings)
			return reyes_i_no_memory(r);
	}
	b = &r->blocks[r->block_count++];
	memset(b, 0, sizeof(*b));
	b->kind = kind;
	b->settings = settings;
	b->scoped_count = r->scoped_count;
	b->solid = REYES_I_NONE;
	if (saves & REYES_I_SAVE_CTM)
		b->ctm = reyes_i_xform_ref(r->ctm);
	if (saves & REYES_I_SAVE_STATE)
		b->state = reyes_i_state_ref(r->state);
	if (out)
		*out = b;
	return REYES_OK;
}

reyes_status reyes_i_block_open_ignored(
	reyes_renderer *r, enum reyes_i_block_kind kind, const char *why)
{
	const reyes_status s = reyes_i_error(r, "%s", why);
	reyes_i_block *b;

	if (reyes_i_block_open(r, kind, 0, &b) == REYES_OK)
		b->ignored = 1;
	return s;
}

/* Restores what a block has saved. */
static void restore(reyes_renderer *r, reyes_i_block *b)
{
	if (b->state) {
		reyes_i_state_unref(r->state);
		r->state = b->state;
	}
	if (b->ctm) {
		reyes_i_xform_unref(r->ctm);
		r->ctm = b->ctm;
	}
	if (b->base) {
		reyes_i_xform_unref(r->base);
		r->base = b->base;
	}
	if (b->settings) {
		reyes_i_settings_free(r->settings);
		r->settings = b->settings;
	}
	reyes_i_scoped_restore(r, b->scoped_count);
}

/* Ends the innermost block. */
static reyes_status close_top(reyes_renderer *r)
{
	reyes_i_block b = r->blocks[--r->block_count];
	reyes_status s = REYES_OK;

	if (b.ignored)
		return REYES_OK;
	if (b.kind == REYES_I_BLOCK_WORLD)
		s = reyes_i_world_finish(r);
	restore(r, &b);
	switch (b.kind) {
	case REYES_I_BLOCK_WORLD:
		r->in_world = 0;
		r->light_count = b.light_count;
		break;
	case REYES_I_BLOCK_OBJECT:
		r->in_object = 0;
		break;
	case REYES_I_BLOCK_SOLID:
		if (b.children ==
			0) /* an operation on nothing is empty, as a leaf without surfaces */
			r->frame.solids.list[r->solid].kind = REYES_I_SOLID_PRIMITIVE;
		r->solid = b.solid;
		r->solid_leaf = 0;
		break;
	case REYES_I_BLOCK_FRAME:
		r->frame_number = 0;
		r->light_count = b.light_count;
		break;
	default:
		break;
	}
	return s;
}

/* Nonzero if the end of a block of kind `inner` must not look beyond a block of kind `outer`: ends
 * reach blocks that contain at most what they contain. */
static int is_barrier(enum reyes_i_block_kind inner, enum reyes_i_block_kind outer)
{
	return outer >= REYES_I_BLOCK_OBJECT && outer > inner;
}

reyes_status reyes_i_block_close(
	reyes_renderer *r, const char *request, enum reyes_i_block_kind kind)
{
	reyes_status s = REYES_OK, done;
	size_t at;

	if (!r)
		return REYES_ERR_ARG;
	r->request = request;
	at = r->block_count;
	while (at > 0 && r->blocks[at - 1].kind != kind &&
		!is_barrier(kind, r->blocks[at - 1].kind))
		at--;
	if (at == 0 || r->blocks[at - 1].kind != kind)
		return reyes_i_error(
			r, "there is no %sBegin that it ends", reyes_i_block_name(kind));
	if (r->motion.open) {
		s = reyes_i_error(r, "a motion block is open; it ends here");
		reyes_i_motion_finish(r);
	}
	while (r->block_count > at) {
		s = reyes_i_error(r, "a block of %sBegin is open; it ends here",
			reyes_i_block_name(r->blocks[r->block_count - 1].kind));
		close_top(r);
	}
	done = close_top(r);
	return done != REYES_OK ? done : s;
}

void reyes_i_scene_end_of_input(reyes_renderer *r)
{
	if (!r)
		return;
	r->request = NULL;
	if (r->motion.open) {
		reyes_i_error(r, "a motion block is open at the end of the input");
		reyes_i_motion_finish(r);
	}
	while (r->block_count > 0) {
		const reyes_i_block *b = &r->blocks[r->block_count - 1];

		if (!b->ignored) /* else its beginning was reported */
			reyes_i_error(r, "a block of %sBegin is open at the end of the input",
				reyes_i_block_name(b->kind));
		close_top(r);
	}
	reyes_i_flush_messages(r);
}

/* ---- the requests ---- */

reyes_status reyes_frame_begin(reyes_renderer *r, int number)
{
	reyes_i_block *b;
	reyes_status s;

	REYES_I_ENTER(r, "FrameBegin", REYES_I_ANYWHERE, REYES_I_ENDS);
	if (r->block_count > 0)
		return reyes_i_block_open_ignored(r, REYES_I_BLOCK_FRAME,
			"not allowed inside another block; this frame block has no effect");
	s = reyes_i_block_open(r, REYES_I_BLOCK_FRAME,
		REYES_I_SAVE_CTM | REYES_I_SAVE_STATE | REYES_I_SAVE_SETTINGS, &b);
	if (s != REYES_OK)
		return s;
	b->light_count = r->light_count;
	r->frame_number = number > 0 ? (uint32_t)number : 0;
	return REYES_OK;
}

reyes_status reyes_frame_end(reyes_renderer *r)
{
	return reyes_i_block_close(r, "FrameEnd", REYES_I_BLOCK_FRAME);
}

/* Makes the current transform the world's, which moves with the camera. */
static reyes_status anchor_world(reyes_renderer *r)
{
	/* A named space of an earlier world block may be the current one. */
	reyes_i_xform *x = reyes_i_xform_anchored(r->ctm, r->ctm->anchor == REYES_I_ANCHOR_CAMERA
								  ? REYES_I_ANCHOR_WORLD
								  : REYES_I_ANCHOR_MIXED);

	if (!x)
		return reyes_i_no_memory(r);
	reyes_i_xform_unref(r->ctm);
	r->ctm = x;
	return REYES_OK;
}

/* Appends the matrix of reyes_move_camera to the current transform. */
static reyes_status move_camera(reyes_renderer *r)
{
	reyes_i_xform *x;
	double unit[16];
	reyes_status s;

	reyes_i_matrix_identity(unit);
	if (memcmp(unit, r->camera_move, sizeof(unit)) == 0)
		return REYES_OK;
	x = reyes_i_xform_new(1);
	if (!x)
		return reyes_i_no_memory(r);
	memcpy(x->matrix[0], r->camera_move, sizeof(unit));
	s = reyes_i_xform_concat(&x, r->ctm);
	if (s == REYES_OK) {
		reyes_i_xform_unref(r->ctm);
		r->ctm = x;
		return REYES_OK;
	}
	reyes_i_xform_unref(x);
	return s == REYES_ERR_NOMEM
		       ? reyes_i_no_memory(r)
		       : reyes_i_error(r, "the camera's movement has no finite values");
}

reyes_status reyes_world_begin(reyes_renderer *r)
{
	reyes_i_block *b;
	reyes_status s, started;

	REYES_I_ENTER(r, "WorldBegin", REYES_I_ANYWHERE, REYES_I_ENDS);
	if (r->in_world || r->in_object)
		return reyes_i_block_open_ignored(r, REYES_I_BLOCK_WORLD,
			"not allowed in a world block or an object definition; this world block "
			"has no effect");
	s = reyes_i_block_open(r, REYES_I_BLOCK_WORLD, REYES_I_SAVE_CTM | REYES_I_SAVE_STATE, &b);
	if (s != REYES_OK)
		return s;
	b->light_count = r->light_count;
	b->base = r->base;
	s = move_camera(r);
	if (s == REYES_OK)
		s = anchor_world(r);
	r->base = reyes_i_xform_ref(r->ctm);
	r->in_world = 1;
	started = reyes_i_world_start(r);
	return s == REYES_OK ? started : s;
}

reyes_status reyes_world_end(reyes_renderer *r)
{
	const reyes_status s = reyes_i_block_close(r, "WorldEnd", REYES_I_BLOCK_WORLD);

	if (r)
		reyes_i_flush_messages(r);
	return s;
}

reyes_status reyes_attribute_begin(reyes_renderer *r)
{
	REYES_I_ENTER(r, "AttributeBegin", REYES_I_ANYWHERE, REYES_I_ENDS);
	return reyes_i_block_open(
		r, REYES_I_BLOCK_ATTRIBUTE, REYES_I_SAVE_CTM | REYES_I_SAVE_STATE, NULL);
}

reyes_status reyes_attribute_end(reyes_renderer *r)
{
	return reyes_i_block_close(r, "AttributeEnd", REYES_I_BLOCK_ATTRIBUTE);
}

reyes_status reyes_transform_begin(reyes_renderer *r)
{
	REYES_I_ENTER(r, "TransformBegin", REYES_I_ANYWHERE, REYES_I_ENDS);
	return reyes_i_block_open(r, REYES_I_BLOCK_TRANSFORM, REYES_I_SAVE_CTM, NULL);
}

reyes_status reyes_transform_end(reyes_renderer *r)
{
	return reyes_i_block_close(r, "TransformEnd", REYES_I_BLOCK_TRANSFORM);
}

reyes_status reyes_motion_end(reyes_renderer *r)
{
	if (!r)
		return REYES_ERR_ARG;
	r->request = "MotionEnd";
	if (!r->motion.open)
		return reyes_i_error(r, "there is no MotionBegin that it ends");
	return reyes_i_motion_finish(r);
}
