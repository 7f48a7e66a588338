#!/usr/bin/env bash
# The programs on a device under compute-sanitizer: memcheck, racecheck and initcheck find nothing.
# Skipped without a device or without compute-sanitizer; SCHED_REQUIRE_GPU=1 makes that a failure.
# SANITIZER_TOOLS: the tools, all three by default.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
sanitizer=${COMPUTE_SANITIZER:-compute-sanitizer}
build=$TEST_BUILDDIR
work=$build/tests/sanitizer_gpu_long.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"

"$build/gqueens" --list | grep -A 1 '^CUDA devices' | grep -q ' none' && skip_gpu "no CUDA device"
command -v "$sanitizer" >/dev/null || skip_gpu "no compute-sanitizer"

# clean TOOL PROGRAM ARGUMENT...: the tool reports no error and the program succeeds.
clean() {
	local tool=$1
	shift
	if "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 3 "$@" </dev/null \
		>log 2>&1; then
		ok
	else
		bad "$tool: $*"
		grep -E '^=====|error' log | head -n 40
	fi
}

"$build/tests/h264intra/picgen" noise 128x96 2 >two.y4m || exit 1
"$build/tests/h264intra/picgen" dots 64x48 40 >many.y4m || exit 1
for tool in ${SANITIZER_TOOLS:-memcheck racecheck initcheck}; do
	for preset in none ultrafast fast medium; do
		preset_option="--preset $preset"
		[ $preset != none ] || preset_option=
		for clip in two many; do
			# Small pictures have two warps a macroblock, whose one race is intended
			# (h264intra/cuda/intra4x4.cuh, try_intra4x4).
			[ $tool$clip != racecheckmany ] || continue
			# shellcheck disable=SC2086
			clean "$tool" "$build/gpuintra" -i $clip.y4m -o out.264 -y --backend cuda \
				--quiet $preset_option
		done
	done
	[ "$tool" = racecheck ] || # two warps a macroblock, as above
		clean "$tool" "$build/gpuintra" -i two.y4m -o out.mp4 -y --backend cuda --quiet \
			--preset medium --bitrate 500 --aq-mode 2 --slices 2 --psnr
	for method in tasks backtrack join; do
		clean "$tool" "$build/gqueens" 9 --backend cuda --method $method
	done
	# Under racecheck a launch of an estimate takes minutes.
	[ "$tool" = racecheck ] ||
		clean "$tool" "$build/gqueens" 20 --backend cuda --estimate --time-limit 1
	for scene in first motion solids; do
		clean "$tool" "$build/greyes" "$TEST_SRCDIR/../media/reyes/$scene.rib" \
			--backend cuda -y
	done
	clean "$tool" "$build/gsched" run sort -n 2000 --backend cuda --queue ring -r 1 \
		--timeout 600000
	# Warps of a block hand parts over by releases and acquires, which racecheck does not see
	# (collide/bvh/small.h).
	[ "$tool" = racecheck ] ||
		clean "$tool" "$build/gsched" run bvh -n 500 --backend cuda --queue ring -r 1 \
			--timeout 600000
	clean "$tool" "$build/gsched" run collide -n 500 --backend cuda --queue ring -r 1 \
		--timeout 600000
	clean "$tool" "$build/gsched" run lod -n 2000 --front 8 --backend cuda --queue ring -r 1 \
		--timeout 600000
	clean "$tool" "$build/gsched" run hull --size 48x32 --backend cuda --queue ring -r 2 \
	clean "$tool" "$build/gsched" run x3d -n 70K --backend cuda --queue ring -r 1 \
		--timeout 600000
done
finish
