# gsched service on a backend: every request is answered, times are in order, a deadline is counted,
# statistics and timelines have every job, a signal ends it. Sourced with `backend` and `work` set.
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

check_jobs() {
	run 0 '' service -n 25 --rate 2000 --beside 20 --deadline 10000000 --stats --trace t.svg
	check "no row of requests: $(cat stdout)" grep -Eq '^request +25 +25 +0 +0 +0 ' stdout
	check "no row of the long job: $(cat stdout)" grep -Eq '^long job +1 +0 +1 +0 +0 ' stdout
	check "no row of all jobs: $(cat stdout)" grep -Eq '^all +26 +25 +1 +0 +0 ' stdout
	check "no procedures: $(cat stdout)" grep -Eq '^procedures: [0-9]+ items' stdout
	check "the picture lacks jobs" [ "$(grep -c '<title>request, ' t.svg)" -eq 25 ]
	check "the picture lacks the long job" grep -q '<title>long job, .*, cancelled<' t.svg
	check "the picture lacks messages" grep -q 'l-2.5 6h5z' t.svg
	run 1 't.svg' service -n 1 --beside 0 --trace t.svg
	run 2 'both write to one file' service --svg u.svg --trace u.svg
	run 0 '' service -n 2 --beside 0 --trace - --stats
	check "the timeline is not alone on standard output" \
		[ "$(head -c 18 stdout)" = '{"displayTimeUnit"' ]
	command -v python3 >/dev/null || { without "reading JSON, for want of python3" && return; }
	run 0 '' service -n 25 --rate 2000 --beside 20 --deadline 1 -w 50 --json --stats \
		--trace t.json
	check "statistics: $(cat stdout)" consistent 25
}

# consistent N: stdout is JSON of N late requests, and t.json the timeline of their jobs.
consistent() {
	python3 - "$1" <<'PY'
import json, sys
n = int(sys.argv[1])
t = json.load(open("stdout"))
jobs = t["jobs"]
one, long, every = jobs["request"], jobs["long job"], jobs["all"]
assert one["posted"] == one["done"] == one["begun"] == one["late"] == n, one
assert long["posted"] == long["cancelled"] == 1 and long["late"] == 0, long
assert one["run_ns"] >= n * 50000 and one["run_max_ns"] >= 50000, one
for name in every:
    both = one[name], long[name]
    assert every[name] == (max(both) if "_max_" in name else sum(both)), (name, jobs)
assert t["procedures"]["items"] > n and t["procedures"]["busy_ns"] > one["run_ns"], t
e = json.load(open("t.json"))["traceEvents"]
named = lambda name: [x for x in e if x["ph"] == "X" and x["name"] == name]
assert len(named("request")) == n and len(named("long job")) == 1, len(e)
assert len(named("waiting")) == n + 1
assert abs(sum(x["dur"] for x in named("request")) * 1000 - one["run_ns"]) < 1000
first = named("long job")[0]["ts"]
last = first + named("long job")[0]["dur"] + 0.001
arrows = [x for x in e if x["ph"] == "s"]
assert arrows and len(arrows) == len([x for x in e if x["ph"] == "f"]) == len(named("message"))
assert all(first <= x["ts"] <= last for x in arrows), arrows
PY
}

check_progress() {
	if ! command -v script >/dev/null; then
		without "progress on a terminal, for want of script"
		return
	fi
	script -qec "$gsched service --backend $backend -n 60 --rate 100 --deadline 1" \
		/dev/null </dev/null >stdout 2>&1
	check "no progress on a terminal: $(cat stdout)" \
		grep -Eq '/60 requests, [0-9.]+ requests/s, [0-9]+ jobs open, [0-9]+ late' stdout
	run 0 '' service -n 60 --rate 100
	check "progress without a terminal" [ "$(wc -c <stderr)" -eq 0 ]
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
