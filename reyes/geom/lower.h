/* State of the conversion of one shape into primitives (reyes_i_lower), shared by the files of the
 * single kinds: lower_KIND.c. */
#ifndef REYES_GEOM_LOWER_H
#define REYES_GEOM_LOWER_H

#include "reyes/scene/frame_arrays.h"
#include "reyes/scene/shape.h"

#define REYES_I_HUGE    1e30 /* larger coordinates are refused */
#define REYES_I_LVARS   7    /* largest number of variables of a primitive */
#define REYES_I_CLASSES 6    /* values of enum reyes_i_class */
#define REYES_I_EXTREME 10.0 /* sharpness from which a crease never becomes smooth */

/* A variable of the shape that its primitives keep. Value i begins at values + i * stride. */
typedef struct reyes_i_lvar {
	const float *values;
	uint32_t stride, components;
	uint8_t name, storage; /* enum reyes_i_var_name, enum reyes_i_class */
	uint32_t shared;       /* class constant: index of its value in frame.floats */
} reyes_i_lvar;

struct reyes_i_block;

typedef struct reyes_i_lowering {
	reyes_i_frame *f;
	const reyes_i_shape *s;
	const reyes_i_placement *where;
	struct reyes_i_block *blocks; /* scratch memory, freed at the end */
	int no_memory;
	/* Times of the primitives; at time k the shape is the mean of the keys before[k] and
	 * before[k] + 1, the second with the weight blend[k]. */
	uint32_t key_count;
	double times[REYES_I_KEYS_MAX], blend[REYES_I_KEYS_MAX];
	size_t before[REYES_I_KEYS_MAX];
	double matrix[REYES_I_KEYS_MAX][16]; /* to camera space */
	uint32_t times_index, surface;
	reyes_i_lvar vars[REYES_I_LVARS];
	uint32_t var_count;
	uint32_t shared_vars; /* index in frame.vars if all variables are constant; NONE */
	uint32_t rational;    /* the net has homogeneous points with different weights */
	/* The values of a vertex in the net: key_count points of `dimension` coordinates, then the
	 * variables of class vertex. */
	uint32_t dimension, channels;
} reyes_i_lowering;

/* Number of values of each storage class that the shape needs. */
typedef struct reyes_i_needs {
	size_t count[REYES_I_CLASSES];
} reyes_i_needs;

/* Indices of the values of one primitive, by class; corners in the order (u,v) = 00, 10, 01, 11. */
typedef struct reyes_i_corners {
	size_t uniform, varying[4], vertex[4], face[4];
} reyes_i_corners;

/* Reports a defect; the message begins with the name of the request. */
void reyes_i_defect(reyes_i_lowering *l, reyes_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports an error, for which the shape is dropped. Returns 0. */
int reyes_i_drop(reyes_i_lowering *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns zeroed scratch memory that lives as long as the conversion; NULL: no_memory is set. */
void *reyes_i_scratch(reyes_i_lowering *l, size_t count, size_t element_bytes);

/* Reads the variables except positions and widths; reports and ignores those of a wrong type.
 * Returns 0 if the shape is dropped. */
int reyes_i_read_vars(reyes_i_lowering *l, const reyes_i_needs *needs);
/* Returns the variable of a key, NULL if there is none. */
const reyes_i_primvar *reyes_i_find(const reyes_i_shape *s, size_t key, const char *name);
/* Checks the number and the range of the values of a variable; returns 0 if the shape is
 * dropped. */
int reyes_i_check_values(reyes_i_lowering *l, const reyes_i_primvar *v, size_t needed);
/* Returns the variable that has the same name in every key, checked; *found is 0 if the first key
 * has none. Returns 0 if the shape is dropped. */
int reyes_i_check_keys(reyes_i_lowering *l, const char *name, size_t needed, int *found);

/* Checks that the first key has the positions of so many vertices; returns 0 if the shape is
 * dropped. Memory in proportion to the number of vertices is then limited by the input. */
int reyes_i_has_points(reyes_i_lowering *l, size_t vertex_count);
/* Returns the values of all vertices in camera space, [vertex][l->channels], with points of 3
 * coordinates, or of 4 if homogeneous ones are allowed and the weights of "Pw" differ. Call it
 * after reyes_i_read_vars. NULL: the shape is dropped, or no memory. */
double *reyes_i_make_net(reyes_i_lowering *l, size_t vertex_count, int allow_rational);
/* Returns the positions in object space at the first key, 3 floats a vertex; NULL: no memory. Call
 * it after reyes_i_make_net. */
const float *reyes_i_object_points(reyes_i_lowering *l, size_t vertex_count);
/* Gives a polygon's s and t the default values, x and y in object space (RI 3.2, section 5.1). */
void reyes_i_default_st(reyes_i_lowering *l, const float *object_points);

/* Appends a primitive with room for `stride` floats a key at *floats; NULL: no memory. */
reyes_i_prim *reyes_i_emit(
	reyes_i_lowering *l, enum reyes_i_prim_kind kind, uint32_t stride, float **floats);
/* Completes the last primitive, whose floats are written: removes equal keys, refuses huge values.
 * Call it before anything else is added to frame.floats. Returns 0 if the shape is dropped. */
int reyes_i_settle(reyes_i_lowering *l);
/* Adds the variables of the last primitive. bezier: 16 Bezier values [16][l->channels] of the net,
 * for the variables of class vertex; NULL: these are bilinear. Returns 0: no memory. */
int reyes_i_emit_vars(reyes_i_lowering *l, const reyes_i_corners *c, const double *bezier);
/* Factor of lengths by the transform of a key: the cube root of the volume's factor. */
double reyes_i_scale(const double m[16]);

/* The kinds. Each returns 0 if the shape is dropped or memory is missing. */
int reyes_i_lower_quadric(reyes_i_lowering *l);
int reyes_i_lower_polygons(reyes_i_lowering *l);
int reyes_i_lower_patch_mesh(reyes_i_lowering *l);
int reyes_i_lower_nu_patch(reyes_i_lowering *l);
int reyes_i_lower_subdivision(reyes_i_lowering *l);
int reyes_i_lower_curves(reyes_i_lowering *l);
int reyes_i_lower_points(reyes_i_lowering *l);

#endif
