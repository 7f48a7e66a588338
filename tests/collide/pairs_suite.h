/* Tests of both backends: the CPU's suite and the GPU's list them. */
#ifndef TESTS_COLLIDE_PAIRS_SUITE_H
#define TESTS_COLLIDE_PAIRS_SUITE_H

#include <CUnit/CUnit.h>

void pairs_are_those_of_all_pairs(void);
void two_meshes_are_paired_with_each_other(void);
void pairs_follow_the_motion(void);
void pairs_do_not_depend_on_the_order_of_faces_and_vertices(void);
void nothing_is_written_beyond_the_room(void);
void all_pairs_of_a_bundle_are_found(void);

#define PAIRS_SUITE                                                                           \
	{ "pairs are those of all pairs", pairs_are_those_of_all_pairs },                     \
		{ "two meshes are paired with each other",                                    \
			two_meshes_are_paired_with_each_other },                              \
		{ "pairs follow the motion", pairs_follow_the_motion },                       \
		{ "pairs do not depend on the order of faces and vertices",                   \
			pairs_do_not_depend_on_the_order_of_faces_and_vertices },             \
		{ "nothing is written beyond the room", nothing_is_written_beyond_the_room }, \
	{                                                                                     \
		"all pairs of a bundle are found", all_pairs_of_a_bundle_are_found            \
	}
#endif
