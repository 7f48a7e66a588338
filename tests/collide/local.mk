# Collision candidates of meshes.
if HAVE_CUNIT
collide_tests = %D%/pairs_test
collide_ldadd = collide/libcollide.a libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS) -lm
check_PROGRAMS += $(collide_tests)
TESTS += $(collide_tests)
DIST_TESTS += %D%/pairs_test
%C%_pairs_test_SOURCES = %D%/pairs_test.c %D%/pairs_suite.c %D%/pairs_suite.h %D%/setup.c \
	%D%/setup.h tests/common/rng.h
%C%_pairs_test_LDADD = $(collide_ldadd)
endif
