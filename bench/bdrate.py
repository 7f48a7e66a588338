#!/usr/bin/env python3
"""Measure the BD-rate of encoders against an anchor encoder, on real clips.

    bench/bdrate.py [OPTION...] ANCHOR TEST [TEST...]

An encoder is
  * gpuintra, or gpuintra:OPTIONS          e.g. 'gpuintra:--slices 4'
  * x264-PRESET-PROFILE, with :OPTIONS     e.g. x264-superfast-baseline
  * NAME=COMMAND with {in} {out} {qp}      e.g. 'mine=enc --q {qp} {in} -o {out}'
{in} stands for a .y4m file (8-bit 4:2:0), {out} for the H.264 byte stream to write.

Method
  * Each clip is converted once to yuv420p. Samples keep their values, also those of full range, and
    no range is signalled: all encoders get the same values, and no filter converts the range.
  * Quality is the PSNR of luma of the stream as FFmpeg decodes it, from the mean squared error over
    all frames. PSNR values that encoders print are not used (x264 --psnr ignores deblocking if
    every frame is a key frame).
  * Rate is the number of bytes in all NAL units except SEI, access unit delimiters and filler.
  * BD-rate (Bjontegaard, VCEG-M33) is the mean of log(rate) over the common range of PSNR, as a
    difference in per cent: negative means that TEST needs fewer bits than ANCHOR. log(rate) as a
    function of PSNR is interpolated by monotone piecewise cubics (Fritsch and Carlson 1980,
    "pchip"), or, with --fit cubic, by the polynomial of the original paper. Both are integrated
    exactly.

The environment variables FFMPEG, X264 and GPUINTRA name the programs. Results are stored in the
folder --work and reused while the clip, the command and the encoder program are unchanged.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading

from bdcurves import Fault, bd_rate

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLIPS = ["foreman_cif.mkv", "bbb_720p.mp4", "face_1080x720.mp4", "flower_720p.264",
         "street_1080p.264"]
NAL_SEI, NAL_AUD, NAL_FILLER = 6, 9, 12


# --- programs and clips -----------------------------------------------------------------------

def program(name):
    """Returns the path of ffmpeg, x264 or gpuintra."""
    given = os.environ.get(name.upper())
    places = [given] if given else [shutil.which(name)]
    if name == "gpuintra" and not given:
        folders = (os.getcwd(), TOP, os.path.join(TOP, "build"))
        places = [os.path.join(d, name) for d in folders] + places
    for p in places:
        if p and (os.path.isfile(p) and os.access(p, os.X_OK) or shutil.which(p)):
            return p
    raise Fault("program '%s' not found; install it or set %s" % (given or name, name.upper()))


def run(args, **kw):
    """Runs a command and returns its output; a failure raises Fault with the output."""
    r = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, **kw)
    text = r.stdout.decode(errors="replace")
    if r.returncode:
        raise Fault("%s\nfailed with %d:\n%s" % (shlex.join(args), r.returncode, text[-2000:]))
    return text


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Encoder:
    """A name and a command template."""

    def __init__(self, spec):
        head, _, extra = spec.partition(":")
        x264 = re.fullmatch(r"x264-([a-z]+)-([a-z0-9]+)", head)
        self.name = spec
        if "{in}" in spec:
            self.name, _, template = spec.partition("=")
        elif head == "gpuintra":
            template = "%s -y --quiet --qp {qp} -i {in} -o {out} %s" % (
                shlex.quote(program("gpuintra")), extra)
        elif x264:
            template = ("%s --quiet --no-progress --threads 1 --preset %s --profile %s --keyint 1 "
                        "--tune psnr --ipratio 1 --qp {qp} -o {out} %s {in}" % (
                            shlex.quote(program("x264")), x264.group(1), x264.group(2), extra))
        else:
            raise Fault("unknown encoder '%s'; see --help" % spec)
        self.words = shlex.split(template)
        if not all(any(w in word for word in self.words) for w in ("{in}", "{out}", "{qp}")):
            raise Fault("the command of '%s' needs {in}, {out} and {qp}" % self.name)
        found = shutil.which(self.words[0])
        self.stamp = digest(found) if found else ""

    def command(self, source, out, qp):
        return [w.replace("{in}", source).replace("{out}", out).replace("{qp}", str(qp))
                for w in self.words]


class Clip:
    """A clip, converted to a .y4m file in yuv420p."""

    def __init__(self, path, frames, work):
        if not os.path.exists(path):
            raise Fault("clip '%s' does not exist" % path)
        self.name = os.path.splitext(os.path.basename(path))[0]
        st = os.stat(path)
        self.key = "%s:%d:%d:%d" % (self.name, st.st_size, st.st_mtime_ns, frames)
        place = hashlib.sha256(os.path.abspath(path).encode()).hexdigest()[:8]
        self.y4m = os.path.join(work, "%s_%s_%s.y4m" % (self.name, frames or "all", place))
        stamp = self.y4m + ".key"
        if not (os.path.exists(stamp) and open(stamp).read() == self.key):
            limit = ["-frames:v", str(frames)] if frames else []
            # A second ffmpeg reads the raw samples as yuv420p: in one step, a filter would convert
            # full range into limited range.
            info = run([program("ffmpeg"), "-hide_banner", "-noautorotate", "-i", path, "-map",
                        "0:v:0", "-frames:v", "1", "-f", "null", "-"])
            m = re.search(r"Output.*?Video:.*?\b(\d+)x(\d+)\b", info, re.S)
            fmt = re.search(r"Output.*?Video: wrapped_avframe, (\w+)", info, re.S)
            rate = re.search(r"Output.*?([\d.]+) fps", info, re.S)
            convert = [] if fmt.group(1) in ("yuv420p", "yuvj420p") else ["-pix_fmt", "yuv420p"]
            pipe([program("ffmpeg"), "-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0",
                  *limit, "-fps_mode", "passthrough", *convert, "-f", "rawvideo", "-"],
                 [program("ffmpeg"), "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p",
                  "-s", "%sx%s" % m.groups(), "-r", rate.group(1) if rate else "25", "-i", "-",
                  "-f", "yuv4mpegpipe", self.y4m])
            with open(stamp, "w") as f:
                f.write(self.key)
        with open(self.y4m, "rb") as f:
            head = f.readline().decode()
        self.width = int(re.search(r" W(\d+)", head).group(1))
        self.height = int(re.search(r" H(\d+)", head).group(1))
        frame = len("FRAME\n") + self.width * self.height * 3 // 2
        self.frames = (os.path.getsize(self.y4m) - len(head)) // frame


def pipe(first, second):
    """Runs `first | second` and returns the output of second."""
    a = subprocess.Popen(first, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    b = subprocess.Popen(second, stdin=a.stdout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    a.stdout.close()
    text = b.communicate()[0].decode(errors="replace")
    warnings = a.stderr.read().decode(errors="replace")
    for args, code, output in ((first, a.wait(), warnings), (second, b.returncode, text)):
        if code:
            raise Fault("%s\nfailed with %d:\n%s" % (shlex.join(args), code, output[-2000:]))
    if warnings:
        raise Fault("%s\nprinted warnings:\n%s" % (shlex.join(first), warnings[-2000:]))
    return text


# --- one point --------------------------------------------------------------------------------

def coded_bytes(path):
    """Returns the bytes of the NAL units with pictures and parameter sets, each counted with a
    3-byte start code."""
    with open(path, "rb") as f:
        data = f.read()
    total = 0
    for nal in data.split(b"\0\0\1")[1:]:
        nal = nal.rstrip(b"\0")
        if nal and nal[0] & 31 not in (NAL_SEI, NAL_AUD, NAL_FILLER):
            total += 3 + len(nal)
    return total


def decoded_psnr(stream, clip):
    """Returns the PSNR of luma of the decoded stream in dB."""
    text = pipe([program("ffmpeg"), "-v", "warning", "-xerror", "-probesize", "256M", "-i", stream,
                 "-fps_mode", "passthrough", "-f", "rawvideo", "-"],
                [program("ffmpeg"), "-hide_banner", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s",
                 "%dx%d" % (clip.width, clip.height), "-i", "-", "-i", clip.y4m, "-filter_complex",
                 # frames are compared by their number, not by their time
                 "[0:v]settb=1/25,setpts=N[a];[1:v]settb=1/25,setpts=N[b];"
                 "[a][b]psnr=shortest=0:repeatlast=0", "-f", "null", "-"])
    m = re.search(r"PSNR y:(inf|[\d.]+)", text)
    n = re.findall(r"frame=\s*(\d+)", text)
    if not m or not n:
        raise Fault("ffmpeg printed no PSNR for %s:\n%s" % (stream, text[-2000:]))
    if int(n[-1]) != clip.frames:
        raise Fault("%s has %s frames, but the clip has %d" % (stream, n[-1], clip.frames))
    return float(m.group(1))


def measure(encoder, clip, qp, work):
    """Encodes a clip at one QP. Returns {"bytes", "psnr", "kbit_frame", ...}."""
    key = json.dumps([encoder.words, encoder.stamp, clip.key, qp])
    tag = hashlib.sha256(key.encode()).hexdigest()[:24]
    record = os.path.join(work, tag + ".json")
    if os.path.exists(record):
        with open(record) as f:
            return json.load(f)
    stream = os.path.join(work, "%s.%d.264" % (tag, threading.get_ident()))
    run(encoder.command(clip.y4m, stream, qp))
    size = coded_bytes(stream)
    point = {"encoder": encoder.name, "clip": clip.name, "qp": qp, "frames": clip.frames,
             "bytes": size, "kbit_frame": size * 8 / 1000 / clip.frames,
             "psnr": decoded_psnr(stream, clip)}
    os.unlink(stream)
    tmp = "%s.%d" % (record, threading.get_ident())
    with open(tmp, "w") as f:
        json.dump(point, f)
    os.rename(tmp, record)
    return point


def measure_all(encoders, clips, qps, work, jobs):
    """Returns {(encoder name, clip name): [one point per QP]}; reports progress on a terminal."""
    todo = [(e, c, q) for c in clips for e in encoders for q in qps]
    out = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda t: measure(*t, work), todo)
        try:
            for i, ((e, c, _), point) in enumerate(zip(todo, results)):
                out.setdefault((e.name, c.name), []).append(point)
                if sys.stderr.isatty():
                    sys.stderr.write("\r%d of %d points " % (i + 1, len(todo)))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if sys.stderr.isatty():
        sys.stderr.write("\r%30s\r" % "")
    return out


def compare(points, anchor, tests, clips, fit):
    """Returns rows {"clip", test name: per cent, ...}; the last one is the average."""
    rows = []
    for clip in clips:
        row = {"clip": clip.name}
        for test in tests:
            a, t = ([(p["bytes"], p["psnr"]) for p in points[e.name, clip.name]]
                    for e in (anchor, test))
            row[test.name] = bd_rate(a, t, fit)
        rows.append(row)
    mean = {"clip": "average"}
    for test in tests:
        mean[test.name] = sum(r[test.name] for r in rows) / len(rows)
    return rows + [mean]


def table(rows, names):
    """Returns the rows as text, one per line."""
    lines = ["%-24s" % "clip" + "".join("  %*s" % (max(10, len(n)), n) for n in names)]
    for r in rows:
        lines.append("%-24s" % r["clip"] + "".join(
            "  %*s" % (max(10, len(n)), "%+.2f %%" % r[n]) for n in names))
    return "\n".join(lines)


def add_common_options(parser):
    """Adds the options that bdrate.py and ablation.py share."""
    parser.add_argument("--clips", nargs="+", metavar="FILE",
                        default=[os.path.join(TOP, "media", c) for c in CLIPS],
                        help="set the video files [the clips in media/]")
    parser.add_argument("--frames", type=int, metavar="N", default=10,
                        help="use the first N frames of each clip, 0: all [%(default)s]")
    parser.add_argument("--qp", metavar="LIST", default="22,27,32,37",
                        help="set the quantisers [%(default)s]")
    parser.add_argument("--jobs", type=int, metavar="N", default=2,
                        help="run N encoders at the same time [%(default)s]")
    parser.add_argument("--work", metavar="DIR", default="bdrate.work",
                        help="set the folder for clips and results [%(default)s]")
    parser.add_argument("--fit", choices=["pchip", "cubic"], default="pchip",
                        help="select the interpolation [%(default)s]")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--of", default="", metavar="TEXT",
                        help="what the clips are, for the title of the record's table")


def prepare(args):
    """Returns the clips and the QPs that the options name."""
    os.makedirs(args.work, exist_ok=True)
    try:
        qps = [int(q) for q in args.qp.split(",")]
    except ValueError:
        raise Fault("--qp needs numbers such as 22,27,32,37, not '%s'" % args.qp) from None
    return [Clip(c, args.frames, args.work) for c in args.clips], qps


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("anchor", metavar="ANCHOR", help="encoder to compare with")
    parser.add_argument("tests", metavar="TEST", nargs="+", help="encoders to measure")
    parser.add_argument("--points", action="store_true", help="also print every rate and PSNR")
    add_common_options(parser)
    args = parser.parse_args()
    encoders = [Encoder(s) for s in [args.anchor] + args.tests]
    clips, qps = prepare(args)
    points = measure_all(encoders, clips, qps, args.work, args.jobs)
    names = [e.name for e in encoders[1:]]
    if args.points:
        print("%-20s %3s  %12s  %9s  %s" % ("clip", "qp", "kbit/frame", "PSNR-Y dB", "encoder"))
        for p in (p for row in points.values() for p in row):
            print("%-20s %3d  %12.1f  %9.3f  %s" % (
                p["clip"], p["qp"], p["kbit_frame"], p["psnr"], p["encoder"]))
        print()
    rows = compare(points, encoders[0], encoders[1:], clips, args.fit)
    print("BD-rate against %s, PSNR-Y of the decoded streams, QP %s, %s frames per clip" % (

        encoders[0].name, args.qp, args.frames or "all"))
    print(table(rows, names))
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"of": args.of, "anchor": encoders[0].name, "tests": names, "qp": qps,
                       "frames": args.frames, "fit": args.fit, "bd_rate": rows,
                       "commands": {e.name: shlex.join([os.path.basename(e.words[0])] + e.words[1:])
                                    for e in encoders},
                       "points": [p for row in points.values() for p in row]}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit("bdrate: %s" % fault)
    except KeyboardInterrupt:
        sys.exit(130)
