# Helpers of the shell tests of gqueens, which source this file after common/shell.sh.
# shellcheck shell=bash
gqueens=$TEST_BUILDDIR/gqueens
RANDOM=${GQUEENS_TEST_SEED:-1}

cpu() {
	local want=$1 pattern=$2
	shift 2
	run "$want" "$pattern" "$gqueens" --backend cpu "$@"
}
# prints TEXT ARGUMENTS...: gqueens succeeds, and its standard output is TEXT. prefix, if it is set,
# is a command that runs gqueens.
prints() {
	local want=$1
	shift
	# shellcheck disable=SC2086
	run 0 '' ${prefix-} "$gqueens" "$@"
	check "'$(head -c 100 stdout)' instead of '$want' from $*" [ "$(cat stdout)" = "$want" ]
}
# says TEXT ARGUMENTS...: the same on the CPU.
says() {
	local want=$1
	shift
	prints "$want" --backend cpu "$@"
}
# field NAME FILE: prints its values in the JSON, in one line.
field() { grep -o "\"$1\": [^,}]*" "$2" | sed 's/.*: //' | tr '\n' ' '; }
# kill_and_merge FILE DELAY ARGUMENTS...: kills gqueens after DELAY seconds; its checkpoint FILE can
# be read then, if there is one.
kill_and_merge() {
	local file=$1 delay=$2 pid
	shift 2
	"$gqueens" "$@" -c "$file" --resume --checkpoint-interval 0 >/dev/null 2>&1 &
	pid=$!
	sleep "$delay"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ -e "$file" ] || return 0
	"$gqueens" --merge "$file" >stdout 2>stderr
	check "after SIGKILL: $(cat stderr)" grep -qE 'units are missing|as published' stderr
}
