#!/usr/bin/env bash
# abi_test.sh           compares the binary interface of the shared libraries with
#                       tests/package/abi/*.xml
# abi_test.sh --update  writes these files
#
# The files are abidw's (libabigail): functions, types and enumerators of the public headers, and
# the layouts that <libsched/generate.h> compiles into programs (abi_layout.c); and abi/numbers, the
# constants and the memory of queues that go with these (abi_numbers.c). `make abi-check` and `make
# abi-update` call this with the libraries built. Skipped without abidw or debugging information.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$(cd "$TEST_SRCDIR/.." && pwd) || exit 1
work=$TEST_BUILDDIR/tests/abi_test.tmp
update=no
[ "${1-}" = --update ] && update=yes
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

need abidw:abigail-tools abidiff:abigail-tools

# describe SHARED_OBJECT XML HEADERS: the public interface, without what differs between machines
# and builds.
describe() {
	abidw --headers-dir "$3" --drop-private-types --exported-interfaces-only --no-show-locs \
		--no-corpus-path --no-comp-dir-path --no-elf-needed --no-architecture \
		--no-parameter-names \
		--out-file "$2.full" "$1" || return 1
	sed "s|path='[^']*/\([^/']*\)'|path='\1'|" "$2.full" >"$2"
	rm "$2.full"
}

# differs FILE: fails, and prints how to proceed.
differs() {
	bad "the binary interface of $(basename "$1" .xml) differs from tests/package/abi/$1;" \
		"if programs that were built before still work, run 'make abi-update'," \
		"else raise SHLIB_MAJOR (layouts: LSCHED_ABI) first"
}

# Compares each library; fails with the differences.
compare() {
	local name=$1 object=$2 headers=$3
	if [ $update = yes ]; then
		check "abidw $name" describe "$object" "$top/tests/package/abi/$name.xml" "$headers"
	elif ! describe "$object" "$name.xml" "$headers"; then
		bad "abidw $name"
	elif abidiff --no-added-syms "$top/tests/package/abi/$name.xml" "$name.xml" >diff; then
		ok
	else
		cat diff
		differs "$name.xml"
	fi
}

for library in libsched/libsched h264intra/libh264intra h264intra/libh264intra_io \
	nqueens/libnqueens reyes/libreyes collide/libcollide; do
	name=$(basename "$library")
	object=$(find "$TEST_BUILDDIR/$(dirname "$library")" -name "$name.so.*.*")
	if [ -z "$object" ]; then
		without "$name.so, which this build lacks"
		continue
	fi
	readelf -SW "$object" | grep -q '\.debug_info' ||
		skip "no debugging information: CFLAGS lack -g"
	compare "$name" "$object" "$top/$(dirname "$library")/include"
done
# shellcheck disable=SC2086
if ${CC:-cc} -std=gnu11 -g -fPIC -shared -I"$top" -I"$top/libsched/include" -o layout.so \
	"$TEST_SRCDIR/package/abi_layout.c"; then
	compare layout layout.so "$top/libsched"
else
	bad "abi_layout.c does not compile"
fi
# shellcheck disable=SC2086
if ! ${CC:-cc} -std=gnu11 -I"$top" -I"$top/libsched/include" -o print \
	"$TEST_SRCDIR/package/abi_numbers.c" ||
	! ./print >numbers; then
	bad "abi_numbers.c does not compile or run"
elif [ $update = yes ]; then
	check "numbers" cp numbers "$top/tests/package/abi/numbers"
elif diff "$top/tests/package/abi/numbers" numbers; then
	ok
else
	differs numbers
fi
finish
