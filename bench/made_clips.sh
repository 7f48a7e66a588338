#!/usr/bin/env bash
# Makes clips of kinds that media/ does not have, for bench/bdrate.py --clips: text on a screen,
# smooth gradients, noise, film grain, fractals, and rendered scenes.
#
#     bench/made_clips.sh FOLDER [FRAMES]     1280x720, 3 frames without a number,
#                                           of rendered scenes 2 at most
#
# Needs ffmpeg with the filters of Debian's package and the font DejaVu Sans Mono; greyes from
# GREYES, the current folder or the path. The samples depend on the version of FFmpeg.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:?folder} frames=${2:-3}
mkdir -p "$out"
greyes=${GREYES:-$([ -x ./greyes ] && echo ./greyes || command -v greyes || true)}

# clip NAME OPTION... : writes NAME.y4m, by ffmpeg with these options.
clip() {
	local name=$1
	shift
	ffmpeg -v error -y "$@" -frames:v "$frames" -pix_fmt yuv420p "$out/$name.y4m" </dev/null
}
lavfi() { clip "$1" -f lavfi -i "$2"; }

font=$(fc-match -f '%{file}' 'DejaVu Sans Mono')
sed -n '1,60{s/[%\\:]/ /g;p}' "$top/bench/notes/decisions.md" | cut -c 1-140 >"$out/text.txt"
lavfi screen_text "color=white:s=1280x720:r=30,drawtext=fontfile=$font:textfile=$out/text.txt:\
fontsize=14:line_spacing=3:x=8:y=8-15*n"
luma="128+100*sin((X+3*N)/211)*cos(Y/173)" # the filter gradients has random colours
lavfi gradients "nullsrc=s=1280x720:r=30,format=yuv420p,geq=lum='$luma':\
cb='128+60*sin((X-Y)/97)':cr='128+60*cos((X+2*Y+5*N)/131)'"
lavfi noise "color=gray:s=1280x720:r=30,noise=alls=30:allf=t:all_seed=7"
lavfi mandelbrot "mandelbrot=s=1280x720:r=30:start_scale=0.3:end_scale=0.001"
clip film_grain -i "$top/media/bbb_720p.mp4" -vf "noise=alls=9:allf=t:all_seed=7"
if [ -x "$greyes" ]; then
	for n in 0 1; do # a frame each
		scenes=(first solids)
		"$greyes" --quiet -y --res 1280x720 -o "$out/scene$n.png" \
			"$top/media/reyes/${scenes[n]}.rib"
	done
	clip rendered -framerate 30 -i "$out/scene%d.png"
	rm -f "$out"/scene*.png
else
	echo "made_clips: no greyes, so no rendered.y4m" >&2
fi
rm -f "$out/text.txt"
