# Picture and texture files, and the comparison of pictures.
reyes_image_tests = %D%/display_test %D%/image_ffmpeg_test %D%/image_foreign_test \
	%D%/image_hostile_test %D%/image_test %D%/metrics_test %D%/texture_file_test
check_PROGRAMS += $(reyes_image_tests)
TESTS += $(reyes_image_tests)
SERIAL_TESTS += $(filter-out %/display_test,$(reyes_image_tests))
%C%_display_test_SOURCES = %D%/display_test.c %D%/pictures.h tests/common/rng.h
%C%_display_test_LDADD = $(reyes_ldadd)
%C%_image_ffmpeg_test_SOURCES = %D%/image_ffmpeg_test.c %D%/pictures.h tests/common/rng.h
%C%_image_ffmpeg_test_LDADD = $(reyes_ldadd)
%C%_image_foreign_test_SOURCES = %D%/image_foreign_test.c %D%/pictures.h tests/common/rng.h
%C%_image_foreign_test_CPPFLAGS = $(AM_CPPFLAGS) $(TIFF_CFLAGS) $(OPENEXR_CFLAGS)
%C%_image_foreign_test_LDADD = $(reyes_ldadd)
%C%_image_hostile_test_SOURCES = %D%/image_hostile_test.c %D%/pictures.h tests/common/rng.h
%C%_image_hostile_test_LDADD = $(reyes_ldadd)
%C%_image_test_SOURCES = %D%/image_test.c %D%/pictures.h tests/common/rng.h
%C%_image_test_LDADD = $(reyes_ldadd)
%C%_metrics_test_SOURCES = %D%/metrics_test.c %D%/pictures.h tests/common/rng.h \
	bench/picture_metrics.c bench/picture_metrics.h
%C%_metrics_test_LDADD = $(reyes_ldadd)
%C%_texture_file_test_SOURCES = %D%/texture_file_test.c %D%/pictures.h tests/common/rng.h
%C%_texture_file_test_LDADD = $(reyes_ldadd)
# bench/gallery needs python3 and ffmpeg; without them the test is skipped.
dist_check_SCRIPTS += %D%/gallery_test.sh
TESTS += %D%/gallery_test.sh
DIST_TESTS += %D%/gallery_test.sh
