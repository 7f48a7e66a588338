# Faults of single calls of the programs.
dist_check_SCRIPTS += %D%/faults_long.sh %D%/faults_weekly.sh
EXTRA_DIST += %D%/faults.sh
if INSTALL_SHARED
check_PROGRAMS += %D%/faults.so
%C%_faults_so_SOURCES = %D%/preload.c
%C%_faults_so_LDFLAGS = -shared
%C%_faults_so_LDADD = -ldl
LONG_TESTS += %D%/faults_long.sh
WEEKLY_TESTS += %D%/faults_weekly.sh
endif
