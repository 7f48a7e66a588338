# Helpers of the shell tests: a work folder, skipping, and counting. A test sets `work`, a folder
# that is made anew, and sources this file, which changes into it. It needs two absolute paths;
# `make check` sets both, and on a machine without Autotools:
#   TEST_SRCDIR=$PWD/tests TEST_BUILDDIR=$PWD/build bash tests/apps/gsched_test.sh
# TEST_SRCDIR   the folder tests/ of a source tree; tests read media/, apps/ and bench/ beside it
# TEST_BUILDDIR the top folder of a build: gpuintra, gsched, gqueens, the libraries, and the tests'
#               programs in the folders of their sources (tests/h264intra/picgen,
#               tests/apps/queens_forge, tests/common/hang); receives the work folders,
#               tests/NAME.tmp
# shellcheck shell=bash
# shellcheck disable=SC2154
passed=0 failed=0 left_out=0
export LC_ALL=C

rm -rf "$work"
mkdir -p "$work" || exit 1
# Commands that were launched and still run would outlive a test that is stopped.
clean_up() {
	local leader
	for leader in $(jobs -pr); do
		kill -KILL -- "-$leader" || kill -KILL "$leader"
	done 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
cd "$work" || exit 1

# skip REASON: ends a test that this machine or this build cannot run.
skip() {
	echo "SKIP: $*"
	exit 77
}
# skip_gpu REASON: ends a test that needs a device, as skip does; SCHED_REQUIRE_GPU=1: it fails.
skip_gpu() {
	[ "${SCHED_REQUIRE_GPU:-0}" = 1 ] || skip "$@"
	echo "SKIP: $*"
	exit 1
}
# need PROGRAM[:PACKAGE]...: skips the test if a program is missing, and names Debian's package.
need() {
	local program
	for program; do
		command -v "${program%%:*}" >/dev/null ||
			skip "no program ${program/:*/ (Debian: ${program#*:})}"
	done
}

ok() { passed=$((passed + 1)); }
bad() {
	failed=$((failed + 1))
	echo "FAIL: $*"
}
without() {
	left_out=$((left_out + 1))
	echo "left out: $*"
}
# check WHAT COMMAND...: the command succeeds.
check() {
	local what=$1
	shift
	if "$@"; then ok; else bad "$what"; fi
}
# run RC PATTERN COMMAND...: the exit code is RC; stderr matches PATTERN, unless it is empty; a
# command that fails prints one error line.
run() {
	local want=$1 pattern=$2 rc=0
	shift 2
	"$@" </dev/null >stdout 2>stderr || rc=$?
	if [ $rc -ne "$want" ]; then
		bad "exit code $rc instead of $want: $*: $(tail -n 3 stderr)"
	elif [ -n "$pattern" ] && ! grep -qE -- "$pattern" stderr; then
		bad "no '$pattern' from $*: $(tail -n 3 stderr)"
	elif [ "$want" -ne 0 ] && [ "$(grep -c 'error: ' stderr)" -ne 1 ]; then
		bad "not one error line from $*: $(cat stderr)"
	else
		ok
	fi
}
# launch COMMAND...: starts a command in the background; pid is its process. Without job control the
# shell makes it ignore SIGINT, and `default` resets the signals that the test itself was started
# with ignored. The files are emptied first: what an earlier command wrote cannot be taken for this
# one's.
default=(env --default-signal=INT,TERM)
"${default[@]}" true 2>/dev/null || default=()
launch() {
	: >stdout
	: >stderr
	set -m
	"${default[@]}" "$@" >stdout 2>stderr &
	pid=$!
	set +m
}
# await COMMAND...: the command succeeds, sooner or later, or the process that was launched ends.
await() { until "$@" 2>/dev/null || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done; }
# has_threads N: what was launched has so many threads.
has_threads() { [ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge "$1" ]; }
# catches_int NAME: what was launched is this program, and catches SIGINT.
catches_int() {
	grep -q "^Name:.$1" "/proc/$pid/status" &&
		grep -q '^SigCgt:.*[2367abef]$' "/proc/$pid/status"
}
# ended SECONDS PID: the process ends within the time.
ended() { timeout "$1" tail -s 0.05 --pid="$2" -f /dev/null; }
# documented PROGRAM FOLDER: the completion in the folder is the program's, and its options are all
# in the man page there.
documented() {
	local name option
	name=$(basename "$1")
	run 0 '' "$1" --help=completion
	check "the installed completion is not what --help=completion prints" cmp -s stdout \
		"$2/completion/$name"
	check "the completion is no bash" bash -n stdout
	# shellcheck disable=SC2013
	for option in $(grep -o -- '--[a-z][a-z-]*' stdout | sort -u); do
		check "the man page lacks $option" grep -qF -- "${option//-/\\-}" "$2/$name.1"
	done
}
# job_script DOCUMENT NAME: prints the script of a document in docs/ whose second line has the name.
job_script() {
	awk -v name="$2" '/^```bash/ { text = ""; next }
		/^```/ && index(text, "\n# " name " ") { printf "%s", text; exit }
		{ text = text $0 "\n" }' "$TEST_SRCDIR/../docs/$1"
}
# finish: ends the test; fails if a check failed, or if there was none.
finish() {
	echo "$passed passed, $failed failed, $left_out left out"
	[ $failed -eq 0 ] && [ $passed -gt 0 ]
	exit
}
