#!/usr/bin/env bash
# gpuintra from the command line: exit codes, messages, output files, pipes, signals. The input is
# tested by gpuintra_input_test.sh, names of output files by outfile_test.sh. FFMPEG and FFPROBE
# select other programs; without them their checks are left out.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
ffmpeg=${FFMPEG:-ffmpeg} ffprobe=${FFPROBE:-ffprobe}
work=$TEST_BUILDDIR/tests/gpuintra_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/gpuintra.sh
. "$TEST_SRCDIR/apps/gpuintra.sh"

same_samples() { cmp -s <(tail -n +2 "$1") <(tail -n +2 "$2"); }
: >empty.mp4
head -n 1 in.y4m >header.y4m

# --- the command line -------------------------------------------------------------------------

run 0 '' "$gpuintra" --help
check "--help does not fit 80 columns" [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ]
run 0 '' "$gpuintra" --version
check "--version does not name FFmpeg" grep -q libavformat stdout
documented "$gpuintra" "$TEST_SRCDIR/../apps/gpuintra"

run 2 "'99' is not 0..51" "$gpuintra" -i in.y4m --qp 99
run 2 "'-1' is not 0..51" "$gpuintra" -i in.y4m --qp=-1
run 2 "'27x' is not 0..51" "$gpuintra" -i in.y4m -q27x
run 2 "'0' is not 1..1055" "$gpuintra" -i in.y4m --slices 0
run 2 '1000 is not in 1..3, the macroblock rows' cpu -i in.y4m --slices 1000 -o out.264
run 2 "'fast' is not one of dynamic, static, sync" "$gpuintra" -i in.y4m --sched fast
run 2 "'gpu' is not one of auto, cpu, cuda" "$gpuintra" -i in.y4m --backend gpu
for value in maybe 7 -7 1: 1:7 1:2:3 0x1 off:; do
	run 2 "--deblock: '$value' is not on, off" "$gpuintra" -i in.y4m --deblock "$value"
done
for value in 13 -13 1: :1 1:13 1:-13 1:2:3 off 0x1; do
	run 2 "--chroma-qp-offset: '$value' is not CB or CB:CR, each of -12 to 12" \
		"$gpuintra" -i in.y4m --chroma-qp-offset "$value"
done
run 2 '--chroma-qp-offset 1:2 needs --profile high' "$gpuintra" -i in.y4m --chroma-qp-offset 1:2
run 2 'needs --profile high' "$gpuintra" -i in.y4m --chroma-qp-offset 1:2 --profile main
run 2 '--cqm jvt needs --profile high' "$gpuintra" -i in.y4m --cqm jvt
run 2 '--output-csp i400 needs --profile high' "$gpuintra" -i in.y4m --output-csp i400
run 2 '--cqm none.cfg: No such file' "$gpuintra" -i in.y4m --cqm none.cfg --preset fast
run 2 '--cqm .: ' "$gpuintra" -i in.y4m --cqm . --preset fast
printf 'INTRA4X4_LUMA 16\nflat' >short.cfg
run 2 '--cqm short.cfg: line 2: ' "$gpuintra" -i in.y4m --cqm short.cfg --preset fast
printf 'INTRA4X4_LUMA = 4\0' >nul.cfg
run 2 '--cqm nul.cfg: is no text' "$gpuintra" -i in.y4m --cqm nul.cfg --preset fast
run 2 'too long' "$gpuintra" -i in.y4m --cqm /dev/zero --preset fast
run 2 "'7' is not one of auto, 1, 1b" "$gpuintra" -i in.y4m --level 7
run 2 "'i4:2' is not" "$gpuintra" -i in.y4m --disable-modes i4:3,i4:2
run 2 'cannot be combined' "$gpuintra" -i in.y4m --disable-modes i4:all,i16:all
run 2 'WIDTHxHEIGHT' "$gpuintra" -i in.yuv --size 64
run 2 'a rate such as' "$gpuintra" -i in.yuv --size 64x48 --rate 0
run 2 "no pixel format 'yuv'" "$gpuintra" -i in.y4m --size 64x48 --pixel-format yuv -o out.264
run 2 "no input format 'y5m'" "$gpuintra" -i in.y4m --input-format y5m -o out.264
run 2 "the closest option is --slices" "$gpuintra" -i in.y4m --slcies 4
run 2 "unknown option '-z'" "$gpuintra" -z
run 2 "unexpected argument 'b.y4m'; --input is given already" "$gpuintra" -i in.y4m b.y4m
run 2 "unexpected argument 'in.y4m'; --input is given, too" "$gpuintra" in.y4m -i b.y4m
run 2 "unexpected argument 'b.y4m'" "$gpuintra" in.y4m b.y4m
run 2 "unknown option '--fpz'; see gpuintra --help" "$gpuintra" -i in.y4m --fpz 25
run 2 "unknown option '--keyint'; every picture is an IDR picture" "$gpuintra" in.y4m --keyint 1
run 2 '--rate: .* a rate such as' "$gpuintra" -i in.yuv --size 64x48 --fps 0
run 2 '--size: .*WIDTHxHEIGHT' "$gpuintra" -i in.yuv --input-res 64
run 2 '--cqm none.cfg: No such file' "$gpuintra" -i in.y4m --cqmfile none.cfg --preset fast
run 2 '--pass-log needs --pass' "$gpuintra" -i in.y4m -o out.264 --passlogfile a.log
run 1 'nofile.mp4: No such file' cpu -i nofile.mp4
run 0 '5 frames' cpu in.y4m -o one.264 --aud
check "--aud" [ "$(head -c 5 one.264 | od -An -tx1 | tr -d ' ')" = 0000000109 ]
run 2 '--qp needs a value' "$gpuintra" -i in.y4m --qp
run 2 'takes no value' "$gpuintra" -i in.y4m --psnr=1
run 2 'no input' "$gpuintra"
run 2 '-o is required' "$gpuintra" -i -
run 2 'must end in' "$gpuintra" -i in.y4m -o out.avi
run 2 'both write to' "$gpuintra" -i in.y4m -o - --recon -
run 2 'both write to' "$gpuintra" -i in.y4m -o - --pass 1 --pass-log -
run 2 'both write to' "$gpuintra" -i in.y4m -o b.264 --pass 1 --pass-log b.264
run 2 'would replace the input' "$gpuintra" -y -i in.y4m -o b.264 --pass 1 --pass-log in.y4m
run 2 'would replace the input, --pass-log' "$gpuintra" -y -i in.y4m -o b.264 --bitrate 9 --pass 2 \
	--pass-log ./b.264
run 2 '--aq-strength needs --aq-mode' "$gpuintra" -i in.y4m --aq-strength 1
run 2 '--aq-strength needs --aq-mode' "$gpuintra" -i in.y4m --tune psnr --aq-strength 2
for option in '--device all' '--device 0' '--gpu-workers 8' '--sm-limit 16' \
	'--stream-priority -1'; do
	# shellcheck disable=SC2086
	run 2 "${option% *} has no effect with --backend cpu; remove one of them, or use" \
		cpu -i in.y4m $option
done
run 2 '--threads has no effect with --backend cuda' "$gpuintra" -i in.y4m --backend cuda -t 2
# Of a short input --backend auto selects the CPU.
run 0 '' "$gpuintra" -i in.y4m -o either.264 -t 2 --gpu-workers 8 --sm-limit 16 --stream-priority -1
run 0 '' cpu -i in.y4m -o threads.264 --gpu-workers 0 --sm-limit 0 --stream-priority 0
check "options of the GPU change the stream" cmp either.264 threads.264
run 2 'cannot be read again' "$gpuintra" -i - -o out.264 --loop 2
run 2 'cannot be read again' "$gpuintra" -i /dev/null -o out.264 --loop 2

# --- output -----------------------------------------------------------------------------------

mkdir -p folder
echo precious >folder/in.mp4
cp folder/in.mp4 precious
cp in.y4m folder/in.y4m
cd folder || exit 1
run 1 'in.mp4: exists already; -y' cpu -i ../in.y4m
cd .. || exit 1
for option in '-i nowhere.y4m' '-i empty.mp4' '-i in.y4m --slices 1000' '-i header.y4m' \
	'-i in.y4m --qp 99'; do
	# shellcheck disable=SC2086
	cpu $option -y -o folder/in.mp4 >stdout 2>stderr
	check "$option touched the existing output" cmp -s folder/in.mp4 precious
done
for option in --recon --stats --trace; do
	run 1 'precious: exists already' cpu -i in.y4m -o out.264 $option precious
done
check "a refused report left an output" [ ! -e out.264 ]
run 0 'frames' cpu -i in.y4m -y -o folder/in.mp4
check "-y did not overwrite" has_frames 5 folder/in.mp4
cp folder/in.mp4 folder/self.mp4
cd folder || exit 1
run 2 'would replace the input, .* choose another name with -o' cpu -y -i self.mp4
cd .. || exit 1
check "the input was overwritten" cmp -s folder/in.mp4 folder/self.mp4
run 0 '-> in.mp4' cpu -i folder/in.y4m
check "no default output" has_frames 5 in.mp4
run 1 'nowhere/out.mp4: No such file' cpu -i in.y4m -o nowhere/out.mp4
# The reason is not cut off behind a long name.
long=$(printf '%0400d' 0)
run 1 '0: File name too long' cpu -i "$long" -o long.264
run 1 '0.264: File name too long' cpu -i in.y4m -o "$long.264"
run 1 '0.json: File name too long' cpu -i in.y4m -o long.264 --stats "$long$long.json"
run 2 '/o.xyz: the name must end in' cpu -i in.y4m -o "$(printf './%.0s' {1..300})o.xyz"
if [ "$(id -u)" -ne 0 ]; then
	mkdir closed && chmod 555 closed
	run 1 'closed/out.mp4: Permission denied' cpu -i in.y4m -o closed/out.mp4
else
	without "a folder that may not be written to, for root may"
fi
if [ -w /dev/full ]; then
	# shellcheck disable=SC2016
	run 1 'standard output: No space left' sh -c \
		'"$0" --backend cpu -i in.y4m -o - >/dev/full' "$gpuintra"
	run 1 '/dev/full: No space left' cpu -i in.y4m -o out.264 --recon /dev/full
	# The input stalls, and the program ends without waiting for it.
	mkfifo held.in
	exec 7<>held.in
	head -c $((header_bytes + 3 * frame_bytes)) in.y4m >&7
	run 1 '/dev/full: No space left' cpu -i held.in -o /dev/full --frames-in-flight 1
	exec 7>&-
else
	without "a full device, for there is no /dev/full"
fi
# A disk that is full after 8 KiB, or behind the fragments of 1, 2, 4 and 8 frames.
"$picgen" noise 64x48 40 >long.y4m
for type in 264:8 mkv:8 mp4:120 mov:120; do
	run 1 'File too large' bash -c 'ulimit -f '${type#*:}';
		"$0" --backend cpu -i long.y4m -q 4 -o big.'${type%:*} "$gpuintra"
done
check "what fits of a .264 was not kept" [ -s big.264.part ]
check "what fits of a .mkv was not kept" [ -s big.mkv.part ]
for type in mp4 mov; do
	check "the first fragments of a .$type: $(frames big.$type.part) frames" \
		has_frames 15 big.$type.part
done
check "an incomplete file has its name" [ -z "$(find . -name 'big.???')" ]

# The reader of a pipe exits: no message, no end by a signal. 2.2 MB are more than a pipe holds.
cpu -i long.y4m --loop 12 -q 0 -o - 2>stderr | head -c 10 >/dev/null
check "exit code after a closed pipe" [ "${PIPESTATUS[0]}" -eq 1 ]
check "messages after a closed pipe: $(cat stderr)" [ ! -s stderr ]

# --- output streams ---------------------------------------------------------------------------

for type in 264 h264 mkv mov mp4; do
	run 0 '5 frames' cpu -i in.y4m -o type.$type
	check "type.$type has not 5 frames" has_frames 5 type.$type
	check "type.$type depends on FFmpeg's version" \
		[ "$(grep -acE 'Lavf[0-9]' type.$type)" -eq 0 ]
done
cpu -i - -o - <in.y4m >pipe.264 2>/dev/null
check "a pipe gives another stream" cmp -s pipe.264 type.264
cat in.y4m | cpu -i - -o - 2>stderr | cat >pipe.264
check "a pipe gives another stream" cmp -s pipe.264 type.264
check "no summary in a pipe" [ "$(wc -l <stderr)" -eq 1 ]
cpu -i - -o redirected.mp4 --quiet <type.mp4
check "an .mp4 on standard input" has_frames 5 redirected.mp4
run 0 '' cpu -i in.y4m -o quiet.264 --quiet
check "--quiet is not" [ ! -s stderr ]
run 0 '2 frames' cpu -i in.y4m -o two.264 --frames 2
check "--frames" has_frames 2 two.264
run 0 '12 frames' cpu -i in.y4m -o loop.mp4 --loop 3 --frames 12
run 0 '12 frames' cpu -i in.y4m -o loop2.mp4 --loop 3 --frames 12 --loop-memory 10K
check "a loop that is decoded again gives another file" cmp -s loop.mp4 loop2.mp4
run 0 'PSNR Y [0-9.]* U' cpu -i in.y4m -o psnr.264 --psnr --recon recon.y4m --stats stats.json \
	--trace trace.json
check "--psnr or --recon change the stream" cmp -s psnr.264 type.264
for options in '' '--loop 2' '--loop 2 --loop-memory 10K' '--frames-in-flight 1'; do
	# shellcheck disable=SC2086
	run 0 'SSIM Y 0.9[0-9]* U' cpu -i in.y4m -o ssim.264 -y --ssim --stats ssim.json $options
	[ -e ssim.first ] || grep '"ssim"' ssim.json >ssim.first
	check "--ssim with $options: $(grep '"ssim"' ssim.json), not $(cat ssim.first)" \
		grep -qxF "$(cat ssim.first)" ssim.json
done
check "the size of --recon" [ "$(tail -n +2 recon.y4m | wc -c)" -eq $((5 * frame_bytes)) ]
check "--recon of the stream decoded is not the same" \
	eval 'cpu -i psnr.264 -o again.264 --recon again.y4m --quiet; has_frames 5 again.y4m'
for field in startup_ms steady_frames_per_s; do
	check "$field is not in --stats" grep -q "\"$field\": [0-9]*[1-9]" stats.json
done
check "--stats: profile, cabac and transform8x8 are not those of Baseline" grep -q \
	'^ "profile": "baseline", "cabac": false, "transform8x8": false,$' stats.json
check "no start-up in the last line: $(tail -n 1 stderr)" \
	grep -q 'after [0-9]* ms of start-up' stderr
# coded PROFILE CABAC TRANSFORM8X8 OPTIONS...: what --stats says of the stream.
coded() {
	local want="\"profile\": \"$1\", \"cabac\": $2, \"transform8x8\": $3,"
	shift 3
	run 0 '' cpu -i in.y4m -o coded.264 -y --quiet --stats coded.json "$@"
	check "--stats with $*: no $want" grep -qF "$want" coded.json
}
coded main true false --profile main
coded main false false --profile main --qp 13
coded main true false --profile main --qp 0 --cabac on
coded main false false --profile main --cabac off
coded high true true --profile high --8x8dct on
coded high false true --profile high --8x8dct on --cabac off
coded main true false --preset ultrafast
coded high true true --preset medium
coded main true false --preset medium --profile main
coded high true false --preset veryslow --8x8dct off --rd 2 --trellis 0
# disabled BITS OPTIONS...: those of disable_modes in --stats.
disabled() {
	local want="\"disable_modes\": $1,"
	shift
	run 0 '' cpu -i in.y4m -o coded.264 -y --quiet --stats coded.json "$@"
	check "--stats with $*: no $want" grep -qF "$want" coded.json
}
disabled 524288 --preset ultrafast
disabled 0 --preset superfast
disabled 0 --preset ultrafast --disable-modes none
disabled 524296 --disable-modes i4:ddl,i4:upright
# offsets ALPHA BETA OPTIONS...: those of the filter in --stats.
offsets() {
	local want="\"deblock_alpha\": $1, \"deblock_beta\": $2,"
	shift 2
	run 0 '' cpu -i in.y4m -o coded.264 -y --quiet --stats coded.json "$@"
	check "--stats with $*: no $want" grep -qF "$want" coded.json
}
offsets 0 0 --deblock on
offsets -3 -3 --deblock=-3
offsets 6 -6 --deblock 6:-6 --tune film
offsets -1 -1 --tune film
offsets -2 -2 --tune grain --deblock on
coded baseline false false --chroma-qp-offset -12
# x264's names of what is switched off.
coded high false false --preset fast --no-cabac --no-8x8dct
run 0 '' cpu -i in.y4m -o no.264 --quiet --no-deblock
run 0 '' cpu -i in.y4m -o off.264 --quiet --deblock off
check "--no-deblock is not --deblock off" cmp -s no.264 off.264
# An option that is given with its default takes precedence over the tune's value.
for strength in "" "--aq-strength 0.6" "--aq-strength 1"; do
	# shellcheck disable=SC2086
	run 0 '' cpu -i in.y4m -o "aq$strength.264" --quiet --tune animation $strength
done
check "--tune animation has another strength than 0.6" cmp -s aq.264 "aq--aq-strength 0.6.264"
differ() { ! cmp -s "$1" "$2"; }
check "--aq-strength 1 does not override --tune" differ aq.264 "aq--aq-strength 1.264"
coded high true true --preset fast --cqm jvt --chroma-qp-offset 12
coded high true true --preset fast --chroma-qp-offset -12:12
coded baseline false false --chroma-qp-offset 3:3
run 0 'PSNR Y [0-9.]* dB -> ' cpu -i in.y4m -o gray.mp4 -y --preset fast --output-csp i400 --psnr \
	--recon gray.y4m
check "--recon of --output-csp i400" grep -aq '^YUV4MPEG2 .* Cmono' gray.y4m
# Grey input is 4:2:0 with neutral chroma, as in the plugins: all decoders have that.
run 0 '' cpu -i gray.y4m -o neutral.264 --quiet --stats neutral.json --recon neutral.y4m
check "grey input: not Baseline" grep -q '"profile": "baseline"' neutral.json
check "grey input: not 4:2:0" grep -aq '^YUV4MPEG2 .* C420' neutral.y4m
for qp in 0 1 25 26 27 51; do # the length of pic_init_qp_minus26 depends on it
	coded high true true --profile high --8x8dct on --cabac on --qp $qp
	coded high true false --profile high --8x8dct off --cabac on --qp $qp
done
if command -v python3 >/dev/null; then
	for file in stats trace; do
		check "$file.json is no JSON" python3 -m json.tool $file.json stdout
	done
else
	without "reading JSON, for want of python3"
fi

run 0 '' cpu -i in.y4m -o svg.264 --trace trace.svg --quiet
check "--trace FILE.svg changes the stream" cmp -s svg.264 type.264
check "--trace FILE.svg is no picture" grep -q '^<svg xmlns="http://www.w3.org/2000/svg" ' trace.svg
check "--trace FILE.svg shows no tasks" grep -q '<title>task ' trace.svg
if command -v python3 >/dev/null; then
	check "--trace FILE.svg is no XML" python3 -c \
		'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' trace.svg
else
	without "reading SVG, for want of python3"
fi

# Lines before frames may have parameters, also of different lengths.
{
	head -n 1 in.y4m
	for i in 0 1 2 3 4; do
		printf 'FRAME Ip%0*d\n' $((i * 20)) 0
		tail -c +$((header_bytes + i * frame_bytes + 7)) in.y4m |
			head -c $((frame_bytes - 6))
	done
} >lines.y4m
cpu -i lines.y4m -o lines.264 --quiet
check "parameters of FRAME change the stream" cmp -s lines.264 type.264
cat lines.y4m | cpu -i - -o - --quiet >lines.264
check "parameters of FRAME change the stream through a pipe" cmp -s lines.264 type.264

# Raw video: the same pictures give the same stream.
for i in 0 1 2 3 4; do
	tail -c +$((header_bytes + i * frame_bytes + 7)) in.y4m | head -c $((frame_bytes - 6))
done >in.yuv
run 0 '5 frames' cpu -i in.yuv --size 64x48 --rate 25 -o raw.mp4
check "raw video" has_frames 5 raw.mp4
{
	echo 'YUV4MPEG2 W65 H49 F25:1 Ip A1:1 C420jpeg'
	for i in 1 2; do
		echo FRAME
		head -c $((65 * 49 + 2 * 33 * 25)) "$gpuintra"
	done
} >odd.y4m
run 0 'odd.y4m: 65x49 is padded to 66x50' cpu -i odd.y4m -o odd.mp4
check "the odd size is said more than once" [ "$(grep -c 'is padded' stderr)" -eq 1 ]
check "odd.mp4" has_frames 2 odd.mp4
{
	echo 'YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C444'
	for i in 1 2; do
		echo FRAME
		head -c $((64 * 48 * 3)) "$gpuintra"
	done
} >full.y4m
run 0 'converted from yuv444p' cpu -i full.y4m -o full.mp4
check "the conversion is reported more than once" [ "$(grep -c converted stderr)" -eq 1 ]

if command -v "$ffmpeg" >/dev/null && command -v "$ffprobe" >/dev/null; then
	show() { "$ffprobe" -v error -select_streams v -show_entries "$1" -of csv=p=0 "$2" |
		tr -d ',\n '; }
	ff() { "$ffmpeg" -v error -nostdin -y "$@"; }
	times() { "$ffprobe" -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 \
		"$1"; }
	end() { show stream=duration "$1"; }
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=10' -vf \
		"setpts='PTS+gt(N,3)*0.37/TB+gt(N,6)*0.013/TB'" \
		-c:v ffv1 -pix_fmt yuv420p -fps_mode vfr vfr.mkv
	for type in mp4 mov mkv; do
		cpu -i vfr.mkv -o vfr2.$type --quiet
		check "$type: variable timestamps" cmp -s <(times vfr.mkv) <(times vfr2.$type)
	done
	ff -f lavfi -i 'testsrc=s=64x48:d=10:r=25' -vf "select='not(mod(n,17))'" -fps_mode vfr \
		-c:v ffv1 \
		-pix_fmt yuv420p slow.mkv
	check "15 frames in 9.56 s become $(cpu -i slow.mkv -o slow.mp4 --quiet --stats - |
		grep duration_s)" \
		grep -q '"duration_s": 9.560000' <(cpu -i slow.mkv -o /dev/null --quiet --stats -)
	check "9.56 s become $(show format=duration slow.mp4) s" \
		[ "$(show format=duration slow.mp4)" = 9.560000 ]
	# Sound from 0 s on, video from 0.5 s on: a round follows the one before without a pause.
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=10' -f lavfi -i 'sine=d=1' \
		-filter_complex "[0:v]setpts='PTS+0.5/TB'[v]" \
		-map '[v]' -map 1:a -c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le later.mkv
	for memory in 1G 1K; do
		cpu -y -i later.mkv -o later.mp4 --loop 3 --loop-memory $memory --quiet
		check "--loop 3 of 1 s, $memory: $(show stream=duration later.mp4) s" \
			[ "$(show stream=duration later.mp4)" = 3.000000 ]
	done
	for transfer in smpte2084 arib-std-b67 bt2020-10; do
		ff -f lavfi -i 'testsrc=s=64x48:d=1:r=2' -c:v ffv1 -pix_fmt yuv420p10le \
			-color_primaries bt2020 \
			-color_trc $transfer -colorspace bt2020nc hdr.mkv
		run 0 'warning: hdr.mkv: .*10 bits with transfer (PQ|HLG|bt2020-10) .*-vf zscale' \
			cpu -y -i hdr.mkv -o hdr.264
	done
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=2' -c:v mpeg2video -flags +ilme+ildct \
		-top 1 fields.mkv
	run 1 'error: fields.mkv: the video is interlaced' cpu -i fields.mkv -o fields.mp4
	check "refused input left an output" [ ! -e fields.mp4 ]
	run 0 'warning: fields.mkv: the video is interlaced' cpu -i fields.mkv -o fields.mp4 \
		--interlaced-as-frames
	# Only the container states fields, or it states nothing.
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=5' -c:v png -field_order tt stated.mkv
	run 0 'warning: stated.mkv: the file states interlaced video' cpu -i stated.mkv -o tt.264
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=5' -c:v png unknown.mkv
	run 0 '' cpu -i unknown.mkv -o unknown.264
	check "a warning without a reason: $(cat stderr)" [ "$(grep -c interlaced stderr)" -eq 0 ]
	check "unknown fields give other pictures" cmp -s tt.264 unknown.264
	# From a frame on: the pictures before it are kept.
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=5' -c:v mpeg2video -g 1 begin.m2v
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=5' -c:v mpeg2video -g 1 -flags +ilme+ildct \
		-top 1 end.m2v
	cat begin.m2v end.m2v >both.m2v
	run 1 'both.m2v: the video is interlaced .* from frame [45] on' cpu -i both.m2v \
		-o both.264
	ff -f lavfi -i 'testsrc=s=64x48:d=1:r=30000/1001' -c:v ffv1 -pix_fmt yuv422p \
		-color_range pc \
		-colorspace bt709 -color_primaries bt709 -color_trc bt709 -aspect 2:1 colour.mkv
	cpu -i colour.mkv -o colour.mp4 --quiet
	for what in stream=color_range stream=sample_aspect_ratio stream=avg_frame_rate \
		stream=color_primaries \
		stream=color_space stream=color_transfer; do
		check "$what: $(show $what colour.mkv) became $(show $what colour.mp4)" \
			[ "$(show $what colour.mkv)" = "$(show $what colour.mp4)" ]
	done
	ff -i type.mp4 -c copy -metadata:s:v rotate=90 turned.mp4 2>/dev/null
	[ -n "$(show stream_side_data=rotation turned.mp4)" ] ||
		ff -display_rotation -90 -i type.mp4 -c copy turned.mp4
	for type in mp4 mov; do
		cpu -i turned.mp4 -o turned2.$type --quiet
		check "$type: rotation" [ "$(show stream_side_data=rotation turned.mp4)" = \
			"$(show stream_side_data=rotation turned2.$type)" ]
	done
	run 0 'cannot store the rotation of the picture' cpu -i turned.mp4 -o turned.264
	check "the last frame's duration: $(end type.mp4)" [ "$(end type.mp4)" = 0.200000 ]
	# FFmpeg adds up floats and prints six digits.
	numbers() { grep -oE '[01]\.[0-9]{6}' | tr '\n' ' '; }
	ssim=$("$ffmpeg" -nostdin -v info -i type.mp4 -i in.y4m -lavfi ssim -f null - 2>&1 |
		sed -n '/ SSIM Y:/s/([^)]*)//gp' | numbers)
	own=$(numbers <ssim.first)
	check "--ssim: $own, FFmpeg: $ssim" awk -v a="$own" -v b="$ssim" 'BEGIN {
		if (split(a, x) != 4 || split(b, y) != 4) exit 1
		for (i = 1; i <= 4; i++) if ((x[i] - y[i]) ^ 2 > 1e-10) exit 1 }'
	ff -i psnr.264 -f yuv4mpegpipe -strict -1 decoded.y4m
	check "FFmpeg decodes something else than --recon" same_samples decoded.y4m recon.y4m
else
	without "timestamps, colour and rotation, for want of ffmpeg and ffprobe"
fi

if [ -e /dev/nvidiactl ]; then
	without "--backend cuda without a device, for there may be one"
else
	run 1 '--backend cuda: ' "$gpuintra" --backend cuda -i in.y4m -o cuda.264
	check "--backend cuda left an output" [ ! -e cuda.264 ]
	run 0 '\(cpu\)' "$gpuintra" -i in.y4m -o auto.264
fi

# --- signals ----------------------------------------------------------------------------------

# stalled SIGNAL RC: the input has three frames and then stalls; the signal is sent after the first
# frame was encoded.
stalled() {
	local byte pid rc=0
	mkfifo "$1.in" "$1.recon"
	launch "$gpuintra" --backend cpu -i "$1.in" -o "$1.mp4" --recon "$1.recon" \
		--frames-in-flight 1
	exec 7>"$1.in"
	head -c $((header_bytes + 3 * frame_bytes)) in.y4m >&7 # less than a pipe holds
	exec 8<"$1.recon"
	IFS= read -r -n 1 -u 8 byte
	check "$1: nothing was encoded" [ "$byte" = Y ]
	kill -s "$1" "$pid"
	cat <&8 >"$1.y4m"
	wait "$pid" || rc=$?
	exec 7>&- 8<&-
	check "$1: exit code $rc" [ $rc -eq "$2" ]
	check "$1: the file does not play: $(cat stderr)" [ "$(frames "$1.mp4")" -ge 1 ]
}
stalled INT 130
stalled TERM 143
# Before the first frame: no file remains.
mkfifo late.in
launch "$gpuintra" --backend cpu -i late.in -o late.mp4
exec 7>late.in
kill -s TERM $pid
rc=0
wait $pid || rc=$?
exec 7>&-
check "a signal before the first frame: exit code $rc" [ $rc -eq 143 ]
check "a signal before the first frame left an output" [ ! -e late.mp4 ]
# A named pipe without a reader: the first signal ends the wait, and the output is complete. The
# wait begins after .part (--recon) or the output (--stats) has appeared. timeout sends the signal a
# second time: if it arrives while a leak is searched for at the exit, LeakSanitizer hangs.
mkfifo unread
for option in recon:.part stats:; do
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 \
		launch timeout 60 "$gpuintra" --backend cpu -i in.y4m -o "${option%:*}.mp4" \
		"--${option%:*}" unread --quiet
	await [ -e "${option%:*}.mp4${option#*:}" ]
	kill -s INT -- -$pid
	rc=0
	wait $pid || rc=$?
	check "--${option%:*} without a reader: exit code $rc" [ $rc -eq 130 ]
	check "--${option%:*} without a reader: $(cat stderr)" \
		grep -q 'unread: interrupted; no program has opened this pipe for reading' stderr
	check "--${option%:*} without a reader: the output does not play" \
		[ "$(frames "${option%:*}.mp4")" -ge 1 ]
done

finish
