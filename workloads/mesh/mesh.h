/* Triangle meshes from files, PLY (text and binary) and OBJ, and from formulas. */
#ifndef WORKLOADS_MESH_MESH_H
#define WORKLOADS_MESH_MESH_H

#include <stddef.h>
#include <stdint.h>

/* Coordinates as stored: those of floats are exact. */
typedef struct wl_mesh {
	uint32_t vertices, triangles;
	double *xyz;     /* [vertices][3] */
	uint32_t *index; /* [triangles][3], each below `vertices` */
} wl_mesh;

/* A message names the file, the line or byte, and the value. */
enum { WL_MESH_MESSAGE_BYTES = 400 };

/* Reads a file; its contents decide its format. Polygons become triangles, also concave ones;
 * normals, texture coordinates and other properties are skipped. Coordinates that are not finite,
 * and corners that are no vertex, are errors, as is the path "-". Returns 0 with a warning in msg
 * (faces of fewer than 3 corners, no triangle) or an empty msg, or -1 with msg and an empty
 * mesh. */
int wl_mesh_read(wl_mesh *m, const char *path, char *msg, size_t msg_bytes);

/* The same of a file in memory; `name` is for messages. */
int wl_mesh_parse(
	wl_mesh *m, const char *name, const void *data, size_t bytes, char *msg, size_t msg_bytes);

void wl_mesh_free(wl_mesh *m);

/* Rounds a coordinate to a float without a negative zero; NaN: it is larger than all floats. */
float wl_mesh_float(double at);
/* Returns 0, or -1 with msg that names the first vertex whose coordinates are no finite floats;
 * `name` is that of the file. */
int wl_mesh_check_floats(const wl_mesh *m, const char *name, char *msg, size_t msg_bytes);

/* Generators. `n`: about so many triangles, at least 2; seeds change the shape. Return 0, or -1
 * with msg (no memory, more than 2^28 triangles). */

/* A cloth above a sphere, and how it lies on the sphere: two positions of one mesh. */
int wl_mesh_cloth(wl_mesh *m, uint64_t n, double height, char *msg, size_t msg_bytes);
/* A sphere with bumps. */
int wl_mesh_sphere(wl_mesh *m, uint64_t n, uint32_t seed, char *msg, size_t msg_bytes);
/* Two interlocked tori; `shift`: how far the second one has moved. */
int wl_mesh_tori(wl_mesh *m, uint64_t n, double shift, char *msg, size_t msg_bytes);
/* Small random triangles in the unit cube, without common vertices, at time `t` of their motion. */
int wl_mesh_random(wl_mesh *m, uint64_t n, uint32_t seed, double t, char *msg, size_t msg_bytes);

/* Memory for a mesh. Returns 0, or -1 with msg. */
int wl_mesh_make(wl_mesh *m, uint64_t vertices, uint64_t triangles, char *msg, size_t msg_bytes);
/* Returns 0, or -1 with msg and an empty mesh. */
int wl_mesh_copy(wl_mesh *m, const wl_mesh *from, char *msg, size_t msg_bytes);
#endif
