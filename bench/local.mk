# `make bench` measures the speed on this machine and writes records to bench/results/. `make` alone
# does not build the programs in BENCHES, which it runs.
dist_noinst_SCRIPTS += %D%/run %D%/ablation.py %D%/adapters.py %D%/bdcurves.py %D%/bdrate.py \
	%D%/compare.py %D%/conformance.sh %D%/made_clips.sh %D%/queens_long.sh %D%/figures.py \
	%D%/figures_papers.py %D%/figures_plugins.py %D%/figures_reyes.py \
	%D%/figures_tables.py %D%/lines.py \
	%D%/pairwise.py %D%/presets.py \
	%D%/python_compare.py %D%/share_gpu.py %D%/stages.py %D%/switches.py \
	%D%/curves.py %D%/ray_plot.py
EXTRA_DIST += %D%/x264_clip.c

EXTRA_PROGRAMS += %D%/encode_bench
%C%_encode_bench_SOURCES = %D%/encode_bench.c %D%/bench.h
%C%_encode_bench_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)
BENCHES += %D%/encode_bench

# One encoder of many substreams against many encoders; not a part of make bench.
EXTRA_PROGRAMS += %D%/streams_bench
%C%_streams_bench_SOURCES = %D%/streams_bench.c %D%/bench.h
%C%_streams_bench_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)

# The peer; only where libx264 is installed.
EXTRA_PROGRAMS += %D%/x264_bench
%C%_x264_bench_SOURCES = %D%/x264_bench.c
%C%_x264_bench_CPPFLAGS = $(AM_CPPFLAGS) $(X264_CFLAGS)
%C%_x264_bench_LDADD = libsched/libsched.a $(X264_LIBS)
if HAVE_X264
BENCHES += %D%/x264_bench
endif

# Tables of h264intra/decide/rates.c.
EXTRA_PROGRAMS += %D%/train_rates
%C%_train_rates_SOURCES = %D%/train_rates.c
%C%_train_rates_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS) -lm

EXTRA_PROGRAMS += %D%/read_bench
%C%_read_bench_SOURCES = %D%/read_bench.c
%C%_read_bench_LDADD = h264intra/libh264intra_io.a libsched/libsched.a $(FFMPEG_LIBS)
if HAVE_FFMPEG
BENCHES += %D%/read_bench
endif

.PHONY: bench
bench: $(bin_PROGRAMS) $(BENCHES)
	$(srcdir)/%D%/run $(BENCH_FLAGS)

EXTRA_PROGRAMS += %D%/sched_figures
%C%_sched_figures_SOURCES = %D%/sched_figures.c %D%/figures_loads.h
if HAVE_CUDA
%C%_sched_figures_SOURCES += %D%/figures_loads_cuda.cu
CUFILES += %D%/figures_loads_cuda.cu
endif
%C%_sched_figures_LDADD = libsched/libsched.a $(CUDA_LIBS)
BENCHES += %D%/sched_figures

# The peer of `gsched run sort`: sorts of CUB, which comes with nvcc.
if HAVE_CUDA
EXTRA_PROGRAMS += %D%/cub_sort
%C%_cub_sort_SOURCES = %D%/cub_sort.cu
CUFILES += %D%/cub_sort.cu
%C%_cub_sort_LDADD = workloads/libworkloads.a collide/libcollide.a libsched/libsched.a \
	$(CUDA_LIBS) -lstdc++ -lm
BENCHES += %D%/cub_sort
endif
EXTRA_DIST += %D%/cub_sort.cu

# The record that bench/ray_plot.py draws for docs/jobs.md.
if HAVE_CUDA
EXTRA_PROGRAMS += %D%/ray_bench
%C%_ray_bench_SOURCES = %D%/ray_bench.cu
CUFILES += %D%/ray_bench.cu
%C%_ray_bench_LDADD = collide/libcollide.a libsched/libsched.a $(CUDA_LIBS) -lstdc++ -lm
endif
EXTRA_DIST += %D%/ray_bench.cu

# The pictures of docs/workloads.md.
EXTRA_PROGRAMS += %D%/workload_pictures
%C%_workload_pictures_SOURCES = %D%/workload_pictures.c tests/workloads/harness.c
%C%_workload_pictures_LDADD = workloads/libworkloads.a collide/libcollide.a libsched/libsched.a \
	$(CUDA_LIBS) -lm
dist_noinst_SCRIPTS += %D%/workload_pictures.sh

# Steps of a mesh by libcollide; not a part of make bench.
# Contacts against known ones, in files that are not here.
EXTRA_PROGRAMS += %D%/collide_truth
%C%_collide_truth_SOURCES = %D%/collide_truth.c
%C%_collide_truth_LDADD = workloads/libworkloads.a collide/libcollide.a libsched/libsched.a \
	$(CUDA_LIBS) -lm

EXTRA_PROGRAMS += %D%/collide_bench
%C%_collide_bench_SOURCES = %D%/collide_bench.c
%C%_collide_bench_LDADD = workloads/libworkloads.a collide/libcollide.a libsched/libsched.a \
	$(CUDA_LIBS) -lm

# Peers of `gsched run x3d`, which need libxml2 and pugixml (Debian: libpugixml-dev); not a part of
# make bench. Automake would look for a C++ compiler on each machine.
%D%/x3d_bench: $(srcdir)/%D%/x3d_bench.cc workloads/libworkloads.a libsched/libsched.a
	$(CXX) -std=c++17 -O2 $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(LIBXML2_CFLAGS) -o $@ \
		$(srcdir)/%D%/x3d_bench.cc workloads/libworkloads.a libsched/libsched.a \
		$(LIBXML2_LIBS) -lpugixml $(CUDA_LIBS) -lpthread -lm
CLEANFILES += %D%/x3d_bench
EXTRA_DIST += %D%/x3d_bench.cc

EXTRA_PROGRAMS += %D%/queens_bench
%C%_queens_bench_SOURCES = %D%/queens_bench.c %D%/queens_measure.c %D%/queens_measure.h \
	%D%/queens_table.c %D%/queens_table.h
%C%_queens_bench_LDADD = nqueens/libnqueens.a nqueens/libnqknown.a libsched/libsched.a $(CUDA_LIBS)
BENCHES += %D%/queens_bench
EXTRA_PROGRAMS += %D%/queens_units_bench
%C%_queens_units_bench_SOURCES = %D%/queens_units_bench.c
%C%_queens_units_bench_LDADD = nqueens/libnqueens.a libsched/libsched.a $(CUDA_LIBS) -lm

EXTRA_PROGRAMS += %D%/reyes_bench
%C%_reyes_bench_SOURCES = %D%/reyes_bench.c %D%/reyes_measure.c %D%/reyes_measure.h
%C%_reyes_bench_LDADD = reyes/alone/libalone.a reyes/libreyes.a libsched/libsched.a $(reyes_libs) \
	$(CUDA_LIBS) -lm
BENCHES += %D%/reyes_bench

# Comparison of the renderer's pictures with reference pictures. `make gallery SCENES=FOLDER`
# renders the scenes of a folder and writes gallery/index.html; bench/gallery describes the folder.
noinst_PROGRAMS += %D%/picture_compare
%C%_picture_compare_SOURCES = %D%/picture_compare.c %D%/picture_metrics.c %D%/picture_metrics.h
%C%_picture_compare_LDADD = reyes/libreyes.a apps/common/libappcommon.a libsched/libsched.a \
	$(reyes_libs) -lm
dist_noinst_SCRIPTS += %D%/gallery
EXTRA_DIST += %D%/gallery.conf

.PHONY: gallery
gallery: $(bin_PROGRAMS) %D%/picture_compare
	@test -n '$(SCENES)' || { echo 'usage: make gallery SCENES=FOLDER' >&2; exit 2; }
	$(srcdir)/%D%/gallery --scenes '$(SCENES)' --program ./greyes \
		--compare %D%/picture_compare --out gallery $(GALLERY_FLAGS)
