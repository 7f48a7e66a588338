#!/usr/bin/env python3
"""What each prediction mode of gpuintra is worth, and how often it is chosen.

    bench/ablation.py [options]

For each mode the BD-rate of gpuintra without it against gpuintra with all of them (bdrate.py says
how that is measured): positive means that leaving it out costs bits. Beside it, the mode's share of
the blocks that could have used it (Intra4x4 blocks, Intra16x16 macroblocks, macroblocks with
chroma), over all clips and QPs, from --stats. DC has a share but cannot be left out.

The exit code is 1 when a mode has less than --least per cent of its blocks or costs nothing.
"""
import argparse
import json
import os
import sys

import bdrate

GROUPS = [
    ("i4", "i4_mode", ["vertical", "horizontal", "DC", "diagonal down left", "diagonal down right",
                       "vertical right", "horizontal down", "vertical left", "horizontal up"]),
    ("i16", "i16_mode", ["vertical", "horizontal", "DC", "plane"]),
    ("chroma", "chroma_mode", ["DC", "horizontal", "vertical", "plane"]),
]


def usage(encoder, clips, qps, work):
    """Counts of each mode, summed: {"i4_mode": [...], ...}."""
    total = {key: [0] * len(names) for _, key, names in GROUPS}
    for clip in clips:
        for qp in qps:
            stats = os.path.join(work, "stats.json")
            out = os.path.join(work, "stats.264")
            bdrate.run(encoder.command(clip.y4m, out, qp) + ["--stats", stats])
            os.unlink(out)
            with open(stats) as f:
                counts = json.load(f)
            for key, sums in total.items():
                for i, n in enumerate(counts[key]):
                    sums[i] += n
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    bdrate.add_common_options(parser)
    parser.set_defaults(frames=3)
    parser.add_argument("--options", default="", help="further options for gpuintra")
    parser.add_argument("--least", type=float, default=0.5, help="per cent of blocks [0.5]")
    args = parser.parse_args()

    spec = "gpuintra:" + args.options
    whole = bdrate.Encoder(spec)
    tests = {}
    for group, _, names in GROUPS:
        for i, name in enumerate(names):
            if name != "DC":
                tests[group, i] = bdrate.Encoder("%s --disable-modes %s:%d" % (spec, group, i))
        if group != "chroma":
            tests[group, "all"] = bdrate.Encoder("%s --disable-modes %s:all" % (spec, group))
    clips, qps = bdrate.prepare(args)
    points = bdrate.measure_all([whole] + list(tests.values()), clips, qps, args.work, args.jobs)
    rows = bdrate.compare(points, whole, list(tests.values()), clips, args.fit)
    counts = usage(whole, clips, qps, args.work)

    records, weak = [], []
    print("Modes of gpuintra %s: %d clips, %s frames each, QP %s" % (
        args.options, len(clips), args.frames or "all", args.qp))
    print("%-32s %14s %26s" % ("mode", "share", "BD-rate without it"))
    print("%-32s %14s %12s %13s" % ("", "", "average", "worst clip"))
    for group, key, names in GROUPS:
        for i, name in list(enumerate(names)) + [("all", "all")]:
            test = tests.get((group, i))
            share = 100.0 if i == "all" else 100.0 * counts[key][i] / max(1, sum(counts[key]))
            cost = rows[-1][test.name] if test else None
            worst = max(r[test.name] for r in rows[:-1]) if test else None
            if i == "all" and not test:
                continue
            if share < args.least or (cost is not None and cost <= 0):
                weak.append("%s %s" % (group, name))
            print("%-32s %12.2f %% %10s %13s" % (
                "%s %s" % (group, name) if i == "all" else "%s %s (%s)" % (group, i, name), share,
                "" if cost is None else "%+.2f %%" % cost, "" if cost is None else "%+.2f %%" % worst))
            records.append({"group": group, "mode": i, "name": name, "share": share,
                            "bd_rate": cost, "worst": worst})
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"clips": [c.name for c in clips], "qp": qps, "frames": args.frames,
                       "options": args.options, "modes": records}, f, indent=1)
            f.write("\n")
    if weak:
        print("Seldom chosen or worth nothing: %s" % ", ".join(weak))
    return 1 if weak else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except bdrate.Fault as fault:
        sys.exit("ablation: %s" % fault)
    except KeyboardInterrupt:
        sys.exit(130)
