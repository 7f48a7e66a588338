# Suites of the workloads.
check_PROGRAMS += %D%/cases
%C%_cases_SOURCES = %D%/cases.c
%C%_cases_LDADD = workloads/libworkloads.a libsched/libsched.a $(CUDA_LIBS) -lm
workload_scripts = %D%/run_test.sh
dist_check_SCRIPTS += $(workload_scripts)
TESTS += $(workload_scripts)
