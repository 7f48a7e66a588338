#!/usr/bin/env bash
# gsched from the command line, on the CPU: every command, exit codes, files, equal counts.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
gsched=$TEST_BUILDDIR/gsched
work=$TEST_BUILDDIR/tests/gsched_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

cpu() {
	local command=$1
	shift
	"$gsched" "$command" --backend cpu "$@"
}
# distinct COLUMN FILE: the different values of a column of a CSV file, in one line.
distinct() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		{ gsub(/"[^"]*"/, ""); print $c }' "$2" | sort -u | tr '\n' ' '
}
# rows FILE: prints the number of its rows.
rows() { tail -n +2 "$1" | wc -l; }

queues=$("$gsched" list | awk '/^Queues/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
queue_count=$(wc -w <<<"$queues")

# --- the command line -------------------------------------------------------------------------

run 0 '' "$gsched" --help
check "--help does not fit 80 columns" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
commands=$(awk '/^Commands/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' stdout)
check "few commands: $commands" [ "$(wc -w <<<"$commands")" -ge 5 ]
for command in $commands; do
	run 0 '' "$gsched" "$command" --help
	check "$command --help does not fit 80 columns" \
		[ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
	check "$command --help gives a letter to two options" \
		[ -z "$(sed -n 's/^  \(-[A-Za-z0-9]\), .*/\1/p' stdout | sort | uniq -d)" ]
	check "the man page lacks $command" grep -qF "gsched $command" \
		"$TEST_SRCDIR/../apps/gsched/gsched.1"
done
run 0 '' "$gsched" --version
check "--version does not name the queues" grep -q '^queues:.* ring' stdout
documented "$gsched" "$TEST_SRCDIR/../apps/gsched"
# a full standard output, also after more than stdio's buffer
for what in --help --version --help=completion 'run --help' 'run --names' 'run sort --help' list \
	'list --json' 'fib 5 --backend cpu -r 1 --queue ring' \
	"fib 5 --backend cpu -r 1 --queue all --workers $(seq -s , 8)"; do
	# shellcheck disable=SC2016,SC2086
	run 1 'standard output: No space left on device' \
		sh -c 'program=$1; shift; exec "$program" $* >/dev/full' sh "$gsched" $what
done

run 2 'a command is missing' "$gsched"
run 2 "unknown command 'spwan'" "$gsched" spwan
run 2 "unknown option '--sise'" "$gsched" wavefront --sise 2x2
run 2 "'1.5' is not 0..1" "$gsched" spawn -p 1.5
run 2 "'heap' is not a list of all, ring" "$gsched" spawn --queue heap
run 2 "'ring,' is not a list" "$gsched" spawn --queue ring,
run 2 "'1,x' is not a list of" "$gsched" spawn --workers 1,x
run 2 "'33' is not 1..32" "$gsched" queue --lanes 33
run 2 "'0' is not 1..32" "$gsched" queue --lanes 0
run 2 "'slow' is not one of fixed, uniform, paper" "$gsched" recurse --law slow
run 2 '--slices 4 is more than the 3 macroblock rows' "$gsched" wavefront --size 4x3 --slices 4
run 2 'both write to' "$gsched" spawn --json - --csv -
run 2 '--trace needs exactly one scheme, queue and number of workers' "$gsched" spawn \
	--queue ring --workers 1,2 --trace t.json
run 2 'needs a value' "$gsched" spawn --queue
run 2 'unexpected argument' "$gsched" spawn ring
run 2 'unexpected argument' "$gsched" fib 10 11
run 2 "'x' is not 0..50" "$gsched" fib x
run 2 '--spawn 9 is more than the 8 units of --grain lane' "$gsched" spawn -g lane -m 9
run 2 '--device has no effect with --backend cpu' "$gsched" spawn --backend cpu --device 0

# --- lists and files --------------------------------------------------------------------------

run 0 '' "$gsched" list
check "list does not name sync" grep -q '^  sync' stdout
run 0 '' "$gsched" list --json
cp stdout list.json
run 0 '' cpu wavefront --size 9x7 --slices 2 --frames 2 -r 2 --json wavefront.json
run 0 '' cpu spawn -n 50 -r 1 --json spawn.json
run 0 '' cpu recurse -t 3 -w 5 -p 0.3 --seed 7 --levels 7 -r 1 --json recurse.json
check "recurse.json does not name its tasks" grep -q '^ "tasks": [1-9]' recurse.json
run 0 '' cpu queue --rounds 50 --latency -r 1 --json queue.json
run 0 '' cpu fib 12 -r 1 --json fib.json
run 0 '' cpu priority -n 50 -r 1 --json priority.json
check "fib.json has no number" grep -q '^ "facts": { "number": 144 }' fib.json
if command -v python3 >/dev/null; then
	for file in list wavefront spawn recurse queue fib priority; do
		check "$file.json is no JSON" python3 -m json.tool $file.json stdout
	done
else
	without "reading JSON, for want of python3"
fi
run 0 '' cpu spawn -n 20 --queue ring -r 1 --json -
check "JSON goes to standard output alone" [ "$(head -c 1 stdout)" = '{' ]
run 0 '' cpu spawn -n 20 --queue ring -r 1 --quiet
check "--quiet prints" [ ! -s stdout ]
run 1 'nowhere' cpu spawn -n 20 --queue ring -r 1 --json nowhere/out.json

# an existing file stays without -y, and with -y until the new one is complete
echo precious >old.csv
chmod 640 old.csv
ln -s old.csv link.csv
for option in --json --csv --svg --trace; do
	run 1 'old.csv: exists already; -y' \
		cpu spawn -n 20 --queue ring --workers 1 -r 1 $option old.csv
done
run 1 'old.csv: exists already' cpu reproduce --scale tiny -o old.csv
why=$(ulimit -f 1 && cpu spawn -n 20 --queue all -r 1 --quiet -y --json old.csv 2>&1 >/dev/null)
check "a full disk is no error: $why" grep -q 'old.csv: File too large' <<<"$why"
check "old.csv is lost" [ "$(cat old.csv)" = precious ]
run 0 '' cpu spawn -n 20 --queue ring -r 1 -y --csv link.csv
check "-y did not replace old.csv" [ "$(rows old.csv)" -eq 1 ]
check "-y replaced the link" [ -L link.csv ]
check "-y changed the mode" [ "$(stat -c %a old.csv)" = 640 ]
run 1 '/dev/full: No space left' cpu spawn -n 20 --queue ring -r 1 --csv /dev/full
run 1 'report.d: Is a directory' cpu reproduce --scale tiny -o "$(mkdir report.d && echo report.d)"
check "something is left over: $(echo ./*.part)" [ -z "$(find . -name '*.part')" ]
# no file twice, also by another name
for option in --csv --svg --trace; do
	for file in ./two.json "$PWD/two.json" two.json.part; do
		run 2 "--json 'two.json' .*$option '$file'" \
			cpu spawn -n 20 --queue ring --workers 1 -r 1 -y --json two.json $option \
			"$file"
	done
	run 2 "--json 'link.csv' and $option 'old.csv' both write to one file" \
		cpu spawn -n 20 --queue ring --workers 1 -r 1 -y --json link.csv $option old.csv
done
check "a refused command left a file" [ -z "$(find . -name 'two*')" ]

# --- counts are those of the seed, whatever the schedule --------------------------------------

run 0 '' cpu spawn -p 0.45 -m 2 -n 200 --seed 3 --workers 1,2,5 -r 2 --csv tree.csv
check "spawn: rows" [ "$(rows tree.csv)" -eq $((queue_count * 3)) ]
check "spawn: results $(distinct result tree.csv)" [ "$(distinct result tree.csv)" = 'checked ' ]
check "spawn: tasks $(distinct tasks tree.csv)" [ "$(distinct tasks tree.csv | wc -w)" -eq 1 ]
tree=$(distinct tasks tree.csv)
run 0 '' cpu spawn -p 0.45 -m 2 -n 200 --seed 3 --workers 2 -r 1 --never-keep --csv never.csv
check "spawn: other tasks with --never-keep" [ "$(distinct tasks never.csv)" = "$tree" ]
check "spawn: kept with --never-keep" [ "$(distinct kept never.csv)" = '0 ' ]
run 0 '' cpu fib 16 --workers 2 -r 1 --bin-size 4096 --never-keep --csv fibs.csv
check "fib: items that stay with --never-keep" [ "$(distinct pushes fibs.csv)" = '3192 ' ]
run 0 '' cpu spawn -p 0.45 -m 2 -n 200 --seed 3 --workers 3 -r 1 --bin-size 2 --capacity 4 \
	--csv tiny.csv
check "spawn: other tasks in tiny queues" [ "$(distinct tasks tiny.csv)" = "$tree" ]
run 0 '' cpu spawn -p 0.028 -m 32 -n 4000 --workers 2 -r 1 --never-keep --bin-size 2 --capacity 2 \
	--csv wide.csv
check "spawn: wide tree in tiny queues" [ "$(distinct result wide.csv)" = 'checked ' ]
run 0 '' cpu spawn -p 0.45 -m 2 -n 200 --seed 4 --queue ring -r 1 --csv other.csv
check "spawn: the seed changes nothing" [ "$(distinct tasks other.csv)" != "$tree" ]
run 0 '' cpu spawn -p 0 -m 2 -n 33 -r 1 --csv none.csv
check "spawn: p = 0 makes work" [ "$(distinct tasks none.csv)" = '33 ' ]
run 0 '' cpu spawn -p 1 -m 2 -n 3 --levels 5 -r 1 --csv full.csv
check "spawn: p = 1, 3 trees of 63 tasks" [ "$(distinct tasks full.csv)" = '189 ' ]
run 1 'more than .* tasks' cpu spawn -p 1 -m 2 -n 1 --queue ring
run 0 '' cpu recurse -t 3 -w 1 -p 0 --levels 6 --workers 1,4 -r 1 --csv recurse.csv
check "recurse: p = 0, 1093 tasks" [ "$(distinct tasks recurse.csv)" = '1093 ' ]
run 0 '' cpu recurse -t 3 -w 1 -p 0.2 --queue all -r 1 --csv readme.csv # of README.md
check "recurse of README.md: 327,958 tasks" [ "$(distinct tasks readme.csv)" = '327958 ' ]
# Each task spawns one, so the outstanding count is the same for longer than the timeout.
run 0 '' cpu recurse -t 1 -w 200000 -p 0 --levels 254 --queue ring --workers 2 --timeout 100 -r 1
for grain in warp lane; do
	run 0 '' cpu recurse -g $grain -t 3 -w 1 -p 0 --levels 6 --workers 1,4 -r 1 --csv $grain.csv
	check "recurse: grain $grain, 1093 tasks" [ "$(distinct tasks $grain.csv)" = '1093 ' ]
	check "recurse: grain $grain" [ "$(distinct result $grain.csv)" = 'checked ' ]
done
run 0 '' cpu priority -n 3000 -w 0 --workers 1 --queue all -r 1 --csv priority.csv
check "priority: results" [ "$(distinct result priority.csv)" = 'checked ' ]
accuracy() { awk -F, -v q="$1" '
	NR == 1 {
		for (i = 1; i <= NF; i++) {
			if ($i == "queue") c = i
			if ($i == "accuracy") a = i
		}
		next
	}
	{ gsub(/"[^"]*"/, ""); if ($c == q) print $a }' priority.csv; }
check "priority: one worker does not keep to the order: $(accuracy prio)" \
	[ "$(accuracy prio)" = 1.000000 ]
check "priority: ring has an order: $(accuracy ring)" \
	awk -v a="$(accuracy ring)" 'BEGIN { exit !(a > 0.45 && a < 0.55) }'
run 0 '' cpu fib 17 --workers 1,3 -r 1 --csv fib.csv
check "fib: 5167 items" [ "$(distinct tasks fib.csv)" = '5167 ' ]
run 0 '' cpu fib -n 0 --queue ring -r 1
check "fib(0)" grep -q '^number: 0$' stdout
run 0 '' cpu wavefront --size 12x9 --slices 3 --frames 3 --workers 1,2,5 --queue all -r 2 \
	-w 20 --law paper --csv wavefront.csv
check "wavefront: rows" [ "$(rows wavefront.csv)" -eq $(((queue_count + 3) * 3)) ]
check "wavefront: tasks" [ "$(distinct tasks wavefront.csv)" = '324 ' ]
check "wavefront: results" [ "$(distinct result wavefront.csv)" = 'checked ' ]
run 0 '' cpu queue --rounds 300 --workers 1,2,4 --lanes 32 -r 1 --csv queue.csv
check "queue: ring and operations" grep -q '"*,dynamic,ring,4,checked,4,76800,' queue.csv
run 0 '' cpu queue --rounds 300 --workers 4 --lanes 5 --capacity 8 --bin-size 4 -r 1
run 1 'is full' cpu spawn -p 0.49 -n 500 --queue ring --capacity 2 --overflow fail --never-keep
run 1 'ring, 1 worker: FAILED: ' cpu spawn -p 0.49 -n 500 --queue ring --capacity 2 \
	--overflow fail --never-keep --workers 1
run 0 '' cpu queue --rounds 9 --workers 1,2 --queue ring --latency -r 1
check "latency of 1 worker" [ "$(grep -c '(1 worker)$' stdout)" -eq 1 ]
check "latency of 2 workers" [ "$(grep -c '(2 workers)$' stdout)" -eq 1 ]

# --- the report -------------------------------------------------------------------------------

run 0 'claims hold here' cpu reproduce --scale tiny -o report/index.html --json tiny.json
# verdicts need loads of a stated size
check "reproduce: few claims: $(grep -c '^not measured ' stdout)" \
	[ "$(grep -c '^not measured ' stdout)" -ge 50 ]
check "reproduce: verdicts on tiny loads" [ "$(grep -c '^holds\|^does not hold' stdout)" -eq 0 ]
for paper in 'Lauterbach' 'Patney' 'Cederman' 'Lloyd' 'Steinberger'; do
	check "reproduce: $paper is missing" grep -q "$paper" report/index.html
done
check "reproduce: N-Queens is missing" grep -q 'table 1 (N-Queens)' report/index.html
check "reproduce: N-Queens under $(grep -c ' queens by tasks on cpu, queue ' \
	stderr) queues and sizes" \
	[ "$(grep -c ' queens by tasks on cpu, queue ' stderr)" -eq $((2 * queue_count)) ]
check "reproduce: claims on N-Queens" \
	[ "$(grep -c '^not measured .*(N-Queens): ' stdout)" -eq 5 ]
check "reproduce: queues miscount queens" \
	grep -q " $queue_count of $queue_count queues gave the published counts" stdout
check "reproduce: claims on split and dice: $(grep -c '2010, figure 8: ' stdout)" \
	[ "$(grep -c '2010, \(figure 8\|section 6\): ' stdout)" -eq 3 ]
check "reproduce: claims on table 1" [ "$(grep -c '^not measured .*, table 1: ' stdout)" -eq 7 ]
check "reproduce: frames of $(grep -c ': frames of [0-9]*x' stderr) sizes and slices" \
	[ "$(grep -c ': frames of [0-9]*x[0-9]*, [124] slices$' stderr)" -eq 6 ]
check "reproduce: claims on frames" \
	[ "$(grep -c '^not measured .*(H.264 encoder): ' stdout)" -eq 3 ]
check "reproduce: split and dice under $(grep -c 'split of pot: .* bin size 0$' stderr) queues" \
	[ "$(grep -c 'split of pot: .* bin size 0$' stderr)" -eq $((2 * queue_count)) ]
for cell in 'generated pot' 'generated layers' 'steal, overflow buffer' \
	'paper: x264'; do
	check "reproduce: $cell is missing" grep -q "$cell" report/index.html
done
check "reproduce: the game is not connect four: $(grep -c ' run fourrow .*--never-keep' stderr)" \
	[ "$(grep -c ' run fourrow .*--queue relaunch,abp --never-keep' stderr)" -eq 3 ]
check "reproduce: claims on the game: $(grep -c '2011, figure 35.[89]: ' stdout)" \
	[ "$(grep -c '^not measured .*2011, figure 35.[89]: ' stdout)" -eq 5 ]
check "reproduce: claims on messages and launches" \
	[ "$(grep -c '^not measured .*Softshell), section 6.1: ' stdout)" -eq 1 ]
check "reproduce: rows of the simplification" \
	[ "$(grep -c '^not measured .*Softshell), table 1: ' stdout)" -eq 3 ]
check "reproduce: claims on path tracing" \
	[ "$(grep -c '^not measured .*Softshell), \(table 2\|figure 8\): ' stdout)" -eq 2 ]
check "reproduce: claims on the visual hull" \
	[ "$(grep -c '^not measured .*Softshell), figure 9: ' stdout)" -eq 2 ]
check "reproduce: the claim on parsing" \
	[ "$(grep -c '^not measured .*Softshell), figure 10: ' stdout)" -eq 1 ]
check "reproduce: no lines of code" grep -q 'fourrow, without the solver' report/index.html
check "reproduce: few pictures" [ "$(grep -o '<svg' report/index.html | wc -l)" -ge 15 ]
check "reproduce: the page needs other files" \
	[ "$(grep -cE '(src|href)="[^#]' report/index.html)" -eq 0 ]
if command -v python3 >/dev/null; then
	check "reproduce: the page is no XML" \
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
		report/index.html
else
	without "reading the report, for want of python3"
fi
# the scenes of a folder replace the generated ones, in both forms of their names
mkdir -p scenes/killeroo
cat >scenes/teapot_bez.rib <<-END
	Format 40 40 1
	Projection "orthographic"
	WorldBegin
	Translate 0 0 2
	Sphere .8 -.8 .8 360
	WorldEnd
END
cp scenes/teapot_bez.rib scenes/killeroo/scene.rib
run 0 'split of teapot_bez: tasks' cpu reproduce --scale tiny -y -o report/index.html \
	--scenes scenes
for name in killeroo teapot_bez; do
	check "reproduce: no frames of $name" grep -q "frames of $name" stderr
done
check "reproduce: no figures of the paper" grep -q '<td[^>]*>18\.48' report/index.html
echo 'Frog' >scenes/bubbles.rib
rc=0
cpu reproduce --scale tiny -y -o report/index.html --scenes scenes >stdout 2>stderr || rc=$?
check "reproduce: a scene without a frame: exit code $rc" [ "$rc" -eq 1 ]
check "reproduce: no message about the scene" \
	grep -q 'error: bubbles: the scene has no frame' stderr
run 1 "scenes 'nothing' has none of the paper's scenes" cpu reproduce --scale tiny -y \
	-o report/index.html --scenes nothing
run 1 'nowhere' cpu reproduce --scale tiny -o nowhere/deep/index.html
# meshes of a folder whose name has blanks
mkdir -p 'a b/cloth-ball/frames'
for frame in 92 93; do
	printf '%s\n' ply 'format ascii 1.0' 'element vertex 4' 'property float x' \
		'property float y' 'property float z' 'element face 2' \
		'property list uchar int vertex_indices' end_header "0 0 0.$frame" '1 0 0' \
		'0 1 0' '1 1 0' '3 0 1 2' '3 1 3 2' >"a b/cloth-ball/frames/cloth_ball$frame.ply"
done
run 0 'input a.* b/cloth-ball/frames/cloth_ball92.ply,.* --phase pairs' \
	cpu reproduce --scale tiny -y -o report/index.html --meshes 'a b'
check "reproduce: no row of the mesh" grep -q '>cloth dropping on sphere' report/index.html
run 1 "meshes 'a b/cloth-ball' has none of the paper's meshes" \
	cpu reproduce --scale tiny -y -o report/index.html --meshes 'a b/cloth-ball'

# --- records of two machines ------------------------------------------------------------------

check "the record is not written with the page" grep -q '"gsched_reproduce": 1' tiny.json
sed -e '0,/not measured/s//holds/' -e 's/"device": "[^"]*"/"device": "another"/' \
	-e 's/\["28", "[^"]*"/["28", "1G"/' tiny.json >other.json
"$gsched" reproduce --compare tiny.json,other.json -o - >pair.html 2>stderr
if grep -q libjansson stderr; then
	without "comparing records, for want of libjansson"
else
	check "compare: verdicts" grep -q '[0-9] verdicts are the same, 1 differ\.' pair.html
	check "compare: machines" grep -q '<td>another</td>' pair.html
	check "compare: a ratio" grep -q '<td[^>]*>28</td><td[^>]*>[0-9.]*[kM]* / 1G ([1-9][^)]*)' \
		pair.html
	run 1 'report/index.html: line 1: ' "$gsched" reproduce --compare \
		tiny.json,report/index.html -o -
	run 1 'nowhere.json: No such file' "$gsched" reproduce --compare nowhere.json,tiny.json -o -
	echo '{"facts": {}}' >empty.json
	run 1 'empty.json: no record' "$gsched" reproduce --compare empty.json,tiny.json -o -
	printf '{"gsched_reproduce":1,"facts":3,"sections":[%s,{"tables":[%s]}]}' \
		'{"heading":3,"claim":"c"}' '{"columns":["a",2],"rows":[["x"],3,[]]}' >odd.json
	run 0 '' "$gsched" reproduce --compare odd.json,tiny.json -o -
	run 0 '' "$gsched" reproduce --compare odd.json,odd.json -o -
fi
for files in tiny.json ,tiny.json tiny.json, tiny.json,a,b; do
	run 2 "--compare '$files' is not two files" "$gsched" reproduce --compare "$files"
done
for option in '--scale full' '--meshes scenes' '--scenes scenes' '--backend cpu'; do
	# shellcheck disable=SC2086 # an option and its value
	run 2 "${option%% *} has no effect" \
		"$gsched" reproduce --compare tiny.json,other.json $option
done
run 1 "meshes 'a,b': a comma" cpu reproduce --scale tiny -y -o report/index.html --meshes a,b
run 0 '' cpu reproduce --scale tiny -y -o report/index.html --json -
if command -v python3 >/dev/null; then
	check "reproduce: other text than JSON" python3 -m json.tool stdout /dev/null
fi
run 2 "--json has no effect" "$gsched" reproduce --compare tiny.json,other.json --json x.json
run 2 "--out 'tiny.json' would replace the input" \
	"$gsched" reproduce --compare tiny.json,other.json -o tiny.json

# --- pictures and timelines -------------------------------------------------------------------

run 0 '' cpu spawn -n 30 --workers 2 --time-work -r 1 --svg workers.svg
run 0 '' cpu spawn -n 30 --workers 1,2,4 -r 1 --svg curves.svg
run 0 '' cpu wavefront --size 6x5 --queue all -r 1 --svg bars.svg
run 0 '' cpu wavefront --size 6x5 --sched static --workers 2 -r 1 --trace timeline.svg
run 0 '' cpu spawn -n 30 --queue steal --workers 2 -r 1 --trace timeline.json
run 0 '' "$gsched" run sort --backend cpu -n 2000 --queue steal -r 1 --svg plain.svg
for file in workers curves bars plain timeline; do
	check "$file.svg is no picture" grep -q '</svg>' $file.svg
	if command -v python3 >/dev/null; then
		check "$file.svg is no XML" \
			python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
			$file.svg
	fi
done
for queue in $queues; do
	check "curves.svg does not name $queue" grep -q ">$queue<" curves.svg
done
for name in steal plain; do
	check "plain.svg does not name $name" grep -q ">$name<" plain.svg
done
check "plain.svg names ring" [ -z "$(grep '>ring<' plain.svg)" ]
check "timeline.json has no events" grep -q '"ph":"X"' timeline.json
[ -z "$(command -v python3)" ] || check "timeline.json is no JSON" \
	python3 -m json.tool timeline.json stdout
run 0 '' cpu spawn -n 30 --queue ring --workers 2 -r 1 --trace -
check "--trace - is not alone" [ "$(head -c 1 stdout)" = '{' ]

# --- statistics of procedures -----------------------------------------------------------------

run 0 '' "$gsched" run octree --backend cpu -n 3000 --queue steal -t 2 -r 1 --stats \
	--json stats.json --trace batches.json
cells=$(grep -c '"name":"cell"' batches.json)
check "--stats: no table: $(cat stdout)" grep -Eq '^procedure .* a batch' stdout
check "--stats: not $cells batches of cells" grep -Eq "^cell  *$cells  *$cells  *1\.00 " stdout
check "--stats: not $cells batches of cells in the JSON" \
	grep -q "\"name\": \"cell\", \"batches\": $cells, \"items\": $cells, " stats.json
check "--stats: batches are missing" grep -q '"batches_not_recorded": 0,' stats.json
[ -z "$(command -v python3)" ] || check "--stats: no JSON" python3 -m json.tool stats.json stdout
run 0 '' "$gsched" run octree --backend cpu -n 3000 --queue steal -t 2 -r 1 --stats --json -
check "--stats --json - is not alone" [ "$(head -c 1 stdout)" = '{' ]
run 0 '' cpu fib -n 9 --queue ring --workers 1 -r 1 --stats
check "--stats: not one procedure: $(cat stdout)" grep -Eq '^0  *109  *109 ' stdout
run 0 'tasks, but no procedures' cpu spawn -n 30 --queue ring --workers 2 -r 1 --stats
run 2 '--stats needs exactly one scheme' cpu spawn --queue all --stats

# --- signals ----------------------------------------------------------------------------------

# The load is made when the worker and the thread that cancels runs exist: main, these two, and the
# folder itself. ThreadSanitizer has a thread of its own.
started=3
case ${CFLAGS-} in *-fsanitize=*thread*) started=4 ;; esac
for signal in INT:130 TERM:143; do
	launch "$gsched" spawn --backend cpu -n 100 -r 100000 --queue ring --workers 1 \
		--json "${signal%:*}.json"
	await has_threads $started
	# twice, as timeout(1) does: that is one signal
	kill -s "${signal%:*}" $pid
	kill -s "${signal%:*}" $pid 2>/dev/null
	rc=0
	wait $pid || rc=$?
	check "$signal: exit code $rc: $(cat stderr)" [ $rc -eq "${signal#*:}" ]
	check "$signal: what was measured is not written" \
		grep -q '"interrupted": true' "${signal%:*}.json"
done

# A start that would take minutes ends with the signal.
launch "$gsched" spawn --backend cpu -n 4000000 --work 200000 -r 2 --queue ring --workers 1 \
	--json long.json
await has_threads $started
kill -s INT $pid
rc=0
ended 20 $pid || { rc=1 && kill -s KILL $pid; }
check "a long start went on after SIGINT" [ $rc -eq 0 ]
rc=0
wait $pid || rc=$?
check "SIGINT in a long start: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
check "SIGINT in a long start: no output" grep -q '"interrupted": true' long.json

# So does the making of a load: here of more candidates than are found within minutes.
launch "$gsched" run collide --backend cpu --scene random -n 3000000 --phase contacts \
	--pairs edges --workers 1 --json load.json
await has_threads 2
kill -s INT $pid
rc=0
ended 20 $pid || { rc=1 && kill -s KILL $pid; }
check "the making of a load went on after SIGINT" [ $rc -eq 0 ]
rc=0
wait $pid || rc=$?
check "SIGINT in the making of a load: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]

# So does the start for a timeline, which begins when the table is written.
launch "$gsched" wavefront --backend cpu --size 40x40 --work 100000 -r 1 --sched dynamic \
	--workers 1 --trace cut.json
await [ -s stdout ]
kill -s INT $pid
rc=0
wait $pid || rc=$?
check "SIGINT in a traced start: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
check "SIGINT in a traced start: it went on" [ ! -e cut.json ]
check "SIGINT in a traced start: $(cat stderr)" \
	grep -q 'cut.json: a signal cancelled the run' stderr

finish
