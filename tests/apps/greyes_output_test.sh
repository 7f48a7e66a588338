#!/usr/bin/env bash
# Which files a scene may replace, --confine, files that cannot be written, messages that name
# files.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/greyes_output_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/greyes.sh
. "$TEST_SRCDIR/apps/greyes.sh"
has TIFF || skip "greyes was built without libtiff"
halves halves.rib
is_old() { [ "$(cat "$1")" = precious ]; }

# --- what a scene replaces --------------------------------------------------------------------

# scene NAME TYPE: writes scene.rib, whose Display has this name and type.
scene() { sed "s|\"halves.png\" \"file\"|\"$1\" \"$2\"|" halves.rib >scene.rib; }
# make REQUEST...: writes make.rib: the request, then a frame without a file.
make() {
	echo "$*" >make.rib
	sed 's/"halves.png" "file"/"x" "framebuffer"/' halves.rib >>make.rib
}
cpu 0 '' halves.rib
cp halves.png picture.png
cpu 0 '' halves.rib -o picture.tif --res 48x48
refused='exists already and is no picture of the new one.s format; -y replaces it'
for name in notes.txt picture.tif; do
	scene $name png
	echo precious >notes.txt
	cp $name before
	cpu 1 "$name: $refused" scene.rib
	check "Display replaces $name" cmp -s before $name
	cpu 0 '' -y scene.rib
	check "Display -y: $name" cmp -s picture.png $name
	mv before $name
done
scene picture.png png
cpu 0 '' scene.rib
ln -s notes.txt link.png
scene link.png png
cpu 1 "link.png: $refused" scene.rib
check "Display replaces what a link leads to" is_old notes.txt
echo precious >new.png.part
scene new.png png
cpu 1 'new.png: NAME.part exists already and is no picture of this format' scene.rib
check "Display replaces a NAME.part" is_old new.png.part
cp picture.png new.png.part
cpu 0 '' scene.rib
check "NAME.part of a run that was killed" [ ! -e new.png.part -a -e new.png ]

sed 's/"halves.png" "file" "rgb"/"depth.tif" "zfile" "z"/' halves.rib >depth.rib
cpu 0 '' depth.rib
six='"picture.tif" "picture.tif" "picture.tif" "picture.tif" "picture.tif" "picture.tif"'
for request in 'MakeTexture "picture.tif" "TO" "black" "black" "box" 1 1' \
	'MakeBump "picture.tif" "TO" "black" "black" "box" 1 1' \
	'MakeShadow "depth.tif" "TO"' \
	'MakeLatLongEnvironment "picture.tif" "TO" "box" 1 1' \
	"MakeCubeFaceEnvironment $six \"TO\" 90 \"box\" 1 1"; do
	rm -f new.tif
	make "${request//TO/notes.txt}"
	cpu 1 "make.rib:1:1: ${request%% *}: notes.txt: $refused" make.rib
	check "${request%% *} replaces a text" is_old notes.txt
	make "${request//TO/new.tif}"
	cpu 0 '' make.rib
	cpu 0 '' make.rib
	check "${request%% *}" [ -s new.tif ]
done

# --- --confine --------------------------------------------------------------------------------

mkdir -p in/sub inn out
ln -s ../out in/away
ln -s in/sub inside
ln -s ../out/far.png in/far.png
outside='is not below "in", to which --confine limits files'
for name in p.png ../p.png in/../p.png out/p.png in/away/p.png in/far.png "$PWD/p.png" inn/p.png \
	/dev/null; do
	scene "$name" png
	cpu 1 "$outside" --confine in -y scene.rib
done
check "--confine: files outside: $(find . -name '?.png' -o -name far.png -type f)" \
	[ -z "$(find . -name p.png -o -name far.png -type f)" ]
for name in in/p.png in/sub/p.png inside/q.png "$PWD/in/r.png" ./in/../in/s.png; do
	scene "$name" png
	cpu 0 '' --confine in scene.rib
	check "--confine: $name" [ -s "$name" ]
done
make 'MakeTexture "picture.tif" "out/t.tif" "black" "black" "box" 1 1'
cpu 1 "make.rib:1:1: MakeTexture: out/t.tif: $outside" --confine in make.rib
check "--confine: MakeTexture" [ ! -e out/t.tif ]
# shellcheck disable=SC2086
for option in '-o out.png' '--stats s.json' '--trace t.json'; do
	run 2 "is not below --confine 'in'" "$greyes" --backend cpu $option --confine in halves.rib
done
cpu 0 '' halves.rib -o in/o.png --stats in/s.json --confine in
run 2 "'nowhere' is no folder" "$greyes" halves.rib --confine nowhere
cd in || exit 1
cpu 0 '' --confine . ../halves.rib
cd ..

# --- files that cannot be written -------------------------------------------------------------

{
	echo 'Format 300 300 1 PixelSamples 1 1'
	sed 's/"halves.png"/"map.tif"/; s/Format.*/Format 300 300 1/' halves.rib
	echo 'MakeTexture "map.tif" "map.tex" "periodic" "periodic" "box" 1 1'
	sed 's/"constant"/"paintedplastic" "texturename" "map.tex"/' halves.rib
} >full.rib
cpu 0 '' full.rib
rm map.tex
[ -c /dev/full ] && ln -s /dev/full full.tex && {
	sed 's/map.tex/full.tex/' full.rib >device.rib
	cpu 1 'device.rib:12:1: MakeTexture: full.tex: No space left on device' -y device.rib
	check "a frame after a MakeTexture that failed" \
		[ "$(grep -c '^greyes: frame' stderr)" -eq 1 ]
}
sed 's/map.tex/nowhere\/map.tex/' full.rib >folder.rib
cpu 1 'folder.rib:12:1: MakeTexture: nowhere/map.tex: No such file or directory' folder.rib
echo precious >old.json
cpu 1 'nowhere' folder.rib --stats old.json --trace old.json.trace -y
check "--stats of a run that failed replaces a file" is_old old.json
sed 's/map.tif" "map.tex/none.tif" "map.tex/' full.rib >none.rib
run 0 'none.rib:12:1: MakeTexture: file "none.tif" is not found: set Option' \
	"$greyes" --backend cpu none.rib

# --- pipes in a scene -------------------------------------------------------------------------

mkfifo pipe pipe.tif
make 'MakeTexture "pipe.tif" "new.tex" "black" "black" "box" 1 1'
run 0 'MakeTexture: .*pipe.tif: is no regular file' "$greyes" --backend cpu make.rib
sed 's/"constant"/"paintedplastic" "texturename" "pipe"/' halves.rib >texture.rib
cpu 0 'file "pipe" is not used: pipe: is no regular file' texture.rib -o texture.png
sed 's/^Color/ReadArchive "pipe" &/' halves.rib >reads.rib
run 0 'the archive "pipe" is in no folder' "$greyes" --backend cpu reads.rib -o reads.png

# --- messages ---------------------------------------------------------------------------------

frames three.rib 3
cpu 0 'frame 2: .*, all.png is now all.0001.png, all.0002.png$' three.rib -o all.png
sed 's/^FrameBegin.*/FrameBegin 7/' three.rib >same.rib
cpu 0 'frame 9: .*, same.0009.png$' same.rib -o same.png --stats same.json
check "--stats: numbers of frames" \
	[ "$(grep -o '"frame": [0-9]*' same.json | tr -dc '0-9')" = 789 ]
run 0 'MakeTexture: file "map2.tif" is not found: the scene makes it of the picture of a Display' \
	"$greyes" --backend cpu -o suppressed.png <(sed 's/map.t/map2.t/' full.rib)
check "a texture of a picture that -o replaces: $(cat stderr)" \
	grep -q 'texture "map2.tex" is not found.*which was not written, because --output' stderr

finish
