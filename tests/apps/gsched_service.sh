# gsched service on a backend: every request is answered, times are in order, a deadline is counted,
# a signal ends it. Sourced with `backend` and `work` set.
# shellcheck shell=bash
# shellcheck disable=SC2154
set -u
gsched=$TEST_BUILDDIR/gsched
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

service() { "$gsched" service --backend "$backend" "$@"; }

# answered N LATE: stdout is JSON of N requests, of which at least LATE were late.
answered() {
	python3 - "$1" "$2" stdout <<'PY'
import json, sys
n, late, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
t = json.load(open(path))
assert t["interrupted"] is False and t["requests"] == n and t["wrong"] == 0, t
assert late <= t["late"] <= n, t
for times in t["start_us"], t["total_us"]:
    v = list(times.values())
    assert v == sorted(v), times
assert t["total_us"]["p50"] >= t["work_us"], t
assert (t["bodies_alone"] > 0) == (t["bodies_beside"] > 0) == (t["beside_us"] > 0), t
PY
}

check_figures() {
	command -v python3 >/dev/null || { without "reading JSON, for want of python3" && return; }
	run 0 '' service -n 50 --rate 500 --json
	check "requests beside a long job: $(cat stdout)" answered 50 0
	run 0 '' service -n 1 --rate 0 --beside 0 --json
	check "one request: $(cat stdout)" answered 1 0
	run 0 '' service -n 20 --rate 0 --beside 0 -w 2000 --deadline 1000 --json
	check "late requests: $(cat stdout)" answered 20 20
	run 0 '' service -n 20 --rate 0 --beside 0 -w 0 --deadline 10000000 --json
	check "requests in time: $(cat stdout)" answered 20 0
}

check_text() {
	run 0 '' service -n 30 --rate 0 --beside 10 --svg times.svg
	check "no picture" grep -q '</svg>' times.svg
	check "no percentiles: $(cat stdout)" [ "$(grep -c ' us$' stdout)" -eq 2 ]
	check "no histogram: $(cat stdout)" grep -q '^from .* us .*#$' stdout
	check "no rate of the long job: $(cat stdout)" grep -q '^the long job: ' stdout
	run 1 'times.svg' service -n 1 --beside 0 --svg times.svg
	run 0 '' service -n 1 --beside 0 --svg - --quiet
	check "the picture is not alone on standard output" [ "$(head -c 4 stdout)" = '<svg' ]
}

# The requests until the signal are reported.
check_signal() {
	local rc=0
	launch "$gsched" service --backend "$backend" -n 1000000 --rate 100 --json
	await catches_int gsched
	kill -s INT $pid
	ended 60 $pid || { bad "it went on after SIGINT" && kill -s KILL $pid; }
	wait $pid || rc=$?
	check "SIGINT: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
	check "SIGINT: $(cat stdout)" grep -q '"interrupted": true' stdout
}
