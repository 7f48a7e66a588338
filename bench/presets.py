#!/usr/bin/env python3
"""Measure gpuintra's presets and libx264 by their APIs, in one run, and print a record.

    bench/presets.py [OPTION...] NAME:WIDTHxHEIGHT:FILE...
    bench/presets.py --alone NAME:WIDTHxHEIGHT:FILE ... NAME:WIDTHxHEIGHT:FILE...

FILE has raw I420 frames, which are repeated; NAME is the clip's. For each clip, QP and number of
slices: every preset of gpuintra, and x264 with the presets that are nearest in quality, from frames
in memory to packets in memory, start-up apart. Each frame of the first pass over a clip is decoded
by FFmpeg, which must report no error, and as many frames as were coded. --alone adds the latency of
a frame of that clip with one frame in flight, and --rated its speed at a bit rate.

bench/figures.py makes a table of the record. Without x264_bench or ffmpeg these parts are left out.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

# Frames; --frames scales.
GPUINTRA = [(name, 3000) for name in ("none", "ultrafast", "superfast", "fast", "medium", "slow",
                                      "slower", "veryslow")]
# Of --alone and --rated: what the row says, and options.
ALONE = [("none", []), ("ultrafast", ["--preset", "ultrafast"]),
         ("superfast", ["--preset", "superfast"]), ("fast", ["--preset", "fast"]),
         ("medium", ["--preset", "medium"]), ("medium, `cabac` off", ["--preset", "medium",
                                                                      "--cabac", "off"]),
         ("medium, `cabac` off, `trellis` 0", ["--preset", "medium", "--cabac", "off",
                                               "--trellis", "0"])]
RATED = [("ultrafast", 32, 3000), ("ultrafast", 128, 3000), ("medium", 32, 1500),
         ("medium", 128, 1500)]
X264 = [("superfast", "baseline", 600), ("veryfast", "high", 300), ("medium", "high", 150),
        ("veryslow", "high", 60)]


def measure(command, env=None):
    """The JSON record that the command prints, or None with a line on stderr."""
    p = subprocess.run(command, capture_output=True, text=True, env=env)
    if p.returncode:
        print("%s: exit code %d: %s" % (" ".join(command), p.returncode, p.stderr.strip()),
              file=sys.stderr)
        return None
    return json.loads(p.stdout.strip().split("\n")[-1])


def decoded_bytes(ffmpeg, path):
    """Bytes of the pictures that FFmpeg decodes without an error, or -1."""
    # Not warnings: the stream states no rate, and some versions of FFmpeg cannot estimate it.
    p = subprocess.run([ffmpeg, "-v", "error", "-r", "60", "-i", path, "-fps_mode",
                        "passthrough", "-f", "rawvideo", "-y", path + ".yuv"],
                       capture_output=True, text=True)
    if p.returncode or p.stderr.strip():
        print("%s: %s" % (path, p.stderr.strip()), file=sys.stderr)
        return -1
    size = os.path.getsize(path + ".yuv")
    os.unlink(path + ".yuv")
    return size


def processor():
    """The name of this processor."""
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f if "model name" in line)
    except (OSError, StopIteration):
        return "CPU"


def row(clip, qp, slices, encoder, record):
    return {"clip": clip, "qp": qp, "slices": slices, "encoder": encoder,
            "kbit_per_frame": record["kbit_per_frame"], "frames": record["frames"],
            "frames_per_s": record["frames_per_s"]}


def run_gpuintra(a, name, size, path, qp, slices, work):
    """Rows of the presets; counts streams in a.streams and a.good."""
    width, height = (int(n) for n in size.split("x"))
    frame_bytes = width * height * 3 // 2
    for preset, frames in a.presets:
        out = os.path.join(work, "out.264")
        r = measure([a.encode_bench, "--backend", a.backend, "--qp", str(qp), "--slices",
                     str(slices), "--frames", str(max(1, int(frames * a.frames)))] +
                    (["--threads", str(a.threads)] if a.backend == "cpu" else []) +
                    ([] if preset == "none" else ["--preset", preset]) +
                    (["--out", out, "--first-pass"] if a.ffmpeg else []) + [size, path])
        if not r:
            a.failed = 1
            continue
        if a.ffmpeg:
            want = min(r["frames"], os.path.getsize(path) // frame_bytes) * frame_bytes
            a.streams += 1
            a.good += decoded_bytes(a.ffmpeg, out) == want
        label = "gpuintra " + ("Baseline" if preset == "none" else preset)
        a.rows.append(row(name, qp, slices, label, r))
        a.device = r["device"]


def run_alone(a, name, size, path):
    """The median latency of a frame in 4 slices, one frame in flight."""
    for label, options in ALONE:
        r = measure([a.encode_bench, "--backend", a.backend, "--qp", "27", "--slices", "4",
                     "--frames", "8", "--latency", "60"] + options + [size, path])
        if r:
            a.alone_rows.append({"clip": name, "size": size, "encoder": label,
                                 "latency_ms": r["latency_ms"]["median"]})
        else:
            a.failed = 1


def run_rated(a, name, size, path):
    """Frames per second at 60 Mbit/s and 60 frames/s, by --rate-delay."""
    for preset, delay, frames in RATED:
        r = measure([a.encode_bench, "--backend", a.backend, "--preset", preset, "--bitrate",
                     "60000", "--rate-delay", str(delay), "--frames",
                     str(max(1, int(frames * a.frames))), size, path])
        if r:
            a.rated_rows.append({"clip": name, "encoder": preset, "rate_delay": delay,
                                 "kbit_per_frame": r["kbit_per_frame"],
                                 "frames_per_s": r["frames_per_s"]})
        else:
            a.failed = 1


def run_x264(a, name, size, path, qp, slices):
    for preset, profile, frames in X264:
        r = measure([a.x264_bench, "--preset", preset, "--profile", profile, "--qp", str(qp),
                     "--slices", str(slices), "--threads", str(a.threads), "--frames",
                     str(max(1, int(frames * a.frames))), size, path])
        if r:
            a.rows.append(row(name, qp, slices, "x264 %s %s" % (preset, profile), r))
        else:
            a.failed = 1


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("clips", nargs="+", metavar="NAME:WIDTHxHEIGHT:FILE")
    p.add_argument("--alone", action="append", default=[], metavar="CLIP")
    p.add_argument("--rated", action="append", default=[], metavar="CLIP")
    p.add_argument("--encode-bench", default="build/bench/encode_bench")
    p.add_argument("--x264-bench", default="build/bench/x264_bench")
    p.add_argument("--ffmpeg", default="ffmpeg", help="decoder [ffmpeg]")
    p.add_argument("--backend", default="cuda", choices=["cuda", "cpu"])
    p.add_argument("--qps", default="22,27")
    p.add_argument("--slices", default="1,4")
    p.add_argument("--presets", default=",".join(name for name, _ in GPUINTRA))
    p.add_argument("--frames", type=float, default=1, help="multiply the frames of all runs")
    p.add_argument("--threads", type=int, default=os.cpu_count(),
                   help="of x264, and of gpuintra on the CPU")
    p.add_argument("--version", default="", help="of gpuintra, for the record")
    a = p.parse_args()
    a.alone_rows, a.rated_rows = [], []
    a.rows, a.streams, a.good, a.failed, a.device = [], 0, 0, 0, ""
    a.presets = [(name, n) for name, n in GPUINTRA if name in a.presets.split(",")]
    for name in ("x264_bench", "ffmpeg"):
        try:
            subprocess.run([getattr(a, name), "-h"], capture_output=True)
        except OSError:
            print("left out: %s" % getattr(a, name), file=sys.stderr)
            setattr(a, name, None)
    with tempfile.TemporaryDirectory() as work:
        for clip in a.clips:
            name, size, path = clip.split(":", 2)
            for slices in a.slices.split(","):
                for qp in a.qps.split(","):
                    run_gpuintra(a, name, size, path, int(qp), int(slices), work)
                    if a.x264_bench:
                        run_x264(a, name, size, path, int(qp), int(slices))
    for clip in a.alone:
        run_alone(a, *clip.split(":", 2))
    for clip in a.rated:
        run_rated(a, *clip.split(":", 2))
    if a.backend == "cpu":
        a.device = a.device.replace("CPU", processor(), 1)
    print(json.dumps({"device": a.device, "date": time.strftime("%Y-%m-%d"),
                      "version": a.version, "threads": a.threads, "streams": a.streams,
                      "streams_decoded": a.good, "api_runs": a.rows, "alone_runs": a.alone_rows,
                      "rated_runs": a.rated_rows}, indent=1))
    return 1 if a.failed or a.good != a.streams else 0


if __name__ == "__main__":
    sys.exit(main())
