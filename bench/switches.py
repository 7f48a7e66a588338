#!/usr/bin/env python3
"""Measure what each coding tool of gpuintra saves in bits, and what it costs in speed.

    bench/switches.py [OPTION...]
    bench/switches.py --speeds RECORD [OPTION...]

A preset, --base, is encoded with each switch changed by itself. For each: the BD-rate against the
preset (bdrate.py --help describes the method), positive if the stream needs more bits, and the
speed in relation to it, frames/s of --speed-clip in a loop at QP 27.

--speeds measures the speed alone, of the switches in RECORD (made by --json on another machine,
for example one without a GPU), and adds it there as that of --device.
"""
import argparse
import json
import os
import sys

import bdrate

SWITCHES = ["--8x8dct off", "--cabac off", "--cabac off --trellis 0 --rd 0", "--trellis 0",
            "--trellis 2", "--rd 0", "--rd 2", "--rd 3", "--rd 9", "--deblock off", "--aq-mode 1",
            "--aq-mode 2", "--cqm jvt", "--chroma-qp-offset -3", "--tune ssim", "--tune film",
            "--tune grain", "--tune animation", "--slices 4", "--disable-modes i16:all",
            "--disable-modes i4:all"]


def speed(encoder, args):
    """Frames per second, start-up apart: the median of --repeat runs."""
    rates = []
    for _ in range(args.repeat):
        stats = os.path.join(args.work, "switches.json")
        bdrate.run(encoder.command(args.speed_clip, os.devnull, 27) +
                   ["--loop", str(args.loop), "--stats", stats])
        with open(stats) as f:
            rates.append(json.load(f)["frames_per_s"])
    return sorted(rates)[len(rates) // 2]


def add_speeds(path, args):
    """Measures the speeds of the switches in the record at `path` and adds them to it."""
    with open(path) as f:
        record = json.load(f)
    whole = speed(bdrate.Encoder("gpuintra:" + record["base"]), args)
    print("gpuintra %s: %.1f frames/s" % (record["base"], whole))
    speeds = {}
    for switch in (s["switch"] for s in record["switches"]):
        encoder = bdrate.Encoder("gpuintra:%s %s" % (record["base"], switch))
        speeds[switch] = speed(encoder, args) / whole
        print("%-34s %8.2f" % (switch, speeds[switch]), flush=True)
    others = [s for s in record.get("speeds", []) if s["measured_on"] != args.device]
    record["speeds"] = others + [{"measured_on": args.device, "frames_per_s": whole,
                                  "by_switch": speeds}]
    with open(path, "w") as f:
        json.dump(record, f, indent=1)
        f.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    bdrate.add_common_options(parser)
    parser.set_defaults(frames=3)
    parser.add_argument("--base", default="--preset medium", metavar="OPTIONS",
                        help="options of gpuintra that the switches change [%(default)s]")
    parser.add_argument("--switches", nargs="+", default=SWITCHES, metavar="OPTIONS",
                        help="the switches, each one argument")
    parser.add_argument("--speed-clip", metavar="FILE",
                        default=os.path.join(bdrate.TOP, "media", "street_1080p.264"),
                        help="measure the speed with this file [street_1080p.264 of media/]")
    parser.add_argument("--loop", type=int, default=20, help="read it so often [%(default)s]")
    parser.add_argument("--device", default="this machine", metavar="NAME",
                        help="the device that is measured, for the record")
    parser.add_argument("--repeat", type=int, default=3, help="measure so often [%(default)s]")
    parser.add_argument("--speeds", metavar="RECORD", help="measure only the speeds, see above")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    if args.speeds:
        add_speeds(args.speeds, args)
        return

    base = bdrate.Encoder("gpuintra:" + args.base)
    tests = [bdrate.Encoder("gpuintra:%s %s" % (args.base, s)) for s in args.switches]
    clips, qps = bdrate.prepare(args)
    points = bdrate.measure_all([base] + tests, clips, qps, args.work, args.jobs)
    rows = bdrate.compare(points, base, tests, clips, args.fit)
    whole, records = speed(base, args), []
    print("gpuintra %s: %.1f frames/s; %d clips, %s frames per clip, QP %s" % (
        args.base, whole, len(clips), args.frames or "all", args.qp))
    print("%-34s %10s %12s %8s" % ("switch", "BD-rate", "worst clip", "speed"))
    for test, switch in zip(tests, args.switches):
        rate, worst = rows[-1][test.name], max(r[test.name] for r in rows[:-1])
        ratio = speed(test, args) / whole
        print("%-34s %+9.2f %% %+10.2f %% %8.2f" % (switch, rate, worst, ratio), flush=True)
        records.append({"switch": switch, "bd_rate": rate, "worst": worst, "speed": ratio})
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"base": args.base, "measured_on": args.device, "frames_per_s": whole,
                       "qp": qps, "frames": args.frames, "clips": [c.name for c in clips],
                       "switches": records}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    try:
        main()
    except bdrate.Fault as fault:
        sys.exit("switches: %s" % fault)
    except KeyboardInterrupt:
        sys.exit(130)
