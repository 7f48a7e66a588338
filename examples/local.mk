# Small programs for readers; built and tried by `make check`, never installed.
example_ldadd = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/encode_yuv
%C%_encode_yuv_SOURCES = %D%/encode_yuv.c
%C%_encode_yuv_LDADD = $(example_ldadd)
dist_check_SCRIPTS += %D%/check.sh
TESTS += %D%/check.sh

# Run without arguments it is its own test; skipped where there is no device.
if HAVE_CUDA
check_PROGRAMS += %D%/gpu_frames
TESTS += %D%/gpu_frames
%C%_gpu_frames_SOURCES = %D%/gpu_frames.cu
%C%_gpu_frames_LDADD = $(example_ldadd)
%C%_gpu_frames_LINK = $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
CUFILES += %D%/gpu_frames.cu
CLEANFILES += gpu_frames.264
endif
EXTRA_DIST += %D%/README.md %D%/gpu_frames.cu
