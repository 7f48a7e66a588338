/* A mesh of two triangles that intersect, and the check of a refusal. */
#ifndef TESTS_COLLIDE_REFUSED_H
#define TESTS_COLLIDE_REFUSED_H

#include "tests/collide/setup.h"

#include <string.h>
#include <CUnit/CUnit.h>

/* The call returns the status, and the message contains the word. */
#define REFUSED(call, status, word)                                           \
	do {                                                                  \
		CU_ASSERT_EQUAL((call), (status));                            \
		CU_ASSERT_PTR_NOT_NULL(strstr(collide_last_error(), (word))); \
	} while (0)

static const float corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2f, 0.2f, -1, 0.2f, 0.2f, 1, 0.3f,
	0.2f, 1 };
static const uint32_t two[] = { 0, 1, 2, 3, 4, 5 };

static inline collide_mesh *make(collide_ctx *c)
{
	collide_mesh_options o;
	collide_mesh *mesh = NULL;

	collide_mesh_options_init(&o);
	o.vertices = 6;
	o.triangles = 2;
	o.index = two;
	CU_ASSERT_EQUAL_FATAL(collide_mesh_create(&mesh, c, &o), COLLIDE_OK);
	return mesh;
}

static inline collide_status place(collide_mesh *mesh, const float *xyz)
{
	collide_positions p;

	collide_positions_init(&p);
	p.start = xyz;
	return collide_mesh_update(mesh, &p);
}

#endif
