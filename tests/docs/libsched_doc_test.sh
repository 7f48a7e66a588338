#!/bin/sh
# docs/libsched.md against the code: its programs are equal to their files, and all that it names
# (error texts, statuses, queues, schemes, identifiers, files) exists.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
page=$top/docs/libsched.md
sched_h=$top/libsched/include/libsched/sched.h
work=$TEST_BUILDDIR/tests/libsched_doc_test.tmp
failed=0 checks=0

wrong()
{
	echo "FAIL: $1"
	failed=$((failed + 1))
}

# count LEAST FILE: fails with fewer lines: the patterns of this test no longer match.
count()
{
	[ "$(wc -l <"$2")" -ge "$1" ] || wrong "less than $1 lines in $2"
}

rm -rf "$work"
mkdir -p "$work" || exit 1

# A block that follows the comment <!-- FILE --> is that file.
sed -n 's/^<!-- \(.*\) -->$/\1/p' "$page" >"$work/shown"
count 1 "$work/shown"
while read -r file; do
	awk -v mark="<!-- $file -->" '
		$0 == mark { found = 1; next }
		found == 1 && /^```/ { found = 2; next }
		found == 2 && /^```/ { exit }
		found == 2' "$page" >"$work/block"
	cmp "$work/block" "$top/$file" || wrong "what the page shows is not $file"
	checks=$((checks + 1))
done <"$work/shown"

# A row of the table of errors: a part of the sentence, and the status. Strings that the sources
# break over lines are joined for that.
cat "$top"/libsched/core/*.c "$top"/libsched/core/sized.h "$top"/libsched/cpu/*.c \
	"$top"/libsched/cuda/*.c "$top"/libsched/cuda/*.cu |
	tr '\n' ' ' | sed 's/"[ 	]*"//g' >"$work/texts"
# shellcheck disable=SC2016
sed -n '/^## Error messages/,$s/^| `\([^`]*\)` | \([^|]*\) |.*/\1|\2/p' "$page" >"$work/rows"
count 30 "$work/rows"
while IFS='|' read -r text status; do
	grep -qF -- "$text" "$work/texts" || wrong "no error says '$text'"
	for s in $(printf '%s\n' "$status" | grep -o 'ERR_[A-Z_]*'); do
		grep -q "X($s," "$sched_h" || wrong "there is no status $s"
	done
	checks=$((checks + 1))
done <"$work/rows"

# Every status, queue and scheme is mentioned.
# shellcheck disable=SC2016
sed '/^```/,/^```/d' "$page" | grep -o '`[^`]*`' | tr -d '`' | sort -u >"$work/names"
{
	sed -n 's/.*X(\(ERR_[A-Z_]*\),.*/\1/p' "$sched_h"
	sed -n '/^#define LSCHED_QUEUES(/,/[^\\]$/s/.*Y(X, [A-Z]*, \([a-z]*\)).*/\1/p' "$sched_h"
	sed -n '/^#define LSCHED_SCHEMES(/,/[^\\]$/s/.*X([A-Z]*, \([a-z]*\)).*/\1/p' "$sched_h"
} >"$work/wanted"
count 16 "$work/wanted"
while read -r name; do
	grep -qx "$name" "$work/names" || wrong "the page does not mention $name"
	checks=$((checks + 1))
done <"$work/wanted"

# Every identifier of libsched that is mentioned is in its headers or in the example, and every file
# exists.
cat "$top"/libsched/include/libsched/*.h "$top"/libsched/core/*.h "$top"/examples/first_program.* \
	"$top"/examples/queens.c "$top"/examples/ranges.c "$top"/examples/wavefront.c \
	"$top"/examples/cholesky.c "$top"/examples/knapsack.c >"$work/headers"
grep -v / "$work/names" | grep -oE '(^|[^A-Za-z_])[a-z]+_[a-z_]*[a-z]|LSCHED_[A-Z_]*[A-Z]' |
	sed 's/^[^A-Za-z_]//' | sort -u >"$work/identifiers"
count 50 "$work/identifiers"
while read -r name; do
	grep -qE -- "(^|[^A-Za-z])$name([^A-Za-z_]|$)" "$work/headers" || wrong "there is no $name"
	checks=$((checks + 1))
done <"$work/identifiers"
{
	grep -E '^[a-z0-9_]+/[a-z0-9_/]*\.[a-z]+$' "$work/names"
	grep -oE '\]\([a-z-]+\.[a-z]+\)' "$page" | sed 's/](\(.*\))/docs\/\1/' | sort -u
} >"$work/files"
count 12 "$work/files"
while read -r file; do
	[ -e "$top/$file" ] || wrong "there is no file $file"
	checks=$((checks + 1))
done <"$work/files"

[ "$failed" -ne 0 ] || rm -rf "$work"
echo "$checks checks, $failed failed"
[ "$failed" -eq 0 ]
