# Suites of the programs.
if HAVE_CUNIT
app_tests = %D%/chart_test %D%/greyes_trace_test %D%/latency_test %D%/lock_test \
	%D%/options_test %D%/options_help_test %D%/report_test %D%/stop_test %D%/timeline_test \
	%D%/xml_test
chart_check = %D%/chart_check.h %D%/xml_check.h tests/common/text.h
%C%_chart_test_SOURCES = %D%/chart_test.c $(chart_check)
%C%_chart_test_LDADD = apps/common/libappcommon.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS) -lm
%C%_greyes_trace_test_SOURCES = %D%/greyes_trace_test.c apps/greyes/trace.c apps/greyes/trace.h
%C%_greyes_trace_test_LDADD = apps/common/libappcommon.a libsched/libsched.a $(testmain_ldadd)
%C%_latency_test_SOURCES = %D%/latency_test.c tests/common/rng.h apps/gpuintra/latency.c \
	apps/gpuintra/latency.h
%C%_latency_test_LDADD = $(testmain_ldadd)
%C%_lock_test_SOURCES = %D%/lock_test.c apps/gqueens/lock.c apps/gqueens/lock.h
%C%_lock_test_LDADD = apps/common/libappcommon.a libsched/libsched.a $(testmain_ldadd)
%C%_options_test_SOURCES = %D%/options_test.c %D%/options_table.h
%C%_options_test_LDADD = apps/common/libappcommon.a $(testmain_ldadd)
%C%_options_help_test_SOURCES = %D%/options_help_test.c %D%/options_table.h
%C%_options_help_test_LDADD = apps/common/libappcommon.a $(testmain_ldadd)
%C%_report_test_SOURCES = %D%/report_test.c $(chart_check) tests/common/rng.h
%C%_report_test_LDADD = apps/common/libappcommon.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS) -lm
%C%_stop_test_SOURCES = %D%/stop_test.c
%C%_stop_test_LDADD = apps/common/libappcommon.a $(testmain_ldadd)

%C%_timeline_test_SOURCES = %D%/timeline_test.c %D%/xml_check.h tests/common/text.h
%C%_timeline_test_LDADD = apps/common/libappcommon.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS)
%C%_xml_test_SOURCES = %D%/xml_test.c %D%/xml_check.h tests/common/text.h
%C%_xml_test_LDADD = apps/common/libappcommon.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS) -lm

gsched_tests = %D%/gsched_test.sh %D%/gsched_gpu_test.sh %D%/gsched_latency_test.sh \
	%D%/gsched_latency_gpu_test.sh %D%/gsched_service_test.sh \
	%D%/gsched_service_gpu_test.sh

# gpuintra.sh, gqueens.sh, gsched_service.sh and slurm.sh have what tests share.
EXTRA_DIST += %D%/gpuintra.sh %D%/gqueens.sh %D%/gsched_service.sh %D%/slurm.sh
dist_check_SCRIPTS += %D%/gpuintra_test.sh %D%/gpuintra_input_test.sh %D%/gpuintra_range_test.sh \
	%D%/gpuintra_rate_test.sh %D%/gpuintra_streams_test.sh %D%/outfile_test.sh \
	%D%/slurm_long.sh %D%/slurm_weekly.sh $(gsched_tests)
TESTS += $(gsched_tests)
if HAVE_FFMPEG
TESTS += %D%/gpuintra_test.sh %D%/gpuintra_input_test.sh %D%/gpuintra_range_test.sh \
	%D%/gpuintra_rate_test.sh %D%/gpuintra_streams_test.sh %D%/outfile_test.sh
DIST_TESTS += %D%/gpuintra_input_test.sh
LONG_TESTS += %D%/slurm_long.sh
WEEKLY_TESTS += %D%/slurm_weekly.sh
app_tests += %D%/live_pipe_test
%C%_live_pipe_test_SOURCES = %D%/live_pipe_test.c tests/h264intra/encode_common.h
%C%_live_pipe_test_LDADD = h264intra/libh264intra.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS)
endif

check_PROGRAMS += $(app_tests)
TESTS += $(app_tests)

# gqueens; queens_forge makes checkpoints with wrong counts.
check_PROGRAMS += %D%/queens_forge
%C%_queens_forge_SOURCES = %D%/queens_forge.c
%C%_queens_forge_LDADD = nqueens/libnqueens.a libsched/libsched.a $(CUDA_LIBS)
SERIAL_TESTS += %D%/gpuintra_range_test.sh %D%/gpuintra_rate_test.sh %D%/gpuintra_streams_test.sh \
	%D%/gqueens_checkpoint_test.sh %D%/gqueens_test.sh %D%/outfile_test.sh
gqueens_tests = %D%/gqueens_test.sh %D%/gqueens_checkpoint_test.sh %D%/gqueens_gpu_test.sh \
	%D%/gqueens_parts_test.sh \
	%D%/gqueens_mpi_test.sh
dist_check_SCRIPTS += $(gqueens_tests) %D%/gqueens_parts_long.sh
LONG_TESTS += %D%/gqueens_parts_long.sh
TESTS += $(gqueens_tests)

# greyes; x_client acts on windows of an X server.
check_PROGRAMS += %D%/x_client
%C%_x_client_SOURCES = %D%/x_client.c
greyes_tests = %D%/greyes_test.sh %D%/greyes_files_test.sh %D%/greyes_output_test.sh \
	%D%/greyes_tolerance_test.sh %D%/greyes_window_test.sh
dist_check_SCRIPTS += $(greyes_tests)
TESTS += $(greyes_tests)
SERIAL_TESTS += $(filter-out %/greyes_window_test.sh,$(greyes_tests))
dist_check_SCRIPTS += %D%/pipes_test.sh %D%/reproduce_weekly.sh
WEEKLY_TESTS += %D%/reproduce_weekly.sh
TESTS += %D%/pipes_test.sh
SERIAL_TESTS += %D%/pipes_test.sh
DIST_TESTS += %D%/greyes_files_test.sh
EXTRA_DIST += %D%/greyes.sh tests/data/rib/rib_dof_catrib.rib tests/data/rib/rib_dof_infinity.rib \
	tests/data/rib/rib_empty_polygons.rib tests/data/rib/rib_motion_equal_times.rib \
	tests/data/rib/rib_polygon_2gon.rib tests/data/rib/rib_stray_token.rib
endif
