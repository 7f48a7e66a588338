# The models, and the largest loads of the device's suites: for `make check-long`.
dist_check_SCRIPTS += %D%/models_long.sh %D%/stress_long.sh
LONG_TESTS += %D%/models_long.sh

if HAVE_CUNIT
LONG_TESTS += %D%/stress_long.sh

sched_suite = %D%/fan.h %D%/grid.h %D%/graph.h %D%/sched_suite.h %D%/sched_suite.c \
	%D%/sched_suite_control.c %D%/sched_suite_fan.c %D%/sched_suite_flow.c \
	%D%/sched_suite_graph.c %D%/message.h %D%/sched_suite_message.c %D%/sched_suite_rounds.c \
	%D%/sched_suite_spawn.c %D%/sched_suite_trace.c tests/common/json.h tests/common/text.h

check_PROGRAMS += %D%/sched_test
TESTS += %D%/sched_test
%C%_sched_test_SOURCES = %D%/sched_test.c %D%/queue_room.h %D%/sched_raw.c \
	%D%/sched_raw_ring.c %D%/sched_raw_steps.c $(sched_suite)
%C%_sched_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/watchdog_test
TESTS += %D%/watchdog_test
%C%_watchdog_test_SOURCES = %D%/watchdog_test.c %D%/queue_room.h
%C%_watchdog_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/process_test
TESTS += %D%/process_test
%C%_process_test_SOURCES = %D%/process_test.c %D%/bad_program.h %D%/bad_common.c %D%/bad_common.h
%C%_process_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/json_test
TESTS += %D%/json_test
%C%_json_test_SOURCES = %D%/json_test.c tests/common/json.h tests/common/text.h
%C%_json_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS) -lm

check_PROGRAMS += %D%/sized_test
TESTS += %D%/sized_test
%C%_sized_test_SOURCES = %D%/sized_test.c %D%/graph.h
%C%_sized_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/lanes_test
TESTS += %D%/lanes_test
%C%_lanes_test_SOURCES = %D%/lanes_test.c %D%/lanes_instances.c %D%/lanes.h %D%/lanes_cuda.h \
	%D%/lanes_program.h $(sched_suite)
%C%_lanes_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# Without CUDA it still builds, and is skipped.
check_PROGRAMS += %D%/sched_gpu_test
TESTS += %D%/sched_gpu_test
%C%_sched_gpu_test_SOURCES = %D%/sched_gpu_test.c %D%/sched_gpu.h $(sched_suite)
if HAVE_CUDA
%C%_sched_gpu_test_SOURCES += %D%/sched_gpu.cu
CUFILES += %D%/sched_gpu.cu
endif
%C%_sched_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/abp_test
TESTS += %D%/abp_test
%C%_abp_test_SOURCES = %D%/abp_test.c %D%/queue_room.h
%C%_abp_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

litmus_suite = %D%/litmus.h %D%/litmus_roles.h %D%/litmus_suite.c %D%/litmus_suite.h
check_PROGRAMS += %D%/litmus_test
TESTS += %D%/litmus_test
%C%_litmus_test_SOURCES = %D%/litmus_test.c $(litmus_suite)
%C%_litmus_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/litmus_gpu_test
TESTS += %D%/litmus_gpu_test
%C%_litmus_gpu_test_SOURCES = %D%/litmus_gpu_test.c $(litmus_suite)
if HAVE_CUDA
%C%_litmus_gpu_test_SOURCES += %D%/litmus.cu
CUFILES += %D%/litmus.cu
endif
%C%_litmus_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/items_test
TESTS += %D%/items_test
items_suite = %D%/items_suite.c %D%/items_suite_game.c %D%/items_game_programs.h \
	%D%/items_suite_keep.c %D%/items_suite_prio.c \
	%D%/items_suite_again.c %D%/items_suite_stream.c \
	%D%/items_suite.h %D%/items_grain.h %D%/items_programs.h %D%/group_programs.h \
	%D%/items_suite_wrong.c %D%/items_wrong_programs.h \
	%D%/items_suite_once.c %D%/items_once_programs.h \
	%D%/items_prio_programs.h %D%/items_again_programs.h %D%/items_stream_programs.h \
	%D%/procs_suite.c %D%/procs_suite_stats.c %D%/procs_programs.h %D%/flow_programs.h
%C%_items_test_SOURCES = %D%/items_test.c %D%/items_chunks.c %D%/items_chunks.h \
	%D%/items_game_cpu.c %D%/items_prio_cpu.c \
	%D%/items_again_cpu.c %D%/items_stream_cpu.c %D%/items_wrong_cpu.c \
	%D%/items_once_cpu.c \
	$(items_suite)
%C%_items_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/items_lanes_test
TESTS += %D%/items_lanes_test
%C%_items_lanes_test_SOURCES = %D%/items_lanes_test.c %D%/items_lanes_instances.c \
	%D%/lanes.h %D%/lanes_cuda.h \
	%D%/lanes_program.h %D%/items_suite.c %D%/items_suite_keep.c %D%/items_suite.h \
	%D%/items_grain.h \
	%D%/items_programs.h %D%/procs_suite.c %D%/procs_suite_stats.c \
	%D%/procs_programs.h %D%/flow_programs.h \
	%D%/items_suite_game.c %D%/items_game_programs.h \
	%D%/items_suite_again.c %D%/items_again_programs.h \
	%D%/items_prio_programs.h %D%/items_suite_stream.c %D%/items_stream_programs.h \
	%D%/items_suite_wrong.c %D%/items_wrong_programs.h \
	%D%/items_suite_once.c %D%/items_once_programs.h \
	%D%/group_programs.h %D%/stream_lanes.c %D%/stream_lanes.h tests/common/rng.h
%C%_items_lanes_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/group_test
TESTS += %D%/group_test
%C%_group_test_SOURCES = %D%/group_test.c %D%/group_programs.h %D%/group_run.h %D%/group_team.c \
	%D%/group_warps.c %D%/items_grain.h %D%/lanes.h %D%/lanes_block.h %D%/lanes_cuda.h
%C%_group_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/items_gpu_test
TESTS += %D%/items_gpu_test
%C%_items_gpu_test_SOURCES = %D%/items_gpu_test.c tests/common/stress.h $(items_suite) \
	%D%/sched_gpu.h
if HAVE_CUDA
%C%_items_gpu_test_SOURCES += %D%/items_game_gpu.cu %D%/items_gpu.cu \
	%D%/procs_gpu.cu %D%/items_prio_gpu.cu %D%/items_again_gpu.cu %D%/items_stream_gpu.cu \
	%D%/items_wrong_gpu.cu %D%/items_once_gpu.cu %D%/sched_gpu.cu
CUFILES += %D%/items_game_gpu.cu %D%/items_gpu.cu %D%/procs_gpu.cu \
	%D%/items_prio_gpu.cu \
	%D%/items_again_gpu.cu %D%/items_stream_gpu.cu %D%/items_wrong_gpu.cu \
	%D%/items_once_gpu.cu
endif
%C%_items_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

history_suite = %D%/history.h %D%/history_check.c %D%/history_check.h \
	%D%/history_suite.c %D%/history_suite.h %D%/spread.h
check_PROGRAMS += %D%/history_test
TESTS += %D%/history_test
%C%_history_test_SOURCES = %D%/history_test.c $(history_suite)
%C%_history_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/history_gpu_test
TESTS += %D%/history_gpu_test
%C%_history_gpu_test_SOURCES = %D%/history_gpu_test.c $(history_suite)
if HAVE_CUDA
%C%_history_gpu_test_SOURCES += %D%/sched_gpu.cu %D%/sched_gpu.h %D%/history.cu
CUFILES += %D%/history.cu
endif
%C%_history_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# The same suites with workers that wait at the queue with a ticket, as they do on a GPU.
check_PROGRAMS += %D%/sched_line_test
TESTS += %D%/sched_line_test
%C%_sched_line_test_SOURCES = $(%C%_sched_test_SOURCES)
%C%_sched_line_test_CPPFLAGS = $(AM_CPPFLAGS) -DLSCHED_I_TICKET_WAIT=1
%C%_sched_line_test_LDADD = $(%C%_sched_test_LDADD)

check_PROGRAMS += %D%/items_line_test
TESTS += %D%/items_line_test
%C%_items_line_test_SOURCES = $(%C%_items_test_SOURCES)
%C%_items_line_test_CPPFLAGS = $(AM_CPPFLAGS) -DLSCHED_I_TICKET_WAIT=1
%C%_items_line_test_LDADD = $(%C%_items_test_LDADD)

# Programs of users, compiled in the languages that they may be written in.
dist_check_SCRIPTS += %D%/cxx_test.sh %D%/items_type_test.sh
TESTS += %D%/cxx_test.sh %D%/items_type_test.sh
SOURCE_TESTS += %D%/cxx_test.sh %D%/items_type_test.sh

# Rules made by macros, and rules for one scheme.
check_PROGRAMS += %D%/rule_test
TESTS += %D%/rule_test
%C%_rule_test_SOURCES = %D%/rule_test.c
%C%_rule_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# Graphs given as data, and the memory of tasks. The GPU's half builds without CUDA too, and is
# skipped.
csr_suite = %D%/csr_program.h %D%/csr_shape.h %D%/csr_shape.c %D%/csr_suite.h %D%/csr_suite.c \
	%D%/csr_suite_build.c tests/common/rng.h

check_PROGRAMS += %D%/csr_test %D%/csr_gpu_test
TESTS += %D%/csr_test %D%/csr_gpu_test
%C%_csr_test_SOURCES = %D%/csr_test.c $(csr_suite)
%C%_csr_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_csr_gpu_test_SOURCES = %D%/csr_gpu_test.c tests/common/stress.h $(csr_suite)
if HAVE_CUDA
%C%_csr_gpu_test_SOURCES += %D%/csr_gpu.cu
CUFILES += %D%/csr_gpu.cu
endif
%C%_csr_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# Bad use: an error, never a hang. On the GPU each case is a process of its own.
bad_common = %D%/bad_program.h %D%/bad_common.h %D%/bad_common.c

check_PROGRAMS += %D%/bad_call_test %D%/bad_use_test %D%/lost_test
TESTS += %D%/bad_call_test %D%/bad_use_test %D%/lost_test
%C%_bad_call_test_SOURCES = %D%/bad_call_test.c %D%/bad_stub.c $(bad_common)
%C%_bad_call_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_bad_use_test_SOURCES = %D%/bad_use_test.c $(bad_common)
%C%_bad_use_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_lost_test_SOURCES = %D%/lost_test.c $(bad_common)
if HAVE_CUDA
%C%_lost_test_SOURCES += %D%/bad_gpu.cu
CUFILES += %D%/bad_gpu.cu
endif
%C%_lost_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# The queue prio. The GPU's half builds without CUDA too, and is skipped.
prio_suite = %D%/prio_program.h %D%/prio_suite.h %D%/prio_suite.c %D%/prio_suite_graph.c \
	%D%/graph.h %D%/sched_suite.h %D%/sched_suite.c

check_PROGRAMS += %D%/prio_test %D%/prio_gpu_test
TESTS += %D%/prio_test %D%/prio_gpu_test
DIST_TESTS += %D%/prio_test
%C%_prio_test_SOURCES = %D%/prio_test.c $(prio_suite)
%C%_prio_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_prio_gpu_test_SOURCES = %D%/prio_gpu_test.c $(prio_suite)
if HAVE_CUDA
%C%_prio_gpu_test_SOURCES += %D%/prio_gpu.cu
CUFILES += %D%/prio_gpu.cu
endif
%C%_prio_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# Jobs. The GPU's half builds without CUDA too, and is skipped.
jobs_suite = %D%/jobs_programs.h %D%/jobs_suite.h %D%/jobs_suite.c %D%/jobs_suite_members.c \
	%D%/jobs_suite_failures.c %D%/jobs_suite_order.c %D%/jobs_suite_depend.c \
	%D%/jobs_suite_random.c %D%/jobs_suite_stats.c %D%/jobs_suite_time.c \
	%D%/items_grain.h tests/apps/xml_check.h tests/common/json.h tests/common/rng.h \
	tests/common/text.h

check_PROGRAMS += %D%/jobs_test %D%/jobs_gpu_test
TESTS += %D%/jobs_test %D%/jobs_gpu_test
%C%_jobs_test_SOURCES = %D%/jobs_test.c $(jobs_suite)
%C%_jobs_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_jobs_gpu_test_SOURCES = %D%/jobs_gpu_test.c tests/common/stress.h $(jobs_suite)
if HAVE_CUDA
%C%_jobs_gpu_test_SOURCES += %D%/jobs_gpu.cu
CUFILES += %D%/jobs_gpu.cu
endif
%C%_jobs_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

check_PROGRAMS += %D%/jobs_lanes_test
TESTS += %D%/jobs_lanes_test
%C%_jobs_lanes_test_SOURCES = %D%/jobs_lanes_test.c %D%/jobs_lanes_instances.c %D%/lanes.h \
	%D%/lanes_cuda.h %D%/lanes_program.h $(jobs_suite)
%C%_jobs_lanes_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
endif
