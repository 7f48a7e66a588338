/* A transform that may move: matrices at ascending times, interpolated element by element between
 * them and constant outside. Values are shared by reference counts and do not change while they
 * are shared. */
#ifndef REYES_SCENE_XFORM_H
#define REYES_SCENE_XFORM_H

#include <stdint.h>
#include "reyes/scene/shape.h"

/* The dependence of a transform to camera space on the camera of the world block. */
enum reyes_i_anchor {
	REYES_I_ANCHOR_CAMERA, /* none: geometry remains in camera space when the camera moves */
	REYES_I_ANCHOR_WORLD,  /* the world's transform is applied last: geometry moves */
	REYES_I_ANCHOR_MIXED   /* any other one, as a world's transform within an object's */
};

typedef struct reyes_i_xform {
	uint32_t refs;
	uint32_t count;  /* 1..REYES_I_KEYS_MAX */
	uint32_t anchor; /* enum reyes_i_anchor */
	float times[REYES_I_KEYS_MAX];
	double matrix[][16]; /* [count] */
} reyes_i_xform;

/* A new transform with one reference, without values; its anchor is the camera. NULL: no
 * memory. */
reyes_i_xform *reyes_i_xform_new(uint32_t count);
/* A copy with another anchor; NULL: no memory. */
reyes_i_xform *reyes_i_xform_anchored(const reyes_i_xform *x, enum reyes_i_anchor anchor);
reyes_i_xform *reyes_i_xform_ref(reyes_i_xform *x);
/* Removes a reference; x may be NULL. */
void reyes_i_xform_unref(reyes_i_xform *x);
/* Replaces *x by local * *x (local is applied first). Returns REYES_ERR_NOMEM, or REYES_ERR_SCENE
 * if an element would not be finite; *x is then unchanged. The anchor is that of *x, or mixed if
 * local depends on the camera.
 *
 * The result of two moving transforms has the keys of both; if these are more than
 * REYES_I_KEYS_MAX, it has that many keys at equal distances. */
reyes_status reyes_i_xform_concat(reyes_i_xform **x, const reyes_i_xform *local);
/* The same with a local transform that does not move. */
reyes_status reyes_i_xform_concat_matrix(reyes_i_xform **x, const double local[16]);
void reyes_i_xform_at(const reyes_i_xform *x, float time, double m[16]);
/* The transform during the shutter: its first key is at open, its last at close. A transform
 * without motion, or open == close, has one key. */
void reyes_i_xform_clip(const reyes_i_xform *x, float open, float close, reyes_i_motion *out);

/* The times of keys within (open, close), and both ends: at most REYES_I_KEYS_MAX; more are
 * replaced by times at equal distances. Returns their count, 1 if open == close. */
uint32_t reyes_i_clip_times(
	const float *times, size_t count, float open, float close, float out[REYES_I_KEYS_MAX]);

#endif
