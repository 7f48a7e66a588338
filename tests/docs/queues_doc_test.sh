#!/bin/sh
# docs/queues.md has a row for every queue in the table of <libsched/sched.h>, and for no other.
: "${TEST_SRCDIR:?}"
top=$TEST_SRCDIR/..
failed=0

queues=$(sed -n '/^#define LSCHED_QUEUES(/,/[^\\]$/s/.*Y(X, [A-Z]*, \([a-z]*\)).*/\1/p' \
	"$top/libsched/include/libsched/sched.h" | sort)
# shellcheck disable=SC2016
rows=$(sed -n 's/^| `\([a-z]*\)` |.*/\1/p' "$top/docs/queues.md" | sort)
n=$(printf '%s\n' "$queues" | wc -l)

if [ "$n" -lt 2 ]; then
	echo "FAIL: only $n queue found in the table of sched.h"
	failed=1
elif [ "$queues" != "$rows" ]; then
	# shellcheck disable=SC2086
	echo "FAIL: the queues of sched.h:" $queues
	# shellcheck disable=SC2086
	echo "      rows of docs/queues.md:" $rows
	failed=1
fi
echo "$n queues, $failed failed"
exit $failed
