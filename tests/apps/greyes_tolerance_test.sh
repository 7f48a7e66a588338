#!/usr/bin/env bash
# Scenes with faults that other renderers tolerate: pictures, exit codes, messages. The cases of
# tests/data/rib are reduced from public scenes.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/greyes_tolerance_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/greyes.sh
. "$TEST_SRCDIR/apps/greyes.sh"
cases=$TEST_SRCDIR/data/rib

# same WHAT A B: two pictures are equal.
differ() { ! cmp -s "$1" "$2"; }
same() { check "$1" cmp -s "$2" "$3"; }
# picture NAME: renders NAME.rib without errors, to NAME.png.
picture() { cpu 0 '' "$1.rib" --strict -o "$1.png"; }
# scene NAME: writes NAME.rib: the text of standard input in a world block with a light; COLOR and
# other requests before come first.
scene() {
	{
		cat <<-'END'
			Display "x" "framebuffer" "rgb"
			Format 64 64 1
			Projection "perspective" "fov" 40
			Translate 0 0 4
			WorldBegin
			LightSource "distantlight" 1 "from" [0 0 0] "to" [0 0 1]
		END
		cat
		echo WorldEnd
	} >"$1.rib"
}

# --- shapes -----------------------------------------------------------------------------------

scene sphere <<<'Sphere 1 -1 1 360'
picture sphere
scene faces <<-'END'
	PointsPolygons [3 4] [0 1 2 1 3 4 5] "P" [-1 -1 0 1 -1 0 0 1 0 1.2 .5 0 1.2 -.5 0 .8 0 0]
END
picture faces
run 0 '1 of 3 polygons have a loop of fewer than 3 .* not drawn; the first is polygon 1' \
	"$greyes" --backend cpu --strict "$cases/rib_polygon_2gon.rib" -o two.png
same "a face of two vertices" two.png faces.png
scene index <<-'END'
	PointsPolygons [3 4 3] [0 1 2 1 3 4 5 0 1 99] "uniform color Cs" [1 1 1 1 1 1 1 0 0]
		"P" [-1 -1 0 1 -1 0 0 1 0 1.2 .5 0 1.2 -.5 0 .8 0 0]
END
run 0 'index.rib:7:1: PointsPolygons: 1 of 3 polygons have .*; the first is polygon 2' \
	"$greyes" --backend cpu --strict index.rib -o index.png
same "a vertex that does not exist" index.png faces.png
scene bow <<-'END'
	PointsPolygons [3 4 4] [0 1 2 1 3 4 5 6 7 8 9]
		"P" [-1 -1 0 1 -1 0 0 1 0 1.2 .5 0 1.2 -.5 0 .8 0 0 0 0 0 1 1 0 1 0 0 0 1 0]
END
run 0 'bow.rib:7:1: PointsPolygons: 1 of 3 polygons have no area, .*; the first is polygon 2' \
	"$greyes" --backend cpu bow.rib -o bow.png
same "a polygon whose parts cancel" bow.png faces.png
scene line <<-'END'
	PointsPolygons [3 3 4] [0 1 2 6 7 7 1 3 4 5]
		"P" [-1 -1 0 1 -1 0 0 1 0 1.2 .5 0 1.2 -.5 0 .8 0 0 0 0 0 1 1 0]
END
run 0 'line.rib:7:1: PointsPolygons: 1 of 3 polygons have no area, .*; the first is polygon 1' \
	"$greyes" --backend cpu line.rib -o line.png
same "a triangle without area" line.png faces.png
for scheme in catmull-clark bilinear; do
	tags='["interpolateboundary"] [0 0] [] []'
	points='"P" [-1 -1 0 1 -1 0 1 1 0 -1 1 0]'
	scene mesh <<<"SubdivisionMesh \"$scheme\" [4] [0 1 2 3] $tags $points"
	scene bad <<<"SubdivisionMesh \"$scheme\" [4 3 2] [0 1 2 3 0 1 -7 2 3] $tags $points"
	cpu 0 '' mesh.rib --strict -o mesh.png -y
	run 0 '2 faces have fewer than 3 vertices, one of them twice, or one that does not exist' \
		"$greyes" --backend cpu --strict bad.rib -o bad.png -y
	same "$scheme: bad faces" bad.png mesh.png
done
curve='-1 0 0 -.5 1 0 .5 1 0 1 0 0'
scene curve <<<"Curves \"cubic\" [4] \"nonperiodic\" \"P\" [$curve] \"constantwidth\" .2"
scene curves <<-END
	Curves "cubic" [0 4 2] "nonperiodic" "P" [$curve 0 0 0 1 1 1] "constantwidth" .2
END
picture curve
run 0 '2 of 3 curves have fewer than 4 vertices and are not drawn' \
	"$greyes" --backend cpu --strict curves.rib -o curves.png
same "curves of too few vertices" curves.png curve.png
scene empty <<-'END'
	Sphere 1 -1 1 360
	Points "P" []
	Curves "linear" [] "nonperiodic" "P" [] "width" []
	Curves "cubic" [] "periodic" "P" []
	PointsPolygons [] [] "P" []
	PointsGeneralPolygons [] [] [] "P" []
	SubdivisionMesh "catmull-clark" [] [] "P" []
END
picture empty
same "empty shapes" empty.png sphere.png
cpu 0 '' --strict "$cases/rib_empty_polygons.rib" -o untitled.png

# --- camera, options --------------------------------------------------------------------------

for name in dof_infinity dof_catrib; do
	cpu 0 '' --strict "$cases/rib_$name.rib" -o $name.png
	same "$name" $name.png sphere.png
done
for lens in '1e+38 0 0' '2.8 0 4' '9.9999997e37 1 4' ''; do
	sed "1iDepthOfField $lens" sphere.rib >lens.rib
	cpu 0 '' --strict lens.rib -o lens.png -y
	same "DepthOfField $lens" lens.png sphere.png
done
sed '1iDepthOfField 2.8 1 3' sphere.rib >lens.rib
cpu 0 '' --strict lens.rib -o lens.png -y
check "a lens has no effect" differ lens.png sphere.png
for splits in -3 1000 1e30; do
	sed "1iOption \"limits\" \"eyesplits\" [$splits]" sphere.rib >splits.rib
	cpu 0 '' --strict splits.rib -o splits.png -y
	same "eyesplits $splits" splits.png sphere.png
done
sed '1iImager "background" "background" [0 .5 1]' sphere.rib >before.rib
sed 's/^Sphere/Imager "background" "background" [0 .5 1]\n&/' sphere.rib >within.rib
picture before
picture within
same "Imager in the world" within.png before.png
sed '1iErrorHandler "printonce"' sphere.rib >once.rib
picture once

# --- requests ---------------------------------------------------------------------------------

run 0 'MotionBegin: times must ascend: 0 is followed by 0; the first request counts' \
	"$greyes" --backend cpu "$cases/rib_motion_equal_times.rib" -o motion.png
same "the first key of a refused MotionBegin" motion.png sphere.png
scene moves <<-'END'
	MotionBegin [1 0]
	Sphere 1 -1 1 360
	Sphere 2 -2 2 360
	MotionEnd
END
run 0 'times must ascend' "$greyes" --backend cpu moves.rib -o moves.png
same "the first shape of a refused MotionBegin" moves.png sphere.png
run 0 'rib_stray_token.rib:8:1: Sphere: expected the name of a parameter.*; it is left out' \
	"$greyes" --backend cpu "$cases/rib_stray_token.rib" -o stray.png
same "a stray token" stray.png sphere.png
run 1 'rib_stray_token.rib:8:1: Sphere: ' "$greyes" --backend cpu --strict \
	"$cases/rib_stray_token.rib" -o strict.png
{
	printf '\357\273\277'
	sed 's/$/\r/' sphere.rib
	printf '\032\0\0\0'
} >bytes.rib
picture bytes
same "byte order mark, CR, Ctrl-Z and NUL" bytes.png sphere.png

# --- shaders of the scene's own without a light -----------------------------------------------

sed '/^LightSource/d' sphere.rib >default.rib
sed 's/^Sphere/Surface "wool"\n&/' default.rib >wool.rib
sed 's/^Sphere/Surface "matte"\n&/' default.rib >matte.rib
picture default
picture matte
cpu 0 'there is no light for shaders that were replaced; defaultsurface is used' wool.rib --strict \
	-o wool.png
same "a shader of the scene's own without a light" wool.png default.png
check "a standard shader without a light" [ "$(colors matte.png)" = '000000 ' ]

finish
