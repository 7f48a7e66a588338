#!/usr/bin/env python3
"""Conformance of gpuintra's options in pairs: two decoders against the reconstruction.

    bench/pairwise.py [OPTION...]

The cases cover every two values of every two of these: picture, size, preset, profile, entropy
coder, 8x8 transform, QP or rate control, slices, deblocking and its offsets, scaling matrices,
chroma QP offsets, adaptive quantisation, rd, trellis, disabled modes, scheme, frames in flight.
Each case is encoded with --recon and decoded by FFmpeg, which must print nothing and give exactly
the reconstruction; with OPENH264 by libopenh264, too, where it decodes as the standard says. Cases
of 4:0:0 with a high rd are added. The choice of cases is the same in every run. Programs: GPUINTRA,
FFMPEG, PICGEN, OPENH264 in the environment.

With --write FOLDER nothing is encoded: FOLDER gets the inputs, and the options of the cases as
cases.txt, for tests/h264intra/encode_cases, which compares both backends in one process.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import subprocess
import sys
import tempfile

FACTORS = {
    "picture": ["noise", "extreme", "flat4", "flat16", "dots", "ramp", "black", "foreman"],
    "size": ["16x16", "18x34", "64x176", "96x80", "174x142", "352x288"],
    "preset": ["none", "ultrafast", "fast", "medium", "slow", "veryslow"],
    "profile": ["auto", "baseline", "main", "high"],
    "cabac": ["auto", "on", "off"],
    "8x8dct": ["auto", "on", "off"],
    "rate": ["--qp 0", "--qp 5", "--qp 13", "--qp 22", "--qp 30", "--qp 41", "--qp 51",
             "--crf 24.5", "--bitrate 1500", "--bitrate 400 --vbv-bufsize 200 --nal-hrd vbr",
             "--qp 18 --frame-size-max 4K"],
    "slices": [1, 2, 3, 1000],  # 1000: one a macroblock row
    "deblock": ["on", "off", "-6:6", "3:-2"],
    "cqm": ["flat", "jvt", "FILE"],  # a file of random weights
    "csp": ["i420", "i400"],
    "chroma offset": ["0", "-12", "-3", "12", "-12:12", "5:-2"],  # of Cb:Cr
    "aq": ["--aq-mode 0", "--tune film", "--aq-mode 2 --aq-strength 2.5", "--tune grain"],
    "rd": ["auto", "0", "1", "4"],
    "trellis": ["auto", "0", "1", "2"],
    "disable": ["", "i4:all", "i16:all", "i4:0,i16:3,chroma:1", "i4:upright"],
    "sched": ["dynamic", "static", "sync"],
    "flight": ["1", "3"],
}
PRESET_PROFILE = {"none": "baseline", "ultrafast": "main", "fast": "high", "medium": "high",
                  "slow": "high", "veryslow": "high"}
FRAMES = 4


def allowed(case):
    """Whether gpuintra accepts the values that are set; None: not set yet."""
    profile = case.get("profile")
    if profile == "auto":
        profile = PRESET_PROFILE.get(case.get("preset"))
    if profile is None:
        return True
    if case.get("cabac") == "on" and profile == "baseline":
        return False
    return profile == "high" or not (case.get("8x8dct") == "on" or
                                     case.get("cqm", "flat") != "flat" or
                                     case.get("csp") == "i400" or
                                     ":" in case.get("chroma offset", "0"))


def openh264_decodes(case):
    """Whether libopenh264 decodes the stream as the standard says: its products of a scaling
    matrix's weight and the quantiser's step have 16 bits, and it filters Cr of I_PCM macroblocks
    without the chroma QP offset."""
    qp = int(case["rate"].split()[1]) if case["rate"][:4] == "--qp" else 51
    # It does not decode 4:0:0.
    weights = case["cqm"] == "flat" or (qp <= 30 and case["aq"] == "--aq-mode 0")
    offset = case["chroma offset"] == "0" or case["deblock"] == "off" or qp > 13
    return weights and offset and case["csp"] == "i420"


def pairs_of(case):
    return {((a, case[a]), (b, case[b])) for a, b in itertools.combinations(FACTORS, 2)
            if a in case and b in case}


def choose_cases():
    """A greedy cover: each case begins with a pair that is missing, and takes of each other factor
    the value with the most missing pairs."""
    rng = random.Random(1)
    missing = {((a, v), (b, w)) for a, b in itertools.combinations(FACTORS, 2)
               for v in FACTORS[a] for w in FACTORS[b] if allowed({a: v, b: w})}
    cases = []
    while missing:
        case = dict(rng.choice(sorted(missing, key=str)))
        order = [f for f in FACTORS if f not in case]
        rng.shuffle(order)
        for factor in order:
            values = [v for v in FACTORS[factor] if allowed({**case, factor: v})]
            rng.shuffle(values)
            case[factor] = max(values, key=lambda v: len(
                [1 for f in case if ((f, case[f]), (factor, v)) in missing or
                 ((factor, v), (f, case[f])) in missing]))
        covered = pairs_of(case) & missing
        if not covered:  # a pair that no case can have
            missing.discard(min(missing, key=str))
            continue
        missing -= covered
        cases.append(case)
    return cases


REST = {"8x8dct": "auto", "deblock": "on", "cqm": "flat", "csp": "i420", "chroma offset": "0",
        "aq": "--aq-mode 0", "rd": "auto", "trellis": "auto", "disable": "", "sched": "dynamic",
        "flight": "3"}


def gray_cases():
    """4:0:0 with several chroma modes to choose from, which differ in nothing that is coded."""
    return [dict(REST, csp="i400", picture=picture, size="96x80", preset="none", slices=1,
                 rate="--qp %d" % qp, profile="high", cabac=cabac, rd=rd)
            for picture, qp, cabac, rd in itertools.product(
                ("noise", "dots", "ramp", "foreman"), (0, 5, 13), ("on", "off"), ("4", "9"))]


def product_cases():
    """Every picture, size, preset, QP and number of slices in every profile and entropy coder."""
    coders = [("baseline", "off"), ("main", "off"), ("main", "on"), ("high", "off"), ("high", "on")]
    return gray_cases() + [
        dict(REST, picture=picture, size=size, preset=preset, rate="--qp %d" % qp, slices=slices,
             profile=profile, cabac=cabac)
        for picture, size, preset, qp, slices, (profile, cabac) in itertools.product(
            FACTORS["picture"], FACTORS["size"], FACTORS["preset"], (0, 13, 22, 30, 41), (1, 3),
            coders)]


def write_cases(runner, cases):
    """Makes the inputs; a line for each case: picture, size, options."""
    for case in cases:
        runner.source(case)
    with open(os.path.join(runner.work, "cases.txt"), "w") as f:
        for case in cases:
            print(case["picture"], case["size"], *runner.options(case), file=f)


class Runner:
    def __init__(self, a, work):
        self.a, self.work = a, work
        self.matrices = os.path.join(work, "matrices.cfg")
        rng = random.Random(1)
        with open(self.matrices, "w") as f:
            for name, n in (("INTRA4X4_LUMA", 16), ("INTRA4X4_CHROMAU", 16),
                            ("INTRA8X8_LUMA", 64)):
                print(name, "=", *(rng.randint(4, 64) for _ in range(n)), file=f)

    def source(self, case):
        """Makes the input of a case; of `foreman` a part of the clip."""
        path = os.path.join(self.work, "%s_%s.y4m" % (case["picture"], case["size"]))
        if os.path.exists(path):
            return path
        part = path + ".%d" % os.getpid()
        if case["picture"] == "foreman":
            w, h = case["size"].split("x")
            subprocess.run([self.a.ffmpeg, "-v", "error", "-nostdin", "-i", self.a.clip,
                            "-frames:v", str(FRAMES), "-vf", "crop=%s:%s" % (w, h), "-f",
                            "yuv4mpegpipe", "-y", part], check=True)
        else:
            with open(part, "wb") as f:
                subprocess.run([self.a.picgen, case["picture"], case["size"], str(FRAMES)],
                               stdout=f, check=True)
        os.rename(part, path)
        return path

    def options(self, case):
        rows = (int(case["size"].split("x")[1]) + 15) // 16
        o = ["--preset", case["preset"], "--profile", case["profile"], "--cabac", case["cabac"],
             "--8x8dct", case["8x8dct"], "--slices", str(min(case["slices"], rows)), "--deblock",
             case["deblock"], "--cqm", self.matrices if case["cqm"] == "FILE" else case["cqm"],
             "--chroma-qp-offset", case["chroma offset"], "--output-csp", case["csp"], "--rd",
             case["rd"], "--trellis",
             case["trellis"], "--sched", case["sched"], "--frames-in-flight", case["flight"],
             "--backend", self.a.backend]
        o += ["--threads", "2"] if self.a.backend == "cpu" else []
        o += case["rate"].split() + case["aq"].split()
        return o + (["--disable-modes", case["disable"]] if case["disable"] else [])

    def run(self, n, case):
        """Returns the options of the case and what is wrong with it, or None."""
        at = os.path.join(self.work, "case%d" % n)
        options = self.options(case)
        what = "%s %s: %s" % (case["picture"], case["size"], " ".join(options))
        p = subprocess.run([self.a.gpuintra, "-i", self.source(case), "-o", at + ".264", "--recon",
                            at + ".y4m", "-y", "--quiet"] + options, capture_output=True, text=True)
        if p.returncode:
            return what, "gpuintra: " + p.stderr.strip()
        with open(at + ".y4m", "rb") as f:
            recon = f.read().split(b"\n", 1)[1]
        # FFmpeg decodes 4:0:0 to 4:2:0, in some versions.
        luma = ["-vf", "extractplanes=y"] if case["csp"] == "i400" else []
        decoders = [("FFmpeg", [self.a.ffmpeg, "-v", "warning", "-nostdin", "-xerror", "-probesize",
                                "1G", "-i", at + ".264", "-fps_mode", "passthrough"] + luma +
                     ["-f", "yuv4mpegpipe", "-strict", "-1", "-"])]
        if self.a.openh264 and openh264_decodes(case):
            decoders.append(("libopenh264", [self.a.openh264, at + ".264"]))
        for name, command in decoders:
            p = subprocess.run(command, capture_output=True)
            if p.returncode or p.stderr.strip():
                return what, "%s: %s" % (name, p.stderr.decode(errors="replace").strip()[:200])
            if p.stdout.partition(b"\n")[2] != recon:
                return what, "%s decodes other pictures" % name
        for end in (".264", ".y4m"):
            os.unlink(at + end)
        return what, None


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    p.add_argument("--product", action="store_true",
                   help="all combinations of the first factors instead of pairs (14,448)")
    p.add_argument("--sample", type=int, default=0, help="N cases by chance, always the same [all]")
    p.add_argument("--cases", type=int, default=0, help="run the first N cases only [all]")
    p.add_argument("--clip", default=os.path.join(here, "..", "media", "foreman_cif.mkv"))
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--list", action="store_true", help="print the options of the cases only")
    p.add_argument("--write", metavar="FOLDER", help="write the inputs and cases.txt only")
    a = p.parse_args()
    a.gpuintra = os.environ.get("GPUINTRA", "./gpuintra")
    a.ffmpeg = os.environ.get("FFMPEG", "ffmpeg")
    a.picgen = os.environ.get("PICGEN", "tests/h264intra/picgen")
    a.openh264 = os.environ.get("OPENH264", "")
    cases = product_cases() if a.product else choose_cases() + gray_cases()
    if a.sample:
        cases = random.Random(1).sample(cases, a.sample)
    cases = cases[:a.cases] if a.cases else cases
    if a.write:
        os.makedirs(a.write, exist_ok=True)
        write_cases(Runner(a, a.write), cases)
        return 0
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(a, work)
        if a.list:
            for case in cases:
                print(case["picture"], case["size"], *runner.options(case))
            return 0
        for case in cases:
            runner.source(case)
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for what, problem in pool.map(runner.run, range(len(cases)), cases):
                if problem:
                    bad += 1
                    print("FAIL: %s: %s" % (what, problem))
    print("%d passed, %d failed%s" % (len(cases) - bad, bad,
                                      "" if a.openh264 else "; libopenh264 left out"))
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
