#!/bin/sh
# collide_meshes prints the contacts of its own meshes, and the pairs of a file.
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
[ "$(echo "$lines" | tail -n 2)" = "3 triangles, 1 pairs of faces
0 1" ] || fail "other pairs: $lines"
echo 'f 1 2 8' >>"$file"
"$prog" "$file" >/dev/null 2>&1 && fail "a corner that is no vertex is not refused"
echo "contacts and pairs"
