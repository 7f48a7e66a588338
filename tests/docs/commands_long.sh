#!/usr/bin/env bash
# Every command of README.md and docs/ that begins with one of the programs is run, with small
# inputs of the names that it has: until it ends, or for a second and a half. None may end with an
# error, except that there is no GPU.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/commands_long.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
top=$(cd "$TEST_SRCDIR/.." && pwd)
export PATH=$PWD/bin:$PATH
unset DISPLAY WAYLAND_DISPLAY

# The programs under their names, and a player that shows nothing.
mkdir bin
for program in gpuintra gqueens greyes gsched; do
	printf '#!/bin/sh\nexec "%s/%s" "$@"\n' "$TEST_BUILDDIR" "$program" >bin/$program
done
printf '#!/bin/sh\nexec cat >/dev/null\n' >bin/ffplay
chmod +x bin/*

# The files that commands read.
mkdir made
cd made || exit 1
"$TEST_BUILDDIR/tests/h264intra/picgen" noise 96x64 8 >in.y4m
for name in in.mov in.mkv in.mp4 in.ts; do gpuintra --quiet -i in.y4m -o $name; done
gpuintra --quiet -i in.mov -o /dev/null --pass 1 --bitrate 60000
ln -s "$top/media" media
for name in scene foreign; do cp media/reyes/first.rib $name.rib; done
# square FILE Z: a mesh of two triangles.
square() {
	printf '%s\n' ply 'format ascii 1.0' 'element vertex 4' 'property float x' \
		'property float y' 'property float z' 'element face 2' \
		'property list uchar int vertex_indices' end_header "0 0 $2" '1 0 0' "0 1 $2" \
		'1 1 0' '3 0 1 2' '3 1 3 2' >"$1"
}
for name in cloth1 nefertiti; do square $name.ply 0; done
square cloth2.ply 0.1
echo '<X3D><Scene><Coordinate point="0 0 1"/></Scene></X3D>' >bunny.x3d
for part in 1 2; do gqueens 12 --range $part/2 --quiet -c part.0000$part >/dev/null; done
mv part.00002 part.00017
cd ..
check "no inputs" [ "$(find made -type f -size +0 | wc -l)" -ge 12 ]

# A display server, if there is one to start, for the windows of greyes.
mkfifo display
server=
if command -v Xvfb >/dev/null; then
	Xvfb -displayfd 8 -screen 0 800x600x24 -nolisten tcp >xvfb.log 2>&1 8<>display &
	server=$!
	read -r -t 60 number <>display && export DISPLAY=:$number
fi

commands() {
	sed -n -E 's/^ +(([a-z]+ [^|]*\| )?(gpuintra|gqueens|greyes|gsched)( .*|$))/\1/p' \
		"$top/README.md" "$top"/docs/*.md | sed 's/  *# .*//' | sort -u
}
commands >list
check "too few commands: $(wc -l <list)" [ "$(wc -l <list)" -ge 40 ]

# try COMMAND: in a folder of its own, without files that it does not name and may write.
try() {
	local rc=0
	rm -rf here
	cp -a made here
	cd here || exit 1
	[[ $1 == *in.mp4* ]] || rm in.mp4
	[[ $1 == *"--pass 2"* ]] || rm gpuintra_2pass.log
	timeout -s INT -k 20 1.5 bash -o pipefail -c "$1" </dev/null >../stdout 2>../stderr || rc=$?
	cd .. || exit 1
	if [ $rc -eq 0 ] || [ $rc -eq 124 ] || [ $rc -eq 130 ]; then
		ok
	elif grep -qE 'error: .*(CUDA|GPU|window)|command not found' stderr; then
		without "$1: $(tail -n 1 stderr)"
	else
		bad "$1: exit code $rc: $(tail -n 3 stderr)"
	fi
}
while IFS= read -r command; do try "$command"; done <list
[ -z "$server" ] || { kill $server && wait $server; } 2>/dev/null
finish
