#!/usr/bin/env bash
# Input of gpuintra: damaged and hostile files, names, levels, timestamps, interlacing, --seek, and
# options that describe it.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
media=$TEST_SRCDIR/../media
work=$TEST_BUILDDIR/tests/gpuintra_input_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

"$picgen" noise 96x80 3 >other.y4m
"$picgen" noise 176x144 1 >wide.y4m

# --- invalid input ----------------------------------------------------------------------------

: >empty.mp4
head -c 100000 "$gpuintra" >binary.mp4
echo 'This is no video.' >text.txt
head -n 1 in.y4m >header.y4m
head -c $((header_bytes + 3 * frame_bytes - 100)) in.y4m >short.y4m
head -c 450000 "$media/face_1080x720.mp4" >short.mp4
head -c 200000 "$media/face_1080x720.mp4" >none.mp4
head -c 200 "$media/foreman_cif.mkv" >head.mkv
head -c 600000 "$media/foreman_cif.mkv" >half.mkv
run 1 'nowhere.y4m: No such file' cpu -i nowhere.y4m -o out.264
run 1 'Is a directory' cpu -i . -o out.264
run 1 'empty.mp4: the input is empty' cpu -i empty.mp4 -o out.264
run 1 'binary.mp4: ' cpu -i binary.mp4 -o out.264
cp binary.mp4 size.yuv
run 2 'size.yuv: raw video states no size.*--size' cpu -i size.yuv -o out.264
run 2 'raw video states no size' cpu -i binary.mp4 --input-format rawvideo -o out.264
run 1 'text.txt: not a video' cpu -i text.txt -o out.264
run 1 'head.mkv: not a video that FFmpeg can read, or damaged' cpu -i head.mkv -o out.264
run 1 'header.y4m: the video has no frames' cpu -i header.y4m -o out.264
run 1 'standard input: the input is empty' cpu -i - -o out.264
check "a bad input left an output" [ ! -e out.264 ]
if [ "$(id -u)" -ne 0 ]; then
	cp in.y4m secret.y4m
	chmod 0 secret.y4m
	run 1 'secret.y4m: Permission denied' cpu -i secret.y4m -o out.264
else
	without "a file that may not be read, for root may"
fi

# hostile TEXT PATTERN: a .y4m with this TEXT is refused, from a file and through a pipe.
hostile() {
	# shellcheck disable=SC2059
	printf "$1" >hostile.y4m
	run 1 "hostile.y4m: $2" cpu -y -i hostile.y4m -o hostile.264
	# shellcheck disable=SC2016
	run 1 "standard input: $2" \
		sh -c 'cat hostile.y4m | "$0" --backend cpu -y -i - -o hostile.264' "$gpuintra"
}
hostile 'YUV4MPEG2 W64 H48' 'the first line of this .y4m does not end'
hostile "YUV4MPEG2 W64 H48 X$(printf '%05000d' 0)\nFRAME\n" \
	'the first line of this .y4m does not end'
hostile 'YUV4MPEG2 W64 H48\n' 'the video has no frames'
hostile 'YUV4MPEG2 W64 H48\nFRAME\n' 'no frame can be decoded'
hostile 'YUV4MPEG2 H48\nFRAME\n' 'the first line of this .y4m has no W'
hostile 'YUV4MPEG2 W0 H48\nFRAME\n' "'W0' in the first line"
hostile 'YUV4MPEG2 W64 H99999999999999999999\nFRAME\n' "'H9*' in the first line"
hostile 'YUV4MPEG2 W64 H48 Iq\nFRAME\n' "'Iq' in the first line"
hostile "YUV4MPEG2 W16 H16\nFRAME\n%0384dFRAMES\n" \
	'truncated or damaged after frame 1: no line FRAME'
hostile "YUV4MPEG2 W16 H16\nFRAME\n%0384dFRA" 'truncated or damaged after frame 1'
hostile "YUV4MPEG2 W16 H16\nFRAME\n%0384dFRAME X%0300d\n" \
	'truncated or damaged after frame 1: no line FRAME'
printf 'YUV4MPEG2 W65535 H65535\nFRAME\n' >huge.y4m
run 1 'no frame can be decoded: a frame of 65535x65535 has 6442319873 bytes' \
	cpu -y -o hostile.264 -i huge.y4m

# Damaged after some frames: these are encoded; exit code 1.
run 1 'short.y4m: truncated or damaged after frame 2' cpu -i short.y4m -o short.264
check "short.264 has not 2 frames" has_frames 2 short.264
run 1 'none.mp4: no frame can be decoded' cpu -i none.mp4 -o none.mkv
run 1 'short.mp4: truncated or damaged after frame [1-9]' cpu -i short.mp4 -o short.mkv
run 1 'half.mkv: truncated or damaged after frame [1-9]' cpu -i half.mkv -o half.mp4
check "half.mp4 has no frames" [ "$(frames half.mp4)" -ge 1 ]
check "short.mkv has no frames" [ "$(frames short.mkv)" -ge 1 ]
for memory in 1G 1K; do
	run 1 'short.y4m: truncated or damaged after frame 2' \
		cpu -y -i short.y4m -o short2.264 --loop 3 --loop-memory $memory
	check "--loop 3 of 2 frames that can be read, $memory" has_frames 6 short2.264
	run 1 'short.mp4: truncated or damaged after frame [1-9]' \
		cpu -y -i short.mp4 -o short2.mkv --loop 2 --loop-memory $memory
	check "--loop 2 of a damaged .mp4, $memory" \
		[ "$(frames short2.mkv)" -eq $((2 * $(frames short.mkv))) ]
done
cpu -i in.y4m -o 1.264 --quiet && cpu -i other.y4m -o 2.264 --quiet && cat 1.264 2.264 >change.264
run 1 'frame 5 is 96x80, the frames before are 64x48' cpu -i change.264 -o change.mp4
check "change.mp4 has not 5 frames" has_frames 5 change.mp4
check "no way out: $(cat stderr)" grep -q 'scale-changes.*ffmpeg -vf scale' stderr
for memory in 0 1G; do
	run 0 'frame 5 is 96x80; it and later frames are scaled to 64x48' \
		cpu -y -i change.264 -o change.mp4 --scale-changes --loop 2 --loop-memory $memory
	check "change.mp4 has not 16 frames" has_frames 16 change.mp4
	check "one warning: $(cat stderr)" [ "$(grep -c 'are scaled' stderr)" -eq 1 ]
done
# luma FILE FRAME: the sum of the luma samples of a frame of 128x96.
luma() { tail -n +2 "$1" | tail -c +$(($2 * (6 + 128 * 96 * 3 / 2) + 7)) | head -c $((128 * 96)) |
	od -An -v -w1 -tu1 | awk '{ n += $1 } END { print n }'; }
video=$TEST_SRCDIR/data/video
run 1 'frame 10 is 64x48, the frames before are 128x96' cpu -i "$video/rc.264" -o rc.264
run 0 'frame 20 have the full range; they and later ones are converted to the limited range' \
	cpu -i "$video/rc3.264" -o rc3.m4v --recon rc3.y4m
check "the range changes: $(luma rc3.y4m 19), $(luma rc3.y4m 20)" \
	[ $((($(luma rc3.y4m 20) - $(luma rc3.y4m 19)) / 12288)) -eq 0 ]
if command -v "${FFMPEG:-ffmpeg}" >/dev/null; then
	for matrix in 1 6; do
		"${FFMPEG:-ffmpeg}" -v error -nostdin -y -i 1.264 -c copy \
			-bsf:v h264_metadata=matrix_coefficients=$matrix matrix$matrix.264
	done
	cat matrix1.264 matrix6.264 >colours.264
	run 0 'frame 5 has another matrix, primaries or transfer' cpu -i colours.264 -o colours.mp4
	run 0 '5 frames' cpu -y -i matrix1.264 -o colours.mp4
	check "a warning of one matrix" [ "$(grep -c another stderr)" -eq 0 ]
else
	without "a matrix that changes, for want of ffmpeg"
fi
check "rc3.m4v is no MP4" [ "$(head -c 8 rc3.m4v | tail -c 4)" = ftyp ]

# --- names ------------------------------------------------------------------------------------

# The report stays valid JSON with a name that is not UTF-8; a name in UTF-8 is written unchanged.
name=$(printf 'caf\351.y4m')
cp in.y4m "$name"
run 0 'frames' cpu -i "$name" -o name.264 --stats name.json
check "a byte that is not UTF-8 is not replaced" grep -qF '"input": "caf\ufffd.y4m"' name.json
cp in.y4m 'Straße.y4m'
run 0 'frames' cpu -i 'Straße.y4m' -y -o name.264 --stats street.json
check "a name in UTF-8 is changed" grep -qF '"input": "Straße.y4m"' street.json
if command -v python3 >/dev/null; then
	check "the report of a name that is not UTF-8 is no JSON" \
		python3 -m json.tool name.json stdout
	check "the report of a name in UTF-8 is no JSON" python3 -m json.tool street.json stdout
fi

# --- the level --------------------------------------------------------------------------------

# 64x48 noise at QP 0: 37 kbit a picture; 20 pictures at 25 Hz overflow the 500 kbit of level 1.1.
said='exceeds level 1.1: [0-9.]+ Mbit/s over [0-9.]+ s, the limit is 0.192 Mbit/s'
run 0 "$said.*use --level 1.2 or a higher --qp" \
	cpu -i in.y4m --loop 4 --qp 0 --level 1.1 -o level.264 --stats level.json
check "--stats does not say that the level was exceeded" \
	grep -q '"level_exceeded": true, "level_needed": 12,' level.json
run 0 'exceeds level 1: a picture of [0-9.]+ Mbit, the limit is a buffer of 0.175 Mbit' \
	cpu -i wide.y4m --qp 0 --level 1 -y -o level.264
run 0 'frames' cpu -i in.y4m --loop 4 --qp 0 -y -o level.264 --stats level.json
check "a stream within its level gives a warning" [ "$(grep -c exceeds stderr)" -eq 0 ]
check "--stats says that a level was exceeded" grep -q '"level_exceeded": false' level.json

# --- properties of the input ------------------------------------------------------------------

# Standard input at an offset in a file, as after `read` or `head`.
{ printf 'twelve bytes' && cat in.y4m; } >later.bin
later() { dd bs=12 count=1 of=/dev/null status=none && cpu -i - "$@"; }
rc=0
later -o later.264 2>stderr <later.bin || rc=$?
check "a file on standard input from an offset on: $(cat stderr)" [ $rc -eq 0 ]
check "later.264 has not 5 frames" has_frames 5 later.264
{ printf 'twelve bytes' && tail -c +$((header_bytes + 1)) in.y4m; } >later.bin
later --size 64x48 -o later2.264 --frames 3 --quiet <later.bin
check "raw video on standard input from an offset on" has_frames 3 later2.264
rate_of() { cpu "$@" -o /dev/null --quiet --stats - |
	sed -n 's/.*"frame_rate": \[\([0-9]*, [0-9]*\)\].*/\1/p'; }
sed '1s/ F[0-9:]*/ F1200:1/' in.y4m >fast.y4m
check "F1200:1 becomes $(rate_of -i fast.y4m)" [ "$(rate_of -i fast.y4m)" = "1200, 1" ]
check "--rate 1200 becomes another rate" \
	[ "$(rate_of -i in.y4m --size 64x48 --rate 1200 --frames 2)" = "1200, 1" ]
# Matroska counts milliseconds, so two of these frames have the same time.
cpu -i fast.y4m -o fast.mkv --quiet
run 0 'frame [0-9] is not later than the one before; its timestamp is raised' \
	cpu -i fast.mkv -o fast.mp4
check "frames of the same time are lost" has_frames 5 fast.mp4
sed '1s/ Ip/ It/' in.y4m >fields.y4m
for name in fields.y4m -; do
	as=$([ "$name" = - ] && echo 'standard input' || echo "$name")
	# shellcheck disable=SC2016
	run 1 "error: $as: the video is interlaced \(top field first\), .* -vf bwdif, .*as-frames" \
		sh -c '"$0" --backend cpu -i "$1" -o fields.264 <fields.y4m' "$gpuintra" "$name"
done
check "refused input left an output" [ ! -e fields.264 ]
run 0 'warning: fields.y4m: the video is interlaced \(top field first\)' \
	cpu -i fields.y4m -o fields.264 --interlaced-as-frames --loop 2
check "interlacing is reported more than once" [ "$(grep -c interlaced stderr)" -eq 1 ]

# --- --hwdec ----------------------------------------------------------------------------------

# The stream is the same whether NVDEC or the CPU decodes: H.264 decoders are exact.
cpu -i "$media/foreman_cif.mkv" --frames 20 -o decoded.264 --quiet
run 0 '20 frames' cpu -i "$media/foreman_cif.mkv" --frames 20 -o hwdec.264 --hwdec
check "--hwdec makes another stream" cmp -s decoded.264 hwdec.264
if [ ! -e /dev/nvidiactl ]; then
	check "--hwdec without a device gives no warning" grep -qE \
		'warning: .*: the CPU decodes the video, because (CUDA device 0|this FFmpeg)' stderr
	run 0 'the CPU decodes the video' cpu -y -i "$media/foreman_cif.mkv" --frames 2 --hwdec \
		--device all -o hwdec.264
else
	run 0 '20 frames' "$gpuintra" -y -i "$media/foreman_cif.mkv" --frames 20 --hwdec \
		--backend cuda -o hwdec.264
	check "--hwdec on the device makes another stream" cmp -s decoded.264 hwdec.264
fi
run 0 '5 frames' cpu -y -i in.y4m --hwdec -o hwdec.264
check "--hwdec warns for raw video" [ "$(grep -c warning stderr)" -eq 0 ]

# --- --seek and the description of the input ----------------------------------------------------

{ head -n 1 in.y4m && tail -c $((2 * frame_bytes)) in.y4m; } >last.y4m
cpu -i last.y4m -o last.264 --quiet
cpu -i in.y4m -o five.264 --quiet
cpu -i in.y4m -o five.mp4 --quiet
run 0 '2 frames' cpu -i in.y4m -o seek.264 -y --seek 3
check "--seek of a file" cmp -s seek.264 last.264
cpu -i - -o seek.264 -y --quiet --seek 3 <in.y4m
check "--seek of standard input" cmp -s seek.264 last.264
for input in five.264 five.mp4; do
	run 0 '3 frames' cpu -i $input -o part.264 -y --range 2/2
	run 0 '3 frames' cpu -i $input -o seek.264 -y --seek 2
	check "--seek of $input" cmp -s seek.264 part.264
	run 2 'no frame is left behind the first 5' cpu -i $input -o seek.264 -y --seek 5
done
run 0 '1 frame,' cpu -i in.y4m -o seek.264 -y --seek 1 --frames 1
run 0 '4 frames' cpu -i in.y4m -o seek.264 -y --seek 3 --loop 2
run 2 'no frame is left behind the first 5' cpu -i in.y4m -o seek.264 -y --seek 5
run 2 '--range cannot be combined with --seek' cpu -i in.y4m -o seek.264 -y --seek 1 --range 1/2
# What the input does not say, or says wrongly.
told=(--sar 4:3 --colorprim bt2020 --transfer arib-std-b67 --colormatrix bt2020nc)
run 0 '' cpu -i in.y4m -o told.mp4 --quiet "${told[@]}"
if command -v ffprobe >/dev/null; then
	ffprobe -v error -show_entries stream=sample_aspect_ratio,color_space,color_transfer \
		-show_entries stream=color_primaries -of default=nw=1 told.mp4 >probe
	for line in sample_aspect_ratio=4:3 color_space=bt2020nc color_transfer=arib-std-b67 \
		color_primaries=bt2020; do
		check "${told[*]}: no $line" grep -qxF "$line" probe
	done
else
	without "--sar and colours, for want of ffprobe"
fi
for sar in 0:1 4:70000 4 4/3 4:3:2 :; do
	run 2 "--sar: '$sar' is not W:H" cpu -i in.y4m -o told.mp4 -y --sar $sar
done
run 2 'not one of auto, bt709' cpu -i in.y4m -o told.mp4 -y --colorprim rec709
run 2 'the input is RGB' cpu -i in.y4m --input-format rawvideo --size 64x48 --pixel-format rgb24 \
	-o told.mp4 -y --colormatrix bt709

finish
