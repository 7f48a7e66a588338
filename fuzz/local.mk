# Fuzzers. `make check` runs each over its corpus; README.md explains the search with clang.
check_PROGRAMS += %D%/encode_fuzz
TESTS += %D%/encode_fuzz
DIST_TESTS += %D%/encode_fuzz
%C%_encode_fuzz_SOURCES = %D%/encode_fuzz.c %D%/replay.c %D%/fuzz.h
%C%_encode_fuzz_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)

if HAVE_FFMPEG
check_PROGRAMS += %D%/source_fuzz
TESTS += %D%/source_fuzz
DIST_TESTS += %D%/source_fuzz
endif
%C%_source_fuzz_SOURCES = %D%/source_fuzz.c %D%/replay.c %D%/fuzz.h
%C%_source_fuzz_LDADD = h264intra/libh264intra_io.a h264intra/libh264intra.a libsched/libsched.a \
	$(FFMPEG_LIBS) $(CUDA_LIBS)

check_PROGRAMS += %D%/options_fuzz
TESTS += %D%/options_fuzz
DIST_TESTS += %D%/options_fuzz
%C%_options_fuzz_SOURCES = %D%/options_fuzz.c %D%/replay.c %D%/fuzz.h \
	apps/gpuintra/options.c apps/gpuintra/options.h apps/gpuintra/options_check.c

%C%_options_fuzz_LDADD = apps/common/libappcommon.a h264intra/libh264intra.a \
	libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/checkpoint_fuzz
TESTS += %D%/checkpoint_fuzz
DIST_TESTS += %D%/checkpoint_fuzz
%C%_checkpoint_fuzz_SOURCES = %D%/checkpoint_fuzz.c %D%/replay.c %D%/fuzz.h tests/nqueens/slow_crc.h
%C%_checkpoint_fuzz_LDADD = nqueens/libnqueens.a libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/rib_fuzz
TESTS += %D%/rib_fuzz
DIST_TESTS += %D%/rib_fuzz
%C%_rib_fuzz_SOURCES = %D%/rib_fuzz.c %D%/replay.c %D%/fuzz.h tests/reyes/ri_record.c \
	tests/reyes/ri_record.h tests/common/text.h
%C%_rib_fuzz_LDADD = reyes/libreyes.a libsched/libsched.a $(reyes_libs)
check_PROGRAMS += %D%/picture_fuzz
TESTS += %D%/picture_fuzz
DIST_TESTS += %D%/picture_fuzz
%C%_picture_fuzz_SOURCES = %D%/picture_fuzz.c %D%/replay.c %D%/fuzz.h
%C%_picture_fuzz_LDADD = reyes/libreyes.a libsched/libsched.a $(reyes_libs)

check_PROGRAMS += %D%/mesh_fuzz
TESTS += %D%/mesh_fuzz
DIST_TESTS += %D%/mesh_fuzz
%C%_mesh_fuzz_SOURCES = %D%/mesh_fuzz.c %D%/replay.c %D%/fuzz.h
%C%_mesh_fuzz_LDADD = workloads/libworkloads.a collide/libcollide.a libsched/libsched.a \
	$(CUDA_LIBS) -lm

check_PROGRAMS += %D%/x3d_fuzz
TESTS += %D%/x3d_fuzz
DIST_TESTS += %D%/x3d_fuzz
%C%_x3d_fuzz_SOURCES = %D%/x3d_fuzz.c %D%/replay.c %D%/fuzz.h tests/workloads/x3d_libxml.h \
	tests/workloads/x3d_text.h
%C%_x3d_fuzz_CPPFLAGS = $(AM_CPPFLAGS) $(LIBXML2_CFLAGS)
%C%_x3d_fuzz_LDADD = workloads/libworkloads.a collide/libcollide.a libsched/libsched.a \
	$(LIBXML2_LIBS) $(CUDA_LIBS) -lm

check_PROGRAMS += %D%/collide_fuzz
TESTS += %D%/collide_fuzz
DIST_TESTS += %D%/collide_fuzz
%C%_collide_fuzz_SOURCES = %D%/collide_fuzz.c %D%/replay.c %D%/fuzz.h
%C%_collide_fuzz_LDADD = collide/libcollide.a libsched/libsched.a $(CUDA_LIBS) -lm

EXTRA_DIST += %D%/README.md %D%/corpus
