# Helpers of the shell tests of greyes, which source this file after common/shell.sh.
# shellcheck shell=bash
greyes=$TEST_BUILDDIR/greyes
first=$TEST_SRCDIR/../media/reyes/first.rib
unset DISPLAY WAYLAND_DISPLAY

# has PART: greyes was built with the part that --version lists.
has() { "$greyes" --version | grep -q "^$1.*: built in"; }
has PNG || skip "greyes was built without libpng, which the tests read pictures by"

# cpu RC PATTERN ARGUMENTS...: runs greyes on the CPU, as run does.
cpu() {
	local want=$1 pattern=$2
	shift 2
	run "$want" "$pattern" "$greyes" --backend cpu "$@"
}
# halves FILE: writes a scene of 64x48 pixels to FILE: its left half is red, its right half black.
halves() {
	cat >"$1" <<-'END'
		Display "halves.png" "file" "rgb"
		Format 64 48 1
		ScreenWindow -1 1 -1 1
		PixelFilter "box" 1 1
		Quantize "rgba" 255 0 255 0
		WorldBegin
		Color [1 0 0]
		Surface "constant"
		Polygon "P" [-1 -1 1  0 -1 1  0 1 1  -1 1 1]
		WorldEnd
	END
}
# frames FILE N: writes a scene of N frames; the gray of frame i is 10 i.
frames() {
	local i
	echo 'Format 16 12 1 ScreenWindow -1 1 -1 1 Quantize "rgba" 255 0 255 0' >"$1"
	for i in $(seq "$2"); do
		cat >>"$1" <<-END
			FrameBegin $i
			Display "scene$i.png" "file" "rgb"
			WorldBegin
			Color [$(awk -v i="$i" 'BEGIN { v = 10 * i / 255; print v, v, v }')]
			Surface "constant"
			Polygon "P" [-2 -2 1  2 -2 1  2 2 1  -2 2 1]
			WorldEnd
			FrameEnd
		END
	done
}
# pixels FILE [FILTER]: prints the bytes of a picture as RGB, through a filter of ffmpeg.
pixels() {
	ffmpeg -v error -i "file:$1" ${2+-vf "$2"} -f rawvideo -pix_fmt rgb24 - </dev/null
}
# colors FILE [FILTER]: prints the distinct pixels of a picture in hexadecimal, in one line.
colors() { pixels "$@" | od -An -v -tx1 -w3 | tr -d ' ' | sort -u | tr '\n' ' '; }
# size FILE: prints width and height of a picture.
size() {
	ffprobe -v error -show_entries stream=width,height -of csv=p=0:s=x "file:$1"
}
