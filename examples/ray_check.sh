#!/bin/sh
# ray_server: scans, previews that are cancelled and the final picture, on CPU threads and, where
# there is one, on a GPU. It compares all of them with what the host computes.
prog=$TEST_BUILDDIR/examples/ray_server

fail()
{
	echo "FAIL: $1"
	exit 1
}

# right NAME OUTPUT: what it prints is right.
right()
{
	echo "$2"
	echo "$2" | grep -q '^[1-9][0-9]* scans beside.*; 0 wrong$' || fail "$1: scans"
	echo "$2" | grep -q '^[1-9][0-9]* moves .*tiles, [1-9][0-9]* of them cancelled$' ||
		fail "$1: previews"
	echo "$2" | grep -q '^0 pixels differ$' || fail "$1: pictures"
}

said=$("$prog" 0.4 2>/dev/null) || fail "ray_server ends with $?: $said"
right ray_server "$said"
for wrong in 0 -1 x nan '1 2'; do
	# shellcheck disable=SC2086
	"$prog" $wrong 2>/dev/null
	[ $? -eq 2 ] || fail "$wrong is not refused"
done
[ -x "${prog}_cuda" ] || exit 0
if said=$("${prog}_cuda" 0.4 2>&1); then
	right ray_server_cuda "$said"
elif [ "${SCHED_REQUIRE_GPU:-0}" = 1 ]; then
	fail "ray_server_cuda: $said"
else
	echo "$said" | grep -q 'CUDA' || fail "ray_server_cuda does not say why: $said"
fi
