#!/usr/bin/env bash
# Each shared library exports, with versions, exactly what its public headers declare: LIBRARY.map,
# the symbols that the objects do not hide (in the static library) and those that the shared library
# exports are one list.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/symbols_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

need readelf:binutils

# compare WHAT WANTED GOT: two sorted lists of names are equal.
compare() {
	local more
	more=$(comm -13 "$2" "$3" | tr '\n' ' ')
	[ -z "$more" ] || bad "$1: too many: $more"
	more=$(comm -23 "$2" "$3" | tr '\n' ' ')
	[ -z "$more" ] || bad "$1: missing: $more"
	check "$1: no symbol at all" test -s "$3"
}

# is_moved FILE: no absolute name in the file begins with the folder of the source or of the build.
# ccache's base_dir makes relative names of them, "../../folder/", before -ffile-prefix-map can.
is_moved() {
	local folder
	for folder in "$TEST_BUILDDIR/" "${TEST_SRCDIR%/tests}/"; do
		folder=$(sed 's/[][\.*^$]/\\&/g' <<<"$folder")
		! grep -qa "\(^\|[^.]\)$folder" "$1" || return
	done
}
# nvcc writes the folder into the device's lines.
has_cuda() { grep -q '^#define HAVE_CUDA 1' "$TEST_BUILDDIR/config.h"; }

for map in "$top"/libsched/libsched.map "$top"/h264intra/libh264intra.map \
	"$top"/h264intra/libh264intra_io.map "$top"/nqueens/libnqueens.map \
	"$top"/reyes/libreyes.map "$top"/collide/libcollide.map; do
	dir=$(basename "$(dirname "$map")")
	name=$(basename "$map" .map)
	archive=$TEST_BUILDDIR/$dir/$name.a
	shared=$(find "$TEST_BUILDDIR/$dir" -name "$name.so.*.*")
	sed -n 's/^\t\([a-z][a-z0-9_]*\);$/\1/p' "$map" | sort >listed
	if [ ! -e "$archive" ]; then
		without "$name, which this build lacks"
		continue
	fi
	readelf -sW "$archive" 2>/dev/null |
		awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }' |
			sort -u >visible
	if grep -qx '__gnu_lto_slim' visible; then
		without "$name.a, which has no symbols of its own (-flto without -ffat-lto-objects)"
	else
		compare "$dir/$name.map, by the public headers" visible listed
	fi
	if [ -z "$shared" ]; then
		without "$name.so (--disable-shared)"
		continue
	fi
	readelf --dyn-syms -W "$shared" |
		awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" && $7 != "ABS" { print $8 }' |
		sort -u >versioned
	check "$shared: a symbol without a version: $(grep -v '@@' versioned)" \
		test "$(grep -vc '@@' versioned)" -eq 0
	sed 's/@@.*//' versioned >exported
	compare "$shared, by its map" listed exported
	has_cuda || check "$shared: a folder of the build" is_moved "$shared"
	check "$shared: SONAME" grep -q "SONAME.*\[$name\.so\.[0-9]*\]" <(readelf -dW "$shared")
done
# What configure promises of the programs, m4/gs_harden.m4.
for program in gpuintra gqueens greyes gsched; do
	[ ! -e "$TEST_BUILDDIR/$program" ] || has_cuda ||
		check "$program: a folder of the build" is_moved "$TEST_BUILDDIR/$program"
done
# promised VARIABLE FLAG COMMAND PATTERN: programs have what the flag gives.
promised() {
	local program
	grep -q "^$1 =.*$2" "$TEST_BUILDDIR/Makefile" || { without "programs with $2"; return; }
	for program in gpuintra gqueens greyes gsched; do
		[ -e "$TEST_BUILDDIR/$program" ] || continue
		# shellcheck disable=SC2086
		check "$program: no effect of $2" \
			grep -q "$4" <(readelf $3 "$TEST_BUILDDIR/$program")
	done
}
promised HARDEN_CFLAGS -fstack-protector-strong '-W --dyn-syms' __stack_chk_fail
promised HARDEN_CFLAGS -D_FORTIFY_SOURCE=2 '-W --dyn-syms' '_chk@'
promised HARDEN_LDFLAGS -z,now -dW BIND_NOW

finish
