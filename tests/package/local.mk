# The package: headers in user programs, symbols, the binary interface, the installed files.
package_tests = %D%/abi_test.sh %D%/consumer_test.sh %D%/header_test.sh \
	%D%/release_test.sh %D%/symbols_test.sh
dist_check_SCRIPTS += $(package_tests)
TESTS += $(package_tests)
SOURCE_TESTS += $(package_tests)
# All libraries beside a capture into a CUDA graph.
if HAVE_CUNIT
check_PROGRAMS += %D%/capture_gpu_test
TESTS += %D%/capture_gpu_test
%C%_capture_gpu_test_SOURCES = %D%/capture_gpu_test.c %D%/capture_gpu.h \
	tests/h264intra/encode_common.h tests/nqueens/setup.h tests/reyes/render_setup.h
%C%_capture_gpu_test_LDADD = h264intra/libh264intra.a nqueens/libnqueens.a nqueens/libnqknown.a \
	collide/libcollide.a reyes/libreyes.a $(reyes_libs) libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS) -lm
if HAVE_CUDA
%C%_capture_gpu_test_SOURCES += %D%/capture_gpu.cu
CUFILES += %D%/capture_gpu.cu
endif
endif
# The Debian packages; another architecture.
dist_check_SCRIPTS += %D%/arm64_long.sh %D%/arm64_weekly.sh %D%/configure_long.sh %D%/deb_long.sh
LONG_TESTS += %D%/arm64_long.sh %D%/configure_long.sh %D%/deb_long.sh
WEEKLY_TESTS += %D%/arm64_weekly.sh
EXTRA_DIST += %D%/consumers.sh
EXTRA_DIST += %D%/consumer/CMakeLists.txt %D%/consumer/boxes.cc \
	%D%/consumer/calls.cc %D%/consumer/files.cc \
	%D%/consumer/items.cc %D%/consumer/jobs.cc %D%/consumer/number.cc \
	%D%/consumer/open.cc %D%/consumer/tasks.cc

# The binary interface; abi-update accepts the present one.
EXTRA_DIST += %D%/abi_layout.c %D%/abi_numbers.c %D%/abi/layout.xml %D%/abi/libcollide.xml \
	%D%/abi/libh264intra.xml \
	%D%/abi/libh264intra_io.xml %D%/abi/libnqueens.xml %D%/abi/libreyes.xml \
	%D%/abi/libsched.xml %D%/abi/numbers
.PHONY: abi-check abi-update
abi-check abi-update: $(shared_files)
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/abi_test.sh \
		`echo $@ | sed -n 's/abi-update/--update/p'`

# `make installcheck`: programs of a user, and the examples as their README builds them,
# against what `make install` put in place.
EXTRA_DIST += %D%/installed.c %D%/installed_sched.c %D%/installed_queens.c \
	%D%/installed_reyes.c %D%/installed_collide.c
CLEANFILES += %D%/installed %D%/installed_sched %D%/installed_first %D%/installed_both \
	%D%/installed_queens %D%/installed_reyes %D%/installed_collide %D%/installed_render \
	%D%/installed_area.o \
	%D%/installed_yuv %D%/installed_frames %D%/installed_meshes %D%/installed_nearest \
	%D%/installed_rays
installed_examples = $(srcdir)/examples
if HAVE_CUDA
installcheck_cuda = installcheck-cuda
else
installcheck_cuda =
endif
if HAVE_PYTHON
installcheck_python = installcheck-python
else
installcheck_python =
endif
installed_pkg_config = \
	PKG_CONFIG_PATH='$(DESTDIR)$(pkgconfigdir)'$${PKG_CONFIG_PATH:+:$$PKG_CONFIG_PATH} \
	$(PKG_CONFIG)
# $(call installed_flags,ARGUMENTS): pkg-config's flags as the arguments of the shell; eval reads
# the quotes that it puts around blanks.
installed_flags = flags=`$(installed_pkg_config) $(1)` && eval "set -- $$flags" &&
installed_run = LD_LIBRARY_PATH='$(DESTDIR)$(libdir)'$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}
installcheck-local: $(installcheck_cuda) $(installcheck_python)
	$(call installed_flags,--cflags --libs h264intra) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed $(srcdir)/%D%/installed.c "$$@"
	$(installed_run) %D%/installed
	$(call installed_flags,--cflags --libs libsched) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_sched $(srcdir)/%D%/installed_sched.c "$$@"
	$(installed_run) %D%/installed_sched
	$(call installed_flags,--cflags --libs nqueens) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_queens $(srcdir)/%D%/installed_queens.c "$$@"
	$(installed_run) %D%/installed_queens
	$(call installed_flags,--cflags --libs reyes) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_reyes $(srcdir)/%D%/installed_reyes.c "$$@"
	$(installed_run) %D%/installed_reyes
	$(call installed_flags,--cflags --libs collide) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_collide $(srcdir)/%D%/installed_collide.c "$$@"
	$(installed_run) %D%/installed_collide
	$(call installed_flags,--cflags --libs libsched) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_first \
		$(installed_examples)/first_program.c "$$@"
	$(installed_run) %D%/installed_first cpu
	$(call installed_flags,--cflags --libs h264intra) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_yuv $(installed_examples)/encode_yuv.c "$$@"
	$(call installed_flags,--cflags --libs reyes) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_render \
		$(installed_examples)/render_scene.c "$$@"
	$(call installed_flags,--cflags --libs collide) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_meshes \
		$(installed_examples)/collide_meshes.c "$$@"
	$(installed_run) %D%/installed_meshes
	$(call installed_flags,--cflags --libs collide) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_nearest \
		$(installed_examples)/bvh_nearest.c "$$@"
	$(installed_run) %D%/installed_nearest
	$(call installed_flags,--cflags --libs collide libsched) \
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_rays \
		$(installed_examples)/ray_server.c "$$@" -lm -pthread
	$(installed_run) %D%/installed_rays 0.2

installcheck-cuda:
	$(call installed_flags,--cflags libsched) \
	$(NVCC) $(NVCCFLAGS) -c -o %D%/installed_area.o $(installed_examples)/first_program.cu "$$@"
	$(call installed_flags,--cflags --libs libsched) \
	$(NVCC) $(NVCCFLAGS) -DWITH_CUDA -o %D%/installed_both \
		$(installed_examples)/first_program.c %D%/installed_area.o "$$@"
	$(installed_run) %D%/installed_both
	$(call installed_flags,--cflags --libs h264intra) \
	$(NVCC) $(NVCCFLAGS) -std=c++17 -o %D%/installed_frames \
		$(installed_examples)/gpu_frames.cu "$$@"
.PHONY: installcheck-cuda installcheck-python
installcheck-python:
	PYTHONPATH='$(DESTDIR)$(pythondir)' $(PYTHON) -B -c \
		'import gpuintra; print("gpuintra", gpuintra.__version__, gpuintra.cuda_usable())'
