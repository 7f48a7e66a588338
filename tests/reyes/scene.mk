# Suites of the graphics state. scene_setup.c stands for the other folders of the renderer.
if HAVE_CUNIT
reyes_scene_tests = %D%/scene_blocks_test %D%/scene_camera_test %D%/scene_garbage_test \
	%D%/scene_light_test %D%/scene_memory_test %D%/scene_motion_test %D%/scene_shape_test \
	%D%/scene_state_test %D%/scene_transform_test
reyes_scene_setup = %D%/scene_setup.c %D%/scene_setup.h
reyes_scene_ldadd = reyes/libreyes.a $(testmain_ldadd) -lm
check_PROGRAMS += $(reyes_scene_tests)
TESTS += $(reyes_scene_tests)
SERIAL_TESTS += $(reyes_scene_tests)
%C%_scene_blocks_test_SOURCES = %D%/scene_blocks_test.c $(reyes_scene_setup)
%C%_scene_blocks_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_camera_test_SOURCES = %D%/scene_camera_test.c $(reyes_scene_setup)
%C%_scene_camera_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_garbage_test_SOURCES = %D%/scene_garbage_test.c %D%/scene_calls.h \
	$(reyes_scene_setup) tests/common/rng.h
%C%_scene_garbage_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_light_test_SOURCES = %D%/scene_light_test.c $(reyes_scene_setup)
%C%_scene_light_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_memory_test_SOURCES = %D%/scene_memory_test.c %D%/count_alloc.h \
	tests/common/failing_alloc.h $(reyes_scene_setup)
%C%_scene_memory_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_memory_test_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
%C%_scene_motion_test_SOURCES = %D%/scene_motion_test.c $(reyes_scene_setup)
%C%_scene_motion_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_shape_test_SOURCES = %D%/scene_shape_test.c $(reyes_scene_setup)
%C%_scene_shape_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_state_test_SOURCES = %D%/scene_state_test.c $(reyes_scene_setup)
%C%_scene_state_test_LDADD = $(reyes_scene_ldadd)
%C%_scene_transform_test_SOURCES = %D%/scene_transform_test.c $(reyes_scene_setup)
%C%_scene_transform_test_LDADD = $(reyes_scene_ldadd)
endif
