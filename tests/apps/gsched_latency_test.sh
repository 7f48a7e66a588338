#!/usr/bin/env bash
# gsched latency on the CPU: options, text and JSON, figures that are in order, signals.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gsched=$TEST_BUILDDIR/gsched
work=$TEST_BUILDDIR/tests/gsched_latency_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

cpu() { "$gsched" latency --backend cpu "$@"; }

# --- the command line -------------------------------------------------------------------------

run 0 '' "$gsched" latency --help
check "--help does not name the default" grep -q 'samples.*1000' stdout
run 2 "'1' is not 2..100000" cpu --samples 1
run 2 "'0' is not 2..100000" cpu -n 0
run 2 "'100001' is not 2..100000" cpu -n 100001
run 2 "'many' is not 2..100000" cpu -n many
run 2 'needs a value' cpu --samples
run 2 "unknown option '--workers'" cpu --workers 2
run 2 "unexpected argument" cpu 10
run 2 '--device has no effect with --backend cpu' cpu --device 0
# shellcheck disable=SC2016
run 1 'standard output: No space left on device' \
	sh -c 'exec "$0" latency --backend cpu -n 2 >/dev/full' "$gsched"

# --- figures ----------------------------------------------------------------------------------

names='round-trip round-trip-sleep store-ordered launch run'
run 0 '' cpu
check "not a line for each figure: $(cat stdout)" \
	[ "$(grep -c ' us$' stdout)" -eq "$(wc -w <<<"$names")" ]
run 0 '' cpu -n 20 --quiet
check "--quiet prints" [ ! -s stdout ]
run 0 '' cpu -n 20 --quiet --json
check "--json goes to standard output alone" [ "$(head -c 1 stdout)" = '{' ]

# ordered N: stdout is JSON of all figures with so many samples, each 0 <= least <= median <= p99.
ordered() {
	python3 - "$names" "$1" stdout <<'PY'
import json, sys
names, samples, path = sys.argv[1].split(), int(sys.argv[2]), sys.argv[3]
table = json.load(open(path))
assert table["device"].startswith("CPU"), table["device"]
assert table["interrupted"] is False
assert [f["name"] for f in table["latencies"]] == names, table
for f in table["latencies"]:
    assert 0 <= f["least"] <= f["median"] <= f["p99"], f
    assert f["p99"] > 0 and f["samples"] == samples and f["unit"] == "us" and f["what"], f
PY
}
if command -v python3 >/dev/null; then
	for samples in 2 3 100; do
		run 0 '' cpu -n $samples --json
		check "figures of $samples samples: $(cat stdout)" ordered $samples
	done
else
	without "reading JSON, for want of python3"
fi

# --- signals ----------------------------------------------------------------------------------

# Starts of 100,000 threads take a second; the figures until the signal are written.
launch "$gsched" latency --backend cpu -n 100000 --json
await catches_int gsched
kill -s INT $pid
rc=0
wait $pid || rc=$?
check "SIGINT: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
check "SIGINT: $(cat stdout)" grep -q '"interrupted": true' stdout
[ -z "$(command -v python3)" ] ||
	check "SIGINT: no JSON: $(cat stdout)" python3 -m json.tool stdout /dev/null

finish
