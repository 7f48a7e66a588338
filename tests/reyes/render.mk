# Rendered pictures.
reyes_render_tests = %D%/bucket_test %D%/crack_test %D%/fly_test %D%/hide_test \
	%D%/huge_test %D%/layers_test %D%/read_memory_test %D%/render_bad_test \
	%D%/render_gpu_test %D%/render_many_test %D%/render_test %D%/restart_test \
	%D%/struct_size_test %D%/thin_test %D%/visible_test
check_PROGRAMS += $(reyes_render_tests)
TESTS += $(reyes_render_tests)
SERIAL_TESTS += %D%/crack_test %D%/hide_test %D%/render_bad_test %D%/thin_test \
	%D%/visible_test
DIST_TESTS += %D%/visible_test
dist_check_SCRIPTS += %D%/many_long.sh
LONG_TESTS += %D%/many_long.sh
%C%_crack_test_SOURCES = %D%/crack_test.c %D%/render_setup.h %D%/schedule_scenes.h
%C%_bucket_test_SOURCES = %D%/bucket_test.c %D%/render_setup.h %D%/schedule_scenes.h
%C%_bucket_test_LDADD = $(reyes_ldadd)
%C%_fly_test_SOURCES = %D%/fly_test.c %D%/fly_scenes.h %D%/fly_setup.h \
	%D%/render_setup.h
%C%_fly_test_LDADD = $(reyes_ldadd)
%C%_huge_test_SOURCES = %D%/huge_test.c %D%/render_setup.h
%C%_huge_test_LDADD = $(reyes_ldadd)
%C%_layers_test_SOURCES = %D%/layers_test.c %D%/render_setup.h tests/common/rng.h
%C%_layers_test_LDADD = $(reyes_ldadd)
# the arithmetic of the library: no contraction
%C%_hide_test_SOURCES = %D%/hide_test.c tests/common/rng.h
%C%_hide_test_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
%C%_hide_test_LDADD = $(reyes_ldadd)
%C%_render_gpu_test_SOURCES = %D%/render_gpu_test.c %D%/fly_scenes.h %D%/fly_setup.h \
	%D%/render_setup.h %D%/schedule_scenes.h
%C%_render_gpu_test_LDADD = $(reyes_ldadd)
%C%_crack_test_LDADD = $(reyes_ldadd)
%C%_read_memory_test_SOURCES = %D%/read_memory_test.c %D%/count_alloc.h tests/common/failing_alloc.h
%C%_read_memory_test_LDADD = $(reyes_ldadd)
%C%_read_memory_test_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
%C%_render_bad_test_SOURCES = %D%/render_bad_test.c %D%/render_setup.h
%C%_render_bad_test_LDADD = $(reyes_ldadd)
%C%_render_many_test_SOURCES = %D%/render_many_test.c %D%/render_setup.h
%C%_render_many_test_LDADD = $(reyes_ldadd)
%C%_render_test_SOURCES = %D%/render_test.c %D%/render_setup.h tests/common/rng.h
%C%_render_test_LDADD = $(reyes_ldadd)
%C%_restart_test_SOURCES = %D%/restart_test.c %D%/fly_scenes.h %D%/fly_setup.h \
	%D%/render_setup.h
%C%_restart_test_LDADD = $(reyes_ldadd)
%C%_struct_size_test_SOURCES = %D%/struct_size_test.c
%C%_struct_size_test_LDADD = $(reyes_ldadd)
%C%_thin_test_SOURCES = %D%/thin_test.c %D%/render_setup.h tests/common/rng.h
%C%_thin_test_LDADD = $(reyes_ldadd)
%C%_visible_test_SOURCES = %D%/visible_test.c %D%/render_setup.h
%C%_visible_test_LDADD = $(reyes_ldadd)
