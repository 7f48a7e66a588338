#!/usr/bin/env bash
# The libraries and the programs that need no other library compile for aarch64 without warnings.
# Needs Debian's gcc-aarch64-linux-gnu and libc6-dev-arm64-cross. arm64_weekly.sh runs the suites.
work=$TEST_BUILDDIR/tests/arm64_long.tmp
# shellcheck source=../common/shell.sh
source "$TEST_SRCDIR/common/shell.sh"

cross=aarch64-linux-gnu
need $cross-gcc
# quiet LOG COMMAND...: prints the errors of a command that fails.
quiet() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 && return
	grep -E 'error' "$log" || tail -n 20 "$log"
	return 1
}
check "configure" quiet configure.log env PKG_CONFIG_LIBDIR="$work" "$TEST_SRCDIR/../configure" \
	--host=$cross --without-cuda --without-python --enable-werror CC=$cross-gcc CFLAGS=-O1
check "make" quiet make.log "${MAKE:-make}" -j"$(nproc)"
file gqueens | grep -q aarch64 || bad "gqueens is not a program for aarch64"
finish
