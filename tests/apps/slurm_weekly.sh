#!/usr/bin/env bash
# Jobs of docs/cluster.md and docs/queens-28.md under Slurm: a task that fails and is queued again,
# or fails for good, a cancelled one that is submitted again; gqueens in a job array and by mpirun
# (with a build --with-mpi). For `make check-weekly`.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/slurm_weekly.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/slurm.sh
. "$TEST_SRCDIR/apps/slurm.sh"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"
gqueens=$TEST_BUILDDIR/gqueens

cluster_scripts
start_slurm || bad_slurm
"$picgen" noise 320x240 400 >large.y4m
cpu -i large.y4m -o whole.264 --quiet

# Task 5 fails twice, and is queued again.
printf '..' >fail.5
submit large.y4m out
eventually 180 has_ended "$join"
check "a task that fails twice: $(state "$job")" is_in '8 COMPLETED' "$job"
check "a task that fails twice: the join is $(state "$join")" is_in '1 COMPLETED' "$join"
check "a task that fails twice: not all failures were used" [ ! -s fail.5 ]
check "a task that fails twice: the parts differ from one run" cmp -s whole.264 out.264
rm -f out.*

# Task 3 fails as often as it is tried: the join ends without a file.
printf '....' >fail.3
submit large.y4m out
eventually 180 has_ended "$join"
check "a task that fails: $(state "$job")" is_in '7 COMPLETED 1 FAILED' "$job"
check "a task that fails: the join is $(state "$join")" is_in '1 CANCELLED' "$join"
check "a task that fails: it was tried $((4 - $(stat -c %s fail.3))) times" \
	[ "$(stat -c %s fail.3)" = 1 ]
check "a task that fails: there is a joined file" [ ! -e out.264 ]
rm -f fail.3

# A cancelled task leaves no part under its name; submitted again by its number it makes it whole.
rm -f out.*
mkfifo hold.4
submit large.y4m out
exec 8<>hold.4
eventually 60 test -s out.00004.264.part
scancel "${job}_4"
eventually 60 has_ended "$join"
exec 8<&-
rm hold.4
eventually 60 has_ended "$job"
check "a cancelled task: $(state "$job")" is_in '1 CANCELLED 7 COMPLETED' "$job"
check "a cancelled task: the join is $(state "$join")" is_in '1 CANCELLED' "$join"
check "a cancelled task has a part under its name" [ ! -e out.00004.264 ]
check "a cancelled task has no frames" [ "$(frames out.00004.264.part)" -ge 1 ]
again=$(sbatch --parsable --array=4 encode.slurm large.y4m out 8)
join=$(sbatch --parsable --dependency="afterok:$again" --kill-on-invalid-dep=yes join.slurm out 8)
eventually 60 has_ended "$join"
check "a task submitted again: the join is $(state "$join")" is_in '1 COMPLETED' "$join"
check "a task submitted again: the parts differ from one run" cmp -s whole.264 out.264

# gqueens: the job array of docs/queens-28.md, and ranks.
mkdir parts
job_script queens-28.md count.slurm >count.slurm
job=$(sbatch --parsable --array=1-8 count.slurm 16 "$PWD/parts")
eventually 120 has_ended "$job"
check "gqueens in an array: $(state "$job")" is_in '8 COMPLETED' "$job"
run 0 '' "$gqueens" --merge parts/part.*
check "gqueens in an array counts $(cat stdout)" [ "$(cat stdout)" = 14772512 ]
rm parts/part.00006
run 1 'part 6/8 is not among' "$gqueens" --merge parts/part.*
if "$gqueens" --version | grep -q '^MPI: not built in' || ! command -v mpirun >/dev/null; then
	without "gqueens by mpirun, for want of a build --with-mpi or of mpirun"
else
	# Open MPI refuses to run as root without these.
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	command=$(sed -n 's/^    sbatch \(.*mpirun gqueens.*\)/\1/p' \
		"$TEST_SRCDIR/../docs/cluster.md")
	job=$(eval "sbatch --parsable --output=ranks.out $command")
	eventually 120 has_ended "$job"
	check "gqueens in ranks: $(state "$job")" is_in '1 COMPLETED' "$job"
	check "gqueens in ranks: $(cat ranks.out)" [ "$(grep -c '^14772512$' ranks.out)" -eq 1 ]
fi
finish
