#!/usr/bin/env bash
# bench/readme_table.py with a synthetic record, in a folder of its own: the README has the record's
# figures of queens and of the scheduler, and the peers of that device only.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
command -v python3 >/dev/null || { echo "needs python3"; exit 77; }
work=$TEST_BUILDDIR/tests/readme_table_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

mkdir -p bench/results
cp "$TEST_SRCDIR/../bench/readme_table.py" bench/
table=(python3 bench/readme_table.py)

# readme: the README before anything is measured.
readme() {
	printf '%s\n' 'before' '<!-- figures: written by bench/readme_table.py, not by hand -->' \
		'old' \
		'<!-- end of the figures -->' 'behind' >README.md
}
# peers DEVICE CORES
peers() {
	cat >bench/peers.json <<-END
		{"device": "$1", "cores": $2, "peers": [], "queens": [
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
# has TEXT: it is a line of the README.
has() { check "README.md lacks '$1': $(cat README.md)" grep -qxF -- "$1" README.md; }
is_old() { ! "${table[@]}" --check 2>/dev/null; }
lacks() { check "README.md has '$1'" [ "$(grep -cF -- "$1" README.md)" -eq 0 ]; }

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

# tree QUEUE WORKERS VALUE RIGHT
tree() {
	printf '{"case": "task_tree", "queue": "%s", "workers": %s, "value": %s,
		"unit": "M tasks/s", "ms": 1, "right": %s}' "$@"
}
{
	echo '{"device": "no device", "commit": "none", "repeats": 3, "records": ['
	tree ring 1 30 true && echo ,
	tree ring 2 8.5 true && echo ,
	tree abp 2 70 true && echo ,
	tree steal 2 1000 false && echo ']}'
} >bench/results/sched-none.json

readme
peers 'no device' 3
run 0 '' "${table[@]}"
has before
has behind
lacks old
has '| 18 | backtrack | cuda |  | 2.000 |  | 2 | 12.3 | 57 % | 3.00 x theirs (6 s) |'
has '| 18 | backtrack | cuda | ring | 3.000 |  | 1 |  |  | 2.00 x theirs (6 s) |'
has '| 18 | join | cpu |  | 10.0 | 20.0 |  |  |  | 4.00 x joined (80 CPU s), 7.00 x walked (70 s) |'
has '| 15 | tasks | cuda | block | 0.0500 |  | 20 |  |  |  |'
has '| 18 | auto | process |  | 4.500 |  |  |  |  | 2.00 x whole (9 s) |'
lacks '| 17 |'
lacks '| 15 | tasks | cuda | ring |'
has '| ring | 0.500 |  |'
has '| block | 0.0500 | 0.750 |'
# the best queue and the default one, with as many workers
has '| task_tree | abp | 2 | 70 | M tasks/s |  |'
has '| task_tree | ring | 2 | 8.50 | M tasks/s |  |'
lacks '| task_tree | ring | 1 |'
lacks '| task_tree | steal |'
run 0 '' "${table[@]}" --check
run 0 '' "${table[@]}" --print bench/results/queens-none.json
check "--print prints something else" grep -qF "$(cat stdout)" README.md

# other processors: only what the device did alone can be compared; another device: nothing
peers 'no device' 4
check "--check accepts an old README" is_old
run 0 '' "${table[@]}"
has '| 18 | backtrack | cuda |  | 2.000 |  | 2 | 12.3 | 57 % | 3.00 x theirs (6 s) |'
has '| 18 | join | cpu |  | 10.0 | 20.0 |  |  |  |  |'
peers 'another' 3
run 0 '' "${table[@]}"
has '| 18 | backtrack | cuda |  | 2.000 |  | 2 | 12.3 | 57 % |  |'
lacks ' x '

rm bench/results/queens-none.json bench/results/sched-none.json
run 0 '' "${table[@]}"
check "figures without a record" grep -q '^No figures are recorded yet' README.md

finish
