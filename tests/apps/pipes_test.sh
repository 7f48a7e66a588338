#!/usr/bin/env bash
# Named pipes whose other end does nothing, as inputs and outputs of all programs: the first signal
# ends each wait.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/pipes_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
unset DISPLAY WAYLAND_DISPLAY
mkfifo pipe
for suffix in 264 mp4 exr rib; do ln -s pipe pipe.$suffix; done

# activity PID: changes while a thread of the process runs.
activity() { cat /proc/"$1"/task/*/stat 2>/dev/null | awk '{ print $1, $3, $14, $15 }'; }
# waiting PID: returns when all threads of the process wait, or it has ended.
waiting() {
	local before='' now same=0
	while [ $same -lt 4 ] && kill -0 "$1" 2>/dev/null; do
		now=$(activity "$1")
		if [ "$now" = "$before" ] && ! grep -q ' R ' <<<"$now"; then
			same=$((same + 1))
		else
			same=0
		fi
		before=$now
		sleep 0.02
	done
}
# stops WHAT COMMAND...: a command that waits for a pipe ends at the first SIGINT.
stops() {
	local what=$1 pid rc=0
	shift
	launch "$@" </dev/null
	waiting $pid
	check "$what: it does not wait: $(cat stderr)" kill -s INT $pid
	ended 60 $pid || kill -s KILL $pid
	{ wait $pid || rc=$?; } 2>/dev/null
	check "$what: exit code $rc: $(cat stderr)" [ $rc -eq 130 ]
}
# both WHAT COMMAND...: without a process at the other end, and with one that does nothing.
both() {
	stops "$@"
	exec 8<>pipe
	stops "$1, open" "${@:2}"
	exec 8>&-
}
# to_pipe COMMAND...: standard output is the pipe.
to_pipe=(bash -c 'exec "$@" >pipe' to_pipe)
# full WHAT COMMAND...: no process reads what the command writes.
full() {
	exec 8<>pipe
	stops "$@"
	exec 8>&-
}

# --- greyes -----------------------------------------------------------------------------------

greyes=("$TEST_BUILDDIR/greyes" --backend cpu)
cat >noise.rib <<-'END'
	Display "x" "framebuffer" "rgba"
	Format 640 480 1
	ScreenWindow -1 1 -1 1
	PixelSamples 1 1
	WorldBegin
	Surface "constant"
	Patch "bilinear" "P" [-1 -1 1  1 -1 1  -1 1 1  1 1 1]
		"varying color Cs" [0 1 .3  1 .1 .9  .2 .7 1  1 .4 .1]
	WorldEnd
END
both 'greyes SCENE' "${greyes[@]}" pipe.rib -o x.tif
if "${greyes[0]}" --version | grep -q '^OpenEXR.*: built in'; then
	stops 'greyes -o' "${greyes[@]}" noise.rib -o pipe.exr
	full 'greyes -o, full' "${greyes[@]}" noise.rib -o pipe.exr
	sed 's/"x" "framebuffer"/"pipe" "exr"/' noise.rib >names.rib
	full 'greyes, Display' "${greyes[@]}" -y names.rib
	run 1 'pipe: is no regular file; the scene may write to it with -y only' \
		"${greyes[@]}" names.rib
	run 1 'pipe: no program has opened this pipe for reading' "${greyes[@]}" -y names.rib
fi
stops 'greyes --stats' "${greyes[@]}" noise.rib --stats=pipe

# --- gqueens, gsched --------------------------------------------------------------------------

gqueens=$TEST_BUILDDIR/gqueens
full 'gqueens to standard output' "${to_pipe[@]}" "$gqueens" 13 --print
stops 'gqueens --json' "$gqueens" 8 --json=pipe
run 1 'pipe is no regular file' "$gqueens" --merge pipe
gsched=$TEST_BUILDDIR/gsched
both 'gsched --input' "$gsched" run collide --backend cpu -i pipe --json x.json
check "gsched --input: a part file is left" [ -z "$(find . -name '*.part')" ]
stops 'gsched --csv' "$gsched" run sort --backend cpu -n 1000 --csv pipe

# --- gpuintra ---------------------------------------------------------------------------------

gpuintra=("$TEST_BUILDDIR/gpuintra" --backend cpu -y)
if [ -x "${gpuintra[0]}" ]; then
	"$TEST_BUILDDIR/tests/h264intra/picgen" noise 320x240 20 >in.y4m
	both 'gpuintra --input' "${gpuintra[@]}" -i pipe -o x.264
	both 'gpuintra --cqm' "${gpuintra[@]}" -i in.y4m -o x.264 --cqm pipe
	stops 'gpuintra --pass-log' "${gpuintra[@]}" -i in.y4m -o x.264 --pass 2 --bitrate 1000 \
		--pass-log pipe
	stops 'gpuintra --output' "${gpuintra[@]}" -i in.y4m -o pipe.264
	full 'gpuintra, .mp4' "${gpuintra[@]}" -i in.y4m -q 0 -o pipe.mp4
	full 'gpuintra to standard output' "${to_pipe[@]}" "${gpuintra[@]}" -i in.y4m -q 0 -o -
	full 'gpuintra --recon' "${gpuintra[@]}" -i in.y4m -o x.264 --recon pipe
	rm -f x.264.part
else
	without "gpuintra, which is not built"
fi

finish
