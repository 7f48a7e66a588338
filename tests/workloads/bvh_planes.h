#ifndef TESTS_WORKLOADS_BVH_PLANES_H
#define TESTS_WORKLOADS_BVH_PLANES_H

/* A test of CUnit: splits of small trees are the best ones. */
void bvh_planes_test(void);
/* The same: splits of larger ranges. */
void bvh_cells_test(void);
#endif
