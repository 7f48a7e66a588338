#!/usr/bin/env bash
# Programs for the CPU are C++17 too: the examples' item programs, a program with a rule and the
# programs of the tests compile as C++ without a warning, and the first three run. CC, CXX: the
# compilers.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/cxx_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || skip "there is no C++ compiler $cxx (CXX names another)"

fail()
{
	echo "FAIL: $1"
	exit 1
}

include="-I$top -I$top/libsched/include"
flags="-std=c++17 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror $include"

for source in libsched/core/*.c libsched/cpu/*.c libsched/cuda/none.c; do
	set -- "$top"/$source
	for file; do
		# shellcheck disable=SC2086
		${CC:-cc} -std=gnu11 -O1 $include -c -o "$work/$(basename "$file" .c).o" "$file" ||
			fail "$file"
	done
done
for program in examples/queens examples/first_program tests/package/installed_sched; do
	name=$(basename "$program")
	# shellcheck disable=SC2086
	"$cxx" $flags -I"$top/examples" -x c++ -c -o "$work/program.oo" "$top/$program.c" ||
		fail "$program.c is no C++17"
	"$cxx" -o "$work/$name" "$work/program.oo" "$work"/*.o -lpthread ||
		fail "$name does not link"
done
cat >"$work/texts.cc" <<'EOF'
#define GRAPH_PROGRAMS
#define FAN_PROGRAMS
#define GRID_PROGRAMS
#define ITEMS_PROGRAMS
#define ITEMS_STREAM_PROGRAMS
#define CSR_PROGRAM
#include "tests/libsched/graph.h"
#undef GRAPH_PROGRAMS
#include "tests/libsched/fan.h"
#include "tests/libsched/grid.h"
#include "tests/libsched/items_programs.h"
#include "tests/libsched/items_stream_programs.h"
#include "tests/libsched/csr_program.h"
EOF
# shellcheck disable=SC2086
"$cxx" $flags -fsyntax-only "$work/texts.cc" || fail "the programs of the tests are no C++17"

./queens | grep '^14200 ways' || fail "queens"
for queue in ring steal prio; do
	./first_program cpu $queue || fail "first_program, queue $queue: exit code $?"
done
./installed_sched || fail "installed_sched: exit code $?"
