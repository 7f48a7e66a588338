#!/bin/sh
# Every public header compiles alone, twice in one file, as C11 and as C++17, with no warning and
# without config.h, and does not change a macro of the program; those that generate programs are
# given one. CC, CXX: the compilers.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/header_test.tmp
warnings="-Wall -Wextra -Wpedantic -Wundef -Wshadow -Werror"
flags="$warnings -I$top -I$top/libsched/include -I$top/h264intra/include -I$top/nqueens/include \
	-I$top/reyes/include -I$top/collide/include"
failed=0 n=0

rm -rf "$work"
mkdir -p "$work" || exit 1

# try NAME COMPILER...: compiles $work/NAME
try() {
	name=$1
	shift
	if ! "$@" -fsyntax-only "$work/$name"; then
		echo "FAIL: $*: $name"
		failed=$((failed + 1))
	fi
	n=$((n + 1))
}

for path in "$top"/libsched/include/libsched/*.h "$top"/h264intra/include/h264intra/*.h \
	"$top"/nqueens/include/nqueens/*.h "$top"/reyes/include/reyes/*.h \
	"$top"/collide/include/collide/*.h; do
	dir=$(basename "$(dirname "$path")")
	base=$(basename "$path" .h)
	# These are for files that have defined a program.
	case $base in
	generate) cp "$top/tests/package/installed_sched.c" "$work/$base.c" ;;
	generate_items) cp "$top"/examples/first_program.[ch] "$work" &&
		mv "$work/first_program.c" "$work/$base.c" ;;
	generate*)
		echo "FAIL: no program for $base.h"
		failed=$((failed + 1))
		;;
	esac
	case $base in
	generate*)
		# shellcheck disable=SC2086
		try "$base.c" ${CC:-cc} -std=c11 -Wstrict-prototypes $flags
		if command -v "${CXX:-c++}" >/dev/null; then
			# shellcheck disable=SC2086
			try "$base.c" ${CXX:-c++} -std=c++17 -x c++ $flags
		fi
		continue
		;;
	esac
	for ext in c cc; do
		{
			printf '#define X 1\n#define Y 2\n'
			printf '#include <%s/%s.h>\n' "$dir" "$base" "$dir" "$base"
			echo 'extern int not_empty[X == 1 && Y == 2 ? 1 : -1];'
		} >"$work/${dir}_$base.$ext"
	done
	# shellcheck disable=SC2086
	try "${dir}_$base.c" ${CC:-cc} -std=c11 -Wstrict-prototypes $flags
	if command -v "${CXX:-c++}" >/dev/null; then
		# shellcheck disable=SC2086
		try "${dir}_$base.cc" ${CXX:-c++} -std=c++17 $flags
	fi
done
# nqueens.h, reyes.h and collide.h do not include libsched's headers.
# shellcheck disable=SC2086
try nqueens_checkpoint.c ${CC:-cc} -std=c11 $warnings -I$top/nqueens/include
# shellcheck disable=SC2086
try reyes_ri.c ${CC:-cc} -std=c11 $warnings -I$top/reyes/include
# shellcheck disable=SC2086
try collide_collide.c ${CC:-cc} -std=c11 $warnings -I$top/collide/include
rm -rf "$work"
echo "$n compilations, $failed failed"
[ "$n" -gt 0 ] && [ "$failed" -eq 0 ]
