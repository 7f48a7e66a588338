# The plugins. python_run selects an interpreter and skips where there is none.
python_tests = %D%/python_adapters_test.py %D%/python_cameras_test.py %D%/python_file_test.py \
	%D%/python_fragments_test.py %D%/python_gpu_test.py %D%/python_input_test.py \
	%D%/python_layout_test.py %D%/python_packets_test.py %D%/python_times_test.py \
	%D%/python_wheel_test.py
dist_check_SCRIPTS += %D%/python_run $(python_tests)
EXTRA_DIST += %D%/python_common.py %D%/python_dlpack.py %D%/fake_cuda.c
check_PROGRAMS += %D%/rgb_encode
%C%_rgb_encode_SOURCES = %D%/rgb_encode.c
%C%_rgb_encode_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)
TESTS += $(python_tests)
dist_check_SCRIPTS += %D%/dask_weekly.py %D%/python_sdist_weekly.sh
WEEKLY_TESTS += %D%/dask_weekly.py %D%/python_sdist_weekly.sh

# Suites of the plugins. The GStreamer suites load the plugin from the build folder.
if HAVE_GST_CHECK
if HAVE_CUNIT
gst_tests = %D%/gst_change_test %D%/gst_cuda_test %D%/gst_encode_test %D%/gst_element_test \
	%D%/gst_profile_test
check_PROGRAMS += $(gst_tests)
TESTS += $(gst_tests)
gst_cppflags = $(AM_CPPFLAGS) $(GSTREAMER_CFLAGS) $(GST_CHECK_CFLAGS) $(CUNIT_CFLAGS)
gst_ldadd = $(testmain_ldadd) $(GST_CHECK_LIBS) $(GSTREAMER_LIBS)
gst_plugin = plugins/gstreamer/libgstgpuintra.so
%C%_gst_change_test_SOURCES = %D%/gst_change_test.c %D%/gst_setup.h
%C%_gst_change_test_CPPFLAGS = $(gst_cppflags)
%C%_gst_change_test_LDADD = h264intra/libh264intra.a libsched/libsched.a $(gst_ldadd) $(CUDA_LIBS)
EXTRA_%C%_gst_change_test_DEPENDENCIES = $(gst_plugin)
%C%_gst_cuda_test_SOURCES = %D%/gst_cuda_test.c %D%/gst_setup.h
%C%_gst_cuda_test_CPPFLAGS = $(gst_cppflags)
%C%_gst_cuda_test_LDADD = h264intra/libh264intra.a libsched/libsched.a $(gst_ldadd) $(CUDA_LIBS)
EXTRA_%C%_gst_cuda_test_DEPENDENCIES = $(gst_plugin)
%C%_gst_encode_test_SOURCES = %D%/gst_encode_test.c %D%/gst_setup.h
%C%_gst_encode_test_CPPFLAGS = $(gst_cppflags)
%C%_gst_encode_test_LDADD = $(gst_ldadd)
EXTRA_%C%_gst_encode_test_DEPENDENCIES = $(gst_plugin)
%C%_gst_element_test_SOURCES = %D%/gst_element_test.c %D%/gst_setup.h
%C%_gst_element_test_CPPFLAGS = $(gst_cppflags)
%C%_gst_element_test_LDADD = h264intra/libh264intra.a libsched/libsched.a $(gst_ldadd) \
	$(CUDA_LIBS)
EXTRA_%C%_gst_element_test_DEPENDENCIES = $(gst_plugin)
%C%_gst_profile_test_SOURCES = %D%/gst_profile_test.c %D%/gst_setup.h
%C%_gst_profile_test_CPPFLAGS = $(gst_cppflags)
%C%_gst_profile_test_LDADD = $(gst_ldadd)
EXTRA_%C%_gst_profile_test_DEPENDENCIES = $(gst_plugin)
CLEANFILES += %D%/gst_change.registry %D%/gst_cuda.registry %D%/gst_encode.registry \
	%D%/gst_element.registry %D%/gst_profile.registry
endif
endif

# Pipelines of gst-launch-1.0; without GStreamer the folder's files are delivered all the same.
dist_check_SCRIPTS += %D%/gst_launch_test.sh
if HAVE_GST_PLUGIN
TESTS += %D%/gst_launch_test.sh
endif

# FFmpeg with the encoder: built from source, so in `make check-long` only.
dist_check_SCRIPTS += %D%/ffmpeg_long.sh
EXTRA_DIST += %D%/ffmpeg_calls.c
if HAVE_FFMPEG
LONG_TESTS += %D%/ffmpeg_long.sh
endif
.PHONY: clean-ffmpeg
clean-local: clean-ffmpeg
clean-ffmpeg:
	rm -rf %D%/ffmpeg_build.tmp
