#!/usr/bin/env bash
# Verifies the join of many queens on a GPU, in slices: the totals of 22 to 24 queens, samples of 25
# to 28 against backtracking, and the estimates from parts of 25 to 27 beside the published counts.
#
#	bench/queens_long.sh DIRECTORY [SECONDS]
#
# Each call takes about SECONDS (480) and continues where the last one stopped; its files are in
# DIRECTORY, which may be copied between machines. It ends with "finished" when nothing is left, and
# exit code 1 if a count is wrong. GQUEENS: the program, ./gqueens by default. QUEENS_DEVICE=all:
# use all GPUs. One H100 needs 9 s, 2 minutes and 10 minutes for the totals, and 2 to 4
# minutes for each part.
set -u
dir=${1:?usage: queens_long.sh DIRECTORY [SECONDS]} limit=${2:-480}
gqueens=${GQUEENS:-./gqueens}
backend=${QUEENS_BACKEND:-cuda} device=${QUEENS_DEVICE:-}
read -r -a totals <<<"${QUEENS_TOTALS:-22 23 24}"
# N:I/PARTS of the estimates: 2 to 4 minutes each
read -r -a samples <<<"${QUEENS_SAMPLES:-25:17/54 26:17/525 27:17/6120}"
read -r -a checks <<<"${QUEENS_CHECKS:-22 23 24 25 26 27 28}"
mkdir -p "$dir" || exit 1
failed=0 more=0

left() { echo $((limit - SECONDS)); }
# step NAME COMMAND...: runs the command, with its output in DIRECTORY/NAME.log, unless it has
# finished in an earlier call.
step() {
	local name=$1 rc=0
	shift
	[ -e "$dir/$name.done" ] && return
	if [ "$(left)" -lt "${least:-15}" ]; then
		more=1
		return
	fi
	"$@" ${device:+--device "$device"} --time-limit "$(left)" >"$dir/$name.log" 2>&1 || rc=$?
	if [ $rc -eq 0 ]; then
		: >"$dir/$name.done"
		sed "s|^|$name: |" "$dir/$name.log"
	elif grep -q 'time limit reached' "$dir/$name.log"; then
		more=1
		sed "s|^|$name: |" "$dir/$name.log" | tail -1
	else
		failed=1
		sed "s|^|$name: |" "$dir/$name.log"
	fi
}

for n in "${checks[@]}"; do
	# a part without units: only the sample is counted, by the join and by backtracking
	step "check$n" "$gqueens" "$n" --method join --backend "$backend" --range 1/4000000000 \
		-c "$dir/check$n" --resume --verify-sample 64
done
for n in "${totals[@]}"; do
	step "total$n" "$gqueens" "$n" --method join --backend "$backend" \
		-c "$dir/total$n" --resume --checkpoint-interval 5
done
for s in "${samples[@]}"; do
	step "sample${s%:*}" "$gqueens" "${s%:*}" --method join --backend "$backend" \
		--range "${s#*:}" -c "$dir/sample${s%:*}" --resume --checkpoint-interval 5
done
[ $more -eq 0 ] && [ $failed -eq 0 ] && echo finished
exit $failed
