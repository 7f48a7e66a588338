/* Set-up of the suites of libcollide: contexts, random meshes, all pairs by brute force. */
#ifndef TESTS_COLLIDE_SETUP_H
#define TESTS_COLLIDE_SETUP_H

#include <collide/collide.h>

/* The backend of all contexts; set by the suite's program. */
extern collide_backend setup_backend;
/* collide_options.cuda_stream. */
extern void *setup_stream;
/* Threads of CPU contexts. */
extern uint32_t setup_workers;
/* Nonzero: loads are smaller. */
extern int setup_is_slow;

/* Opens a context of setup_workers on the CPU, or of the device. Aborts if it cannot. limit_ms:
 * collide_options.time_limit_ms. */
collide_ctx *setup_open(void);
collide_ctx *setup_open_limited(uint32_t limit_ms);

/* A mesh in host memory. */
typedef struct setup_mesh {
	uint32_t vertices, triangles;
	uint32_t *index;
	float *start, *end;
} setup_mesh;

/* Random triangles, some of which have common vertices or equal corners; coordinates are multiples
 * of 1/16 in 0..size, so that boxes touch often. */
void setup_random(setup_mesh *m, uint32_t vertices, uint32_t triangles, uint32_t size);
/* Moves all vertices a little. */
void setup_move(setup_mesh *m);
void setup_free(setup_mesh *m);

/* Makes the mesh with its positions; change: of collide_positions. */
collide_mesh *setup_mesh_of(collide_ctx *c, const setup_mesh *m);
collide_status setup_update(collide_mesh *mesh, const setup_mesh *m, collide_change change);

/* The vertices of a primitive; returns their number. */
uint32_t setup_corners(const setup_mesh *m, const collide_mesh *mesh, collide_primitive p,
	uint32_t i, uint32_t out[3]);

/* All pairs, sorted by a, then b; to be freed. */
collide_pair *setup_brute(const setup_mesh *a, const collide_mesh *ma, const setup_mesh *b,
	const collide_mesh *mb, collide_kind kind, uint64_t *count);

void setup_sort(collide_pair *pair, uint64_t count);
#endif
