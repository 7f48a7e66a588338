# Collision candidates of meshes.
if HAVE_CUNIT
collide_tests = %D%/api_test %D%/lanes_test %D%/pairs_test %D%/pairs_gpu_test \
	%D%/values_test
collide_ldadd = collide/libcollide.a libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS) -lm
collide_suite = %D%/contacts_suite.c %D%/ending_suite.c %D%/pairs_suite.c %D%/pairs_suite.h \
	%D%/setup.c %D%/setup.h %D%/trees_suite.c tests/common/rng.h
check_PROGRAMS += $(collide_tests)
TESTS += $(collide_tests)
DIST_TESTS += %D%/pairs_test
%C%_api_test_SOURCES = %D%/api_test.c %D%/refused.h %D%/setup.c %D%/setup.h tests/common/rng.h
%C%_api_test_LDADD = $(collide_ldadd)
%C%_lanes_test_SOURCES = %D%/lanes_context.c %D%/lanes_instances.c %D%/lanes_test.c \
	$(collide_suite) tests/libsched/lanes.h tests/libsched/lanes_cuda.h \
	tests/libsched/lanes_program.h
%C%_lanes_test_LDADD = $(collide_ldadd)
%C%_pairs_test_SOURCES = %D%/pairs_test.c $(collide_suite)
%C%_pairs_test_LDADD = $(collide_ldadd)
%C%_pairs_gpu_test_SOURCES = %D%/pairs_gpu_test.c $(collide_suite)
%C%_pairs_gpu_test_LDADD = $(collide_ldadd)
%C%_values_test_SOURCES = %D%/refused.h %D%/setup.c %D%/setup.h %D%/values_test.c \
	tests/common/rng.h
%C%_values_test_LDADD = $(collide_ldadd)
endif
