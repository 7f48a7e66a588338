#!/bin/sh
# docs/options.md and the man page of gpuintra have the options of the library's table.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
command -v python3 >/dev/null || {
	echo "SKIP: no python3"
	exit 77
}
exec "$TEST_SRCDIR/../build-aux/options-doc" --check "$TEST_BUILDDIR/tests/docs/options_table"
