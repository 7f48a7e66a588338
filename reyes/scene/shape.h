/* A geometric request of the scene in object space, as the RI calls record it. scene/ makes shapes;
 * reyes_i_lower converts a shape with a transform into primitives of a frame. An object definition
 * keeps its shapes and each ObjectInstance lowers them again. */
#ifndef REYES_SCENE_SHAPE_H
#define REYES_SCENE_SHAPE_H

#include <stddef.h>
#include <stdint.h>
#include <reyes/reyes.h>
#include "reyes/scene/frame.h"

enum reyes_i_shape_kind {
	REYES_I_SHAPE_SPHERE,      /* args: radius zmin zmax thetamax */
	REYES_I_SHAPE_CONE,        /* height radius thetamax */
	REYES_I_SHAPE_CYLINDER,    /* radius zmin zmax thetamax */
	REYES_I_SHAPE_HYPERBOLOID, /* x1 y1 z1 x2 y2 z2 thetamax */
	REYES_I_SHAPE_PARABOLOID,  /* rmax zmin zmax thetamax */
	REYES_I_SHAPE_DISK,        /* height radius thetamax */
	REYES_I_SHAPE_TORUS,       /* major minor phimin phimax thetamax */
	/* All four polygon requests: counts[0] polygons; ints: loops of each polygon [counts[0]],
	 * then vertices of each loop [counts[1]], then vertex numbers [counts[2]] */
	REYES_I_SHAPE_POLYGONS,
	REYES_I_SHAPE_PATCH_MESH, /* counts: nu, nv; Patch: 2 x 2 or 4 x 4 */
	REYES_I_SHAPE_NU_PATCH, /* counts: nu, uorder, nv, vorder; floats: uknot [nu+uorder], vknot
				   * [nv+vorder], umin umax vmin vmax */
	/* counts: faces, vertex numbers, tags, tag ints, tag floats; ints: vertices of each face,
	 * vertex numbers, the two argument counts of each tag, tag ints; floats: tag floats;
	 * tags: their names */
	REYES_I_SHAPE_SUBDIVISION,
	REYES_I_SHAPE_CURVES, /* counts: curves; ints: vertices of each curve */
	REYES_I_SHAPE_POINTS, /* counts: points */
	REYES_I_SHAPE_KINDS
};

enum reyes_i_class {
	REYES_I_CLASS_CONSTANT,
	REYES_I_CLASS_UNIFORM,
	REYES_I_CLASS_VARYING,
	REYES_I_CLASS_VERTEX,
	REYES_I_CLASS_FACEVARYING,
	REYES_I_CLASS_FACEVERTEX
};
enum reyes_i_type {
	REYES_I_TYPE_FLOAT,
	REYES_I_TYPE_POINT,
	REYES_I_TYPE_VECTOR,
	REYES_I_TYPE_NORMAL,
	REYES_I_TYPE_COLOR,
	REYES_I_TYPE_HPOINT, /* 4 floats: Pw */
	REYES_I_TYPE_MATRIX,
	REYES_I_TYPE_STRING,
	REYES_I_TYPE_INTEGER
};

/* A primitive variable: P, Pw, Pz (as P by the scene), N, Np, Cs, Os, s, t, st, width,
 * constantwidth; others are not kept. */
typedef struct reyes_i_primvar {
	char *name;
	uint8_t storage;     /* enum reyes_i_class */
	uint8_t type;        /* enum reyes_i_type */
	uint32_t components; /* floats of a value: those of the type times the array's length */
	size_t count;        /* floats given; not yet compared with what the shape needs */
	float *floats;
} reyes_i_primvar;

/* The values of a shape at one time of a motion block. */
typedef struct reyes_i_shape_key {
	float time;
	float args[8];
	size_t var_count;
	reyes_i_primvar *vars;
} reyes_i_shape_key;

enum reyes_i_patch_basis { REYES_I_LINEAR, REYES_I_CUBIC };

enum reyes_i_scheme {
	REYES_I_SCHEME_CATMULL_CLARK,
	REYES_I_SCHEME_LOOP, /* triangles; drawn by the rules of Catmull-Clark */
	REYES_I_SCHEME_BILINEAR
};

typedef struct reyes_i_shape {
	uint32_t kind;
	const char *request; /* static: its name in RIB, for messages */
	size_t key_count;    /* 1: does not deform */
	reyes_i_shape_key *keys;
	size_t counts[5];
	int32_t *ints;
	size_t int_count;
	float *floats;
	size_t float_count;
	char **tags;
	uint32_t tag_count;
	uint32_t degree;                    /* patch mesh, curves: enum reyes_i_patch_basis */
	uint32_t u_periodic, v_periodic;    /* wraps; curves: v_periodic */
	float u_basis[4][4], v_basis[4][4]; /* cubic: rows as in RI, p(u) = (u3 u2 u 1) B G */
	uint32_t u_step, v_step;
	uint32_t loop_scheme;          /* subdivision: enum reyes_i_scheme */
	uint32_t interpolate_boundary; /* subdivision: from the tag */
} reyes_i_shape;

/* Frees the shape's arrays. */
void reyes_i_shape_free(reyes_i_shape *s);

/* The transform from object to camera space at one or more times, ascending: p' = p M with row
 * vectors, M[12..14] the translation. */
typedef struct reyes_i_motion {
	size_t count;
	float times[REYES_I_KEYS_MAX];
	double matrix[REYES_I_KEYS_MAX][16];
} reyes_i_motion;

/* Reports a defect of a shape: "Sphere: radius 0"; level as in reyes.h. */
typedef void (*reyes_i_complain)(void *user, reyes_level level, const char *message);

typedef struct reyes_i_placement {
	const reyes_i_motion *to_camera;
	uint32_t attr;             /* index in frame.attrs for its primitives */
	reyes_i_complain complain; /* never NULL */
	void *user;
} reyes_i_placement;

/* Appends the primitives of a shape to a frame. A shape that cannot be drawn (too few values, index
 * out of range, NaN) is reported and appends nothing. Returns REYES_OK also then;
 * REYES_ERR_NOMEM. The flag REYES_I_ATTR_FLIP of the attributes accounts for the handedness of the
 * transform already. */
reyes_status reyes_i_lower(
	reyes_i_frame *f, const reyes_i_shape *s, const reyes_i_placement *where);

#endif
