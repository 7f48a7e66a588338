# Suites of the workloads.
check_PROGRAMS += %D%/cases
%C%_cases_SOURCES = %D%/cases.c
workload_libs = workloads/libworkloads.a collide/libcollide.a reyes/libreyes.a \
	libsched/libsched.a $(reyes_libs)
%C%_cases_LDADD = $(workload_libs) $(CUDA_LIBS) -lm
dist_check_SCRIPTS += %D%/fourrow_weekly.sh
WEEKLY_TESTS += %D%/fourrow_weekly.sh
check_PROGRAMS += %D%/x3d_libxml_test
TESTS += %D%/x3d_libxml_test
DIST_TESTS += %D%/x3d_libxml_test
%C%_x3d_libxml_test_SOURCES = %D%/x3d_libxml.h %D%/x3d_libxml_test.c %D%/x3d_text.h
%C%_x3d_libxml_test_CPPFLAGS = $(AM_CPPFLAGS) $(LIBXML2_CFLAGS)
%C%_x3d_libxml_test_LDADD = $(workload_libs) $(LIBXML2_LIBS) $(CUDA_LIBS) -lm
workload_scripts = %D%/run_test.sh
dist_check_SCRIPTS += $(workload_scripts)
TESTS += $(workload_scripts)
if HAVE_CUNIT
workload_ldadd = $(workload_libs) $(testmain_ldadd) $(CUDA_LIBS) -lm
workload_tests = %D%/bvh_test %D%/collide_test %D%/fourrow_test %D%/hull_test \
	%D%/lanes_test %D%/latencies_test %D%/lod_test %D%/mesh_test %D%/obb_test %D%/octree_test \
	%D%/sort_leaves_test %D%/sort_test %D%/trace_test %D%/x3d_test
%C%_bvh_test_SOURCES = %D%/bvh_cells.c %D%/bvh_planes.c %D%/bvh_planes.h %D%/bvh_team.c \
	%D%/bvh_test.c %D%/harness.c %D%/harness.h %D%/team.h
%C%_bvh_test_LDADD = $(workload_ldadd)
%C%_collide_test_SOURCES = %D%/collide_test.c %D%/harness.c %D%/harness.h tests/common/rng.h
%C%_collide_test_LDADD = $(workload_ldadd)
%C%_fourrow_test_SOURCES = %D%/fourrow_test.c %D%/harness.c %D%/harness.h tests/common/rng.h
%C%_fourrow_test_LDADD = $(workload_ldadd)
%C%_hull_test_SOURCES = %D%/harness.c %D%/harness.h %D%/hull_test.c
%C%_hull_test_LDADD = $(workload_ldadd)
%C%_latencies_test_SOURCES = %D%/latencies_test.c tests/common/rng.h
%C%_latencies_test_LDADD = $(workload_ldadd)
%C%_lod_test_SOURCES = %D%/harness.c %D%/harness.h %D%/lod_mesh.h %D%/lod_test.c
%C%_lod_test_LDADD = $(workload_ldadd)
%C%_mesh_test_SOURCES = %D%/mesh_test.c
%C%_mesh_test_LDADD = $(workload_ldadd)
%C%_lanes_test_SOURCES = %D%/bvh_warps.c %D%/bvh_warps.h %D%/harness.c %D%/harness.h \
	%D%/lanes_instances.c %D%/lanes_test.c %D%/lod_mesh.h %D%/octree_codes.h \
	tests/libsched/lanes.h tests/libsched/lanes_block.h tests/libsched/lanes_cuda.h \
	tests/libsched/lanes_program.h
%C%_lanes_test_LDADD = $(workload_ldadd)
%C%_obb_test_SOURCES = %D%/harness.c %D%/harness.h %D%/obb_team.c %D%/obb_test.c %D%/team.h \
	tests/common/rng.h
%C%_obb_test_LDADD = $(workload_ldadd)
%C%_octree_test_SOURCES = %D%/harness.c %D%/harness.h %D%/octree_codes.h %D%/octree_team.c \
	%D%/octree_test.c %D%/team.h
%C%_octree_test_LDADD = $(workload_ldadd)
%C%_sort_leaves_test_SOURCES = %D%/sort_leaves_keys.h %D%/sort_leaves_test.c tests/common/rng.h
%C%_sort_leaves_test_LDADD = $(workload_ldadd)
%C%_sort_test_SOURCES = %D%/harness.c %D%/harness.h %D%/sort_team.c %D%/sort_test.c %D%/team.h
%C%_sort_test_LDADD = $(workload_ldadd)
%C%_trace_test_SOURCES = %D%/harness.c %D%/harness.h %D%/trace_test.c
%C%_trace_test_LDADD = $(workload_ldadd)
%C%_x3d_test_SOURCES = %D%/harness.c %D%/harness.h %D%/x3d_test.c %D%/x3d_text.h
%C%_x3d_test_LDADD = $(workload_ldadd)
check_PROGRAMS += $(workload_tests)
TESTS += $(workload_tests)
endif
