#!/usr/bin/env bash
# bench/figures.py with synthetic records, in a folder of its own: README.md has the figures of the
# newest device, docs/figures.md those of all records; both have the peers of the same device only.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/figures_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
need python3

mkdir -p bench/results docs
cp "$TEST_SRCDIR"/../bench/figures*.py bench/
figures=(python3 bench/figures.py)
begin='<!-- figures: written by bench/figures.py, do not edit -->'
end='<!-- end of the figures -->'

# readme: writes a README.md without figures.
readme() {
	printf '%s\n' before "$begin" old "$end" behind >README.md
}
# peers DEVICE CORES
peers() {
	cat >bench/peers.json <<-END
		{"device": "$1", "cores": $2,
		 "peers": [
		 {"case": "fib(35)", "value": 400, "unit": "M tasks/s", "peer": "forked"}],
		 "queens": [
		 {"on": "cuda", "n": 18, "seconds": 6, "peer": "theirs"},
		 {"on": "cpu", "n": 18, "seconds": 50, "cpu_seconds": 80, "peer": "joined"},
		 {"on": "cpu", "n": 18, "seconds": 70, "peer": "walked"},
		 {"on": "process", "n": 18, "seconds": 9, "peer": "whole"}]}
	END
}
# figure METHOD ON QUEUE N SECONDS CPU_SECONDS NODES INSTRUCTIONS SHARE RIGHT
figure() {
	printf '{"method": "%s", "backend": "%s", "queue": "%s", "n": %s, "seconds": %s,
		"whole_seconds": 99, "cpu_seconds": %s, "nodes": %s, "instructions_a_node": %s,
		"int_pipe_share": %s, "right": %s}' "$@"
}
# has LINE FILE: the file has this line.
has() { check "$2 lacks '$1': $(cat "$2")" grep -qxF -- "$1" "$2"; }
# lacks TEXT FILE: no line of the file contains the text.
lacks() { check "$2 has '$1'" [ "$(grep -cF -- "$1" "$2")" -eq 0 ]; }
# differs FILE...: --check fails and names exactly these files.
differs() {
	local named
	named=$("${figures[@]}" --check 2>&1 | sed -n 's/^figures: \(.*\) differs from .*/\1/p')
	check "--check reports '$named' instead of $*" [ "$named" = "$(printf '%s\n' "$@")" ]
	check "--check succeeds although $* differs" not "${figures[@]}" --check
}
not() { ! "$@" >/dev/null 2>&1; }

{
	echo '{"device": "no device", "multiprocessors": 1, "clock_khz": 1, "cores": 3,
		"commit": "none", "repeat": 7, "figures": ['
	figure join cpu - 18 10 20 0 0 0 true && echo ,
	figure backtrack cuda - 18 2 0 4000000000 12.34 0.567 true && echo ,
	figure backtrack cuda ring 18 3 0 3000000000 0 0 true && echo ,
	figure backtrack cuda - 17 2 0 4000000000 0 0 false && echo ,
	figure tasks cuda ring 15 0.5 0 1000000000 0 0 true && echo ,
	figure tasks cuda block 15 0.05 0 1000000000 0 0 true && echo ,
	figure tasks cuda block 16 0.75 0 1000000000 0 0 true && echo ,
	echo '{"method": "auto", "backend": "process", "queue": "-", "n": 18, "seconds": 4.5,
		"right": true}]}'
} >bench/results/queens-none.json

# tree CASE QUEUE WORKERS VALUE RIGHT
tree() {
	printf '{"case": "%s", "queue": "%s", "workers": %s, "value": %s,
		"unit": "M tasks/s", "ms": 1, "right": %s}' "$@"
}
{
	echo '{"device": "no device", "commit": "none", "repeats": 3, "records": ['
	tree task_tree ring 1 30 true && echo ,
	tree task_tree ring 2 8.5 true && echo ,
	tree task_tree abp 2 70 true && echo ,
	tree 'fib(35)' ring 2 1000 true && echo ,
	tree 'fib(35)' steal 2 2000 false && echo ,
	tree task_tree steal 2 1000 false && echo ']}'
} >bench/results/sched-none.json

# speed DEVICE DATE FRAMES_PER_S: writes a record of the encoder, beside x264 with 100 frames/s.
speed() {
	local run='"clip": "street_1080p", "frames": 9, "qp": 27, "slices": 1'
	cat >"bench/results/$1.json" <<-END
		{"device": "$1", "cpu": "some CPU", "cores": 3, "date": "$2", "commit": "none",
		 "library": [], "whole_program": [
		 {"encoder": "gpuintra cuda", $run, "threads": 0, "frames_per_s": $3},
		 {"encoder": "x264", $run, "threads": 3, "frames_per_s": 100}]}
	END
}
page=docs/figures.md

# Both files: new figures, and what stands around them in README.md.
readme
peers 'no device' 3
differs README.md "$page"
run 0 '' "${figures[@]}"
run 0 '' "${figures[@]}" --check
has before README.md
has behind README.md
lacks old README.md
has '| 18 queens, time in kernels | 2.000 s | 3.00 x theirs (6 s) |' README.md
has '| fib(35) by fork and join, GPU | 1000 M tasks/s | 2.50 x forked (400) |' README.md
lacks 'task_tree' README.md
has '| 18 | backtrack | cuda |  | 2.000 |  | 2 | 12.3 | 57 % | 3.00 x theirs (6 s) |' "$page"
has '| 18 | backtrack | cuda | ring | 3.000 |  | 1 |  |  | 2.00 x theirs (6 s) |' "$page"
joined="4.00 x joined (80 CPU s), 7.00 x walked (70 s)"
has "| 18 | join | cpu |  | 10.0 | 20.0 |  |  |  | $joined |" \
	"$page"
has '| 15 | tasks | cuda | block | 0.0500 |  | 20 |  |  |  |' "$page"
has '| 18 | auto | process |  | 4.500 |  |  |  |  | 2.00 x whole (9 s) |' "$page"
lacks '| 17 |' "$page"
lacks '| 15 | tasks | cuda | ring |' "$page"
has '| ring | 0.500 |  |' "$page"
has '| block | 0.0500 | 0.750 |' "$page"
# the fastest queue and the default one with as many workers
has '| task_tree | abp | 2 | 70 | M tasks/s |  |' "$page"
has '| task_tree | ring | 2 | 8.50 | M tasks/s |  |' "$page"
lacks '| task_tree | ring | 1 |' "$page"
lacks '| task_tree | steal |' "$page"
# each heading of a section is in the table of contents
check "no table of contents" [ "$(grep -c '^- \[' "$page")" -eq 2 ]
has '- [N-Queens on no device and 3 CPU threads](#n-queens-on-no-device-and-3-cpu-threads)' "$page"
has '## N-Queens on no device and 3 CPU threads' "$page"

run 0 '' "${figures[@]}" --print bench/results/queens-none.json
check "--print printed nothing" [ -s stdout ]
check "--print prints another line than $page has" [ -z "$(grep -vxFf "$page" stdout)" ]

# --check notices a change of either file, a missing file and an unknown argument
cp README.md kept.md
sed -i 's/2\.000 s/1.000 s/' README.md
differs README.md
cp kept.md README.md
sed -i 's/^| ring | 0\.500/| ring | 0.400/' "$page"
differs "$page"
rm "$page"
differs "$page"
run 0 '' "${figures[@]}"
check "a wrong argument is accepted" not "${figures[@]}" --chekc

# a missing, a repeated and a swapped marker: no file is written
for lines in "$begin" "$end" "$begin|$begin|$end" "$end|$begin"; do
	printf '%s\n' "$lines" | tr '|' '\n' >README.md
	cp README.md before.md
	check "wrong markers are accepted: $lines" not "${figures[@]}"
	check "no message about the marker" grep -q 'restore the missing marker' \
		<("${figures[@]}" --check 2>&1)
	check "a README.md without markers was changed" cmp -s README.md before.md
done
cp kept.md README.md

# another number of cores: only figures of the device are compared; another device: none
peers 'no device' 4
differs "$page"
run 0 '' "${figures[@]}"
has '| 18 | backtrack | cuda |  | 2.000 |  | 2 | 12.3 | 57 % | 3.00 x theirs (6 s) |' "$page"
has '| 18 | join | cpu |  | 10.0 | 20.0 |  |  |  |  |' "$page"
peers 'another' 3
differs README.md "$page"
run 0 '' "${figures[@]}"
has '| 18 | backtrack | cuda |  | 2.000 |  | 2 | 12.3 | 57 % |  |' "$page"
has '| 18 queens, time in kernels | 2.000 s |  |' README.md
lacks ' x ' "$page"

# two devices: README.md has the newest one's figures, whatever their names; the page has both
speed 'a device' 2026-01-02 500
speed 'z device' 2026-01-01 700
run 0 '' "${figures[@]}"
row='| 1080p video to H.264, whole program, GPU | 500 frames/s |'
has "$row 5.00 x x264, 3 threads (100; 9 frames) |" README.md
lacks '700' README.md
lacks 'queens' README.md
has '| street_1080p | 1 | gpuintra cuda | GPU | 9 | 700 | 7.00 x |' "$page"
has '| street_1080p | 1 | gpuintra cuda | GPU | 9 | 500 | 5.00 x |' "$page"
speed 'z device' 2026-01-03 700
differs README.md "$page"
run 0 '' "${figures[@]}"
row='| 1080p video to H.264, whole program, GPU | 700 frames/s |'
has "$row 7.00 x x264, 3 threads (100; 9 frames) |" README.md

# the renderer: frames beside the paper's, split and dice alone, and under a queue
stages='"split_ms": 0.25, "dice_ms": 0.5'
cat >bench/results/reyes-none.json <<-END
	{"device": "no device", "cpu": "some CPU", "cores": 3, "commit": "none", "repeat": 7,
	 "frames": [
	 {"backend": "cuda", "device": "no device", "scene": "killeroo", "width": 800,
	  "height": 600, "points": 330400, "micropolygons": 290000, "frames_per_s": 1234.5,
	  "clear_ms": 0.0625, $stages, "hide_ms": 1.5, "resolve_ms": 0.5, "filter_ms": 0.125}],
	 "split_dice": [
	 {"backend": "cuda", "device": "no device", "scene": "layers", "workers": 9, "grids": 7,
	  "micropolygons": 11000000, $stages, "ms": 0.8, "m_micropolygons_per_s": 13750}],
	 "queues": [
	 {"backend": "cuda", "device": "no device", "scene": "pot", "form": "tasks",
	  "queue": "donate", "workers": 9, "ms": 2.5, "steals": 3, "donated": 4, "inlined": 5,
	  "peak_bytes": 512, "room_bytes": 20480}],
	 "threads": [
	 {"backend": "cpu", "device": "CPU", "scene": "pot_moves", "threads": 2,
	  "micropolygons": 1500000, "ms": 1000.5, "cpu_ms": 1875}]}
END
differs "$page"
run 0 '' "${figures[@]}"
has '## Renderer on no device and 3 CPU threads' "$page"
killeroo='| killeroo | no device | 800 x 600 | 330 K | 290 K | 1234 | 0.0625 | 0.2500 | 0.5000 |'
has "$killeroo 1.50 | 0.6250 | 18.48 frames/s, 330 K points |" "$page"
has '| layers | no device | 9 | 7 | 11.00 M | 0.2500 | 0.5000 | 0.8000 | 13750 |' "$page"
has '| pot | no device | tasks | donate | 9 | 2.50 | 3 | 4 | 5 | 0.5 | 20 |' "$page"
has '| pot_moves | 2 | 1.50 M | 1000 | 0.75 | 1875 | 0.80 |' "$page"

# urgent scans
cat >bench/results/rays-none.json <<-END
	{"device": "no device", "rays": 9, "deadline_us": 200, "scan_rows": [
	 {"name": "jobs, with previews", "own_us": 20, "scans": 40, "late": 1, "p50": 30,
	  "p90": 31, "p99": 42.5, "max": 77, "paths": 100, "more_paths": 5, "alone_s": 1,
	  "beside_s": 1.25, "us": [30, 77]}]}
END
differs "$page"
run 0 '' "${figures[@]}"
row='| jobs, with previews | 20.0 | 30.0 | 31.0 | 42.5 | 77.0 | 1 of 40 |'
has "$row 100 | 80 | 80.0 % | 84.0 % |" "$page"

rm bench/results/*
run 0 '' "${figures[@]}"
check "README.md has figures without a record" grep -q '^No figures are recorded yet' README.md
check "$page has figures without a record" grep -q '^No figures are recorded yet' "$page"

finish
