# Builds and runs programs of a user, in C and C++17, on an installed gputasks. For tests that have
# sourced tests/common/shell.sh; `top` is the source tree. CC, CXX, CFLAGS: as configured.
# shellcheck shell=bash
# shellcheck disable=SC2154

# The subject is that programs are found, compile and link, not what an optimiser does with them.
flags="${CFLAGS-} -U_FORTIFY_SOURCE -O0"

# The examples of libsched that are one file each.
libsched_examples="queens ranges wavefront cholesky knapsack jobs"

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

# consumers_by_cmake LIBDIR [ARGUMENT...]: configures tests/package/consumer in the folder build,
# with the CMake package below LIBDIR and further arguments of cmake; runs its programs.
consumers_by_cmake() {
	local libdir=$1 program ours='sched|h264intra|h264intra_io|nqueens|reyes|collide'
	shift
	quietly "cmake" cmake -S "$top/tests/package/consumer" -B build -DCMAKE_BUILD_TYPE= \
		-DEXAMPLES="$top/examples" -DTESTS="$top/tests/package" \
		-Dgputasks_DIR="$libdir/cmake/gputasks" -DCMAKE_C_FLAGS="$flags" \
		-DCMAKE_CXX_FLAGS="$flags" "$@" || return
	quietly "cmake --build" cmake --build build -j 2 || return
	for program in build/c_* build/cxx_*; do
		[ -x "$program" ] || continue
		quietly "$(basename "$program")" "$program"
		[ "${program%_static}" != "$program" ] || readelf -d "$program" >needed
		if [ "${program%_static}" = "$program" ] &&
			ls "$libdir"/lib*.so >/dev/null 2>&1; then
			check "$program does not link a shared library of gputasks" \
				grep -qE "NEEDED.*lib($ours)\.so\.[0-9]+\]" needed
		fi
	done
	return 0
}

# consumers_by_pkg_config LIBDIR: the same by the files in LIBDIR/pkgconfig, and the examples of
# libsched. pkg-config quotes what a shell reads again.
consumers_by_pkg_config() {
	local libdir=$1 example
	if ! command -v pkg-config >/dev/null; then
		without "pkg-config: no such program"
		return
	fi
	for example in $libsched_examples; do
		configured libsched "${CC:-cc}" "$top/examples/$example.c"
	done
	configured h264intra "${CC:-cc}" "$top/tests/package/installed.c"
	configured nqueens "${CC:-cc}" "$top/tests/package/installed_queens.c"
	configured reyes "${CC:-cc}" "$top/tests/package/installed_reyes.c"
	configured collide "${CC:-cc}" "$top/tests/package/installed_collide.c"
	configured reyes "${CXX:-c++}" "$top/tests/package/consumer/calls.cc"
	[ ! -e "$libdir/pkgconfig/h264intra_io.pc" ] ||
		configured h264intra_io "${CXX:-c++}" "$top/tests/package/consumer/files.cc"
}

# configured LIBRARY COMPILER SOURCE: builds and runs a program by the .pc files.
configured() {
	local found
	found=$(PKG_CONFIG_PATH=$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} \
		pkg-config --cflags --libs "$1")
	# shellcheck disable=SC2086
	eval quietly "'$3 with pkg-config'" $2 "$flags" -o configured "'$3'" "$found" -lm &&
		LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
			quietly "$3" ./configured
}
