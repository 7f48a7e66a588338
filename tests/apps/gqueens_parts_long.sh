#!/usr/bin/env bash
# The commands of docs/queens-28.md: with 18 queens on the CPU, and with 22 queens on a GPU if there
# is one; a task that is killed, estimates from each part, a join without the memory it needs. For
# `make check-long`.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/gqueens_parts_long.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gqueens.sh
. "$TEST_SRCDIR/apps/gqueens.sh"

job_script queens-28.md count.slurm >count.slurm
# part N PARTS PART DIRECTORY: a task of the job array.
part() {
	env PATH="$PWD/bin:$PATH" SLURM_ARRAY_TASK_ID="$3" SLURM_ARRAY_TASK_COUNT="$2" \
		bash count.slurm "$1" "$4"
}
# whole N PARTS TOTAL BACKEND
whole() {
	local n=$1 parts=$2 total=$3 backend=$4 i far=0
	rm -rf bin parts again
	mkdir bin parts again
	printf '#!/bin/sh\nexec "%s" --backend %s "$@"\n' "$gqueens" "$backend" >bin/gqueens
	chmod +x bin/gqueens
	# a task that is killed, and started again
	part "$n" "$parts" 1 parts &
	sleep 0.3
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
	for i in $(shuf -i "1-$parts"); do
		part "$n" "$parts" "$i" parts
	done
	i=$((RANDOM % parts + 1))
	part "$n" "$parts" $i again
	check "$n queens: part $i, counted again, differs" \
		cmp -s "parts/part.$(printf '%05d' $i)" again/part.*
	for i in parts/part.*; do
		run 0 'units predict' "$gqueens" --backend "$backend" --resume "$i" \
			--verify-sample 8
		grep -qE ' ([4-9]|[1-9][0-9])\.[0-9]* standard errors away' stderr &&
			far=$((far + 1))
	done
	check "$n queens: $far estimates are 4 standard errors away" [ $far -eq 0 ]
	run 0 'as published' "$gqueens" --backend cpu --merge parts/part.* -c whole -y
	check "$n queens: $(cat stdout)" [ "$(cat stdout)" = "$total" ]
	run 0 '' "$gqueens" --backend cpu --unique --merge whole
}

whole 18 8 666090624 cpu
if "$gqueens" --list | grep -A 1 '^CUDA devices' | grep -q ' none'; then
	without "22 queens, for want of a CUDA device"
else
	whole 22 20 2691008701644 cuda
	run 0 'as published' "$gqueens" 22 --method join --backend cuda --device all
	check "22 queens on all devices: $(cat stdout)" [ "$(cat stdout)" = 2691008701644 ]
	run 0 '' "$gqueens" 22 --method join --backend cuda --estimate --json -
	check "estimate: $(cat stdout)" grep -q '"gpu_seconds_error":' stdout
	run 0 '' timeout 120 "$gqueens" 28 --method join --backend cuda --estimate --time-limit 10
	check "estimate of 28: $(cat stdout)" grep -q 'GPU time .*(+- .*) on' stdout
	# half a gigabyte is too little for a unit of 26 queens: an error if the join was asked for
	run 1 'the limit of the memory is too small' timeout 60 "$gqueens" 26 --method join \
		--backend cuda --memory-limit 0.5
	run 1 'the join cannot run .*; counting by backtracking' timeout 60 "$gqueens" 26 \
		--backend cuda --memory-limit 0.5 --time-limit 5
fi

# The lists of 22 queens take 300 MB.
if [ "$(ulimit -v 250000; "$gqueens" 8 --backend cpu --workers 1 2>/dev/null)" = 92 ]; then
	rc=0
	(ulimit -v 250000; exec "$gqueens" 22 --backend cpu --workers 1 --time-limit 30) >stdout \
		2>stderr || rc=$?
	check "little memory: exit code $rc" [ $rc -eq 1 ]
	check "little memory: $(cat stderr)" \
		grep -q 'the join cannot run (out of memory); counting by backtracking' stderr
	rc=0
	(ulimit -v 250000; exec "$gqueens" 22 --method join --backend cpu --workers 1) >stdout \
		2>stderr || rc=$?
	check "little memory for --method join: exit code $rc" [ $rc -eq 1 ]
	check "little memory for --method join: $(cat stderr)" \
		grep -q 'error: .*out of memory' stderr
else
	without "a join with little memory, because this build reserves much of it"
fi
finish
