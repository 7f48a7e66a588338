# The CMake package, for find_package(gputasks). make writes its files, because libdir and
# includedir can be set on the command line of make.
cmakedir = $(libdir)/cmake/gputasks
nodist_cmake_DATA = gputasksConfig.cmake gputasksConfigVersion.cmake
CLEANFILES += $(nodist_cmake_DATA)
EXTRA_DIST += build-aux/cmake/gputasksConfig.cmake.in build-aux/cmake/gputasksConfigVersion.cmake.in
gputasks%.cmake: build-aux/cmake/gputasks%.cmake.in Makefile
	$(AM_V_GEN)sed -e 's|@libdir[@]|$(libdir)|g' -e 's|@includedir[@]|$(includedir)|g' \
		-e 's|@CUDA_LIBS[@]|$(CUDA_LIBS)|g' -e 's|@LIBS[@]|$(LIBS)|g' \
		-e 's|@FFMPEG_LIBS[@]|$(FFMPEG_LIBS)|g' -e 's|@REYES_LIBS[@]|$(reyes_libs)|g' \
		-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g' \
		-e 's|@SHLIB_VERSION[@]|$(SHLIB_VERSION)|g' \
		-e 's|@SHLIB_MAJOR[@]|$(SHLIB_MAJOR)|g' \
		-e 's|@ac_cv_sizeof_void_p[@]|$(ac_cv_sizeof_void_p)|g' \
		$(filter %.in,$^) > $@.tmp && mv $@.tmp $@
