#!/usr/bin/env bash
# The commands of docs/queens-28.md with few queens, on the CPU: parts of a job array, their sum, a
# part that is counted twice, and one that is missing.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/gqueens_parts_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gqueens.sh
. "$TEST_SRCDIR/apps/gqueens.sh"

# The job script, with the variables that Slurm sets.
job_script queens-28.md count.slurm >count.slurm
mkdir bin parts again
printf '#!/bin/sh\nexec "%s" --backend cpu "$@"\n' "$gqueens" >bin/gqueens
chmod +x bin/gqueens
part()
{
	env PATH="$PWD/bin:$PATH" SLURM_ARRAY_TASK_ID="$1" SLURM_ARRAY_TASK_COUNT=5 \
		bash count.slurm 14 "$2"
}
for i in 4 2 5 1 3; do
	part $i parts
	check "part $i has no file" [ -s parts/part.0000$i ]
done
part 3 parts # a task that is started again has nothing left to do
part 4 again
check "a part that is counted again differs" cmp -s parts/part.00004 again/part.00004

cpu 0 '' --merge parts/part.* -c whole
check "the parts do not add up" [ "$(cat stdout)" = 365596 ]
cpu 0 '16 units verified' --resume parts/part.00002 --verify-sample
cp parts/part.00003 twice
cpu 1 'unit .* is in .*part.00003 and in twice' --merge parts/part.* twice
head -c 400 parts/part.00003 >twice
cpu 1 'twice is truncated or damaged; its part has to be counted again' --merge \
	parts/part.0000[1245] twice
sed 's/^\(at [0-9]*: \)[0-9]/\17/' parts/part.00003 >twice
cpu 1 'twice is ' --merge parts/part.0000[1245] twice
cpu 0 '' 13 --method join --range 3/5 -c foreign
cpu 1 'belongs to another plan' --merge parts/part.0000[1245] foreign
rm parts/part.00003
cpu 1 'part 3/5 is not among' --merge parts/part.*

# a part of the units predicts the total, with a standard error
cpu 0 '64 of 256 units predict .* solutions; published: 14772512' 16 --method join --range 2/4

finish
