#!/usr/bin/env bash
# gsched latency on a CUDA device: each figure is there and in order, also beside a full grid.
# Skipped without a device; SCHED_REQUIRE_GPU=1 makes that a failure.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gsched=$TEST_BUILDDIR/gsched
work=$TEST_BUILDDIR/tests/gsched_latency_gpu_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

why=$("$gsched" fib 5 --backend cuda --queue ring 2>&1) || skip_gpu "$(tail -n 1 <<<"$why")"
command -v python3 >/dev/null || skip_gpu "no program python3"

# ordered N: stdout is JSON of all figures, each 0 <= least <= median <= p99. A message and its
# answer take two accesses to host memory, and a run of libsched begins with a launch: figures that
# contradict this were not measured. The factor 2 is for a clock of the device of 1 us.
ordered() {
	python3 - "$1" stdout <<'PY'
import json, sys
samples, path = int(sys.argv[1]), sys.argv[2]
names = """round-trip round-trip-full clock-error clock-drift clock-drift-error
host-load host-load-full host-store host-store-full release-system release-system-full
release-device release-device-full launch-call launch graph-1 graph-64
device-launch-call device-launch run""".split()
table = json.load(open(path))
assert table["interrupted"] is False
assert [f["name"] for f in table["latencies"]] == names, table
figure = {f["name"]: f for f in table["latencies"]}
for f in table["latencies"]:
    assert 0 <= f["least"] <= f["median"] <= f["p99"], f
    clock = f["name"].startswith("clock")
    assert f["samples"] == (samples if not clock else f["samples"]), f
    assert f["p99"] > 0 or f["name"] == "clock-drift", f
    assert f["unit"] == ("ppm" if "drift" in f["name"] else "us"), f
median = {name: f["median"] for name, f in figure.items()}
assert median["host-load"] < 2 * median["round-trip"], median
assert median["clock-error"] < median["round-trip-full"], median
assert median["launch-call"] <= median["launch"] <= 2 * median["run"], median
assert median["graph-1"] < median["graph-64"], median
assert median["device-launch-call"] <= median["device-launch"], median
PY
}
# 1001: more than the 1000 of a probe's launch, and than the 256 numbers of an answer
for samples in 2 100 1001; do
	run 0 '' "$gsched" latency --backend cuda -n $samples --json
	check "figures of $samples samples: $(cat stdout)" ordered $samples
done
run 0 '' "$gsched" latency --backend cuda -n 20
check "not a line for each figure: $(cat stdout)" [ "$(grep -c ' \(us\|ppm\)$' stdout)" -eq 20 ]
for program in fib spawn; do # the context still works after the measurements of other processes
	run 0 '' "$gsched" $program --backend cuda --queue ring -r 1
done

# A signal ends the kernels, which wait for requests of the host.
launch "$gsched" latency --backend cuda -n 100000 --json
await catches_int gsched
kill -s INT $pid
rc=0
ended 30 $pid || { rc=1 && kill -s KILL $pid; }
check "the measurement went on after SIGINT" [ $rc -eq 0 ]
rc=0
wait $pid || rc=$?
check "SIGINT: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]

finish
