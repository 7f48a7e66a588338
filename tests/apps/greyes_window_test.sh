#!/usr/bin/env bash
# The window of greyes on a virtual X server: the pixels on the screen are those of the PNG file;
# keys and mouse. Skipped without Xvfb, or if greyes was built without SDL.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/greyes_window_test.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
# shellcheck source=tests/apps/greyes.sh
. "$TEST_SRCDIR/apps/greyes.sh"
has window || skip "greyes was built without SDL"
need Xvfb:xvfb
# LeakSanitizer reports what the X and font libraries keep until the process ends.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0

exec 8>display
Xvfb -displayfd 8 -screen 0 800x600x24 -nolisten tcp >xvfb.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
until [ -s display ] || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
[ -s display ] || skip "Xvfb does not start: $(tail -n 1 xvfb.log)"
export DISPLAY=:$(cat display)

# The server begins anew when its last client has gone, and closes what has connected meanwhile, so
# the first command after a window is tried again.
x() {
	local rc=0
	"$TEST_BUILDDIR/tests/apps/x_client" "$DISPLAY" "$@" 2>x.err || rc=$?
	if [ $rc -ne 0 ] && grep -q 'closed the connection' x.err; then
		sleep 0.5
		rc=0
		"$TEST_BUILDDIR/tests/apps/x_client" "$DISPLAY" "$@" 2>x.err || rc=$?
	fi
	cat x.err >&2
	return $rc
}
# title TEXT: the title of the window contains the text, sooner or later.
title() { check "title '$1'" x wait "$1" >title.txt; }
differ() { ! cmp -s "$1" "$2"; }
# opens ARGUMENTS...: starts greyes in the background.
opens() { launch "$greyes" --backend cpu "$@" </dev/null; }
# ends RC: greyes ends with this exit code.
ends() {
	local rc=0
	wait $pid || rc=$?
	check "exit code $rc instead of $1: $(cat stderr)" [ $rc -eq "$1" ]
}

# --- the picture ------------------------------------------------------------------------------

opens "$first" --res 320x240 --samples 2
title 'first.rib frame 1, 100 %, no further frame, q: quit$'
x shot shot.rgb >shot.size
check "size of the window: $(cat shot.size)" [ "$(cat shot.size)" = '320 240' ]
pixels first.png >first.rgb
check "the window shows other values than the PNG file has" cmp -s shot.rgb first.rgb
check "the picture has one color" [ "$(od -An -v -tx1 -w3 shot.rgb | sort -u | wc -l)" -gt 100 ]

# --- mouse and keys ---------------------------------------------------------------------------

x move 100 140
# shellcheck disable=SC2046
set -- $(od -An -tu1 -j $((3 * (140 * 320 + 100))) -N 3 first.rgb)
title "| 100,140: $1 $2 $3 ("
x key +
title '200 %'
x shot zoom.rgb >/dev/null
ffmpeg -v error -i first.png -vf crop=160:120:80:60,scale=320:240:flags=neighbor -f rawvideo \
	-pix_fmt rgb24 -y twice.rgb </dev/null
check "+ shows other pixels than the middle of the picture" cmp -s zoom.rgb twice.rgb
x drag 130 160
title '| 130,130: '
x key -
title '100 %'
x key f
title '100 %, no further frame, q: quit | 130,160: '
x wheel up
title '119 %'
x key 1
title '100 %'
x key ]
x key ]
title 'exposure +0.50, gamma 1.00'
x key .
title 'exposure +0.50, gamma 1.10'
x key ,
x key [
title 'exposure +0.25, gamma 1.00'
x key s
x key 0
title '100 %, no further frame, q: quit |'
x shot again.rgb >/dev/null
check "0 does not restore the picture" cmp -s again.rgb first.rgb
check "s saves nothing: $(ls)" [ "$(size first-1.png)" = 320x240 ]
pixels first-1.png >bright.rgb
check "s saves the picture without the exposure" differ bright.rgb first.rgb
x key s
x key n
title 'no further frame'
await [ -s first-2.png ]
pixels first-2.png >saved.rgb
check "s saves other values" cmp -s saved.rgb first.rgb
x key r
x key q
ends 0

# On a dense screen the mouse is placed in units of the window, here of two pixels each: SDL reports
# half the size. A sanitizer's runtime must be the first library.
cat >dense.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>

	void SDL_GetWindowSize(void *window, int *width, int *height)
	{
		void (*size)(void *, int *, int *);

		*(void **)&size = dlsym(RTLD_NEXT, "SDL_GetWindowSize");
		size(window, width, height);
		*width /= 2;
		*height /= 2;
	}
END
# shellcheck disable=SC2086
if [[ ${CFLAGS-} != *-fsanitize=* ]] &&
	${CC:-cc} ${CFLAGS-} -shared -fPIC -o dense.so dense.c -ldl; then
	launch env LD_PRELOAD="$PWD/dense.so" "$greyes" --backend cpu "$first" --res 320x240 \
		--samples 2 </dev/null
	title 'first.rib frame 1, 50 %, no further frame, q: quit$'
	x move 10 10
	title '| 41,41: '
	x move 30 20
	title '| 121,81: '
	x drag 40 20
	x move 30 20
	title '| 81,81: '
	x key q
	ends 0
else
	without "a dense screen, for want of a library to preload"
fi

# --- frames, quitting, cancellation -----------------------------------------------------------

frames three.rib 3
sed 's/"file"/"framebuffer"/' three.rib >shown.rib
opens shown.rib --res 64x48
for i in 1 2 3; do
	title "shown.rib frame $i, 100 %, n: next frame, q: quit\$"
	x shot gray.rgb >/dev/null
	check "frame $i: $(od -An -tu1 -N 3 gray.rgb)" \
		[ "$(od -An -v -tu1 -w3 gray.rgb | sort -u | tr -s ' ')" = \
		" $((10 * i)) $((10 * i)) $((10 * i))" ]
	check "frame $i is written" [ ! -e scene$i.png ]
	x key n
done
title 'no further frame'
x key Escape
ends 0

# Frames that write files follow each other.
opens three.rib --res 64x48
title 'three.rib frame 3, 100 %, no further frame, q: quit$'
check "files of three frames: $(echo scene*)" [ "$(echo scene?.png | wc -w)" -eq 3 ]
x key q
ends 0

# The key r renders the frame that is shown, also after the scene was read to its end.
frames five.rib 5
opens five.rib --res 64x48 --frames 2-3
title 'five.rib frame 3, 100 %, no further frame'
rm scene3.png
x key r
await [ -e scene3.png ]
title 'five.rib frame 3, 100 %, no further frame'
x shot gray.rgb >/dev/null
check "r: $(od -An -tu1 -N 3 gray.rgb)" [ "$(od -An -tu1 -N 3 gray.rgb | tr -s ' ')" = ' 30 30 30' ]
check "r renders another frame: $(echo scene*.png)" [ ! -e scene5.png ]
x key n
title 'no further frame'
x key q
ends 0
# Standard input is read once.
launch "$greyes" --backend cpu - --res 64x48 --frames 2 <five.rib
title 'frame 2, 100 %, no further frame'
x key r
await grep -q 'standard input is read once' stderr
x key q
ends 0

# The window fills while the frame is rendered: the title has the picture's scale and the progress.
opens "$first" --res 400x300 --shadingrate 0.005
title 'frame 1, 100 %, rendering'
x shot part.rgb >shot.size
check "size of the window: $(cat shot.size)" [ "$(cat shot.size)" = '400 300' ]
check "the window shows no finished bucket" \
	[ "$(od -An -v -tx1 -w3 part.rgb | sort -u | wc -l)" -gt 10 ]
x key q
ends 0
opens "$first" --res 400x300 --shadingrate 0.005
title 'rendering'
kill -TERM $pid
ends 143

# --- --watch ----------------------------------------------------------------------------------

halves halves.rib
opens halves.rib --watch
title 'halves.rib frame 1, 100 %, no further frame'
sed 's/Color \[1 0 0\]/Color [0 1 0]/' halves.rib >new.rib
mv new.rib halves.rib
x move 5 5
title ': 0 255 0 ('
echo >halves.rib
await grep -q 'has no frame' stderr
halves halves.rib
title ': 255 0 0 ('
x key q
ends 0

# --- --fly ------------------------------------------------------------------------------------

# plane Z COLOR: prints a scene with a rectangle at the distance Z, in the middle of the picture.
plane() {
	cat <<-END
		Display "plane.png" "file" "rgb"
		Format 120 90 1
		Projection "perspective" "fov" [40]
		WorldBegin
		Surface "constant"
		Color [$2]
		Polygon "P" [-2 -2 $1  2 -2 $1  2 1 $1  -2 1 $1]
		WorldEnd
	END
}
plane 10 '1 0.5 0' >plane.rib
plane 9.5 '1 0.5 0' >near.rib
run 0 '' "$greyes" --backend cpu near.rib -o near.png
opens plane.rib --fly
title 'plane.rib frame 1, 100 %, n: next frame'
x key w
title 'frames/s'
x shot flown.rgb >/dev/null
pixels near.png >near.rgb
pixels plane.png >plane.rgb
check "w is not a step of a twentieth of the distance" cmp -s flown.rgb near.rgb
check "the scene's file is not that of its camera" differ near.rgb plane.rgb
x move 60 45
x drag 90 45
x key h
x move 0 0
x key r
x key q
ends 0
# Levels of detail depend on the camera: the scene is read again.
sed 's/^Polygon/Detail [-2 2 -2 1 9 10] DetailRange [0 0 1e9 1e9]\n&/' plane.rib >detail.rib
opens detail.rib --fly
title 'detail.rib frame 1, 100 %, n: next frame'
x key w
title 'frames/s'
x shot flown.rgb >/dev/null
check "w in a scene with levels of detail: $(cat stderr)" cmp -s flown.rgb near.rgb
check "the scene is not read again" grep -q 'read again for each movement' stderr
x key q
ends 0
run 2 'cannot be combined with' "$greyes" --fly plane.rib -o fly.png
run 1 'fly needs a window' env DISPLAY= "$greyes" --fly plane.rib

# --- no window --------------------------------------------------------------------------------

# No option that excludes the window, and a server that does not exist.
run 0 'no window: ' env DISPLAY=:98765 "$greyes" --backend cpu halves.rib
run 0 '' "$greyes" --backend cpu halves.rib --no-window
run 0 '' "$greyes" --backend cpu halves.rib -o none.png
sed 's/"halves.png" "file"/"screen" "framebuffer"/' halves.rib >screen.rib
run 0 'has no file; name one with -o' env DISPLAY= "$greyes" --backend cpu screen.rib
opens screen.rib
title 'screen.rib frame 1'
x key q
ends 0

finish
