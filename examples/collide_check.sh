#!/bin/sh
# collide_meshes prints the contacts of its own meshes, and the pairs of a file; bvh_nearest finds
# the nearest boxes.
prog=$TEST_BUILDDIR/examples/collide_meshes
file=collide_check.obj
trap 'rm -f "$file"' EXIT

fail()
{
	echo "FAIL: $1"
	exit 1
}

# z = 1.5 - 2 t meets x + y + z = 1 at t = (0.5 + x + y) / 2; three faces more below.
lines=$("$prog") || fail "collide_meshes ends with $?"
for want in 'vertex 0 meets face 3 at 0.350' 'vertex 2 meets face 3 at 0.550' \
	'vertex 3 meets face 0 at 0.750'; do
	echo "$lines" | grep -qx "$want of the step" || fail "no line '$want' in: $lines"
done
printf 'v 0 0 0\nv 2 0 0\nv 0 2 0\nv .5 .5 -1\nv .5 .5 1\nv .6 .7 1\nv 9 9 9\n' >"$file"
printf 'f 1 2 3\nf 4/1 5/2 6/3\nf 7 7 7\n' >>"$file"
lines=$("$prog" "$file") || fail "a file: collide_meshes ends with $?"
[ "$(echo "$lines" | tail -n 2)" = "triangles: 3, pairs of faces: 1
0 1" ] || fail "other pairs: $lines"
echo 'f 1 2 8' >>"$file"
"$prog" "$file" >/dev/null 2>&1 && fail "a corner that is no vertex is not refused"

# a polygon is a fan, and its corners may be counted from the last vertex
printf 'v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1.5 .5 -1\nv 1.5 .5 1\nv .5 1.5 1\n' >"$file"
printf 'f -7 -6 3 4/2\r\nf 5 6 7\n' >>"$file"
lines=$("$prog" "$file") || fail "a polygon: collide_meshes ends with $?"
[ "$(echo "$lines" | tail -n 3)" = "triangles: 3, pairs of faces: 2
0 2
1 2" ] || fail "other pairs of a polygon: $lines"

# refused TEXT MESSAGE: a file of TEXT is an error with the message.
refused()
{
	printf %b "$1" >"$file"
	lines=$("$prog" "$file" 2>&1) && fail "no error: $1"
	case $lines in
	*"$2"*) ;;
	*) fail "no '$2' in: $lines" ;;
	esac
}
three='v 0 0 0\nv 1 0 0\nv 0 1 0\n'
refused '' 'no face; the file must be OBJ'
refused 'ply\nformat ascii 1.0\nelement vertex 1\nend_header\n0 0 0\n' 'must be OBJ'
refused 'v 0 0\n' 'line 1: a vertex has three coordinates'
refused "${three}f 1 2\\n" 'line 4: a face has three or more corners'
refused "${three}f 1 2 x\\n" 'line 4: a face has three or more corners'
refused "${three}f 1 2 -4\\n" 'line 4: a corner is no vertex'
refused "${three}f 1 2 0\\n" 'line 4: a corner is no vertex'
refused "${three}f 1 2 99999999999999999999\\n" 'line 4: a corner is no vertex'
refused "v nan 0 0\\n${three}f 1 2 3\\n" 'vertex 0: a coordinate is not finite'
"$prog" . >/dev/null 2>&1 && fail "a folder is no error"
awk 'BEGIN { for (i = 0; i <= 1000000; i++) print "v 0 0 0" }' >"$file"
"$prog" "$file" 2>&1 | grep -q 'line 1000001: too many vertices' || fail "1,000,001 vertices"
awk 'BEGIN { printf "%5000s\n", "#" }' >"$file"
"$prog" "$file" 2>&1 | grep -q 'line 1: the line is too long' || fail "a long line"
for n in 0 1 3 5000; do
	lines=$("$TEST_BUILDDIR/examples/bvh_nearest" $n) || fail "bvh_nearest $n ends with $?"
	case $lines in
	"$n boxes on "*": 0 of 100 points have another distance") ;;
	*) fail "bvh_nearest $n: $lines" ;;
	esac
done
echo "contacts, pairs and nearest boxes"
