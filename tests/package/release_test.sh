#!/usr/bin/env bash
# What a release states in several places is the same in all: the version in configure.ac, NEWS,
# debian/changelog, conda/meta.yaml, the public headers and the shared libraries' files; the public
# symbols in the libraries' maps and in debian/*.symbols.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$(cd "$TEST_SRCDIR/.." && pwd) || exit 1
work=$TEST_BUILDDIR/tests/release_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

version=$(sed -n 's/^AC_INIT(\[gputasks\], \[\([0-9.]*\)\].*/\1/p' "$top/configure.ac")
check "configure.ac: no version" [ -n "$version" ]
# same FILE FOUND: the version in the file.
same() { check "$1 has version '$2', configure.ac '$version'" [ "$2" = "$version" ]; }
same NEWS "$(sed -n '1s/^gputasks //p' "$top/NEWS")"
same debian/changelog "$(sed -n '1s/^gputasks (\([^)]*\)).*/\1/p' "$top/debian/changelog")"
same conda/meta.yaml "$(sed -n 's/^{% set version = "\([^"]*\)" %}/\1/p' "$top/conda/meta.yaml")"
for header in libsched/include/libsched/version.h h264intra/include/h264intra/h264intra.h \
	reyes/include/reyes/reyes.h; do
	same "$header" "$(sed -nE 's/^#define [A-Z0-9]+_VERSION_(MAJOR|MINOR|PATCH) //p' \
		"$top/$header" | paste -sd.)"
done

same build-aux/shared.mk \
	"${version%%.*}$(sed -n 's/^SHLIB_VERSION = \$(SHLIB_MAJOR)//p' "$top/build-aux/shared.mk")"

# symbols MAP: NODE@NODE and NAME@NODE of each version, as debian/*.symbols have them.
symbols() {
	awk '/^[A-Z0-9_]+ \{$/ { node = $1; print node "@" node }
		/^\t[a-z][a-z0-9_]*;$/ { print substr($1, 1, length($1) - 1) "@" node }' "$1" | sort
}
for map in "$top"/libsched/libsched.map "$top"/h264intra/libh264intra.map \
	"$top"/h264intra/libh264intra_io.map "$top"/nqueens/libnqueens.map \
	"$top"/reyes/libreyes.map "$top"/collide/libcollide.map; do
	name=$(basename "$map" .map)
	file=debian/${name//_/-}0.symbols
	symbols "$map" >wanted
	check "$name.map has no symbols" [ -s wanted ]
	sed -n 's/^ \([^ ]*\) .*/\1/p' "$top/$file" | sort >got
	check "$file lacks $(comm -23 wanted got | tr '\n' ' ')of $name.map" \
		[ -z "$(comm -23 wanted got)" ]
	check "$file has $(comm -13 wanted got | tr '\n' ' ')which $name.map has not" \
		[ -z "$(comm -13 wanted got)" ]
done
finish
