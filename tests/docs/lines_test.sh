#!/usr/bin/env bash
# docs/workloads.md and apps/gsched/repro_lines.h have the lines of code of the workloads
# (bench/lines.py): in this source tree, and in a copy of it that is changed.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/lines_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
need python3
lines=(python3 "$TEST_SRCDIR/../bench/lines.py")

# differs WHAT: --check fails and names the file, for the copy.
differs() {
	local said rc=0
	said=$("${lines[@]}" --top copy --check 2>&1) || rc=$?
	check "$1: exit code $rc: $said" [ $rc -eq 1 ]
	check "$1: $said" grep -q 'docs/workloads.md' <<<"$said"
	[ -n "${2-}" ] || check "$1: $said" grep -q 'apps/gsched/repro_lines.h' <<<"$said"
}

check "a table differs from workloads/; run bench/lines.py" "${lines[@]}" --check

mkdir -p copy/docs copy/apps/gsched
cp "$TEST_SRCDIR/../apps/gsched/repro_lines.h" copy/apps/gsched/
cp "$TEST_SRCDIR/../docs/workloads.md" copy/docs/
cp -r "$TEST_SRCDIR/../workloads" "$TEST_SRCDIR/../collide" copy/
chmod -R u+w copy
plain=copy/workloads/fourrow/plain_cuda.cu
check "a copy differs" "${lines[@]}" --top copy --check
printf '/* one\n * two */\n\n// three\n' >>$plain
check "comments and empty lines are counted" "${lines[@]}" --top copy --check
own=$(sed -n '/^<!-- lines of code/,/^<!-- end/ s/^| fourrow.* | \([0-9]*\) |$/\1/p' \
	copy/docs/workloads.md)
printf 'static int a; /* four */\nstatic const char b[] = "/* five";\nstatic int c;\n' >>$plain
differs "three lines more"
check "it cannot be written" "${lines[@]}" --top copy
check "three lines more are no three" grep -q "^| fourrow.* | $((own + 3)) |\$" \
	copy/docs/workloads.md
check "the header does not have three lines more" grep -q "\"fourrow.*, $((own + 3)) },\$" \
	copy/apps/gsched/repro_lines.h
check "what was written differs" "${lines[@]}" --top copy --check
echo 'int fr_more;' >>copy/workloads/fourrow/board.h
differs "a line more in a header that tasks and kernels share"
sed -i '/^<!-- end of the lines of code -->$/d' copy/docs/workloads.md
differs "a marker is missing" page
check "wrong arguments are taken" bash -c '"$@" --chek 2>/dev/null; [ $? -eq 2 ]' - "${lines[@]}"
finish
