#!/bin/sh
# render_scene writes the same picture from its calls and from the same scene as RIB, and greyes
# writes it from this RIB; another scene gives another picture; failures are reported.
prog=$TEST_BUILDDIR/examples/render_scene
work=$TEST_BUILDDIR/examples/render_check.tmp
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "FAIL: $1"
	exit 1
}

rm -rf "$work"
mkdir -p "$work" && cd "$work" || fail "no folder $work"
for type in png tif exr ''; do
	[ -n "$type" ] || { echo "SKIP: built without libpng, libtiff and OpenEXR"; exit 77; }
	"$prog" "calls.$type" 2>log
	code=$?
	[ "$code" -eq 2 ] || break
done
[ "$code" -eq 0 ] || fail "exit code $code: $(cat log)"
cat >scene.rib <<-END
	Format 320 240 1
	PixelSamples 4 4
	Exposure 1 1.8
	Projection "perspective" "fov" 40
	Translate 0 0 5
	Rotate -20 1 0 0
	WorldBegin
	LightSource "ambientlight" 1 "intensity" 0.1
	LightSource "distantlight" 2 "intensity" 0.9 "from" [-2 4 -3] "to" [0 0 0]
	AttributeBegin
	Color [0.8 0.1 0.1]
	Surface "plastic"
	Sphere 1 -1 1 360
	AttributeEnd
	Color [0.5 0.5 0.5]
	Surface "matte"
	Polygon "P" [-4 -1 -2  -4 -1 6  4 -1 6  4 -1 -2]
	WorldEnd
END
sed '/Sphere/d' scene.rib >floor.rib
for scene in scene floor; do
	"$prog" "$scene.$type" "$scene.rib" || fail "exit code $? for $scene.rib"
done
cmp "calls.$type" "scene.$type" || fail "calls and RIB give different pictures"
cmp -s "scene.$type" "floor.$type" && fail "the ball is not in the picture"
"$TEST_BUILDDIR/greyes" --quiet -o "greyes.$type" scene.rib || fail "greyes: exit code $?"
cmp "scene.$type" "greyes.$type" || fail "greyes writes another picture"

echo 'Format 320 240 1' >empty.rib
"$prog" "none.$type" empty.rib 2>log
[ $? -eq 1 ] || fail "a file without a frame is accepted"
grep -q 'no frame' log || fail "message: $(cat log)"
"$prog" "none.$type" missing.rib 2>log
[ $? -eq 1 ] || fail "a missing file is accepted"
grep -q 'missing.rib' log || fail "message: $(cat log)"
"$prog" "folder/none.$type" 2>log
[ $? -eq 1 ] || fail "a file that cannot be written is not reported"
[ ! -e "none.$type" ] || fail "a failed run leaves a file"
for wrong in "" calls.txt "calls.$type scene.rib more"; do
	# shellcheck disable=SC2086
	"$prog" $wrong 2>log
	[ $? -eq 2 ] || fail "the arguments '$wrong' are not refused"
done
echo "the same picture by calls, from RIB and by greyes"
