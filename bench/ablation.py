#!/usr/bin/env python3
"""Measure the benefit of each prediction mode of gpuintra and how often it is selected.

    bench/ablation.py [OPTION...]

For each mode: the BD-rate of gpuintra without this mode against gpuintra with all modes (bdrate.py
--help describes the method), positive if the stream needs more bits without the mode; and the share
of the blocks that use the mode among those that could (Intra4x4 blocks, Intra16x16 macroblocks,
macroblocks with chroma), over all clips and QPs, from gpuintra --stats. DC cannot be disabled and
has a share only.

The exit code is 1 if a mode has less than --least per cent of its blocks or saves no bits.
"""
import argparse
import json
import os
import sys

import bdrate

def usage(encoder, clips, qps, work):
    """Returns the table of gpuintra's coding tools, groups of prediction modes: (group, names), and
    how many blocks used each mode: {"i4": [...], ...}."""
    groups, total = [], {}
    for clip in clips:
        for qp in qps:
            stats = os.path.join(work, "stats.json")
            out = os.path.join(work, "stats.264")
            bdrate.run(encoder.command(clip.y4m, out, qp) + ["--stats", stats])
            os.unlink(out)
            with open(stats) as f:
                counts = json.load(f)
            if not groups:
                groups = [(key[:-len("_modes")], names) for key, names in counts.items()
                          if key.endswith("_modes") and isinstance(names, list)]
                total = {group: [0] * len(names) for group, names in groups}
            for group, sums in total.items():
                for i, n in enumerate(counts[group + "_mode"]):
                    sums[i] += n
    return groups, total


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    bdrate.add_common_options(parser)
    parser.set_defaults(frames=3)
    parser.add_argument("--options", default="", help="add options for gpuintra")
    parser.add_argument("--least", type=float, metavar="PERCENT", default=0.5,
                        help="set the smallest accepted share of a mode (per cent) [%(default)s]")
    args = parser.parse_args()

    spec = "gpuintra:" + args.options
    whole = bdrate.Encoder(spec)
    clips, qps = bdrate.prepare(args)
    groups, counts = usage(whole, clips, qps, args.work)
    tests = {}
    for group, names in groups:
        if group == "i8":  # its modes cannot be disabled
            continue
        for i, name in enumerate(names):
            if name != "dc":
                tests[group, i] = bdrate.Encoder("%s --disable-modes %s:%d" % (spec, group, i))
        if group != "chroma":
            tests[group, "all"] = bdrate.Encoder("%s --disable-modes %s:all" % (spec, group))
    points = bdrate.measure_all([whole] + list(tests.values()), clips, qps, args.work, args.jobs)
    rows = bdrate.compare(points, whole, list(tests.values()), clips, args.fit)

    records, weak = [], []
    print("Modes of gpuintra %s: %d clips, %s frames per clip, QP %s" % (
        args.options, len(clips), args.frames or "all", args.qp))
    print("%-32s %14s %26s" % ("mode", "share", "BD-rate without it"))
    print("%-32s %14s %12s %13s" % ("", "", "average", "worst clip"))
    for group, names in groups:
        for i, name in list(enumerate(names)) + [("all", "all")]:
            test = tests.get((group, i))
            share = 100.0 if i == "all" else 100.0 * counts[group][i] / max(1, sum(counts[group]))
            cost = rows[-1][test.name] if test else None
            worst = max(r[test.name] for r in rows[:-1]) if test else None
            if i == "all" and not test:
                continue
            if not sum(counts[group]):
                continue  # a group that these options do not use
            if share < args.least or (cost is not None and cost <= 0):
                weak.append("%s %s" % (group, name))
            print("%-32s %12.2f %% %10s %13s" % (
                "%s %s" % (group, name) if i == "all" else "%s %s (%s)" % (group, i, name), share,
                "" if cost is None else "%+.2f %%" % cost,
                "" if cost is None else "%+.2f %%" % worst))
            records.append({"group": group, "mode": i, "name": name, "share": share,
                            "bd_rate": cost, "worst": worst})
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"clips": [c.name for c in clips], "qp": qps, "frames": args.frames,
                       "options": args.options, "modes": records}, f, indent=1)
            f.write("\n")
    if weak:
        print("Rarely selected or without benefit: %s" % ", ".join(weak))
    return 1 if weak else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except bdrate.Fault as fault:
        sys.exit("ablation: %s" % fault)
    except KeyboardInterrupt:
        sys.exit(130)
