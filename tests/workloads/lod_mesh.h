/* A mesh for tests of lod: triangles across the whole cube, so that few nodes have most of them. */
#ifndef TESTS_WORKLOADS_LOD_MESH_H
#define TESTS_WORKLOADS_LOD_MESH_H

#include <inttypes.h>
#include <stdio.h>
#include "workloads/common/random.h"

/* Writes n triangles, some of them with two equal corners, to an OBJ file. Returns 0 or -1. */
static inline int lod_write_mesh(const char *path, uint32_t n)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "v %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", wl_hash(3 * i) >> 20,
			wl_hash(3 * i + 1) >> 20, wl_hash(3 * i + 2) >> 20);
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "f %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", i + 1, wl_hash(i) % n + 1,
			i % 50 ? wl_hash(~i) % n + 1 : i + 1);
	return fclose(f) == 0 ? 0 : -1;
}

#endif
