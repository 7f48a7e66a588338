#!/usr/bin/env bash
# docs/cluster.md under Slurm: eight tasks and the join, on two GPUs that are none. For `make
# check-long`; slurm_weekly.sh has the failures.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/slurm_long.tmp
in_frames=30
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/slurm.sh
. "$TEST_SRCDIR/apps/slurm.sh"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

cluster_scripts
start_slurm || bad_slurm
submit in.y4m out
eventually 60 has_ended "$join"
check "the tasks: $(state "$job")" is_in '8 COMPLETED' "$job"
check "the join: $(state "$join")$(cat slurm-*.out)" is_in '1 COMPLETED' "$join"
cpu -i in.y4m -o whole.264 --quiet
check "the joined parts differ from one run" cmp -s whole.264 out.264
check "a part is left unfinished" [ -z "$(find . -name '*.part')" ]
finish
