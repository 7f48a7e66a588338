#!/usr/bin/env python3
"""Destinations of the Python module: files, file objects, memory; full disks, fork(), interpreters
that end with an open writer. FFmpeg reads what was written."""
import errno
import gzip
import importlib.util
import io
import os
import pathlib
import pickle
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import gpuintra
import numpy
from python_common import BUILD, FFMPEG, decode, main, psnr, run_python, smooth

FFPROBE = shutil.which("ffprobe")
GPUINTRA = os.path.join(BUILD, "gpuintra")

# A program that adds frames to out.mp4 of its folder. What follows is the case.
OPEN_WRITER = """
import gc, os, signal, sys
import gpuintra, numpy
frames = numpy.arange(32 * 32 * 3, dtype=numpy.uint32).astype(numpy.uint8).reshape(32, 32, 3)
writer = gpuintra.Writer("out.mp4", 24, device="cpu")
for _ in range(60):
    writer.add(frames)
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        self.home = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        self.frames = smooth(30)

    def tearDown(self):
        os.chdir(self.home)
        self.folder.cleanup()

    def encode(self, dest, **options):
        return gpuintra.encode(self.frames, dest, 24, **{"qp": 12, "device": "cpu", **options})

    def check_frames(self, data, frames=None):
        """FFmpeg decodes the frames that were encoded."""
        frames = self.frames if frames is None else frames
        decoded = decode(data, frames.shape[1], frames.shape[2])
        self.assertEqual(decoded.shape, frames.shape)
        self.assertGreater(psnr(decoded, frames), 38)


@unittest.skipUnless(FFMPEG and FFPROBE, "no ffmpeg program")
class Destinations(InFolder):
    def test_paths_and_their_endings(self):
        for path in ("a.mp4", "a.mov", "a.M4V", "a.264", "a.h264", pathlib.Path("b.mp4"),
                     b"c.mp4"):
            summary = self.encode(path)
            with open(path, "rb") as file:
                data = file.read()
            self.assertEqual(summary.bytes, len(data))
            self.assertEqual(summary[0:1] + summary[2:4], (30, 96, 64))
            self.assertEqual(summary.backend, "cpu")
            self.check_frames(data)

    def probe(self, path, entries):
        done = subprocess.run([FFPROBE, "-v", "error", "-select_streams", "v", "-show_entries",
                               entries, "-of", "default=nw=1", path], capture_output=True,
                              text=True, check=True)
        return dict(line.split("=", 1) for line in done.stdout.split() if "=" in line)

    def test_the_container_says_what_the_stream_says(self):
        self.encode("a.mp4", sar=(4, 3), full_range=True, matrix="bt601")
        found = self.probe("a.mp4", "stream=codec_name,profile,width,height,r_frame_rate,nb_frames,"
                           "color_range,color_space,color_primaries,color_transfer,"
                           "sample_aspect_ratio,duration")
        for name, value in (("codec_name", "h264"), ("width", "96"), ("height", "64"),
                            ("r_frame_rate", "24/1"), ("nb_frames", "30"), ("color_range", "pc"),
                            ("color_space", "smpte170m"), ("color_primaries", "bt709"),
                            ("color_transfer", "bt709"), ("sample_aspect_ratio", "4:3"),
                            ("duration", "1.250000")):
            self.assertEqual(found[name], value, name)

    def test_profiles(self):
        sizes = []
        for options, profile in (({}, "Constrained Baseline"), ({"profile": "main"}, "Main"),
                                 ({"profile": "high"}, "High"),
                                 ({"profile": "high", "cabac": False}, "High"),
                                 ({"profile": "high", "transform8x8": True}, "High")):
            for path in ("a.mp4", "a.mov", "a.264"):
                self.encode(path, qp=16, **options)
                self.assertEqual(self.probe(path, "stream=profile")["profile"],
                                 profile.split()[0], (path, options))
                data = pathlib.Path(path).read_bytes()
                self.check_frames(data)
                # chroma_format, bit depths, no SPS extension at the end of the record
                if path != "a.264":
                    record = data[data.index(b"avcC") - 4:]
                    record = record[:int.from_bytes(record[:4], "big")]
                    self.assertEqual(record.endswith(b"\xfd\xf8\xf8\0"), profile == "High")
            sizes.append(os.path.getsize("a.264"))
        baseline, main_, high, cavlc, transform = sizes
        self.assertTrue(transform == high < cavlc and main_ < baseline, sizes)
        self.assertEqual(self.encode(None, format="h264", qp=16, profile="high", cabac=None,
                                     transform8x8=None),
                         self.encode(None, format="h264", qp=16, profile="high", cabac=True,
                                     transform8x8=True))

    def test_presets(self):
        sizes = [len(self.encode(None, format="h264", qp=16, preset=name))
                 for name in ("ultrafast", "fast", "medium", "veryslow")]
        self.assertTrue(sizes[0] > sizes[2] and sizes[1] > sizes[3], sizes)
        for short, long in (({"preset": "medium"}, {"profile": "high", "rd": 1, "trellis": 1}),
                            ({"preset": "medium", "profile": "main", "rd": 0},
                             {"profile": "main", "trellis": 1}),
                            ({"preset": "fast", "tune": "ssim"}, {"profile": "high", "aq_mode": 2}),
                            ({"tune": "film"}, {"aq_mode": 1, "deblock": (-1, -1)}),
                            ({"tune": "film", "deblock": (0, 2)},
                             {"aq_mode": 1, "deblock": (0, 2)}),
                            ({"preset": "medium", "tune": "grain", "aq_strength": 1},
                             {"profile": "high", "rd": 1, "aq_mode": 1, "deblock": (-2, -2)}),
                            ({"preset": "slow", "trellis": 0, "profile": "baseline"}, {"rd": 2})):
            self.assertEqual(self.encode(None, format="h264", **short),
                             self.encode(None, format="h264", **long), short)

    def test_disabled_modes(self):
        """Those of a preset remain unless others are passed; the streams of all schemes are one."""
        self.frames = numpy.random.default_rng(16).integers(0, 256, (3, 64, 96, 3), numpy.uint8)

        def of(**options):
            return self.encode(None, format="h264", qp=30, preset="ultrafast", **options)

        made = [of(), of(disable_modes="i4:upright"), of(disable_modes="none"),
                of(disable_modes="i4:ddl,i4:upright,i16:all"),
                of(disable_modes="i4:3,i4:upright,i16:all")]
        self.assertEqual(made[0], made[1])
        self.assertEqual(made[3], made[4])
        self.assertEqual(len(set(made)), 3)
        for sched in ("dynamic", "static", "sync"):
            self.assertEqual(made[0], of(sched=sched))

    def test_scaling_matrices(self):
        flat = self.encode(None, format="h264", profile="high", scaling="flat")
        self.assertEqual(flat, self.encode(None, format="h264", profile="high"))
        standard = self.encode(None, format="h264", profile="high", scaling="jvt")
        with open("matrices.cfg", "w", encoding="ascii") as file:
            print("INTRA4X4_LUMA", *[16] * 16, "INTRA8X8_LUMA", *[16] * 64, file=file)
        own = self.encode(None, format="h264", profile="high", scaling="matrices.cfg")
        self.assertNotEqual(len(standard), len(flat))
        # the same pictures, with lists in the parameter sets
        self.assertTrue(len(flat) < len(own) < len(flat) + 4000, (len(flat), len(own)))
        more = self.encode(None, format="h264", profile="high", chroma_qp_offset=-12)
        self.assertGreater(len(more), len(flat))
        luma = self.encode(None, format="h264", profile="high", gray=True)
        self.assertLess(len(luma), len(flat))
        with self.assertRaisesRegex(gpuintra.OptionError, "needs profile high"):
            self.encode(None, format="h264", gray=True)
        for bad in ("none.cfg", 3, "python", "/dev/zero", b"none", numpy.zeros(2)):
            with self.assertRaisesRegex(gpuintra.OptionError, "scaling"):
                self.encode(None, format="h264", profile="high", scaling=bad)
        with self.assertRaisesRegex(gpuintra.OptionError, "needs profile high"):
            self.encode(None, format="h264", scaling="jvt")

    def test_a_file_of_matrices_is_read_once(self):
        usual = dict(format="h264", profile="high", device="cpu")
        with open("m.cfg", "w", encoding="ascii") as file:
            print("INTRA4X4_LUMA", *[16] * 16, "INTRA8X8_LUMA", *[16] * 64, file=file)
        with gpuintra.Writer(None, 24, scaling="m.cfg", **usual) as writer:
            os.remove("m.cfg")
            writer.add(self.frames)
        fine = writer.getvalue()
        with gpuintra.Encoder(scaling="jvt", **usual) as encoder:
            standard = encoder.encode(self.frames, None, 24)
            with open("m.cfg", "w", encoding="ascii") as file:
                print("INTRA4X4_LUMA", *[16] * 16, "INTRA8X8_LUMA", *[16] * 64, file=file)
            self.assertEqual(encoder.encode(self.frames, None, 24, scaling="m.cfg"), fine)
            with open("m.cfg", "w", encoding="ascii") as file:
                print("INTRA4X4_LUMA", *[90] * 16, "INTRA8X8_LUMA", *[90] * 64, file=file)
            coarse = encoder.encode(self.frames, None, 24, scaling="m.cfg")
            self.assertLess(len(coarse), len(fine))
            self.assertEqual(encoder.encode(self.frames, None, 24), standard)

    def test_defaults_that_are_given_change_nothing(self):
        plain = self.encode(None, format="h264", qp=27)
        self.assertEqual(plain, self.encode(
            None, format="h264", qp=27, slices=1, deblock=1, aud=0, hrd=numpy.bool_(False),
            gray=0, disable_modes="", rate_delay=0, latency_ms=70000, level=0))
        with self.assertRaisesRegex(gpuintra.OptionError, "beyond all ranges"):
            self.encode(None, aq_mode=1, aq_strength=10 ** 400)
        with self.assertRaisesRegex(gpuintra.OptionError, "zero character"):
            self.encode(None, profile="high\0x")

    def test_rate_control(self):
        frames = len(self.frames)
        plain = len(self.encode(None, format="h264", qp=20))
        limited = self.encode(None, format="h264", qp=20, frame_bytes_max=plain // frames // 2)
        self.assertLess(len(limited), 0.6 * plain)
        half = len(self.encode(None, format="h264", qp=None, rate_delay=1,
                               bitrate=plain / 2 * 8 * 24 / frames))
        self.assertTrue(0.4 * plain < half < 0.65 * plain, (plain, half))
        sizes = [len(self.encode(None, format="h264", qp=None, crf=crf, aq_mode=1,
                                 aq_strength=0.5)) for crf in (18, 24.5, 31)]
        self.assertTrue(sizes[0] > sizes[1] > sizes[2], sizes)
        # The first picture of an almost empty buffer is no larger than what is in it.
        small, usual, same = [[packet.data for packet in gpuintra.packets(
            self.frames, 24, device="cpu", bitrate=4e5, bufsize=4e5, bufsize_init=init)]
                              for init in (0.02, None, 0.9)]
        self.assertLessEqual(len(small[0]), 1000)
        self.assertGreater(len(usual[0]), 1000)
        self.assertEqual(usual, same)
        with self.assertRaisesRegex(gpuintra.OptionError, "needs bufsize"):
            self.encode(None, format="h264", bitrate=1e6, qp=None, bufsize_init=0.5)
        with self.assertRaisesRegex(gpuintra.OptionError, "maxrate needs bufsize"):
            self.encode(None, format="h264", qp=None, bitrate=1e6, maxrate=2e6)

    def test_two_passes(self):
        # Not the gradients, whose sizes are headers for the most part.
        self.frames = numpy.random.default_rng(1).integers(0, 256, (9, 64, 96, 3), numpy.uint8)
        plain = self.encode(None, format="h264", qp=20)
        rate = len(plain) / 2 * 8 * 24 / len(self.frames)
        usual = dict(format="h264", qp=None, bitrate=rate)
        first = self.encode(None, format="h264", qp=20, log_to="a.log")
        self.assertEqual(plain, first)
        lines = pathlib.Path("a.log").read_text().splitlines()
        self.assertEqual(lines[0], "gpuintra pass 1, 96x64")
        self.assertEqual(lines[-1], f"end {len(self.frames)}")
        self.assertEqual(sum(int(line.split()[1]) for line in lines[1:-1]), len(first))
        second = self.encode(None, log_from="a.log", **usual)
        self.assertTrue(0.2 * len(plain) < len(second) < 0.8 * len(plain), len(second))
        # The second pass needs no sizes: it is the same with one frame in flight.
        self.assertEqual(second, self.encode(None, log_from="a.log", frames_in_flight=1, **usual))
        again = self.encode(None, log_from="a.log", log_to=pathlib.Path("b.log"), **usual)
        self.assertEqual(again, second)
        third = self.encode(None, log_from="b.log", log_to="b.log", **usual)
        wanted = len(plain) / 2
        self.assertLess(abs(len(third) - wanted), abs(len(second) - wanted) / 2)
        with gpuintra.Encoder(device="cpu", format="h264", bitrate=rate, log_from="a.log") as kept:
            for _ in range(2):
                self.assertEqual(kept.encode(self.frames, None, 24), second)
        for bad, error in ((dict(log_from="a.log"), gpuintra.OptionError),
                           (dict(log_from=3, **usual), gpuintra.OptionError),
                           (dict(log_from="none.log", **usual), gpuintra.FileError),
                           (dict(log_from="/dev/null", **usual), gpuintra.Error),
                           (dict(log_to="/none/a.log"), gpuintra.FileError)):
            with self.assertRaises(error):
                self.encode(None, **{"format": "h264", **bad})
        writer = gpuintra.Writer(None, 24, device="cpu", bitrate=rate, log_from="a.log")
        writer.add(self.frames)
        with self.assertRaisesRegex(gpuintra.Error, "more frames than"):
            writer.add(self.frames[:1])

    def test_a_log_replaces_the_file_of_a_link_or_nothing(self):
        pathlib.Path("old.log").write_text("old")
        os.symlink("old.log", "link to.log")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
        try:
            with self.assertRaises(gpuintra.FileError):
                self.encode(None, format="h264", log_to="link to.log")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(pathlib.Path("old.log").read_text(), "old")
        self.assertFalse(os.path.exists("old.log.part"))
        self.encode(None, format="h264", log_to="link to.log")
        self.assertTrue(os.path.islink("link to.log"))
        self.assertIn("end ", pathlib.Path("old.log").read_text())

    def test_no_file_is_opened_through_a_link_of_another_user(self):
        pathlib.Path("mine").write_text("old")
        os.symlink("mine", "a.log.part")
        with self.assertRaises(gpuintra.FileError):
            self.encode(None, format="h264", log_to="a.log")
        self.assertEqual(pathlib.Path("mine").read_text(), "old")
        folder = os.stat(tempfile.gettempdir())
        if not folder.st_mode & stat.S_ISVTX or 0 != os.getuid() == folder.st_uid:
            self.skipTest("the folder for temporary files is that of one user")
        link = tempfile.mktemp()
        os.symlink(os.path.abspath("mine"), link)
        self.addCleanup(os.unlink, link)
        if os.getuid() == folder.st_uid:
            os.lchown(link, 4321, 4321)
        with unittest.mock.patch("os.geteuid", lambda: 1234):
            for options in ({"log_to": link}, {"dest": link}):
                with self.assertRaises(gpuintra.FileError) as caught:
                    self.encode(**{"dest": None, "format": "h264", **options})
                self.assertEqual(caught.exception.errno, errno.EACCES)
        self.assertEqual(pathlib.Path("mine").read_text(), "old")

    def test_the_program_changes_its_folder(self):
        os.mkdir("sub")
        with gpuintra.Writer("a.mp4", 24, device="cpu", qp=12) as writer:
            writer.add(self.frames)
            os.chdir("sub")
        os.chdir("..")
        self.check_frames(pathlib.Path("a.mp4").read_bytes())

    def test_an_older_file_stays_until_the_new_one_is_whole(self):
        def broken():
            yield self.frames
            raise RuntimeError("end")

        for path in ("old.mp4", "old.264"):
            pathlib.Path(path).write_text("old")
            with gpuintra.Writer(path, 24, device="cpu") as writer:
                writer.add(self.frames)
                writer.drain()
                self.assertEqual(pathlib.Path(path).read_text(), "old")
            self.assertFalse(os.path.exists(f"{path}.part"))
            pathlib.Path(path).write_text("old")
            with self.assertRaises(RuntimeError):
                gpuintra.encode(broken(), path, 24, device="cpu")
            self.assertEqual(pathlib.Path(path).read_text(), "old")
            self.assertFalse(os.path.exists(f"{path}.part"))
            with self.assertRaises(RuntimeError), self.assertWarnsRegex(UserWarning, "unchanged"):
                gpuintra.encode(broken(), path, 24, device="cpu", on_error="keep")
            self.assertEqual(pathlib.Path(path).read_text(), "old")
            data = pathlib.Path(f"{path}.part").read_bytes()
            if FFMPEG:
                self.assertEqual(len(decode(data, 64, 96)), len(self.frames))
            with gpuintra.Writer(path, 24, device="cpu") as other:
                other.add(self.frames)  # replaces what was left
                with self.assertRaisesRegex(gpuintra.FileError, "another process"):
                    self.encode(path)
            self.assertFalse(os.path.exists(f"{path}.part"))
            self.check_frames(pathlib.Path(path).read_bytes())

    def test_a_log_without_an_end_is_not_read_whole(self):
        """Of what is no log the first block alone is read; with 2 GB more the process would fail
        otherwise."""
        done = run_python("""
import resource
import gpuintra, numpy
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (2 << 30), resource.RLIM_INFINITY))
frames = numpy.zeros((1, 32, 32, 3), numpy.uint8)
try:
    gpuintra.encode(frames, None, 24, device="cpu", threads=1, bitrate=1e6, log_from="/dev/zero")
except gpuintra.Error as problem:
    print(problem)
""")
        self.assertIn("the log is empty", done.stdout, done.stderr[-500:])

    def test_two_passes_are_those_of_gpuintra(self):
        if not os.path.exists(GPUINTRA):
            self.skipTest("gpuintra was not built")
        random = numpy.random.default_rng(15)
        planes = random.integers(0, 256, (5, 96, 96), numpy.uint8)  # 96 x 64
        planes[2:4] //= 4
        with open("in.y4m", "wb") as file:
            file.write(b"YUV4MPEG2 W96 H64 F24:1 Ip A0:0 C420jpeg\n")
            for picture in planes:
                file.write(b"FRAME\n" + picture.tobytes())

        def both(number, options, arguments):
            subprocess.run([GPUINTRA, "-i", "in.y4m", "-o", "want.264", "-y", "--quiet",
                            "--backend", "cpu", "--pass", str(number), "--pass-log", "want.log",
                            *arguments.split()], check=True)
            made = gpuintra.encode(planes, None, 24, format="h264", device="cpu", layout="i420",
                                   chroma="center", **options)
            if number != 1:  # the first pass of gpuintra writes its log alone
                self.assertEqual(made, pathlib.Path("want.264").read_bytes(), (number, arguments))
            self.assertEqual(pathlib.Path("got.log").read_bytes(),
                             pathlib.Path("want.log").read_bytes(), (number, arguments))

        both(1, {"qp": 20, "chroma_qp_offset": (5, -6), "profile": "high", "log_to": "got.log"},
             "--qp 20 --chroma-qp-offset 5:-6 --profile high")
        both(1, {"qp": 20, "log_to": "got.log"}, "--qp 20")
        both(2, {"bitrate": 700e3, "log_from": "got.log"}, "--bitrate 700")
        both(2, {"bitrate": 700e3, "bufsize": 200e3, "log_from": "got.log", "preset": "fast"},
             "--bitrate 700 --vbv-bufsize 200 --preset fast")
        first = pathlib.Path("got.log").read_bytes()
        both(3, {"bitrate": 700e3, "log_from": "got.log", "log_to": "got.log",
                 "frames_in_flight": 1}, "--bitrate 700")
        self.assertNotEqual(first, pathlib.Path("got.log").read_bytes())

    def test_the_index_is_in_front(self):
        data = self.encode(None)
        self.assertLess(data.index(b"moov"), data.index(b"mdat"))
        self.encode("a.mp4")
        data = pathlib.Path("a.mp4").read_bytes()
        self.assertLess(data.index(b"moov"), data.index(b"mdat"))
        self.assertNotIn(b"moof", data[:data.index(b"mdat")])

    def test_memory_and_file_objects(self):
        data = self.encode(None)
        self.check_frames(data)
        self.check_frames(self.encode(None, format="mov"))
        memory = io.BytesIO(b"before")
        memory.seek(6)
        summary = self.encode(memory)
        self.assertEqual(memory.getvalue()[:6], b"before")
        self.assertEqual(len(memory.getvalue()), 6 + summary.bytes)
        self.check_frames(memory.getvalue()[6:])
        for mode in ("wb", "w+b", "ab"):
            with open("f.mp4", mode) as file:
                summary = self.encode(file)
                self.assertFalse(file.closed)
            self.check_frames(pathlib.Path("f.mp4").read_bytes())
            os.unlink("f.mp4")

    def write_long(self, dest):
        """More fragments than one, so that the file is overwritten at its front."""
        with gpuintra.Writer(dest, 24, qp=12, device="cpu") as writer:
            for _ in range(3):
                writer.add(self.frames)
        return writer.summary.bytes

    def test_a_file_object_with_older_bytes_around(self):
        wanted = numpy.concatenate([self.frames] * 3)
        memory = io.BytesIO(b"x" * 500000)
        memory.seek(1000)
        count = self.write_long(memory)
        data = memory.getvalue()
        self.assertEqual((len(data), data[:1000]), (500000, b"x" * 1000))
        self.assertEqual(data[1000 + count:].strip(b"x"), b"")
        self.check_frames(data[1000:1000 + count], wanted)

    def test_a_descriptor_that_appends(self):
        pathlib.Path("a.mp4").write_bytes(b"before")
        number = os.open("a.mp4", os.O_WRONLY | os.O_APPEND)
        with open(number, "wb") as file:  # its mode does not name the flag
            self.write_long(file)
        data = pathlib.Path("a.mp4").read_bytes()
        self.assertEqual(data[:6], b"before")
        self.check_frames(data[6:], numpy.concatenate([self.frames] * 3))

    def test_a_file_object_that_seeks_forward_only(self):
        with gzip.open("a.gz", "wb") as file:
            self.encode(file)
        with gzip.open("a.gz") as file:
            data = file.read()
        self.assertIn(b"moof", data)
        self.check_frames(data)

    def test_a_pipe_gets_fragments(self):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                with open(write, "wb", buffering=0) as file:
                    self.encode(file)
            finally:
                os._exit(0)
        os.close(write)
        with open(read, "rb") as file:
            data = file.read()
        os.waitpid(child, 0)
        self.assertIn(b"moof", data)
        self.check_frames(data)

    def test_frames_one_by_one_and_in_batches(self):
        with gpuintra.Writer("a.mp4", 24, qp=12, device="cpu") as writer:
            writer.add(self.frames[0])
            writer.add(self.frames[1:20])
            writer.drain()
            writer.add(self.frames[20:20])
            for frame in self.frames[20:]:
                writer.add(frame)
        self.assertEqual(writer.summary.frames, 30)
        self.assertEqual(writer.close(), writer.summary)
        self.assertTrue(writer.closed)
        self.check_frames(pathlib.Path("a.mp4").read_bytes())
        with self.assertRaisesRegex(gpuintra.Error, "closed"):
            writer.add(self.frames)

    def fail(self, dest, **options):
        with self.assertRaises(ZeroDivisionError):
            with gpuintra.Writer(dest, 24, qp=12, device="cpu", **options) as writer:
                writer.add(self.frames)
                writer.drain()
                raise ZeroDivisionError
        self.assertTrue(writer.closed)
        return writer

    def test_an_exception_in_the_block_leaves_no_file_or_a_complete_one(self):
        writer = self.fail("a.mp4")
        self.assertEqual(os.listdir(), [])
        for call in (writer.close, writer.drain, writer.getvalue, lambda: writer.add(self.frames)):
            with self.assertRaises(gpuintra.Error):
                call()
        self.fail("a.mp4", on_error="keep")
        self.check_frames(pathlib.Path("a.mp4").read_bytes())

    def test_an_exception_leaves_a_file_object_as_it_was(self):
        memory = io.BytesIO(b"before")
        memory.seek(6)
        for form in ("mp4", "h264"):
            self.fail(memory, format=form)
            self.assertEqual((memory.getvalue(), memory.tell()), (b"before", 6))
        self.fail(memory, on_error="keep")
        self.check_frames(memory.getvalue()[6:])

    def test_a_short_file_of_unknown_length_has_no_reserve(self):
        wanted = self.encode(None)
        sizes = []
        for dest in ("a.mp4", io.BytesIO()):
            with gpuintra.Writer(dest, 24, qp=12, device="cpu") as writer:
                writer.add(self.frames)
                writer.drain()
            sizes.append(writer.summary.bytes)
        self.assertEqual(pathlib.Path("a.mp4").read_bytes(), wanted)
        self.assertEqual(dest.getvalue(), wanted)
        self.assertEqual(sizes, [len(wanted)] * 2)

    def test_a_notebook_shows_the_bytes(self):
        data = self.encode(None)
        self.assertTrue(data._repr_html_().startswith('<video controls loop src="data:video/mp4;'))
        self.assertIsInstance(data, bytes)
        self.assertIs(type(pickle.loads(pickle.dumps(data))), bytes)
        self.assertIsNone(self.encode(None, format="264")._repr_html_())

    def test_progress(self):
        done = []
        self.encode("a.mp4", progress=done.append)
        self.assertEqual(done, list(range(1, 31)))
        with self.assertRaises(ZeroDivisionError):
            self.encode("b.mp4", progress=lambda count: 1 // (7 - count))
        self.assertEqual(os.listdir(), ["a.mp4"])
        with self.assertRaisesRegex(gpuintra.OptionError, "progress"):
            self.encode("b.mp4", progress=7)

    def test_a_bad_batch_leaves_the_writer_usable(self):
        with gpuintra.Writer("a.mp4", 24, qp=12, device="cpu") as writer:
            writer.add(self.frames[:10])
            for bad in (self.frames[:, :32], numpy.zeros((5, 5)), self.frames.astype("i4"), None):
                with self.assertRaises(gpuintra.Error):
                    writer.add(bad)
            writer.add(self.frames[10:])
        self.check_frames(pathlib.Path("a.mp4").read_bytes())


class Failures(InFolder):
    def test_destinations_that_cannot_be_written(self):
        os.mkdir("folder.mp4")
        for dest, number in (("folder.mp4", errno.EISDIR), ("none/a.mp4", errno.ENOENT)):
            with self.assertRaises(gpuintra.FileError) as caught:
                self.encode(dest)
            self.assertEqual(caught.exception.errno, number)
            self.assertIsInstance(caught.exception, OSError)
            self.assertIsInstance(caught.exception, gpuintra.Error)
        for dest in ("a.mkv", "a", 7):
            with self.assertRaises(gpuintra.Error):
                self.encode(dest)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_device(self):
        for form in ("h264", "mp4"):
            with self.assertRaises(OSError) as caught:
                self.encode("/dev/full", format=form)
            self.assertEqual(caught.exception.errno, errno.ENOSPC)
            self.assertIsInstance(caught.exception, gpuintra.Error)
            self.assertIn("not complete", str(caught.exception))

    def test_a_disk_that_becomes_full(self):
        for path in ("a.264", "a.mp4"):
            writer = gpuintra.Writer(path, 24, qp=0, device="cpu")
            old = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, old[1]))
            try:
                with self.assertRaises(OSError) as caught:
                    for _ in range(100):
                        writer.add(self.frames)
                    writer.close()
                self.assertEqual(caught.exception.errno, errno.EFBIG)
                try:
                    writer.close()
                except gpuintra.Error:
                    pass
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, old)
            self.assertTrue(writer.closed)

    def test_what_a_file_object_raises_is_the_cause(self):
        class Bad:
            def write(self, data):
                raise ValueError("out of paper")

        for form in ("h264", "mp4"):
            with self.assertRaisesRegex(gpuintra.FileError, "out of paper") as caught:
                self.encode(Bad(), format=form)
            self.assertIsInstance(caught.exception.__cause__, ValueError)
        closed = io.BytesIO()
        closed.close()
        with open(os.devnull, "rb") as reads, tempfile.NamedTemporaryFile("w") as text:
            for bad in (io.StringIO(), text, reads, closed):
                with self.assertRaisesRegex(gpuintra.FileError, "mode 'wb'"):
                    gpuintra.Writer(bad, 24)

    def test_file_objects_that_do_not_take_all_bytes(self):
        class Few(io.BytesIO):
            def write(self, data):
                return super().write(data[:5])

        few, all_ = Few(), io.BytesIO()
        self.encode(few)
        self.encode(all_)
        self.assertEqual(few.getvalue(), all_.getvalue())
        for wrong, text in ((0, "returned 0"), ("5", "returned '5'")):
            few.write = lambda data, wrong=wrong: wrong
            with self.assertRaisesRegex(gpuintra.FileError, text):
                self.encode(few)
        read, write = os.pipe()
        os.set_blocking(write, False)
        with open(read, "rb"), open(write, "wb", buffering=0) as file:
            with self.assertRaises(gpuintra.FileError) as caught:
                self.encode(file, qp=0, format="h264")
        self.assertEqual(caught.exception.errno, errno.EAGAIN)

    def test_an_interrupt_after_a_call_of_the_encoder(self):
        writer = gpuintra.Writer("a.mp4", 24, qp=12, device="cpu")
        writer.add(self.frames[0])
        session = writer._input.session
        for name in ("send", "one"):
            usual = getattr(session, name)

            def interrupted(*arguments):
                usual(*arguments)
                setattr(session, name, usual)
                raise KeyboardInterrupt

            setattr(session, name, interrupted)
            with self.assertRaises(KeyboardInterrupt):
                for _ in range(50):
                    writer.add(self.frames)
            writer.add(self.frames)
        summary = writer.close()
        data = pathlib.Path("a.mp4").read_bytes()
        if FFMPEG:
            self.assertEqual(len(decode(data, 64, 96)), summary.frames)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_each_call_after_a_failure_of_the_file_raises_it(self):
        for form in ("h264", "mp4"):
            writer = gpuintra.Writer("/dev/full", 24, qp=0, format=form, device="cpu")
            for _ in range(5):
                try:
                    writer.add(self.frames)
                except gpuintra.FileError:
                    pass
            for call in (lambda: writer.add(self.frames), writer.drain, writer.close, writer.close):
                with self.assertRaises(gpuintra.FileError) as caught:
                    call()
                self.assertEqual(caught.exception.errno, errno.ENOSPC)
                self.assertEqual(caught.exception.filename, "/dev/full")

    def test_an_encoder_that_is_closed_before_its_writer(self):
        encoder = gpuintra.Encoder(device="cpu")
        writer = encoder.writer("a.mp4", 24)
        writer.add(self.frames)
        encoder.close()
        for call in (lambda: writer.add(self.frames), writer.drain, writer.close):
            with self.assertRaisesRegex(gpuintra.Error, "closed"):
                call()

    def test_a_writer_whose_file_could_not_be_opened(self):
        writer = gpuintra.Writer("later.mp4", 24, device="cpu")
        os.mkdir("later.mp4")
        with self.assertRaises(gpuintra.FileError) as caught:
            writer.add(self.frames)
        self.assertEqual(caught.exception.errno, errno.EISDIR)
        for call in (lambda: writer.add(self.frames), writer.close):
            with self.assertRaises(gpuintra.Error):
                call()

    def test_options_that_fail_leave_the_size_open(self):
        writer = gpuintra.Writer(None, 24, device="cpu", slices=5)
        with self.assertRaises(gpuintra.Error):
            writer.add(self.frames)  # 4 rows of macroblocks
        writer.add(smooth(2, 96, 96))
        self.assertEqual(writer.close()[:1], (2,))

    def test_warnings_as_errors(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            writer = gpuintra.Writer(None, 24, device="cpu")
            with self.assertRaises(UserWarning):
                writer.add(self.frames[:, 1:])
            writer.add(self.frames)
            self.assertEqual(writer.close().frames, 30)

    def test_without_frames_there_is_no_file(self):
        with self.assertRaisesRegex(gpuintra.Error, "no frame"):
            with gpuintra.Writer("a.mp4", 24, device="cpu"):
                pass
        self.assertFalse(os.path.exists("a.mp4"))


class Processes(InFolder):
    def run_case(self, case, code=0):
        done = run_python(OPEN_WRITER + case)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def playable(self, path="out.mp4"):
        data = pathlib.Path(path).read_bytes()
        return len(decode(data, 32, 32)) if FFMPEG else len(re.findall(b"avcC", data)) * 60

    def test_the_interpreter_exits_with_an_open_writer(self):
        for case in ("", "sys.exit(0)", "holder = [writer]; holder.append(holder); del writer",
                     "del writer; gc.collect()"):
            self.assertEqual(self.run_case(case).stderr, "")
            self.assertEqual(self.playable(), 60, case)
            os.unlink("out.mp4")
        self.run_case("raise RuntimeError('end')", 1)
        self.assertEqual(self.playable(), 60)

    def test_the_interpreter_exits_while_a_daemon_thread_adds(self):
        self.run_case("""
import threading
batch = numpy.concatenate([frames[None]] * 50)
def work():
    while True:
        writer.add(batch)
threading.excepthook = lambda arguments: None
threading.Thread(target=work, daemon=True).start()
import time; time.sleep(0.3)
""")
        self.assertEqual(self.playable() % 50, 10)  # whole batches
        data = pathlib.Path("out.mp4").read_bytes()
        self.assertNotIn(b"mvex", data[:data.index(b"mdat")])  # an index, no fragments

    def test_a_killed_process_leaves_a_file_that_plays(self):
        self.run_case("writer.drain(); os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL)
        self.assertGreaterEqual(self.playable("out.mp4.part"), 40)
        self.assertFalse(os.path.exists("out.mp4"))
        self.run_case("writer.close()")  # replaces what was left
        self.assertEqual(self.playable(), 60)
        self.assertFalse(os.path.exists("out.mp4.part"))

    def test_a_child_of_fork_cannot_use_the_writer(self):
        self.run_case("""
child = os.fork()
if child == 0:
    for call in (lambda: writer.add(frames), writer.drain, writer.close):
        try:
            call()
            os._exit(1)
        except gpuintra.Error as failure:
            if "fork" not in str(failure):
                os._exit(2)
    other = gpuintra.encode(frames, None, 24, device="cpu")
    del writer
    gc.collect()
    sys.exit(0 if len(other) > 100 else 3)   # atexit runs in the child, too
if os.waitpid(child, 0)[1]:
    os._exit(9)
writer.add(frames)
writer.close()
""")
        self.assertEqual(self.playable(), 61)

    def test_an_encoder_before_fork(self):
        self.run_case("""
encoder = gpuintra.Encoder(device="cpu")
encoder.encode(frames, None, 24)
child = os.fork()
if child == 0:
    try:
        encoder.encode(frames, None, 24)
    except gpuintra.Error as failure:
        encoder.close()
        sys.exit("fork" not in str(failure))
    os._exit(1)
if os.waitpid(child, 0)[1]:
    os._exit(9)
encoder.encode(frames, None, 24)
""")


class Examples(InFolder):
    def test_the_examples_run(self):
        examples = os.path.join(os.environ["TEST_SRCDIR"], "..", "examples", "python")
        for name, made in (("encode_numpy.py", "numpy.mp4"), ("encode_clips.py", None),
                           ("encode_tensor.py", "tensor.mp4")):
            if name == "encode_tensor.py" and not importlib.util.find_spec("torch"):
                continue
            done = subprocess.run([sys.executable, os.path.join(examples, name)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            if made:
                self.assertGreater(os.path.getsize(made), 10000)


if __name__ == "__main__":
    main()
