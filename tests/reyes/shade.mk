# Shading. The GPU suite is compiled as the library, without contraction of a * b + c; it also
# builds without CUDA, and is skipped.
shade_scene = %D%/shade_scene.c %D%/shade_scene.h tests/common/rng.h
reyes_shade_tests = %D%/shade_test %D%/shade_inputs_test %D%/shade_limits_test %D%/texture_test \
	%D%/shadow_test %D%/environment_test %D%/shade_gpu_test
check_PROGRAMS += $(reyes_shade_tests)
TESTS += $(reyes_shade_tests)
%C%_environment_test_SOURCES = %D%/environment_test.c %D%/pictures.h %D%/render_setup.h \
	tests/common/rng.h
%C%_environment_test_LDADD = $(reyes_ldadd)
%C%_shade_test_SOURCES = %D%/shade_test.c %D%/shade_reference.c %D%/shade_reference.h \
	$(shade_scene)
%C%_shade_test_LDADD = $(reyes_ldadd)
%C%_shadow_test_SOURCES = %D%/shadow_test.c $(shade_scene)
%C%_shadow_test_LDADD = $(reyes_ldadd)
%C%_texture_test_SOURCES = %D%/texture_test.c $(shade_scene)
%C%_texture_test_LDADD = $(reyes_ldadd)
%C%_shade_limits_test_SOURCES = %D%/shade_limits_test.c $(shade_scene)
%C%_shade_limits_test_LDADD = $(reyes_ldadd)
%C%_shade_inputs_test_SOURCES = %D%/shade_inputs_test.c $(shade_scene)
%C%_shade_inputs_test_LDADD = $(reyes_ldadd)
%C%_shade_gpu_test_SOURCES = %D%/shade_gpu_test.c %D%/shade_gpu.h $(shade_scene)
if HAVE_CUDA
%C%_shade_gpu_test_SOURCES += %D%/shade_gpu.cu
CUFILES += %D%/shade_gpu.cu
%D%/shade_gpu.o: AM_NVCCFLAGS += -fmad=false
endif
%C%_shade_gpu_test_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
%C%_shade_gpu_test_LDADD = $(reyes_ldadd)
