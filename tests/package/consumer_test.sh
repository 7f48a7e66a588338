#!/usr/bin/env bash
# Programs of a user, in C, C++17 and CUDA, on what `make install` puts in place, found by
# CMake and by pkg-config after the whole was moved (DESTDIR), into folders with blanks in their
# names; and `make uninstall`. CC, NVCC, CFLAGS: as configured; a device is used where there is one.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$(cd "$TEST_SRCDIR/.." && pwd) || exit 1
work=$TEST_BUILDDIR/tests/consumer_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/package/consumers.sh
. "$TEST_SRCDIR/package/consumers.sh"
need cmake
command -v "${CXX:-c++}" >/dev/null || skip "no C++ compiler"

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
consumers_by_cmake "$libdir" -DWITH_CUDA=$cuda -DCMAKE_CUDA_COMPILER="${NVCC-}" || finish
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

consumers_by_pkg_config "$libdir"

quietly "make uninstall" "${MAKE:-make}" -C "$TEST_BUILDDIR" uninstall "${place[@]}"
# relative to the root: the folder that the build is in may have any of these names
left=$(cd "$work/a root" && find . ! -type d -o -path '*/include/*' -o -path '*/gputasks*')
check "make uninstall leaves: $left" [ -z "$left" ]
finish
