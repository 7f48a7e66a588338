#!/usr/bin/env bash
# bench/workload_pictures.sh BUILD FRAME0.ply FRAME1.ply: draws the pictures of docs/workloads.md
# and docs/jobs.md with the programs of a build folder: docs/octree.svg, docs/lod.svg,
# docs/collide.png (two frames of cloth-ball), docs/hull.png, docs/trace.png, docs/trace-paths.png,
# docs/timeline-sort.svg and docs/timeline-jobs.svg.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) docs=$(cd "$(dirname "$0")/../docs" && pwd)
frames=("$(realpath "$2")" "$(realpath "$3")")
scene=$(mktemp -d)
trap 'rm -rf "$scene"' EXIT

make -C "$build" bench/workload_pictures gsched greyes
"$build/bench/workload_pictures" octree 6000 8 >"$docs/octree.svg"
"$build/bench/workload_pictures" lod 40000 0.55 80 >"$docs/lod.svg"
"$build/bench/workload_pictures" contacts "${frames[@]}" collide.png >"$scene/collide.rib"
"$build/greyes" "$scene/collide.rib" -y -o "$docs/collide.png"
"$build/gsched" run hull --size 320x200 --cameras 16 --silhouette 512 -n 20K --frames 8 \
	--method full --backend cpu --queue ring --no-plain -r 2 -y --quiet --image "$docs/hull.png"
"$build/gsched" run trace --size 256x256 --samples 256 --end roulette --order variance \
	--queue prio -r 1 --no-plain --quiet \
	--image "$docs/trace.png" --density "$docs/trace-paths.png"
"$build/gsched" run sort -n 1M -t 2 --queue steal -r 1 --no-plain --quiet -y \
	--trace "$docs/timeline-sort.svg"
"$build/gsched" service --backend cpu -n 30 --rate 60 -w 4000 --beside 1000 --quiet -y \
	--trace "$docs/timeline-jobs.svg"
