# What programs share, and the programs.
noinst_LIBRARIES += %D%/common/libappcommon.a
%C%_common_libappcommon_a_SOURCES = \
	%D%/common/chan.c %D%/common/chan.h \
	%D%/common/cli.c %D%/common/cli.h %D%/common/cli_print.c \
	%D%/common/log.c %D%/common/log.h \
	%D%/common/progress.c %D%/common/progress.h \
	%D%/common/stop.c %D%/common/stop.h

if HAVE_FFMPEG
bin_PROGRAMS += gpuintra
gpuintra_SOURCES = \
	%D%/gpuintra/choose.c %D%/gpuintra/choose.h \
	%D%/gpuintra/encode.c %D%/gpuintra/encode.h \
	%D%/gpuintra/input.c %D%/gpuintra/input.h \
	%D%/gpuintra/main.c \
	%D%/gpuintra/options.c %D%/gpuintra/options.h \
	%D%/gpuintra/output.c %D%/gpuintra/output.h \
	%D%/gpuintra/report.c %D%/gpuintra/report.h
gpuintra_LDADD = %D%/common/libappcommon.a h264intra/libh264intra_io.a h264intra/libh264intra.a \
	libsched/libsched.a $(FFMPEG_LIBS) $(CUDA_LIBS)

dist_man1_MANS += %D%/gpuintra/gpuintra.1
if INSTALL_BASHCOMP
dist_bashcomp_DATA += %D%/gpuintra/completion/gpuintra
endif
endif
EXTRA_DIST += %D%/gpuintra/gpuintra.1 %D%/gpuintra/completion/gpuintra
