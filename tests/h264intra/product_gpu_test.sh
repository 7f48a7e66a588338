#!/bin/sh
# The product of clip, preset, QP, slices, profile, entropy coder and size (bench/pairwise.py
# --product) on the device: the CPU backend's bytes. Without a device only the CPU backend is
# compared, with other threads, frames in flight and schemes. TEST_FULL=1: all cases, however long
# they take; otherwise a sample, for 100 s. FFMPEG=PATH selects another ffmpeg program.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
for program in "${FFMPEG:-ffmpeg}" python3; do
	if ! command -v "$program" >/dev/null; then
		echo "SKIP: no $program program"
		exit 77
	fi
done
# shellcheck source=tests/common/effort.sh
. "$TEST_SRCDIR/common/effort.sh"
compare=$TEST_BUILDDIR/tests/h264intra/encode_cases
pairwise=$TEST_SRCDIR/../bench/pairwise.py
PICGEN=$TEST_BUILDDIR/tests/h264intra/picgen
export PICGEN
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAIL: $*"
	exit 1
}

python3 "$pairwise" --product --write "$work/product" || fail "pairwise.py --product --write"
[ "$(wc -l <"$work/product/cases.txt")" -ge 14448 ] || fail "the product has fewer cases"
"$compare" --second "--backend cpu --threads 3 --frames-in-flight 5 --sched static" \
	--sample "$(effort 1600 120 16)" "$work/product" || fail "the CPU backend with 3 threads"

# Other bytes must be noticed, and cases that cannot be run.
"$compare" --second "--backend cpu --qp 24" --sample 16 "$work/product" >"$work/log" &&
	fail "another QP passes"
grep -q '^FAIL: .*the first that differs' "$work/log" || fail "no difference is printed"
mkdir "$work/wrong" || exit 1
cp "$work"/product/noise_16x16.y4m "$work/wrong" || exit 1
echo "noise 16x16 --preset medium --qp 52" >"$work/wrong/cases.txt"
"$compare" --second "--backend cpu" "$work/wrong" >"$work/log" && fail "a QP of 52 passes"

"$compare" --sample "$(effort 0 1440 160)" --seconds "$(effort 0 100 100)" \
	"$work/product" >"$work/log"
status=$?
cat "$work/log"
if [ "$status" = 0 ] && [ "${TEST_FULL-}" = 1 ]; then
	all=$(wc -l <"$work/product/cases.txt")
	grep -q "^$all of $all cases run, $all equal" "$work/log" ||
		fail "not all $all cases were run"
fi
[ "$status" = 77 ] && [ "${SCHED_REQUIRE_GPU-}" = 1 ] && exit 1
exit "$status"
