/* Tests of both backends: the CPU's suite and the GPU's list them. */
#ifndef TESTS_COLLIDE_PAIRS_SUITE_H
#define TESTS_COLLIDE_PAIRS_SUITE_H

#include <CUnit/CUnit.h>

/* X(name): a function, whose name is the test's with underscores. pairs_suite.c, trees_suite.c,
 * contacts_suite.c, ending_suite.c. */
#define COLLIDE_SUITE(X)                                          \
	X(pairs_are_those_of_all_pairs)                           \
	X(two_meshes_are_paired_with_each_other)                  \
	X(pairs_follow_the_motion)                                \
	X(pairs_do_not_depend_on_the_order_of_faces_and_vertices) \
	X(nothing_is_written_beyond_the_room)                     \
	X(all_pairs_of_a_bundle_are_found)                        \
	X(trees_contain_their_boxes_also_after_a_refit)           \
	X(a_mesh_has_trees_of_its_primitives)                     \
	X(vertices_that_fall_on_a_face_arrive_in_time)            \
	X(edges_that_cross_meet_in_time)                          \
	X(contacts_have_the_times_of_one_thread)                  \
	X(contacts_take_a_bounded_number_of_cells)                \
	X(contacts_of_edges_with_a_common_vertex_take_few_cells)  \
	X(contacts_have_points_and_normals)                       \
	X(pairs_within_a_margin_are_those_of_all_pairs)           \
	X(a_cancel_from_another_thread_ends_a_call)               \
	X(a_time_limit_ends_a_call)                               \
	X(cancelled_calls_leave_nothing)

#define COLLIDE_DECLARE(name) void name(void);
COLLIDE_SUITE(COLLIDE_DECLARE)
#undef COLLIDE_DECLARE

/* Entries of CU_TestInfo. */
#define COLLIDE_ENTRY(name) { #name, name },

#endif
