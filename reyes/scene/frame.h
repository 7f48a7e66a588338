/* A frame as the backends render it: arrays of plain structs without pointers between them, so that
 * a backend copies each array as it is. All geometry is in camera space (left-handed, the camera at
 * the origin, looking along +z). Text for both languages. */
#ifndef REYES_SCENE_FRAME_H
#define REYES_SCENE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define REYES_I_NONE     0xffffffffu
#define REYES_I_KEYS_MAX 16 /* shutter times at which a primitive's geometry is known */

/* Kinds of primitives, the smallest set of evaluators (reyes/geom/). Every primitive is a surface
 * over the unit square of u and v. Layout of the floats of one shutter key: */
enum reyes_i_prim_kind {
	REYES_I_BILINEAR, /* 4 points: (u,v) = 00, 10, 01, 11. A triangle has two equal points */
	REYES_I_BICUBIC,  /* 16 Bezier points, u runs first */
	REYES_I_RATIONAL, /* order_u * order_v homogeneous Bezier points (wx, wy, wz, w), u first */
	/* Quadrics: REYES_I_QUADRIC_FLOATS: 8 parameters, then the object-to-camera matrix, 12
	 * floats: p'[k] = x m[k] + y m[3+k] + z m[6+k] + m[9+k]. Angles in radians. */
	REYES_I_SPHERE,      /* radius, phimin, phimax, thetamax; u: theta, v: phi */
	REYES_I_CYLINDER,    /* radius, zmin, zmax, thetamax */
	REYES_I_CONE,        /* height, radius, thetamax */
	REYES_I_HYPERBOLOID, /* x1, y1, z1, x2, y2, z2, thetamax */
	REYES_I_PARABOLOID,  /* rmax, zmin, zmax, thetamax */
	REYES_I_DISK,        /* height, radius, thetamax */
	REYES_I_TORUS,       /* major, minor, phimin, phimax, thetamax */
	/* A face of a subdivision surface: a quadtree of bicubic patches over the face's domain.
	 * Node n of the tree is frame.words[data_words + n]: a leaf is REYES_I_LEAF | the number of
	 * the leaf, whose floats (as BICUBIC) are at data + 48 * leaf; else the value is the number
	 * of the first of its four children, ordered (u,v) = 00, 10, 01, 11. Node 0 is the root.
	 * Primitives of one leaf share their word. */
	REYES_I_SUBDIVISION,
	/* A cubic Bezier curve drawn as a ribbon: 4 points, 4 widths (cubic Bezier), then 2 normals
	 * if REYES_I_HAS_NORMALS; v runs along the curve, u across. Without normals it faces the
	 * camera. */
	REYES_I_CURVE,
	REYES_I_POINT, /* a disk that faces the camera: centre, radius */
	REYES_I_PRIM_KINDS
};

#define REYES_I_QUADRIC_FLOATS 20
#define REYES_I_LEAF           0x80000000u

enum reyes_i_prim_flag {
	REYES_I_HAS_NORMALS = 1, /* REYES_I_CURVE */
	REYES_I_FLAT = 2,        /* planar polygon: the normal is constant */
	REYES_I_FIXED = 4        /* remains in camera space when the camera moves */
};

typedef struct reyes_i_prim {
	uint8_t kind;
	uint8_t key_count; /* 1: does not move */
	uint8_t order_u, order_v;
	uint32_t flags;
	uint32_t attr;       /* index in frame.attrs */
	uint32_t data;       /* index in frame.floats; key k begins at data + k * stride */
	uint32_t stride;     /* floats from a key to the next */
	uint32_t data_words; /* SUBDIVISION: index in frame.words of the quadtree */
	uint32_t times;      /* index in frame.floats of key_count times, ascending */
	uint32_t vars;       /* first of var_count entries in frame.vars */
	uint32_t var_count;
	uint32_t surface; /* primitives that continue one surface have the same number */
	float u_range[2],
		v_range[2]; /* the part of the request's (u, v) that this primitive covers */
} reyes_i_prim;

/* Variables of a primitive other than P. */
enum reyes_i_var_name {
	REYES_I_VAR_CS, /* 3 */
	REYES_I_VAR_OS, /* 3 */
	REYES_I_VAR_S,  /* 1 */
	REYES_I_VAR_T,  /* 1 */
	REYES_I_VAR_N,  /* 3, camera space: replaces the surface's normal */
	REYES_I_VAR_NAMES
};
enum reyes_i_var_form {
	REYES_I_FORM_CONSTANT, /* one value */
	REYES_I_FORM_BILINEAR, /* 4 values: (u,v) = 00, 10, 01, 11 */
	REYES_I_FORM_BICUBIC   /* 16 Bezier values, u first */
};
typedef struct reyes_i_var {
	uint8_t name, form, components;
	uint8_t fixed; /* nonzero: of a primitive with REYES_I_FIXED */
	uint32_t data; /* index in frame.floats: value 0, value 1, .. of `components` floats each */
} reyes_i_var;

enum reyes_i_attr_flag {
	REYES_I_ATTR_TWO_SIDES = 1, /* Sides 2 */
	REYES_I_ATTR_FLIP = 2,      /* normals are turned: orientation and handedness together */
	REYES_I_ATTR_MATTE = 4,
	REYES_I_ATTR_SMOOTH = 8,  /* ShadingInterpolation "smooth" */
	REYES_I_ATTR_OPAQUE = 16, /* no sample of it can be transparent */
	REYES_I_ATTR_EVEN = 32,   /* of a grid that is not opaque: one opacity for all points */
	/* In a transition of DetailRange: drawn in the samples whose detail number is below
	 * flags >> REYES_I_DETAIL_SHIFT, or in the others. Never together with OPAQUE. */
	REYES_I_ATTR_DETAIL_BELOW = 64,
	REYES_I_ATTR_DETAIL_ABOVE = 128
};
#define REYES_I_DETAIL_SHIFT 16 /* detail numbers are 0 .. 65535 */

/* The attributes of a primitive. */
typedef struct reyes_i_attr {
	float color[3], opacity[3];
	float shading_rate;       /* pixels */
	float tex_coords[8];      /* TextureCoordinates: s1 t1 .. s4 t4 at u v = 00, 10, 01, 11 */
	float displacement_bound; /* camera space; 0: none */
	float motion_factor, focus_factor; /* coarser dicing of blurred surfaces; 0: none */
	uint32_t flags;
	uint32_t surface, displacement, atmosphere; /* index in frame.shaders; NONE */
	uint32_t lights, light_count; /* index in frame.words of light numbers; their count */
	uint32_t solid;               /* index in frame.solids of a "primitive" leaf; NONE */
} reyes_i_attr;

/* Shaders. Parameters: floats p[] in the order stated here. */
enum reyes_i_shader_kind {
	REYES_I_SURFACE_CONSTANT,
	REYES_I_SURFACE_MATTE,          /* Ka Kd */
	REYES_I_SURFACE_METAL,          /* Ka Ks roughness */
	REYES_I_SURFACE_SHINYMETAL,     /* Ka Ks Kr roughness; texture: environment */
	REYES_I_SURFACE_PLASTIC,        /* Ka Kd Ks roughness specularcolor[3] */
	REYES_I_SURFACE_PAINTEDPLASTIC, /* as plastic; texture */
	REYES_I_SURFACE_DEFAULT,        /* no Surface request: Ka Kd, light from the camera */
	REYES_I_DISPLACEMENT_BUMPY,     /* Km; texture */
	REYES_I_ATMOSPHERE_DEPTHCUE,    /* mindistance maxdistance background[3] */
	REYES_I_ATMOSPHERE_FOG,         /* distance background[3] */
	REYES_I_SHADER_KINDS
};
typedef struct reyes_i_shader {
	uint32_t kind;
	uint32_t texture; /* index in frame.textures; NONE */
	float p[14];
} reyes_i_shader;

enum reyes_i_light_kind {
	REYES_I_LIGHT_AMBIENT,
	REYES_I_LIGHT_DISTANT,
	REYES_I_LIGHT_POINT,
	REYES_I_LIGHT_SPOT,
	REYES_I_LIGHT_KINDS
};
/* Camera space. */
typedef struct reyes_i_light {
	uint32_t kind;
	uint32_t shadow;                  /* index in frame.textures of a shadow map; NONE */
	float color[3];                   /* intensity * lightcolor */
	float from[3];                    /* point, spot */
	float to_light[3];                /* distant: unit vector to the light */
	float axis[3];                    /* spot: unit vector of its direction */
	float cos_inner, cos_outer, beam; /* spot: coneangle - conedeltaangle, coneangle */
	float shadow_bias, shadow_blur;   /* camera units; fraction of the map */
	uint32_t shadow_samples;
	uint32_t fixed; /* nonzero: remains in camera space when the camera moves */
} reyes_i_light;

enum reyes_i_wrap { REYES_I_WRAP_BLACK, REYES_I_WRAP_PERIODIC, REYES_I_WRAP_CLAMP };
enum reyes_i_environment {
	REYES_I_ENVIRONMENT_NONE,
	REYES_I_ENVIRONMENT_PANORAMA, /* latitude and longitude */
	REYES_I_ENVIRONMENT_CUBE      /* each level has six faces of width x height texels */
};
/* A texture in memory: level 0 is width x height, each further level has half the size, rounded
 * up, at least 1; texels row by row from the top, `channels` floats each. */
typedef struct reyes_i_texture {
	uint32_t width, height, channels, levels;
	uint32_t s_wrap, t_wrap;
	uint32_t is_shadow;   /* 1 channel: distance from the light along its axis */
	uint32_t environment; /* enum reyes_i_environment */
	uint64_t data;        /* index of level 0 in frame.texels; levels follow each other */
	/* shadow: camera space of this frame to (s w, t w, ., w) of the map; environment: to world
	 * space, which has the directions */
	float to_screen[16];
	float to_depth[4]; /* shadow: depth of a point: dot(p, to_depth) + to_depth[3] */
} reyes_i_texture;

/* A node of a CSG tree (SolidBegin). Leaves are "primitive" blocks. */
enum reyes_i_solid_kind {
	REYES_I_SOLID_PRIMITIVE,
	REYES_I_SOLID_UNION,
	REYES_I_SOLID_INTERSECTION,
	REYES_I_SOLID_DIFFERENCE
};
#define REYES_I_SOLIDS_MAX 256 /* nodes of a tree */
typedef struct reyes_i_solid {
	uint32_t kind;
	uint32_t parent;     /* index in frame.solids; NONE: the root of a tree */
	uint32_t place;      /* number among the parent's children: 0 is the minuend */
	uint32_t root;       /* index of the tree's root; the tree's nodes follow it */
	uint32_t tree_nodes; /* of a root: nodes of the tree, itself included */
} reyes_i_solid;

enum reyes_i_filter_kind {
	REYES_I_FILTER_BOX,
	REYES_I_FILTER_TRIANGLE,
	REYES_I_FILTER_CATMULL_ROM,
	REYES_I_FILTER_GAUSSIAN,
	REYES_I_FILTER_SINC
};
enum reyes_i_depth_filter {
	REYES_I_DEPTH_MIN,
	REYES_I_DEPTH_MIDPOINT,
	REYES_I_DEPTH_MAX,
	REYES_I_DEPTH_AVERAGE
};

/* Camera and options of the frame. Raster space: pixels, x to the right, y down; the pixel in
 * column i and row j covers [i,i+1) x [j,j+1). Perspective: x_raster = x / z * scale[0] +
 * offset[0]; orthographic: without the division. */
typedef struct reyes_i_camera {
	uint32_t perspective;
	float scale[2], offset[2];
	float hither, yon;            /* clipping distances along z; yon may be infinite */
	uint32_t width_px, height_px; /* the full picture */
	uint32_t crop_x0, crop_x1, crop_y0, crop_y1; /* pixels rendered: [x0,x1) x [y0,y1) */
	uint32_t samples_x, samples_y;               /* of a pixel */
	uint32_t filter;
	float filter_width[2]; /* pixels, full width */
	uint32_t depth_filter;
	float shutter_open, shutter_close;
	/* Depth of field: the circle of confusion of a point at distance z has the radius
	 * lens * |1/z - 1/focus| * |scale| in raster units; lens 0: a pinhole. From
	 * DepthOfField: lens is focal length / fstop / 2 (scene/camera.c has the derivation). */
	float lens, focus;
	float background[3]; /* Imager "background"; black else */
	uint32_t has_background;
	uint32_t clamp_to_alpha; /* Imager "clamptoalpha" */
	uint32_t eye_splits;     /* largest depth of splits of what crosses the camera plane */
	uint32_t jitter;         /* 0: samples at the centres of their strata */
	uint32_t max_grid;       /* largest number of micropolygons of a grid; 0: default */
	float z_threshold[3];    /* opacity from which a surface counts for depth */
} reyes_i_camera;

/* The arrays of a frame: type of the elements, name, 1 if reyes_move_frame changes values of it. */
#define REYES_I_FRAME_ARRAYS(X)         \
	X(reyes_i_prim, prims, 0)       \
	X(reyes_i_attr, attrs, 0)       \
	X(reyes_i_shader, shaders, 0)   \
	X(reyes_i_light, lights, 1)     \
	X(reyes_i_var, vars, 0)         \
	X(reyes_i_texture, textures, 1) \
	X(reyes_i_solid, solids, 0)     \
	X(float, floats, 1)             \
	X(uint32_t, words, 0)           \
	X(float, texels, 0)

#define REYES_I_COUNT_ARRAY(...) +1
enum { REYES_I_FRAME_ARRAY_COUNT = 0 REYES_I_FRAME_ARRAYS(REYES_I_COUNT_ARRAY) };

/* What has changed in a frame since a backend has copied it. */
enum reyes_i_fresh {
	REYES_I_FRESH_NOTHING,
	REYES_I_FRESH_ALL,
	REYES_I_FRESH_PLACES /* what reyes_move_frame changes */
};

typedef struct reyes_i_frame {
	reyes_i_camera camera;
#define REYES_I_ARRAY(type, name, moves) \
	struct {                         \
		type *list;              \
		size_t count, room;      \
	} name;
	REYES_I_FRAME_ARRAYS(REYES_I_ARRAY)
#undef REYES_I_ARRAY
	uint32_t surface_count; /* numbers of reyes_i_prim.surface used so far */
	uint32_t no_memory;     /* nonzero: an array could not grow, or has 2^32 - 1 elements */
} reyes_i_frame;

#endif
