#!/usr/bin/env bash
# Files of greyes: names, several frames, files that exist, odd names, full disks, interruption.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/greyes_files_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/greyes.sh
. "$TEST_SRCDIR/apps/greyes.sh"
halves halves.rib
frames three.rib 3
# gray I: the color of frame I of a scene that `frames` has made.
gray() { printf '%02x%02x%02x ' $((10 * $1)) $((10 * $1)) $((10 * $1)); }

# --- names ------------------------------------------------------------------------------------

cpu 0 '' three.rib
for i in 1 2 3; do
	check "scene$i.png: $(colors "scene$i.png")" [ "$(colors "scene$i.png")" = "$(gray $i)" ]
done
rm scene?.png
cpu 0 '' three.rib -o all.png
for i in 1 2 3; do
	check "all.000$i.png: $(colors "all.000$i.png")" \
		[ "$(colors "all.000$i.png")" = "$(gray $i)" ]
done
check "files beside those of -o" [ "$(find . -name '*.png' | wc -l)" -eq 3 ]
cpu 0 '' three.rib -o two.png --frames 2-3
check "--frames 2-3: $(echo two.*)" [ "$(echo two.*)" = 'two.0002.png two.0003.png' ]
cpu 0 '' three.rib -o one.png --frames 2
check "--frames 2" [ "$(colors one.png)" = "$(gray 2)" ]
cpu 0 '' three.rib --frames 3
check "--frames without -o" [ ! -e scene2.png -a -e scene3.png ]
cpu 1 'no such frame; its frames are 1 to 3' three.rib --frames 5-9
sed 's/^FrameBegin.*/FrameBegin 7/' three.rib >same.rib
cpu 0 '' same.rib -o same.png
check "equal numbers: $(echo same.*.png)" \
	[ "$(echo same.*.png)" = 'same.0007.png same.0008.png same.0009.png' ]
grep -v '^Frame' three.rib >plain.rib
cpu 0 '' plain.rib -o plain.png
check "no FrameBegin: $(echo plain.*.png)" \
	[ "$(echo plain.*.png)" = 'plain.0001.png plain.0002.png plain.0003.png' ]
for suffix in tif tiff exr; do
	case $suffix in exr) has OpenEXR ;; *) has TIFF ;; esac || continue
	cpu 0 '' halves.rib -o "halves.$suffix"
	check "halves.$suffix: $(size "halves.$suffix")" [ "$(size "halves.$suffix")" = 64x48 ]
	check "halves.$suffix, left half" \
		[ "$(colors "halves.$suffix" crop=32:48:0:0)" = 'ff0000 ' ]
done

# --- files that exist -------------------------------------------------------------------------

cpu 0 '' halves.rib
cp halves.png kept.png
cp scene1.png halves.png 2>/dev/null || cp one.png halves.png
cpu 0 '' halves.rib
check "the scene's picture is not replaced" cmp -s halves.png kept.png
echo old >mine.png
cpu 1 'mine.png: exists already; -y overwrites it' halves.rib -o mine.png
check "-o replaces a file" [ "$(cat mine.png)" = old ]
cpu 0 '' halves.rib -o mine.png -y
check "-y" cmp -s mine.png kept.png
if [ "$(id -u)" -eq 0 ] && mkdir -m 1777 shared && echo old >shared/mine.png &&
	ln -s mine.png shared/link.png && chown -h 4321:4321 shared/link.png 2>/dev/null; then
	# where all users write, a link belongs to the user or to the owner of the folder
	cpu 1 'shared/link.png: Permission denied' halves.rib -o shared/link.png -y
	check "a foreign link is followed" [ "$(cat shared/mine.png)" = old ]
else
	without "the link of another user"
fi
echo old >seq.0002.png
cpu 1 'seq.0002.png: exists already' three.rib -o seq.png
check "a numbered file is replaced" [ "$(cat seq.0002.png)" = old ]
check "files of the frame before: $(echo seq*)" [ "$(echo seq*)" = seq.0002.png ]
mv seq.0002.png seq.0003.png
cpu 1 'seq.0003.png: exists already' three.rib -o seq.png
check "the third file is replaced" [ "$(cat seq.0003.png)" = old ]
check "the frames before are lost" [ "$(colors seq.0001.png)$(colors seq.0002.png)" = \
	"$(gray 1)$(gray 2)" ]
rm seq.000[12].png
echo old >'s q.0003.png'
sed 's/^FrameBegin 1/FrameBegin 3/' three.rib >'s f.rib'
cpu 1 's q.0003.png: exists already; -y overwrites it' 's f.rib' -o 's q.png'
check "a failed second run left $(echo s\ q*)" [ "$(echo s\ q*)" = 's q.0003.png' ]
check "the file of the first run is replaced" [ "$(cat 's q.0003.png')" = old ]
cpu 0 '' three.rib -o seq.png -y
check "-y and numbers" [ "$(colors seq.0002.png)" = "$(gray 2)" ]
cp halves.rib scene.png
cpu 2 '' ./scene.png -o scene.png -y
check "the scene is overwritten" cmp -s halves.rib scene.png

sed 's/halves.png/own.rib/; s/"file"/"png"/' halves.rib >own.rib
cp own.rib kept.rib
cpu 1 "'own.rib' would replace a file of the scene" own.rib
check "the scene is replaced by its picture" cmp -s own.rib kept.rib
sed '/^Display/d' halves.rib >archive.png
cp archive.png kept.rib
echo 'ReadArchive "archive.png"' >reads.rib
cpu 1 "'archive.png' would replace a file of the scene" reads.rib -o archive.png -y
check "an archive is replaced by the picture" cmp -s archive.png kept.rib
sed 's/^Format/Display "+halves.png" "file" "rgba"\n&/' halves.rib >twice.rib
cpu 0 'twice.rib:2:1: Display: a Display before writes "halves.png", too' twice.rib
sed 's/halves.png//' halves.rib >unnamed.rib
run 0 'unnamed.rib:1:1: Display: the name of the file is empty' "$greyes" --backend cpu unnamed.rib

# --- odd names --------------------------------------------------------------------------------

for name in 'a b' '-x' 'bild-ä-图' $'two\nlines' '100%s%n' "quote'\"" 'semi;colon' '*' '.hidden'; do
	cp halves.rib "./$name.rib"
	rm -f halves.png
	run 0 '' "$greyes" --backend cpu "-o./out $name.png" -- "$name.rib"
	check "'$name'" cmp -s "out $name.png" kept.png
	check "'$name': a file of the scene" [ ! -e halves.png ]
done
mkdir 'fol der'
cpu 0 '' halves.rib -o 'fol der/p.q.png'
check "a folder with a blank" cmp -s 'fol der/p.q.png' kept.png
long=$(printf 'n%.0s' $(seq 300))
cpu 1 'File name too long' halves.rib -o "$long.png"
cpu 1 'cannot be opened: File name too long' "$long"

# --- files that cannot be written -------------------------------------------------------------

cpu 1 'nowhere/p.png' halves.rib -o nowhere/p.png
mkdir folder.png
cpu 1 'folder.png' halves.rib -o folder.png -y
sed 's/"halves.png"/"nowhere\/p.png"/' halves.rib >nowhere.rib
cpu 1 'nowhere/p.png' nowhere.rib
if [ -c /dev/full ]; then
	ln -s /dev/full full.png
	cpu 1 'full.png: No space left on device' halves.rib -o full.png
	check "the link is replaced" [ -L full.png ]
	sed 's/"halves.png" "file"/"\/dev\/full" "png"/' halves.rib >full.rib
	cpu 1 '/dev/full: is no regular file' full.rib
	cpu 1 '/dev/full: No space left on device' -y full.rib
fi
(
	ulimit -f 1
	"$greyes" --backend cpu "$first" -o large.exr --res 200x200 >stdout 2>stderr
	echo $? >rc
)
check "a file size limit: exit code $(cat rc): $(cat stderr)" [ "$(cat rc)" -eq 1 ]
check "an incomplete file: $(echo large*)" [ ! -e large.exr -a ! -e large.exr.part ]
check "temporary files: $(find . -name '*.part')" [ -z "$(find . -name '*.part')" ]

# --- interruption -----------------------------------------------------------------------------

# interrupt SIGNAL ARGUMENTS...: sends a signal to greyes when it renders; prints the exit code.
interrupt() {
	local signal=$1
	shift
	launch "$greyes" --backend cpu --progress r90000 "$@" </dev/null
	await grep -q '^R90000 *[1-9]' stderr
	kill -s "$signal" $pid 2>/dev/null
	wait $pid
	echo $?
}
for signal in INT:130 TERM:143; do
	rc=$(interrupt ${signal%:*} "$first" -o cut.png --res 400x300 --shadingrate 0.005)
	check "SIG${signal%:*}: exit code $rc: $(cat stderr)" [ "$rc" -eq ${signal#*:} ]
	check "SIG${signal%:*}: $(echo cut*)" [ ! -e cut.png -a ! -e cut.png.part ]
done
# A pipe that stays open without data.
mkfifo pipe
# shellcheck disable=SC2016
launch bash -c 'exec "$0" --backend cpu - -o piped.png <pipe' "$greyes"
exec 9>pipe
await catches_int greyes
kill -INT $pid
rc=0
wait $pid || rc=$?
check "SIGINT while a pipe is read: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
exec 9>&-

finish
