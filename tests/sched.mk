sched_suite = %D%/sched_fan.h %D%/sched_grid.h %D%/sched_graph.h %D%/sched_suite.h %D%/sched_suite.c \
	%D%/sched_suite_control.c %D%/sched_suite_flow.c %D%/sched_suite_rounds.c \
	%D%/sched_suite_trace.c

check_PROGRAMS += %D%/sched_test
TESTS += %D%/sched_test
%C%_sched_test_SOURCES = %D%/sched_test.c %D%/sched_raw.c $(sched_suite)
%C%_sched_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/json_test
TESTS += %D%/json_test
%C%_json_test_SOURCES = %D%/json_test.c %D%/json.h
%C%_json_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS) -lm

check_PROGRAMS += %D%/sized_test
TESTS += %D%/sized_test
%C%_sized_test_SOURCES = %D%/sized_test.c %D%/sched_graph.h
%C%_sized_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/sched_lanes_test
TESTS += %D%/sched_lanes_test
%C%_sched_lanes_test_SOURCES = %D%/sched_lanes_test.c %D%/sched_lanes.c %D%/lanes.h \
	%D%/lanes_program.h $(sched_suite)
%C%_sched_lanes_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# Without CUDA it still builds, and is skipped.
check_PROGRAMS += %D%/sched_gpu_test
TESTS += %D%/sched_gpu_test
%C%_sched_gpu_test_SOURCES = %D%/sched_gpu_test.c %D%/sched_gpu.h $(sched_suite)
if HAVE_CUDA
%C%_sched_gpu_test_SOURCES += %D%/sched_gpu.cu
CUFILES += %D%/sched_gpu.cu
endif
%C%_sched_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/sched_abp_test
TESTS += %D%/sched_abp_test
%C%_sched_abp_test_SOURCES = %D%/sched_abp_test.c
%C%_sched_abp_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

sched_litmus = %D%/sched_litmus.h %D%/sched_litmus_suite.c %D%/sched_litmus_suite.h
check_PROGRAMS += %D%/sched_litmus_test
TESTS += %D%/sched_litmus_test
%C%_sched_litmus_test_SOURCES = %D%/sched_litmus_test.c $(sched_litmus)
%C%_sched_litmus_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/sched_litmus_gpu_test
TESTS += %D%/sched_litmus_gpu_test
%C%_sched_litmus_gpu_test_SOURCES = %D%/sched_litmus_gpu_test.c $(sched_litmus)
if HAVE_CUDA
%C%_sched_litmus_gpu_test_SOURCES += %D%/sched_litmus.cu
CUFILES += %D%/sched_litmus.cu
endif
%C%_sched_litmus_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/items_test
TESTS += %D%/items_test
%C%_items_test_SOURCES = %D%/items_test.c %D%/items_suite.c %D%/items_suite.h %D%/items_programs.h
%C%_items_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/items_gpu_test
TESTS += %D%/items_gpu_test
%C%_items_gpu_test_SOURCES = %D%/items_gpu_test.c %D%/stress.h %D%/items_suite.c %D%/items_suite.h \
	%D%/items_programs.h %D%/sched_gpu.h
if HAVE_CUDA
%C%_items_gpu_test_SOURCES += %D%/items_gpu.cu %D%/sched_gpu.cu
CUFILES += %D%/items_gpu.cu
endif
%C%_items_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

sched_history = %D%/sched_history.h %D%/sched_history_check.c %D%/sched_history_check.h \
	%D%/sched_history_suite.c %D%/sched_history_suite.h %D%/sched_spread.h
check_PROGRAMS += %D%/sched_history_test
TESTS += %D%/sched_history_test
%C%_sched_history_test_SOURCES = %D%/sched_history_test.c $(sched_history)
%C%_sched_history_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/sched_history_gpu_test
TESTS += %D%/sched_history_gpu_test
%C%_sched_history_gpu_test_SOURCES = %D%/sched_history_gpu_test.c $(sched_history)
if HAVE_CUDA
%C%_sched_history_gpu_test_SOURCES += %D%/sched_gpu.cu %D%/sched_gpu.h %D%/sched_history.cu
CUFILES += %D%/sched_history.cu
endif
%C%_sched_history_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# The same suites with workers that stand in line for the queue, as they do on a GPU.
check_PROGRAMS += %D%/sched_line_test
TESTS += %D%/sched_line_test
%C%_sched_line_test_SOURCES = $(%C%_sched_test_SOURCES)
%C%_sched_line_test_CPPFLAGS = $(AM_CPPFLAGS) -DLSCHED_I_STAND_IN_LINE=1
%C%_sched_line_test_LDADD = $(%C%_sched_test_LDADD)

check_PROGRAMS += %D%/items_line_test
TESTS += %D%/items_line_test
%C%_items_line_test_SOURCES = $(%C%_items_test_SOURCES)
%C%_items_line_test_CPPFLAGS = $(AM_CPPFLAGS) -DLSCHED_I_STAND_IN_LINE=1
%C%_items_line_test_LDADD = $(%C%_items_test_LDADD)

# Programs of users, compiled in the languages that they may be written in.
dist_check_SCRIPTS += %D%/cxx_test.sh %D%/items_type_test.sh
TESTS += %D%/cxx_test.sh %D%/items_type_test.sh
