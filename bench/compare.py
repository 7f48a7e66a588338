#!/usr/bin/env python3
"""Compare the speed of two builds on one machine.

    bench/compare.py [OPTION...] BASE NEW

BASE and NEW are build folders with the programs of `make` and of bench/. Each measurement runs both
builds alternately, --repeat times, so that a change of the machine's speed affects both, and
compares the medians. A figure that is worse by more than --tolerance is marked, and the exit code
is 1. Both builds must write the same streams and find the published counts of N-Queens.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compare: {' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def encoder_figures(build, size, path, options):
    """Runs encode_bench once. Returns its figures, name -> (value, whether larger is better), and
    the hash of the stream."""
    line = run([f"{build}/bench/encode_bench", *options, size, path]).strip().splitlines()[-1]
    record = json.loads(line)
    figures = {}
    if "frames_per_s" in record:
        figures["frames/s"] = (record["frames_per_s"], True)
    if "median" in line:
        figures["ms a frame"] = (float(re.search(r'"median": ([0-9.]+)', line).group(1)), False)
    return figures, record.get("hash")


def scheduler_figures(build, backend):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run([f"{build}/bench/sched_figures", "--backend", backend, "--repeat", "1",
             "--json", out.name])
        with open(out.name, encoding="utf-8") as file:
            records = json.load(file)["records"]
    figures = {}
    for r in records:
        name = " ".join(str(r[k]) for k in ("case", "queue", "workers")
                        if r.get(k) not in (None, ""))
        figures[f"{name}, {r['unit']}"] = (r["value"], not r["unit"].startswith("us"))
    return figures


def queens_figure(build, backend, method, n):
    line = run([f"{build}/gqueens", str(n), "--method", method, "--backend", backend,
                "--json", "-"])
    row = json.loads(line)["results"][0]
    if not row["agrees"]:
        sys.exit(f"compare: {build}: the count of {n} queens differs from the published one")
    return row["kernel_seconds" if backend == "cuda" else "run_seconds"]


class Table:
    def __init__(self, tolerance):
        self.tolerance, self.rows, self.worse = tolerance, [], 0
        print(f"{'measurement':58} {'base':>12} {'new':>12} {'new/base':>9}")

    def add(self, name, base, new, more_is_better):
        b, n = statistics.median(base), statistics.median(new)
        ratio = n / b if b else float("nan")
        loss = 1 - ratio if more_is_better else ratio - 1
        bad = loss * 100 > self.tolerance
        self.worse += bad
        self.rows.append({"name": name, "base": b, "new": n, "ratio": ratio,
                          "base_runs": base, "new_runs": new})
        print(f"{name:58} {b:12.6g} {n:12.6g} {ratio:9.4f}{'  worse' if bad else ''}", flush=True)


def compare(table, title, figures_of, builds, repeat):
    """Compares all figures. figures_of(build) returns name -> (value, whether larger is better)."""
    seen = [{}, {}]
    better = {}
    for _ in range(repeat):
        for k, build in enumerate(builds):
            for name, (value, more) in figures_of(build).items():
                seen[k].setdefault(name, []).append(value)
                better[name] = more
    for name in seen[0]:
        if name in seen[1]:
            table.add(f"{title}{name}", seen[0][name], seen[1][name], better[name])


def compare_encoder(args, table, builds):
    cuda = args.backend == "cuda"
    frames = str(args.frames or (3000 if cuda else 108))
    for clip in args.clip:
        name, size, path = re.fullmatch(r"([^=]+)=(\d+x\d+):(.+)", clip).groups()
        cases = [("dynamic 1 slice", ["--slices", "1"]), ("dynamic 4 slices", ["--slices", "4"])]
        if cuda:
            cases.append(("static 1 slice", ["--sched", "static"]))
            cases.append(("alone 1 slice", ["--latency", "200"]))
            cases.append(("alone 4 slices", ["--latency", "200", "--slices", "4"]))
        for case, options in cases:
            hashes = set()

            def figures_of(build, options=options, hashes=hashes, size=size, path=path):
                figures, digest = encoder_figures(
                    build, size, path, ["--backend", args.backend, "--frames", frames, *options])
                hashes.add(digest)
                return figures

            compare(table, f"{name} {case}, ", figures_of, builds, args.repeat)
            if len(hashes) != 1:
                sys.exit(f"compare: {name} {case}: the streams of the two builds differ")


def compare_queens(args, table, builds):
    sizes = args.queens or ([18, 19, 20] if args.backend == "cuda" else [16, 18])
    for n in sizes:
        for method in ("backtrack", "join"):

            def figures_of(build, n=n, method=method):
                return {"s": (queens_figure(build, args.backend, method, n), False)}

            compare(table, f"{n} queens, {method}, ", figures_of, builds, args.repeat)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs=2, metavar="BUILD", help="build folders BASE and NEW")
    parser.add_argument("--clip", action="append", default=[], metavar="NAME=WxH:FILE",
                        help="measure the encoder with these raw I420 frames; can be repeated")
    parser.add_argument("--frames", type=int, metavar="N",
                        help="set the frames per run of the encoder [3000 on CUDA, 108 on the CPU]")
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda",
                        help="select the backend [%(default)s]")
    parser.add_argument("--only", action="append", choices=("encoder", "scheduler", "queens"),
                        help="measure this part only; can be repeated [all]")
    parser.add_argument("--queens", type=lambda text: [int(n) for n in text.split(",")],
                        metavar="LIST",
                        help="set the board sizes [18,19,20 on CUDA, 16,18 on the CPU]")
    parser.add_argument("--repeat", type=int, metavar="N", default=7,
                        help="run each measurement N times per build [%(default)s]")
    parser.add_argument("--tolerance", type=float, metavar="PERCENT", default=2,
                        help="set the accepted loss of speed (per cent) [%(default)s]")
    parser.add_argument("--json", metavar="FILE",
                        help="write the medians and all single figures to FILE")
    args = parser.parse_args()
    builds = [os.path.abspath(path) for path in args.builds]
    parts = args.only or ["encoder", "scheduler", "queens"]
    table = Table(args.tolerance)
    if "encoder" in parts:
        compare_encoder(args, table, builds)
    if "scheduler" in parts:
        compare(table, "", lambda build: scheduler_figures(build, args.backend), builds,
                args.repeat)
    if "queens" in parts:
        compare_queens(args, table, builds)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"backend": args.backend, "repeat": args.repeat, "rows": table.rows}, file,
                      indent=1)
    print(f"{len(table.rows)} figures, {table.worse} worse by more than {args.tolerance:g} %")
    return 1 if table.worse else 0


if __name__ == "__main__":
    sys.exit(main())
