#!/usr/bin/env bash
# conformance.sh [OPTION...] [CLIP...]: compares the output of an independent decoder with the
# reconstruction of gpuintra.
#
# Each case is encoded with --recon and decoded by the ffmpeg program or by libopenh264. A case
# fails if the decoder prints a warning, if a decoded sample differs from the recon file, or if
# another scheme or number of threads writes another stream.
#
#   --quick            run the short set of `make check`: a few cases of every kind
#   --no-large         leave out the pictures of --quick above 176x144
#   --artificial LIST  set the pictures that picgen draws, as KIND:WIDTHxHEIGHT; "" for none
#   --slices LIST      set the numbers of slices, at most the macroblock rows ["1 2 4 8"]
#   --qp LIST          set the quantisers ["0 5 10 22 27 37 51"]
#   --schemes LIST     set the dependency schemes: the stream of the first is decoded, those of the
#                      others are compared with it ["dynamic static sync"]
#   --backend NAME     select the backend of gpuintra [cpu]
#   --frames N         encode the first N frames of each clip [10]
#   --decoder NAME     select ffmpeg, or openh264 (up to level 5.2) [ffmpeg]
#   --options "..."    add options for gpuintra
#   --jobs N           run N cases at the same time [1]
#   --work DIR         set the folder for temporary files [a new one, deleted at the end]
#   --help             print this text
# CLIP is a video file that ffmpeg reads, or a folder of them. ffmpeg converts clips to .y4m with
# 8-bit 4:2:0 samples first.
#
# Environment: GPUINTRA, FFMPEG, PICGEN and OPENH264 name the programs [./gpuintra, ffmpeg, and
# picgen and openh264_decode of tests/h264intra/].
set -uo pipefail
unset CDPATH
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

slices="1 2 4 8" qps="0 5 10 22 27 37 51" schemes="dynamic static sync" backend=cpu frames=10
decoder=ffmpeg options='' jobs=1 work='' quick=no large=yes
clips=()
artificial="noise:16x16 extreme:18x18 flat4:18x18 noise:176x144 dots:176x144 flat16:176x144
	ramp:1080x720 black:1920x1080 zero:1920x1080 flat4:1920x1080 noise:1920x1080
	extreme:1920x1080 white:3840x2160 ramp:3840x2160 noise:3840x2160 full:640x360"

stop() { echo "conformance: $*" >&2; exit 2; }

while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=yes; shift; continue ;;
	--no-large) large=no; shift; continue ;;
	--help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
	--*) [ $# -ge 2 ] || stop "$1 needs a value" ;;
	*) clips+=("$1"); shift; continue ;;
	esac
	case $1 in
	--artificial) artificial=$2 ;;
	--slices) slices=$2 ;;
	--qp) qps=$2 ;;
	--schemes) schemes=$2 ;;
	--backend) backend=$2 ;;
	--frames) frames=$2 ;;
	--decoder) decoder=$2 ;;
	--options) options=$2 ;;
	--jobs) jobs=$2 ;;
	--work) work=$2 ;;
	*) stop "unknown option $1; see --help" ;;
	esac
	shift 2
done

ffmpeg=${FFMPEG:-ffmpeg}
command -v "$ffmpeg" >/dev/null || stop "program '$ffmpeg' not found; install ffmpeg or set FFMPEG"
gpuintra=${GPUINTRA:-}
for p in ./gpuintra "$here/../gpuintra" "$here/../build/gpuintra"; do
	[ -n "$gpuintra" ] || [ ! -x "$p" ] || gpuintra=$p
done
command -v "${gpuintra:=gpuintra}" >/dev/null ||
	stop "program '$gpuintra' not found; build it or set GPUINTRA"
if [ -z "$work" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
picgen=${PICGEN:-}
if [ -z "$picgen" ]; then
	picgen=$work/picgen
	${CC:-cc} -O2 -o "$picgen" "$here/../tests/h264intra/picgen.c" ||
		stop "cannot build tests/h264intra/picgen.c"
fi
case $decoder in
ffmpeg) ;;
openh264)
	command -v "${OPENH264:=$here/../build/tests/h264intra/openh264_decode}" >/dev/null ||
		stop "program '$OPENH264' not found; build tests/h264intra/openh264_decode or set" \
			"OPENH264"
	;;
*) stop "--decoder must be ffmpeg or openh264, not '$decoder'" ;;
esac
threads=$(nproc)

ff() { "$ffmpeg" -hide_banner -nostdin -loglevel warning "$@"; }

# samples FILE.y4m: prints the file without its header, which programs format differently.
samples() { tail -n +2 "$1"; }

# encode INPUT QP SLICES SCHEME THREADS OUTPUT [RECON]
encode() {
	local more=()
	[ "$backend" = cuda ] || more=(--threads "$5")
	[ $# -lt 7 ] || more+=(--recon "$7")
	# shellcheck disable=SC2086
	"$gpuintra" -i "$1" --qp "$2" --slices "$3" --sched "$4" \
		--backend "$backend" -y --quiet $options -o "$6" "${more[@]}" </dev/null 2>"$6.log"
}

# decode STREAM OUTPUT.y4m: decodes; warnings and errors go to standard error.
decode() {
	if [ "$decoder" = openh264 ]; then
		"$OPENH264" "$1" >"$2"
	else
		# a picture of noise is larger than the default probesize
		ff -xerror -probesize 1G -i "$1" -fps_mode passthrough -f yuv4mpegpipe -strict -1 \
			-y "$2"
	fi
}

# one INPUT.y4m QP SLICES: runs a case and prints its result in one line; fails if the case fails.
one() {
	local in=$1 qp=$2 n=$3 name at scheme t bytes why=''
	name=$(basename "$in" .y4m)
	at=$work/$name.$qp.$n
	set -- $schemes
	if ! encode "$in" "$qp" "$n" "$1" "$threads" "$at.264" "$at.recon.y4m"; then
		why="gpuintra failed: $(tail -n 1 "$at.264.log")"
	elif ! decode "$at.264" "$at.dec.y4m" 2>"$at.log" || [ -s "$at.log" ]; then
		why="the decoder printed: $(head -n 1 "$at.log")"
	elif ! cmp <(samples "$at.recon.y4m") <(samples "$at.dec.y4m") >"$at.log" 2>&1; then
		why="recon and decoded picture differ: $(head -n 1 "$at.log")"
	elif [ "$(samples "$in" | wc -c)" -ne "$(samples "$at.dec.y4m" | wc -c)" ]; then
		why="the number of decoded frames is wrong"
	fi
	shift
	t=1
	for scheme; do
		[ -z "$why" ] || break
		if ! encode "$in" "$qp" "$n" "$scheme" "$t" "$at.$scheme.264"; then
			why="gpuintra --sched $scheme failed: $(tail -n 1 "$at.$scheme.264.log")"
		elif ! cmp -s "$at.264" "$at.$scheme.264"; then
			why="--sched $scheme --threads $t writes another stream"
		fi
		t=$((t + 2))
	done
	bytes=$(wc -c <"$at.264" 2>/dev/null || echo 0)
	rm -f "$at".*
	if [ -n "$why" ]; then
		echo "FAIL $name qp $qp slices $n: $why"
		return 1
	fi
	echo "ok   $name qp $qp slices $n: $bytes bytes"
}

# draw KIND:WIDTHxHEIGHT: draws a picture and prints its file name.
draw() {
	local out=$work/${1/:/_}.y4m
	[ -e "$out" ] || "$picgen" "${1%:*}" "${1#*:}" 2 >"$out" || stop "picgen cannot draw $1"
	echo "$out"
}

# convert CLIP FRAMES: writes the first frames to a .y4m file and prints its name. 8-bit 4:2:0
# samples are not changed.
convert() {
	local out
	out=$work/$(basename "${1%.*}").y4m
	if [ ! -e "$out" ]; then
		local format=()
		"$ffmpeg" -hide_banner -nostdin -i "$1" 2>&1 | grep -qE 'Video:.* yuvj?420p[,( ]' ||
			format=(-pix_fmt yuv420p)
		ff -noautorotate -i "$1" -map 0:v:0 -frames:v "$2" -fps_mode passthrough \
			"${format[@]}" -f yuv4mpegpipe -strict -1 "$out" 2>/dev/null || return 1
	fi
	echo "$out"
}

# rows FILE.y4m: prints the number of macroblock rows.
rows() { head -n 1 "$1" | sed 's/.* H\([0-9]*\).*/\1/' | awk '{ print int(($1 + 15) / 16) }'; }

# --- the cases: "file qp slices" lines ----------------------------------------------------------
cases=$work/cases
: >"$cases"
if [ "$quick" = yes ]; then
	[ ${#clips[@]} -eq 1 ] || stop "--quick needs exactly one clip, not ${#clips[@]}"
	clip=$(convert "${clips[0]}" 2) || stop "cannot read ${clips[0]}"
	for c in "0 1" "10 4" "22 2" "27 8" "37 1" "51 4"; do echo "$clip $c"; done >>"$cases"
	while read -r picture list && [ -n "$picture" ]; do
		file=$(draw "$picture") || exit 2
		for c in $list; do echo "$file ${c/:/ }"; done
	done >>"$cases" <<-END
		noise:16x16 0:1 27:1 51:1
		extreme:16x16 0:1 5:1
		flat4:18x18 0:1 22:2 51:2
		extreme:18x18 10:2
		black:176x144 0:1 51:4
		zero:176x144 0:2 27:4
		full:176x144 0:1 37:2
		white:176x144 27:1
		noise:176x144 0:4 5:1 27:8
		dots:176x144 0:1 10:2 37:1
		flat4:176x144 5:4 27:1
		flat16:176x144 0:1 27:4 51:8
		$([ "$large" = no ] || printf '%s\n' 'ramp:1080x720 22:4' 'flat4:1920x1080 27:8')
	END
else
	for picture in $artificial; do
		file=$(draw "$picture") || exit 2
		for q in $qps; do for n in $slices; do echo "$file $q $n"; done; done
	done >>"$cases"
	for path in "${clips[@]}"; do
		if [ -d "$path" ]; then set -- "$path"/*; else set -- "$path"; fi
		for clip; do
			if ! file=$(convert "$clip" "$frames"); then
				[ -d "$path" ] || stop "cannot read $clip"
				echo "conformance: '$clip' is no video for ffmpeg; left out" >&2

				continue
			fi
			for q in $qps; do for n in $slices; do echo "$file $q $n"; done; done
		done
	done >>"$cases"
fi

# --- run ----------------------------------------------------------------------------------------
results=$work/results
: >"$results"
while read -r file q n; do
	[ "$n" -le "$(rows "$file")" ] || continue
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
	one "$file" "$q" "$n" >>"$results" &
done <"$cases"
wait
grep -v '^ok' "$results"
ok=$(grep -c '^ok' "$results")
bad=$(grep -vc '^ok' "$results")
total=$(awk 'BEGIN { n = 0 } /^ok/ { n += $(NF - 1) } END { print n }' "$results")
echo "conformance: $ok of $((ok + bad)) streams decode to the recon file bit for bit ($total bytes)"
[ "$bad" -eq 0 ] && [ "$ok" -gt 0 ]
