# The encoder in FFmpeg: a file of libavcodec, which is compiled with FFmpeg and not here.
dist_noinst_SCRIPTS += %D%/build.sh %D%/patch.sh
EXTRA_DIST += %D%/libh264intra.c %D%/libh264intra_frames.h \
	%D%/libh264intra_options.h %D%/libh264intra_pass.h
