# Conversion of geometric requests to primitives.
reyes_lower_tests = %D%/lower_bad_test %D%/lower_test %D%/patch_test %D%/polygon_test \
	%D%/subdiv_test
check_PROGRAMS += $(reyes_lower_tests)
TESTS += $(reyes_lower_tests)
SERIAL_TESTS += %D%/patch_test %D%/polygon_test %D%/subdiv_test
%C%_lower_bad_test_SOURCES = %D%/lower_bad_test.c %D%/lower_setup.h tests/common/rng.h
%C%_lower_bad_test_LDADD = $(reyes_ldadd)
%C%_lower_test_SOURCES = %D%/lower_test.c %D%/lower_setup.h tests/common/rng.h
%C%_lower_test_LDADD = $(reyes_ldadd)
%C%_patch_test_SOURCES = %D%/patch_test.c %D%/lower_setup.h tests/common/rng.h
%C%_patch_test_LDADD = $(reyes_ldadd)
%C%_polygon_test_SOURCES = %D%/polygon_test.c %D%/lower_setup.h tests/common/rng.h
%C%_polygon_test_LDADD = $(reyes_ldadd)
%C%_subdiv_test_SOURCES = %D%/subdiv_test.c %D%/brute_subdivision.h %D%/lower_setup.h \
	%D%/subdiv_setup.h tests/common/rng.h
%C%_subdiv_test_LDADD = $(reyes_ldadd)
