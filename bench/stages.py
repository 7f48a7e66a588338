#!/usr/bin/env python3
"""Measure the kernels of the encoder in throughput mode, by Nsight Compute, and print a record.

    bench/stages.py [OPTION...] WIDTHxHEIGHT FILE

FILE has raw I420 frames, which are repeated. For each preset: the frames per second and the device
memory of the encoder by itself; then, under ncu, which runs one kernel after another, the time, the
instructions and the use of each resource of the device. From the instructions of a frame and the
frames per second follows how many of the issue slots are used when all kernels run together.

bench/figures.py makes a table of the record. The GPU is the first one; ncu needs access to its
counters.
"""
import argparse
import csv
import json
import subprocess
import sys
import threading
import time

# The preset, and frames to measure its speed by; under ncu all have --ncu-frames.
PRESETS = (("ultrafast", 3000), ("superfast", 3000), ("fast", 3000), ("medium", 1500),
           ("veryslow", 760))
# Of ncu, and what the record calls their means, weighted by time.
SHARES = {"sm__inst_issued.avg.pct_of_peak_sustained_active": "issue",
          "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active": "alu",
          "l1tex__throughput.avg.pct_of_peak_sustained_active": "l1",
          "lts__throughput.avg.pct_of_peak_sustained_elapsed": "l2",
          "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram",
          "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy",
          "launch__registers_per_thread": "registers"}
TIME, ISSUED, SLOTS = ("gpu__time_duration.sum", "sm__inst_issued.sum",
                       "sm__inst_issued.sum.peak_sustained")


class Watch(threading.Thread):
    """Reads memory and clock of the GPU while a command runs."""

    def __init__(self):
        super().__init__(daemon=True)
        try:
            self.process = subprocess.Popen(
                ["nvidia-smi", "--query-gpu=memory.used,clocks.sm",
                 "--format=csv,noheader,nounits", "-lms", "50", "-i", "0"],
                stdout=subprocess.PIPE, text=True)
        except OSError as error:
            sys.exit("stages: nvidia-smi cannot be run: %s" % error)
        self.seen = []
        self.start()

    def run(self):
        for line in self.process.stdout:
            self.seen.append([int(n) for n in line.split(",")])

    def most(self):
        """MiB above those of the beginning, and MHz."""
        self.process.terminate()
        self.join()
        if not self.seen:
            sys.exit("stages: nvidia-smi states no memory and no clock")
        return [max(s[0] for s in self.seen) - self.seen[0][0], max(s[1] for s in self.seen)]


def encode(a, preset, frames):
    return [a.encode_bench, "--backend", "cuda", "--qp", "27", "--frames", str(frames),
            "--preset", preset, a.size, a.file]


def output_of(command):
    try:
        p = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        sys.exit("stages: %s cannot be run: %s; see --help" % (command[0], error))
    if p.returncode:
        sys.exit("stages: %s: exit code %d: %s" % (" ".join(command), p.returncode,
                                                   (p.stderr or p.stdout).strip()[-500:]))
    return p.stdout


def throughput(a, preset, frames):
    """Speed by itself: the row of the record, and the device."""
    watch = Watch()
    time.sleep(0.3)
    run = json.loads(output_of(encode(a, preset, max(1, int(frames * a.frames)))).split("\n")[-2])
    memory, clock = watch.most()
    return {"preset": preset, "frames_per_s": run["frames_per_s"], "memory_mib": memory,
            "frames_in_flight": run["frames_in_flight"], "clock_mhz": clock}, run["device"]


def launches(text):
    """Rows of ncu's CSV as dictionaries, without the units' row and the lines above the table."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        sys.exit("stages: ncu printed no table: %s" % text.strip()[-500:])
    return [row for row in csv.DictReader(lines[first:]) if (row["ID"] or "").isdigit()]


def number(text):
    return float(text.replace(",", ""))


def kernels(rows, frames, macroblocks):
    """The rows of the kernels, longest first; of all together: instructions and slots."""
    found = {}
    for row in rows:
        ns = number(row[TIME])
        k = found.setdefault(row["Kernel Name"].split("(")[0],
                             {"ns": 0, "issued": 0, **{name: 0 for name in SHARES.values()}})
        k["ns"] += ns
        k["issued"] += number(row[ISSUED])
        for metric, name in SHARES.items():
            k[name] += ns * number(row[metric])
    every = sum(k["ns"] for k in found.values())
    table = [{"kernel": name, "us_per_frame": round(k["ns"] / 1e3 / frames, 2),
              "share": round(k["ns"] / every, 4),
              "instructions_per_macroblock": round(k["issued"] / frames / macroblocks),
              **{s: round(k[s] / k["ns"], 1) for s in SHARES.values()}}
             for name, k in sorted(found.items(), key=lambda pair: -pair[1]["ns"])]
    return table, sum(k["issued"] for k in found.values()) / frames, number(rows[0][SLOTS])


def profile(a, row, macroblocks):
    """Adds the kernels of a preset and the use of issue slots by all to its row."""
    text = output_of([a.ncu, "--csv", "--page", "raw", "--print-units", "base",
                      "--kernel-name-base", "function", "--clock-control", "none",
                      "--cache-control", "none", "--warp-sampling-interval", "0", "--metrics",
                      ",".join([TIME, ISSUED, SLOTS, *SHARES])] +
                     encode(a, row["preset"], a.ncu_frames))
    row["kernels"], issued, slots = kernels(launches(text), a.ncu_frames, macroblocks)
    row["instructions_per_macroblock"] = round(issued / macroblocks)
    row["issue"] = round(100 * issued * row["frames_per_s"] / (slots * row["clock_mhz"] * 1e6), 1)
    row["us_per_frame_apart"] = round(sum(k["us_per_frame"] for k in row["kernels"]), 1)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("size", metavar="WIDTHxHEIGHT")
    p.add_argument("file", metavar="FILE")
    p.add_argument("--encode-bench", default="build/bench/encode_bench")
    p.add_argument("--ncu", default="ncu")
    p.add_argument("--ncu-frames", type=int, default=76, help="under ncu [76]")
    p.add_argument("--presets", default=",".join(name for name, _ in PRESETS))
    p.add_argument("--frames", type=float, default=1, help="multiply the frames of all runs")
    p.add_argument("--version", default="", help="of gpuintra, for the record")
    a = p.parse_args()
    width, height = (int(n) for n in a.size.split("x"))
    macroblocks = ((width + 15) // 16) * ((height + 15) // 16)
    rows, device = [], ""
    for preset, frames in PRESETS:
        if preset in a.presets.split(","):
            row, device = throughput(a, preset, frames)
            profile(a, row, macroblocks)
            rows.append(row)
            print("%s: done" % preset, file=sys.stderr)
    print(json.dumps({"device": device, "date": time.strftime("%Y-%m-%d"), "version": a.version,
                      "size": a.size, "ncu_frames": a.ncu_frames, "stages": rows}, indent=1))


if __name__ == "__main__":
    main()
