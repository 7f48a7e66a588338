# Runs of the programs in which one call fails (preload.c): faults_long.sh takes a sample of them,
# faults_weekly.sh all. Sourced after common/shell.sh. Each run ends with exit code 1 and a message,
# or with the right result; each output file is the old one or the new one, and no other file is
# left but a .part that a message names, or that gpuintra keeps.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
preload=$TEST_BUILDDIR/tests/faults/faults.so
limit_s=60
kinds='alloc open read write seek fsync rename'
cases='mp4 mov h264 sound aac passes second queens checkpoint boards png exr texture spawn sort'

# case_of NAME: sets program, its options, and what it writes to its folder: files that are the same
# in each run (exact), files with times, of which the last line is the same (timed), a checkpoint of
# gqueens (resumed), and whether standard output is the same (printed). Inputs are in the folder
# above.
case_of() {
	program=gpuintra exact=() timed=() resumed='' printed=0
	case $1 in
	mp4) options=(-i ../in.y4m -o out.mp4) exact=(out.mp4) ;;
	mov) options=(-i ../in.y4m -o out.mov) exact=(out.mov) ;;
	h264)
		options=(-i ../in.y4m -o out.264 --recon out.y4m --stats out.json --trace out.svg)
		exact=(out.264 out.y4m) timed=(out.json out.svg)
		;;
	sound) options=(-i ../sound.mkv -o out.mkv --preset fast) exact=(out.mkv) ;;
	aac) options=(-i ../aac.mkv -o out.mp4) exact=(out.mp4) ;;
	passes) options=(-i ../in.y4m --pass 1 --pass-log out.log --bitrate 900) exact=(out.log) ;;
	second)
		options=(-i ../in.y4m -o out.mp4 --pass 2 --pass-log ../first.log --bitrate 900)
		exact=(out.mp4)
		;;
	queens) program=gqueens options=(10 --unique --json out.json) printed=1 timed=(out.json) ;;
	checkpoint) program=gqueens options=(11 -c out.q --resume) printed=1 resumed=out.q ;;
	boards) program=gqueens options=(8 --print 3 --svg out.svg) printed=1 exact=(out.svg) ;;
	png)
		program=greyes exact=(out.png) timed=(out.json out.svg)
		options=(../first.rib -o out.png --res 32x24 --stats out.json --trace out.svg)
		;;
	exr) program=greyes options=(../first.rib -o out.exr --res 32x24) exact=(out.exr) ;;
	texture) program=greyes options=(../texture.rib) exact=(out.tif out.tx) ;;
	spawn)
		program=gsched timed=(out.json out.svg)
		options=(spawn -n 500 -r 1 --queue ring --json out.json --trace out.svg)
		;;
	sort) program=gsched options=(run sort -n 1000 -r 1 --json out.json) timed=(out.json) ;;
	esac
	options+=(--backend cpu --threads 2)
	[ "$program" != gsched ] || options[-2]=--workers
	[ "$program" != greyes ] || options+=(--no-window)
	[ "$1" = checkpoint ] || options+=(-y)
	case $1 in sound | aac) [ -s "$top/$1.mkv" ] || return ;; esac
	[ -x "$TEST_BUILDDIR/$program" ]
}

make_inputs() {
	top=$PWD
	echo "old" >old
	"$TEST_BUILDDIR/tests/h264intra/picgen" noise 64x48 3 >in.y4m
	! [ -x "$TEST_BUILDDIR/gpuintra" ] || "$TEST_BUILDDIR/gpuintra" -i in.y4m --pass 1 \
		--pass-log first.log --bitrate 900 --backend cpu --quiet
	cp "$TEST_SRCDIR/../media/reyes/first.rib" .
	"$TEST_BUILDDIR/greyes" first.rib --no-window --quiet --backend cpu -o in.tif --res 16x16
	cat >texture.rib <<-'END'
		MakeTexture "../in.tif" "out.tx" "periodic" "periodic" "box" 1 1
		Display "out.tif" "file" "rgb"
		Format 24 24 1
		Projection "perspective" "fov" [30]
		Translate 0 0 5
		WorldBegin
		LightSource "ambientlight" 1
		Surface "paintedplastic" "texturename" ["out.tx"]
		Sphere 1 -1 1 360
		WorldEnd
	END
	command -v ffmpeg >/dev/null || return
	# More bytes of sound than a demuxer reads at once.
	ffmpeg -nostdin -v error -i in.y4m -f lavfi -i sine=duration=0.8 -c:v ffv1 \
		-c:a pcm_s16le sound.mkv
	ffmpeg -nostdin -v error -i in.y4m -f lavfi -i sine=duration=0.2 -c:v ffv1 -c:a aac aac.mkv
}

# start [VARIABLE=VALUE...]: runs the program of case_of in a folder with the old files.
start() {
	local file
	rm -rf run && mkdir run && cd run || exit 1
	for file in "${exact[@]}" "${timed[@]}"; do cp ../old "$file"; done
	rc=0
	timeout -k 5 "$limit_s" env "$@" "$TEST_BUILDDIR/$program" "${options[@]}" \
		>../stdout 2>../stderr </dev/null || rc=$?
	cd ..
}

# reference NAME: runs a case without a fault; counts.NAME has the number of calls of each kind.
reference() {
	local renames syncs
	case_of "$1" || return
	start LD_PRELOAD="$preload" FAULTS_COUNT="$top/counts.$1"
	check "$1: exit code $rc: $(cat stderr)" [ $rc -eq 0 ]
	renames=$(sed -n 's/^rename //p' "counts.$1")
	syncs=$(sed -n 's/^fsync //p' "counts.$1")
	check "$1: $renames files get their names, $syncs are on the disk" \
		[ "$renames" -le "$syncs" ]
	mv run "right.$1" && cp stdout "stdout.$1"
}

# same FILE: an output of the run is the old file or the right one.
same() {
	{ [ $rc -ne 0 ] && cmp -s "run/$1" old; } || cmp -s "run/$1" "right.$name/$1"
}
ends_right() {
	{ [ $rc -ne 0 ] && cmp -s "run/$1" old; } ||
		[ "$(tail -n 1 "run/$1" 2>/dev/null)" = "$(tail -n 1 "right.$name/$1")" ]
}

# foreign NAMES: the call that failed was an allocation within one of these libraries. FFmpeg drops
# what it has no memory for and returns success, so that the result may be another. FFmpeg 5.1 and
# libtiff 4.5 read NULL.
foreign() {
	grep -q '^alloc' log && grep -vE '^alloc|/faults\.so|/libc\.so' log | head -n 1 |
		grep -qE "/lib($1)[a-z]*\\.so"
}

# complaint: prints what is wrong with the run of the case `name`, nothing if all is right.
complaint() {
	local file
	case $rc in
	0) [ $printed -eq 0 ] || cmp -s stdout "stdout.$name" || echo "standard output" ;;
	1) grep -q 'error: ' stderr || echo "exit code 1 without a message" ;;
	124) echo "no end after $limit_s s" ;;
	13[49]) foreign 'av|sw|tiff' || echo "exit code $rc" ;;
	*) echo "exit code $rc" ;;
	esac
	for file in "${exact[@]}"; do
		same "$file" || { [ $rc -eq 0 ] && foreign 'av|sw'; } || echo "$file"
	done
	for file in "${timed[@]}"; do ends_right "$file" || echo "$file"; done
	for file in run/* run/.[!.]*; do
		file=${file#run/}
		[ ! -e "run/$file" ] || [ -e "right.$name/$file" ] ||
			{ [ $rc -ne 0 ] && [ "$file" != "${file%.part}" ] &&
				{ [ $program = gpuintra ] || grep -qF "$file" stderr; }; } ||
			echo "left: $file"
	done
	[ -z "$resumed" ] || {
		(cd run && "$TEST_BUILDDIR/$program" "${options[@]}" --quiet) >again 2>&1
		cmp -s again "stdout.$name" || echo "the next run: $(head -n 1 again)"
	}
}

# callers: prints the names of the functions that made the call that failed.
callers() {
	sed -n 's/.*(\([a-z][a-z0-9_]*\)+.*/\1/p' log | sed -n '3,7p' | tr '\n' ' '
}

# fault NAME KIND N: the N-th call of the kind fails in a run of the case.
fault() {
	local wrong name=$1
	case_of "$1"
	: >log
	start LD_PRELOAD="$preload" FAULTS_KIND="$2" FAULTS_AT="$3" FAULTS_LOG="$top/log"
	wrong=$(complaint)
	[ -n "$wrong" ] || ok
	[ -z "$wrong" ] || bad "$1 $2 $3: ${wrong//$'\n'/, }; $(tail -n 1 stderr); $(callers)"
}

# places: prints NAME KIND N for each call of each case.
places() {
	local name kind count n
	for name in $cases; do
		[ -e "counts.$name" ] || continue
		while read -r kind count; do
			for ((n = 1; n <= count; n++)); do echo "$name $kind $n"; done
		done <"counts.$name"
	done
}

# faults EVERY: makes each EVERY-th call fail, 0: about a hundred of all calls.
faults() {
	local every=$1 name kind n
	[ -e "$preload" ] || skip "no tests/faults/faults.so"
	make_inputs
	for name in $cases; do reference "$name" || without "$name"; done
	places >places
	[ "$every" -gt 0 ] || every=$((($(wc -l <places) + 99) / 100))
	while read -r name kind n; do fault "$name" "$kind" "$n"; done < <(
		sed -n "$(((every + 1) / 2))~${every}p" places)
	finish
}
