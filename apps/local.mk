# What programs share, and the programs.
noinst_LIBRARIES += %D%/common/libappcommon.a
%C%_common_libappcommon_a_SOURCES = \
	%D%/common/chan.c %D%/common/chan.h \
	%D%/common/chart.c %D%/common/chart.h \
	%D%/common/chart_bars.c \
	%D%/common/chart_frame.c %D%/common/chart_frame.h \
	%D%/common/chart_lines.c \
	%D%/common/chart_marks.c %D%/common/chart_marks.h \
	%D%/common/chart_scale.c %D%/common/chart_scale.h \
	%D%/common/chart_series.c %D%/common/chart_series.h \
	%D%/common/chart_text.c %D%/common/chart_text.h \
	%D%/common/cli.c %D%/common/cli.h %D%/common/cli_options.h %D%/common/cli_print.c \
	%D%/common/cli_value.c \
	%D%/common/log.c %D%/common/log.h \
	%D%/common/names.c %D%/common/names.h \
	%D%/common/outfile.c %D%/common/outfile.h \
	%D%/common/pipe_stream.c %D%/common/pipe_stream.h \
	%D%/common/progress.c %D%/common/progress.h \
	%D%/common/report.c %D%/common/report.h \
	%D%/common/stop.c %D%/common/stop.h \
	%D%/common/xml.c %D%/common/xml.h \
	h264intra/io/io_outfile.c h264intra/io/io_outfile.h \
	h264intra/io/pipe.c h264intra/io/pipe.h \
	h264intra/io/shown.h

if HAVE_FFMPEG
bin_PROGRAMS += gpuintra
gpuintra_SOURCES = \
	%D%/gpuintra/blocks.c %D%/gpuintra/blocks.h \
	%D%/gpuintra/cached.c \
	%D%/gpuintra/choose.c %D%/gpuintra/choose.h \
	%D%/gpuintra/encode.c %D%/gpuintra/encode.h \
	%D%/gpuintra/files.c %D%/gpuintra/files.h \
	%D%/gpuintra/headers.c %D%/gpuintra/headers.h \
	%D%/gpuintra/input.c %D%/gpuintra/input.h %D%/gpuintra/input_parts.h \
	%D%/gpuintra/job.c %D%/gpuintra/job.h \
	%D%/gpuintra/latency.c %D%/gpuintra/latency.h \
	%D%/gpuintra/main.c \
	%D%/gpuintra/options.c %D%/gpuintra/options.h %D%/gpuintra/options_check.c \
	%D%/gpuintra/output.c %D%/gpuintra/output.h \
	%D%/gpuintra/pass.c %D%/gpuintra/pass.h \
	%D%/gpuintra/report.c %D%/gpuintra/report.h \
	%D%/gpuintra/ssim.c %D%/gpuintra/ssim.h \
	%D%/gpuintra/rounds.c %D%/gpuintra/rounds.h
gpuintra_LDADD = %D%/common/libappcommon.a h264intra/libh264intra_io.a h264intra/libh264intra.a \
	libsched/libsched.a $(FFMPEG_LIBS) $(CUDA_LIBS)

dist_man1_MANS += %D%/gpuintra/gpuintra.1
if INSTALL_BASHCOMP
dist_bashcomp_DATA += %D%/gpuintra/completion/gpuintra
endif
endif

bin_PROGRAMS += gsched
gsched_SOURCES = \
	%D%/gsched/cmd_latency.c %D%/gsched/cmd_list.c %D%/gsched/cmd_reproduce.c \
	%D%/gsched/cmd_service.c \
	%D%/gsched/command.c %D%/gsched/commands.c %D%/gsched/commands.h \
	%D%/gsched/device.c %D%/gsched/device.h \
	%D%/gsched/lists.c \
	%D%/gsched/main.c \
	%D%/gsched/measure.c %D%/gsched/measure.h \
	%D%/gsched/options.c %D%/gsched/options.h %D%/gsched/options_check.c \
	%D%/gsched/options_run.c \
	%D%/gsched/output.c %D%/gsched/output.h \
	%D%/gsched/procedures.c %D%/gsched/procedures.h \
	%D%/gsched/picture.c %D%/gsched/picture.h \
	%D%/gsched/repro.c %D%/gsched/repro.h %D%/gsched/repro_page.c \
	%D%/gsched/repro_compare.c %D%/gsched/repro_record.c %D%/gsched/repro_record.h \
	%D%/gsched/repro_2009.c %D%/gsched/repro_2010.c %D%/gsched/repro_2011.c \
	%D%/gsched/repro_2012.c %D%/gsched/repro_encoder.c %D%/gsched/repro_hull.c \
	%D%/gsched/repro_lod.c %D%/gsched/repro_meshes.c \
	%D%/gsched/repro_queens.c %D%/gsched/repro_scenes.c %D%/gsched/repro_softshell.c \
	%D%/gsched/repro_split.c %D%/gsched/repro_trace.c %D%/gsched/repro_x3d.c \
	%D%/gsched/repro_lines.h %D%/gsched/repro_workloads.c \
	%D%/gsched/rows.c %D%/gsched/rows.h \
	%D%/gsched/watch.c %D%/gsched/watch.h

# The papers' figures on this machine; REPRODUCE_FLAGS go to gsched reproduce.
.PHONY: reproduce
reproduce: gsched$(EXEEXT)
	./gsched$(EXEEXT) reproduce --overwrite $(REPRODUCE_FLAGS)

# All that knows FFmpeg.
noinst_LIBRARIES += %D%/gsched/libgsx264.a
%C%_gsched_libgsx264_a_SOURCES = %D%/gsched/repro_x264.c %D%/gsched/repro_encoder.h
%C%_gsched_libgsx264_a_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)

gsched_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
gsched_LDADD = %D%/gsched/libgsx264.a %D%/common/libappcommon.a \
	workloads/libworkloads.a collide/libcollide.a \
	nqueens/libnqueens.a nqueens/libnqknown.a reyes/alone/libalone.a reyes/libreyes.a \
	h264intra/libh264intra.a libsched/libsched.a $(reyes_libs) $(JANSSON_LIBS) \
	$(CUDA_LIBS) -ldl -lm
dist_man1_MANS += %D%/gsched/gsched.1
if INSTALL_BASHCOMP
dist_bashcomp_DATA += %D%/gsched/completion/gsched
endif
EXTRA_DIST += %D%/gsched/completion/gsched
EXTRA_DIST += %D%/gpuintra/gpuintra.1 %D%/gpuintra/completion/gpuintra

bin_PROGRAMS += gqueens
gqueens_SOURCES = \
	%D%/gqueens/command.c %D%/gqueens/commands.h \
	%D%/gqueens/count.c %D%/gqueens/count.h \
	%D%/gqueens/estimate.c \
	%D%/gqueens/list.c \
	%D%/gqueens/lock.c %D%/gqueens/lock.h \
	%D%/gqueens/main.c \
	%D%/gqueens/options.c %D%/gqueens/options.h %D%/gqueens/options_check.c \
	%D%/gqueens/output.c %D%/gqueens/output.h \
	%D%/gqueens/picture.c %D%/gqueens/picture.h \
	%D%/gqueens/ranks.h %D%/gqueens/ranks_unknown.c \
	%D%/gqueens/resume.c \
	%D%/gqueens/show.c \
	%D%/gqueens/store.c %D%/gqueens/store.h \
	%D%/gqueens/verify.c
gqueens_LDADD = %D%/gqueens/libgqranks.a %D%/common/libappcommon.a nqueens/libnqueens.a \
	nqueens/libnqknown.a libsched/libsched.a $(CUDA_LIBS) $(MPI_LIBS)

# All that knows MPI.
noinst_LIBRARIES += %D%/gqueens/libgqranks.a
if HAVE_MPI
%C%_gqueens_libgqranks_a_SOURCES = %D%/gqueens/ranks_mpi.c
else
%C%_gqueens_libgqranks_a_SOURCES = %D%/gqueens/ranks_one.c
endif
%C%_gqueens_libgqranks_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
dist_man1_MANS += %D%/gqueens/gqueens.1
if INSTALL_BASHCOMP
dist_bashcomp_DATA += %D%/gqueens/completion/gqueens
endif
EXTRA_DIST += %D%/gqueens/completion/gqueens

bin_PROGRAMS += greyes
greyes_SOURCES = \
	%D%/greyes/changes.c %D%/greyes/changes.h \
	%D%/greyes/fly.c %D%/greyes/fly.h \
	%D%/greyes/job.c %D%/greyes/job.h \
	%D%/greyes/main.c \
	%D%/greyes/options.c %D%/greyes/options.h %D%/greyes/options_check.c \
	%D%/greyes/passes.c %D%/greyes/passes.h \
	%D%/greyes/pictures.c %D%/greyes/pictures.h \
	%D%/greyes/place.c %D%/greyes/place.h \
	%D%/greyes/stats.c %D%/greyes/stats.h \
	%D%/greyes/trace.c %D%/greyes/trace.h \
	%D%/greyes/view.c %D%/greyes/view.h
greyes_LDADD = reyes/preview/libpreview.a reyes/libreyes.a %D%/common/libappcommon.a \
	libsched/libsched.a $(SDL_LIBS) $(reyes_libs) $(CUDA_LIBS)
dist_man1_MANS += %D%/greyes/greyes.1
if INSTALL_BASHCOMP
dist_bashcomp_DATA += %D%/greyes/completion/greyes
endif
EXTRA_DIST += %D%/greyes/completion/greyes
