#!/usr/bin/env bash
# Programs of a user, in C, C++17 and CUDA, on what `make install` puts in place, found by
# CMake and by pkg-config after the whole was moved (DESTDIR), into folders with blanks in their
# names; and `make uninstall`. CC, NVCC, CFLAGS: as configured; a device is used where there is one.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$(cd "$TEST_SRCDIR/.." && pwd) || exit 1
work=$TEST_BUILDDIR/tests/consumer_test.tmp

if ! command -v cmake >/dev/null; then
	echo "SKIP: no cmake program"
	exit 77
fi
if ! command -v "${CXX:-c++}" >/dev/null; then
	echo "SKIP: no C++ compiler"
	exit 77
fi
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

# quietly WHAT COMMAND...: the command succeeds; its output is shown where it does not.
quietly() {
	local what=$1
	shift
	if "$@" >log 2>&1 </dev/null; then
		ok
	else
		tail -n 60 log
		bad "$what: $*"
		return 1
	fi
}

# The tree is built, so this only copies; it is independent of a make that runs this test.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKE_TERMOUT MAKE_TERMERR
place=(DESTDIR="$work/a root" prefix="/a prefix")
quietly "make install" "${MAKE:-make}" -C "$TEST_BUILDDIR" install "${place[@]}" || finish
config=$(find "$work/a root" -name gputasksConfig.cmake)
libdir=$(cd "$(dirname "$config")/../.." && pwd) || finish

# The installed documents link each other as in the tree.
while IFS=: read -r document link; do
	check "$document links $link, which is not installed" \
		[ -e "$(dirname "$document")/${link%%#*}" ]
done < <(find "$work/a root" -name '*.md' -exec grep -oHE '\]\([^)#:]+[)#]' {} + |
	sed -E 's/\]\(//; s/[)#]$//')

cuda=OFF
if [ -n "${NVCC-}" ] && [ "$NVCC" != false ]; then
	cuda=ON
else
	without "the CUDA program: built --without-cuda"
fi
quietly "cmake" cmake -S "$top/tests/package/consumer" -B build -DCMAKE_BUILD_TYPE= \
	-DEXAMPLES="$top/examples" \
	-DTESTS="$top/tests/package" -Dgputasks_DIR="$(dirname "$config")" \
	-DCMAKE_C_FLAGS="${CFLAGS-}" \
	-DCMAKE_CXX_FLAGS="${CFLAGS-}" -DWITH_CUDA=$cuda -DCMAKE_CUDA_COMPILER="${NVCC-}" || finish
quietly "cmake --build" cmake --build build -j 2 || finish

ours='sched|h264intra|h264intra_io|nqueens|reyes'
for program in build/c_* build/cxx_*; do
	[ -x "$program" ] || continue
	quietly "$(basename "$program")" "$program"
	[ "${program%_static}" != "$program" ] || readelf -d "$program" >needed
	if [ "${program%_static}" = "$program" ] && ls "$libdir"/lib*.so >/dev/null 2>&1; then
		check "$program does not link a shared library of gputasks" \
			grep -qE "NEEDED.*lib($ours)\.so\.[0-9]+\]" needed
	fi
done
if [ $cuda = ON ]; then
	quietly "cuda_area cpu" build/cuda_area cpu
	rc=0
	build/cuda_area cuda >log 2>&1 || rc=$?
	if [ $rc -eq 2 ] && grep -q CUDA log && [ "${SCHED_REQUIRE_GPU:-0}" != 1 ]; then
		without "a run on the GPU: $(cat log)"
	elif [ $rc -ne 0 ]; then
		bad "cuda_area cuda: exit code $rc: $(cat log)"
	else
		ok
	fi
fi

# pkg-config quotes what a shell reads again. The files' folders are replaced in copies of them: a
# variable given to pkg-config would also replace those of other packages.
if command -v pkg-config >/dev/null; then
	header=$(find "$work/a root" -path '*/libsched/sched.h')
	mkdir pc
	for file in "$libdir"/pkgconfig/*.pc; do
		sed -e "s|^libdir=.*|libdir=$libdir|" \
			-e "s|^includedir=.*|includedir=${header%/libsched/sched.h}|" "$file" \
			>"pc/$(basename "$file")"
	done
	# configured LIBRARY COMPILER SOURCE: builds and runs a program.
	configured() {
		local flags
		flags=$(PKG_CONFIG_PATH=$work/pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} \
			pkg-config --cflags --libs "$1")
		# shellcheck disable=SC2086
		eval quietly "'$3 with pkg-config'" $2 ${CFLAGS-} -o configured "'$3'" "$flags" &&
			LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
				quietly "$3" ./configured
	}
	configured libsched "${CC:-cc}" "$top/examples/queens.c"
	configured reyes "${CC:-cc}" "$top/tests/package/installed_reyes.c"
	configured reyes "${CXX:-c++}" "$top/tests/package/consumer/calls.cc"
else
	without "pkg-config: no such program"
fi

quietly "make uninstall" "${MAKE:-make}" -C "$TEST_BUILDDIR" uninstall "${place[@]}"
# relative to the root: the folder that the build is in may have any of these names
left=$(cd "$work/a root" && find . ! -type d -o -path '*/include/*' -o -path '*/gputasks*')
check "make uninstall leaves: $left" [ -z "$left" ]
finish
