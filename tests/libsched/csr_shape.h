/* Lists of edges, and checks of the graph that is made of them. */
#ifndef TESTS_LIBSCHED_CSR_SHAPE_H
#define TESTS_LIBSCHED_CSR_SHAPE_H

#include <libsched/csr.h>

typedef struct edges {
	lsched_csr_edge *e;
	size_t n, room;
	uint32_t tasks;
} edges;

int edges_open(edges *l, uint32_t tasks, size_t room);
void edge(edges *l, uint32_t from, uint32_t to);
/* Without a cycle; deep where the window is small. */
int edges_random(edges *l, uint32_t tasks, uint32_t mean_degree, uint32_t window);

/* A copy on the host, and values computed from it. */
typedef struct shape {
	lsched_csr_view v;
	uint32_t *part[8];
	uint32_t *wave, *place, *chain; /* of each task */
} shape;

int shape_open(shape *s, const lsched_csr_view *v);
void shape_close(shape *s);
/* Returns the first fault, or NULL. edges_fault() sorts l. */
const char *shape_fault(shape *s);
const char *edges_fault(const shape *s, edges *l);

#endif
