#!/bin/bash
# bench/gallery with a program that stands for greyes: pictures, limits, failures, the page.
# shellcheck disable=SC2154
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
work=$TEST_BUILDDIR/tests/gallery_test.tmp
. "$TEST_SRCDIR/common/shell.sh"

need python3 ffmpeg
gallery=$TEST_SRCDIR/../bench/gallery
compare=$TEST_BUILDDIR/bench/picture_compare

picture() { ffmpeg -v error -nostdin -f lavfi -i "$1" -frames:v 1 -pix_fmt rgb24 -y "$2"; }
picture testsrc=size=64x48 good.png
picture "testsrc=size=64x48,noise=alls=60:all_seed=1" bad.png
"$compare" good.png good.png >line 2>&1 || skip "$(cat line)"

# The scene's text is the name of the picture that the program copies, or what it does.
cat >program <<'END'
#!/bin/bash
[ "$1" = --no-window ] && [ "$2" = -o ] && [ $# -eq 4 ] || { echo "arguments $*" >&2; exit 2; }
case $(cat "$4") in
copy*) cp "$PICTURES/$(cut -d' ' -f2 "$4")" "$3" && cp "$4" written_here ;;
frames*) for n in 1 2; do
		cp "$PICTURES/$(cut -d' ' -f$((n + 1)) "$4")" "${3%.png}.000$n.png"
	done ;;
nothing) ;;
fail) echo "a first line" >&2; echo "scene.rib:1:1: <broken>" >&2; exit 1 ;;
hang) sleep 100 ;;
esac
END
chmod +x program
PICTURES=$PWD
export PICTURES
mkdir -p scenes/ref
scene() {
	mkdir -p "scenes/$1"
	echo "$2" >"scenes/$1/scene.rib"
	[ -z "$3" ] || cp "$3" "scenes/$1/../ref/$1.png"
}
scene same 'copy good.png' good.png
scene 'odd name & <b>' 'copy good.png' good.png
scene noisy 'copy bad.png' good.png
scene alone 'copy good.png'
scene last 'frames bad.png good.png' good.png
scene first 'frames good.png bad.png' good.png
printf '%s\n' '# limits' 'first:1 0.99' '* 0.99 default reason' 'noisy 0.2 much <noise>' >limits
gallery() {
	"$gallery" --scenes scenes --program ./program --compare "$compare" --limits limits "$@"
}

run 0 '' gallery --out a
check "SSIM of equal pictures" \
	grep -q '^same: SSIM 1.0000 (limit 0.990), PSNR inf dB, 0.00 %' stdout
check "the limit of a scene" grep -q '^noisy: SSIM 0\.[2-9].* (limit 0.200)' stdout
check "a scene without reference" grep -q '^alone: no reference picture' stdout
check "the last frame is compared" grep -q '^last: SSIM 1.0000' stdout
check "the frame of the limits is compared" grep -q '^first: SSIM 1.0000' stdout
check "the scene's folder is not written" test ! -e scenes/same/written_here
check "the scene's output is in the work folder" test -s a/same/written_here
check "a sheet has three pictures and two gaps" grep -q 'width 208 height 48' <(
	"$compare" a/same/sheet.png a/same/sheet.png)
check "names and reasons are escaped" grep -q 'odd name &amp; &lt;b&gt;' a/index.html
check "the page has the reason" grep -q 'much &lt;noise&gt;' a/index.html
check "the page counts the scenes" grep -q '6 scenes, 0 failed' a/index.html

echo 'noisy 0.999 strict' >>limits
run 1 '1 of 2 scenes failed: noisy' gallery --out a noisy same
check "a scene below its limit" grep -q '^noisy: below the limit: SSIM' stdout
check "the page marks it" grep -q '<tr class="failed"><td>noisy' a/index.html
echo 'noisy - no limit' >>limits
run 0 '' gallery --out a noisy
check "no limit" grep -q '^noisy: SSIM .* (no limit)' stdout

echo 'alone - only the exit code and the file' >>limits
run 0 '' gallery --out a alone
check "the page has the reason of a scene without reference" \
	grep -q 'no reference picture<br>only the exit code and the file' a/index.html
scene alone nothing
run 1 'failed: alone' gallery --out a alone
scene broken fail good.png
run 1 'scenes failed: broken' gallery --out b broken
check "the last line of the error" grep -qF 'exit code 1: scene.rib:1:1: <broken>' stdout
check "the page escapes it" grep -q 'scene.rib:1:1: &lt;broken&gt;' b/index.html
scene broken nothing good.png
run 1 'failed: broken' gallery --out b broken
check "a program without a picture" grep -q 'the program wrote no picture.png' stdout
scene broken hang good.png
run 1 'failed: broken' gallery --out b --timeout-s 0.5 broken
check "a program that does not end" grep -q 'did not end within 0.5 s' stdout
scene broken 'copy limits' good.png
run 1 'failed: broken' gallery --out b broken
check "a picture that is none" grep -q 'is no PNG, TIFF or EXR file' stdout
run 1 'failed: same' gallery --out b --program ./missing same

run 2 "no scene 'unknown'" gallery --out b unknown
run 2 'has no scene' gallery --out b --scenes scenes/ref
echo 'noisy 7' >limits
run 2 'limits:1: a line is SCENE\[:FRAME\] LEAST_SSIM REASON' gallery --out b
run 1 'No such file' gallery --out b --limits none

# The comparison alone.
run 1 'none: No such file' "$compare" good.png none
run 2 '1 files when there should be 2' "$compare" good.png
run 1 'the SSIM is 0' "$compare" --least-ssim 0.99 good.png bad.png
run 0 '' "$compare" --least-ssim 0.2 --diff diff.png good.png bad.png
check "the difference has the size of the pictures" \
	grep -q "width 64 height 48" <("$compare" diff.png good.png)
finish
